// Since when somebody is there, or is not.

type Session = { status: string; presence: string; started_at: string; last_heartbeat_at: string; closed_at: string | null };

/** Present since the oldest session that is heard of; stale since the last sign of life; offline since the last one ended. */
export function presenceSince(presence: string, sessions: Session[], lastSeen: string | null): string | null {
  const open = sessions.filter((session) => session.status === 'active');
  if (presence === 'present')
    return least(open.filter((session) => session.presence === 'present').map((session) => session.started_at));
  if (presence === 'stale') return greatest(open.map((session) => session.last_heartbeat_at));
  return greatest(sessions.flatMap((session) => session.closed_at ?? [])) ?? lastSeen;
}

const least = (moments: string[]) =>
  moments.reduce<string | null>((low, next) => (low === null || next < low ? next : low), null);
const greatest = (moments: string[]) =>
  moments.reduce<string | null>((high, next) => (high === null || next > high ? next : high), null);
