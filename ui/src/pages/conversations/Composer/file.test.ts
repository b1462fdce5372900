import { expect, test } from 'vitest';
import { kindOfFile, readText, tooLarge } from './file';

test.each([
  ['plan.md', 'markdown'],
  ['a.JSON', 'json'],
  ['main.go', 'text'],
  ['', 'text'],
])('%s is %s', (name, kind) => expect(kindOfFile(name)).toBe(kind));

test('bytes count, not letters', () => {
  expect(tooLarge('x'.repeat(65_536))).toBeUndefined();
  expect(tooLarge('é'.repeat(40_000))).toContain('79 KB');
});

test('only text is read', async () => {
  expect(await readText(new File(['żółw'], 'a.txt'))).toEqual({ text: 'żółw' });
  expect((await readText(new File([new Uint8Array([0xff, 0xfe])], 'a.bin'))).why).toContain('not text');
  expect((await readText(new File(['a\0b'], 'a.bin'))).why).toContain('not text');
  expect((await readText(new File(['x'.repeat(70_000)], 'a.txt'))).why).toContain('KB');
});
