import type { CSSProperties } from 'react';
import { hue } from '@/look/hue';
import { Section } from '@/look/Lines';
import { span } from '@/look/moment';
import { useNow } from '@/look/Time';
import { type HandoffEvent, type Hold, holdsOf } from './life';

/** Narrower parts than this have no room for a word. */
const least = 0.2;

/** Where the time went: a bar of who had it how long. Hollow is nobody. */
export function Lifeline({ events, verifier }: { events: HandoffEvent[]; verifier: string | null }) {
  const now = useNow();
  const holds = holdsOf(events, verifier, now).filter((hold) => hold.seconds >= 1);
  const total = holds.reduce((sum, hold) => sum + hold.seconds, 0);
  if (total < 1) return null;
  return (
    <Section title="Where the time went" aside={span(total)}>
      <div role="img" aria-label={holds.map(words).join(', ')} className="flex gap-0.5">
        {holds.map((hold, i) => (
          <div key={i} title={words(hold)} className="min-w-1 basis-0" style={{ flexGrow: hold.seconds }}>
            <div className={`h-2.5 rounded-[2px] ${look(hold)}`} style={{ '--h': hue(hold.who ?? '') } as CSSProperties} />
            {hold.seconds / total > least && (hold.who || hold.verifying) && (
              <div className="mt-1 overflow-hidden whitespace-nowrap text-small text-text-2">{words(hold)}</div>
            )}
          </div>
        ))}
      </div>
    </Section>
  );
}

function look(hold: Hold): string {
  if (hold.verifying) return 'bg-accent';
  return hold.who ? 'agent-mark' : 'border border-line-strong';
}

function words({ who, verifying, seconds }: Hold): string {
  return `${verifying ? 'to verify' : (who ?? 'nobody')} ${span(seconds)}`;
}
