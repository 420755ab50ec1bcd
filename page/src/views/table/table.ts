// SPDX-License-Identifier: Apache-2.0
// A table on the page that sorts, filters, and saves what it shows. Used for results and for papers.
import type { Cell } from "../../data";
import { fileName, make, save, type Child } from "../../elements";
import { headed, nothing, titled } from "../../number";
import { csvText } from "./csv";
import { describeFilter, isFiltering, noFilter, rangeProblem } from "./filter";
import { FilterPanel } from "./filter_panel";
import { TableModel, type TableColumn } from "./model";
import { printedBlocks, type TextTable } from "./print";
import { isRecord, makeRecord } from "./record";

/** A column with looks of its own, if it has them. */
export interface ShownColumn extends TableColumn {
  /** What stands in a cell, instead of its text. */
  draw?(cell: Cell, text: string): Child;
}

export interface TableLook {
  title: string; // names the files that are saved
  /** A class of a row. */
  rowClass?(row: number): string;
  /** What happens when a row is chosen; rows without it cannot be. */
  chosen?(row: number): (() => void) | null;
  /** Called after filters changed. */
  changed?(rows: number[]): void;
}

const step = 200; // rows that are shown at first, and more of at a time
const fewRows = 6; // below it there is nothing to look for

export class Table {
  readonly element = make("div", { class: "table", "data-test": "table" });
  readonly model: TableModel;
  private readonly body = make("tbody");
  private readonly heads: HTMLElement[];
  private readonly status = make("span", { class: "status", role: "status", "data-test": "row-count" });
  private readonly chips = make("span", { class: "chips" });
  private readonly more = make("button", {
    type: "button",
    class: "more",
    "data-test": "more",
    onclick: () => this.showMore(),
  });
  private readonly words = make("input", {
    type: "search",
    placeholder: "Filter rows by words",
    "aria-label": "filter rows by words, all of which have to match",
    "data-test": "filter-words",
    oninput: () => this.setWords(this.words.value),
  });
  private shownRows: number[] = [];
  private limit = step;

  constructor(
    private readonly columns: ShownColumn[],
    rowCount: number,
    private readonly look: TableLook,
  ) {
    this.model = new TableModel(columns, rowCount);
    this.heads = columns.map((column, i) => this.headOf(column, i));
    this.body.addEventListener("keydown", moveAmongRows);
    this.words.hidden = rowCount < fewRows;
    if (isRecord(columns, rowCount)) this.showRecord();
    else this.showTable();
  }

  private showTable(): void {
    this.element.classList.toggle("folded", this.canFold());
    const table = make("table", {}, make("thead", {}, make("tr", {}, ...this.heads)), this.body);
    const box = make(
      "div",
      { class: "table-box", tabindex: 0, role: "region", "aria-label": this.look.title },
      table,
    );
    this.element.append(
      make(
        "div",
        { class: "controls bar" },
        this.words,
        this.status,
        this.chips,
        this.foldButton(),
        this.saveButton(),
      ),
      ...this.sameInAll(),
      printedBlocks(() => this.asText()),
      box,
      this.more,
    );
    this.show();
  }

  /** The only row: there is nothing to sort or to filter. */
  private showRecord(): void {
    this.shownRows = [0];
    const act = this.look.chosen?.(0) ?? null;
    const button = act && make("button", { type: "button", "data-test": "chosen-row", onclick: act }, "Show it");
    this.element.append(
      make("div", { class: "controls bar" }, button, this.saveButton()),
      makeRecord(this.columns, this.model, this.look.rowClass?.(0) ?? ""),
    );
  }

  private saveButton(): HTMLElement {
    const attributes = { type: "button", "data-test": "save-csv", onclick: () => this.save() };
    return make("button", attributes, "Save CSV");
  }

  /** What is shown, for paper. */
  private asText(): TextTable {
    const { facts } = this.model;
    const folded = this.element.classList.contains("folded");
    const shown = this.columns.flatMap((_, i) => (folded && facts[i].same ? [] : [i]));
    return {
      heads: shown.map((i) => titled(this.columns[i].name, this.columns[i].unit)),
      numeric: shown.map((i) => facts[i].numeric),
      rows: this.shownRows
        .slice(0, this.limit)
        .map((row) => shown.map((i) => facts[i].format(this.columns[i].cell(row)))),
    };
  }

  /** Columns that say the same everywhere make room for the others, unless nothing would be left. */
  private canFold(): boolean {
    const same = this.model.facts.filter((facts) => facts.same).length;
    return same > 0 && same < this.columns.length;
  }

  private foldButton(): HTMLElement | null {
    if (!this.canFold()) return null;
    const words = () => (this.element.classList.contains("folded") ? "All columns" : "Fewer columns");
    const button = make("button", { type: "button", "data-test": "fold" }, words());
    button.onclick = () => {
      this.element.classList.toggle("folded");
      button.textContent = words();
    };
    return button;
  }

  /** What the folded columns say. */
  private sameInAll(): HTMLElement[] {
    if (!this.canFold()) return [];
    const said = this.columns.flatMap((column, i) => {
      const text = this.model.facts[i].format(column.cell(0));
      if (!this.model.facts[i].same || text === "" || text === nothing) return [];
      return [`${column.name} ${text}${column.unit === "" ? "" : ` ${column.unit}`}`];
    });
    if (said.length === 0) return [];
    return [make("p", { class: "same-in-all", "data-test": "same" }, `The same in all rows: ${said.join(", ")}`)];
  }

  /** The rows that pass the filters, in order. */
  get rows(): number[] {
    return this.shownRows;
  }

