import { afterEach, expect, test, vi } from 'vitest';
import { asCommand, call, HubError, request } from './call';

afterEach(() => vi.unstubAllGlobals());

const answering = (body: string, status = 200) =>
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => new Response(body, { status })),
  );

test('an operation is called by its name', async () => {
  answering('{"ok":true,"data":{"items":[]}}');
  expect(await call('observe_handoffs', { status: 'OPEN' })).toEqual({ items: [] });
  const [path, init] = vi.mocked(fetch).mock.calls[0]!;
  expect(path).toBe('/api/v1/op/observe_handoffs');
  expect(init?.body).toBe('{"status":"OPEN"}');
});

test('a refusal keeps its code, its words and its details', async () => {
  answering('{"ok":false,"error":{"code":"NOT_FOUND","message":"There is none.","details":{"field":"x"}}}', 404);
  const error = await request('/x').catch((problem: HubError) => problem);
  expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'There is none.', status: 404, details: { field: 'x' } });
});

test('what is no answer of a hub is still an error with words', async () => {
  answering('<html>502</html>', 502);
  await expect(request('/x')).rejects.toMatchObject({ code: 'UNREADABLE', status: 502 });
  vi.stubGlobal(
    'fetch',
    vi.fn(async () => Promise.reject(new TypeError('Failed to fetch'))),
  );
  await expect(request('/x')).rejects.toBeInstanceOf(HubError);
  await expect(request('/x')).rejects.toMatchObject({ code: 'UNREACHABLE' });
});

test.each([
  [{ agent: 'cobalt', limit: 5 }, 'nexus call x agent=cobalt limit=5'],
  [{ subject: "it's; rm -rf /" }, `nexus call x 'subject=it'\\''s; rm -rf /'`],
  [{ target: { strategy: 'direct' }, none: undefined, blank: '' }, `nexus call x 'target={"strategy":"direct"}'`],
  [{}, 'nexus call x'],
])('%j as a command', (input, command) => {
  expect(asCommand('x', input)).toBe(command);
});
