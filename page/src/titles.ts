// SPDX-License-Identifier: Apache-2.0
// Titles that say the same twice. No document is needed.

const between = /(, | on |: )/;

/** A title without the parts that another one, right above it, already says; as it is where it shares hardly any of
 * them. */
export function withoutRepeats(title: string, above: string): string {
  const said = above.split(between).filter((_, i) => i % 2 === 0);
  const parts = title.split(between);
  const shared = new Set(said.filter((part) => parts.includes(part)));
  if (shared.size < Math.min(2, said.length)) return title;
  let rest = "";
  for (let i = 0; i < parts.length; i += 2)
    if (!shared.has(parts[i])) rest += rest === "" ? parts[i] : parts[i - 1] + parts[i];
  return rest;
}
