import { fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { cache } from '@/api/query';
import { refusal, show, stubHub, visitor } from '@/testing/hub';
import type { Setting } from '../knobs';
import { Prune } from '../Prune';
import { Reset } from '../Reset';
import { Knob } from '.';

const limit: Setting = {
  key: 'max_event_limit',
  type: 'int',
  group: 'bus',
  description: 'The most events on one page of the log.',
  value: 1000,
  default: 1000,
  min: 1,
  max: null,
  choices: [],
  source: 'default',
  pinned_by: null,
  editable: true,
  requires_restart: false,
};

const type = (value: string) => fireEvent.change(screen.getByLabelText('max_event_limit'), { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole('button', { name }));

test('one setting is saved by itself; what is out of bounds is not sent', async () => {
  const asked = stubHub({ settings_change: { applied: {} } });
  show(<Knob setting={limit} />);
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  type('0');
  screen.getByText('At least 1.');
  expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true);
  type('500');
  press('Save');
  await waitFor(() => expect(asked.of('settings_change')).toEqual([{ values: { max_event_limit: 500 } }]));
});

test('a refusal stands beside the field, and what was typed stays in it', async () => {
  stubHub({ settings_change: refusal('INVALID_SETTING', 'Too much for this machine.') });
  show(<Knob setting={limit} />);
  type('900000');
  press('Save');
  await waitFor(() => screen.getByText(/Too much for this machine/));
  expect(screen.getByLabelText('max_event_limit')).toHaveProperty('value', '900000');
  press('Undo');
  expect(screen.getByLabelText('max_event_limit')).toHaveProperty('value', '1000');
});

test('a switch holds at once', async () => {
  const asked = stubHub({ settings_change: { applied: {} } });
  show(<Knob setting={{ ...limit, key: 'read_receipts', type: 'bool', value: false }} />);
  fireEvent.click(screen.getByRole('switch', { name: 'read_receipts' }));
  await waitFor(() => expect(asked.of('settings_change')).toEqual([{ values: { read_receipts: true } }]));
});

test('what was changed here can be taken back', async () => {
  const asked = stubHub({ settings_change: { applied: {} } });
  show(<Knob setting={{ ...limit, value: 500, source: 'stored' }} />);
  press('Reset to 1000');
  await waitFor(() => expect(asked.of('settings_change')).toEqual([{ values: { max_event_limit: null } }]));
});

test('what is pinned has no field and says by what', () => {
  stubHub();
  show(<Knob setting={{ ...limit, source: 'cli/env', pinned_by: 'flag --max-event-limit', editable: false }} />);
  expect(screen.queryByLabelText('max_event_limit')).toBeNull();
  screen.getByText(/Set by flag --max-event-limit/);
});

test('whoever does not run the hub changes nothing', async () => {
  stubHub({ me: visitor });
  await cache.prefetchQuery({ queryKey: ['me'], queryFn: async () => visitor });
  show(<Knob setting={limit} />);
  expect(screen.getByLabelText('max_event_limit')).toHaveProperty('disabled', true);
});

test('pruning counts first and deletes after', async () => {
  const asked = stubHub({
    admin_prune: ({ dry_run }: { dry_run: boolean }) => ({
      dry_run,
      tables: { events: { deleted: 4 }, message_deliveries: { deleted: 0 }, sessions: { deleted: 0 } },
      total_deleted: 4,
      vacuum: { ran: false },
    }),
  });
  show(<Prune />);
  expect(screen.queryByRole('button', { name: 'Prune now' })).toBeNull();
  press('Count what would go');
  await waitFor(() => screen.getByText('Would go: 4 events.'));
  press('Prune now');
  await waitFor(() => screen.getByText('Gone: 4 events.'));
  expect(asked.of('admin_prune')).toEqual([{ dry_run: true }, { dry_run: false }]);
});

test('the store is emptied only after its name was typed', async () => {
  const asked = stubHub({ admin_reset: { deleted: { events: 7 }, kept_agents: true, vacuumed: true } });
  show(<Reset db="/home/ada/.nexus/nexus.db" />);
  press('Empty the store…');
  expect(screen.getByRole('button', { name: 'Empty the store' })).toHaveProperty('disabled', true);
  fireEvent.change(screen.getByLabelText('Type nexus.db to go on'), { target: { value: 'nexus.db' } });
  press('Empty the store');
  await waitFor(() => screen.getByText(/Gone: 7 rows; agents stayed/));
  expect(asked.of('admin_reset')).toEqual([{ keep_agents: true }]);
});
