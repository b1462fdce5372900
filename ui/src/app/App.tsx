import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { HubError } from '@/api/call';
import { startLive, useLive } from '@/api/live';
import { useMe } from '@/api/me';
import { cache, useOp } from '@/api/query';
import { Empty } from '@/look/Empty';
import { Problem } from '@/look/Problem';
import { setPeople } from '@/look/people';
import { isPerson } from '@/things/agent/who';
import { go } from './address';
import { ErrorBoundary } from './ErrorBoundary';
import { Inspector } from './Inspector';
import { pressKey, useShortcuts } from './keys';
import { Palette } from './Palette';
import { pageOf, pages } from './pages';
import { BottomBar, Rail } from './Rail';
import { Shortcuts } from './Shortcuts';
import { SignIn } from './SignIn';
import { TopBar } from './TopBar';

export function App() {
  return (
    <QueryClientProvider client={cache}>
      <Door />
    </QueryClientProvider>
  );
}

/** Lets in whom the hub knows. */
function Door() {
  const { data, error, refetch } = useMe();
  const live = useLive((now) => now.state);
  useEffect(() => {
    if (data) void startLive();
  }, [data]);
  if (error instanceof HubError && error.status === 401) return <SignIn />;
  if (live === 'closed') return <SignIn why="The sign-in is over, or its key may not read the log." />;
  if (error && !data) {
    return (
      <main className="m-auto max-w-[480px] p-6">
        <Problem error={error} onRetry={() => refetch()} />
      </main>
    );
  }
  return data ? <House /> : null;
}

/** Tells avatars who is a person. */
function usePeople() {
  const { data } = useOp('agent_directory', { limit: 1000 });
  useEffect(() => {
    if (data) setPeople(data.items.filter(isPerson).map((agent) => agent.agent_id));
  }, [data]);
}

/** The frame: rail, bar, page, inspector. */
function House() {
  usePeople();
  const [open, setOpen] = useState<'palette' | 'shortcuts'>();
  useShortcuts(
    useMemo(
      () => [
        ...pages.map((page) => ({ keys: `g ${page.key}`, does: page.title, group: 'Go to', run: () => go(page.path) })),
        { keys: 'mod k', does: 'Search or run', group: 'Anywhere', run: () => setOpen('palette') },
        { keys: '?', does: 'Show the keyboard', group: 'Anywhere', run: () => setOpen('shortcuts') },
      ],
      [],
    ),
  );
  useEffect(() => {
    addEventListener('keydown', pressKey);
    return () => removeEventListener('keydown', pressKey);
  }, []);
  return (
    <div className="flex h-full flex-col">
      <a href="#page" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-raised focus:p-2">
        Skip to the page
      </a>
      <div className="flex min-h-0 flex-1">
        <Rail />
        <div className="flex min-w-0 flex-1 flex-col">
          <TopBar onSearch={() => setOpen('palette')} />
          <main id="page" tabIndex={-1} className="relative min-h-0 flex-1 overflow-clip outline-none">
            <Pages />
          </main>
        </div>
        <Inspector />
      </div>
      <BottomBar />
      {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
      {open === 'shortcuts' && <Shortcuts onClose={() => setOpen(undefined)} />}
    </div>
  );
}

function Pages() {
  const [path] = useLocation();
  const title = pageOf(path)?.title ?? 'Not found';
  useEffect(() => {
    document.title = `${title} · Nexus`;
  }, [title]);
  return (
    <ErrorBoundary key={title}>
      <Suspense>
        <Switch>
          {pages.map(({ path, Page }) => (
            <Route key={path} path={path} component={Page} />
          ))}
          <Route>
            <Empty title="There is no such page">
              The address may be old, or cut. The pages are on the left; {'Ctrl-K'} finds everything else.
            </Empty>
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
