import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { href } from '@/app/address';

/** A chapter of the guide. Its address is /help?at=ID. */
export function Chapter({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={`help-${id}`} className="border-b py-6 first:pt-0 last:border-b-0">
      <h2 id={`help-${id}`} tabIndex={-1} className="mb-3 scroll-mt-6 font-strong text-title outline-none">
        {title}
      </h2>
      <div className="flex flex-col gap-3">{children}</div>
    </section>
  );
}

/** What a sign means. */
export function Legend({ signs }: { signs: { sign: ReactNode; word: ReactNode; means: ReactNode }[] }) {
  return (
    <dl className="border-line-soft border-t">
      {signs.map(({ sign, word, means }, i) => (
        <div key={i} className="flex gap-x-3 border-line-soft border-b py-2 max-wide:flex-wrap">
          <dt className="flex w-40 shrink-0 items-start gap-2.5 font-strong max-wide:w-full">
            <span className="flex h-5 w-5 shrink-0 items-center justify-center">{sign}</span>
            {word}
          </dt>
          <dd className="min-w-0 flex-1 text-text-2 max-wide:pl-[30px]">{means}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A way to a page of the dashboard, with workspace and range along. */
export function To({ path, params, children }: { path: string; params?: Record<string, string>; children: ReactNode }) {
  return (
    <Link href={href(path, params)} className="text-accent underline underline-offset-2">
      {children}
    </Link>
  );
}

/** A way to something else that this hub serves. */
export function Served({ path, children }: { path: string; children: ReactNode }) {
  return (
    <a href={path} target="_blank" rel="noopener" className="text-accent underline underline-offset-2">
      {children}
    </a>
  );
}
