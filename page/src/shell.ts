// SPDX-License-Identifier: Apache-2.0
// The page around its sections: title, what made it, contents, dark or light.
import type { Colours, PageContext } from "./context";
import type { Page, RowMark, Section } from "./data";
import { make } from "./elements";
import { drawCharts } from "./views/charts";
import { drawFabric } from "./views/fabric";
import { drawPaper } from "./views/paper";
import { drawRows } from "./views/rows";
import { drawTimeline } from "./views/timeline";

const series = {
  light: ["#2a6fb0", "#c4531b", "#2f8f4e", "#8a4fb5", "#b38a00", "#b0336b", "#2a9c9c", "#6b6b6b"],
  dark: ["#6cb0ee", "#ee9462", "#6fc98a", "#c094e6", "#e0bd48", "#ea7fae", "#62cfcf", "#b0b0b0"],
};

/** The colours of style.css as they are now. */
function coloursNow(): Colours {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const dark = value("dark") === "1";
  return {
    dark,
    ink: value("ink"),
    faint: value("faint"),
    paper: value("paper"),
    series: dark ? series.dark : series.light,
    scale: value("scale").split(/\s+/),
    good: value("good"),
    warning: value("warning"),
    bad: value("bad"),
  };
}

function draw(section: Section, into: HTMLElement, context: PageContext): void {
  switch (section.kind) {
    case "fabric":
      return drawFabric(section, into, context);
    case "charts":
      return drawCharts(section, into, context);
    case "rows":
      return drawRows(section, into, context);
    case "timeline":
      return drawTimeline(section, into, context);
    case "paper":
      return drawPaper(section, into, context);
  }
}

function madeBy(page: Page): HTMLElement {
  const { made } = page;
  const facts = make("dl", { class: "made" });
  const fact = (name: string, value: string) =>
    facts.append(make("dt", {}, name), make("dd", {}, value));
  fact("command", made.command);
  for (const spec of made.specs) fact(spec.name, spec.value);
  if (made.seed !== undefined) fact("seed", String(made.seed));
  fact("made by", `weft ${made.version}`);
  return facts;
}

function themeButton(changed: () => void): HTMLElement {
  const next = () => {
    const dark = coloursNow().dark;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    changed();
  };
  return make("button", { class: "theme", type: "button", title: "dark or light", onclick: next }, "◐");
}

export function drawPage(page: Page, into: HTMLElement): void {
  document.title = page.title;
  const redraws: (() => void)[] = [];
  const handlers = new Map<string, (mark: RowMark) => void>();
  const redraw = () => redraws.forEach((each) => each());
  const context: PageContext = {
    page,
    colours: coloursNow,
    onColours: (each) => void redraws.push(each),
    show: (mark) => {
      document.getElementById(mark.fabric)?.scrollIntoView({ behavior: "smooth", block: "start" });
      handlers.get(mark.fabric)?.(mark);
    },
    onShow: (section, handle) => void handlers.set(section, handle),
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  matchMedia("print").addEventListener("change", redraw);

  const contents = make("nav", { "aria-label": "sections" });
  for (const section of page.sections)
    contents.append(make("a", { href: `#${section.id}` }, section.title));
  into.append(make("header", {}, make("h1", {}, page.title), themeButton(redraw), madeBy(page)));
  if (page.sections.length > 1) into.append(contents);
  for (const section of page.sections) {
    const body = make("div", { class: "body" });
    into.append(
      make(
        "section",
        { id: section.id, class: section.kind, "data-kind": section.kind },
        make("h2", {}, section.title),
        section.note === undefined ? null : make("p", { class: "note" }, section.note),
        body,
      ),
    );
    draw(section, body, context);
  }
  document.documentElement.dataset.ready = "yes";
}
