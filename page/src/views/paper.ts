// SPDX-License-Identifier: Apache-2.0
// A paper and what weft answers to it: how many predictions are near, its tables, and its figures.
import type { PageContext } from "../context";
import type { Cell, PaperRow, PaperSection, PaperTable } from "../data";
import { make, type Child } from "../elements";
import { formatFixed, formatNumber, formatPercent } from "../number";
import { ChartFigure } from "./chart/figure";
import { describeMet, judgeDeviation, kindsOf, meaningOf } from "./paper/kinds";
import { signed, Table, type ShownColumn } from "./table/table";

function summaryBar(section: PaperSection): HTMLElement {
  const share = section.predictions > 0 ? section.within / section.predictions : 0;
  const percent = formatPercent(100 * share);
  return make(
    "div",
    {
      class: "paper-summary",
      "data-test": "summary",
      "data-within": section.within,
      "data-predictions": section.predictions,
    },
    make("p", {}, section.summary),
    section.predictions > 0
      ? make(
          "div",
          { class: "share", role: "img", "aria-label": `${percent} of the predictions are within 10 %` },
          make("div", { style: `width:${100 * share}%` }),
          make("span", {}, `${section.within} of ${section.predictions} within 10 %`),
        )
      : null,
  );
}

function kindBadge(kind: string): HTMLElement {
  return make("span", { class: "kind", "data-kind-of": kind, title: meaningOf(kind) || undefined }, kind);
}

function kindLegend(section: PaperSection): HTMLElement {
  const list = make("dl", { class: "kinds", "data-test": "kinds" });
  for (const { kind, count } of kindsOf(section))
    list.append(
      make("dt", {}, kindBadge(kind)),
      make("dd", {}, `${count}${meaningOf(kind) && `, ${meaningOf(kind)}`}`),
    );
  return list;
}

function drawDeviation(cell: Cell): Child {
  if (typeof cell !== "number") return null;
  const sign = cell > 0 ? "+" : "";
  const size = Math.abs(cell);
  const text = size < 100 ? formatFixed(cell, 1) : formatNumber(Math.round(cell));
  return make("span", { class: `deviation ${judgeDeviation(cell)}` }, `${sign}${text}`);
}

function drawMet(cell: Cell, text: string): Child {
  if (cell !== "met" && cell !== "not met") return make("span", { class: "open" }, text);
  return signed(cell === "met" ? "good" : "bad", text);
}

/** Rows have units of their own, so each number stands by itself. */
const drawAlone = (cell: Cell): Child => (typeof cell === "number" ? formatNumber(cell) : null);

function columnsOf(rows: PaperRow[]): ShownColumn[] {
  const column = (
    name: string,
    meaning: string,
    cell: (row: PaperRow) => Cell,
    draw?: ShownColumn["draw"],
  ): ShownColumn => {
    return { name, unit: "", meaning, cell: (row) => cell(rows[row]), draw };
  };
  return [
    column("id", "names the number: table or figure, and what of it", (row) => row.id),
    column(
      "kind",
      "what sort of answer it is",
      (row) => row.kind,
      (_, text) => kindBadge(text),
    ),
    column("what", "what it is about", (row) => row.says),
    column("paper", "what the paper prints", (row) => row.paper, drawAlone),
    column("ours", "what weft computes", (row) => row.ours, drawAlone),
    column("unit", "of both", (row) => row.unit),
    { ...column("deviation", "of ours from the paper's", (row) => row.deviation, drawDeviation), unit: "%" },
    column("met", "whether the expectation is met; open: not judged yet", describeMet, drawMet),
  ];
}

function drawTable(table: PaperTable): HTMLElement {
  const shown = new Table(columnsOf(table.rows), table.rows.length, {
    title: table.title,
    rowClass: (row) => (table.rows[row].kind === "cal" ? "calibration" : ""),
  });
  return make(
    "div",
    { class: "paper-table", "data-test": "paper-table", "data-title": table.title },
    make("h3", {}, table.title),
    table.note === undefined ? null : make("p", { class: "note" }, table.note),
    shown.element,
  );
}

export function drawPaper(section: PaperSection, into: HTMLElement, context: PageContext): void {
  into.append(summaryBar(section));
  if (section.tables.length > 0) into.append(kindLegend(section));
  into.append(...section.tables.map(drawTable));
  if (section.figures.length === 0) return;
  const grid = make("div", { class: "chart-grid", style: "--columns: 2" });
  for (const figure of section.figures) grid.append(new ChartFigure(figure, context).element);
  into.append(make("h3", {}, "Figures"), grid);
}
