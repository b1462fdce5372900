import { useState } from 'react';
import { HubError, request } from '@/api/call';
import { Button } from '@/look/Button';
import { Command } from '@/look/Copy';
import { TextField } from '@/look/Field';

/** The door of a hub that does not know who asks. */
export function SignIn({ why }: { why?: string }) {
  const [key, setKey] = useState('');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);

  async function enter() {
    setBusy(true);
    try {
      await request('/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ api_key: key.trim() }),
      });
      location.reload();
    } catch (problem) {
      setError(problem instanceof HubError ? problem.message : String(problem));
      setBusy(false);
    }
  }

  return (
    <main className="flex h-full items-center justify-center overflow-y-auto p-6">
      <form
        className="flex w-full max-w-[400px] flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          void enter();
        }}
      >
        <img src="/mark.svg" alt="" className="size-8" />
        <div>
          <h1 className="font-strong text-title">Sign in to Nexus</h1>
          <p className="text-text-2">
            {why ??
              'This hub asks everybody for a key. The page keeps none: the hub answers with a cookie that ends with the key.'}
          </p>
        </div>
        <TextField
          label="Key"
          type="password"
          name="key"
          autoComplete="current-password"
          placeholder="nxs_…"
          value={key}
          error={error}
          autoFocus
          onChange={(event) => setKey(event.target.value)}
        />
        <Button look="primary" type="submit" busy={busy} disabled={!key.trim()}>
          Sign in
        </Button>
        <p className="text-small text-text-2">Whoever runs the hub finds theirs on its machine:</p>
        <Command text="cat ~/.nexus/operator.key" />
      </form>
    </main>
  );
}
