// The mesh on the screen. It lives outside of React: a frame that moves costs no render.

import type { CameraState } from 'sigma/types';
import { type Bond, boxOf, margin, type Places } from '../islands';
import { isNewCrowd, layout, run, settle } from '../layout';
import type { Mesh } from '../mesh';
import { forgetPlaces, keepPlaces, keptPlaces } from '../places';
import { toScreen } from './overlay';
import { listen, type Pointed } from './pointer';
import { Stage, still } from './stage';
import { stepFrom, type Way } from './step';

export type { Hit } from './pointer';

export type Scene = {
  /** What is shown. */
  mesh: Mesh;
  /** Everybody, shown or not: whoever is filtered away keeps its place. */
  all: Mesh;
  /** The workspace that is looked at; blank for all. */
  scope: string;
  names: Map<string, string>;
  selected?: string;
  /** Those that were searched for; nobody is dimmed when it is missing. */
  found?: Set<string>;
};

type Hearing = Omit<Pointed, 'onDrag'> & {
  onFocus: (id: string | undefined) => void;
  onBusy: (isBusy: boolean) => void;
};

/** Room that the legend takes at the bottom, and the names of workspaces at the top. */
const room = { legend: 96, names: 30 };

export class Drawing {
  private stage: Stage;
  private scene?: Scene;
  private places: Places = new Map();
  private laidOut?: string;
  private isGone = false;

  constructor(
    container: HTMLElement,
    private hear: Hearing,
  ) {
    this.stage = new Stage(container);
    listen(this.stage, container, { ...hear, onDrag: (id, at, isDone) => this.drag(id, at, isDone) });
  }

  kill() {
    this.isGone = true;
    this.stage.kill();
  }

  /** Takes the colours of the theme that is on now. */
  repaint() {
    this.stage.readColours();
    if (this.scene && this.laidOut === this.scene.scope) this.draw(this.scene);
  }

  /** Shows another scene. Whoever is on the screen already stays where it is. */
  async show(scene: Scene) {
    const isOther = this.scene?.scope !== scene.scope;
    this.scene = scene;
    if (isOther) this.places = keptPlaces(scene.scope);
    if (this.laidOut !== scene.scope && isNewCrowd(this.places, bodies(scene))) {
      if (isOther) await this.layOut(scene);
      return;
    }
    this.place(this.places);
    if (isOther) this.fit(true);
  }

  /** Forgets where everybody stood and begins anew. */
  async again() {
    if (!this.scene) return;
    forgetPlaces(this.scene.scope);
    await this.layOut(this.scene);
  }

  private async layOut(scene: Scene) {
    this.hear.onBusy(true);
    const places = await run(layout(bodies(scene), bonds(scene.all)), () => this.isGone || this.scene?.scope !== scene.scope);
    if (!places) return;
    this.place(places);
    this.fit(true);
  }

  /** Puts everybody of the scene in place, and keeps that. */
  private place(places: Places) {
    const scene = this.scene!;
    this.places = settle(places, bodies(scene), bonds(scene.all));
    keepPlaces(scene.scope, this.places);
    this.laidOut = scene.scope;
    this.hear.onBusy(false);
    this.draw(scene);
  }

  private draw({ mesh, names, selected, found }: Scene) {
    this.stage.set(mesh, this.places, names);
    this.stage.look({ selected, found });
    const { focused, hovered } = this.stage.eye;
    if (focused && !this.stage.graph.hasNode(focused)) this.focus(undefined);
    if (hovered && !this.stage.graph.hasNode(hovered)) this.stage.look({ hovered: undefined });
  }

  private drag(id: string, { x, y }: { x: number; y: number }, isDone: boolean) {
    this.places.set(id, { x, y: -y });
    this.stage.graph.mergeNodeAttributes(id, { x, y });
    if (!isDone || !this.scene) return;
    this.stage.weigh();
    keepPlaces(this.scene.scope, this.places);
  }

  /** Shows everybody. */
  fit(isSudden = false) {
    const { sigma, graph } = this.stage;
    if (graph.order === 0) return;
    const { width, height } = sigma.getDimensions();
    const box = boxOf(graph.nodes().map((id) => this.places.get(id)!));
    const [wide, tall] = [box.right - box.left + margin * 2, box.bottom - box.top + margin * 2 + room.names];
    const scale = Math.min(1, width / wide, (height - room.legend) / tall);
    const spareWide = Math.max(0, width / scale - wide) / 2;
    const spareTall = Math.max(0, (height - room.legend) / scale - tall) / 2;
    const x = { from: box.left - margin - spareWide, to: box.right + margin + spareWide };
    const y = { from: box.top - margin - room.names - spareTall, to: box.bottom + margin + spareTall + room.legend / scale };
    sigma.setCustomBBox({ x: [x.from, x.to], y: [-y.to, -y.from] });
    sigma.refresh();
    this.move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }, isSudden);
  }

  private move(state: Partial<CameraState>, isSudden = false) {
    const camera = this.stage.sigma.getCamera();
    if (isSudden || still.matches) camera.setState(state);
    else void camera.animate(state, { duration: 200, easing: 'quadraticOut' });
  }

  zoom(by: number) {
    const camera = this.stage.sigma.getCamera();
    this.move({ ratio: camera.getBoundedRatio(camera.ratio / by) });
  }

  /** Brings somebody to the middle, near enough to be read. */
  seek(id: string) {
    const at = this.stage.framed(id);
    if (!at) return;
    this.focus(id);
    this.move({ ...at, ratio: Math.min(1, this.stage.scaleOfWhole() / 0.9) });
  }

  /** Moves the keyboard to somebody, or away. */
  focus(id: string | undefined) {
    if (this.stage.eye.focused === id) return;
    this.stage.look({ focused: id });
    this.hear.onFocus(id);
  }

  get focused() {
    return this.stage.eye.focused;
  }

  /** Moves the keyboard to a neighbour; begins at the one in the inspector, or the busiest. */
  step(way: Way) {
    const { graph, near, eye } = this.stage;
    const from = [eye.focused, eye.selected].find((id) => id && graph.hasNode(id));
    const shown: Places = new Map(graph.nodes().map((id) => [id, this.places.get(id)!]));
    const next = from ? stepFrom(from, way, shown, near.get(from) ?? new Set()) : this.busiest();
    if (!next) return;
    this.focus(next);
    this.bringIn(next);
  }

  private busiest(): string | undefined {
    const { graph } = this.stage;
    const size = (id: string) => graph.getNodeAttribute(id, 'size');
    return graph.nodes().reduce<string | undefined>((best, id) => (best && size(best) >= size(id) ? best : id), undefined);
  }

  /** Moves the picture only when somebody is not on it. */
  private bringIn(id: string) {
    const view = this.stage.view();
    const { x, y } = toScreen(view, this.stage.graph.getNodeAttributes(id));
    if (x > 40 && y > 40 && x < view.width - 40 && y < view.height - 40) return;
    const at = this.stage.framed(id);
    if (at) this.move(at);
  }
}

const bodies = ({ all }: Scene) => all.agents.map(({ id, home }) => ({ id, home }));

/** Who is drawn to whom, and how strongly: who writes much is near, but not on top of each other. */
function bonds({ pairs, works }: Mesh): Bond[] {
  return [
    ...pairs.map(({ a, b, count }) => ({ a, b, weight: 1 + Math.log2(count) })),
    ...works.flatMap(({ from, to }) => (to ? [{ a: from, b: to, weight: 1 }] : [])),
  ];
}
