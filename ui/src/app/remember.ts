// What this browser keeps between visits: theme, widths, drafts. Where it keeps nothing, everything still works.

/** What was kept under a name. Texts are kept as they are, everything else as JSON. */
export function remembered<T>(name: string, usual: T): T {
  try {
    const text = localStorage.getItem(`nexus.${name}`);
    if (text === null) return usual;
    return typeof usual === 'string' ? (text as T) : (JSON.parse(text) as T);
  } catch {
    return usual;
  }
}

/** Keeps something. What is blank is forgotten. */
export function remember(name: string, value: unknown) {
  try {
    if (value === '' || value === null || value === undefined) localStorage.removeItem(`nexus.${name}`);
    else localStorage.setItem(`nexus.${name}`, typeof value === 'string' ? value : JSON.stringify(value));
  } catch {
    // a browser that keeps nothing, or is full
  }
}
