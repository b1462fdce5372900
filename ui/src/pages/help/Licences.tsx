import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { HubError } from '@/api/call';
import { Problem } from '@/look/Problem';

async function licenceText(): Promise<string> {
  const answer = await fetch('/api/v1/license');
  if (!answer.ok) throw new HubError('UNREADABLE', `The hub answered ${answer.status} instead of its licence.`, answer.status);
  return answer.text();
}

/** The terms of Nexus itself. */
export function Licence() {
  const [open, setOpen] = useState(false);
  const { data, error, refetch } = useQuery({ queryKey: ['license'], queryFn: licenceText, enabled: open });
  return (
    <Fold title="Licence of Nexus" onOpen={setOpen}>
      <Problem error={error} onRetry={() => void refetch()} />
      {data && <Terms text={data} />}
    </Fold>
  );
}

/** The libraries whose code is in this page, and the terms that go with it. */
export function Libraries() {
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: ['libraries'],
    queryFn: () => import('virtual:libraries').then((module) => module.default),
    enabled: open,
  });
  return (
    <Fold title="Libraries in this page, and their licences" onOpen={setOpen}>
      <Problem error={error} />
      <ul className="flex flex-col gap-4">
        {data?.map(({ libraries, text }) => (
          <li key={libraries[0]!.name} className="border-b pb-4 last:border-b-0 last:pb-0">
            <p className="mb-2 break-words">
              {libraries.map((library, i) => (
                <span key={library.name}>
                  {i > 0 && ', '}
                  {library.name} <span className="text-text-3">{library.version}</span>
                </span>
              ))}
              <span className="text-text-2">: {[...new Set(libraries.map((library) => library.licence))].join(', ')}</span>
            </p>
            {text && <Terms text={text} />}
          </li>
        ))}
      </ul>
    </Fold>
  );
}

function Fold({ title, onOpen, children }: { title: string; onOpen: (open: boolean) => void; children: ReactNode }) {
  return (
    <details className="group" onToggle={(event) => onOpen(event.currentTarget.open)}>
      <summary className="flex min-h-6 list-none items-center gap-1.5 text-text-2 hover:text-text">
        <ChevronRight size={14} aria-hidden="true" className="transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}

function Terms({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable
    <pre tabIndex={0} className="max-h-60 overflow-auto whitespace-pre-wrap break-words rounded bg-sunk p-3 text-small">
      {text}
    </pre>
  );
}
