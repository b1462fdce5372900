import { FileText } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAct, useOp } from '@/api/query';
import { Button, Segmented } from '@/look/Button';
import { shortId } from '@/look/Copy';
import { Dialog } from '@/look/Dialog';
import { TextArea, TextField } from '@/look/Field';
import { Filter } from '@/look/Filter';
import { Problem } from '@/look/Problem';
import { Time } from '@/look/Time';
import { kindOfFile, readText, tooLarge } from './file';

type Piece = { id: string; name: string };
type Props = {
  workspace: string;
  /** A file that was pasted. */
  file?: File;
  taken: string[];
  onChoose: (piece: Piece) => void;
  onClose: () => void;
};

/** Something to go along: an artifact that is there, or a new one from a file or from text. */
export function Attach({ file, ...rest }: Props) {
  const [from, setFrom] = useState<'there' | 'new'>(file ? 'new' : 'there');
  return (
    <Dialog title="Attach an artifact" onClose={rest.onClose}>
      <div className="flex flex-col gap-4">
        <div>
          <Segmented
            label="From where"
            value={from}
            options={[
              ['there', 'One that is there'],
              ['new', 'A new one'],
            ]}
            onChange={setFrom}
          />
        </div>
        {from === 'there' ? <There {...rest} /> : <New {...rest} file={file} />}
      </div>
    </Dialog>
  );
}

function There({ workspace, taken, onChoose }: Props) {
  const [text, setText] = useState('');
  const { data, error } = useOp('observe_artifacts', { workspace, limit: 200 });
  const asked = text.trim().toLowerCase();
  const items = (data?.items ?? []).filter(
    (item) =>
      !taken.includes(item.artifact_id) &&
      `${item.name ?? ''} ${item.path ?? ''} ${item.artifact_id}`.toLowerCase().includes(asked),
  );
  let list: ReactNode = null;
  if (data && items.length === 0)
    list = (
      <p className="py-6 text-center text-text-3">
        {asked ? 'No artifact is called so.' : 'No artifacts in this workspace yet.'}
      </p>
    );
  return (
    <>
      <div className="flex">
        <Filter wide value={text} onChange={setText} />
      </div>
      <Problem error={error} />
      {list ?? (
        <ul className="-mx-2 max-h-[40vh] overflow-y-auto">
          {items.map((item) => {
            const name = item.name || item.path?.split('/').at(-1) || shortId(item.artifact_id);
            return (
              <li key={item.artifact_id}>
                <button
                  type="button"
                  onClick={() => onChoose({ id: item.artifact_id, name })}
                  className="flex min-h-9 w-full items-center gap-2 rounded-small px-2 text-left outline-offset-[-2px] hover:bg-hover"
                >
                  <FileText size={14} className="shrink-0 text-text-3" aria-hidden="true" />
                  <span className="min-w-0 flex-1 truncate">{name}</span>
                  <span className="text-small text-text-3">
                    {item.artifact_type} · <Time at={item.created_at} />
                  </span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}

function New({ workspace, file, onChoose }: Props) {
  const [name, setName] = useState('');
  const [content, setContent] = useState('');
  const [refused, setRefused] = useState('');
  const picker = useRef<HTMLInputElement>(null);
  const put = useAct('artifact_put', { onSuccess: (made) => onChoose({ id: made.artifact_id, name: name.trim() }) });

  async function take(chosen: File | undefined) {
    if (!chosen) return;
    const { text, why } = await readText(chosen);
    setRefused(why ?? '');
    if (text === undefined) return;
    setContent(text);
    setName((now) => now || chosen.name);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: a pasted file is taken once
  useEffect(() => void take(file), [file]);

  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate({ project_root: workspace, artifact_type: kindOfFile(name), name: name.trim(), content });
      }}
    >
      <div>
        <input
          ref={picker}
          type="file"
          className="sr-only"
          tabIndex={-1}
          aria-hidden="true"
          onChange={(event) => take(event.target.files?.[0])}
        />
        <Button onClick={() => picker.current?.click()}>Choose a text file</Button>
      </div>
      <TextField label="Name" required value={name} placeholder="notes.md" onChange={(event) => setName(event.target.value)} />
      <TextArea
        label="Content"
        rows={8}
        value={content}
        error={refused || tooLarge(content)}
        hint="Up to 64 KB. It cannot be changed afterwards."
        className="font-mono text-small"
        onChange={(event) => {
          setContent(event.target.value);
          setRefused('');
        }}
      />
      <Problem error={put.error} />
      <div className="flex justify-end">
        <Button
          look="primary"
          type="submit"
          busy={put.isPending}
          disabled={!name.trim() || !content.trim() || !!tooLarge(content)}
        >
          Attach
        </Button>
      </div>
    </form>
  );
}
