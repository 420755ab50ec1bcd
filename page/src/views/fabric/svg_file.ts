// SPDX-License-Identifier: Apache-2.0
// Pictures of a fabric as one SVG document, with a title and the scale of loads.
import type { Colours } from "../../context";
import { formatNumber } from "../../number";
import { stepColours } from "./load_colours";
import type { Model } from "./model";
import { makeSvg } from "./svg";

const gap = 12; // pixels
const headHeight = 28;
const scaleHeight = 40;

export interface Drawn {
  engine: string;
  svg: SVGSVGElement; // with width and height
}

/** Pictures beside each other, each below the name of its routing. */
export function svgFile(pictures: Drawn[], model: Model, colours: Colours): string {
  const sizes = pictures.map(({ svg }) => svg.width.baseVal.value);
  const height = Math.max(...pictures.map(({ svg }) => svg.height.baseVal.value));
  const width = sizes.reduce((sum, size) => sum + size + gap, gap);
  const whole = height + headHeight + scaleHeight;
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
  if (model.most() > 0) file.append(scaleGroup(model, colours, height + headHeight + 6));
  return new XMLSerializer().serializeToString(file);
}

function scaleGroup(model: Model, colours: Colours, top: number): SVGGElement {
  const load = model.load();
  const step = 10;
  const group = makeSvg("g", { transform: `translate(${gap} ${top})`, fill: colours.ink });
  const all = stepColours(colours.scale);
  all.forEach((fill, i) => group.append(makeSvg("rect", { x: i * step, width: step, height: 10, fill })));
  const end = all.length * step;
  const most = formatNumber(model.most() * load.factor) + load.unit;
  group.append(
    makeSvg("text", { y: 24 }, "0"),
    makeSvg("text", { x: end, y: 24, "text-anchor": "end" }, most),
    makeSvg("text", { x: end + gap, y: 10 }, load.name),
  );
  return group;
}
