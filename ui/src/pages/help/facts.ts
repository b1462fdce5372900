export type Info = { service: string; package_version: string; schema_version: number; trust_mode: string };

/** What a browser is, as far as it matters to a report. Names, ids and keys stay out: of the address only the page goes in. */
export function browserFacts(info: Info, live: string, shade: string): string {
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [
    `Nexus ${info.package_version}, schema ${info.schema_version}, trust ${info.trust_mode}`,
    `Page: ${location.protocol === 'https:' ? 'https' : 'http'}, ${shade}, event stream ${live}`,
    `Window: ${innerWidth} × ${innerHeight} at ${devicePixelRatio}×${calm ? ', reduced motion' : ''}`,
    `Reader: ${navigator.language}, ${zone}`,
    `Browser: ${navigator.userAgent}`,
  ].join('\n');
}
