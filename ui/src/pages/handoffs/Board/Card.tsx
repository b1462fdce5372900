import { Ellipsis } from 'lucide-react';
import { type DragEvent, type MouseEvent, type ReactNode, useState } from 'react';
import { useSearch } from 'wouter';
import { inspect, type Kind } from '@/app/address';
import { Menu, type MenuItem } from '@/look/Menu';
import { cardFocus } from './focus';

type Props = {
  kind: Kind;
  id: string;
  title: string;
  quiet?: boolean;
  selected?: boolean;
  /** It is on its way: the hub has not answered yet. */
  waiting?: boolean;
  /** The moment it came here, by which a new one is told. */
  since: string;
  actions: (MenuItem | 'line')[];
  /** Called with true when it is picked up, and with false when it is let go. Without it the card stays where it is. */
  onDrag?: (up: boolean) => void;
  children: ReactNode;
};

const look =
  'group/card relative rounded border bg-raised px-3 pt-2.5 pb-3 hover:border-line-strong has-[a:focus-visible]:outline-2 has-[a:focus-visible]:outline-accent has-[a:focus-visible]:outline-offset-2';

/** One thing on the board. All of it leads to the inspector; the same moves as by dragging are in its menu. */
export function Card({ kind, id, title, quiet, selected, waiting, since, actions, onDrag, children }: Props) {
  const [isNew] = useState(() => Date.now() - Date.parse(since) < 3_000);
  const [lifted, setLifted] = useState(false);
  const focus = cardFocus.useIsFocus(id);

  function lift(event: DragEvent) {
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', title);
    // Later: a browser that sees its source change while a drag begins ends the drag.
    setTimeout(() => {
      setLifted(true);
      onDrag?.(true);
    });
  }

  return (
    <article
      draggable={!!onDrag}
      onDragStart={lift}
      onDragEnd={() => {
        setLifted(false);
        onDrag?.(false);
      }}
      aria-busy={waiting || undefined}
      className={`${look} ${onDrag ? 'cursor-grab active:cursor-grabbing' : ''} ${selected ? 'border-accent! shadow-[0_0_0_1px_var(--accent)]' : ''} ${lifted ? 'opacity-40' : ''} ${waiting ? 'opacity-60' : ''} ${isNew ? 'fresh' : ''}`}
    >
      <Title {...{ kind, id, title, quiet, selected, focus }} />
      {children}
      <Actions title={title} items={actions} focus={focus} />
    </article>
  );
}

function Title({
  kind,
  id,
  title,
  quiet,
  selected,
  focus,
}: Pick<Props, 'kind' | 'id' | 'title' | 'quiet' | 'selected'> & { focus: boolean }) {
  const address = new URLSearchParams(useSearch());
  address.set('see', `${kind}:${id}`);

  function open(event: MouseEvent) {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    inspect(kind, id);
  }

  return (
    <a
      href={`?${address}`}
      data-card={id}
      draggable={false}
      tabIndex={focus ? 0 : -1}
      aria-current={selected || undefined}
      onClick={open}
      className={`block break-words outline-none [overflow-wrap:anywhere] after:absolute after:inset-0 after:rounded pointer-coarse:pr-6 ${quiet ? 'text-text-2' : ''}`}
    >
      <span className="line-clamp-3" title={title.length > 60 ? title : undefined}>
        {title}
      </span>
    </a>
  );
}

function Actions({ title, items, focus }: { title: string; items: (MenuItem | 'line')[]; focus: boolean }) {
  return (
    <Menu
      trigger={
        <button
          type="button"
          data-actions
          tabIndex={focus ? 0 : -1}
          aria-label={`Actions for ${title}`}
          title="Actions (m)"
          className="absolute top-1 right-1 inline-flex size-7 items-center justify-center rounded-small bg-raised text-text-2 opacity-0 hover:text-text focus-visible:opacity-100 group-hover/card:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
        >
          <Ellipsis size={16} aria-hidden="true" />
        </button>
      }
      items={items}
    />
  );
}
