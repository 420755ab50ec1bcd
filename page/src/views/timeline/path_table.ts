// SPDX-License-Identifier: Apache-2.0
// The critical path as a table: what it runs through, in order; a row that is chosen is shown on the time
// line.
import type { TimelineSection } from "../../data";
import { make } from "../../elements";
import { formatTime } from "../../number";
import { Table, type ShownColumn } from "../table/table";
import { rankName } from "./words";

export function makePathTable(section: TimelineSection, show: (step: number) => void): HTMLElement {
  const { path } = section;
  const column = (name: string, unit: string, meaning: string, cell: ShownColumn["cell"]): ShownColumn => ({
    name,
    unit,
    meaning,
    cell,
  });
  const columns = [
    column("step", "", "in order of time", (row) => row + 1),
    column("rank", "", "on whose lane it is", (row) => rankName(section, path[row].rank)),
    column("what", "", "what the critical path runs through", (row) => path[row].what),
    column("begin", "us", "", (row) => path[row].begin),
    column("end", "us", "", (row) => path[row].end),
    column("takes", "us", "", (row) => path[row].end - path[row].begin),
  ];
  const total = path.length === 0 ? 0 : path[path.length - 1].end - path[0].begin;
  const details = make(
    "details",
    { class: "numbers", "data-test": "path-table" },
    make("summary", {}, `Critical path: ${path.length} steps, ${formatTime(total)}`),
  );
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    details.append(
      new Table(columns, path.length, { title: "critical path", chosen: (row) => () => show(row) }).element,
    );
  });
  return details;
}
