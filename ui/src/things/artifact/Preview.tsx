import { useState } from 'react';
import { Segmented } from '@/look/Button';
import { CopyButton } from '@/look/Copy';
import { JsonTree } from '@/look/Json/Tree';
import { Section } from '@/look/Lines';
import { Markdown } from '@/look/Markdown';
import { size } from '@/look/size';
import { Diff } from './Diff';
import { type Artifact, contentOf, type Shape, shapeOf } from './shape';

/** What is in an artifact, as far as a page can show it. */
export function Preview({ artifact, name }: { artifact: Artifact; name: string }) {
  const shape = shapeOf(artifact);
  const [as, setAs] = useState<'drawn' | 'written'>('drawn');
  const text = 'text' in shape ? shape.text : undefined;
  const written = as === 'written' && text !== undefined;
  return (
    <Section title="Content" aside={text !== undefined && <CopyButton text={text} label="Copy the text" className="-my-1" />}>
      {text !== undefined && shape.as !== 'text' && (
        <div className="mb-3">
          <Segmented
            label="Show the content"
            value={as}
            onChange={setAs}
            options={[
              ['drawn', drawnWord[shape.as] ?? 'Drawn'],
              ['written', 'As written'],
            ]}
          />
        </div>
      )}
      {written ? <Plain text={text} /> : <Shown shape={shape} id={artifact.artifact_id} name={name} />}
      {artifact.content_truncated && (
        <p className="mt-2 text-small text-text-2">
          This is the beginning. Download it for all of its {size(artifact.size_bytes)}.
        </p>
      )}
    </Section>
  );
}

const drawnWord: Record<string, string> = { markdown: 'Formatted', json: 'Tree', diff: 'Changes' };

function Shown({ shape, id, name }: { shape: Shape; id: string; name: string }) {
  switch (shape.as) {
    case 'picture':
      return <Picture id={id} name={name} />;
    case 'markdown':
      return <Markdown text={shape.text} />;
    case 'json':
      return <JsonTree value={shape.value} />;
    case 'diff':
      return <Diff text={shape.text} />;
    case 'text':
      return <Plain text={shape.text} />;
    case 'nothing':
      return <p className="text-text-2">It is empty.</p>;
    case 'unavailable':
      return <p className="rounded bg-warn-wash px-3 py-2 text-warn">{shape.why}</p>;
    default:
      return <p className="text-text-2">It is neither text nor a picture. Download it to open it with its own program.</p>;
  }
}

function Plain({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable
    <pre tabIndex={0} className="max-h-[60vh] overflow-auto whitespace-pre-wrap break-words rounded bg-sunk p-3 text-small">
      {text}
    </pre>
  );
}

function Picture({ id, name }: { id: string; name: string }) {
  const [broken, setBroken] = useState(false);
  if (broken) return <p className="text-text-2">The picture cannot be drawn. Download it to look at it elsewhere.</p>;
  return (
    <a href={contentOf(id)} target="_blank" rel="noopener" title="Open the picture alone" className="block">
      <img
        src={contentOf(id)}
        alt={name}
        onError={() => setBroken(true)}
        className="mx-auto max-h-[60vh] max-w-full rounded border bg-sunk [image-rendering:auto]"
      />
    </a>
  );
}
