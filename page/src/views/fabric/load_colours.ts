// SPDX-License-Identifier: Apache-2.0
// Colours of loads: steps of the page's scale, from nothing to the most.

import { mixed } from "../../mix";

export const steps = 24;

/** The step of a value: 0 carries nothing, the last the most. */
export function stepOf(value: number, most: number): number {
  if (most <= 0 || value <= 0) return 0;
  return Math.max(1, Math.min(steps - 1, Math.ceil((value / most) * (steps - 1))));
}

/** One colour for each step, mixed from those of a scale ("#rrggbb"). */
export function stepColours(scale: string[]): string[] {
  return Array.from({ length: steps }, (_, step) => mixed(scale, step / (steps - 1)));
}
