import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { IconButton } from '@/look/Button';
import type { Find } from './useFind';

/** The field to find words in a topic: Enter goes on, Shift-Enter back, Esc ends it. */
export function FindBar({ find }: { find: Find }) {
  const { text, setText, places, index, step, close, atMost } = find;
  const count = `${places.length}${atMost ? '+' : ''}`;
  return (
    <div role="search" className="flex h-11 shrink-0 items-center gap-1 border-b px-6 max-wide:px-4">
      <Search size={14} aria-hidden="true" className="shrink-0 text-text-3" />
      <input
        autoFocus
        aria-label="Find in this topic"
        placeholder="Find in this topic"
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) step(event.shiftKey ? -1 : 1);
          else if (event.key === 'Escape') close();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className="h-8 min-w-0 flex-1 rounded-small bg-transparent px-2 outline-none placeholder:text-text-3"
      />
      <span role="status" className="whitespace-nowrap text-small text-text-2">
        {text.trim() && (index >= 0 ? `${index + 1} of ${count}` : places.length === 1 ? '1 post' : `${count} posts`)}
      </span>
      <IconButton label="Previous" disabled={places.length === 0} onClick={() => step(-1)}>
        <ChevronUp size={16} />
      </IconButton>
      <IconButton label="Next" disabled={places.length === 0} onClick={() => step(1)}>
        <ChevronDown size={16} />
      </IconButton>
      <IconButton label="End finding" onClick={close}>
        <X size={16} />
      </IconButton>
    </div>
  );
}
