// SPDX-License-Identifier: Apache-2.0
// What draws a fabric: one interface, by WebGL where there is one, else by SVG.
import type { Geometry } from "./geometry";
import { SvgScene } from "./svg_scene";
import type { Viewport } from "./viewport";
import { WebglScene } from "./webgl_scene";

/** How a fabric looks now; what is highlighted lies above it, in a layer of its own. */
export interface Look {
  linkSteps: Uint8Array; // of the scale of loads
  stepColours: string[];
  switchColour: string;
  hostColour: string;
  ink: string;
  paper: string;
}

/** Whether two looks draw the same. */
export function sameLook(a: Look, b: Look): boolean {
  const colours = ({ stepColours, switchColour, hostColour, ink, paper }: Look) =>
    [...stepColours, switchColour, hostColour, ink, paper].join();
  return colours(a) === colours(b) && a.linkSteps.every((step, link) => step === b.linkSteps[link]);
}

export interface Scene {
  readonly kind: "webgl" | "svg";
  /** Draws with other colours. */
  show(look: Look): void;
  /** Draws what the viewport shows now; of another size, perhaps. */
  move(): void;
  remove(): void;
}

const mostWebglScenes = 4; // browsers drop WebGL contexts beyond a dozen or so; a scene needs three
let webglScenes = 0;
let works: boolean | undefined; // a first context takes its time

function webglWorks(): boolean {
  if (location.hash.includes("#svg") || !("WebGLRenderingContext" in window)) return false;
  return (works ??= webglAnswers());
}

function webglAnswers(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return context !== null;
}

/** A scene in a box, which has a size already. */
export function createScene(box: HTMLElement, geometry: Geometry, viewport: Viewport, look: Look): Scene {
  if (webglScenes >= mostWebglScenes || !webglWorks()) return new SvgScene(box, geometry, viewport, look);
  ++webglScenes;
  return new WebglScene(box, geometry, viewport, look, () => void --webglScenes);
}
