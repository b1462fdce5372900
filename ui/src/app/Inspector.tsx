import { ArrowLeft, X } from 'lucide-react';
import { type KeyboardEvent, type PointerEvent, Suspense, useMemo, useState } from 'react';
import { IconButton } from '@/look/Button';
import { things } from '@/things';
import { closeInspector, useSeen } from './address';
import { ErrorBoundary } from './ErrorBoundary';
import { useShortcuts } from './keys';
import { remember, remembered } from './remember';

const least = 300;
const most = 720;

/** The one selected thing, of any kind. It is as wide as the reader wants, has an address, and closes with Esc. */
export function Inspector() {
  const seen = useSeen();
  const isOpen = !!seen;
  const [width, setWidth] = useState(() => remembered('inspector', 360));
  useShortcuts(
    useMemo(
      () => (isOpen ? [{ keys: 'Escape', does: 'Close the inspector', group: 'Inspector', run: closeInspector }] : []),
      [isOpen],
    ),
  );
  const Thing = seen && things[seen.kind];
  if (!seen || !Thing) return null;

  function resize(next: number) {
    const wide = Math.round(Math.min(most, Math.max(least, Math.min(next, innerWidth - 420))));
    setWidth(wide);
    remember('inspector', wide);
  }

  return (
    <aside
      aria-label="Inspector"
      className="relative flex min-h-0 shrink-0 flex-col border-l bg-surface max-wide:fixed max-wide:inset-0 max-wide:z-40 max-wide:w-full! max-wide:border-l-0"
      style={{ width }}
    >
      <Handle width={width} onResize={resize} />
      <ErrorBoundary key={`${seen.kind}:${seen.id}`}>
        <Suspense>
          <Thing id={seen.id} />
        </Suspense>
      </ErrorBoundary>
    </aside>
  );
}

function Handle({ width, onResize }: { width: number; onResize: (width: number) => void }) {
  function drag(event: PointerEvent<HTMLDivElement>) {
    event.currentTarget.setPointerCapture(event.pointerId);
    const from = event.clientX;
    const handle = event.currentTarget;
    const moved = (to: globalThis.PointerEvent) => onResize(width + from - to.clientX);
    handle.addEventListener('pointermove', moved);
    handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', moved), { once: true });
  }
  function press(event: KeyboardEvent) {
    const step = { ArrowLeft: 20, ArrowRight: -20 }[event.key];
    if (!step) return;
    event.preventDefault();
    onResize(width + step);
  }
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the inspector"
      aria-valuenow={width}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={press}
      className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none before:absolute before:top-1/2 before:left-[5px] before:h-8 before:w-1 before:-translate-y-1/2 before:rounded-full before:bg-line-strong hover:before:bg-accent max-wide:hidden"
    />
  );
}

/** The head of an inspector: what kind of thing, its id, and the way out. */
export function InspectorHead({ kind, id, children }: { kind: string; id?: React.ReactNode; children?: React.ReactNode }) {
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b pr-2 pl-5 text-text-2">
      <IconButton label="Back" onClick={closeInspector} className="-ml-3 wide:hidden">
        <ArrowLeft size={18} />
      </IconButton>
      <span className="whitespace-nowrap">{kind}</span>
      <span className="min-w-0 flex-1 truncate">{id}</span>
      {children}
      <IconButton label="Close" onClick={closeInspector} className="max-wide:hidden">
        <X size={16} />
      </IconButton>
    </header>
  );
}
