import { type FormEvent, type ReactNode, useState } from 'react';
import { useAct } from '@/api/query';
import { Button } from '@/look/Button';
import { Dialog } from '@/look/Dialog';
import { CheckField, TextArea, TextField } from '@/look/Field';
import { Problem } from '@/look/Problem';
import { several, type Topic } from './words';

type Props = { topic: Topic; onClose: () => void; onDone?: () => void };

/** Ends a dialog when its call has been answered. */
const ending = ({ onClose, onDone }: Props) => ({
  onSuccess: () => {
    onClose();
    onDone?.();
  },
});

export function RenameTopic(props: Props) {
  const { topic, onClose } = props;
  const [name, setName] = useState(topic.name);
  const [rewrite, setRewrite] = useState(true);
  const act = useAct('topic_rename', ending(props));
  return (
    <Ask
      {...{ title: 'Rename the topic', verb: 'Rename', act, onClose }}
      isReady={!!name.trim() && name.trim() !== topic.name}
      onSend={() => act.mutate({ topic_id: topic.topic_id, name: name.trim(), rewrite_messages: rewrite })}
    >
      <TextField label="Name" value={name} maxLength={256} autoFocus onChange={(event) => setName(event.target.value)} />
      <CheckField
        label="Also in what was written"
        hint="Where posts name the topic, the new name takes the place of the old one. This cannot be undone."
        checked={rewrite}
        onChange={(event) => setRewrite(event.target.checked)}
      />
    </Ask>
  );
}

export function CloseTopic(props: Props) {
  const { topic, onClose } = props;
  const [reason, setReason] = useState('');
  const act = useAct('topic_close', ending(props));
  return (
    <Ask
      {...{ title: `Close “${topic.name}”`, verb: 'Close the topic', act, onClose }}
      isReady
      onSend={() => act.mutate({ topic_id: topic.topic_id, reason: reason.trim() || undefined })}
    >
      <p className="text-text-2">It can still be read and searched. Nobody writes to it any more, and it is not opened again.</p>
      <TextArea
        label="Reason"
        hint="For those who read it later."
        rows={3}
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
    </Ask>
  );
}

export function DeleteTopic(props: Props) {
  const { topic, onClose } = props;
  const [typed, setTyped] = useState('');
  const act = useAct('topic_delete', ending(props));
  return (
    <Ask
      {...{ title: 'Delete the topic', verb: 'Delete the topic', act, onClose }}
      isReady={typed.trim() === topic.name.trim()}
      isDanger
      onSend={() => act.mutate({ topic_id: topic.topic_id })}
    >
      <p>
        <strong className="break-words font-strong">{topic.name}</strong> is lost with {several(topic.message_count, 'post')}, the
        names that peers have in it, and how far they have read. Export it first if anybody may want it.
      </p>
      <TextField label="Type the name of the topic" value={typed} autoFocus onChange={(event) => setTyped(event.target.value)} />
    </Ask>
  );
}

/** A question whose answer is one call. */
function Ask(ask: {
  title: string;
  verb: string;
  act: { isPending: boolean; error: Error | null };
  isReady: boolean;
  isDanger?: boolean;
  children: ReactNode;
  onSend: () => void;
  onClose: () => void;
}) {
  function submit(event: FormEvent) {
    event.preventDefault();
    if (ask.isReady && !ask.act.isPending) ask.onSend();
  }
  return (
    <Dialog title={ask.title} onClose={ask.onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {ask.children}
        <Problem error={ask.act.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={ask.onClose}>
            Not now
          </Button>
          <Button
            type="submit"
            look={ask.isDanger ? 'danger-primary' : 'primary'}
            disabled={!ask.isReady}
            busy={ask.act.isPending}
          >
            {ask.verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const dialogs = { rename: RenameTopic, close: CloseTopic, delete: DeleteTopic };
export type TopicMove = keyof typeof dialogs;

/** What can be done with a topic: `ask` opens the dialog, which is drawn where it is put. */
export function useTopicMoves(topic: Topic | undefined, onGone?: () => void) {
  const [asked, ask] = useState<TopicMove>();
  const Asked = asked && dialogs[asked];
  const dialog = Asked && topic && (
    <Asked topic={topic} onClose={() => ask(undefined)} onDone={asked === 'delete' ? onGone : undefined} />
  );
  return { ask, dialog };
}
