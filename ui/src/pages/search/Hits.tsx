import { Link } from 'wouter';
import type { Hit } from '@/api/search';
import { href } from '@/app/address';
import { useWorkspaceName } from '@/app/TopBar';
import { AgentName } from '@/look/Avatar';
import { Button } from '@/look/Button';
import { rowKeys } from '@/look/rowKeys';
import { Time } from '@/look/Time';
import { HitGlyph, hitPlace, kindWord, Marked } from '@/things/hit';

/** What was found, the best first. Enter opens it: in its topic, or beside this list. */
export function Hits({ hits, dim, onMore }: { hits: Hit[]; dim: boolean; onMore?: () => void }) {
  return (
    <div className={dim ? 'refetching' : ''}>
      <ul onKeyDown={rowKeys} aria-label="Found">
        {hits.map((hit) => (
          <li key={`${hit.type}:${hit.id}`} className="border-line-soft border-b">
            <HitRow hit={hit} />
          </li>
        ))}
      </ul>
      {onMore && (
        <div className="flex justify-center p-4">
          <Button onClick={onMore}>Show more</Button>
        </div>
      )}
    </div>
  );
}

/** Things that an inspector can show stay beside the list; a post is read where it stands. */
function hrefOf(hit: Hit): string | undefined {
  const place = hitPlace(hit);
  if (!place) return undefined;
  if (!place.params.see) return href(place.path, place.params);
  const now = new URLSearchParams(location.search);
  now.set('see', place.params.see);
  return `/search?${now}`;
}

const look = 'flex gap-3 px-6 py-3 outline-offset-[-2px] max-wide:px-4';

function HitRow({ hit }: { hit: Hit }) {
  const to = hrefOf(hit);
  const isOpen = location.search.includes(encodeURIComponent(`${hit.type}:${hit.id}`));
  const inner = <HitWords hit={hit} />;
  if (!to)
    return (
      <div data-row tabIndex={-1} className={look}>
        {inner}
      </div>
    );
  return (
    <Link
      href={to}
      data-row
      aria-current={isOpen ? 'true' : undefined}
      className={`${look} ${isOpen ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-hover'}`}
    >
      {inner}
    </Link>
  );
}

const share = (score: number | undefined) => (score === undefined ? 'not asked' : score.toFixed(2));

function HitWords({ hit }: { hit: Hit }) {
  const workspace = useWorkspaceName(hit.workspace_id);
  return (
    <>
      <span className="pt-0.5">
        <HitGlyph kind={hit.type} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1 truncate font-strong">{hit.title || kindWord(hit.type)}</span>
          <span className="text-small text-text-3">
            <Time at={hit.created_at} />
          </span>
        </span>
        <span className="line-clamp-2 max-w-[90ch] break-words text-text-2">
          <Marked text={hit.snippet} marks={hit.marks} />
        </span>
        <span
          className="mt-1 flex min-w-0 items-center gap-2 text-small text-text-2"
          title={`Score ${hit.score.toFixed(2)}: words ${share(hit.fts_score)}, meaning ${share(hit.semantic_score)}`}
        >
          <span>{kindWord(hit.type)}</span>
          {hit.from && (
            <>
              <span aria-hidden="true">·</span>
              <AgentName id={hit.from} />
            </>
          )}
          {workspace && <span className="truncate">· {workspace}</span>}
        </span>
      </span>
    </>
  );
}
