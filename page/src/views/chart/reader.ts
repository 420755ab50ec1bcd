// SPDX-License-Identifier: Apache-2.0
// Reads values off a plot: a vertical line and a box with all values at one x, by pointer or by arrow keys.
import { make } from "../../elements";
import type { Stop } from "./drawing";

/** Where things lie on a plot, in pixels. */
export interface PlotPlaces {
  x(at: number): number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export class Reader {
  private readonly line = make("div", { class: "hairline", hidden: true });
  private readonly tip = make("div", { class: "tip", role: "status", hidden: true, "data-test": "tip" });
  private stops: Stop[] = [];
  private places: PlotPlaces | null = null;
  private index = -1;

  constructor(private readonly box: HTMLElement) {
    box.append(this.line, this.tip);
  }

  set(stops: Stop[], places: PlotPlaces | null): void {
    this.places = places;
    this.stops = stops.filter((stop) => this.isInside(stop));
    this.hide();
  }

  /** The place on the axis that is read, if any. */
  get at(): number | null {
    return this.stops[this.index]?.at ?? null;
  }

  hide(): void {
    this.index = -1;
    this.line.hidden = this.tip.hidden = true;
  }

  /** Reads what is nearest to a pixel. */
  read(pixel: number): void {
    if (this.places === null || this.stops.length === 0) return;
    let best = 0;
    let least = Infinity;
    for (const [i, stop] of this.stops.entries()) {
      const distance = Math.abs(this.places.x(stop.at) - pixel);
      if (distance < least) [best, least] = [i, distance];
    }
    this.show(best);
  }

  /** Reads a later or an earlier one. */
  step(by: number): void {
    const start = this.index < 0 ? (by > 0 ? -1 : this.stops.length) : this.index;
    const next = Math.max(0, Math.min(this.stops.length - 1, start + by));
    if (this.stops.length > 0) this.show(next);
  }

  private isInside(stop: Stop): boolean {
    if (this.places === null) return false;
    const pixel = this.places.x(stop.at);
    return pixel >= this.places.left - 1 && pixel <= this.places.right + 1;
  }

  private show(index: number): void {
    if (this.places === null) return;
    const stop = this.stops[index];
    const { left, right, top, bottom } = this.places;
    const pixel = this.places.x(stop.at);
    if (index !== this.index) {
      const { heading, values } = stop.read();
      const rows = values.map((value) =>
        make(
          "tr",
          {},
          make("td", {}, make("span", { class: "dot", style: `background:${value.colour}` }), value.name),
          make("td", {}, value.text),
        ),
      );
      this.tip.replaceChildren(make("strong", {}, heading), make("table", {}, ...rows));
    }
    this.index = index;
    this.line.hidden = this.tip.hidden = false;
    this.line.style.cssText = `left:${pixel}px;top:${top}px;height:${bottom - top}px`;
    const width = this.tip.offsetWidth;
    const beside = pixel < (left + right) / 2 ? pixel + 12 : pixel - 12 - width;
    const place = Math.max(0, Math.min(beside, this.box.clientWidth - width));
    this.tip.style.cssText = `left:${place}px;top:${top}px`;
  }
}
