// The artifacts on this page. The hub narrows by type and workspace; names are compared here, so a search reads on by itself.

import { useEffect, useMemo } from 'react';
import type { Item } from '@/api/call';
import { usePages } from '@/api/query';
import { useWorkspace } from '@/app/address';
import { artifactName } from '@/things/artifact/shape';

export type Row = Item<'observe_artifacts'>;

const page = 200;

/** A search stops by itself when it has found a screen full, or has looked through so many. */
const enough = 60;
const farEnough = 2_000;

/** Whether an artifact has these words in its name, path, type or maker. */
export function matches(row: Row, text: string, maker = ''): boolean {
  const words = `${artifactName(row)} ${row.path ?? ''} ${row.artifact_type} ${maker}`.toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}

export function useArtifacts(text: string, type: string, makers: Map<string, string>) {
  const workspace = useWorkspace();
  const read = usePages('observe_artifacts', { workspace: workspace || undefined, type: type || undefined, limit: page });
  const all = useMemo(() => (read.data?.pages ?? []).flatMap((answer) => answer.items), [read.data]);
  const rows = useMemo(() => all.filter((row) => matches(row, text, makers.get(row.artifact_id))), [all, text, makers]);
  const searching = !!text && rows.length < enough && all.length < farEnough && read.hasNextPage;
  const { isFetchingNextPage: fetching, isError: failed, fetchNextPage } = read;
  const looked = all.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a page that came at once shows only in how many were looked through
  useEffect(() => {
    if (searching && !fetching && !failed) void fetchNextPage();
  }, [searching, fetching, failed, fetchNextPage, looked]);
  return { rows, looked, read, searching };
}
