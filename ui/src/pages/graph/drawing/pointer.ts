// What the pointer does to the mesh.

import type { MouseCoords } from 'sigma/types';
import type { Pair, Work } from '../mesh';
import { isOn, type Mark } from './overlay';
import type { Stage } from './stage';

/** What is under the pointer, and where that is. */
export type Hit = { agent?: string; pair?: Pair; work?: Work; x: number; y: number };

export type Pointed = {
  onAgent: (id: string) => void;
  onPair: (pair: Pair) => void;
  onWork: (work: Work) => void;
  onHover: (hit: Hit | undefined) => void;
  /** An agent was moved; y grows upwards. `isDone` when it is let go. */
  onDrag: (id: string, at: { x: number; y: number }, isDone: boolean) => void;
};

export function listen(stage: Stage, container: HTMLElement, tell: Pointed) {
  const drag = listenToDrag(stage, tell);
  listenToClicks(stage, tell, drag);
  listenToHover(stage, container, tell, drag);
}

const markAt = (stage: Stage, event: { x: number; y: number }) => stage.marks.findLast((mark) => isOn(mark, event));

function listenToClicks(stage: Stage, tell: Pointed, drag: Drag) {
  const { sigma, graph } = stage;
  const open = ({ pair, work }: { pair?: Pair; work?: Work }) => {
    if (work) tell.onWork(work);
    else if (pair) tell.onPair(pair);
  };
  const onMark = (event: MouseCoords) => {
    const mark = markAt(stage, event);
    if (mark) open(mark);
    return !!mark;
  };
  sigma.on('clickNode', ({ node, event }) => drag.hasMoved || onMark(event) || tell.onAgent(node));
  sigma.on('clickEdge', ({ edge, event }) => onMark(event) || open(graph.getEdgeAttributes(edge)));
  sigma.on('clickStage', ({ event }) => onMark(event));
  sigma.on('doubleClickNode', ({ event }) => event.preventSigmaDefault());
}

function listenToHover(stage: Stage, container: HTMLElement, tell: Pointed, drag: Drag) {
  const { sigma, graph } = stage;
  let over: Mark | undefined;
  function point(hit: Hit | undefined) {
    if (drag.id) return;
    container.style.cursor = hit ? 'pointer' : '';
    tell.onHover(hit);
    stage.look({ hovered: hit?.agent });
  }
  sigma.on('enterNode', ({ node, event }) => point({ agent: node, x: event.x, y: event.y }));
  sigma.on('leaveNode', () => point(undefined));
  sigma.on('enterEdge', ({ edge, event }) => {
    const { pair, work } = graph.getEdgeAttributes(edge);
    point({ pair, work, x: event.x, y: event.y });
  });
  sigma.on('leaveEdge', () => point(undefined));
  sigma.on('moveBody', ({ event }) => {
    const mark = markAt(stage, event);
    if (mark?.work === over?.work && mark?.pair === over?.pair) return;
    over = mark;
    point(mark && { pair: mark.pair, work: mark.work, x: event.x, y: event.y });
  });
  sigma.getCamera().on('updated', () => tell.onHover(undefined));
}

type Drag = { id?: string; from?: { x: number; y: number }; at?: { x: number; y: number }; hasMoved?: boolean };

/** What moves less than this was only pressed. */
const tremble = 4;

function listenToDrag({ sigma }: Stage, tell: Pointed): Drag {
  const drag: Drag = {};
  sigma.on('downNode', ({ node, event }) => {
    Object.assign(drag, { id: node, from: { x: event.x, y: event.y }, at: undefined, hasMoved: false });
  });
  sigma.getMouseCaptor().on('mousemovebody', (event) => {
    if (!drag.id || !drag.from) return;
    event.preventSigmaDefault();
    event.original.preventDefault();
    event.original.stopPropagation();
    if (!drag.hasMoved && Math.hypot(event.x - drag.from.x, event.y - drag.from.y) < tremble) return;
    drag.hasMoved = true;
    drag.at = sigma.viewportToGraph(event);
    tell.onDrag(drag.id, drag.at, false);
    tell.onHover(undefined);
  });
  sigma.getMouseCaptor().on('mouseup', () => {
    if (drag.id && drag.at) tell.onDrag(drag.id, drag.at, true);
    drag.id = undefined;
  });
  return drag;
}
