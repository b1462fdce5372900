import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { href, useParam } from '@/app/address';
import { About } from './About';
import { Connect } from './Connect';
import { Developers, Keyboard, Mail, Needs, Shapes, WhatItIs, Work, Write } from './chapters';

const chapters = [
  ['nexus', 'What Nexus is', WhatItIs],
  ['connect', 'Connect an agent', Connect],
  ['write', 'Write to agents', Write],
  ['mail', 'Where a message is', Mail],
  ['handoffs', 'Hand-offs', Work],
  ['needs', 'What needs you', Needs],
  ['shapes', 'Shapes and presence', Shapes],
  ['keyboard', 'Keyboard', Keyboard],
  ['developers', 'For developers', Developers],
  ['about', 'About', About],
] as const;

export default function Help() {
  const [asked] = useParam('at', 'nexus');
  const at = chapters.some(([id]) => id === asked) ? asked : 'nexus';
  useChapter(at);
  return (
    <div className="relative h-full overflow-y-auto">
      <div className="flex max-w-[980px] gap-10 px-6 py-6 max-wide:flex-col max-wide:gap-4 max-wide:px-4 max-wide:py-4">
        <Contents at={at} />
        <article className="min-w-0 flex-1 pb-[50vh]">
          {chapters.map(([id, , Part]) => (
            <Part key={id} />
          ))}
        </article>
      </div>
    </div>
  );
}

/** Brings the chapter of the address into view; once the reader has chosen, the focus goes along. */
function useChapter(at: string) {
  const first = useRef(true);
  useEffect(() => {
    const heading = document.getElementById(`help-${at}`);
    if (!first.current || at !== 'nexus') heading?.scrollIntoView({ block: 'start' });
    if (!first.current) heading?.focus({ preventScroll: true });
    first.current = false;
  }, [at]);
}

function Contents({ at }: { at: string }) {
  return (
    <nav
      aria-label="Chapters"
      className="sticky top-6 w-44 shrink-0 self-start max-wide:static max-wide:w-full max-wide:border-b max-wide:pb-3"
    >
      <ul className="flex flex-col max-wide:flex-row max-wide:flex-wrap max-wide:gap-x-1">
        {chapters.map(([id, title]) => (
          <li key={id}>
            <Link
              href={href('/help', { at: id === 'nexus' ? undefined : id })}
              aria-current={id === at ? 'location' : undefined}
              className="flex min-h-8 items-center rounded-small border-l-2 border-l-transparent px-2 text-text-2 hover:bg-hover hover:text-text aria-[current]:border-l-accent aria-[current]:font-strong aria-[current]:text-accent max-wide:min-h-9 max-wide:border-l-0"
            >
              {title}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
