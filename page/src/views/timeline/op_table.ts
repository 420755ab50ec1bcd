// SPDX-License-Identifier: Apache-2.0
// All operations as a table, made when it is opened; a row that is chosen is shown on the time line.
import { make } from "../../elements";
import { Table } from "../table/table";
import { opColumns } from "./op_columns";
import type { TimelineScene } from "./scene";

export function makeOpTable(scene: TimelineScene, show: (op: number) => void): HTMLElement {
  const count = scene.section.ops.rank.length;
  const details = make(
    "details",
    { class: "numbers", "data-test": "op-table" },
    make("summary", {}, `Operations: ${count}`),
  );
  details.addEventListener("toggle", () => {
    if (details.childElementCount > 1) return;
    const look = { title: `${scene.section.title}: operations`, chosen: (op: number) => () => show(op) };
    details.append(new Table(opColumns(scene), count, look).element);
  });
  return details;
}
