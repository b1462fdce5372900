import { CornerDownLeft } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useOp } from '@/api/query';
import { useSearch } from '@/api/search';
import { AgentName } from '@/look/Avatar';
import { Dialog } from '@/look/Dialog';
import { TopicGlyph, WorkGlyph } from '@/look/Glyph';
import { HitGlyph, hitPlace } from '@/things/hit';
import { handoffTitle } from '@/things/title';
import { go, inspect } from '../address';
import { shortcuts } from '../keys';
import { pages } from '../pages';
import { setTheme } from '../theme';

type Choice = { key: string; group: string; words: string; label: ReactNode; hint?: string; run: () => void };

/** Everything by name: pages, actions, agents, conversations, hand-offs, topics, and what was written. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const choices = useChoices(text.trim());
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const now = Math.min(at, choices.length - 1);

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  });

  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt((now + step + choices.length) % Math.max(1, choices.length));
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      const chosen = choices[now];
      if (chosen) run(chosen);
    }
  }

  function run(choice: Choice) {
    onClose();
    setTimeout(choice.run); // after the dialog has given the focus back
  }

  return (
    <Dialog title="Search or run" onClose={onClose} wide bare>
      <input
        autoFocus
        role="combobox"
        aria-label="Search or run"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={choices[now] ? `${id}-${now}` : undefined}
        placeholder="A page, an agent, a hand-off, an action, or words that were written"
        value={text}
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
        className="h-12 w-full border-b bg-transparent px-5 text-base outline-none placeholder:text-text-3"
      />
      <div ref={list} id={`${id}-list`} role="listbox" aria-label="Results" className="max-h-[60vh] overflow-y-auto p-2">
        {choices.length === 0 && <p className="px-3 py-6 text-center text-text-3">Nothing has this name.</p>}
        {choices.map((choice, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above hears the keys
          <div
            key={choice.key}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === now}
            onClick={() => run(choice)}
            onPointerMove={() => setAt(i)}
            className={`flex min-h-9 cursor-pointer items-center gap-3 rounded-small px-3 ${i === now ? 'bg-selected' : ''}`}
          >
            <span className="w-24 shrink-0 truncate text-small text-text-3">
              {choices[i - 1]?.group === choice.group ? '' : choice.group}
            </span>
            <span className="min-w-0 flex-1 truncate">{choice.label}</span>
            {choice.hint && <kbd className="shrink-0 text-small text-text-3">{choice.hint}</kbd>}
            {i === now && <CornerDownLeft size={14} className="shrink-0 text-text-3" aria-hidden="true" />}
          </div>
        ))}
      </div>
    </Dialog>
  );
}

/** How well words fit: whole beginnings first, then beginnings of words, then letters in order. 0 is not at all. */
export function closeness(words: string, asked: string): number {
  if (!asked) return 1;
  const [name, query] = [words.toLowerCase(), asked.toLowerCase()];
  if (name.startsWith(query)) return 4;
  if (name.split(/[^\p{L}\p{N}]+/u).some((word) => word.startsWith(query))) return 3;
  if (name.includes(query)) return 2;
  let from = 0;
  for (const letter of query) {
    from = name.indexOf(letter, from) + 1;
    if (from === 0) return 0;
  }
  return 1;
}

const perGroup = 6;
const order = ['Pages', 'Agents', 'Conversations', 'Hand-offs', 'Topics', 'Actions'];

