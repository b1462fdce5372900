// The canvases: what is on them now, and how it looks. Knows nothing of where things come from.

import Graph from 'graphology';
import Sigma from 'sigma';
import { groupBy } from '../group';
import { boxOf, type Places } from '../islands';
import type { Mesh } from '../mesh';
import {
  clearSpot,
  type Dot,
  type Field,
  fieldOf,
  isSeen,
  type Mark,
  paintDots,
  paintFields,
  paintMail,
  paintWork,
  toScreen,
  type View,
} from './overlay';
import { faded, type Palette, readPalette } from './palette';
import { AgentProgram, BondProgram, pointOn } from './programs';
import { type EdgeLook, edgesOf, type NodeLook, nodesOf } from './scene';

export const still = matchMedia('(prefers-reduced-motion: reduce)');

/** What the reader looks at, besides the mesh itself. */
export type Eye = { selected?: string; hovered?: string; focused?: string; found?: Set<string> };

/** With more bonds than this they are fainter, and marks show only where somebody looks. */
const crowd = 400;

export class Stage {
  readonly graph = new Graph<NodeLook & { x: number; y: number }, EdgeLook>({ multi: true, type: 'undirected' });
  readonly sigma: Sigma<NodeLook & { x: number; y: number }, EdgeLook>;
  /** Who is bound to whom. */
  readonly near = new Map<string, Set<string>>();
  eye: Eye = {};
  marks: Mark[] = [];
  private below = new Set<string>();
  private homes: { name: string; members: string[] }[] = [];
  private palette: Palette = readPalette();
  private under: CanvasRenderingContext2D;
  private over: CanvasRenderingContext2D;
  private watcher: ResizeObserver;

  constructor(container: HTMLElement) {
    this.sigma = new Sigma(this.graph, container, {
      nodeProgramClasses: { agent: AgentProgram as never },
      edgeProgramClasses: { bond: BondProgram as never },
      defaultNodeType: 'agent',
      defaultEdgeType: 'bond',
      itemSizesReference: 'positions',
      zoomToSizeRatioFunction: (ratio) => ratio,
      renderLabels: false,
      defaultDrawNodeHover: () => {},
      enableEdgeEvents: true,
      zIndex: true,
      stagePadding: 16,
      minCameraRatio: 0.04,
      maxCameraRatio: 3,
      allowInvalidContainer: true,
      nodeReducer: (id, data) => this.nodeLook(id, data) as never,
      edgeReducer: (key, data) => this.edgeLook(key, data) as never,
      ...(still.matches && { zoomDuration: 0, inertiaDuration: 0, doubleClickZoomingDuration: 0 }),
    });
    this.under = this.layer('under', { beforeLayer: 'edges' });
    this.over = this.layer('over', { afterLayer: 'hoverNodes' });
    this.sigma.resize(true);
    this.sigma.on('afterRender', () => this.paint());
    this.spareSlowMachines();
    this.watcher = new ResizeObserver(() => this.sigma.refresh());
    this.watcher.observe(container);
  }

  private layer(id: string, place: object): CanvasRenderingContext2D {
    this.sigma.createCanvasContext(id, { style: { pointerEvents: 'none', inset: '0' }, ...place });
    return this.sigma.getCanvases()[id]!.getContext('2d')!;
  }

  /** Where a picture takes too long while it is moved, it is moved without its bonds. */
  private spareSlowMachines() {
    let began = 0;
    let slow = 0;
    this.sigma.on('beforeRender', () => {
      const now = performance.now();
      slow = this.sigma.getCamera().isAnimated() && now - began > 120 && now - began < 1_000 ? slow + 1 : 0;
      began = now;
      if (slow === 4) this.sigma.setSetting('hideEdgesOnMove', true);
    });
  }

  kill() {
    this.watcher.disconnect();
    this.sigma.kill();
  }

  readColours() {
    this.palette = readPalette();
  }

