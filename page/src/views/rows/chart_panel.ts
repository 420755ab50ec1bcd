// SPDX-License-Identifier: Apache-2.0
// The chart of a table: controls that choose its columns and scales, and the chart of the rows that pass the
// filters.
import type { PageContext } from "../../context";
import type { RowsSection } from "../../data";
import { make } from "../../elements";
import { ChartFigure } from "../chart/figure";
import type { TableModel } from "../table/model";
import { chartOfRows, type AxisScale, type ChartChoice } from "./chart_of_rows";
import { makePicker, makeSelect } from "./picker";

const scales = ["linear", "log", "bytes"].map((name) => ({ value: name, name }));

/** What is shown first: as the section wants it, or the first columns that fit. */
function firstChoice(section: RowsSection, model: TableModel): ChartChoice | null {
  const index = (name: string) => section.columns.findIndex((column) => column.name === name);
  const numeric = section.columns.flatMap((_, i) => (model.facts[i].numeric ? [i] : []));
  const wanted = section.chart;
  const x = wanted === undefined ? (numeric[0] ?? -1) : index(wanted.x);
  const y = wanted === undefined ? numeric.slice(1, 2) : wanted.y.map(index).filter((each) => each >= 0);
  if (x < 0 || numeric.length === 0) return null;
  return {
    x,
    y: y.length > 0 ? y : numeric.slice(0, 1),
    by: (wanted?.by ?? []).map(index).filter((each) => each >= 0),
    xScale: wanted?.x_scale ?? "linear",
    yScale: "linear",
  };
}

export class ChartPanel {
  readonly element = make("div", { class: "chart-panel", "data-test": "chart-panel" });
  private readonly choice: ChartChoice;
  private readonly figure: ChartFigure;
  private rows: number[] = [];

  private constructor(
    private readonly section: RowsSection,
    model: TableModel,
    choice: ChartChoice,
    context: PageContext,
  ) {
    this.choice = choice;
    this.figure = new ChartFigure(chartOfRows(section.columns, [], choice), context);
    this.element.append(this.controls(model), this.figure.element);
  }

  /** None where a table has nothing to draw. */
  static for(section: RowsSection, model: TableModel, context: PageContext): ChartPanel | null {
    const choice = firstChoice(section, model);
    return choice === null ? null : new ChartPanel(section, model, choice, context);
  }

  /** Draws these rows of the table. */
  draw(rows: number[]): void {
    this.rows = [...rows].sort((a, b) => a - b); // however the table is sorted, series keep their order
    const cells = this.rows.map((row) => this.section.rows[row]);
    this.figure.set(chartOfRows(this.section.columns, cells, this.choice));
  }

  private controls(model: TableModel): HTMLElement {
    const all = this.section.columns.map((column, value) => ({ value, name: column.name }));
    const numeric = all.filter(({ value }) => model.facts[value].numeric);
    const separating = all.filter(
      ({ value }) => model.facts[value].values !== null || !model.facts[value].numeric,
    );
    const along = all.map(({ value, name }) => ({ value: String(value), name }));
    const change = (part: Partial<ChartChoice>) => {
      Object.assign(this.choice, part);
      this.draw(this.rows);
    };
    return make(
      "div",
      { class: "controls bar" },
      makeSelect("x", along, String(this.choice.x), (value) => change({ x: Number(value) })),
      makePicker("y", numeric, this.choice.y, (y) => change({ y })),
      makePicker("by", separating, this.choice.by, (by) => change({ by })),
      makeSelect("x scale", scales, this.choice.xScale, (value) => change({ xScale: value as AxisScale })),
      makeSelect("y scale", scales, this.choice.yScale, (value) => change({ yScale: value as AxisScale })),
    );
  }
}
