// SPDX-License-Identifier: Apache-2.0
// A chart of rows of a table: one column along x, others along y, series by further ones. Rows of one
// series with the same x are averaged. No document is needed.
import type { Axis, Cell, Column, LineChart, Series } from "../../data";
import { formatCell, titled, withUnit } from "../../number";
import { compareCells } from "../table/order";

export type AxisScale = NonNullable<Axis["scale"]>;

/** Indices of columns, and the scales of the axes. */
export interface ChartChoice {
  x: number;
  y: number[];
  by: number[];
  xScale: AxisScale;
  yScale: AxisScale;
}

class Mean {
  private sum = 0;
  private count = 0;

  add(value: number): void {
    this.sum += value;
    ++this.count;
  }
  get value(): number {
    return this.sum / this.count;
  }
}

const mostSeries = 24;

/** Words along x, in order, where the column is not one of numbers. */
function wordsAlong(cells: Cell[]): string[] | undefined {
  if (cells.every((cell) => typeof cell === "number" || cell === null)) return undefined;
  const cellOf = new Map(cells.map((cell) => [formatCell(cell), cell]));
  return [...cellOf.keys()].sort((a, b) => compareCells(cellOf.get(a) ?? null, cellOf.get(b) ?? null));
}

interface Group {
  name: string;
  means: Map<number, Mean>; // by x
  colour: number;
  dashed: boolean;
  unit: string;
}

interface Grouped {
  groups: Group[];
  rows: number; // that have a value
  points: number;
}

function groupsOf(
  columns: Column[],
  rows: Cell[][],
  choice: ChartChoice,
  placeOf: (cell: Cell) => number | null,
): Grouped {
  const groups = new Map<string, Group>();
  const colours = new Map<string, number>();
  let counted = 0;
  for (const row of rows) {
    const x = placeOf(row[choice.x]);
    const words = choice.by.map((column) => describe(columns[column], row[column])).join(", ");
    if (x === null) continue;
    for (const [i, y] of choice.y.entries()) {
      const value = row[y];
      if (typeof value !== "number" || !Number.isFinite(value)) continue;
      const name = [choice.y.length > 1 || words === "" ? columns[y].name : "", words]
        .filter((part) => part !== "")
        .join(": ");
      const colour = colours.get(words) ?? colours.size;
      colours.set(words, colour);
      const dashed = i > 0 && choice.by.length > 0;
      const group = groups.get(name) ?? {
        name,
        means: new Map(),
        colour: dashed || choice.by.length > 0 ? colour : i,
        dashed,
        unit: columns[y].unit,
      };
      groups.set(name, group);
      const mean = group.means.get(x) ?? new Mean();
      mean.add(value);
      group.means.set(x, mean);
      ++counted;
    }
  }
  const all = [...groups.values()];
  return { groups: all, rows: counted, points: all.reduce((sum, group) => sum + group.means.size, 0) };
}

/** A value that tells series apart: numbers and yes or no need the name of their column. */
function describe(column: Column, cell: Cell): string {
  const text = formatCell(cell);
  if (typeof cell === "string") return text;
  return `${column.name} ${withUnit(text, column.unit)}`;
}

/** Between words there is nothing: points alone. */
function seriesOf(group: Group, alongWords: boolean): Series {
  const points = [...group.means].map(([x, mean]) => [x, mean.value]).sort((a, b) => a[0] - b[0]);
  return {
    name: group.name,
    points,
    marked: alongWords || points.length <= 64,
    unlined: alongWords,
    colour: group.colour,
    dashed: group.dashed,
    unit: group.unit,
  };
}

function noteOf({ groups, rows, points }: Grouped): string | undefined {
  const notes: string[] = [];
  if (points < rows)
    notes.push(`${rows} values averaged to ${points} points: those of a series with the same x`);
  if (groups.length > mostSeries) notes.push(`the first ${mostSeries} of ${groups.length} series`);
  return notes.length > 0 ? notes.join("; ") : undefined;
}

/** What the y axis shows; columns with different units have them in its name. */
function quantityOf(columns: Column[]): { name: string; unit?: string } {
  const units = new Set(columns.map((column) => column.unit));
  if (units.size > 1) return { name: columns.map((column) => titled(column.name, column.unit)).join("; ") };
  return { name: columns.map((column) => column.name).join(", "), unit: columns[0]?.unit };
}

export function chartOfRows(columns: Column[], rows: Cell[][], choice: ChartChoice): LineChart {
  const words = wordsAlong(rows.map((row) => row[choice.x]));
  const indexOf = new Map(words?.map((word, i) => [word, i]));
  const placeOf = (cell: Cell) =>
    words === undefined ? (cell as number | null) : (indexOf.get(formatCell(cell)) ?? null);
  const grouped = groupsOf(columns, rows, choice, placeOf);
  const names = choice.y.map((column) => columns[column].name).join(", ");
  const { name, unit } = columns[choice.x];
  return {
    form: "lines",
    title: `${names} by ${name}`,
    note: noteOf(grouped),
    x: { name, unit, scale: choice.xScale, words },
    y: { ...quantityOf(choice.y.map((column) => columns[column])), scale: choice.yScale },
    series: grouped.groups.slice(0, mostSeries).map((group) => seriesOf(group, words !== undefined)),
  };
}
