const lines: [write: string, finds: string][] = [
  ['who decided about leases', 'Plain words or a question: by words and by meaning, the best first'],
  ['"two claimants"', 'These words, in this order'],
  ['lease -postgres', 'Without those that have a word'],
  ['leas*', 'Words that begin so'],
  ['from:hazel', 'What somebody wrote; without other words, the newest'],
  ['in:infra disk', 'In a workspace, a channel or a topic: by name or id'],
  ['type:handoff tests', 'Only messages, hand-offs, artifacts or posts: message, handoff, artifact, topic_post'],
  ['after:7d before:2027-01-01', 'Since when and until when: a day, a time, or how long ago'],
];

/** What can be typed. A click tries it. */
export function Lesson({ onTry }: { onTry: (q: string) => void }) {
  return (
    <section className="px-6 py-6 max-wide:px-4" aria-labelledby="lesson">
      <h2 id="lesson" className="font-strong">
        Find what was written
      </h2>
      <p className="mb-4 text-text-2">Messages, hand-offs, artifacts and posts appear here as you type. These can be mixed:</p>
      <ul className="max-w-[760px] border-t">
        {lines.map(([write, finds]) => (
          <li
            key={write}
            className="flex items-center gap-4 border-line-soft border-b py-1.5 max-wide:flex-col max-wide:items-start max-wide:gap-1"
          >
            <button
              type="button"
              aria-label={`Search ${write}`}
              onClick={() => onTry(write)}
              className="min-h-7 w-64 shrink-0 rounded-small px-2 text-left font-mono text-accent text-small hover:bg-hover max-wide:w-auto max-wide:px-0"
            >
              {write}
            </button>
            <span className="text-text-2">{finds}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
