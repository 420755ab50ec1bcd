// SPDX-License-Identifier: Apache-2.0
// Tables as the text of a CSV file. No document is needed.
import type { Cell } from "../../data";
import { csvField } from "../../elements";

export function csvText(header: string[], rows: Iterable<Cell[]>): string {
  const lines = [header.map(csvField).join(",")];
  for (const row of rows) lines.push(row.map(csvField).join(","));
  return `${lines.join("\n")}\n`;
}
