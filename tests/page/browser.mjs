// SPDX-License-Identifier: Apache-2.0
// Opens pages of weft in headless Chromium for tests and bench/pages.mjs: errors in a page fail the test that opened it.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const require = createRequire(join(root, "page/package.json"));
const { chromium } = require("playwright-core");

export const weft = resolve(process.env.WEFT ?? join(root, "build/release/bin/weft"));
/** Where pages and screenshots are: WEFT_PAGES, or a folder that goes when the tests end. */
export const folder = resolve(process.env.WEFT_PAGES ?? mkdtempSync(join(tmpdir(), "weft-pages-")));
if (process.env.WEFT_PAGES === undefined) process.on("exit", () => rmSync(folder, { recursive: true }));
else mkdirSync(folder, { recursive: true });

/** Runs weft in the folder of pages; exit codes 1 and 3 (a deadlock) are findings, not failures. */
export function run(...words) {
  try {
    return execFileSync(weft, words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    if ([1, 3].includes(error.status)) return error.stdout;
    throw new Error(`weft ${words.join(" ")}: ${error.stderr}`);
  }
}

const dataElement = /<script type="([^"]+)" id="weft-data">([^<]*)<\/script>/;

/** The data in a page of the folder. */
export function dataOf(name) {
  const [, type, data] = readFileSync(join(folder, name), "utf8").match(dataElement);
  return JSON.parse(type === "application/json" ? data : gunzipSync(Buffer.from(data, "base64")).toString());
}

/** Writes a page of the folder with other data, and perhaps markup before them. */
export function writePage(like, name, data, { compressed = false, markup = "" } = {}) {
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const [type, text] = compressed ? ["gzip", gzipSync(json).toString("base64")] : ["json", json];
  const page = readFileSync(join(folder, like), "utf8");
  const element = `${markup}<script type="application/${type}" id="weft-data">${text}</script>`;
  writeFileSync(join(folder, name), page.replace(dataElement, () => element));
}

/** A browser with software GL. */
export const launch = () =>
  chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });

let browser;
export async function start() {
  browser = await launch();
}
export const stop = () => browser.close();

/** Opens a page of the folder, does something in it, keeps a screenshot; fails where the page complains of
 * something else than expected. */
export async function open(name, act, { fragment = "", expected = /^$/, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, acceptDownloads: true, ...options });
  const page = await context.newPage();
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) complaints.push(`asks for ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`file://${join(folder, name)}${fragment}`);
  await page.waitForSelector("html[data-ready=yes]");
  await act(page);
  await page.screenshot({ path: join(folder, name.replace(/\.html$/, ".png")) });
  await context.close();
  // Software GL is slow, and Chromium says so.
  const slow = /GPU stall|GroupMarkerNotSet|Automatic fallback|swiftshader/i;
  const grave = complaints.filter((text) => !slow.test(text) && !expected.test(text));
  if (grave.length > 0) throw new Error(`${name}: ${grave.join("; ")}`);
}

/** What a click offers to save. */
export async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
}
