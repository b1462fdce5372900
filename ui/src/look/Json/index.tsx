import { ChevronRight } from 'lucide-react';
import { CopyButton } from '../Copy';

/** The thing as the hub gave it, folded. */
export function RawJson({ value, title = 'Raw JSON', open }: { value: unknown; title?: string; open?: boolean }) {
  const text = typeof value === 'string' ? pretty(value) : JSON.stringify(value, null, 2);
  return (
    <details open={open} className="group">
      <summary className="flex list-none items-center gap-1.5 py-1 text-text-2 hover:text-text">
        <ChevronRight size={14} aria-hidden="true" className="transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="relative mt-1">
        <CopyButton text={text} label="Copy JSON" className="absolute top-1 right-1 bg-sunk" />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable */}
        <pre tabIndex={0} className="max-h-[50vh] overflow-auto whitespace-pre-wrap break-words rounded bg-sunk p-3 text-small">
          {text}
        </pre>
      </div>
    </details>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
