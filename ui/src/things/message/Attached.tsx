import { FileText } from 'lucide-react';
import { useOp } from '@/api/query';
import { inspect } from '@/app/address';
import { shortId } from '@/look/Copy';
import { Section } from '@/look/Lines';

/** The name of an artifact, as far as the newest ones tell. */
export function useArtifactName(): (id: string) => string {
  const { data } = useOp('observe_artifacts', { limit: 200 });
  return (id) => data?.items.find((item) => item.artifact_id === id)?.name || shortId(id);
}

/** What came along. */
export function Attached({ ids }: { ids: string[] }) {
  if (ids.length === 0) return null;
  return (
    <Section title="Artifacts">
      <Artifacts ids={ids} />
    </Section>
  );
}

export function Artifacts({ ids }: { ids: string[] }) {
  const name = useArtifactName();
  return (
    <ul className="flex flex-wrap gap-1.5" aria-label="Artifacts">
      {ids.map((id) => (
        <li key={id} className="min-w-0">
          <button
            type="button"
            onClick={(event) => {
              event.stopPropagation();
              inspect('artifact', id);
            }}
            className="flex h-7 min-w-0 max-w-64 items-center gap-1.5 rounded border bg-raised px-2 text-small hover:bg-hover"
          >
            <FileText size={14} className="shrink-0 text-text-3" aria-hidden="true" />
            <span className="truncate">{name(id)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
