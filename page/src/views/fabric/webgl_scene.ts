// SPDX-License-Identifier: Apache-2.0
// Draws a fabric by WebGL: sigma draws, the viewport of the page moves the camera. Sigma's layers are hidden, and
// copied into one that is seen: a browser with software GL takes its time for each.
import Graph from "graphology";
import Sigma from "sigma";
import { NodeCircleProgram } from "sigma/rendering";
import type { Settings } from "sigma/settings";
import { make } from "../../elements";
import type { Point } from "../input";
import type { Geometry } from "./geometry";
import type { Look, Scene } from "./scene";
import type { Viewport } from "./viewport";

/** Dots that are not drawn a second time for sigma to find them: the geometry does that. */
class DotProgram extends NodeCircleProgram {
  constructor(gl: WebGLRenderingContext, _picking: WebGLFramebuffer | null, renderer: Sigma) {
    super(gl, null, renderer);
  }
}

const settings: Partial<Settings> = {
  itemSizesReference: "positions",
  zoomToSizeRatioFunction: (ratio) => ratio,
  autoRescale: true,
  stagePadding: 0,
  minEdgeThickness: 1.7,
  zIndex: true,
  allowInvalidContainer: true,
  minCameraRatio: null,
  maxCameraRatio: null,
  renderLabels: false,
  nodeProgramClasses: { circle: DotProgram },
};

export class WebglScene implements Scene {
  readonly kind = "webgl";
  private readonly graph = new Graph({ type: "directed", multi: true });
  private readonly sigma: Sigma;
  private readonly layers = make("div", { class: "fabric-drawing sigma-layers" });
  private readonly drawing = make("canvas", { class: "fabric-drawing", "aria-hidden": "true" });

  constructor(
    box: HTMLElement,
    private readonly geometry: Geometry,
    private readonly viewport: Viewport,
    look: Look,
    private readonly released: () => void,
  ) {
    box.append(this.layers, this.drawing);
    addFabric(this.graph, geometry, look);
    // Sigma draws what it is given at once: the fabric comes when all else is set.
    this.sigma = new Sigma(new Graph(), this.layers, settings);
    this.sigma.getMouseCaptor().enabled = false;
    this.sigma.getTouchCaptor().enabled = false;
    const { left, top, right, bottom } = geometry.bounds;
    this.sigma.setCustomBBox({ x: [left, right], y: [-bottom, -top] });
    this.move();
    this.sigma.on("afterRender", () => this.copyLayers());
    this.sigma.setGraph(this.graph);
  }

  show(look: Look): void {
    this.graph.updateEachEdgeAttributes((_edge, data) => ({ ...data, ...edgeLook(look, data.link) }), {
      attributes: ["color", "zIndex"],
    });
    this.graph.updateEachNodeAttributes((node, data) => ({ ...data, color: nodeColour(node, look) }), {
      attributes: ["color"],
    });
  }

  move(): void {
    const { x, y, scale } = this.viewport.camera;
    this.sigma.resize();
    const { left, top, right, bottom } = this.geometry.bounds;
    const size = Math.max(right - left, bottom - top) || 1; // that sigma makes 1
    const whole = { x: 0.5, y: 0.5, angle: 0, ratio: 1 };
    const first = this.sigma.framedGraphToViewport({ x: 0, y: 0 }, { cameraState: whole });
    const last = this.sigma.framedGraphToViewport({ x: 1, y: 0 }, { cameraState: whole });
    this.sigma.getCamera().setState({
      x: 0.5 + (x - (left + right) / 2) / size,
      y: 0.5 - (y - (top + bottom) / 2) / size,
      ratio: (last.x - first.x) / size / scale,
    });
  }

  remove(): void {
    this.sigma.kill();
    this.layers.remove();
    this.drawing.remove();
    this.released();
  }

  private copyLayers(): void {
    const { edges, nodes } = this.sigma.getCanvases();
    this.drawing.width = nodes.width; // this empties it
    this.drawing.height = nodes.height;
    const context = this.drawing.getContext("2d")!;
    for (const layer of [edges, nodes]) context.drawImage(layer, 0, 0);
  }
}

function nodeColour(node: string, look: Look): string {
  if (node.startsWith("b")) return "#00000000"; // a joint of a bow
  return node.startsWith("h") ? look.hostColour : look.switchColour;
}

/** Hotter links lie above cooler ones. */
function edgeLook(look: Look, link: number): { color: string; zIndex: number } {
  const step = look.linkSteps[link];
  return { color: look.stepColours[step], zIndex: step };
}

/** Adds switches "s0", hosts "h0" and links, which are several edges where they bow. */
function addFabric(graph: Graph, geometry: Geometry, look: Look): void {
  const { topology } = geometry;
  const addNode = (node: string, at: Point, size: number) =>
    graph.addNode(node, { x: at.x, y: -at.y, size, color: nodeColour(node, look) });
  for (let at = 0; at < topology.switches; ++at) addNode(`s${at}`, geometry.switchAt(at), geometry.switchRadius);
  for (let host = 0; host < topology.hosts && !geometry.folded; ++host)
    addNode(`h${host}`, geometry.hostAt(host), geometry.hostRadius);
  for (let link = 0; link < topology.links; ++link) {
    const points = geometry.linkPoints(link);
    const nodes = points.map((point, i) => {
      if (i === 0) return `s${topology.from(2 * link)}`;
      if (i === points.length - 1) return `s${topology.to(2 * link)}`;
      return addNode(`b${link}.${i}`, point, 0);
    });
    for (let i = 1; i < nodes.length; ++i)
      graph.addEdge(nodes[i - 1], nodes[i], { link, size: geometry.linkWidth, ...edgeLook(look, link) });
  }
}
