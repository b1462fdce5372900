// What stands over and under the mesh, on canvases of two dimensions: workspaces, letters, names, mail on its way, hand-offs.

import { margin } from '../islands';
import type { Pair, Work, WorkStatus } from '../mesh';
import { faded, type Palette } from './palette';

/** From the graph to the screen; the mesh is never turned. */
export type View = { scale: number; left: number; top: number; width: number; height: number };

export const toScreen = (view: View, at: { x: number; y: number }) => ({
  x: view.left + at.x * view.scale,
  y: view.top - at.y * view.scale,
});

/** Whether a point is on the screen, or so near that its mark may be. */
export const isSeen = (view: View, { x, y }: { x: number; y: number }) =>
  x > -60 && y > -60 && x < view.width + 60 && y < view.height + 60;

export type Dot = {
  id: string;
  x: number;
  y: number;
  /** Half of its side, on the screen. */
  half: number;
  round: boolean;
  letters: string;
  isQuiet: boolean;
  alpha: number;
  /** Must be named; the others where there is room. */
  isNamed: boolean;
  isStrong: boolean;
  /** More bonds leave downwards than upwards. */
  isHeavyBelow: boolean;
  ring?: 'selected' | 'focus';
  offers: Work[];
};

/** A mark on a bond or at an agent that can be pointed at. */
export type Mark = { x: number; y: number; wide: number; tall: number; pair?: Pair; work?: Work };

type Box = { name: string; left: number; top: number; right: number; bottom: number };

/** The workspaces: a quiet field under their members, with the name above. */
export function paintFields(context: CanvasRenderingContext2D, view: View, boxes: Box[], palette: Palette) {
  context.clearRect(0, 0, view.width, view.height);
  context.font = `13px ${palette.font}`;
  context.textAlign = 'left';
  context.textBaseline = 'alphabetic';
  for (const box of boxes) {
    const from = toScreen(view, { x: box.left - margin, y: -(box.top - margin) });
    const to = toScreen(view, { x: box.right + margin, y: -(box.bottom + margin) });
    context.fillStyle = palette['surface-sunk'];
    context.beginPath();
    context.roundRect(from.x, from.y, to.x - from.x, to.y - from.y, Math.min(16, 16 * view.scale + 4));
    context.fill();
    context.fillStyle = palette['text-2'];
    context.fillText(box.name, from.x + 4, from.y - 8, Math.max(40, to.x - from.x));
  }
}

/** Rings, letters and names of agents. Names are left out where they would lie on each other, except those that are asked for. */
export function paintDots(context: CanvasRenderingContext2D, view: View, dots: Dot[], palette: Palette) {
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  const seen = dots.filter((dot) => isSeen(view, dot));
  for (const dot of seen) {
    if (dot.ring) paintRing(context, dot, palette);
    if (dot.half >= 7.5) {
      context.font = `${dot.isStrong ? 600 : 400} ${Math.round(dot.half * 0.7 * 10) / 10}px ${palette.font}`;
      context.fillStyle = faded(dot.isQuiet ? palette['text-2'] : palette.text, dot.alpha);
      context.fillText(dot.letters, dot.x, dot.y + 0.5);
    }
  }
  paintNames(context, seen, palette);
}

function paintRing(context: CanvasRenderingContext2D, { x, y, half, round, ring }: Dot, palette: Palette) {
  const away = half + 5;
  context.beginPath();
  context.roundRect(x - away, y - away, away * 2, away * 2, round ? away : Math.min(half * 0.3, 14) + 5);
  context.strokeStyle = palette.accent;
  context.lineWidth = 2;
  context.setLineDash(ring === 'focus' ? [3, 3] : []);
  context.stroke();
  context.setLineDash([]);
}

const cell = { wide: 28, tall: 16 };

function paintNames(context: CanvasRenderingContext2D, dots: Dot[], palette: Palette) {
  const taken = new Set<string>();
  const wants = [...dots].sort((a, b) => Number(b.isNamed) - Number(a.isNamed) || b.half - a.half);
  for (const dot of wants) {
    if (dot.alpha < 0.5 && !dot.isNamed) continue;
    if (dot.half < 3 && !dot.isNamed) continue;
    context.font = `${dot.isStrong ? 600 : 400} 12px ${palette.font}`;
    const wide = context.measureText(dot.id).width;
    const y = dot.isHeavyBelow ? dot.y - dot.half - 11 : dot.y + dot.half + 12;
    const cells = cellsOf(dot.x - wide / 2, dot.x + wide / 2, y);
    if (!dot.isNamed && cells.some((key) => taken.has(key))) continue;
    for (const key of cells) taken.add(key);
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeStyle = faded(palette.surface, 0.85 * dot.alpha);
    context.strokeText(dot.id, dot.x, y);
    context.fillStyle = faded(dot.isStrong ? palette.text : palette['text-2'], dot.alpha);
    context.fillText(dot.id, dot.x, y);
  }
}

