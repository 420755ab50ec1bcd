// SPDX-License-Identifier: Apache-2.0
// The page around its sections: title, what made it, contents, dark or light.
import type { PageContext } from "./context";
import type { Page, RowMark, Section } from "./data";
import { make } from "./elements";
import { coloursNow, followTheme, themeButton } from "./theme";
import { drawCharts } from "./views/charts";
import { drawFabric } from "./views/fabric";
import { drawPaper } from "./views/paper";
import { drawRows } from "./views/rows";
import { drawTimeline } from "./views/timeline";

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

/** The heading of a section; that of the first does not repeat the title of the page, right above. */
function heading(section: Section, page: Page): HTMLElement | null {
  const rest = section.title.startsWith(page.title) ? section.title.slice(page.title.length) : null;
  const repeats = section === page.sections[0] && rest !== null && /^([\s:,]|$)/.test(rest);
  const words = repeats ? rest.replace(/^[\s:,]+/, "") : section.title;
  return words === "" ? null : make("h2", {}, words);
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
  followTheme(redraw);

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
        { id: section.id, class: section.kind, "data-kind": section.kind, "aria-label": section.title },
        heading(section, page),
        section.note === undefined ? null : make("p", { class: "note" }, section.note),
        body,
      ),
    );
    draw(section, body, context);
  }
  document.documentElement.dataset.ready = "yes";
}
