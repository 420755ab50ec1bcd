// SPDX-License-Identifier: Apache-2.0
// Pictures of a fabric as one SVG document, with a title, the scale of loads and the marks.
import type { Colours } from "../../context";
import { formatNumber } from "../../number";
import { stepColours } from "./load_colours";
import { isSeen, sampleOf, sizeOf } from "./marks";
import type { Model } from "./model";
import { makeSvg } from "./svg";

const gap = 12; // pixels
const headHeight = 28;
const scaleHeight = 40;
const markHeight = 18;

export interface Drawn {
  engine: string;
  svg: SVGSVGElement; // with width and height
}

/** Pictures beside each other, each below the name of its routing. */
export function svgFile(pictures: Drawn[], model: Model, colours: Colours): string {
  const sizes = pictures.map(({ svg }) => svg.width.baseVal.value);
  const height = Math.max(...pictures.map(({ svg }) => svg.height.baseVal.value));
  const width = sizes.reduce((sum, size) => sum + size + gap, gap);
  const marks = model.marks().filter(isSeen);
  const whole = height + headHeight + scaleHeight + marks.length * markHeight;
  const viewBox = `0 0 ${width} ${whole}`;
  const file = makeSvg("svg", { width, height: whole, viewBox, "font-family": "sans-serif", "font-size": 12 });
  file.append(makeSvg("rect", { width, height: whole, fill: colours.paper }));
  let x = gap;
  pictures.forEach(({ engine, svg }, i) => {
    const words = [model.section.title, engine].filter((word) => word !== "").join(": ");
    svg.setAttribute("x", String(x));
    svg.setAttribute("y", String(headHeight));
    file.append(makeSvg("text", { x, y: 18, fill: colours.ink, "font-weight": "bold" }, words), svg);
    x += sizes[i] + gap;
  });
  if (model.hottest() > 0) file.append(scaleGroup(model, colours, height + headHeight + 6));
  marks.forEach((mark, i) => {
    const top = height + headHeight + scaleHeight + i * markHeight;
    const sample = sampleOf(mark, marks, colours);
    sample.setAttribute("x", String(gap));
    sample.setAttribute("y", String(top));
    const place = { x: gap + 36, y: top + 10, fill: colours.ink };
    file.append(sample, makeSvg("text", place, `${mark.name}: ${sizeOf(mark)}`));
  });
  return new XMLSerializer().serializeToString(file);
}

function scaleGroup(model: Model, colours: Colours, top: number): SVGGElement {
  const load = model.load();
  const step = 10;
  const group = makeSvg("g", { transform: `translate(${gap} ${top})`, fill: colours.ink });
  const all = stepColours(colours.scale);
  all.forEach((fill, i) => group.append(makeSvg("rect", { x: i * step, width: step, height: 10, fill })));
  const end = all.length * step;
  const most = formatNumber(model.hottest() * load.factor) + load.unit;
  group.append(
    makeSvg("text", { y: 24 }, "0"),
    makeSvg("text", { x: end, y: 24, "text-anchor": "end" }, most),
    makeSvg("text", { x: end + gap, y: 10 }, load.name),
  );
  return group;
}
