import { DropdownMenu } from 'radix-ui';
import type { ReactNode } from 'react';

export type MenuItem = { label: ReactNode; onSelect: () => void; danger?: boolean; checked?: boolean; disabled?: boolean };

/** A menu that hangs from a button. */
export function Menu({
  trigger,
  items,
  align = 'end',
}: {
  trigger: ReactNode;
  items: (MenuItem | 'line')[];
  align?: 'start' | 'end';
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[60vh] min-w-44 overflow-y-auto rounded bg-raised p-1 text-text shadow-float"
        >
          {items.map((item, i) =>
            item === 'line' ? (
              <DropdownMenu.Separator key={i} className="my-1 h-px bg-line" />
            ) : (
              <DropdownMenu.Item
                key={i}
                disabled={item.disabled}
                onSelect={item.onSelect}
                aria-current={item.checked || undefined}
                className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-small px-2.5 outline-none data-[disabled]:cursor-default data-[highlighted]:bg-hover data-[disabled]:opacity-50 max-wide:min-h-10 ${item.danger ? 'text-bad' : ''} ${item.checked ? 'font-strong text-accent' : ''}`}
              >
                {item.label}
              </DropdownMenu.Item>
            ),
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
