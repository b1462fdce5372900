// The libraries whose code may be in the page, with the licences they come under: read from what is installed, so that the list
// is never out of date. Whoever serves the page serves copies of them, and their licences want to go along.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

export type Library = { name: string; version: string; licence: string };

/** Libraries that share one text. */
export type Terms = { libraries: Library[]; text: string };

type Package = { version: string; license?: string; dependencies?: Record<string, string> };
type Packages = Record<string, Package>;

/** Where a package finds another: beside it, or nearer to the root. */
function find(packages: Packages, from: string, name: string): string | undefined {
  const parts = from ? `/${from}`.split('/node_modules/').slice(1) : [];
  for (let depth = parts.length; depth >= 0; depth--) {
    const path = [...parts.slice(0, depth), name].map((part) => `node_modules/${part}`).join('/');
    if (packages[path]) return path;
  }
  return undefined;
}

function reachable(packages: Packages): string[] {
  const found = new Set<string>();
  const walk = (from: string) => {
    for (const name of Object.keys(packages[from]?.dependencies ?? {})) {
      const path = find(packages, from, name);
      if (!path || found.has(path) || name.startsWith('@types/')) continue;
      found.add(path);
      walk(path);
    }
  };
  walk('');
  return [...found].sort();
}

function textOf(folder: string): string {
  const name = existsSync(folder) && readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  return name ? readFileSync(join(folder, name), 'utf8').trim() : '';
}

/** What the page is made of, the largest group of equal terms first. */
export function librariesOf(root: string): Terms[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Packages };
  const terms = new Map<string, Terms>();
  for (const path of reachable(packages)) {
    const { version, license = 'unknown' } = packages[path]!;
    const text = textOf(join(root, path));
    const same = terms.get(text) ?? { libraries: [], text };
    same.libraries.push({ name: path.replace(/^.*node_modules\//, ''), version, licence: license });
    terms.set(text, same);
  }
  return [...terms.values()].sort((a, b) => b.libraries.length - a.libraries.length);
}

/** Makes the list importable as virtual:libraries. */
export function libraries(root: string): Plugin {
  const id = 'virtual:libraries';
  return {
    name: 'libraries',
    resolveId: (asked) => (asked === id ? `\0${id}` : undefined),
    load: (asked) => (asked === `\0${id}` ? `export default ${JSON.stringify(librariesOf(root))}` : undefined),
  };
}
