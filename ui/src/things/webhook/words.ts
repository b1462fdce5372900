// How a webhook stands, from what the hub keeps of it.

import type { Data, Item } from '@/api/call';

export type Webhook = Data<'webhook_get'>;
export type Attempt = Item<'webhook_attempts'>;

export type WebhookState = 'working' | 'failing' | 'paused' | 'off';

export function stateOf(webhook: Pick<Webhook, 'is_active' | 'disabled_reason' | 'failures'>): WebhookState {
  if (!webhook.is_active) return webhook.disabled_reason ? 'off' : 'paused';
  return webhook.failures > 0 ? 'failing' : 'working';
}

export const stateWord = (state: WebhookState) =>
  ({ working: 'Working', failing: 'Failing', paused: 'Paused', off: 'Switched off' })[state];

/** Since when nothing arrives: the first of the failures in a row. Tests do not count. Attempts are the newest first. */
export function failingSince(attempts: Attempt[]): string | undefined {
  let since: string | undefined;
  for (const attempt of attempts) {
    if (attempt.event_id === null) continue;
    if (attempt.error === null) break;
    since = attempt.created_at;
  }
  return since;
}

/** What the other side said to an attempt. The hub's words for a failure name the status. */
export function answerWords(attempt: Attempt): string {
  return attempt.error ?? `${attempt.status ?? 'Answered'} in ${attempt.took_ms} ms`;
}

/** What a webhook is called: its name, or the host it goes to. */
export function webhookName({ name, url }: Pick<Webhook, 'name' | 'url'>): string {
  if (name) return name;
  return URL.canParse(url) ? new URL(url).host : url;
}
