// The theme's colours for what CSS does not reach: canvases and WebGL, which want red, green and blue.

import { hue } from '@/look/hue';

const names = [
  'surface',
  'surface-sunk',
  'surface-raised',
  'text',
  'text-2',
  'text-3',
  'line',
  'line-strong',
  'accent',
  'accent-wash',
  'ok-mark',
  'ok-wash',
  'warn-mark',
  'warn-wash',
  'info',
  'info-mark',
  'info-wash',
] as const;
type Name = (typeof names)[number];

export type Palette = Record<Name, string> & { font: string; edge: (id: string) => string };

/** The colours of the theme that is on now. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const rgb = converter();
  const value = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const hues = new Map<number, string>();
  const lightness = value('agent-mark-l');
  const chroma = value('agent-mark-c');
  return {
    ...(Object.fromEntries(names.map((name) => [name, rgb(value(name))])) as Record<Name, string>),
    font: getComputedStyle(document.body).fontFamily,
    edge(id) {
      const degrees = hue(id);
      const known = hues.get(degrees) ?? rgb(`oklch(${lightness} ${chroma} ${degrees})`);
      hues.set(degrees, known);
      return known;
    },
  };
}

/** Any colour as #rrggbb, by painting it. */
function converter() {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const context = canvas.getContext('2d', { willReadFrequently: true })!;
  return (colour: string) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
    return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
}

/** A colour of the palette, so much of it: #rrggbbaa. */
export const faded = (colour: string, alpha: number) =>
  colour +
  Math.round(Math.min(1, Math.max(0, alpha)) * 255)
    .toString(16)
    .padStart(2, '0');
