// Markdown as React elements. HTML in it is text, pictures are their descriptions, and links lead only where links may.

import type { Nodes, Parents } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { createElement, Fragment, type ReactNode, useMemo } from 'react';

/** More than this is shown as it was written: nobody waits for a renderer. */
const most = 100_000;

/** Deeper than this nothing is drawn: text can be made to nest without end. */
const deepest = 40;

export default function Rendered({ text }: { text: string }) {
  const shown = useMemo(() => (text.length > most ? text : render(text)), [text]);
  return <div className="flex flex-col gap-2 whitespace-pre-wrap break-words [overflow-wrap:anywhere]">{shown}</div>;
}

function render(text: string): ReactNode {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  return inside(tree, 0);
}

function inside(node: Parents, depth: number): ReactNode {
  if (depth > deepest) return '…';
  return node.children.map((child, i) => <Fragment key={i}>{draw(child, depth + 1)}</Fragment>);
}

const mono = 'rounded-small bg-sunk px-1 py-px font-mono text-small';

function draw(node: Nodes, depth: number): ReactNode {
  switch (node.type) {
    case 'text':
      return node.value;
    case 'html':
      return node.value; // as text
    case 'paragraph':
      return <p>{inside(node, depth)}</p>;
    case 'heading':
      return <p className="font-strong">{inside(node, depth)}</p>;
    case 'strong':
      return <strong className="font-strong">{inside(node, depth)}</strong>;
    case 'emphasis':
      return <em>{inside(node, depth)}</em>;
    case 'delete':
      return <del>{inside(node, depth)}</del>;
    case 'inlineCode':
      return <code className={mono}>{node.value}</code>;
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable
        <pre tabIndex={0} className="max-h-96 overflow-auto rounded bg-sunk p-2 text-small">
          {node.value}
        </pre>
      );
    case 'break':
      return <br />;
    case 'thematicBreak':
      return <hr />;
    case 'blockquote':
      return <blockquote className="border-line-strong border-l-2 pl-3 text-text-2">{inside(node, depth)}</blockquote>;
    case 'list':
      return createElement(
        node.ordered ? 'ol' : 'ul',
        { className: `${node.ordered ? 'list-decimal' : 'list-disc'} whitespace-normal pl-5`, start: node.start ?? undefined },
        inside(node, depth),
      );
    case 'listItem':
      return (
        <li>
          {node.checked != null && <span className="mr-1 text-text-3">{node.checked ? '☑' : '☐'}</span>}
          {node.children.map((child, i) => (
            // Only where items are parted by blank lines are they paragraphs.
            <Fragment key={i}>
              {child.type === 'paragraph' && !node.spread ? inside(child, depth) : draw(child, depth + 1)}
            </Fragment>
          ))}
        </li>
      );
    case 'link':
      return <Link to={node.url}>{inside(node, depth)}</Link>;
    case 'image':
    case 'imageReference':
      return <span className="text-text-3">[picture{node.alt ? `: ${node.alt}` : ''}]</span>;
    case 'table':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable
        <div tabIndex={0} className="overflow-x-auto whitespace-normal">
          <table className="border-collapse text-small">
            <tbody>{inside(node, depth)}</tbody>
          </table>
        </div>
      );
    case 'tableRow':
      return <tr className="border-b">{inside(node, depth)}</tr>;
    case 'tableCell':
      return <td className="px-2 py-1 align-top">{inside(node, depth)}</td>;
    default:
      return 'children' in node ? inside(node as Parents, depth) : null;
  }
}

/** A link that leaves the dashboard says so to nobody: no referrer, no opener. Any other scheme is only text. */
function Link({ to, children }: { to: string; children: ReactNode }) {
  if (!/^(https?:|mailto:)/i.test(to)) return <span>{children}</span>;
  return (
    <a
      href={to}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={to}
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  );
}
