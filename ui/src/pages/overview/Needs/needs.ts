// What needs a person, as rows: from what the hub says and from webhooks that fail.

import type { Item } from '@/api/call';
import { countdown, span } from '@/look/moment';

export type Need = Item<'observe_attention'>;
export type Webhook = Item<'webhook_list'>;

export type Row = {
  key: string;
  kind: string;
  /** What it is about, in a word or two. */
  word: string;
  title: string;
  agent: string | null;
  /** When it began, and when it runs out. */
  since: string | null;
  until: string | null;
  need?: Need;
  webhook?: Webhook;
};

const words: Record<string, string> = {
  lease_lapsing: 'Lease lapsing',
  verify: 'Verify',
  handoff_parked: 'Work parked',
  handoff_waiting: 'Nobody took it',
  mail_parked: 'Mail parked',
  mail_unread: 'For you',
  agent_stale: 'Silent with work',
};

/** Rows in the order the hub gave them, which is by urgency; failing webhooks after what runs out. */
export function rowsOf(needs: Need[], webhooks: Webhook[]): Row[] {
  const rows: Row[] = needs.map((need) => ({
    key: [need.kind, need.handoff_id, need.message_id, need.agent_id].filter(Boolean).join(' '),
    kind: need.kind,
    word: words[need.kind] ?? need.kind,
    title: titleOf(need),
    agent: need.agent_id,
    since: need.since,
    until: need.until,
    need,
  }));
  const failing = webhooks.filter((webhook) => webhook.failures > 0 || webhook.disabled_reason);
  const urgent = rows.findIndex((row) => !row.until);
  rows.splice(
    urgent < 0 ? rows.length : urgent,
    0,
    ...failing.map((webhook) => ({
      key: webhook.webhook_id,
      kind: 'webhook_failing',
      word: webhook.is_active ? 'Webhook failing' : 'Webhook switched off',
      title: `${webhook.name ?? webhook.url}, ${webhook.failures} ${webhook.failures === 1 ? 'try' : 'tries'} without success`,
      agent: null,
      since: webhook.updated_at,
      until: null,
      webhook,
    })),
  );
  return rows;
}

function titleOf(need: Need): string {
  const title = need.title ?? '';
  if (need.kind === 'mail_parked' && (need.count ?? 1) > 1) return `${need.count} messages, the newest: ${title}`;
  if (need.kind === 'mail_unread' && (need.count ?? 1) > 1) return `${title} (and ${need.count! - 1} more)`;
  return title;
}

/** How it stands with time: what is left, or how long it has waited. */
export function timeWords(row: Row, now: number): string {
  if (row.until) {
    const left = (Date.parse(row.until) - now) / 1000;
    return left > 0 ? `${countdown(left)} left` : `ran out ${span(-left)} ago`;
  }
  return row.since ? `for ${span((now - Date.parse(row.since)) / 1000)}` : '';
}

const small = [
  'Nothing needs',
  'One thing needs',
  'Two things need',
  'Three things need',
  'Four things need',
  'Five things need',
  'Six things need',
];

/** The sentence over the list. */
export function headline(count: number): string {
  return `${small[count] ?? `${count.toLocaleString()} things need`} you`;
}

/** How long the oldest has waited. */
export function oldestWait(rows: Row[], now: number): string | undefined {
  const since = rows.map((row) => row.since && Date.parse(row.since)).filter((at): at is number => !!at);
  return since.length > 0 ? span((now - Math.min(...since)) / 1000) : undefined;
}
