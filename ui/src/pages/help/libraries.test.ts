import { expect, test } from 'vitest';
import { librariesOf } from '../../../libraries';
import { dependencies } from '../../../package.json';

const terms = librariesOf('.');
const all = terms.flatMap((group) => group.libraries);

test('every library that the page depends on is there, and what those depend on', () => {
  const names = all.map((library) => library.name);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(dependencies), 'scheduler', 'micromark']));
  expect(names.filter((name) => /^(vite|vitest|@types\/.*)$/.test(name))).toEqual([]);
});

test('every licence is one that we may ship', () => {
  expect(
    all.filter(({ licence }) => !['MIT', 'ISC', '0BSD', 'Unlicense', 'Apache-2.0', 'BSD-3-Clause'].includes(licence)),
  ).toEqual([]);
});

test('versions are those that are installed', () => {
  const versions = Object.fromEntries(all.map(({ name, version }) => [name, version]));
  for (const [name, version] of Object.entries(dependencies)) expect([name, versions[name]]).toEqual([name, version]);
});
