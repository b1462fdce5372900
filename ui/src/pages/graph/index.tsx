import { type FormEvent, useMemo, useState } from 'react';
import { ranges, setParams, useParam, useRange, useWorkspace } from '@/app/address';
import { useViewCommand } from '@/app/command';
import { useShortcuts } from '@/app/keys';
import { Segmented } from '@/look/Button';
import { Filter } from '@/look/Filter';
import { LookGlyph } from '@/look/Glyph';
import { isNarrow, useNarrow } from '@/look/narrow';
import { Problem } from '@/look/Problem';
import { filtered, matching } from './filter';
import { Legend, useHidden } from './Legend';
import { List, NoAgents } from './List';
import { MeshView } from './MeshView';
import type { Mesh } from './mesh';
import { useMesh } from './useMesh';
import { hasWebGL } from './webgl';

type View = 'mesh' | 'list';

/** Who writes to whom, and what work is between them. */
export default function GraphPage() {
  useViewCommand('observe_graph', { workspace: useWorkspace(), window_hours: ranges[useRange()] });
  const { mesh, error, refetch, isPlaceholder } = useMesh();
  const [canDraw, setCanDraw] = useState(hasWebGL);
  const narrow = useNarrow();
  const [wanted] = useParam('view', narrow || !canDraw ? 'list' : 'mesh');
  const view: View = wanted === 'mesh' && canDraw ? 'mesh' : 'list';
  const [words, setWords] = useParam('q');
  const [sought, setSought] = useState(0);
  useViewKey(view, canDraw);

  function seek(event: FormEvent) {
    event.preventDefault();
    setSought((count) => count + 1);
  }

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 items-center gap-3 px-6 py-3 max-wide:px-4">
        <form onSubmit={seek} className="flex min-w-0 max-wide:flex-1">
          <Filter value={words} onChange={setWords} label="Find an agent" />
        </form>
        {mesh?.truncated && <Truncated />}
        <span className="flex-1 max-wide:hidden" />
        {canDraw && <ViewChoice view={view} />}
      </div>
      {!canDraw && <NoWebGL />}
      {error && (
        <div className="px-6 pb-3 max-wide:px-4">
          <Problem error={error} onRetry={() => refetch()} />
        </div>
      )}
      <div className="min-h-0 flex-1">
        {mesh && (
          <Shown view={view} mesh={mesh} words={words} sought={sought} dim={isPlaceholder} onFail={() => setCanDraw(false)} />
        )}
      </div>
    </div>
  );
}

function Shown({
  view,
  mesh,
  words,
  sought,
  dim,
  onFail,
}: {
  view: View;
  mesh: Mesh;
  words: string;
  sought: number;
  dim: boolean;
  onFail: () => void;
}) {
  const [hidden] = useHidden();
  const struck = [...hidden].join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the set is made anew each time, its words say whether it changed
  const shown = useMemo(() => filtered(mesh, hidden), [mesh, struck]);
  const fitting = useMemo(() => matching(shown.agents, words), [shown, words]);
  if (mesh.agents.length === 0) return <NoAgents />;
  if (view === 'mesh') return <MeshView mesh={shown} all={mesh} words={words} sought={sought} onFail={onFail} />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 flex-1">
        <List agents={fitting} all={mesh} isNarrowed={hidden.size > 0 || words.trim() !== ''} dim={dim} />
      </div>
      {hidden.size > 0 && (
        <div className="shrink-0 px-6 py-3 max-wide:px-4">
          <Legend mesh={mesh} />
        </div>
      )}
    </div>
  );
}

const setView = (view: View) => setParams({ view: (view === 'list') === isNarrow() ? undefined : view }, 'push');

function ViewChoice({ view }: { view: View }) {
  return (
    <Segmented
      label="Show as"
      value={view}
      options={[
        ['mesh', 'Mesh'],
        ['list', 'List'],
      ]}
      onChange={setView}
    />
  );
}

function useViewKey(view: View, canDraw: boolean) {
  useShortcuts(
    useMemo(() => {
      const other: View = view === 'mesh' ? 'list' : 'mesh';
      return canDraw ? [{ keys: 'v', does: `Show the graph as a ${other}`, group: 'Actions', run: () => setView(other) }] : [];
    }, [view, canDraw]),
  );
}

function Truncated() {
  return (
    <p className="truncate text-small text-text-2" title="The hub counts the newest messages only. A shorter time is complete.">
      <LookGlyph tone="warn" /> Only the newest are counted
    </p>
  );
}

function NoWebGL() {
  return (
    <p role="status" className="px-6 pb-3 text-text-2 max-wide:px-4">
      This browser draws no WebGL, which the mesh needs. The list has the same facts.
    </p>
  );
}
