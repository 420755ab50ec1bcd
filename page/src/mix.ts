// SPDX-License-Identifier: Apache-2.0
// Colours ("#rrggbb") between others.

/** The colour at a share of the length of a scale, from 0 to 1. */
export function mixed(scale: string[], share: number): string {
  const place = share * (scale.length - 1);
  const first = Math.min(scale.length - 2, Math.floor(place));
  const [a, b] = [parts(scale[first]), parts(scale[first + 1])];
  const values = a.map((part, i) => Math.round(part + (b[i] - part) * (place - first)));
  return `#${values.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function parts(colour: string): number[] {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** A colour between two others. */
export function between(a: string, b: string, share: number): string {
  return mixed([full(a), full(b)], share);
}

/** "#abc" as "#aabbcc". */
function full(colour: string): string {
  return colour.length === 4 ? `#${[...colour.slice(1)].map((c) => c + c).join("")}` : colour;
}
