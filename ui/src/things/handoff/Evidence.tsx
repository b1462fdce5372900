import { FileText } from 'lucide-react';
import type { ReactNode } from 'react';
import { inspect } from '@/app/address';
import { shortId } from '@/look/Copy';
import { RawJson } from '@/look/Json';
import { Section } from '@/look/Lines';
import { Markdown } from '@/look/Markdown';
import { handoffTitle } from '../title';
import type { Handoff } from './moves';

/** What is to be done, what must hold, and what came of it. */
export function Evidence({ handoff }: { handoff: Handoff }) {
  const { payload, acceptance_criteria: criteria, result, feedback, rejected_reason: reason } = handoff;
  return (
    <>
      {payload && payload.trim() !== handoffTitle(handoff) && (
        <Section title="What to do">
          <Content text={payload} />
        </Section>
      )}
      {criteria.length > 0 && (
        <Section title="Done when">
          <ul className="list-disc pl-5">
            {criteria.map((criterion) => (
              <li key={criterion} className="break-words">
                {criterion}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Said title="Result" text={result} />
      <Said title="Feedback" text={feedback} />
      <Said title="Why it was rejected" text={reason} />
      <Files texts={[payload, result, feedback]} />
    </>
  );
}

function Said({ title, text }: { title: string; text: string | null }): ReactNode {
  return (
    text && (
      <Section title={title}>
        <Content text={text} />
      </Section>
    )
  );
}

/** Text of an agent: JSON where it is an object or a list, Markdown everywhere else. */
function Content({ text }: { text: string }) {
  return isJson(text) ? <RawJson value={text} title="JSON" open /> : <Markdown text={text} />;
}

function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Artifacts that the texts speak of. */
export function artifactsIn(texts: (string | null)[]): string[] {
  return [...new Set(texts.flatMap((text) => text?.match(/\bart_[0-9a-f]{32}\b/g) ?? []))];
}

function Files({ texts }: { texts: (string | null)[] }) {
  const ids = artifactsIn(texts);
  if (ids.length === 0) return null;
  return (
    <Section title="Artifacts">
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => inspect('artifact', id)}
              className="flex min-h-7 items-center gap-2 rounded-small hover:text-accent"
            >
              <FileText size={14} aria-hidden="true" />
              <code className="text-small">{shortId(id)}</code>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
