import { useState } from 'react';
import { cache, useAct } from '@/api/query';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';
import type { Workspace } from './counts';

/** Gives a workspace another name for people. Its id and path stay. */
export function Rename({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const [name, setName] = useState(workspace.display_name ?? '');
  const rename = useAct('workspace_resolve', {
    onSuccess: async () => {
      // a new name is no event
      await cache.invalidateQueries({ predicate: (query) => query.queryKey[0] === 'observe_workspaces' });
      onClose();
    },
  });
  return (
    <Dialog title="Rename the workspace" onClose={onClose}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ project_root: workspace.workspace_id, display_name: name.trim() });
        }}
      >
        <TextField
          label="Name"
          hint="For people. Left blank, it goes by the last part of its path. Agents use the path and the id, which stay."
          value={name}
          maxLength={200}
          autoFocus
          onChange={(event) => setName(event.target.value)}
        />
        <Problem error={rename.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" busy={rename.isPending}>
            Rename
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
