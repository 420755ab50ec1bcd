// SPDX-License-Identifier: Apache-2.0
// A chart on the page: title, legend, plot, buttons, and the table of its numbers.
import type { PageContext } from "../../context";
import type { AnyChart } from "../../data";
import { fileName, make, save } from "../../elements";
import { isCommand } from "../input";
import { csvText } from "../table/csv";
import type { Drawing, View } from "./drawing";
import { plotInto, type ECharts } from "./engine";
import { drawForm, heightFor } from "./forms";
import { drawLegend } from "./legend";
import { numbersOf } from "./numbers";
import { numberTable } from "./number_table";
import { whyNothing } from "./nothing";
import { pictureOf } from "./picture";
import { Reader, type PlotPlaces } from "./reader";
import { dragToZoom, limited, zoomedAround } from "./zoom";

const paperWidth = 680; // pixels; wider ones would have small words there

export class ChartFigure {
  readonly element = make("figure", { class: "chart", "data-test": "chart" });
  private readonly caption = make("figcaption");
  private readonly legend = make("div", { class: "legend", role: "group", "aria-label": "series" });
  private readonly plotBox = make("div", { class: "plot" });
  private readonly box = make(
    "div",
    { class: "plot-box", tabindex: 0, role: "group", "data-test": "plot" },
    this.plotBox,
  );
  private readonly nothing = make("p", { class: "note", "data-test": "nothing-to-draw" });
  private readonly below = make("div", { class: "below" });
  private readonly reset = make(
    "button",
    { type: "button", hidden: true, "data-test": "reset-zoom", onclick: () => this.zoomTo(null) },
    "Reset zoom",
  );
  private readonly details = make("details", {
    class: "numbers",
    "data-test": "numbers",
    ontoggle: () => this.fillNumbers(),
  });
  private readonly reader = new Reader(this.box);
  private readonly hidden = new Set<string>();
  private zoom: View["zoom"] = null;
  private plot: ECharts | null = null;
  private drawing: Drawing | null = null;

  constructor(
    private chart: AnyChart,
    private readonly context: PageContext,
    private readonly sectionTitle = "",
  ) {
    const button = (text: string, test: string, action: () => void) =>
      make("button", { type: "button", "data-test": test, onclick: action }, text);
    const buttons = make(
      "div",
      { class: "controls chart-buttons" },
      this.reset,
      button("Save SVG", "save-svg", () => this.savePicture()),
      button("Save CSV", "save-csv", () => this.saveNumbers()),
    );
    this.below.append(this.details, buttons);
    this.element.append(this.caption, this.nothing, this.legend, this.box, this.below);
    this.set(chart);
    this.listen();
    new ResizeObserver(() => this.fit()).observe(this.plotBox);
    context.onColours(() => this.redraw());
  }

  /** Shows another chart in its place; series that were hidden stay so. */
  set(chart: AnyChart): void {
    this.chart = chart;
    this.zoom = null;
    this.element.dataset.title = this.name;
    const isSaidAbove = chart.title === "" || chart.title === this.sectionTitle;
    this.caption.replaceChildren(isSaidAbove ? "" : make("strong", {}, chart.title));
    const why = whyNothing(chart);
    if (chart.note && why === "") this.caption.append(make("span", { class: "note" }, chart.note));
    this.box.setAttribute("aria-label", `${this.name}: arrow keys read values, + and - zoom, 0 shows all`);
    this.fillNumbers();
    this.showWhether(why);
    if (this.plot !== null) this.redraw();
  }

  /** Shows the chart, or why there is nothing to draw. */
  private showWhether(why: string): void {
    const isEmpty = why !== "";
    this.nothing.hidden = !isEmpty;
    this.nothing.textContent = isEmpty ? `Nothing to draw: ${why}.` : "";
    this.legend.hidden = this.box.hidden = this.below.hidden = isEmpty;
  }

  /** Its title; without one, what it shows and where, in this order: names of files are cut. */
  private get name(): string {
    const { chart } = this;
    const shown = chart.form === "bars" ? "" : chart.y.name || (chart.y.unit ?? "");
    return chart.title || [shown, this.sectionTitle].filter((part) => part !== "").join(": ");
  }

  private view(): View {
    const isPrinted = matchMedia("print").matches;
    const width = isPrinted ? Math.min(paperWidth, this.box.clientWidth) : this.box.clientWidth;
    return {
      width,
      height: heightFor(this.chart, width),
      colours: this.context.colours(),
      hidden: this.hidden,
      zoom: this.zoom,
    };
  }

  /** Draws again when the width changed; the height follows from it. */
  private fit(): void {
    if (this.plot?.getWidth() !== this.box.clientWidth) this.redraw();
  }

