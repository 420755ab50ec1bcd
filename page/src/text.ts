// SPDX-License-Identifier: Apache-2.0
// How wide text is, and where it breaks into lines: for pictures, which cannot leave that to the browser.

// Without double quotes: it is written into attributes as it is.
export const fontFamily = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";

export interface TextSize {
  size?: number; // pixels
  bold?: boolean;
}

const letterWidth = 0.55; // of the size, about: where nothing measures

let pen: CanvasRenderingContext2D | null | undefined;

/** In pixels. */
export function textWidth(text: string, { size = 12, bold = false }: TextSize = {}): number {
  if (pen === undefined)
    pen = typeof document === "undefined" ? null : document.createElement("canvas").getContext("2d");
  if (pen === null) return letterWidth * size * text.length;
  pen.font = `${bold ? "600 " : ""}${size}px ${fontFamily}`;
  return pen.measureText(text).width;
}

export function widest(texts: string[], size?: TextSize): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text, size)), 0);
}

/** How many letters of a text have room: at least one. */
function fitting(text: string, room: number, size?: TextSize): number {
  let letters = text.length;
  while (letters > 1 && textWidth(text.slice(0, letters), size) > room) --letters;
  return letters;
}

/** Lines of a text that are no wider: broken after spaces and punctuation, and within words that are too long. */
export function brokenText(text: string, room: number, size?: TextSize): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of text.match(/[^\s,;:/_-]*[\s,;:/_-]*/g) ?? []) {
    if (textWidth((line + part).trimEnd(), size) <= room) {
      line += part;
      continue;
    }
    if (line !== "") lines.push(line.trimEnd());
    line = part;
    while (textWidth(line.trimEnd(), size) > room && line.length > 1) {
      const letters = fitting(line, room, size);
      lines.push(line.slice(0, letters));
      line = line.slice(letters);
    }
  }
  if (line !== "") lines.push(line.trimEnd());
  return lines.length > 0 ? lines : [""];
}
