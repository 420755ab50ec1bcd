// SPDX-License-Identifier: Apache-2.0
// The critical path as a table: what it runs through, in order; a row that is chosen is shown on the time
// line.
import type { TimelinePath, TimelineSection } from "../../data";
import { make } from "../../elements";
import { Table, type ShownColumn } from "../table/table";
import { timePlaces } from "./op_columns";
import { rankName } from "./words";

function columnsOf(section: TimelineSection, path: TimelinePath): ShownColumn[] {
  const column = (name: string, unit: string, meaning: string, cell: ShownColumn["cell"]): ShownColumn => ({
    name,
    unit,
    meaning,
    cell,
    places: unit === "us" ? timePlaces : undefined,
  });
  const ofMessage = (of: (row: number) => string | number) => (row: number) =>
    path.peer[row] < 0 ? null : of(row);
  return [
    column("step", "", "in order of time", (row) => row + 1),
    column("rank", "", "where it begins", (row) => rankName(section, path.rank[row])),
    column("what", "", "what the critical path runs through", (row) => path.parts[path.part[row]]),
    column("peer", "", "the other rank of a message", ofMessage((row) => rankName(section, path.peer[row]))),
    column("bytes", "B", "of the message", ofMessage((row) => path.bytes[row])),
    column("begin", "us", "", (row) => path.begin[row]),
    column("end", "us", "", (row) => path.end[row]),
    column("takes", "us", "", (row) => path.end[row] - path.begin[row]),
  ];
}

export function makePathTable(
  section: TimelineSection,
  path: TimelinePath,
  show: (step: number) => void,
): HTMLElement {
  const steps = path.rank.length;
  const details = make(
    "details",
    { class: "numbers", "data-test": "path-table" },
    make("summary", {}, `Steps of the ${path.title}: ${steps}`),
  );
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    const look = { title: path.title, chosen: (row: number) => () => show(row) };
    details.append(new Table(columnsOf(section, path), steps, look).element);
  });
  return details;
}
