import { LayoutDashboard, Maximize, Minus, Plus } from 'lucide-react';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useOp } from '@/api/query';
import { inspect, setParams, useSeenId, useWorkspace } from '@/app/address';
import { useShortcuts } from '@/app/keys';
import { workspaceName } from '@/app/TopBar';
import { useShade } from '@/app/theme';
import { presenceWord } from '@/look/Avatar';
import { IconButton } from '@/look/Button';
import type { Drawing, Hit } from '../drawing';
import { bestMatch, matching } from '../filter';
import { agentState, Hover } from '../Hover';
import { Legend } from '../Legend';
import type { Mesh } from '../mesh';
import { openPair, openWork } from '../open';

type Props = {
  /** What the filter leaves, and everybody. */
  mesh: Mesh;
  all: Mesh;
  words: string;
  /** Goes up whenever the reader wants to be brought to whom was searched for. */
  sought: number;
  onFail: () => void;
};

/** The mesh as a picture. All it tells is in the list as well. */
export function MeshView({ mesh, all, words, sought, onFail }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [hit, setHit] = useState<Hit>();
  const [focused, setFocused] = useState<string>();
  const [isBusy, setBusy] = useState(true);
  const drawing = useDrawing(box, { setHit, setFocused, setBusy, onFail });
  const scope = useWorkspace();
  const selected = useSeenId('agent');
  const shade = useShade();
  const names = useWorkspaceNames();
  const found = useMemo(
    () => (words.trim() ? new Set(matching(mesh.agents, words).map((agent) => agent.id)) : undefined),
    [mesh, words],
  );

  useEffect(() => {
    void drawing?.show({ mesh, all, scope, names, selected, found });
  }, [drawing, mesh, all, scope, names, selected, found]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the theme has changed
  useEffect(() => drawing?.repaint(), [drawing, shade]);
  useSeek(drawing, mesh, words, sought, isBusy);
  useKeys(drawing);

  const agent = focused && mesh.agents.find((one) => one.id === focused);
  return (
    <div className="relative h-full min-h-0 overflow-hidden">
      <div
        ref={box}
        role="application"
        aria-roledescription="graph"
        aria-label={summary(mesh)}
        aria-describedby="graph-help"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application hears the keys
        tabIndex={0}
        onKeyDown={(event) => press(event, drawing)}
        onBlur={() => drawing?.focus(undefined)}
        onPointerLeave={() => setHit(undefined)}
        className="absolute inset-0 outline-offset-[-2px]"
      />
      <p id="graph-help" className="sr-only">
        The arrows move from agent to agent, Enter opens one, plus and minus zoom, zero shows everybody. The list has the same
        facts.
      </p>
      <p role="status" className="sr-only">
        {agent ? `${agent.id}, ${presenceWord(agent.presence)}, ${agent.role || 'no role'}. ${agentState(agent)}.` : ''}
      </p>
      <button
        type="button"
        onClick={() => setParams({ view: 'list' }, 'push')}
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-6 focus:z-20 focus:rounded focus:bg-raised focus:px-3 focus:py-1.5 focus:shadow-float"
      >
        Show as a list
      </button>
      {isBusy && <p className="absolute inset-x-0 top-1/3 text-center text-text-3">Placing {all.agents.length} agents…</p>}
      {hit && <Hover hit={hit} mesh={mesh} width={box.current?.clientWidth ?? 0} />}
      <div className="pointer-events-none absolute inset-x-6 bottom-4 flex items-end justify-between gap-3">
        <div className="pointer-events-auto min-w-0">
          <Legend mesh={all} />
        </div>
        <Zoom drawing={drawing} />
      </div>
    </div>
  );
}

function Zoom({ drawing }: { drawing: Drawing | undefined }) {
  return (
    <div className="pointer-events-auto flex shrink-0 flex-col rounded bg-raised shadow-float">
      <IconButton label="Zoom in" onClick={() => drawing?.zoom(1.5)}>
        <Plus size={16} />
      </IconButton>
      <IconButton label="Zoom out" onClick={() => drawing?.zoom(1 / 1.5)}>
        <Minus size={16} />
      </IconButton>
      <IconButton label="Show everybody" onClick={() => drawing?.fit()}>
        <Maximize size={16} />
      </IconButton>
      <IconButton label="Place everybody anew" onClick={() => void drawing?.again()}>
        <LayoutDashboard size={16} />
      </IconButton>
    </div>
  );
}

function summary({ agents, pairs, works }: Mesh): string {
  const present = agents.filter((agent) => agent.presence === 'present').length;
  const open = works.reduce((sum, work) => sum + work.ids.length, 0);
  return `Graph of ${agents.length} agents, ${present} present, ${pairs.length} pairs that write to each other, ${open} hand-offs under way`;
}

function press(event: KeyboardEvent, drawing: Drawing | undefined) {
  if (!drawing || event.metaKey || event.ctrlKey || event.altKey) return;
  const { key } = event;
  if (key === 'ArrowLeft' || key === 'ArrowRight' || key === 'ArrowUp' || key === 'ArrowDown') drawing.step(key);
  else if (key === 'Enter' && drawing.focused) inspect('agent', drawing.focused);
  else return;
  event.preventDefault();
}

type Hearing = {
  setHit: (hit: Hit | undefined) => void;
  setFocused: (id: string | undefined) => void;
  setBusy: (isBusy: boolean) => void;
  onFail: () => void;
};

/** The drawing, once its code is here; it is fetched only when somebody looks at the mesh. */
function useDrawing(box: React.RefObject<HTMLDivElement | null>, hearing: Hearing): Drawing | undefined {
  const [drawing, setDrawing] = useState<Drawing>();
  const hear = useRef(hearing);
  hear.current = hearing;
  useEffect(() => {
    let made: Drawing | undefined;
    let isGone = false;
    import('../drawing').then(
      ({ Drawing }) => {
        if (isGone || !box.current) return;
        try {
          made = new Drawing(box.current, {
            onAgent: (id) => inspect('agent', id),
            onPair: openPair,
            onWork: openWork,
            onHover: (hit) => hear.current.setHit(hit),
            onFocus: (id) => hear.current.setFocused(id),
            onBusy: (isBusy) => hear.current.setBusy(isBusy),
          });
          setDrawing(made);
        } catch {
          hear.current.onFail();
        }
      },
      () => hear.current.onFail(),
    );
    return () => {
      isGone = true;
      made?.kill();
    };
  }, [box]);
  return drawing;
}

function useWorkspaceNames(): Map<string, string> {
  const { data } = useOp('observe_workspaces', {});
  return useMemo(() => new Map(data?.items.map((item) => [item.workspace_id, workspaceName(item)])), [data]);
}

/** Brings the reader to whom was searched for: when asked to, or when only one is left. */
function useSeek(drawing: Drawing | undefined, mesh: Mesh, words: string, sought: number, isBusy: boolean) {
  const now = useRef(mesh);
  now.current = mesh;
  const answered = useRef(0);
  const isOnly = words.trim().length > 1 && matching(mesh.agents, words).length === 1;
  useEffect(() => {
    if (!drawing || isBusy || (!isOnly && sought === answered.current)) return;
    answered.current = sought;
    const best = bestMatch(now.current.agents, words);
    if (best) drawing.seek(best.id);
  }, [drawing, words, sought, isOnly, isBusy]);
}

function useKeys(drawing: Drawing | undefined) {
  useShortcuts(
    useMemo(() => {
      if (!drawing) return [];
      const group = 'Graph';
      return [
        { keys: '+', does: 'Zoom in', group, run: () => drawing.zoom(1.5) },
        { keys: '=', does: 'Zoom in', group, run: () => drawing.zoom(1.5) },
        { keys: '-', does: 'Zoom out', group, run: () => drawing.zoom(1 / 1.5) },
        { keys: '0', does: 'Show everybody', group, run: () => drawing.fit() },
      ];
    }, [drawing]),
  );
}
