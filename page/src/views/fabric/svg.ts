// SPDX-License-Identifier: Apache-2.0
// Makes elements of SVG; text is always set as text.

export function makeSvg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | undefined> = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A coordinate with no more digits than are seen. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

export function pathData(points: { x: number; y: number }[]): string {
  return points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
}
