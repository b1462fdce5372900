/** The hue of an agent, the same wherever it shows: FNV-1a of its id, in 24 steps. */
export function hue(id: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(id)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash % 24) * 15;
}

/** The two letters of an agent. */
export function letters(id: string): string {
  const words = id.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const picked = words.length > 1 ? [...words[0]!][0]! + [...words[1]!][0]! : [...(words[0] ?? id)].slice(0, 2).join('');
  return picked.charAt(0).toUpperCase() + picked.slice(1).toLowerCase();
}
