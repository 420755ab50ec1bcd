// SPDX-License-Identifier: Apache-2.0
// Long work in slices, so that the page stays usable meanwhile.

const slice = 15; // ms

/** Runs a generator to its end, a slice at a time; returns what stops it. */
export function inSlices<T>(work: Generator<void, T>, done: (result: T) => void): () => void {
  let timer: number | undefined;
  const run = () => {
    const end = performance.now() + slice;
    do {
      const { done: isDone, value } = work.next();
      if (isDone) return done(value);
    } while (performance.now() < end);
    timer = window.setTimeout(run);
  };
  timer = window.setTimeout(run);
  return () => clearTimeout(timer);
}
