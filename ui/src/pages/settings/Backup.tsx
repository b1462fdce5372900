import { Download } from 'lucide-react';
import { useMayAdminister } from '@/api/me';
import { Closed } from '@/look/Closed';
import { Command } from '@/look/Copy';

/** The store as one file, and how it comes back. */
export function Backup({ db }: { db: string }) {
  const mayAdminister = useMayAdminister();
  if (!mayAdminister) return <Closed what="The backup, which holds everything," />;
  if (/^postgres/.test(db)) {
    return (
      <div className="flex max-w-[560px] flex-col gap-2">
        <p>The store is in PostgreSQL, which has its own tools. This names the command for yours:</p>
        <Command text="nexus admin backup" />
      </div>
    );
  }
  return (
    <div className="flex max-w-[560px] flex-col gap-3">
      <p>
        Messages, work, artifacts, events, agents, hashes of keys, settings and webhooks with their secrets, in one consistent
        state; nobody waits for it. Treat it like the store itself. Not in it: config.toml, operator.key, and files that artifacts
        only point to.
      </p>
      <a
        href="/api/v1/admin/backup"
        download
        className="inline-flex h-8 items-center gap-1.5 self-start rounded border bg-raised px-3 font-strong hover:bg-hover max-wide:h-9"
      >
        <Download size={14} aria-hidden="true" />
        Download backup
      </a>
      <p className="text-text-2">To bring it back, stop the hub and every nexus mcp, then:</p>
      <Command text="nexus admin restore nexus-DATE.db" />
    </div>
  );
}
