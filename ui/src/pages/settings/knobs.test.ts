import { expect, test } from 'vitest';
import { fits, inWords, lockedBy, placeOf, readValue, type Setting, sourceWord, unitHint } from './knobs';
import { pruned } from './Prune';
import { databaseName } from './Reset';

const setting: Setting = {
  key: 'max_event_limit',
  type: 'int',
  group: 'bus',
  description: 'The most events on one page of the log.',
  value: 1000,
  default: 1000,
  min: 1,
  max: 5000,
  choices: [],
  source: 'default',
  pinned_by: null,
  editable: true,
  requires_restart: false,
};

test('every setting has its place', () => {
  const place = (key: string, group = 'bus', requires_restart = false) => placeOf({ key, group, requires_restart });
  expect(place('max_event_limit')).toBe('bus');
  expect(place('busy_timeout_ms', 'bus', true)).toBe('bus');
  expect(place('retention_events_keep_days')).toBe('retention');
  expect(place('webhook_allow_private', 'hub')).toBe('webhooks');
  expect(place('log_level', 'hub')).toBe('hub');
  expect(place('port', 'hub', true)).toBe('start');
});

test('numbers are whole and within bounds', () => {
  expect(readValue(setting, '500')).toEqual({ value: 500 });
  expect(readValue(setting, '0')).toEqual({ wrong: 'At least 1.' });
  expect(readValue(setting, '5001')).toEqual({ wrong: 'At most 5000.' });
  for (const text of ['', ' ', '1.5', 'many']) expect(readValue(setting, text)).toEqual({ wrong: 'A whole number is needed.' });
  expect(readValue({ ...setting, type: 'list' }, 'a, b,,')).toEqual({ value: ['a', 'b'] });
  expect(readValue({ ...setting, type: 'string' }, '')).toEqual({ value: '' });
});

test('what cannot be changed says why', () => {
  expect(lockedBy(setting)).toBeUndefined();
  expect(lockedBy({ ...setting, editable: false, pinned_by: 'NEXUS_MAX_EVENT_LIMIT' })).toContain('Set by NEXUS_MAX_EVENT_LIMIT');
  expect(lockedBy({ ...setting, key: 'tls_cert', editable: false })).toContain('--tls-cert, NEXUS_TLS_CERT');
  expect(sourceWord({ source: 'cli/env', pinned_by: 'flag --port' })).toBe('flag');
  expect(sourceWord({ source: 'cli/env', pinned_by: 'NEXUS_PORT' })).toBe('environment');
  expect(sourceWord({ source: 'stored', pinned_by: null })).toBe('changed here');
});

test('large numbers are also said in a larger unit', () => {
  expect(inWords('session_reap_seconds', 86_400)).toBe('1 d');
  expect(inWords('max_inline_bytes', '65536')).toBe('64 KiB');
  expect(inWords('retention_events_keep_days', 30)).toBe('');
  expect(unitHint('busy_timeout_ms', '5000')).toBe('milliseconds = 5 s');
  expect(unitHint('max_event_limit', '10')).toBe('');
});

test('search looks at names, words and sources', () => {
  expect(fits(setting, 'event limit')).toBe(true);
  expect(fits(setting, 'PAGE log')).toBe(true);
  expect(fits(setting, 'changed here')).toBe(false);
  expect(fits({ ...setting, source: 'stored' }, 'changed here')).toBe(true);
});

test('reset asks for the name of the store', () => {
  expect(databaseName('/home/ada/.nexus/nexus.db')).toBe('nexus.db');
  expect(databaseName('C:\\nexus\\nexus.db')).toBe('nexus.db');
  expect(databaseName('postgres://nexus@db/hub?search_path=a')).toBe('hub');
  expect(databaseName('')).toBe('reset');
});

test('what goes is counted by kind, and nothing is not counted', () => {
  const report = (events: number, deliveries: number) => ({
    dry_run: true,
    tables: { events: { deleted: events }, message_deliveries: { deleted: deliveries }, sessions: { deleted: 0 } },
    total_deleted: events + deliveries,
    vacuum: { ran: false },
  });
  expect(pruned(report(3, 1))).toBe('3 events, 1 deliveries that were read');
  expect(pruned(report(0, 0))).toBe('');
});
