// SPDX-License-Identifier: Apache-2.0
// Measures pages of large fabrics in headless Chromium with software GL: when they are ready, and how long the
// frames take while the picture zooms and is dragged. Needs weft built and the packages of page/ installed.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const coldStarts = 5;
const usage = `usage: node bench/pages.mjs [ROW...]
  ROW    measure only rows whose fabric contains this text; all rows: about five minutes
       node bench/pages.mjs --help    this text
Prints a line for each page: its size; ms until it is ready and the second frame after that in a browser just
started ("cold"), until that browser has painted it ("painted"), both the median of ${coldStarts} browsers, and in one that has
shown it before ("warm"); the median and the 95th percentile of the frames, in ms, while it zooms and while it is
dragged. A frame of a screen with 60 Hz takes 16.7 ms.
Environment: WEFT, the program; CHROMIUM, the browser.

example: node bench/pages.mjs torus clos3
`;

// Fabric, routing engine, what scene draws it in the end.
const rows = [
  ["torus:dims=32x32", "dor", "svg"],
  ["torus:dims=64x64", "dor", "svg"],
  ["torus:dims=64x64,hosts=2", "dor", "svg"],
  ["random_regular:switches=4096,degree=8", "updown", "svg"],
  ["clos3:radix=56", "dmodk", "svg"],
  ["torus:dims=64x64", "dor", "webgl"],
];
const steps = 60; // frames that move, half of them there and half back

function wrong(message) {
  process.stderr.write(`pages.mjs: ${message}; see node bench/pages.mjs --help\n`);
  process.exit(2);
}

/** Runs in the page: moves the picture once in each frame and returns how long the frames took. */
async function frameTimes({ how, steps }) {
  const picture = document.querySelector("[data-test=picture]");
  const { x, y, width, height } = picture.getBoundingClientRect();
  const at = (dx, dy) => ({ clientX: x + width / 2 + dx, clientY: y + height / 2 + dy, bubbles: true, cancelable: true });
  const point = (type, dx, dy) => picture.dispatchEvent(new PointerEvent(type, { pointerId: 1, ...at(dx, dy) }));
  const frame = () => new Promise(requestAnimationFrame);
  const moves = {
    zoom: (step) => picture.dispatchEvent(new WheelEvent("wheel", { deltaY: step <= steps / 2 ? -40 : 40, ...at(0, 0) })),
    drag: (step) => point("pointermove", ...[12, 8].map((pixels) => pixels * Math.min(step, steps - step))),
  };
  picture.setPointerCapture = () => {}; // there is no such pointer
  if (how === "drag") point("pointerdown", 0, 0);
  const times = [await frame()];
  for (let step = 1; step <= steps; ++step) {
    moves[how](step);
    times.push(await frame());
  }
  if (how === "drag") point("pointerup", 0, 0);
  return times.slice(1).map((time, i) => time - times[i]);
}

async function readyAfter(page, address) {
  const begin = performance.now();
  await page.goto(address);
  await page.waitForSelector("html[data-ready=yes]");
  await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))));
  return performance.now() - begin;
}

const painted = () =>
  new Promise((seen) => {
    const times = (list) => list.getEntries().forEach((entry) => seen(entry.startTime));
    new PerformanceObserver(times).observe({ type: "paint", buffered: true });
  });

const middle = (times, share = 0.5) => times.sort((a, b) => a - b)[Math.floor(share * times.length)];

/** ms until a page is ready and painted in browsers just started: the medians. */
async function coldStart(address) {
  const starts = [];
  for (let i = 0; i < coldStarts; ++i) {
    const browser = await launch();
    const page = await browser.newPage({ viewport });
    starts.push([await readyAfter(page, address), await page.evaluate(painted)]);
    await browser.close();
  }
  return [0, 1].map((which) => middle(starts.map((each) => each[which])));
}

/** The numbers of one page. */
async function measure(address, scene) {
  const numbers = await coldStart(address);
  const browser = await launch();
  const page = await browser.newPage({ viewport });
  await readyAfter(page, address);
  await page.goto("about:blank");
  numbers.push(await readyAfter(page, address));
  await page.waitForSelector(`[data-scene=${scene}]`);
  await page.locator("[data-test=picture]").scrollIntoViewIfNeeded();
  for (const how of ["zoom", "drag"]) {
    await page.waitForTimeout(rest); // until it is drawn
    const times = await page.evaluate(frameTimes, { how, steps });
    numbers.push(middle(times), middle(times, 0.95));
  }
  await browser.close();
  return numbers;
}
const viewport = { width: 1200, height: 900 };
const rest = 3000; // ms

const words = process.argv.slice(2);
if (words.includes("--help") || words.includes("-h")) {
  process.stdout.write(usage);
  process.exit();
}
const option = words.find((word) => word.startsWith("-"));
if (option !== undefined) wrong(`there is no option ${option}`);
const chosen = rows.filter(([fabric]) => words.length === 0 || words.some((word) => fabric.includes(word)));
if (chosen.length === 0) wrong(`no row's fabric contains "${words.join(" ")}"`);

const folder = mkdtempSync(join(tmpdir(), "weft-bench-"));
process.env.WEFT_PAGES = folder;
const { launch, run } = await import("../tests/page/browser.mjs");
const line = (name, ...cells) => console.log(name.padEnd(38), ...cells.map((cell) => String(cell).padStart(9)));
try {
  line("page", "scene", "KiB", "cold", "painted", "warm", "zoom 50%", "95%", "drag 50%", "95%");
  for (const [fabric, engine, scene] of chosen) {
    run("report", "--fabric", fabric, "--tables", engine, "-o", "page.html");
    const file = join(folder, "page.html");
    const numbers = await measure(`file://${file}#${scene}`, scene);
    line(fabric, scene, Math.round(statSync(file).size / 1024), ...numbers.map((ms) => ms.toFixed(0)));
  }
} finally {
  rmSync(folder, { recursive: true });
}
