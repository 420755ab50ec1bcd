// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the reader prefers, until one of them is chosen. style.css has the colours of both.
import type { Colours } from "./context";
import { make } from "./elements";

const series = {
  light: ["#2a6fb0", "#c4531b", "#2f8f4e", "#8a4fb5", "#b38a00", "#b0336b", "#2a9c9c", "#6b6b6b"],
  dark: ["#6cb0ee", "#ee9462", "#6fc98a", "#c094e6", "#e0bd48", "#ea7fae", "#62cfcf", "#b0b0b0"],
};

/** The colours of style.css as they are now. */
export function coloursNow(): Colours {
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
    path: value("path"),
  };
}

const preference = matchMedia("(prefers-color-scheme: dark)");
let chosen = false;

function setTheme(dark: boolean): void {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
}

/** Takes the theme that is preferred, before anything is drawn. */
export function startTheme(): void {
  setTheme(preference.matches);
}

/** Calls back whenever colours change: by preference, or for paper. */
export function followTheme(changed: () => void): void {
  preference.addEventListener("change", () => {
    if (!chosen) setTheme(preference.matches);
    changed();
  });
  matchMedia("print").addEventListener("change", changed);
}

export function themeButton(changed: () => void): HTMLElement {
  const next = () => {
    chosen = true;
    setTheme(!coloursNow().dark);
    changed();
  };
  const attributes = { class: "theme", type: "button", title: "dark or light", "data-test": "theme" };
  return make("button", { ...attributes, onclick: next }, "◐");
}
