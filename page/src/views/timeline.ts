// SPDX-License-Identifier: Apache-2.0
// A section that shows what ranks did when.
import type { PageContext } from "../context";
import type { TimelineSection } from "../data";
import { make } from "../elements";
import { TimelineView } from "./timeline/timeline_view";

export function drawTimeline(section: TimelineSection, into: HTMLElement, context: PageContext): void {
  if (section.ranks.length === 0) into.append(make("p", { class: "note" }, "No rank did anything."));
  else into.append(new TimelineView(section, context).element);
}
