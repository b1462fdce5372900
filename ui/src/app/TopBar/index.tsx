import { ChevronDown, Clock, Layers, Search } from 'lucide-react';
import { useLocation } from 'wouter';
import { type LiveState, useLive } from '@/api/live';
import { useOp } from '@/api/query';
import { Menu } from '@/look/Menu';
import { exact, span } from '@/look/moment';
import { useNow } from '@/look/Time';
import { type Range, ranges, setParams, useRange, useWorkspace } from '../address';
import { pageOf } from '../pages';

/** The bar that never changes: title, workspace, range, live, search. */
export function TopBar({ onSearch }: { onSearch: () => void }) {
  const [path] = useLocation();
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b px-6 max-wide:px-4">
      <h1 className="mr-3 truncate font-strong text-title">{pageOf(path)?.title ?? 'Not found'}</h1>
      <WorkspaceMenu />
      <RangeMenu />
      <span className="flex-1" />
      <LiveMark />
      <button
        type="button"
        onClick={onSearch}
        className="ml-2 flex h-8 w-52 shrink-0 items-center gap-2 rounded border bg-sunk px-2.5 text-left text-text-3 hover:border-line-strong max-full:w-8 max-full:justify-center max-full:px-0 max-wide:size-9"
      >
        <Search size={14} aria-hidden="true" />
        <span className="flex-1 max-full:sr-only">Search or run</span>
        <kbd className="rounded-small border bg-raised px-1 text-meta max-full:hidden">{modKey}K</kbd>
      </button>
    </header>
  );
}

export const modKey = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl ';

const trigger =
  'flex h-8 min-w-0 items-center gap-1.5 rounded px-2 text-text-2 hover:bg-hover hover:text-text max-wide:h-9 max-wide:px-1.5';

/** The name of a workspace: its own, or the last part of its path. */
export function workspaceName(workspace: { display_name?: string | null; root_realpath: string }): string {
  return workspace.display_name || workspace.root_realpath.split('/').findLast(Boolean) || workspace.root_realpath;
}

export function useWorkspaceName(id: string | null | undefined): string {
  const { data } = useOp('observe_workspaces', {}, { enabled: !!id });
  const found = data?.items.find((workspace) => workspace.workspace_id === id);
  return found ? workspaceName(found) : id ? `${id.slice(0, 8)}…` : '';
}

function WorkspaceMenu() {
  const workspace = useWorkspace();
  const name = useWorkspaceName(workspace);
  const { data } = useOp('observe_workspaces', {});
  return (
    <Menu
      align="start"
      trigger={
        <button type="button" className={trigger} aria-label={`Workspace: ${name || 'all workspaces'}`}>
          <Layers size={14} aria-hidden="true" className="shrink-0" />
          <span className="truncate max-wide:hidden">{name || 'All workspaces'}</span>
          <ChevronDown size={14} aria-hidden="true" className="shrink-0" />
        </button>
      }
      items={[
        { label: 'All workspaces', checked: !workspace, onSelect: () => setParams({ ws: undefined }, 'push') },
        ...(data?.items ?? []).map((item) => ({
          label: workspaceName(item),
          checked: item.workspace_id === workspace,
          onSelect: () => setParams({ ws: item.workspace_id }, 'push'),
        })),
      ]}
    />
  );
}

const words: Record<Range, string> = {
  '1h': 'last hour',
  '6h': 'last 6 hours',
  '24h': 'last 24 hours',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
};

function RangeMenu() {
  const range = useRange();
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className={trigger}
          aria-label={`Time range: ${range.replace(/(\d)(\D)/, '$1 $2')}, ${words[range]}`}
        >
          <Clock size={14} aria-hidden="true" className="shrink-0" />
          <span className="whitespace-nowrap max-wide:hidden">{range.replace(/(\d)(\D)/, '$1 $2')}</span>
          <ChevronDown size={14} aria-hidden="true" className="shrink-0" />
        </button>
      }
      items={(Object.keys(ranges) as Range[]).map((option) => ({
        label: words[option],
        checked: option === range,
        onSelect: () => setParams({ range: option === '24h' ? undefined : option }, 'push'),
      }))}
    />
  );
}

const states: Record<LiveState, [word: string, mark: string, explains: string]> = {
  starting: ['Connecting', 'bg-line-strong', 'Connecting to the event stream.'],
  live: ['Live', 'bg-ok-mark', 'Every change shows as it happens.'],
  reconnecting: [
    'Reconnecting',
    'bg-warn-mark animate-pulse',
    'The connection broke. What happens meanwhile will be here when it is back; nothing is lost.',
  ],
  offline: [
    'Offline',
    'bg-transparent border-2 border-bad-mark',
    'The hub does not answer. What you see is how it was. The page goes on when the hub is back.',
  ],
  closed: ['Signed out', 'bg-transparent border-2 border-line-strong', 'The sign-in is over.'],
};

/** Whether what is shown is how it is now. */
function LiveMark() {
  const state = useLive((live) => live.state);
  const since = useLive((live) => live.since);
  const now = useNow();
  const [word, mark, explains] = states[state];
  const cut = state === 'reconnecting' || state === 'offline';
  return (
    <span
      role="status"
      data-live={state}
      title={`${explains} Since ${exact(new Date(since).toISOString())}.`}
      className={`flex shrink-0 items-center gap-2 ${cut ? 'text-warn' : ''}`}
    >
      <span className={`size-2 rounded-full ${mark}`} aria-hidden="true" />
      <span className={cut ? '' : 'max-wide:sr-only'}>
        {word}
        {state === 'offline' && now > since ? ` for ${span((now - since) / 1000)}` : ''}
      </span>
    </span>
  );
}
