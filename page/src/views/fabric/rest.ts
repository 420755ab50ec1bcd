// SPDX-License-Identifier: Apache-2.0
// Work that can wait until the page is seen and nobody moves anything in it: it takes the page's time.

const quiet = 400; // ms without input
const inputs = ["pointerdown", "pointermove", "wheel", "keydown", "touchmove"];

/** Does steps one after the other, each once the page is drawn and at rest; returns what ends that. */
export function atRest(steps: (() => void)[]): () => void {
  const left = [...steps];
  let timer: number | undefined;
  let ended = false;
  const wait = () => {
    clearTimeout(timer);
    timer = window.setTimeout(step, quiet);
  };
  const end = () => {
    ended = true;
    clearTimeout(timer);
    for (const input of inputs) removeEventListener(input, wait, true);
  };
  const step = () => {
    left.shift()?.();
    if (left.length === 0) end();
    else if (!ended) afterFrames(wait);
  };
  for (const input of inputs) addEventListener(input, wait, { capture: true, passive: true });
  afterFirstPaint(() => ended || wait());
  return end;
}

/** Calls back when the page was seen first: frames come earlier while the browser still starts. */
function afterFirstPaint(action: () => void): void {
  const observer = new PerformanceObserver(() => {
    observer.disconnect();
    action();
  });
  if (!PerformanceObserver.supportedEntryTypes.includes("paint")) afterFrames(action);
  else observer.observe({ type: "paint", buffered: true });
}

/** Calls back when what was drawn is on the screen. */
function afterFrames(action: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(action));
}
