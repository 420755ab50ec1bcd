// SPDX-License-Identifier: Apache-2.0
// A picture as the text of an SVG file for a paper: its title, its legend in as many rows as it needs, and below
// them what is drawn. Nothing lies over anything else.
import type { Colours } from "../context";
import { brokenText, fontFamily, textWidth } from "../text";

/** An entry of a legend: elements of SVG within 24 by 12 pixels, and their name. */
export interface LegendItem {
  swatch: string;
  name: string;
}

export interface Figure {
  title: string;
  legend: LegendItem[];
  width: number; // pixels, all of these
  height: number; // of what is drawn
  drawn: string; // elements of SVG
  colours: Colours;
}

const margin = 10;
const titleSize = { size: 14, bold: true };
const titleLine = 19;
const legendSize = { size: 12 };
const legendLine = 18;
const swatchWidth = 30; // with the space behind it
const gap = 18;
const slack = 1.06; // other machines have wider fonts

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => escapes[letter]);
}

interface PlacedItem extends LegendItem {
  x: number;
  line: number;
  lines: string[];
}

/** Places items beside each other until a row is full. */
function placeLegend(legend: LegendItem[], width: number): { items: PlacedItem[]; lines: number } {
  const room = width - 2 * margin;
  const items: PlacedItem[] = [];
  let [x, line, next] = [0, 0, 0]; // next: the line below this row
  for (const item of legend) {
    const lines = brokenText(item.name, (room - swatchWidth) / slack, legendSize);
    const needed = swatchWidth + slack * Math.max(...lines.map((each) => textWidth(each, legendSize)));
    if (x > 0 && x + needed > room) [x, line] = [0, next];
    items.push({ ...item, x: margin + x, line, lines });
    next = Math.max(next, line + lines.length);
    x += needed + gap;
  }
  return { items, lines: next };
}

function textElement(x: number, y: number, text: string, look: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${look}>${escaped(text)}</text>`;
}

/** Title and legend, and how high they are. */
function headOf({ title, legend, width, colours }: Figure): { text: string; height: number } {
  const parts: string[] = [];
  const fill = `fill="${escaped(colours.ink)}"`;
  const titles = title === "" ? [] : brokenText(title, (width - 2 * margin) / slack, titleSize);
  titles.forEach((each, i) =>
    parts.push(textElement(margin, 22 + i * titleLine, each, `font-size="14" font-weight="600" ${fill}`)),
  );
  const top = 10 + titles.length * titleLine;
  const { items, lines } = placeLegend(legend, width);
  for (const item of items) {
    const y = top + item.line * legendLine;
    parts.push(`<g transform="translate(${item.x.toFixed(1)} ${(y + 3).toFixed(1)})">${item.swatch}</g>`);
    item.lines.forEach((each, i) =>
      parts.push(textElement(item.x + swatchWidth, y + 13 + i * legendLine, each, `font-size="12" ${fill}`)),
    );
  }
  return { text: parts.join("\n"), height: top + lines * legendLine + 4 };
}

/** The whole file. */
export function figureFile(figure: Figure): string {
  const { width, colours, drawn } = figure;
  const head = headOf(figure);
  const height = Math.ceil(head.height + figure.height);
  const size = `viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${fontFamily}">`,
    `<rect width="${width}" height="${height}" fill="${escaped(colours.paper)}"/>`,
    head.text,
    `<g transform="translate(0 ${head.height})">${drawn}</g>`,
    "</svg>\n",
  ].join("\n");
}
