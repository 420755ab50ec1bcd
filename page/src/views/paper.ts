// SPDX-License-Identifier: Apache-2.0
import type { PageContext } from "../context";
import type { PaperSection } from "../data";

export function drawPaper(section: PaperSection, into: HTMLElement, _context: PageContext): void {
  into.append(section.title);
}
