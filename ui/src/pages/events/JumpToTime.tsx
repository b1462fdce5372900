import { CalendarClock } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useState } from 'react';
import { setParams } from '@/app/address';
import { Button } from '@/look/Button';
import { TextField } from '@/look/Field';
import { clockTime } from '@/look/moment';

/** Reads the log backwards from a moment. The moment is in the address. */
export function JumpToTime({ until }: { until: string }) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState(() => localText(until || new Date().toISOString()));
  const moment = new Date(text);
  const valid = !Number.isNaN(moment.getTime());
  function jump() {
    if (!valid) return;
    setParams({ until: moment.toISOString() }, 'push');
    setOpen(false);
  }
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button icon={<CalendarClock size={14} />}>{until ? `Before ${clockTime(until)}` : 'Jump to time'}</Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          aria-label="Jump to time"
          className="z-50 rounded bg-raised p-4 text-text shadow-float"
        >
          <form
            className="flex flex-col gap-3"
            onSubmit={(event) => {
              event.preventDefault();
              jump();
            }}
          >
            <TextField
              label="What happened before"
              type="datetime-local"
              step="1"
              value={text}
              onChange={(event) => setText(event.target.value)}
              error={valid ? null : 'This is no moment.'}
            />
            <div className="flex justify-end gap-2">
              {until && (
                <Button
                  look="quiet"
                  onClick={() => {
                    setParams({ until: undefined }, 'push');
                    setOpen(false);
                  }}
                >
                  Back to now
                </Button>
              )}
              <Button look="primary" type="submit" disabled={!valid}>
                Jump
              </Button>
            </div>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** A moment as a field wants it: in the reader's zone, without one. */
function localText(at: string): string {
  const then = new Date(at);
  return new Date(then.getTime() - then.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
