// Shape before colour: circle = mail, diamond = work, square = agent, triangle = look here. A glyph fills as the thing proceeds.

const paint = {
  mail: 'var(--info-mark)',
  work: 'var(--accent)',
  warn: 'var(--warn-mark)',
  bad: 'var(--bad-mark)',
  quiet: 'var(--line-strong)',
};

const box = { viewBox: '0 0 16 16', className: 'inline-block size-4 shrink-0 align-[-3px]', 'aria-hidden': true } as const;

/** Where a delivery is: queued, delivered, read or parked. */
export function MailGlyph({ lane }: { lane: string }) {
  if (lane === 'parked') return <LookGlyph tone="warn" />;
  return (
    <svg {...box}>
      {lane === 'read' ? (
        <circle cx="8" cy="8" r="5.5" fill={paint.mail} />
      ) : (
        <circle
          cx="8"
          cy="8"
          r="5"
          fill="none"
          stroke={lane === 'unread' ? paint.quiet : paint.mail}
          strokeWidth="1.6"
          strokeDasharray={lane === 'unread' ? '2 2' : undefined}
        />
      )}
      {lane === 'delivered' && <path d="M8 3a5 5 0 0 1 5 5H8z" fill={paint.mail} />}
    </svg>
  );
}

/** The word for a lane. */
export function laneWord(lane: string): string {
  return { unread: 'queued', delivered: 'delivered', read: 'read', parked: 'parked' }[lane] ?? lane;
}

const diamond = 'M8 1.8 14.2 8 8 14.2 1.8 8z';

/** Where a piece of work is, by the status of its hand-off. */
export function WorkGlyph({ status }: { status: string }) {
  if (status === 'PARKED') return <LookGlyph tone="warn" />;
  const colour = { REJECTED: paint.bad, CANCELLED: paint.quiet, EXPIRED: paint.warn }[status] ?? paint.work;
  return (
    <svg {...box}>
      <path
        d={diamond}
        fill={status === 'COMPLETED' ? colour : 'none'}
        stroke={colour}
        strokeWidth="1.5"
        strokeLinejoin="round"
        strokeDasharray={status === 'EXPIRED' ? '2 1.6' : undefined}
      />
      {status === 'CLAIMED' && <path d="M8 1.8v12.4L1.8 8z" fill={colour} />}
      {status === 'VERIFYING' && <circle cx="8" cy="8" r="2.2" fill={colour} />}
      {status === 'REJECTED' && (
        <path d="m6.2 6.2 3.6 3.6m0-3.6L6.2 9.8" stroke={colour} strokeWidth="1.4" strokeLinecap="round" />
      )}
      {status === 'CANCELLED' && <path d="M5.8 8h4.4" stroke={colour} strokeWidth="1.4" strokeLinecap="round" />}
    </svg>
  );
}

/** Where a task is: the same family, smaller steps. */
export function TaskGlyph({ status }: { status: string }) {
  const like = { open: 'OPEN', in_progress: 'CLAIMED', blocked: 'PARKED', done: 'COMPLETED', cancelled: 'CANCELLED' }[status];
  return <WorkGlyph status={like ?? 'OPEN'} />;
}

/** Something that wants to be looked at. */
export function LookGlyph({ tone = 'warn' }: { tone?: 'warn' | 'bad' }) {
  return (
    <svg {...box}>
      <path d="M8 2.2 14.3 13.4H1.7z" fill="none" stroke={paint[tone]} strokeWidth="1.5" strokeLinejoin="round" />
      <path d="M8 6.4v3.2" stroke={paint[tone]} strokeWidth="1.5" strokeLinecap="round" />
      <circle cx="8" cy="11.6" r=".8" fill={paint[tone]} />
    </svg>
  );
}

/** Something about an agent. */
export function AgentGlyph({ filled = false }: { filled?: boolean }) {
  return (
    <svg {...box}>
      <rect
        x="2.8"
        y="2.8"
        width="10.4"
        height="10.4"
        rx="2.4"
        fill={filled ? paint.quiet : 'none'}
        stroke={paint.quiet}
        strokeWidth="1.5"
      />
    </svg>
  );
}

const bubble = 'M3 3.2h10a1 1 0 0 1 1 1v6.4a1 1 0 0 1-1 1H7.6L4.4 14v-2.4H3a1 1 0 0 1-1-1V4.2a1 1 0 0 1 1-1z';

/** A topic: hollow while it is open, filled when it is closed. */
export function TopicGlyph({ status = 'open' }: { status?: string }) {
  return (
    <svg {...box}>
      <path
        d={bubble}
        fill={status === 'closed' ? paint.quiet : 'none'}
        stroke={status === 'closed' ? paint.quiet : paint.mail}
        strokeWidth="1.5"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** A file. */
export function PaperGlyph() {
  return (
    <svg {...box}>
      <path d="M3.8 2h5.4l3 3v9H3.8z" fill="none" stroke={paint.quiet} strokeWidth="1.5" strokeLinejoin="round" />
      <path d="M9 2.2V5.4h3" fill="none" stroke={paint.quiet} strokeWidth="1.3" strokeLinejoin="round" />
    </svg>
  );
}

/** Something about the hub itself. */
function HubGlyph() {
  return (
    <svg {...box}>
      <path d="M4.5 8h7" stroke={paint.quiet} strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}

const works: Record<string, string> = {
  created: 'OPEN',
  directed: 'OPEN',
  requeued: 'OPEN',
  sent_back: 'OPEN',
  claimed: 'CLAIMED',
  renewed: 'CLAIMED',
  verifying: 'VERIFYING',
  accepted: 'COMPLETED',
  completed: 'COMPLETED',
  rejected: 'REJECTED',
  cancelled: 'CANCELLED',
  expired: 'EXPIRED',
  parked: 'PARKED',
};

/** The glyph of an event, from its type alone. */
export function EventGlyph({ type }: { type: string }) {
  const [kind, what = ''] = type.split('.');
  switch (kind) {
    case 'message':
      return <MailGlyph lane={what === 'read' ? 'read' : 'sent'} />;
    case 'inbox':
      return <MailGlyph lane={what === 'acknowledged' ? 'read' : 'delivered'} />;
    case 'handoff':
      return <WorkGlyph status={works[what] ?? 'OPEN'} />;
    case 'task':
      return <WorkGlyph status={what === 'done' ? 'COMPLETED' : 'OPEN'} />;
    case 'agent':
    case 'session':
    case 'key':
      return <AgentGlyph filled={what === 'opened' || what === 'registered'} />;
    case 'topic':
      return <TopicGlyph status={what === 'closed' || what === 'deleted' ? 'closed' : 'open'} />;
    case 'artifact':
      return <PaperGlyph />;
    case 'webhook':
      return what === 'disabled' ? <LookGlyph tone="bad" /> : <HubGlyph />;
    default:
      return <HubGlyph />;
  }
}