  /** After a filter changed. */
  private update(): void {
    this.show();
    this.look.changed?.(this.shownRows);
  }

  private show(): void {
    this.shownRows = this.model.rows();
    this.limit = step;
    this.body.replaceChildren();
    this.append(0);
    this.showState();
  }

  private setWords(words: string): void {
    this.model.words = words;
    this.update();
  }

  private headOf(column: ShownColumn, index: number): HTMLElement {
    const title = column.meaning || undefined;
    const sort = make(
      "button",
      {
        type: "button",
        class: "sort",
        title,
        "data-test": "sort",
        "data-column": column.name,
        onclick: () => this.sort(index),
      },
      column.name,
      column.unit === "" ? null : make("span", { class: "unit" }, ` ${column.unit}`),
      make("span", { class: "arrow", "aria-hidden": "true" }),
    );
    const panel = new FilterPanel(this.model, index, () => this.update());
    const { numeric, same } = this.model.facts[index];
    return make(
      "th",
      { scope: "col", class: `${numeric ? "number" : ""}${same ? " same" : ""}` },
      make("div", { class: "head" }, sort, panel.button, panel.element),
    );
  }

  private sort(column: number): void {
    this.model.sortBy(column);
    this.show();
  }

  private showState(): void {
    const by = this.model.sortedBy;
    for (const [i, head] of this.heads.entries()) {
      if (by?.column === i) head.setAttribute("aria-sort", by.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
      const isWrong = this.problemOf(i) !== "";
      head.classList.toggle("filtered", isFiltering(this.model.filterOf(i)) && !isWrong);
    }
    const count = this.shownRows.length;
    const all = this.model.rowCount;
    this.status.textContent = count === all ? `${all} ${all === 1 ? "row" : "rows"}` : `${count} of ${all} rows`;
    this.more.hidden = count <= this.limit;
    this.more.textContent = `Show ${Math.min(step, count - this.limit)} more of ${count - this.limit}`;
    this.showChips();
  }

  /** What is wrong with the filter of a column; "": nothing. */
  private problemOf(column: number): string {
    return this.model.facts[column].numeric ? rangeProblem(this.model.filterOf(column).text) : "";
  }

  /** What is filtered, each with a button to take it away. */
  private showChips(): void {
    const chip = (text: string, wrong: string, clear: () => void) => {
      const act = () => {
        clear();
        this.update();
      };
      return make(
        "button",
        {
          type: "button",
          class: wrong === "" ? "chip" : "chip wrong",
          title: wrong || "remove this filter",
          "data-test": "chip",
          onclick: act,
        },
        `${text} ×`,
      );
    };
    const chips = this.columns.flatMap((column, i) => {
      const filter = this.model.filterOf(i);
      if (!isFiltering(filter)) return [];
      const wrong = this.problemOf(i);
      const words = `${column.name}: ${describeFilter(filter)}${wrong === "" ? "" : " is not understood"}`;
      return [chip(words, wrong, () => this.model.setFilter(i, noFilter))];
    });
    this.chips.replaceChildren(...chips);
  }

  private showMore(): void {
    const from = this.limit;
    this.limit += step;
    this.append(from);
    this.showState();
  }

  private append(from: number): void {
    const rows = this.shownRows.slice(from, this.limit).map((row) => this.rowOf(row));
    this.body.append(...rows);
  }

  private rowOf(row: number): HTMLElement {
    const cells = this.columns.map((column, i) => {
      const cell = column.cell(row);
      const text = this.model.facts[i].format(cell);
      const kind = classOf(cell, text);
      const shown = column.draw?.(cell, text) ?? text;
      const content = kind === "long" ? make("div", { class: "clamped" }, shown) : shown;
      return make("td", { class: `${kind}${this.model.facts[i].same ? " same" : ""}` }, content);
    });
    const act = this.look.chosen?.(row) ?? null;
    const attributes = { class: this.look.rowClass?.(row), "data-row": row };
    if (act === null) return make("tr", attributes, ...cells);
    const press = (event: Event) => {
      if (!["Enter", " "].includes((event as KeyboardEvent).key)) return;
      event.preventDefault();
      act();
    };
    return make(
      "tr",
      {
        ...attributes,
        tabindex: 0,
        title: "show it",
        "data-test": "chosen-row",
        onclick: act,
        onkeydown: press,
      },
      ...cells,
    );
  }

  private save(): void {
    const cells = this.shownRows.map((row) => this.columns.map((column) => column.cell(row)));
    const header = this.columns.map((column) => headed(column.name, column.unit));
    save(fileName(this.look.title, "csv"), "text/csv", csvText(header, cells));
  }
}

const shortText = 24; // letters that stay on one line

function classOf(cell: Cell, text: string): string {
  if (typeof cell === "number") return "number";
  if (cell === null) return "nothing";
  return text.length <= shortText ? "short" : "long";
}

/** The arrow keys go from one row to the next, among those that can be chosen. */
function moveAmongRows(event: KeyboardEvent): void {
  const row = event.target as HTMLElement;
  const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
  if (!(next instanceof HTMLElement) || next.tabIndex < 0) return;
  event.preventDefault();
  next.focus();
}

/** A cell of words with a sign before them: clear without its colour, too. */
export function signed(kind: "good" | "warning" | "bad", text: string): HTMLElement {
  const sign = { good: "✓", warning: "▲", bad: "✕" }[kind];
  return make(
    "span",
    { class: `signed ${kind}` },
    make("span", { class: "sign", "aria-hidden": "true" }, sign),
    text || nothing,
  );
}
