// SPDX-License-Identifier: Apache-2.0
// The legend of a chart: a button for each series, which shows or hides it.
import { make } from "../../elements";
import { cross, type Entry } from "./drawing";

const svgNames = "http://www.w3.org/2000/svg";

function shape(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(svgNames, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

function markerShape(symbol: string, colour: string): SVGElement | null {
  switch (symbol) {
    case "none":
      return null;
    case "circle":
      return shape("circle", { cx: 12, cy: 6, r: 3.5, fill: colour });
    case "emptyCircle":
      return shape("circle", { cx: 12, cy: 6, r: 4.5, fill: "none", stroke: colour, "stroke-width": 2 });
    case cross:
      return shape("path", { d: "M8.5 2.5 l7 7 m-7 0 l7 -7", stroke: colour, "stroke-width": 2 });
    case "rect":
      return shape("rect", { x: 8.5, y: 2.5, width: 7, height: 7, fill: colour });
    case "triangle":
      return shape("path", { d: "M12 2 L16 9.5 L8 9.5 Z", fill: colour });
    default:
      return shape("path", { d: "M12 1.5 L16 6 L12 10.5 L8 6 Z", fill: colour });
  }
}

/** What stands before a name: 24 by 12 pixels. */
export function swatchOf(entry: Entry): SVGElement {
  const picture = shape("svg", { width: 24, height: 12, "aria-hidden": "true" });
  const { colour, look } = entry;
  if (look === "area")
    picture.append(shape("rect", { x: 0, y: 1, width: 24, height: 10, fill: colour, opacity: 0.22 }));
  if (look === "line" || look === "dashed") {
    const dashes = look === "dashed" ? "6 3" : "none";
    picture.append(
      shape("path", { d: "M0 6 H24", stroke: colour, "stroke-width": 2, "stroke-dasharray": dashes }),
    );
  }
  const marker = markerShape(entry.symbol, colour);
  if (marker !== null) picture.append(marker);
  return picture;
}

export function drawLegend(
  into: HTMLElement,
  entries: Entry[],
  hidden: ReadonlySet<string>,
  toggle: (name: string) => void,
): void {
  const focused = into.contains(document.activeElement)
    ? document.activeElement?.getAttribute("data-name")
    : null;
  into.replaceChildren(
    ...entries.map((entry) =>
      make(
        "button",
        {
          type: "button",
          "aria-pressed": String(!hidden.has(entry.name)),
          title: hidden.has(entry.name) ? "show" : "hide",
          "data-test": "legend",
          "data-name": entry.name,
          onclick: () => toggle(entry.name),
        },
        swatchOf(entry),
        entry.name,
      ),
    ),
  );
  for (const button of into.querySelectorAll("button")) if (button.dataset.name === focused) button.focus();
}
