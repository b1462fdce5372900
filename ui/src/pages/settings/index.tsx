import { useEffect, useState } from 'react';
import { useMayAdminister } from '@/api/me';
import { useAct, useOp } from '@/api/query';
import { href, setParams, useParam } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { Ask } from '@/look/Ask';
import { Button } from '@/look/Button';
import { Closed, Refused } from '@/look/Closed';
import { Empty } from '@/look/Empty';
import { Filter } from '@/look/Filter';
import { Appearance } from './Appearance';
import { Backup } from './Backup';
import { Knob } from './Knob';
import { fits, placeOf, type Setting, shownValue } from './knobs';
import { Prune } from './Prune';
import { Reset } from './Reset';
import { type SectionId, sections } from './sections';
import { Webhooks } from './Webhooks';

/** Brings a section to the top of its column; nothing else on the page moves. */
function show(id: string) {
  const part = document.getElementById(`at-${id}`);
  const column = part?.closest('[data-column]');
  if (part && column) column.scrollTop += part.getBoundingClientRect().top - column.getBoundingClientRect().top;
}

/** Everything that can be turned, in one column. */
export default function Page() {
  useViewCommand('settings_list');
  const { data, error, refetch } = useOp('settings_list', {});
  const mayAdminister = useMayAdminister();
  const [q, setQ] = useParam('q');
  const [at] = useParam('at');
  const all = data?.items ?? [];
  const fitting = all.filter((setting) => fits(setting, q.trim()));
  const shown = sections.filter(
    ([id, title, about]) =>
      !q.trim() || `${title} ${about}`.toLowerCase().includes(q.trim().toLowerCase()) || fitting.some((s) => placeOf(s) === id),
  );
  const ready = !!data;
  useEffect(() => {
    if (ready && at) show(at);
  }, [ready, at]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-3 px-6 py-3 max-wide:px-4">
        <Filter value={q} onChange={setQ} label="Search settings" />
        {mayAdminister && <ResetAll settings={all} />}
      </div>
      <div data-column className="relative min-h-0 flex-1 overflow-y-auto border-t">
        <div className="flex gap-10 px-6 max-wide:px-4">
          <div className="min-w-0 max-w-[820px] flex-1 pb-16">
            <div className="flex flex-col gap-3 empty:hidden [&>*]:mt-4">
              {!mayAdminister && <Closed what="Changing settings" />}
              <Refused error={error} what="The list of settings" onRetry={refetch} />
            </div>
            {data && shown.length === 0 && <Empty title="No setting fits">Clear the search to see all of them.</Empty>}
            {(data ? shown : []).map(([id, title, about]) => (
              <Part key={id} id={id} title={title} about={about} settings={fitting} all={all} q={q} />
            ))}
          </div>
          <Contents ids={shown.map(([id]) => id)} at={at} />
        </div>
      </div>
    </div>
  );
}

type PartProps = { id: SectionId; title: string; about: string; settings: Setting[]; all: Setting[]; q: string };

function Part({ id, title, about, settings, all, q }: PartProps) {
  const mine = settings.filter((setting) => placeOf(setting) === id);
  const knobs = mine.length > 0 ? mine : all.filter((setting) => placeOf(setting) === id);
  const db = String(all.find((setting) => setting.key === 'db')?.value ?? '');
  return (
    <section id={`at-${id}`} aria-labelledby={`title-${id}`} className="border-b py-6 last:border-b-0">
      <h2 id={`title-${id}`} className="font-strong text-title">
        {title}
      </h2>
      <p className="mb-3 text-text-2">{about}</p>
      {knobs.map((setting) => (
        <Knob key={setting.key} setting={setting} />
      ))}
      {id === 'appearance' && <Appearance />}
      {id === 'retention' && <Prune />}
      {id === 'webhooks' && <Webhooks q={mine.length > 0 ? '' : q} />}
      {id === 'backup' && <Backup db={db} />}
      {id === 'reset' && <Reset db={db} />}
    </section>
  );
}

/** The sections by name, beside the column where there is room. */
function Contents({ ids, at }: { ids: SectionId[]; at: string }) {
  return (
    <nav aria-label="Sections" className="sticky top-0 w-36 shrink-0 self-start py-6 max-full:hidden">
      <ul>
        {sections
          .filter(([id]) => ids.includes(id))
          .map(([id, title]) => (
            <li key={id}>
              <a
                href={href('/settings', { at: id })}
                aria-current={at === id ? 'location' : undefined}
                className="flex min-h-7 items-center rounded-small text-text-2 hover:text-text aria-[current]:font-strong aria-[current]:text-accent"
                onClick={(event) => {
                  if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                  event.preventDefault();
                  setParams({ at: id });
                  show(id);
                }}
              >
                {title}
              </a>
            </li>
          ))}
      </ul>
    </nav>
  );
}

/** Takes back everything that was changed here. */
function ResetAll({ settings }: { settings: Setting[] }) {
  const [asks, setAsks] = useState(false);
  const reset = useAct('settings_reset', { onSuccess: () => setAsks(false) });
  const changed = settings.filter((setting) => setting.source === 'stored');
  const [, setQ] = useParam('q');
  if (changed.length === 0) return null;
  return (
    <>
      <button
        type="button"
        className="ml-auto min-h-6 rounded-small text-text-2 hover:text-accent max-wide:hidden"
        onClick={() => setQ('changed here')}
      >
        {changed.length} changed here
      </button>
      <Button look="quiet" onClick={() => setAsks(true)}>
        Reset all
      </Button>
      {asks && (
        <Ask
          title="Reset all settings"
          action="Reset all"
          busy={reset.isPending}
          error={reset.error}
          onConfirm={() => reset.mutate({})}
          onClose={() => setAsks(false)}
        >
          <p>What was changed here is forgotten; the file, the environment or the default holds again:</p>
          <ul className="text-small">
            {changed.map((setting) => (
              <li key={setting.key} className="break-all">
                <code>
                  {setting.key}: {shownValue(setting.value)} → {shownValue(setting.default)}
                </code>
              </li>
            ))}
          </ul>
        </Ask>
      )}
    </>
  );
}
