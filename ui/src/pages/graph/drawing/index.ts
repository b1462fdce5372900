// The mesh on the screen. It lives outside of React: a frame that moves costs no render.

import Graph from 'graphology';
import Sigma from 'sigma';
import type { CameraState, MouseCoords } from 'sigma/types';
import { groupBy } from '../group';
import { type Bond, boxOf, isNewCrowd, layout, margin, type Places, run, settle } from '../layout';
import type { Agent, Mesh, Pair, Work } from '../mesh';
import { forgetPlaces, keepPlaces, keptPlaces } from '../places';
import { type Dot, isOn, type Mark, paintDots, paintFields, paintMail, paintWork, toScreen, type View } from './overlay';
import { faded, type Palette, readPalette } from './palette';
import { AgentProgram, BondProgram, middleOf } from './programs';
import { type EdgeLook, edgesOf, type NodeLook, nodesOf } from './scene';
import { stepFrom, type Way } from './step';

export type Hit = { agent?: string; pair?: Pair; work?: Work; x: number; y: number };

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

type Hearing = {
  onAgent: (id: string) => void;
  onPair: (pair: Pair) => void;
  onWork: (work: Work) => void;
  onHover: (hit: Hit | undefined) => void;
  onFocus: (id: string | undefined) => void;
  onBusy: (isBusy: boolean) => void;
};

const still = matchMedia('(prefers-reduced-motion: reduce)');

/** Room that the legend takes at the bottom, in pixels. */
const legendRoom = 96;

export class Drawing {
  private graph = new Graph<NodeLook & { x: number; y: number }, EdgeLook>({ multi: true, type: 'undirected' });
  private sigma: Sigma<NodeLook & { x: number; y: number }, EdgeLook>;
  private fields: CanvasRenderingContext2D;
  private over: CanvasRenderingContext2D;
  private palette: Palette = readPalette();
  private scene?: Scene;
  private places: Places = new Map();
  private marks: Mark[] = [];
  private near = new Map<string, Set<string>>();
  private below = new Set<string>();
  private hovered?: string;
  private focused?: string;
  private dragged?: string;
  private laidOut?: string;
  private isGone = false;
  private watcher: ResizeObserver;

