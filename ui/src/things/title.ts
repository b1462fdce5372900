// Hand-offs have no title of their own: what they are called comes from what is to be done.

/** What a piece of work is called: its title if it has one, or the first line of its text. */
export function handoffTitle(handoff: { payload?: string | null; handoff_id: string }): string {
  const text = handoff.payload?.trim();
  if (!text) return `Hand-off ${handoff.handoff_id.slice(-6)}`;
  return clip(titleOfJson(text) ?? text.split('\n', 1)[0]!.replace(/^#+\s*/, ''));
}

const names = ['title', 'summary', 'task', 'name', 'subject', 'description'];

function titleOfJson(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const name = names.find((key) => typeof value[key] === 'string' && value[key]);
    return name && (value[name] as string).split('\n', 1)[0];
  } catch {
    return undefined;
  }
}

const clip = (text: string) => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

type Target = { strategy?: string; agent_id?: string; role?: string; capability?: string } & Record<string, unknown>;

/** Whom something is addressed to, in words. */
export function targetWords(target: unknown): string {
  const to = (target ?? {}) as Target;
  switch (to.strategy) {
    case 'direct':
    case 'direct_with_fallback':
      return to.agent_id ?? 'somebody';
    case 'role':
      return `role ${to.role}`;
    case 'capability':
      return `capability ${to.capability}`;
    case 'broadcast':
      return 'everybody';
    case 'mixed':
      return 'several';
    default:
      return 'nobody in particular';
  }
}
