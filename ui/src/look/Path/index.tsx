/** A path in a narrow place: it is cut at its beginning, since its end tells it apart. The whole is on hover. */
export function Path({ path }: { path: string }) {
  return (
    <code title={path} className="block truncate text-left text-small text-text-2 [direction:rtl]">
      <bdi>{path}</bdi>
    </code>
  );
}