/** What fits, in groups: the group that fits best comes first, and of equals the one that is meant more often. */
export function arranged<T extends { group: string; words: string }>(all: T[], asked: string): T[] {
  const counts = new Map<string, number>();
  const best = new Map<string, number>();
  return all
    .map((choice) => ({ choice, score: closeness(choice.words, asked) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .filter(({ choice: { group }, score }) => {
      counts.set(group, (counts.get(group) ?? 0) + 1);
      best.set(group, Math.max(best.get(group) ?? 0, score));
      return counts.get(group)! <= (asked ? perGroup : group === 'Pages' ? 20 : 3);
    })
    .sort(
      ({ choice: a }, { choice: b }) =>
        best.get(b.group)! - best.get(a.group)! || order.indexOf(a.group) - order.indexOf(b.group),
    )
    .map(({ choice }) => choice);
}

/** The way to the page that searches all that was written. */
const everything = (asked: string): Choice => ({
  key: 'search',
  group: 'Search',
  words: '',
  label: `Search all that was written for “${asked}”`,
  hint: 'g /',
  run: () => go('/search', { q: asked }),
});

/** What fits. Names fit at once, so that Enter runs what was typed, however fast; what was written may come a little later. */
function useChoices(asked: string): Choice[] {
  const sought = useDeferredValue(asked);
  const { data: directory } = useOp('agent_directory', { limit: 1000 });
  const { data: handoffs } = useOp('observe_handoffs', { limit: 200 });
  const { data: topics } = useOp('topic_browse', { limit: 200 });
  const { data: found } = useSearch({ q: sought, limit: perGroup }, { enabled: sought.length > 2 });
  return useMemo(() => {
    const agents = directory?.items ?? [];
    const all: Choice[] = [
      ...pages.map((page) => ({
        key: page.path,
        group: 'Pages',
        words: page.title,
        label: page.title,
        hint: `g ${page.key}`,
        run: () => go(page.path),
      })),
      ...shortcuts()
        .filter((s) => s.group === 'Actions')
        .map((s) => ({ key: `do:${s.does}`, group: 'Actions', words: s.does, label: s.does, hint: s.keys, run: s.run })),
      ...(['light', 'dark', 'system'] as const).map((theme) => ({
        key: theme,
        group: 'Actions',
        words: `theme ${theme}`,
        label: `Use the ${theme} theme`,
        run: () => setTheme(theme),
      })),
      ...agents.map((agent) => ({
        key: `a:${agent.agent_id}`,
        group: 'Agents',
        words: agent.agent_id,
        label: <AgentName id={agent.agent_id} />,
        run: () => inspect('agent', agent.agent_id),
      })),
      ...agents.map((agent) => ({
        key: `c:${agent.agent_id}`,
        group: 'Conversations',
        words: `Write to ${agent.agent_id}`,
        label: `Write to ${agent.agent_id}`,
        run: () => go('/conversations', { peer: agent.agent_id }),
      })),
      ...(handoffs?.items ?? []).map((handoff) => ({
        key: handoff.handoff_id,
        group: 'Hand-offs',
        words: handoffTitle(handoff),
        label: (
          <span className="inline-flex min-w-0 items-center gap-2">
            <WorkGlyph status={handoff.status} />
            <span className="truncate">{handoffTitle(handoff)}</span>
          </span>
        ),
        run: () => go('/handoffs', { see: `handoff:${handoff.handoff_id}` }),
      })),
      ...(topics?.items ?? []).map((topic) => ({
        key: topic.topic_id,
        group: 'Topics',
        words: topic.name,
        label: (
          <span className="inline-flex min-w-0 items-center gap-2">
            <TopicGlyph status={topic.status} />
            <span className="truncate">{topic.name}</span>
          </span>
        ),
        run: () => go('/topics', { topic: topic.topic_id }),
      })),
    ];
    const said = asked.length > 2 ? (found?.items ?? []) : [];
    return [
      ...arranged(all, asked),
      ...said.map((hit) => ({
        key: `${hit.type}:${hit.id}`,
        group: 'Written',
        words: '',
        label: (
          <span className="inline-flex min-w-0 items-center gap-2">
            <HitGlyph kind={hit.type} />
            <span className="truncate">
              {hit.from}
              {hit.type === 'topic_post' && ` in ${hit.title}`}:{' '}
              {hit.type === 'topic_post' ? hit.snippet : hit.title || hit.snippet}
            </span>
          </span>
        ),
        run: () => {
          const place = hitPlace(hit);
          if (place) go(place.path, place.params);
        },
      })),
      ...(asked.length > 1 ? [everything(asked)] : []),
    ];
  }, [directory, handoffs, topics, found, asked]);
}
