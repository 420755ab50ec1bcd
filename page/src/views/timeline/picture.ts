// SPDX-License-Identifier: Apache-2.0
// The part of a time line that is seen as the text of an SVG file: with a legend, in a size that suits a paper.
import { escaped, figureFile, type LegendItem } from "../figure_file";
import { outsideWords } from "./controls";
import { axisHeight, callSpan, gutterFor } from "./geometry";
import { paint } from "./paint";
import { callColour } from "./paint_calls";
import { outsideShade } from "./paint_frame";
import type { TimelineScene } from "./scene";
import { SvgSurface } from "./surface";

const width = 800; // pixels, whatever the window has

function boxSwatch(colour: string, opacity = 1): string {
  return `<rect x="8" y="0" width="12" height="12" rx="2" fill="${escaped(colour)}" fill-opacity="${opacity}"/>`;
}

function lineSwatch(colour: string, thickness: number): string {
  return `<path d="M0 6H24" stroke="${escaped(colour)}" stroke-width="${thickness}"/>`;
}

/** What is drawn, in the order of the legend on the page. */
function legendOf(scene: TimelineScene, arrows: boolean): LegendItem[] {
  const { section, colours, kindColours, hiddenKinds, showPath, view } = scene;
  const items = section.kinds.flatMap((name, kind) =>
    hiddenKinds.has(kind) ? [] : [{ name, swatch: boxSwatch(kindColours[kind]) }],
  );
  const add = (isDrawn: boolean, name: string, swatch: string) => {
    if (isDrawn) items.push({ name, swatch });
  };
  const hasCalls = section.calls !== undefined && callSpan(scene, view.firstRank) !== null;
  add(arrows && section.messages.from.length > 0, "messages", lineSwatch(colours.ink, 1));
  add(hasCalls, "calls", boxSwatch(callColour(scene)));
  if (section.path) add(showPath, section.path.title, lineSwatch(colours.path, 3));
  if (section.timed) add(true, outsideWords(section.timed.title), boxSwatch(colours.ink, outsideShade));
  return items;
}

export function pictureOf(seen: TimelineScene, title: string): string {
  const gutter = gutterFor(seen.section, width);
  const scene = { ...seen, gutter, view: seen.view.withWidth(width - gutter) };
  const surface = new SvgSurface();
  const { arrows } = paint(surface, scene);
  const height = axisHeight + scene.view.height;
  const { colours } = scene;
  return figureFile({ title, legend: legendOf(scene, arrows), width, height, drawn: surface.drawn, colours });
}
