// SPDX-License-Identifier: Apache-2.0
// Names beside what they name: shortened in the middle where they are long, and none over another. Pure functions; a
// place is in pixels.
import type { Point } from "../input";
import type { Box } from "./geometry";

/** A name to be placed: the point below its middle, or at its beginning. */
export interface WantedName {
  text: string;
  x: number;
  y: number; // of its base line
  size: number; // of its letters
  begins?: boolean; // at the point
  room?: number; // between neighbours that have names, too
}

export interface PlacedName extends WantedName {
  box: Box;
}

const longest = 24; // letters
const shortest = 12; // that a name is shortened to
const air = 2; // around a name
const widths: [RegExp, number][] = [
  [/[il.,:;|'!]/, 0.36],
  [/[mwMW@%…]/, 0.98],
  [/[\u2e80-\uffff]/, 1.05],
  [/[A-Z<>=+_~]/, 0.76],
];
const usualWidth = 0.64; // of a letter, in its size: of fonts that are rather wide

/** At most so many letters: the middle goes. */
export function shortened(name: string, most: number = longest): string {
  const letters = [...name];
  if (letters.length <= most) return name;
  const head = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, head).join("")}…${letters.slice(head + 1 - most).join("")}`;
}

/** Letters of a name: fewer where neighbours are near. */
function lettersFor({ room = Infinity, size }: WantedName): number {
  return Math.max(shortest, Math.min(longest, Math.floor((room - 2 * air) / (1.1 * usualWidth * size))));
}

/** About how wide a text is; canvases know exactly, but a first one waits for the browser's graphics. */
export function estimatedWidth(text: string, size: number): number {
  let width = 0;
  for (const letter of text) width += widths.find(([letters]) => letters.test(letter))?.[1] ?? usualWidth;
  return width * size;
}

/** Places names in a picture, the first ones first; a name without room is left out. */
export class NamePlaces {
  private readonly rows = new Map<number, Box[]>(); // by height
  private readonly rowHeight = 16;

  constructor(
    private readonly width: number,
    private readonly height: number,
  ) {}

  place(wanted: WantedName): PlacedName | null {
    const text = shortened(wanted.text, lettersFor(wanted));
    const width = estimatedWidth(text, wanted.size);
    if (wanted.y - wanted.size < 0 || wanted.y > this.height || width + 2 * air > this.width) return null;
    const begin = wanted.begins ? wanted.x : wanted.x - width / 2;
    const left = Math.max(air, Math.min(this.width - air - width, begin)); // inside the picture
    const box = { left, right: left + width, top: wanted.y - wanted.size, bottom: wanted.y + 0.25 * wanted.size };
    if (this.isTaken(box)) return null;
    this.take(box);
    return { ...wanted, text, x: wanted.x + left - begin, box };
  }

  /** Keeps names away from a dot. */
  reserve({ x, y }: Point, radius: number): void {
    this.take({ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius });
  }

  private take(box: Box): void {
    for (const row of this.rowsOf(box)) {
      const boxes = this.rows.get(row);
      if (boxes === undefined) this.rows.set(row, [box]);
      else boxes.push(box);
    }
  }

  private isTaken({ left, top, right, bottom }: Box): boolean {
    const meets = (other: Box) =>
      left < other.right + air && right > other.left - air && top < other.bottom + 1 && bottom > other.top - 1;
    return this.rowsOf({ left, top, right, bottom }).some((row) => this.rows.get(row)?.some(meets) ?? false);
  }

  private rowsOf({ top, bottom }: Box): number[] {
    const [first, last] = [top - 1, bottom + 1].map((y) => Math.floor(y / this.rowHeight));
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  }
}
