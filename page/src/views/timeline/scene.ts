// SPDX-License-Identifier: Apache-2.0
// What a picture of a time line is made from: its data, what was computed of them once, and what is seen and
// chosen. No document is needed.
import type { Colours } from "../../context";
import type { TimelineSection } from "../../data";
import { kindColours } from "./kinds";
import { assignRows, findMessageOps, type MessageOps, type OpRows } from "./op_rows";
import { findPathOps, type PathOps } from "./path";
import { TimelineIndex } from "./span_index";
import { TimelineViewport, usualRow } from "./viewport";

export interface TimelineScene {
  section: TimelineSection;
  index: TimelineIndex;
  rows: OpRows;
  messageOps: MessageOps;
  pathOps: PathOps;
  view: TimelineViewport;
  colours: Colours;
  kindColours: string[];
  gutter: number; // width of the names
  hiddenKinds: Set<number>;
  showMessages: boolean;
  showCalls: boolean;
  showPath: boolean;
  dimRest: boolean; // what is not on the critical path
  chosenStep: number | null; // of the critical path
  chosenOp: number | null;
  markedRank: number | null;
}

const bandRows = 0.9; // of calls above the operations of a rank
const readableRow = { alone: usualRow, among: 13 }; // pixels, of ranks with one row or several

/** The colours of a page that turned dark or light. */
export function recolour(scene: TimelineScene, colours: Colours): void {
  scene.colours = colours;
  scene.kindColours = kindColours(scene.section.kinds, colours);
}

/** All of a time line, nothing chosen. */
export function makeScene(section: TimelineSection, colours: Colours): TimelineScene {
  const index = new TimelineIndex(section);
  const rows = assignRows(section, index);
  const messageOps = findMessageOps(section);
  const isAlone = rows.count.every((each) => each === 1);
  const view = new TimelineViewport({
    begin: index.begin,
    end: index.end,
    rows: rows.count,
    band: section.calls === undefined ? 0 : bandRows,
    readableRow: isAlone ? readableRow.alone : readableRow.among,
  });
  return {
    section,
    index,
    rows,
    messageOps,
    pathOps: findPathOps(section, index, messageOps),
    view,
    colours,
    kindColours: kindColours(section.kinds, colours),
    gutter: 60,
    hiddenKinds: new Set(),
    showMessages: true,
    showCalls: true,
    showPath: true,
    dimRest: true,
    chosenStep: null,
    chosenOp: null,
    markedRank: null,
  };
}
