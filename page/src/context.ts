// SPDX-License-Identifier: Apache-2.0
// What the views of a page share: its data, its colours, and what is chosen in it.
import type { Page, RowMark } from "./data";

export interface Colours {
  dark: boolean;
  ink: string;
  faint: string; // axes, borders
  paper: string; // the background
  series: string[]; // for what is to be distinguished
  scale: string[]; // of loads, from nothing to the most
  good: string;
  warning: string;
  bad: string;
  path: string; // of what runs over everything else: the critical path
}

export interface PageContext {
  page: Page;
  colours(): Colours;
  /** Calls back whenever the page turns dark or light, and before and after it is printed. */
  onColours(redraw: () => void): void;
  /** Shows something in a fabric section: scrolls there and marks it. */
  show(mark: RowMark): void;
  onShow(section: string, handle: (mark: RowMark) => void): void;
}
