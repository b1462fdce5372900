import { Ellipsis, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useAttention } from '@/api/attention';
import { Menu } from '@/look/Menu';
import { go, href } from './address';
import { useShortcuts } from './keys';
import { type Page, pageOf, pages } from './pages';
import { remember, remembered } from './remember';

/** The pages. Counts stand only where somebody must act. */
export function Rail() {
  const [path] = useLocation();
  const now = pageOf(path);
  const [folded, fold] = useFolded();
  return (
    <nav
      aria-label="Pages"
      data-folded={folded || undefined}
      className={`flex shrink-0 flex-col overflow-y-auto border-r bg-sunk pb-2 max-wide:hidden ${folded ? 'w-12' : 'w-[88px]'}`}
    >
      <Link href={href('/')} aria-label="Nexus, overview" className="flex h-12 shrink-0 items-center justify-center">
        <img src="/mark.svg" alt="" className="size-6" />
      </Link>
      {pages.map((page, i) => (
        <RailLink
          key={page.path}
          page={page}
          current={page === now}
          push={page.place === 'foot' && pages[i - 1]?.place === 'main'}
          folded={folded}
        />
      ))}
      <button
        type="button"
        aria-expanded={!folded}
        aria-label="Names of the pages"
        title={folded ? 'Show the names' : 'Hide the names'}
        onClick={fold}
        className="flex h-9 shrink-0 items-center justify-center text-text-3 outline-offset-[-2px] hover:text-text"
      >
        {folded ? <PanelLeftOpen size={16} /> : <PanelLeftClose size={16} />}
      </button>
    </nav>
  );
}

/** Whether the rail is only pictures, kept in this browser. */
function useFolded(): [boolean, () => void] {
  const [folded, set] = useState(() => remembered('rail', false));
  const [turn] = useState(() => () => set((now) => keep(!now)));
  useShortcuts(useMemo(() => [{ keys: '[', does: 'Show or hide the names of the pages', group: 'Anywhere', run: turn }], [turn]));
  return [folded, turn];
}

function keep(folded: boolean): boolean {
  remember('rail', folded);
  return folded;
}

function RailLink({ page, current, push, folded }: { page: Page; current: boolean; push: boolean; folded: boolean }) {
  const count = useAttention(page.settles);
  const Icon = page.icon;
  return (
    <Link
      href={href(page.path)}
      aria-current={current ? 'page' : undefined}
      title={folded ? page.title : undefined}
      className={`relative flex shrink-0 ${folded ? 'h-11' : 'h-[54px]'} flex-col items-center justify-center gap-1 text-meta outline-offset-[-2px] ${push ? 'mt-auto' : ''} ${current ? 'text-accent shadow-[inset_2px_0_0_var(--accent)]' : 'text-text-2 hover:text-text'}`}
    >
      <span className="relative">
        <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
        <Badge count={count} />
      </span>
      <span className={folded ? 'sr-only' : ''}>{page.title}</span>
    </Link>
  );
}

function Badge({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className="absolute -top-1.5 left-3 min-w-4 rounded-full bg-accent px-1 text-center font-strong text-[10px] text-on-accent leading-4">
      {count > 99 ? '99+' : count}
      <span className="sr-only"> need you</span>
    </span>
  );
}

/** The same on a phone: the pages people use most, and the rest behind More. */
export function BottomBar() {
  const [path] = useLocation();
  const now = pageOf(path);
  const rest = pages.filter((page) => !page.phone);
  return (
    <nav aria-label="Pages" className="flex h-14 shrink-0 border-t bg-sunk pb-[env(safe-area-inset-bottom)] wide:hidden">
      {pages
        .filter((page) => page.phone)
        .map((page) => (
          <BottomLink key={page.path} page={page} current={page === now} />
        ))}
      <Menu
        trigger={
          <button
            type="button"
            className={`flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-meta ${now && !now.phone ? 'font-strong text-accent' : 'text-text-2'}`}
          >
            <Ellipsis size={20} aria-hidden="true" />
            <span className="max-w-full truncate">{now && !now.phone ? now.title : 'More'}</span>
          </button>
        }
        items={rest.map((page) => ({ label: page.title, checked: page === now, onSelect: () => go(page.path) }))}
      />
    </nav>
  );
}

function BottomLink({ page, current }: { page: Page; current: boolean }) {
  const count = useAttention(page.settles);
  const Icon = page.icon;
  return (
    <Link
      href={href(page.path)}
      aria-current={current ? 'page' : undefined}
      className={`flex min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-meta outline-offset-[-2px] ${current ? 'font-strong text-accent shadow-[inset_0_2px_0_var(--accent)]' : 'text-text-2'}`}
    >
      <span className="relative">
        <Icon size={20} strokeWidth={1.75} aria-hidden="true" />
        <Badge count={count} />
      </span>
      <span className="max-w-full truncate">{page.title}</span>
    </Link>
  );
}
