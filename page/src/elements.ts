// SPDX-License-Identifier: Apache-2.0
// Makes elements of the document. Text is always set as text: names from a fabric are never markup.

export type Child = Node | string | null;

/** make("button", { class: "x", onclick: f }, "text"): attributes, handlers and children. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string | number | boolean | EventListener | undefined> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
  return element;
}

/** A text that breaks after punctuation, where it has to: specs are long and have no spaces. */
export function breakable(text: string): Child[] {
  return text.split(/(?<=[,:;=/_+-])/).flatMap((part, i) => (i === 0 ? [part] : [make("wbr"), part]));
}

/** Offers a text as a file to save. */
export function save(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = make("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** A field of a CSV file. Spreadsheets compute what begins with = + - or @: an apostrophe makes words of it. */
export function csvField(value: string | number | boolean | null): string {
  if (value === null) return "";
  const isFormula = typeof value === "string" && /^[=+\-@\t\r]/.test(value) && Number.isNaN(Number(value));
  const text = isFormula ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A name of a file from words. */
export function fileName(words: string, ending: string): string {
  const stem = words.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  return `${stem.slice(0, 60) || "weft"}.${ending}`;
}