  /** Puts a mesh on the stage, touching only what is not there already. */
  set(mesh: Mesh, places: Places, names: Map<string, string>) {
    const nodes = nodesOf(mesh, this.palette);
    const edges = edgesOf(mesh, this.palette);
    for (const key of this.graph.edges()) if (!edges.has(key)) this.graph.dropEdge(key);
    for (const id of this.graph.nodes()) if (!nodes.has(id)) this.graph.dropNode(id);
    for (const [id, look] of nodes) {
      const { x, y } = places.get(id)!;
      this.graph.mergeNode(id, { ...look, x, y: -y });
    }
    this.near.clear();
    for (const [key, { from, to, ...look }] of edges) {
      if (this.graph.hasEdge(key)) this.graph.replaceEdgeAttributes(key, look);
      else this.graph.addEdgeWithKey(key, from, to, look);
      this.bind(from, to);
      this.bind(to, from);
    }
    const housed = groupBy(
      mesh.agents.filter((agent) => agent.home),
      (agent) => agent.home!,
    );
    this.homes = [...housed].map(([home, members]) => ({
      name: names.get(home) ?? `${home.slice(0, 8)}…`,
      members: members.map((agent) => agent.id),
    }));
    this.weigh();
    this.sigma.refresh();
  }

  private bind(one: string, other: string) {
    const near = this.near.get(one);
    if (near) near.add(other);
    else this.near.set(one, new Set([other]));
  }

  /** Finds out on which side of each agent there is room for its name. */
  weigh() {
    this.below.clear();
    for (const [id, others] of this.near) {
      const at = this.graph.getNodeAttributes(id);
      let lean = 0;
      for (const other of others) {
        const to = this.graph.getNodeAttributes(other);
        lean += (at.y - to.y) / (Math.hypot(to.x - at.x, to.y - at.y) || 1);
      }
      if (lean > 0.4) this.below.add(id);
    }
  }

  /** Looks at something else. */
  look(eye: Eye) {
    const now = { ...this.eye, ...eye };
    const isSame = (Object.keys(now) as (keyof Eye)[]).every((key) => now[key] === this.eye[key]);
    this.eye = now;
    if (!isSame) this.sigma.refresh({ schedule: true });
  }

  /** Whose bonds are lit: the one under the pointer, or in the inspector, or that the keyboard is at. */
  private lit(): string | undefined {
    const id = this.eye.hovered ?? this.eye.selected ?? this.eye.focused;
    return id && this.graph.hasNode(id) ? id : undefined;
  }

  private isDim(id: string): boolean {
    return !!this.eye.found && !this.eye.found.has(id);
  }

  private nodeLook(id: string, data: NodeLook) {
    if (!this.isDim(id)) return data;
    return { ...data, color: faded(data.color, 0.3), fill: this.palette.surface };
  }

  private edgeLook(key: string, data: EdgeLook) {
    const [a, b] = this.graph.extremities(key) as [string, string];
    const lit = this.lit();
    const isLit = a === lit || b === lit;
    const usual = (data.pair?.quiet ? 0.6 : 0.9) * Math.min(1, Math.max(0.16, crowd / 1.6 / this.graph.size));
    const alpha = isLit ? 0.95 : lit ? usual * 0.55 : usual;
    const part = this.isDim(a) && this.isDim(b) ? 0.3 : 1;
    return { ...data, color: faded(data.color, alpha * part), zIndex: isLit ? 3 : data.zIndex };
  }

  view(): View {
    const { width, height } = this.sigma.getDimensions();
    const zero = this.sigma.graphToViewport({ x: 0, y: 0 });
    const far = this.sigma.graphToViewport({ x: 1000, y: 0 });
    return { scale: (far.x - zero.x) / 1000, left: zero.x, top: zero.y, width, height };
  }

  /** Where somebody is for the camera. What sigma itself keeps is wrong between a change and the next frame. */
  framed(id: string): { x: number; y: number } | undefined {
    if (!this.graph.hasNode(id)) return undefined;
    return this.sigma.viewportToFramedGraph(this.sigma.graphToViewport(this.graph.getNodeAttributes(id)));
  }

