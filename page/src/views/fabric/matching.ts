// SPDX-License-Identifier: Apache-2.0
// Switches and hosts by parts of their names and addresses, and names that are nearly as they were typed. Pure
// functions.

export interface Named {
  kind: "switch" | "host";
  number: number;
  name: string;
  address?: string; // "LID 5, GUID 0x2c9020040f0f8"
}

const mostMatches = 12;
const mostNearest = 3;

/** Names and addresses that contain the text, whatever its case; GUIDs with leading zeros or without. First comes
 * whose name it is, then whose LID or GUID; then names that begin with it, names and addresses that contain it. */
export function matches(names: Named[], text: string, most: number = mostMatches): Named[] {
  const wanted = text.trim().toLowerCase().replace(/^0x0+(?=.)/, "0x");
  if (wanted === "") return [];
  const ranked: Named[][] = [[], [], [], [], []];
  for (const each of names) {
    const found = rank(each, wanted);
    if (found >= 0 && ranked[found].length < most) ranked[found].push(each);
  }
  return ranked.flat().slice(0, most);
}

function rank({ name: properName, address: properAddress = "" }: Named, wanted: string): number {
  const [name, address] = [properName.toLowerCase(), properAddress.toLowerCase()];
  const place = name.indexOf(wanted);
  const inAddress = address.includes(wanted);
  if (name === wanted) return 0;
  if (inAddress && address.split(", ").some((part) => [part, part.replace(/^\w+ /, "")].includes(wanted))) return 1;
  if (place >= 0) return place === 0 ? 2 : 3;
  return inAddress ? 4 : -1;
}

/** The names that differ least from a text: by a third of its letters at most. */
export function nearest(names: Named[], text: string, most: number = mostNearest): Named[] {
  const wanted = text.trim().toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const near = names.flatMap((one) => {
    if (Math.abs(one.name.length - wanted.length) > limit) return [];
    const apart = editDistance(one.name.toLowerCase(), wanted);
    return apart > limit ? [] : [{ one, apart }];
  });
  near.sort((a, b) => a.apart - b.apart);
  return near.slice(0, most).map(({ one }) => one);
}

/** Letters to insert, remove or replace (Levenshtein 1966). */
export function editDistance(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; ++i) {
    const row = [i];
    for (let k = 1; k <= b.length; ++k)
      row.push(Math.min(before[k] + 1, row[k - 1] + 1, before[k - 1] + (a[i - 1] === b[k - 1] ? 0 : 1)));
    before = row;
  }
  return before[b.length];
}
