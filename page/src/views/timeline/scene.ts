// SPDX-License-Identifier: Apache-2.0
// What a picture of a time line is made from: its data, what was computed of them once, and what is seen and
// chosen. No document is needed.
import type { Colours } from "../../context";
import type { TimelineSection } from "../../data";
import { assignRows, findMessageOps, type MessageOps, type OpRows } from "./op_rows";
import { findPathOps, type PathOps } from "./path";
import { TimelineIndex } from "./span_index";
import { TimelineViewport } from "./viewport";

export interface TimelineScene {
  section: TimelineSection;
  index: TimelineIndex;
  rows: OpRows;
  messageOps: MessageOps;
  pathOps: PathOps;
  view: TimelineViewport;
  colours: Colours;
  gutter: number; // width of the names
  hiddenKinds: Set<number>;
  showMessages: boolean;
  showPath: boolean;
  dimRest: boolean; // what is not on the critical path
  chosenStep: number | null; // of the critical path
  chosenOp: number | null;
  markedRank: number | null;
}

/** All of a time line, nothing chosen. */
export function makeScene(section: TimelineSection, colours: Colours): TimelineScene {
  const index = new TimelineIndex(section);
  const rows = assignRows(section, index);
  const messageOps = findMessageOps(section);
  return {
    section,
    index,
    rows,
    messageOps,
    pathOps: findPathOps(section, index, messageOps),
    view: new TimelineViewport({ begin: index.begin, end: index.end, rows: rows.count }),
    colours,
    gutter: 60,
    hiddenKinds: new Set(),
    showMessages: true,
    showPath: true,
    dimRest: false,
    chosenStep: null,
    chosenOp: null,
    markedRank: null,
  };
}
