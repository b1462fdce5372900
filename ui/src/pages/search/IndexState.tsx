import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type Data } from '@/api/call';
import { useMayAdminister } from '@/api/me';
import { useAct } from '@/api/query';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { LookGlyph } from '@/look/Glyph';
import { Bar } from '@/look/Meter';
import { Problem } from '@/look/Problem';
import { several } from '@/things/topic/words';

type Status = Data<'search_status'>;

/** Indexing makes no events, so while it is behind, and only then, the hub is asked how far it is. */
const useStatus = () =>
  useQuery({
    queryKey: ['search_status', {}],
    queryFn: ({ signal }) => call('search_status', {}, signal),
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data && isBehind(state.data) ? 1_000 : false),
  });

const isBehind = (status: Status) => !!status.rebuild || !status.up_to_date;

/** How the index is doing, at the foot of the page. */
export function IndexState() {
  const { data: status } = useStatus();
  const mayAdminister = useMayAdminister();
  const [asks, setAsks] = useState(false);
  if (!status) return null;
  const filling = status.models.find((model) => model.complete < 1);
  return (
    <footer className="flex min-h-10 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-t px-6 py-1 text-small text-text-2 max-wide:px-4">
      <span>{several(status.documents, 'text')} indexed</span>
      {status.rebuild ? (
        <span className="flex items-center gap-2" role="status">
          Making it anew: {status.rebuild.done} of {status.rebuild.total}
          <span className="w-24">
            <Bar tone="info" label="Indexed" part={status.rebuild.total > 0 ? status.rebuild.done / status.rebuild.total : 0} />
          </span>
        </span>
      ) : (
        <span className={status.up_to_date ? 'max-wide:hidden' : ''}>
          {status.up_to_date ? 'all that was written can be found' : 'the newest is being indexed'}
        </span>
      )}
      {filling && (
        <span>
          meanings by {filling.name}: {Math.round(filling.complete * 100)} %
        </span>
      )}
      {status.trouble && (
        <span className="text-warn">
          <LookGlyph /> {status.trouble}
        </span>
      )}
      <span className="flex-1" />
      {mayAdminister && (
        <Button look="quiet" className="text-small" disabled={!!status.rebuild} onClick={() => setAsks(true)}>
          Reindex…
        </Button>
      )}
      {asks && <Reindex onClose={() => setAsks(false)} />}
    </footer>
  );
}

/** Asks before the index is made anew; a dry run tells how much there is to do. */
function Reindex({ onClose }: { onClose: () => void }) {
  const cache = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['search_reindex', 'dry'],
    queryFn: () => call('search_reindex', { dry_run: true }),
    gcTime: 0, // what there is to count changes all the time
  });
  const begin = useAct('search_reindex', {
    onSuccess: () => {
      void cache.invalidateQueries({ queryKey: ['search_status'] });
      onClose();
    },
  });
  return (
    <Dialog title="Make the search index anew" onClose={onClose}>
      <div className="flex flex-col gap-4">
        <p>
          {data
            ? `${several(data.documents, 'text')} will be read and indexed again, in the background.`
            : 'Counting what there is…'}
        </p>
        <p className="text-text-2">Nothing is lost. Searches go on, and may miss something until it is done.</p>
        <Problem error={begin.error ?? error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Not now
          </Button>
          <Button look="primary" busy={begin.isPending} onClick={() => begin.mutate({})}>
            Make it anew
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
