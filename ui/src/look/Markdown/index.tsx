import { lazy, Suspense } from 'react';

const Rendered = lazy(() => import('./Rendered'));

/** Text of an agent, which may be Markdown and is never trusted. Until the renderer is here it shows as it was written. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap break-words">{text}</p>}>
      <Rendered text={text} />
    </Suspense>
  );
}
