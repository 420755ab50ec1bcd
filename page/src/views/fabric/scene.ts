// SPDX-License-Identifier: Apache-2.0
// What draws a fabric: one interface, by SVG at first, which is seen at once; by WebGL later where the fabric is large.
import type { Geometry } from "./geometry";

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

const largeFrom = 3000; // switches, hosts and links that are drawn: fewer are quick as SVG
const mostWebglScenes = 4; // browsers drop WebGL contexts beyond a dozen or so; a scene needs three
const softwareGl = /swiftshader|llvmpipe|softpipe|software|basic render/i;
let webglScenes = 0;
let quick: boolean | undefined; // a first context takes its time

/** Whether WebGL may draw this fabric better. The fragment of the address decides otherwise: #svg, #webgl. */
export function wantsWebgl({ topology, folded }: Geometry): boolean {
  if (location.hash.includes("#svg") || !("WebGLRenderingContext" in window)) return false;
  const drawn = topology.switches + topology.links + (folded ? 0 : topology.hosts);
  return drawn >= largeFrom || location.hash.includes("#webgl");
}

/** Whether WebGL is there and a graphics processor draws it: SVG is not slower than WebGL in software. */
export function webglIsQuick(): boolean {
  return (quick ??= askWebgl());
}

function askWebgl(): boolean {
  const context = document.createElement("canvas").getContext("webgl2");
  if (context === null) return false;
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER));
  context.getExtension("WEBGL_lose_context")?.loseContext();
  return !softwareGl.test(renderer) || location.hash.includes("#webgl");
}

/** Counts a scene by WebGL; returns what ends it, or null where there are enough. */
export function reserveWebgl(): (() => void) | null {
  if (webglScenes >= mostWebglScenes) return null;
  ++webglScenes;
  return () => void --webglScenes;
}
