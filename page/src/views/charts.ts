// SPDX-License-Identifier: Apache-2.0
import type { PageContext } from "../context";
import type { ChartsSection } from "../data";

export function drawCharts(section: ChartsSection, into: HTMLElement, _context: PageContext): void {
  into.append(section.title);
}
