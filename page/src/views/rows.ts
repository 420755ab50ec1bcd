// SPDX-License-Identifier: Apache-2.0
// A section of rows: a table that sorts and filters, and a chart of it by any of its columns.
import type { PageContext } from "../context";
import type { Cell, RowsSection } from "../data";
import { make } from "../elements";
import { ChartPanel } from "./rows/chart_panel";
import { signed, Table, type ShownColumn } from "./table/table";

type Severity = "good" | "warning" | "bad";

const isSeverity = (word: Cell): word is Severity => word === "good" || word === "warning" || word === "bad";

function severityColumn(severity: (string | null)[]): ShownColumn {
  return {
    name: "state",
    unit: "",
    meaning: "how bad it is",
    cell: (row) => severity[row] ?? null,
    draw: (cell, text) => (isSeverity(cell) ? signed(cell, text) : null),
  };
}

function columnsOf(section: RowsSection): ShownColumn[] {
  const columns: ShownColumn[] = section.columns.map((column, i) => ({
    ...column,
    cell: (row) => section.rows[row][i] ?? null,
  }));
  return section.severity === undefined ? columns : [...columns, severityColumn(section.severity)];
}

/** The chart above the table: shown at once if the section wants it, otherwise when asked for. */
function chartAbove(
  section: RowsSection,
  table: Table,
  context: PageContext,
): { element: HTMLElement; draw(rows: number[]): void } {
  let panel: ChartPanel | null = null;
  const place = make("div");
  const open = () => {
    panel = ChartPanel.for(section, table.model, context);
    if (panel === null) return;
    place.replaceChildren(panel.element);
    panel.draw(table.rows);
  };
  const toggle = () => {
    if (panel === null) open();
    else place.hidden = !place.hidden;
    const isOpen = panel !== null && !place.hidden;
    button.setAttribute("aria-expanded", String(isOpen));
    button.textContent = isOpen ? "Hide the chart" : "Chart";
  };
  const button = make(
    "button",
    { type: "button", "aria-expanded": "false", "data-test": "chart-toggle", onclick: toggle },
    "Chart",
  );
  const drawable = section.rows.length > 1 && section.columns.some((_, i) => table.model.facts[i].numeric);
  if (section.chart !== undefined && drawable) toggle();
  const element = make(
    "div",
    { class: "rows-chart", hidden: !drawable },
    drawable ? make("div", { class: "controls" }, button) : null,
    place,
  );
  return { element, draw: (rows) => panel?.draw(rows) };
}

export function drawRows(section: RowsSection, into: HTMLElement, context: PageContext): void {
  let redraw: (rows: number[]) => void = () => {};
  const table = new Table(columnsOf(section), section.rows.length, {
    title: section.title,
    rowClass: (row) => section.severity?.[row] ?? "",
    chosen: (row) => {
      const mark = section.marks?.[row];
      return mark ? () => context.show(mark) : null;
    },
    changed: (rows) => redraw(rows),
  });
  const chart = chartAbove(section, table, context);
  redraw = chart.draw;
  into.append(chart.element, table.element);
}
