// The sections of the page, in order. Each has its address: /settings?at=webhooks.

export const sections = [
  ['appearance', 'Appearance', 'How this browser shows the dashboard.'],
  ['hub', 'Hub', 'Limits and logging. A change holds at once, on every node.'],
  ['bus', 'Mail and work', 'How long things are held, and how much fits into them.'],
  ['retention', 'Retention', 'What is old may be pruned: events, mail that was read, sessions that were closed.'],
  ['webhooks', 'Webhooks', 'Addresses that are told of the log, event by event, signed and in order.'],
  ['backup', 'Backup', 'One file with everything that is in the store.'],
  ['start', 'Set at start', 'What the hub takes when it starts: a flag, the environment or config.toml, in this order.'],
  ['reset', 'Reset', 'Empties the store.'],
] as const;

export type SectionId = (typeof sections)[number][0];
