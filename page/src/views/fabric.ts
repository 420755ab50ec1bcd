// SPDX-License-Identifier: Apache-2.0
import type { PageContext } from "../context";
import type { FabricSection } from "../data";

export function drawFabric(section: FabricSection, into: HTMLElement, _context: PageContext): void {
  into.append(section.title);
}