  constructor(
    private container: HTMLElement,
    private hear: Hearing,
  ) {
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
      stagePadding: 24,
      minCameraRatio: 0.04,
      maxCameraRatio: 3,
      allowInvalidContainer: true,
      nodeReducer: (id, data) => this.nodeLook(id, data) as never,
      edgeReducer: (key, data) => this.edgeLook(key, data) as never,
      ...(still.matches && { zoomDuration: 0, inertiaDuration: 0, doubleClickZoomingDuration: 0 }),
    });
    this.fields = this.layer('fields', 'before', 'edges');
    this.over = this.layer('over', 'after', 'nodes');
    this.sigma.resize(true);
    this.sigma.on('afterRender', () => this.paint());
    this.listen();
    this.watcher = new ResizeObserver(() => this.sigma.refresh());
    this.watcher.observe(container);
  }

  private layer(id: string, side: 'before' | 'after', other: string): CanvasRenderingContext2D {
    const place = side === 'before' ? { beforeLayer: other } : { afterLayer: other };
    this.sigma.createCanvasContext(id, { style: { pointerEvents: 'none', inset: '0' }, ...place } as never);
    return this.sigma.getCanvases()[id]!.getContext('2d')!;
  }

  kill() {
    this.isGone = true;
    this.watcher.disconnect();
    this.sigma.kill();
  }

  /** Takes the colours of the theme that is on now. */
  repaint() {
    this.palette = readPalette();
    if (this.scene && this.laidOut !== undefined) this.reconcile(this.scene);
  }

  /** Shows another scene. Whoever is on the screen already stays where it is. */
  async show(scene: Scene) {
    const isOther = this.scene?.scope !== scene.scope;
    this.scene = scene;
    if (isOther) this.places = keptPlaces(scene.scope);
    if (this.laidOut === scene.scope || !isNewCrowd(this.places, bodies(scene))) {
      this.places = settle(this.places, bodies(scene), bonds(scene.all));
      keepPlaces(scene.scope, this.places);
      return this.settled(scene, isOther);
    }
    if (isOther) await this.layOut(scene);
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
    if (!places || !this.scene) return;
    this.places = settle(places, bodies(this.scene), bonds(this.scene.all));
    keepPlaces(scene.scope, this.places);
    this.hear.onBusy(false);
    this.settled(this.scene, true);
  }

  private settled(scene: Scene, isNew: boolean) {
    this.laidOut = scene.scope;
    this.reconcile(scene);
    if (isNew) this.fit(true);
  }

  /** Makes the graph what the scene says, touching only what is not so. */
  private reconcile({ mesh }: Scene) {
    const nodes = nodesOf(mesh, this.palette);
    const edges = edgesOf(mesh, this.palette);
    for (const key of this.graph.edges()) if (!edges.has(key)) this.graph.dropEdge(key);
    for (const id of this.graph.nodes()) if (!nodes.has(id)) this.graph.dropNode(id);
    for (const [id, look] of nodes) {
      const { x, y } = this.places.get(id)!;
      this.graph.mergeNode(id, { ...look, x, y: -y });
    }
    this.near.clear();
    for (const [key, { from, to, ...look }] of edges) {
      if (this.graph.hasEdge(key)) this.graph.replaceEdgeAttributes(key, look);
      else this.graph.addEdgeWithKey(key, from, to, look);
      this.bind(from, to);
      this.bind(to, from);
    }
    if (this.focused && !nodes.has(this.focused)) this.focus(undefined);
    if (this.hovered && !nodes.has(this.hovered)) this.hovered = undefined;
    this.weigh();
    this.sigma.refresh();
  }

  private bind(one: string, other: string) {
    const near = this.near.get(one);
    if (near) near.add(other);
    else this.near.set(one, new Set([other]));
  }

  /** Finds out on which side of each agent there is room for its name. */
  private weigh() {
    this.below.clear();
    for (const [id, others] of this.near) {
      const at = this.places.get(id)!;
      let lean = 0;
      for (const other of others) {
        const to = this.places.get(other)!;
        lean += (to.y - at.y) / (Math.hypot(to.x - at.x, to.y - at.y) || 1);
      }
      if (lean > 0.4) this.below.add(id);
    }
  }

  /** Whose bonds are lit: the one under the pointer, or in the inspector, or that the keyboard is at. */
  private lit(): string | undefined {
    const id = this.hovered ?? this.scene?.selected ?? this.focused;
    return id && this.graph.hasNode(id) ? id : undefined;
  }

  private isDim(id: string): boolean {
    return !!this.scene?.found && !this.scene.found.has(id);
  }

  private nodeLook(id: string, data: NodeLook) {
    const alpha = this.isDim(id) ? 0.3 : 1;
    return { ...data, color: faded(data.color, alpha), fill: faded(data.fill, alpha === 1 ? 1 : 0.6) };
  }

  private edgeLook(key: string, data: EdgeLook) {
    const [a, b] = this.graph.extremities(key) as [string, string];
    const lit = this.lit();
    const usual = data.pair?.quiet ? 0.6 : 0.9;
    const crowd = this.graph.size > 400 ? 0.5 : 1;
    let alpha = usual * crowd;
    if (lit) alpha = a === lit || b === lit ? 1 : usual * crowd * 0.55;
    if (this.isDim(a) && this.isDim(b)) alpha *= 0.3;
    return { ...data, color: faded(data.color, alpha), zIndex: lit && (a === lit || b === lit) ? 3 : data.zIndex };
  }

  private restyle() {
    this.sigma.refresh({ skipIndexation: true, schedule: true });
  }

  private view(): View {
    const { width, height } = this.sigma.getDimensions();
    const zero = this.sigma.graphToViewport({ x: 0, y: 0 });
    const far = this.sigma.graphToViewport({ x: 1000, y: 0 });
    return { scale: (far.x - zero.x) / 1000, left: zero.x, top: zero.y, width, height };
  }

  private paint() {
    if (!this.scene) return;
    const view = this.view();
    paintFields(this.fields, view, this.boxes(), this.palette);
    this.over.clearRect(0, 0, view.width, view.height);
    this.marks = [];
    this.paintBonds(view);
    const dots = this.dots(view);
    paintDots(this.over, view, dots, this.palette);
    if (view.scale > 0.4)
      for (const dot of dots) {
        dot.offers.forEach((work, i) => {
          const at = { x: dot.x + dot.half + 2, y: dot.y - dot.half + 2 + i * 16 };
          this.marks.push(paintWork(this.over, at, work, this.palette, 6));
        });
      }
  }

  private paintBonds(view: View) {
    const lit = this.lit();
    const isCrowd = this.graph.size > 400 && view.scale < 0.7;
    this.graph.forEachEdge((_, look, a, b, from, to) => {
      if (!look.work && !look.pair?.inFlight) return;
      if (isCrowd && a !== lit && b !== lit) return;
      const at = toScreen(view, middleOf(from, to, look.bend));
      if (at.x < -40 || at.y < -20 || at.x > view.width + 40 || at.y > view.height + 20) return;
      this.over.globalAlpha = lit && a !== lit && b !== lit ? 0.75 : 1;
      if (this.isDim(a) && this.isDim(b)) this.over.globalAlpha = 0.3;
      this.marks.push(
        look.work ? paintWork(this.over, at, look.work, this.palette) : paintMail(this.over, at, look.pair!, this.palette),
      );
    });
    this.over.globalAlpha = 1;
  }

  private boxes() {
    const { names, all } = this.scene!;
    const homes = groupBy(
      all.agents.filter((agent) => agent.home),
      (agent) => agent.home!,
    );
    return [...homes].flatMap(([home, members]) => {
      const places = members.flatMap((agent) => (this.graph.hasNode(agent.id) ? [this.places.get(agent.id)!] : []));
      return places.length > 0 ? [{ name: names.get(home) ?? `${home.slice(0, 8)}…`, ...boxOf(places) }] : [];
    });
  }

  private dots(view: View): Dot[] {
    const lit = this.lit();
    const near = lit ? this.near.get(lit) : undefined;
    const { selected, found } = this.scene!;
    return this.graph.mapNodes((id, look) => {
      const isChosen = id === selected || id === this.focused || id === this.hovered;
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
        ring: id === selected ? 'selected' : id === this.focused ? 'focus' : undefined,
        offers: look.offers,
      };
    });
  }

  private listen() {
    const { sigma, hear } = this;
    const markAt = (event: { x: number; y: number }) => this.marks.findLast((mark) => isOn(mark, event));
    const open = (event: MouseCoords, otherwise?: () => void) => {
      const mark = markAt(event);
      if (mark?.work) hear.onWork(mark.work);
      else if (mark?.pair) hear.onPair(mark.pair);
      else otherwise?.();
    };
    sigma.on('clickNode', ({ node, event }) => open(event, () => hear.onAgent(node)));
    sigma.on('clickEdge', ({ edge, event }) =>
      open(event, () => {
        const { pair, work } = this.graph.getEdgeAttributes(edge);
        if (work) hear.onWork(work);
        else if (pair) hear.onPair(pair);
      }),
    );
    sigma.on('clickStage', ({ event }) => open(event));
    sigma.on('doubleClickNode', ({ event }) => event.preventSigmaDefault());
    sigma.on('enterNode', ({ node, event }) => this.point(node, { agent: node, x: event.x, y: event.y }));
    sigma.on('leaveNode', () => this.point(undefined, undefined));
    sigma.on('enterEdge', ({ edge, event }) => {
      const { pair, work } = this.graph.getEdgeAttributes(edge);
      this.point(undefined, { pair, work, x: event.x, y: event.y });
    });
    sigma.on('leaveEdge', () => this.point(undefined, undefined));
    let overMark: Mark | undefined;
    sigma.on('moveBody', ({ event }) => {
      const mark = markAt(event);
      if (mark?.work === overMark?.work && mark?.pair === overMark?.pair) return;
      overMark = mark;
      hear.onHover(mark && { pair: mark.pair, work: mark.work, x: event.x, y: event.y });
      this.container.style.cursor = mark ? 'pointer' : '';
    });
    sigma.getCamera().on('updated', () => hear.onHover(undefined));
    this.listenToDrag();
  }

  private point(node: string | undefined, hit: Hit | undefined) {
    if (this.dragged) return;
    this.container.style.cursor = hit ? 'pointer' : '';
    this.hear.onHover(hit);
    if (this.hovered === node) return;
    this.hovered = node;
    this.restyle();
  }

  private listenToDrag() {
    const mouse = this.sigma.getMouseCaptor();
    this.sigma.on('downNode', ({ node }) => {
      this.dragged = node;
    });
    mouse.on('mousemovebody', (event) => {
      if (!this.dragged) return;
      const { x, y } = this.sigma.viewportToGraph(event);
      this.places.set(this.dragged, { x, y: -y });
      this.graph.mergeNodeAttributes(this.dragged, { x, y });
      this.hear.onHover(undefined);
      event.preventSigmaDefault();
      event.original.preventDefault();
      event.original.stopPropagation();
    });
    mouse.on('mouseup', () => {
      if (!this.dragged || !this.scene) return;
      this.dragged = undefined;
      this.weigh();
      keepPlaces(this.scene.scope, this.places);
    });
  }

  /** Shows everybody. */
  fit(isSudden = false) {
    const { width, height } = this.sigma.getDimensions();
    const places = this.graph.nodes().map((id) => this.places.get(id)!);
    if (places.length === 0) return;
    const box = boxOf(places);
    const [wide, tall] = [box.right - box.left + margin * 2, box.bottom - box.top + margin * 2 + 30];
    const scale = Math.min(1, width / wide, (height - legendRoom) / tall);
    const room = legendRoom / scale;
    const spareWide = Math.max(0, width / scale - wide) / 2;
    const spareTall = Math.max(0, height / scale - tall - room) / 2;
    const x = { from: box.left - margin - spareWide, to: box.right + margin + spareWide };
    const y = { from: box.top - margin - 30 - spareTall, to: box.bottom + margin + spareTall + room };
    this.sigma.setCustomBBox({ x: [x.from, x.to], y: [-y.to, -y.from] });
    this.sigma.refresh();
    this.move({ x: 0.5, y: 0.5, ratio: 1, angle: 0 }, isSudden);
  }

  private move(state: Partial<CameraState>, isSudden = false) {
    const camera = this.sigma.getCamera();
    if (isSudden || still.matches) camera.setState(state);
    else void camera.animate(state, { duration: 200, easing: 'quadraticOut' });
  }

  zoom(by: number) {
    this.move({ ratio: this.sigma.getCamera().getBoundedRatio(this.sigma.getCamera().ratio / by) });
  }

  /** Brings somebody to the middle, near enough to be read. */
  seek(id: string) {
    const at = this.sigma.getNodeDisplayData(id);
    if (!at) return;
    const ratio = this.sigma.getCamera().ratio;
    const near = ratio * Math.min(1, this.view().scale / 0.9);
    this.focus(id);
    this.move({ x: at.x, y: at.y, ratio: near });
  }

  /** Moves the keyboard to somebody, or away. */
  focus(id: string | undefined) {
    if (this.focused === id) return;
    this.focused = id;
    this.hear.onFocus(id);
    this.restyle();
  }

  get focusedId() {
    return this.focused;
  }

  /** Moves the keyboard to a neighbour; begins at the one in the inspector or the busiest. */
  step(way: Way) {
    const from = this.focused ?? this.scene?.selected;
    const next =
      from && this.graph.hasNode(from)
        ? stepFrom(from, way, this.shownPlaces(), this.near.get(from) ?? new Set())
        : this.busiest();
    if (!next) return;
    this.focus(next);
    this.bringIn(next);
  }

  private shownPlaces(): Places {
    return new Map(this.graph.nodes().map((id) => [id, this.places.get(id)!]));
  }

  private busiest(): string | undefined {
    return this.graph.reduceNodes<string | undefined>(
      (best, id, look) => (!best || look.size > this.graph.getNodeAttribute(best, 'size') ? id : best),
      undefined,
    );
  }

  /** Moves the picture only when somebody is not on it. */
  private bringIn(id: string) {
    const view = this.view();
    const { x, y } = toScreen(view, this.graph.getNodeAttributes(id));
    if (x > 40 && y > 40 && x < view.width - 40 && y < view.height - 40) return;
    const at = this.sigma.getNodeDisplayData(id);
    if (at) this.move({ x: at.x, y: at.y });
  }
}

const bodies = (scene: Scene) => scene.all.agents.map((agent: Agent) => ({ id: agent.id, home: agent.home }));

/** Who is drawn to whom, and how strongly: who writes much is near, but not on top of each other. */
function bonds({ pairs, works }: Mesh): Bond[] {
  return [
    ...pairs.map(({ a, b, count }) => ({ a, b, weight: 1 + Math.log2(count) })),
    ...works.flatMap(({ from, to }) => (to ? [{ a: from, b: to, weight: 1 }] : [])),
  ];
}
