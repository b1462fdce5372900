import { expect, test } from 'vitest';
import { agentRows, keyless, shownRows } from './rows';
import { browserName } from './SignInList';

const entry = {
  agent_id: 'wren',
  role: 'builder',
  capabilities: { go: true },
  metadata: null,
  is_active: true,
  has_key: true,
  created_at: '2026-11-15T10:00:00Z',
  last_seen_at: '2026-11-15T11:00:00Z',
  permissions: null,
  preset_id: null,
};
const worker = {
  preset_id: 'builtin:worker',
  name: 'worker',
  description: null,
  flags: { handoffs: { create: false } } as never,
  builtin: true,
  created_at: null,
  updated_at: null,
};

test('what an agent may do is its preset, its own limits, or everything', () => {
  const mayDo = (part: object) => agentRows([{ ...entry, ...part }], [worker], new Map())[0]?.mayDo;
  expect(mayDo({})).toBe('everything');
  expect(mayDo({ preset_id: 'builtin:worker' })).toBe('worker');
  expect(mayDo({ preset_id: 'builtin:worker', permissions: { limits: { max_recipients: 5 } } })).toBe('worker, with its own');
  expect(mayDo({ permissions: { limits: { max_recipients: 5 } } })).toBe('limited');
  expect(mayDo({ preset_id: 'prs_gone' })).toBe('unknown preset');
});

test('the operator comes with a file, so it is not without a key', () => {
  const rows = agentRows(
    [
      { ...entry, agent_id: 'operator', has_key: false },
      { ...entry, has_key: false },
    ],
    [],
    new Map(),
  );
  expect(rows.map((row) => [row.agent_id, row.keyWord, keyless(row)])).toEqual([
    ['operator', 'file', false],
    ['wren', 'none', true],
  ]);
});

test('every word of the filter must fit somewhere', () => {
  const rows = agentRows([entry, { ...entry, agent_id: 'heron', role: 'reviewer', has_key: false }], [], new Map());
  const shown = (q: string, show = '') => shownRows(rows, q, show).map((row) => row.agent_id);
  expect(shown('')).toEqual(['heron', 'wren']);
  expect(shown('GO build')).toEqual(['wren']);
  expect(shown('', 'keyless')).toEqual(['heron']);
});

test('a browser is called what people call it', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const edge = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140.0';
  expect(browserName(firefox)).toBe('Firefox on Linux');
  expect(browserName(edge)).toBe('Edge on Windows');
  expect(browserName(null)).toBe('unknown');
});
