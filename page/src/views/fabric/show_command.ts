// SPDX-License-Identifier: Apache-2.0
// The command that shows a route whose tables are not in the page. Pure functions.
import type { Made } from "../../data";

/** `weft show FABRIC TABLES --from A --to B` for what the page was made of; null where it does not say that. */
export function showCommand(made: Made, from: string, to: string): string | null {
  const valueOf = (...names: string[]) => made.specs.find(({ name }) => names.includes(name))?.value;
  const [fabric, tables] = [valueOf("fabric", "topology"), valueOf("tables", "engine")];
  if (!fabric || !tables) return null;
  return ["weft", "show", fabric, tables, "--from", from, "--to", to].map(shellWord).join(" ");
}

/** A word as a shell reads it. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
