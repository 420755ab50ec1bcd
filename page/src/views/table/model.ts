// SPDX-License-Identifier: Apache-2.0
// A table without its looks: columns, what is filtered, how it is sorted, and which rows remain. No document
// is needed.
import type { Cell } from "../../data";
import { columnFormat, formatCell, formatFixed } from "../../number";
import {
  columnTest,
  hasWords,
  isFiltering,
  noFilter,
  searchedText,
  wordsOf,
  type CellFormat,
  type ColumnFilter,
} from "./filter";
import { compareCells, sorted } from "./order";

export interface TableColumn {
  name: string;
  unit: string; // "" without one
  meaning: string;
  places?: number; // digits after the point; otherwise as many as its numbers need
  cell(row: number): Cell;
}

/** What the cells of a column are like. */
export interface ColumnFacts extends CellFormat {
  /** Whether all rows, of which there are several, have the same cell. */
  same: boolean;
  /** The values as they are shown, in order, where they are few. */
  values: string[] | null;
}

const few = 16;

function factsOf(column: TableColumn, rows: number): ColumnFacts {
  const numbers: number[] = [];
  const cells = new Set<Cell>();
  let texts = 0;
  for (let row = 0; row < rows; ++row) {
    const cell = column.cell(row);
    if (typeof cell === "number") numbers.push(cell);
    else if (cell !== null) ++texts;
    if (cells.size <= few) cells.add(cell);
  }
  const { places } = column;
  const formatNumbers = places === undefined ? columnFormat(numbers) : (each: number) => formatFixed(each, places);
  const format = (cell: Cell) =>
    typeof cell === "number" && texts === 0 ? formatNumbers(cell) : formatCell(cell);
  const isFew = cells.size <= few && cells.size > 1;
  const inOrder = isFew ? new Set([...cells].sort(compareCells).map(format)) : [];
  return {
    same: rows > 1 && cells.size === 1,
    numeric: numbers.length > 0 && texts === 0,
    values: isFew ? [...inOrder] : null,
    format,
  };
}

export class TableModel {
  readonly facts: ColumnFacts[];
  words = "";
  sortedBy: { column: number; descending: boolean } | null = null;
  private readonly filters: ColumnFilter[];
  private texts: string[] | null = null;

  constructor(
    readonly columns: TableColumn[],
    readonly rowCount: number,
  ) {
    this.facts = columns.map((column) => factsOf(column, rowCount));
    this.filters = columns.map(() => noFilter);
  }

  filterOf(column: number): ColumnFilter {
    return this.filters[column];
  }

  setFilter(column: number, filter: ColumnFilter): void {
    this.filters[column] = filter;
  }

  /** By this column; again: the other direction. */
  sortBy(column: number): void {
    const again = this.sortedBy?.column === column;
    this.sortedBy = { column, descending: again && !this.sortedBy?.descending };
  }

  /** The rows that pass all filters, in their order. */
  rows(): number[] {
    const words = wordsOf(this.words);
    const tests = this.filters.flatMap((filter, i) => {
      if (!isFiltering(filter)) return [];
      const test = columnTest(filter, this.facts[i]);
      return [(row: number) => test(this.columns[i].cell(row))];
    });
    const passing: number[] = [];
    for (let row = 0; row < this.rowCount; ++row) {
      if (words.length > 0 && !hasWords(this.textOf(row), words)) continue;
      if (tests.every((test) => test(row))) passing.push(row);
    }
    const by = this.sortedBy;
    return by === null ? passing : sorted(passing, this.columns[by.column].cell, by.descending);
  }

  /** The text of a row that words are looked for in. */
  private textOf(row: number): string {
    this.texts ??= Array.from({ length: this.rowCount }, (_, i) =>
      this.columns.map((column, k) => searchedText(column.cell(i), this.facts[k])).join("\t"),
    );
    return this.texts[row];
  }
}
