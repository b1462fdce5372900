import { Component, type ReactNode } from 'react';
import { Button } from '@/look/Button';

/** Keeps a mistake in one part of the page from taking the rest along. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div role="alert" className="m-6 flex max-w-prose flex-col items-start gap-3">
        <h2 className="font-strong">This part of the dashboard broke.</h2>
        <p className="text-text-2">
          Nothing on the hub was changed. The rest of the page still works; loading it again usually helps.
        </p>
        <code className="break-all rounded bg-sunk p-2 text-small">{String(error.message)}</code>
        <Button onClick={() => location.reload()}>Load again</Button>
      </div>
    );
  }
}
