// SPDX-License-Identifier: Apache-2.0
// Numbers as words.

/** A number as it is read: few digits, thousands apart. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  const digits = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
  return value.toLocaleString("en-US", { maximumFractionDigits: digits });
}

/** "3 switches", "1 switch" */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
