// SPDX-License-Identifier: Apache-2.0
// Names of axes carry their units: "latency, us", "distance (hops)", "MB/s". This takes them apart.

export interface AxisName {
  quantity: string; // "" where the name is a unit alone
  unit: string; // "" where it has none
}

const unitAlone = /^(ns|us|ms|s|bytes|B|%|cycles|\S+\/s)$/;

export function takeApart(name: string): AxisName {
  const plain = name
    .replace(/\s*\(logarithmic\)/, "")
    .split(";")[0]
    .trim();
  if (unitAlone.test(plain)) return { quantity: "", unit: plain };
  const bracketed = /^(.*\S)\s*[([]([^()[\]]+)[)\]]$/.exec(plain);
  if (bracketed !== null) return { quantity: bracketed[1], unit: bracketed[2] };
  const comma = plain.lastIndexOf(", ");
  if (comma < 0) return { quantity: plain, unit: "" };
  return { quantity: plain.slice(0, comma), unit: plain.slice(comma + 2) };
}
