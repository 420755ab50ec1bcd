// SPDX-License-Identifier: Apache-2.0
import type { PageContext } from "../context";
import type { TimelineSection } from "../data";

export function drawTimeline(section: TimelineSection, into: HTMLElement, _context: PageContext): void {
  into.append(section.title);
}