  private redraw(): void {
    const view = this.view();
    if (view.width === 0) return;
    this.plotBox.style.height = `${view.height}px`;
    this.plot ??= plotInto(this.plotBox);
    this.plot.resize({ width: view.width, height: view.height });
    this.drawing = drawForm(this.chart, view);
    this.plot.setOption(this.drawing.option, true);
    // On paper the plot shrinks with its column.
    this.plotBox.querySelector("svg")?.setAttribute("viewBox", `0 0 ${view.width} ${view.height}`);
    this.reader.set(this.drawing.stops, this.places());
    this.legend.hidden = this.drawing.entries.length === 0;
    drawLegend(this.legend, this.drawing.entries, this.hidden, (name) => this.toggle(name));
    this.reset.hidden = this.zoom === null;
    this.element.dataset.drawn = "yes";
    this.element.dataset.zoomed = this.zoom === null ? "no" : "yes";
  }

  private places(): PlotPlaces | null {
    const { plot, drawing } = this;
    if (plot === null || drawing === null || drawing.shown === null) return null;
    const x = (at: number) => plot.convertToPixel({ xAxisIndex: 0 }, at) as number;
    const y = (at: number) => plot.convertToPixel({ yAxisIndex: 0 }, at) as number;
    const { shown } = drawing;
    return { x, left: x(shown.x[0]), right: x(shown.x[1]), top: y(shown.y[1]), bottom: y(shown.y[0]) };
  }

  private toggle(name: string): void {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.redraw();
  }

  private zoomTo(zoom: View["zoom"]): void {
    this.zoom = zoom;
    this.redraw();
  }

  /** Zooms no further than can be drawn; all of x is no zoom, unless y is. */
  private zoomWithin({ x, y }: NonNullable<View["zoom"]>): void {
    const whole = this.drawing?.whole;
    if (!whole) return;
    const across = limited(x, whole.x);
    const isAll = y === null && across[0] === whole.x[0] && across[1] === whole.x[1];
    this.zoomTo(isAll ? null : { x: across, y: y === null ? null : limited(y, whole.y) });
  }

  private listen(): void {
    const read = (event: MouseEvent) =>
      this.reader.read(event.clientX - this.box.getBoundingClientRect().left);
    this.box.addEventListener("pointermove", (event) => {
      if (event.buttons === 0) read(event);
    });
    this.box.addEventListener("click", read);
    this.box.addEventListener("pointerleave", () => this.reader.hide());
    this.box.addEventListener("blur", () => this.reader.hide());
    this.box.addEventListener("dblclick", () => this.zoomTo(null));
    this.box.addEventListener("keydown", (event) => {
      if (!isCommand(event) && this.press(event.key)) event.preventDefault();
    });
    dragToZoom(
      this.box,
      () => (this.drawing?.whole ? this.places() : null),
      (dragged) => {
        const from = (axis: object, pixel: number) => this.plot?.convertFromPixel(axis, pixel) as number;
        const x = dragged.x.map((pixel) => from({ xAxisIndex: 0 }, pixel)) as [number, number];
        const y = dragged.y?.map((pixel) => from({ yAxisIndex: 0 }, pixel)) as [number, number] | undefined;
        this.zoomWithin({ x, y: y ?? null });
      },
    );
  }

  /** Whether the key means something here. */
  private press(key: string): boolean {
    const shown = this.drawing?.shown;
    if (!shown) return false;
    const factor = { "+": 0.5, "=": 0.5, "-": 2, _: 2 }[key];
    if (key === "ArrowRight") this.reader.step(1);
    else if (key === "ArrowLeft") this.reader.step(-1);
    else if (key === "Home") this.reader.step(-Infinity);
    else if (key === "End") this.reader.step(Infinity);
    else if (key === "0") this.zoomTo(null);
    else if (key === "Escape") this.reader.at === null ? this.zoomTo(null) : this.reader.hide();
    else if (factor !== undefined && this.drawing?.whole) {
      this.zoomWithin({ x: zoomedAround(shown.x, this.reader.at, factor), y: null });
    } else return false;
    return true;
  }

  private fillNumbers(): void {
    const summary = this.details.querySelector("summary") ?? make("summary", {}, "Numbers");
    this.details.replaceChildren(summary);
    if (this.details.open) this.details.append(numberTable(numbersOf(this.chart)));
  }

  private savePicture(): void {
    const titled = { ...this.chart, title: this.name };
    save(fileName(this.name, "svg"), "image/svg+xml", pictureOf(titled, this.view()));
  }

  private saveNumbers(): void {
    const { header, rows } = numbersOf(this.chart);
    save(fileName(this.name, "csv"), "text/csv", csvText(header, rows));
  }
}
