import { ArrowDown, ArrowUp } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../Button';

/** Floats over a list and leads to what is new, or back to its end. Quiet where nothing is new. */
export function Jump({
  up,
  quiet,
  className,
  onClick,
  children,
}: {
  up?: boolean;
  quiet?: boolean;
  /** Where it floats. */
  className: string;
  onClick: () => void;
  children: ReactNode;
}) {
  const Arrow = up ? ArrowUp : ArrowDown;
  return (
    <Button
      look={quiet ? 'plain' : 'primary'}
      className={`absolute left-1/2 -translate-x-1/2 rounded-full shadow-float ${className}`}
      icon={<Arrow size={14} aria-hidden="true" />}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