function cellsOf(left: number, right: number, y: number): string[] {
  const cells: string[] = [];
  for (let x = Math.floor(left / cell.wide); x <= Math.floor(right / cell.wide); x++)
    for (const row of new Set([Math.floor((y - 6) / cell.tall), Math.floor((y + 6) / cell.tall)])) cells.push(`${x},${row}`);
  return cells;
}

/** A pill with an envelope: how much mail is on its way. */
export function paintMail(context: CanvasRenderingContext2D, at: { x: number; y: number }, pair: Pair, palette: Palette): Mark {
  const text = String(pair.inFlight);
  context.font = `600 11px ${palette.font}`;
  const wide = 30 + context.measureText(text).width;
  const tall = 18;
  const [left, top] = [at.x - wide / 2, at.y - tall / 2];
  context.beginPath();
  context.roundRect(left, top, wide, tall, tall / 2);
  context.fillStyle = palette['info-wash'];
  context.fill();
  context.strokeStyle = palette['info-mark'];
  context.lineWidth = 1.2;
  context.stroke();
  context.beginPath();
  context.roundRect(left + 8, at.y - 4, 11, 8, 1.5);
  context.moveTo(left + 8.5, at.y - 2.5);
  context.lineTo(left + 13.5, at.y + 1);
  context.lineTo(left + 18.5, at.y - 2.5);
  context.strokeStyle = palette.info;
  context.stroke();
  context.fillStyle = palette.info;
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(text, left + 23, at.y + 0.5);
  return { x: at.x, y: at.y, wide, tall: 24, pair };
}

/** The diamond of a hand-off, filled as far as the work has come; with a number where there are several. */
export function paintWork(
  context: CanvasRenderingContext2D,
  at: { x: number; y: number },
  work: Work,
  palette: Palette,
  size = 7,
): Mark {
  diamond(context, at, work.status, palette, size);
  const many = work.ids.length > 1;
  if (many) {
    context.font = `600 11px ${palette.font}`;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.lineWidth = 3;
    context.strokeStyle = palette.surface;
    context.strokeText(String(work.ids.length), at.x + size + 4, at.y + 0.5);
    context.fillStyle = palette.accent;
    context.fillText(String(work.ids.length), at.x + size + 4, at.y + 0.5);
  }
  return { x: at.x + (many ? 6 : 0), y: at.y, wide: many ? 36 : 24, tall: 24, work };
}

function diamond(
  context: CanvasRenderingContext2D,
  { x, y }: { x: number; y: number },
  status: WorkStatus,
  palette: Palette,
  r: number,
) {
  context.beginPath();
  context.moveTo(x, y - r);
  context.lineTo(x + r, y);
  context.lineTo(x, y + r);
  context.lineTo(x - r, y);
  context.closePath();
  context.fillStyle = palette.surface;
  context.fill();
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  context.lineJoin = 'round';
  context.stroke();
  context.fillStyle = palette.accent;
  context.beginPath();
  if (status === 'CLAIMED') {
    context.moveTo(x, y - r);
    context.lineTo(x, y + r);
    context.lineTo(x - r, y);
  } else if (status === 'VERIFYING') {
    context.arc(x, y, r * 0.36, 0, 2 * Math.PI);
  }
  context.fill();
}

/** The field that something takes, by its middle. */
export type Field = { x: number; y: number; wide: number; tall: number };

const touches = (a: Field, b: Field) => Math.abs(a.x - b.x) * 2 < a.wide + b.wide && Math.abs(a.y - b.y) * 2 < a.tall + b.tall;

/** Along a curve, from the middle outwards. */
const tries = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73];

/** The first place along a curve where a mark lies on nothing; the middle if there is none. */
export function clearSpot(size: { wide: number; tall: number }, on: (t: number) => { x: number; y: number }, taken: Field[]) {
  for (const t of tries) {
    const field = { ...on(t), ...size };
    if (!taken.some((other) => touches(field, other))) return field;
  }
  return { ...on(0.5), ...size };
}

/** What an agent and its name take. */
export function fieldOf({ x, y, half, isHeavyBelow }: Dot): Field {
  const name = 20;
  return { x, y: y + (isHeavyBelow ? -name / 2 : name / 2), wide: half * 2 + 4, tall: half * 2 + name };
}

export const isOn = (mark: Mark, at: { x: number; y: number }) =>
  Math.abs(at.x - mark.x) <= mark.wide / 2 && Math.abs(at.y - mark.y) <= mark.tall / 2;
