import { beforeEach, expect, test } from 'vitest';
import { href, inspect, setParams } from './address';

beforeEach(() => history.replaceState(null, '', '/events?ws=w1&range=7d&type=message.created'));

test('workspace and range go along, the rest stays behind', () => {
  expect(href('/graph')).toBe('/graph?ws=w1&range=7d');
  expect(href('/graph', { see: 'agent:a b', ws: undefined })).toBe('/graph?range=7d&see=agent%3Aa+b');
});

test('inspecting is a step back to which leads', () => {
  const before = history.length;
  inspect('agent', 'cobalt');
  expect(location.search).toContain('see=agent%3Acobalt');
  expect(history.length).toBe(before + 1);
});

test('filters replace each other', () => {
  const before = history.length;
  setParams({ type: 'task.done' });
  setParams({ type: undefined });
  expect(location.search).toBe('?ws=w1&range=7d');
  expect(history.length).toBe(before);
});
