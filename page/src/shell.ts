// SPDX-License-Identifier: Apache-2.0
// The page around its sections: title, what made it, contents, dark or light.
import type { PageContext } from "./context";
import type { Page, RowMark, Section } from "./data";
import { breakable, make } from "./elements";
import { coloursNow, followTheme, themeButton } from "./theme";
import { withoutRepeats } from "./titles";
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
    default: {
      const { kind }: { kind: string } = section;
      throw new Error(`sections of the kind "${kind}" are not known`);
    }
  }
}

function madeBy(page: Page): HTMLElement {
  const { made } = page;
  const facts = make("dl", { class: "made" });
  const fact = (name: string, value: string) =>
    facts.append(make("dt", {}, name), make("dd", {}, value));
  fact("command", made.command);
  for (const spec of made.specs) fact(spec.name, spec.value);
  if (made.seed !== undefined) fact("seed", made.seed);
  fact("made by", `weft ${made.version}`);
  return facts;
}

/** The words of a section's heading: those of the first do not repeat the title of the page, right above. */
function headingOf(section: Section, page: Page): string {
  return section === page.sections[0] ? withoutRepeats(section.title, page.title) : section.title;
}

function heading(section: Section, page: Page): HTMLElement | null {
  const words = headingOf(section, page);
  return words === "" ? null : make("h2", {}, ...breakable(words));
}

/** Says what cannot be shown, and why. */
export function failureText(what: string, error: unknown): HTMLElement {
  const why = error instanceof Error ? error.message : String(error);
  return make("p", { class: "failure", role: "alert", "data-test": "failure" }, `${what} cannot be shown: ${why}`);
}

/** A section that cannot be drawn says so; the others are drawn all the same. */
function drawSection(section: Section, into: HTMLElement, context: PageContext): void {
  const body = make("div", { class: "body" });
  into.append(
    make(
      "section",
      { id: section.id, class: section.kind, "data-kind": section.kind, "aria-label": section.title },
      heading(section, context.page),
      section.note === undefined ? null : make("p", { class: "note" }, section.note),
      body,
    ),
  );
  try {
    draw(section, body, context);
  } catch (error) {
    console.error(error);
    body.replaceChildren(failureText("This section", error));
  }
}

function contextOf(page: Page, redraws: (() => void)[]): PageContext {
  const handlers = new Map<string, (mark: RowMark) => void>();
  return {
    page,
    colours: coloursNow,
    onColours: (each) => void redraws.push(each),
    show: (mark) => {
      document.getElementById(mark.fabric)?.scrollIntoView({ behavior: "smooth", block: "start" });
      handlers.get(mark.fabric)?.(mark);
    },
    onShow: (section, handle) => void handlers.set(section, handle),
  };
}

export function drawPage(page: Page, into: HTMLElement): void {
  document.title = page.title;
  const redraws: (() => void)[] = [];
  const context = contextOf(page, redraws);
  const redraw = () => redraws.forEach((each) => each());
  followTheme(redraw);

  const contents = make("nav", { "aria-label": "sections" });
  for (const section of page.sections)
    contents.append(
      make("a", { href: `#${section.id}` }, ...breakable(headingOf(section, page) || section.title)),
    );
  into.append(
    make("header", {}, make("h1", {}, ...breakable(page.title)), themeButton(redraw), madeBy(page)),
  );
  if (page.sections.length > 1) into.append(contents);
  for (const section of page.sections) drawSection(section, into, context);
}
