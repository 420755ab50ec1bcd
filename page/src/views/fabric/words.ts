// SPDX-License-Identifier: Apache-2.0
// Counts in words.
import { formatNumber } from "../../number";

/** "3 switches", "1 switch" */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}