  /** How large a unit is when everybody is shown, wherever the camera is just now. */
  scaleOfWhole(): number {
    const cameraState = { x: 0.5, y: 0.5, angle: 0, ratio: 1 };
    const [zero, far] = [0, 1000].map((x) => this.sigma.graphToViewport({ x, y: 0 }, { cameraState }).x);
    return (far! - zero!) / 1000;
  }

  private paint() {
    const view = this.view();
    paintFields(this.under, view, this.boxes(), this.palette);
    this.over.clearRect(0, 0, view.width, view.height);
    this.marks = [];
    const dots = this.dots(view);
    const offers = view.scale > 0.4 ? dots.flatMap((dot) => dot.offers.map((work, i) => ({ dot, work, i }))) : [];
    const at = ({ dot, i }: { dot: Dot; i: number }) => ({ x: dot.x + dot.half + 2, y: dot.y - dot.half + 2 + i * 16 });
    this.paintBonds(view, [...dots.map(fieldOf), ...offers.map((offer) => ({ ...at(offer), wide: 26, tall: 18 }))]);
    paintDots(this.over, view, dots, this.palette);
    for (const offer of offers) {
      this.over.globalAlpha = offer.dot.alpha;
      this.marks.push(paintWork(this.over, at(offer), offer.work, this.palette, 6));
    }
    this.over.globalAlpha = 1;
  }

  /** The marks on bonds, where they lie on nothing. Where it is too small for all, only those of the one that is looked at. */
  private paintBonds(view: View, taken: Field[]) {
    const lit = this.lit();
    const isCrowd = view.scale < (this.graph.size > crowd ? 0.7 : 0.45);
    const marked = this.graph
      .filterEdges((_, look, a, b) => (!!look.work || !!look.pair?.inFlight) && (!isCrowd || a === lit || b === lit))
      .sort((a, b) => (a < b ? 1 : -1)); // work before talk
    for (const key of marked) {
      const look = this.graph.getEdgeAttributes(key);
      const [a, b] = this.graph.extremities(key) as [string, string];
      const [from, to] = [this.graph.getNodeAttributes(a), this.graph.getNodeAttributes(b)];
      const on = (t: number) => toScreen(view, pointOn(from, to, look.bend, t));
      if (!isSeen(view, on(0.5))) continue;
      const size = look.work ? { wide: 18, tall: 18 } : { wide: 38, tall: 20 };
      const spot = this.marks.length > 150 ? { ...on(0.5), ...size } : clearSpot(size, on, taken);
      taken.push(spot);
      this.over.globalAlpha = this.isDim(a) && this.isDim(b) ? 0.3 : lit && a !== lit && b !== lit ? 0.75 : 1;
      this.marks.push(
        look.work ? paintWork(this.over, spot, look.work, this.palette) : paintMail(this.over, spot, look.pair!, this.palette),
      );
    }
    this.over.globalAlpha = 1;
  }

  private boxes() {
    return this.homes.map(({ name, members }) => ({
      name,
      ...boxOf(
        members.map((id) => {
          const { x, y } = this.graph.getNodeAttributes(id);
          return { x, y: -y };
        }),
      ),
    }));
  }

  private dots(view: View): Dot[] {
    const { selected, focused, hovered, found } = this.eye;
    const lit = this.lit();
    const near = lit ? this.near.get(lit) : undefined;
    return this.graph.mapNodes((id, look) => {
      const isChosen = id === selected || id === focused || id === hovered;
      return {
        id,
        ...toScreen(view, look),
        half: look.size * view.scale,
        round: look.round,
        letters: look.letters,
        isQuiet: look.agent.presence === 'offline',
        alpha: this.isDim(id) ? 0.3 : 1,
        isNamed: isChosen || (!!near?.has(id) && near.size < 40) || (!!found?.has(id) && found.size < 40),
        isStrong: isChosen,
        isHeavyBelow: this.below.has(id),
        ring: id === selected ? 'selected' : id === focused ? 'focus' : undefined,
        offers: look.offers,
      };
    });
  }
}
