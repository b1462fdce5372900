import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import Rendered from './Rendered';

const html = (text: string) => render(<Rendered text={text} />).container;

test('Markdown becomes elements', () => {
  const at = html('**a** `b`\n\n- c\n- [x] d\n\n```go\ne\n```\n\n| f |\n|---|\n| g |');
  expect(at.querySelector('strong')?.textContent).toBe('a');
  expect(at.querySelector('code')?.textContent).toBe('b');
  expect(at.querySelectorAll('li')).toHaveLength(2);
  expect(at.querySelectorAll('li p')).toHaveLength(0);
  expect(html('- a\n\n  b').querySelectorAll('li p')).toHaveLength(2);
  expect(at.querySelector('pre')?.textContent).toBe('e');
  expect(at.querySelectorAll('td')).toHaveLength(2);
});

test('HTML is text', () => {
  const at = html('<img src=x onerror=alert(1)> and <script>alert(2)</script>\n\n<iframe src="https://example.org"></iframe>');
  expect(at.querySelector('img, script, iframe')).toBeNull();
  expect(at.textContent).toContain('onerror=alert(1)');
});

test('pictures are never fetched', () => {
  const at = html('![a cat](https://example.org/cat.png) ![b][ref]\n\n[ref]: https://example.org/b.png');
  expect(at.querySelector('img')).toBeNull();
  expect(at.textContent).toContain('[picture: a cat]');
});

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,<script>',
  'vbscript:x',
  '//example.org',
  '/api/v1/admin/backup',
  'file:///etc/passwd',
])('%s is no link', (to) => {
  expect(html(`[click](<${to}>)`).querySelector('a')).toBeNull();
});

test('a link tells nobody where it was followed from', () => {
  const a = html('[docs](https://example.org/docs)').querySelector('a');
  expect(a?.getAttribute('href')).toBe('https://example.org/docs');
  expect(a?.getAttribute('rel')).toContain('noopener noreferrer');
});

test('what nests without end is cut', () => {
  expect(html(`${'> '.repeat(500)}deep`).textContent).toContain('…');
});

test('what is very long is shown as it was written', () => {
  expect(html(`${'*'.repeat(100_001)}`).querySelector('strong')).toBeNull();
});
