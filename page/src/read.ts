// SPDX-License-Identifier: Apache-2.0
// The data of the page: JSON in an element of it, or the same compressed by gzip, in base64.
import type { Page } from "./data";

export async function readPage(): Promise<Page> {
  const element = document.getElementById("weft-data");
  if (element === null) throw new Error("it has no data");
  const text = element.textContent ?? "";
  if (element.getAttribute("type") === "application/json") return JSON.parse(text);
  const bytes = fromBase64(text.trim());
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Numbers of so many bytes each, low byte first. */
export function numbersOf(bytes: Uint8Array, width: number): Uint32Array {
  const out = new Uint32Array(Math.floor(bytes.length / width));
  for (let i = 0, k = 0; i < out.length; ++i)
    for (let shift = 0; shift < 8 * width; shift += 8) out[i] |= bytes[k++] << shift;
  return out;
}
