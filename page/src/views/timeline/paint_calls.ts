// SPDX-License-Identifier: Apache-2.0
// Draws the calls that operations are part of: a thin band above the operations of each rank, with their names.
import { between } from "../../mix";
import { callSpan } from "./geometry";
import type { TimelineScene } from "./scene";
import type { Rectangle, Surface } from "./surface";
import { callName } from "./words";

const letterWidth = 6.1; // of names, which are small
const bandWithWords = 9; // pixels

export function paintCalls(surface: Surface, scene: TimelineScene): void {
  const { view, colours } = scene;
  const named: { call: number; box: Rectangle }[] = [];
  const rects: number[] = [];
  for (let rank = view.firstRank; rank <= view.lastRank; ++rank) collectCalls(scene, rank, rects, named);
  surface.rects(rects, callColour(scene));
  for (const { call, box } of named) {
    const left = Math.max(box.x, scene.gutter);
    const room = box.x + box.width - left - 6;
    const name = callName(scene.section, call);
    if (name.length * letterWidth <= room)
      surface.text(left + 3, box.y + box.height / 2, name, { colour: colours.ink, size: 9.5 });
  }
}

export function callColour({ colours }: Pick<TimelineScene, "colours">): string {
  return between(colours.ink, colours.paper, 0.78);
}

function collectCalls(
  scene: TimelineScene,
  rank: number,
  rects: number[],
  named: { call: number; box: Rectangle }[],
): void {
  const { view, index, gutter, section } = scene;
  const span = callSpan(scene, rank);
  const { calls } = section;
  if (span === null || calls === undefined) return;
  let drawn = -Infinity; // up to here
  index.eachCall(rank, view.begin, view.end, (call) => {
    const x = gutter + view.x(calls.begin[call]);
    const right = gutter + view.x(calls.end[call]);
    if (right < drawn + 1 && right - x < 1) return; // of several within a pixel the first
    const box = { x, width: Math.max(1, right - x - (right - x > 3 ? 1 : 0)), ...span };
    rects.push(box.x, box.y, box.width, box.height);
    drawn = Math.max(drawn, x + box.width);
    if (box.width > 20 && span.height >= bandWithWords) named.push({ call, box });
  });
}
