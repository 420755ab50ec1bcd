// SPDX-License-Identifier: Apache-2.0
import type { PageContext } from "../context";
import type { RowsSection } from "../data";

export function drawRows(section: RowsSection, into: HTMLElement, _context: PageContext): void {
  into.append(section.title);
}
