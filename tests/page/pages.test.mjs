// SPDX-License-Identifier: Apache-2.0
// Every kind of view in headless Chromium: opened, clicked, and its numbers compared with the data
// that the page was made of. Screenshots stay in the folder WEFT_PAGES, if it is set.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { dataOf, folder, open, root, run, saved, start, stop, writePage } from "./browser.mjs";
import { load } from "./module.mjs";

before(start);
after(stop);

/** The first of a kind, or that of an id. */
const section = (name, kind, id) =>
  dataOf(name).sections.find((each) => each.kind === kind && (id === undefined || each.id === id));
const texts = (locator) => locator.allTextContents();

async function route(page, from, to) {
  await page.click("[data-test=tab-route]");
  for (const [end, host] of [["from", from], ["to", to]]) {
    await page.fill(`[data-test=route-${end}]`, host);
    await page.press(`[data-test=route-${end}]`, "Enter");
  }
  return texts(page.locator("[data-test=hop] td:nth-child(2)"));
}

/** Waits for the scene that the fragment of an address asks for: WebGL starts when the page rests. */
const drawnBy = (page, fragment) => page.waitForSelector(`[data-scene=${fragment.slice(1)}]`);

for (const fragment of ["#webgl", "#svg"])
  test(`a fabric, its loads, routes and proof, drawn by ${fragment.slice(1)}`, async () => {
    run("route", "torus:dims=4x4,hosts=2", "dor", "--html", "fabric.html");
    const { links, switches, routings } = section("fabric.html", "fabric");
    await open(
      "fabric.html",
      async (page) => {
        await drawnBy(page, fragment);
        assert.equal(await page.locator("[data-test=picture]").count(), 1);
        const most = Math.max(...routings[0].load);
        assert.match(await page.textContent("[data-test=panel-loads]"), new RegExp(`\\b${most} routes`));
        // As `weft show` prints it: h0 -> s0:1 > s1:1 > s2 -> h5.
        const shown = run("show", "torus:dims=4x4,hosts=2", "dor", "--from", "h0", "--to", "h21");
        const hops = await route(page, "h0", "h21");
        assert.deepEqual(hops, [...shown.matchAll(/\b(s\d+)/g)].map((each) => each[1]));
        await page.click("[data-test=tab-proof]");
        assert.equal(await page.getAttribute("[data-test=verdict]", "data-verdict"), "free");
        const file = await saved(page, page.locator("[data-test=save-csv]").first());
        assert.equal(file.text.trim().split("\n").length - 1, links.a.length);
        await page.click("[data-test=tab-loads]");
        const bins = await saved(page, page.locator("[data-test=save-histogram-csv]"));
        const counts = bins.text.trim().split("\n").slice(1).map((line) => Number(line.split(",")[2]));
        assert.equal(counts.reduce((sum, count) => sum + count), routings[0].load.length);
        const bars = await saved(page, page.locator("[data-test=save-histogram-svg]"));
        assert.equal(bars.text.match(/<rect [^>]*><title>/g).length, counts.length);
        const picture = await saved(page, page.locator("[data-test=save-svg]").first());
        for (const name of switches.name) assert.ok(picture.text.includes(`>${name}<`), name);
      },
      { fragment },
    );
  });

test("WebGL takes over from SVG without losing zoom, selection or focus", async () => {
  run("route", "torus:dims=4x4", "dor", "--html", "start.html");
  await open(
    "start.html",
    async (page) => {
      const picture = page.locator("[data-test=picture]");
      const state = async () => ({
        scale: await scale(page),
        selected: await page.textContent("[data-test=selected]"),
        focused: await picture.evaluate((element) => element === document.activeElement),
        shift: await page.locator(".fabric-layers").evaluate((element) => element.style.transform),
      });
      assert.equal(await picture.getAttribute("data-scene"), "svg");
      await page.fill("[data-test=search]", "s5");
      await page.press("[data-test=search]", "Enter");
      await picture.press("+");
      const { scale: zoomed } = await state();
      await drawnBy(page, "#webgl");
      assert.deepEqual(await state(), { scale: zoomed, selected: "switch s5", focused: true, shift: "" });
      assert.equal(await page.locator("svg.fabric-drawing").count(), 0);
    },
    { fragment: "#webgl" },
  );
  await open("start.html", async (page) => {
    await page.waitForTimeout(1500);
    assert.equal(await page.getAttribute("[data-test=picture]", "data-scene"), "svg"); // small ones stay
  });
});

test("a link says who crosses it, as many as weft counted", async () => {
  for (const [fabric, engine] of [["torus:dims=4x4,hosts=2", "dor"], ["clos3:radix=8", "dmodk"], ["torus:dims=4x4", "lash"]]) {
    run("route", fabric, engine, "--html", "crossings.html");
    const { load } = section("crossings.html", "fabric").routings[0];
    await open("crossings.html", async (page) => {
      await page.locator("[data-test=busiest]").first().click();
      const counts = page.locator("[data-test=crossings][data-state=counted] [data-test=crossing-count]");
      await counts.first().waitFor();
      const shown = await counts.evaluateAll((all) => all.map((each) => Number(each.dataset.count)));
      const link = load.indexOf(Math.max(...load)) >> 1;
      assert.deepEqual(shown, load.slice(2 * link, 2 * link + 2));
      const listed = await page.locator("[data-test=crossing]").count();
      assert.equal(listed, shown.reduce((sum, count) => sum + Math.min(200, count), 0));
      const channel = await page.locator("[data-test=crossing-count]").first().textContent();
      await page.locator("[data-test=crossing]").first().click();
      const hops = await texts(page.locator("[data-test=hop] td:nth-child(2)"));
      assert.ok(hops.includes(channel.split(":")[0]), `${channel} in ${hops}`);
    });
  }
});

test("a cycle, step by step", async () => {
  run("route", "torus:dims=4x4", "minhop", "--html", "cycle.html");
  const { proof } = section("cycle.html", "fabric").routings[0];
  assert.equal(proof.verdict, "deadlock");
  await open("cycle.html", async (page) => {
    await page.click("[data-test=tab-proof]");
    const steps = await texts(page.locator("[data-test=cycle-step]"));
    assert.equal(steps.length, proof.cycle.length);
    for (const [i, wait] of proof.cycle.entries()) assert.ok(steps[i].includes(wait.text), steps[i]);
    await page.click("[data-test=cycle-next]");
    await page.click("[data-test=cycle-next]");
    assert.equal(await page.locator("[data-test=cycle-step][aria-pressed=true]").count(), 1);
  });
});

test("engines compared: bars, a table and the fabric", async () => {
  run("study", "torus:dims=4x4", "--engines", "updown", "dor", "minhop", "--html", "study.html");
  const { columns, rows } = section("study.html", "rows");
  const bisection = columns.findIndex((each) => each.name === "effective_bisection");
  await open("study.html", async (page) => {
    const sort = page.locator("section.rows th", { hasText: "effective_bisection" }).locator("[data-test=sort]");
    await sort.click();
    const cells = await texts(page.locator(`section.rows tbody tr td:nth-child(${bisection + 1})`));
    const expected = rows.map((row) => row[bisection]).sort((a, b) => a - b);
    assert.equal(cells.length, rows.length);
    for (const [i, cell] of cells.entries()) assert.ok(Math.abs(Number(cell) - expected[i]) < 1e-3, cell);
    await page.click("section.fabric [data-test=tab-proof]");
    assert.equal(await page.getAttribute("[data-test=verdict]", "data-verdict"), "free");
  });
});

test("load curves", async () => {
  run("sweep", "mesh:dims=4x4", "[xy,updown]", "--load", "[0.1,0.2,0.3]", "--cycles", "2000", "--html", "sweep.html");
  const { charts } = section("sweep.html", "charts");
  await open("sweep.html", async (page) => {
    const chart = page.locator("section.charts [data-test=chart]").first();
    const file = await saved(page, chart.locator("[data-test=save-csv]"));
    for (const series of charts[0].series)
      for (const [, y] of series.points) assert.ok(file.text.includes(String(y)), `${y} in ${file.text}`);
    const picture = await saved(page, chart.locator("[data-test=save-svg]"));
    assert.match(picture.text, /^<svg[\s\S]*<\/svg>\s*$/);
    for (const series of charts[0].series) assert.ok(picture.text.includes(`>${series.name}<`), series.name);
    await page.setViewportSize({ width: 400, height: 700 });
    await page.waitForFunction(() => document.querySelector("[data-test=plot] svg").clientWidth < 400);
    const again = await saved(page, chart.locator("[data-test=save-svg]"));
    const unnumbered = (text) => text.replaceAll(/(zr|cls-)\d+/g, ""); // ids of ECharts
    assert.equal(unnumbered(again.text), unnumbered(picture.text), "the same in any window");
    await page.setViewportSize({ width: 1200, height: 900 });
    assert.equal(await page.locator("section.rows tbody tr").count(), 6);
    // Columns that say the same everywhere are a sentence until they are asked for.
    const seed = page.locator("section.rows [data-test=sort][data-column=seed]");
    assert.equal(await seed.isVisible(), false);
    assert.match(await page.locator("[data-test=same]").textContent(), /\bseed 1\b/);
    await page.locator("[data-test=fold]").click();
    assert.equal(await seed.isVisible(), true);
  });
});

test("one row is a list, a wrong filter is said to be, and paper cuts no column", async () => {
  run("sim", "mesh:dims=4x4", "xy", "--load", "0.1", "--cycles", "500", "--html", "one.html");
  const one = section("one.html", "rows");
  await open("one.html", async (page) => {
    const shown = await page.locator("[data-test=record] [data-column]").count();
    const values = one.rows[0].filter((cell) => cell !== null && cell !== "");
    assert.equal(shown, values.length);
    assert.ok(await page.evaluate(() => document.querySelector("[data-test=record]").scrollWidth <= 1200));
    const file = await saved(page, page.locator("section.rows [data-test=save-csv]"));
    assert.equal(file.text.trim().split("\n").length, 2);
  });
  run("sweep", "mesh:dims=4x4", "xy", "--load", "[0.1,0.2,0.3]", "--cycles", "500", "--html", "wide.html");
  await open("wide.html", async (page) => {
    const rows = page.locator("section.rows [data-test=table] .table-box tbody tr");
    await page.click("section.rows [data-test=filter][data-column=load]");
    const type = (text) => page.locator("[data-test=filter-text]").fill(text);
    await type(">0.15");
    assert.equal(await rows.count(), 2);
    await type("abc");
    assert.equal(await rows.count(), 3);
    assert.match(await page.textContent("[data-test=filter-wrong]"), /^“abc” is not understood/);
    assert.equal(await page.textContent("[data-test=chip]"), "load: abc is not understood ×");
    await page.keyboard.press("Escape");
    await page.click("[data-test=fold]");
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 720, height: 1000 });
    const printed = page.locator("section.rows [data-test=table] > [data-test=printed] table");
    await printed.first().waitFor();
    const widths = await printed.evaluateAll((all) => all.map((each) => each.scrollWidth));
    assert.ok(widths.length > 2 && widths.every((width) => width <= 720), widths.join());
  });
});

test("charts are zoomed within bounds, and read with units", async () => {
  run("sweep", "mesh:dims=4x4", "xy", "--load", "[0.1,0.2]", "--cycles", "1000", "--html", "zoom.html");
  const { title } = section("zoom.html", "charts");
  const units = Object.fromEntries(section("zoom.html", "rows").columns.map((each) => [each.name, each.unit]));
  const load = "flits per host and cycle";
  const expected = { load, offered: load, accepted_least: load, link_use_mean: "flits per cycle", latency_mean: "cycles" };
  for (const [name, unit] of Object.entries(expected)) assert.equal(units[name], unit, name);
  await open("zoom.html", async (page) => {
    const chart = page.locator("section.charts [data-test=chart][data-drawn]").first();
    const plot = chart.locator("[data-test=plot]");
    assert.ok((await plot.getAttribute("aria-label")).startsWith(`latency: ${title}: arrow keys`));
    const press = (key, times, on = plot) =>
      on.evaluate(
        (element, [key, times]) => {
          for (let i = 0; i < times; ++i) element.dispatchEvent(new KeyboardEvent("keydown", { key }));
        },
        [key, times],
      );
    await press("+", 52);
    assert.equal(await chart.getAttribute("data-zoomed"), "yes");
    await press("-", 32);
    assert.equal(await chart.getAttribute("data-zoomed"), "no");
    await press("End", 1);
    const tip = await plot.locator("[data-test=tip]").innerText();
    assert.match(tip, /^offered load: 0\.2 flits per host and cycle\s[^]*\d cycles/);
    const file = await saved(page, chart.locator("[data-test=save-csv]"));
    assert.match(file.name, /^latency-mesh-/);
    assert.match(file.text, /^offered load \[flits per host and cycle\],[^,]* \[cycles\]/);
    const panel = page.locator("[data-test=chart-panel]");
    await panel.locator("[data-test=select-x-scale]").selectOption("log");
    await press("-", 30, panel.locator("[data-test=plot]"));
    assert.equal(await panel.locator("[data-test=chart]").getAttribute("data-zoomed"), "no");
  });
});

test("bars have units and error bars", async () => {
  run("sweep", "mesh:dims=4x4", "[xy,updown]", "--load", "0.1", "--cycles", "1000", "--html", "bars.html");
  const [{ columns, rows }] = section("bars.html", "charts").charts;
  assert.deepEqual(columns.map((each) => each.unit), ["cycles", "flits per host and cycle"]);
  assert.ok(rows.every((row) => row.errors[0] > 0));
  await open("bars.html", async (page) => {
    const file = await saved(page, page.locator("section.charts [data-test=save-csv]"));
    assert.match(file.text, /^name,latency \[cycles\],± latency \[cycles\],accepted \[flits per host and cycle\]\n/);
  });
});

test("a deadlock is a cross, and its word is in the legend and in the tip", async () => {
  const what = ["sweep", "torus:dims=4x4", "minhop", "--packet", "16", "--load", "[0.1,0.9]", "--cycles", "3000"];
  run(...what, "--html", "deadlock.html");
  const { series } = section("deadlock.html", "charts").charts[1];
  assert.deepEqual(series.map((each) => each.crossed), [undefined, [1]]);
  await open("deadlock.html", async (page) => {
    const chart = page.locator("section.charts [data-test=chart][data-drawn]").nth(1);
    const words = () => saved(page, chart.locator("[data-test=save-svg]")).then((file) => file.text);
    assert.match(await words(), />deadlock</);
    await chart.locator("[data-test=plot]").focus();
    await page.keyboard.press("End");
    assert.match(await chart.locator("[data-test=tip]").innerText(), /\(deadlock\)/);
    await chart.locator("[data-test=legend][data-name=deadlock]").click();
    assert.doesNotMatch(await words(), />deadlock</);
  });
});

test("what cannot be drawn is a sentence, and long titles wrap", async () => {
  const what = ["sim", "torus:dims=4x4", "minhop", "--packet", "16", "--load", "0.9", "--cycles", "3000"];
  run(...what, "--html", "nothing.html");
  const data = dataOf("nothing.html");
  const long = `${"a/very/long/path/of-a-file".repeat(4)}.json: simulations`;
  data.sections.push({ ...data.sections.at(-1), id: "again", title: long });
  writePage("nothing.html", "sentence.html", data);
  await open(
    "sentence.html",
    async (page) => {
      const chart = page.locator("[data-test=chart]").first();
      const words = "Nothing to draw: “share of the packets” has no value.";
      assert.equal(await chart.locator("[data-test=nothing-to-draw]").textContent(), words);
      assert.equal(await chart.locator("[data-test=plot], button").filter({ visible: true }).count(), 0);
      const title = await page.textContent("h1");
      assert.ok(!(await page.locator("h2").first().textContent()).includes(title.split(",")[0]));
      assert.equal(await page.locator("nav a").last().textContent(), long);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
    },
    { viewport: { width: 360, height: 700 } },
  );
});

test("bandwidth of flows, promised and achieved", async () => {
  run("qos", "premium", "--html", "flows.html");
  const { charts } = section("flows.html", "charts");
  assert.ok(dataOf("flows.html").made.specs.some(({ name, value }) => name === "topology" && value !== ""));
  await open("flows.html", async (page) => {
    const numbers = page.locator("section.charts [data-test=numbers]").first();
    await numbers.evaluate((element) => void (element.open = true));
    const named = charts[0].series.filter((each) => each.name !== "");
    for (const series of named) assert.ok((await numbers.textContent()).includes(series.name), series.name);
    assert.equal(await page.locator("section.rows tbody tr").count(), 3);
  });
});

test("a time line of ranks", async () => {
  run("run", "--cluster", "dane", "--hosts", "4", "allreduce:bytes=4k,iterations=2,warmup=0", "--html", "run.html");
  const { ops, ranks, messages, path } = section("run.html", "timeline");
  assert.ok(messages.from.length > 0);
  assert.deepEqual([path.begin[0], path.end.at(-1)], [0, path.length]);
  await open("run.html", async (page) => {
    const drawn = page.locator("[data-test=ranks]");
    const { width } = await drawn.boundingBox();
    await drawn.click({ position: { x: width - 20, y: 40 } });
    assert.match(await page.textContent("[data-test=chosen]"), new RegExp(`\\b${ranks[0].name}\\b`));
    const file = await saved(page, page.locator("[data-test=timeline] [data-test=save-csv]"));
    assert.equal(file.text.trim().split("\n").length - 1, ops.rank.length);
    assert.equal(ranks.length, 4);
    assert.equal(await page.isVisible("[data-test=fit-ranks]"), false, "there is room");
  });
});

test("a time line of many ranks, with calls and a timed part", async () => {
  const what = ["run", "--topology", "torus:dims=8x8", "--engine", "updown", "allreduce:bytes=64,iterations=1,warmup=1"];
  run(...what, "--html", "many.html");
  const data = dataOf("many.html");
  const line = data.sections.find((each) => each.kind === "timeline");
  const last = Math.max(...line.ops.end);
  const all = line.ranks.map((_, rank) => rank);
  line.calls = { names: ["MPI_<b>"], rank: all, name: all.map(() => 0), begin: all.map(() => 0), end: all.map(() => last) };
  line.timed = { title: "timed section", begin: last / 2, end: last };
  writePage("many.html", "calls.html", data);
  await open("calls.html", async (page) => {
    const view = page.locator("[data-test=timeline]");
    const shown = async () => Number(await view.getAttribute("data-shown-ranks"));
    const showsRanks = (least, most) =>
      page.waitForFunction(
        ([low, high]) => {
          const { shownRanks } = document.querySelector("[data-test=timeline]").dataset;
          return shownRanks >= low && shownRanks <= high;
        },
        [least, most],
      );
    assert.deepEqual([await shown(), await view.getAttribute("data-end")], [64, String(last)]);
    assert.equal(await page.textContent("[data-test=outside]"), "outside the timed section");
    await page.click("[data-test=fit-ranks]");
    await showsRanks(1, 40);
    const picture = () => saved(page, view.locator("[data-test=save-svg]")).then((file) => file.text);
    assert.match(await picture(), />MPI_&lt;b&gt;</);
    await page.click("[data-test=calls]");
    assert.doesNotMatch(await picture(), />MPI_&lt;b&gt;</);
    await page.press("[data-test=ranks]", "r");
    await showsRanks(64, 64);
    await page.press("[data-test=ranks]", "Enter");
    assert.match(await page.textContent("[data-test=chosen]"), /; part of MPI_<b>, 0 us to /);
    await page.fill("[data-test=find-rank]", "rank 64");
    await page.press("[data-test=find-rank]", "Enter");
    assert.match(await page.textContent("[data-test=find-answer]"), /^There is no rank “rank 64”: type a number from 0 to 63/);
    await page.fill("[data-test=find-rank]", "17");
    await page.press("[data-test=find-rank]", "Enter");
    assert.equal(await page.textContent("[data-test=find-answer]"), "");
    await page.click("[data-test=op-table] summary");
    const table = page.locator("[data-test=op-table]");
    assert.equal(await table.locator("[data-test=row-count]").textContent(), `${line.ops.rank.length} rows`);
    await table.locator("tr[data-row='0']").click();
    const isZoomed = (whole) => document.querySelector("[data-test=timeline]").dataset.end < whole;
    await page.waitForFunction(isZoomed, last / 2);
  });
});

test("a time line with its critical path", async () => {
  const trace = join(root, "tests/recorded/npb/is.S.16.trace.zst");
  const where = ["--topology", "torus:dims=4x4", "--engine", "updown"];
  const said = run("replay", trace, ...where, "--json", "replay.json", "--html", "replay.html");
  const { path, messages } = section("replay.html", "timeline");
  const steps = path.rank.length;
  const totals = JSON.parse(readFileSync(join(folder, "replay.json"), "utf8")).critical_path;
  const sum = (part) =>
    path.part.reduce((all, each, i) => all + (path.parts[each] === part ? path.end[i] - path.begin[i] : 0), 0);
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-3, `${a} and ${b}`);
  near(sum("compute"), totals.compute_us);
  near(sum("MPI"), totals.library_us);
  near(sum("below MPI"), totals.lower_us);
  near(path.end[steps - 1] - path.begin[0], path.length);
  for (let i = 0; i < steps; ++i) {
    if (i > 0) assert.deepEqual([path.begin[i], path.rank[i]], [path.end[i - 1], path.to[i - 1]]);
    if (path.message[i] < 0) continue;
    const ends = [messages.from[path.message[i]], messages.to[path.message[i]]];
    assert.deepEqual([path.rank[i], path.peer[i]].sort(), ends.sort());
  }
  await open("replay.html", async (page) => {
    const line = page.locator("[data-test=timeline]");
    const sentence = await page.textContent("[data-test=path-sentence]");
    const compute = said.match(/critical path\s+compute ([\d.]+ %)/)[1];
    assert.ok(sentence.includes(`${compute} compute`), sentence);
    await page.click("[data-test=path-table] summary");
    assert.equal(await page.textContent("[data-test=path-table] [data-test=row-count]"), `${steps} rows`);
    const message = path.peer.findIndex((peer) => peer >= 0);
    await page.click(`[data-test=path-table] tr[data-row="${message}"]`);
    const shows = (step) =>
      page.waitForFunction(
        ([words, begin, end]) => {
          const { begin: from, end: to } = document.querySelector("[data-test=timeline]").dataset;
          const isZoomed = Number(to) - Number(from) <= Math.max(0.11, 3.1 * (end - begin));
          const isThere = Number(from) <= begin && Number(to) >= end;
          return isZoomed && isThere && document.querySelector("[data-test=chosen]").textContent.includes(words);
        },
        [`step ${step + 1},`, path.begin[step], path.end[step]],
      );
    await shows(message);
    await page.focus("[data-test=ranks]");
    await page.keyboard.press("]");
    await shows(message + 1);
    const picture = async () => (await saved(page, line.locator("[data-test=save-svg]"))).text;
    await page.click("[data-test=zoom-all]");
    const dimmed = await picture();
    await page.click("[data-test=dim]");
    const plain = await picture();
    const colour = await page.evaluate(() => getComputedStyle(document.body).getPropertyValue("--path").trim());
    for (const each of [plain, dimmed]) assert.ok(each.includes(`stroke="${colour}"`), "the path is drawn");
    assert.notEqual(plain, dimmed);
    await page.click("[data-test=path]");
    assert.ok(!(await picture()).includes(`stroke="${colour}"`));
  });
});

test("what differs, and what failures cost", async () => {
  run("diff", "torus:dims=4x4", "mesh:dims=4x4", "--html", "diff.html");
  run("study", "torus:dims=4x4", "--failures", "1", "--html", "failures.html");
  const { rows } = section("diff.html", "rows");
  const [missing] = section("diff.html", "fabric").marks;
  await open("diff.html", async (page) => {
    const drawn = async () => (await saved(page, page.locator("section.fabric [data-test=save-svg]"))).text;
    const colour = await page.evaluate(() => getComputedStyle(document.body).getPropertyValue("--bad").trim());
    const lines = page.locator(`.fabric-overlay path[stroke="${colour}"]`);
    assert.equal(((await lines.first().getAttribute("d")).match(/M/g) ?? []).length, missing.links.length);
    assert.deepEqual(await texts(page.locator("[data-test=legend-mark]")), ["cables missing: 8 links"]);
    assert.match(await drawn(), />cables missing: 8 links</);
    assert.equal(await page.locator(".stepping-back").count(), 0);
    await page.click("[data-test=legend-mark]");
    assert.equal(await page.locator("[data-test=mark-parts] li").count(), missing.links.length);
    assert.equal(await page.locator(".stepping-back").count(), 1);
    await page.click("[data-test=legend-mark]");
    assert.equal(await page.locator("section.rows tbody tr").count(), rows.length);
    await page.locator("section.fabric [data-test=tab-marks]").click();
    assert.ok((await page.textContent("section.fabric [data-test=panel-marks]")).includes("cables missing"));
  });
  await open("failures.html", async (page) => {
    const count = section("failures.html", "rows").rows.length;
    assert.equal(await page.locator("section.rows tbody tr").count(), Math.min(count, 200));
    await page.fill("section.rows [data-test=filter-words]", "switch=s3");
    await page.waitForFunction(() => document.querySelectorAll("section.rows tbody tr").length === 1);
    await page.click("section.rows tbody tr");
    assert.equal(await page.textContent("section.fabric [data-test=mark-parts]"), "s3");
  });
});

test("a paper: its numbers, ours and the deviation", async () => {
  run("reproduce", "viabarrier/fig4b", "--quick", "--html", "paper.html");
  const { tables, predictions, within, summary } = section("paper.html", "paper");
  await open("paper.html", async (page) => {
    assert.equal(await page.getAttribute("[data-test=summary]", "data-predictions"), String(predictions));
    assert.equal(await page.getAttribute("[data-test=summary]", "data-within"), String(within));
    assert.ok((await page.textContent("section.paper")).includes(summary));
    const shown = await page.locator("[data-test=paper-table] tbody tr").count();
    assert.equal(shown, tables.reduce((sum, each) => sum + each.rows.length, 0));
  });
});

test("results of several files on one page", async () => {
  run("sim", "mesh:dims=4x4", "xy", "--load", "0.1", "--cycles", "1000", "--json", "sim.json");
  run("study", "mesh:dims=4x4", "--engines", "xy", "updown", "--json", "study.json");
  run("report", "sim.json", "study.json", "-o", "report.html");
  const made = dataOf("report.html").made.specs.map(({ name, value }) => `${name}: ${value}`).join("\n");
  assert.match(made, /^sim\.json: weft sim .*; weft .*\n(seed: 1\n)?study\.json: mesh:dims=4x4; weft .*\nseed: 1$/);
  await open("report.html", async (page) => {
    assert.equal(await page.locator("section.rows").count(), 2);
    assert.equal(await page.locator("section.fabric").count(), 1);
    assert.ok((await page.textContent("header")).includes("weft report sim.json study.json -o report.html"));
    const titles = await page.locator("section h2").allTextContents();
    assert.ok(titles.some((title) => title.includes("simulations (sim.json)")), titles.join());
  });
});

test("pages of several runs on one page, with all that they show", async () => {
  run("route", "mesh:dims=4x4", "xy", "--html", "one.html");
  run("study", "mesh:dims=4x4", "--engines", "xy", "--failures", "1", "--html", "two.html");
  run("report", "one.html", "two.html", "-o", "both.html");
  await open("both.html", async (page) => {
    assert.equal(await page.locator("section.fabric").count(), 2);
    await page.fill("#failures-of-2 [data-test=filter-words]", "switch=s3");
    await page.waitForFunction(() => document.querySelectorAll("#failures-of-2 tbody tr").length === 1);
    await page.click("#failures-of-2 tbody tr");
    assert.equal(await page.textContent("#fabric-of-2 [data-test=mark-parts]"), "s3");
    assert.equal(await page.locator("#fabric-of-1 [data-test=mark-parts]").count(), 0);
  });
});

test("names of an imported fabric are names, whatever they hold", async () => {
  const bad = `<img src=x onerror=alert(1)>`, worse = `</script><script>alert(2)</script>`;
  const text = `weft = "fabric 1"
name = "</title><script>alert(3)</script>"
switches = ['${bad}', '${worse}']
links = [['${bad}', 1, '${worse}', 1]]
hosts = [['h><b>0', '${bad}'], ["h1", '${worse}']]
`;
  writeFileSync(join(folder, "hostile.toml"), text);
  run("route", "hostile.toml", "updown", "--html", "hostile.html");
  for (const fragment of ["#webgl", "#svg"])
    await open(
      "hostile.html",
      async (page) => {
        await drawnBy(page, fragment);
        const hops = await route(page, "h><b>0", "h1");
        assert.deepEqual(hops, [bad, worse]);
        assert.equal(await page.locator("img, b").count(), 0);
      },
      { fragment },
    );
});

test("dark, on a phone, and on paper", async () => {
  run("study", "torus:dims=4x4", "--engines", "updown", "dor", "--html", "looks.html");
  const phone = { viewport: { width: 360, height: 700 }, colorScheme: "dark" };
  await open(
    "looks.html",
    async (page) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 360, `${wide} pixels wide`);
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(22, 25, 29)");
      await page.emulateMedia({ media: "print" });
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
      const controls = page.locator(".controls, select, input, [data-test^=save]").filter({ visible: true });
      assert.equal(await controls.count(), 0);
      await page.locator(".fabric-printed svg").waitFor();
      const pages = (await page.pdf()).toString("latin1").match(/\/Type \/Page\b/g).length;
      assert.ok(pages > 1 && pages < 10, `${pages} pages`);
    },
    phone,
  );
});

test("a section that cannot be drawn says so; the others are shown", async () => {
  run("route", "torus:dims=4x4", "dor", "--html", "whole.html");
  const data = dataOf("whole.html");
  const { findings, fabric } = Object.fromEntries(data.sections.map((each) => [each.id, each]));
  delete fabric.switches;
  const unknown = { kind: "hologram", id: "new", title: "new" };
  writePage("whole.html", "torn.html", { ...data, sections: [fabric, unknown, findings] });
  await open(
    "torn.html",
    async (page) => {
      assert.match(await page.textContent("#fabric [data-test=failure]"), /^This section cannot be shown: ./);
      assert.match(await page.textContent("#new [data-test=failure]"), /hologram/);
      assert.equal(await page.locator("#findings tbody tr").count(), findings.rows.length);
    },
    { expected: /switches|hologram|undefined/ },
  );
  writePage("whole.html", "empty.html", { title: "no sections" });
  await open("empty.html", async (page) => {
    assert.match(await page.textContent("[data-test=failure]"), /^This page cannot be shown: ./);
  });
});

/** Whether an element takes a key for itself. */
const takes = (locator, key, ctrlKey = false) =>
  locator.evaluate(
    (element, press) => !element.dispatchEvent(new KeyboardEvent("keydown", press)),
    { key, ctrlKey, bubbles: true, cancelable: true },
  );
const scale = async (page) => Number(await page.getAttribute("[data-test=picture]", "data-scale"));
const scrolled = (page) => page.evaluate(() => scrollY);

test("keys and wheel of a fabric and of charts, and what is the browser's", async () => {
  run("study", "torus:dims=4x4", "--engines", "updown", "dor", "--html", "keys.html");
  await open("keys.html", async (page) => {
    const picture = page.locator("[data-test=picture]");
    await picture.scrollIntoViewIfNeeded();
    const fitted = await scale(page);
    for (const key of ["+", "-", "0"]) assert.ok(!(await takes(picture, key, true)), `Ctrl and ${key}`);
    assert.ok(await takes(picture, "+"));
    assert.ok((await scale(page)) > fitted);
    await picture.press("0");
    assert.equal(await scale(page), fitted);
    const bars = page.locator("[data-test=chart] [tabindex='0']").first();
    assert.ok(!(await takes(bars, "-", true)));

    await page.evaluate(() => scrollTo(0, 300));
    await picture.hover();
    await page.mouse.wheel(0, -100);
    await page.waitForFunction((least) => document.querySelector("[data-test=picture]").dataset.scale > least, fitted);
    const before = await scrolled(page);
    await page.mouse.wheel(0, 300);
    await page.waitForFunction((most) => document.querySelector("[data-test=picture]").dataset.scale <= most, fitted);
    assert.equal(await scrolled(page), before);
    await page.mouse.wheel(0, 100);
    await page.waitForFunction((least) => scrollY > least, before);
  });
});

test("a finger scrolls the page over a fabric, two zoom it", async () => {
  run("route", "torus:dims=4x4", "dor", "--html", "touch.html");
  const phone = { viewport: { width: 360, height: 700 }, hasTouch: true, isMobile: true };
  await open(
    "touch.html",
    async (page) => {
      await page.locator("[data-test=picture]").scrollIntoViewIfNeeded();
      const { x, y, width, height } = await page.locator("[data-test=picture]").boundingBox();
      const middle = { x: x + width / 2, y: y + height / 2 };
      const before = [await scrolled(page), await scale(page)];
      const session = await page.context().newCDPSession(page);
      const apart = { ...middle, scaleFactor: 2, relativeSpeed: 3000, gestureSourceType: "touch" };
      await session.send("Input.synthesizePinchGesture", apart);
      assert.ok((await scale(page)) > 1.2 * before[1]);
      const touch = (type, ...touchPoints) => session.send("Input.dispatchTouchEvent", { type, touchPoints });
      await touch("touchStart", middle);
      for (let up = 20; up <= 120; up += 20) await touch("touchMove", { ...middle, y: middle.y - up });
      await touch("touchEnd");
      await page.waitForFunction((least) => scrollY > least + 50, before[0]);
    },
    phone,
  );
});

test("two tables side by side, and the entries that change", async () => {
  run("diff", "torus:dims=4x4", "updown", "dor", "--html", "tables.html");
  const { routings, compared } = section("tables.html", "fabric");
  const { rows, columns } = section("tables.html", "rows", "changed-entries");
  assert.deepEqual(compared, [0, 1]);
  assert.deepEqual(columns.map((each) => each.name), ["switch", "destination", "port_before", "port_after"]);
  assert.ok(rows.length > 0 && rows.every(([, , before, after]) => before !== after));
  await open("tables.html", async (page) => {
    const pictures = page.locator("[data-test=picture]");
    assert.deepEqual(await pictures.evaluateAll((all) => all.map((each) => each.dataset.engine)), ["updown", "dor"]);
    assert.match(await page.textContent("[data-test=changed-links]"), /^\d+ links of 32 changed\.$/);
    const most = Math.max(...routings[1].load);
    assert.ok((await page.textContent("[data-test=difference]")).includes(`${most} routes`));
    assert.equal(await page.textContent("#changed-entries [data-test=row-count]"), `${rows.length} rows`);
    await page.click("#changed-entries tbody tr");
    assert.deepEqual(await texts(page.locator("[data-test=mark-parts] li")), rows[0].slice(0, 2));
    assert.match((await saved(page, page.locator("[data-test=save-svg]").first())).name, /-updown-and-dor\.svg$/);
    await page.selectOption("[data-test=compare]", { label: "nothing" });
    assert.equal(await pictures.count(), 1);
    await page.selectOption("[data-test=routing]", { label: "dor" });
    assert.match((await saved(page, page.locator("[data-test=save-svg]").first())).name, /-dor\.svg$/);
  });
});

/** Where packets may be, hop by hop, as `weft show` prints it: "s0:1|2 lane 0" or "9 switches:1 lane 0|1". */
function frontText(topology, { switches, ports, lanes }) {
  const sorted = (set) => [...set].sort((a, b) => a - b);
  const names = sorted(switches).map((at) => topology.switchName(at));
  const where = names.length > 4 ? `${names.length} switches` : names.join(", ");
  const all = `${where}:${sorted(ports).join("|")}`;
  return lanes.size === 0 ? all : `${all} lane ${sorted(lanes).join("|")}`;
}

/** The fronts of several routes, hop by hop together. */
function together(several) {
  const union = (sets) => new Set(sets.flatMap((set) => [...set]));
  const keys = ["switches", "ports", "lanes"];
  return Array.from({ length: Math.max(...several.map((each) => each.length)) }, (_, hop) => {
    const here = several.flatMap((each) => each[hop] ?? []);
    return Object.fromEntries(keys.map((key) => [key, union(here.map((front) => front[key]))]));
  });
}

/** What `weft show` prints for a pair, from the data of a page; empty where there are no such routes. */
function shownRoutes(tables, from, to) {
  const { phases, starts } = tables.routing.paths;
  const text = (walks) => {
    const fronts = together(walks.map((walk) => tables.fronts(walk)));
    const { topology } = tables;
    const hops = fronts.map((front) => frontText(topology, front));
    return [topology.hostName(from), ...hops, topology.hostName(to)].join(" -> ");
  };
  const walk = (following) => tables.walk(from, to, following);
  const begin = starts.map((start) => walk({ start }));
  const direct = begin.filter(({ trip }) => !phases[trip.start].to_intermediate);
  const away = begin.filter(({ trip }) => phases[trip.start].to_intermediate);
  const detours = direct.map(({ trip }) => walk({ start: trip.start, detour: 0 })).filter(({ trip }) => trip.detour === 0);
  const indirect = away.length > 0 ? away : detours;
  return {
    direct: direct.length > 0 ? text(direct) : "",
    indirect: indirect.length > 0 ? text(indirect) : "",
    drawn: indirect[0]?.trip.drawn.length ?? 0,
  };
}

const choosing = [
  ["mesh:dims=4x4", "romm"],
  ["mesh:dims=4x4", "xy_yx"],
  ["mesh:dims=4x4", "ugal"],
  ["torus:dims=4x4", "min_adaptive"],
  ["torus:dims=4x4", "valiant"],
  ["hyperx:dims=3x3", "ugal"],
  ["clos3:radix=4", "updown_adaptive"],
  ["dragonfly:a=4,p=2,h=2", "ugal"],
  ["dragonfly:a=4,p=2,h=2", "par"],
  ["dragonfly:a=4,p=2,h=2", "ugal:via=router"],
];

test("routes of tables with choices are those that weft show prints", async () => {
  const { RouteTables } = await load("views/fabric/routes.ts");
  const { Topology } = await load("views/fabric/topology.ts");
  for (const [fabric, engine] of choosing) {
    run("route", fabric, engine, "--html", "choosing.html");
    const page = section("choosing.html", "fabric");
    const topology = new Topology(page);
    const tables = new RouteTables(topology, page.routings[0]);
    for (const [from, to] of [[0, 9], [3, 14], [13, 2], [0, 5]].map((pair) => pair.map((host) => host % topology.hosts))) {
      const [a, b] = [from, to].map((host) => topology.hostName(host));
      const shown = run("show", fabric, engine, "--from", a, "--to", b).trim();
      const { direct, indirect, drawn } = shownRoutes(tables, from, to);
      const [first, second] = shown.split(/(?:; or | )by (?:any of|one) /);
      assert.equal(direct, direct === "" ? "" : first, `${fabric} ${engine}`);
      if (indirect === "") continue;
      assert.equal(second.slice(second.indexOf(": ") + 2), indirect, `${fabric} ${engine}`);
      const count = Number(/^\d+/.exec(second) ?? 1);
      // A switch is no detour from itself.
      assert.ok([drawn, drawn + 1].includes(count), `${fabric} ${engine}: ${drawn} of ${count}`);
    }
  }
});

test("a route of tables with choices: another candidate, a detour, another intermediate destination", async () => {
  run("route", "torus:dims=4x4", "min_adaptive", "--html", "candidates.html");
  await open("candidates.html", async (page) => {
    assert.deepEqual(await route(page, "h0", "h10"), ["s0", "s1", "s2", "s6", "s10"]);
    const counts = page.locator("[data-test=hop] td:last-child");
    assert.deepEqual(await texts(counts), ["5", "4", "3", "2", "here"]);
    assert.deepEqual(await texts(page.locator("[data-test=hop] td:nth-child(6)")), Array(5).fill("adaptive"));
    const cone = page.locator(".fabric-overlay [data-channel]");
    const all = await cone.count();
    assert.ok(all > 4 && (await page.locator(".fabric-overlay [stroke-dasharray]").count()) === all - 4);
    await page.locator("[data-test=candidate]").nth(2).focus();
    await page.keyboard.press("Enter");
    const hops = page.locator("[data-test=hop] td:nth-child(2)");
    assert.deepEqual(await texts(hops), ["s0", "s4", "s5", "s6", "s10"]);
    assert.equal(await page.locator("[data-test=candidate]:focus").getAttribute("aria-pressed"), "true");
    assert.equal(await cone.count(), all);
    await page.locator("[data-test=candidate]").nth(4).click(); // a lane that is taken for want of others
    assert.equal(await page.locator("[data-test=hop] td:nth-child(5)").first().textContent(), "0");
    await page.locator(".fabric-panel button", { hasText: "⇄" }).click();
    assert.equal((await texts(hops))[0], "s10");
    await page.click("[data-test=tab-proof]");
    assert.equal(await page.getAttribute("[data-test=verdict]", "data-verdict"), "free");
    await page.click("[data-test=tab-loads]");
    await page.locator("[data-test=busiest]").first().click();
    assert.match(await page.textContent("[data-test=crossings]"), /depends on what switches choose/);
  });
  run("route", "dragonfly:a=4,p=2,h=2", "ugal", "-o", "ugal.tables");
  run("diff", "dragonfly:a=4,p=2,h=2", "min", "ugal.tables", "--html", "detours.html");
  await open("detours.html", async (page) => {
    const hops = await route(page, "h0", "h30");
    assert.equal(await page.locator("[data-test=route-verdict].good").count(), 2);
    const via = page.locator("[data-test=route-via]");
    assert.equal(await via.count(), 0);
    await page.selectOption("[data-test=route-detour]", { label: "at s0" });
    assert.equal(await via.locator("option").count(), 7);
    const before = await via.inputValue();
    await page.click("[data-test=route-draw]");
    assert.notEqual(await via.inputValue(), before);
    await via.selectOption({ label: "s32…s35" });
    const names = await texts(page.locator("[data-test=hop] td:nth-child(2)"));
    assert.deepEqual(names.slice(0, hops.length / 2), hops.slice(0, hops.length / 2)); // those of min
    assert.ok(names.slice(hops.length / 2).includes("s35"));
    await page.selectOption("[data-test=route-detour]", { label: "none" });
    assert.deepEqual(await texts(page.locator("[data-test=hop] td:nth-child(2)")), hops);
    await route(page, "h0", "h2"); // of its own group: no detour
    assert.equal(await page.locator("[data-test=route-detour]").count(), 0);
  }, { colorScheme: "dark" });
});

test("search, multicast, and dark or light", async () => {
  run("route", "torus:dims=4x4", "updown", "-o", "updown.tables");
  const group = ["union", "--source", "h0", "--members", "h1,h5"];
  run("mcast", "torus:dims=4x4", "updown.tables", ...group, "--html", "groups.html");
  await open("groups.html", async (page) => {
    assert.equal(await page.getAttribute("[data-test=tab-groups]", "aria-selected"), "true"); // its tree is seen first
    assert.equal(await page.locator("[data-test=group][aria-pressed=true]").count(), 1);
    assert.ok((await page.locator(".fabric-overlay [data-channel]").count()) > 0);
    await page.fill("[data-test=search]", "s1");
    assert.equal((await texts(page.locator("[data-test=search-matches] li"))).length, 7); // s1 and s10 to s15
    await page.press("[data-test=search]", "ArrowDown");
    await page.press("[data-test=search]", "Enter");
    assert.equal(await page.textContent("[data-test=selected]"), "switch s10");
    await page.press("[data-test=picture]", "Escape");
    assert.equal(await page.locator("[data-test=selected]").count(), 0);
    await page.click("[data-test=tab-groups]");
    await page.click("[data-test=group]");
    assert.match(await page.textContent("[data-test=panel-groups]"), /source\s*h0.*h1 h5/s);
    assert.ok((await page.locator(".fabric-overlay path").count()) > 0, "the tree is drawn");
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await page.click("[data-test=theme]");
    assert.notEqual(await background(), light);
    await page.click("[data-test=theme]");
    assert.equal(await background(), light);
  });
});

test("long names are shortened and stay apart; panel and tooltip have them whole", async () => {
  run("route", "clos3:radix=8", "dmodk", "--html", "short.html");
  const data = dataOf("short.html");
  const { switches, hosts } = data.sections.find((each) => each.kind === "fabric");
  for (const part of [switches, hosts]) part.name = part.name.map((name) => `rack-12-${"x".repeat(40)}-${name}`);
  writePage("short.html", "long.html", data);
  await open("long.html", async (page) => {
    const picture = page.locator("[data-test=picture]");
    const boxes = () =>
      picture.evaluate((element) => {
        const box = ({ left, right, top, bottom }) => ({ left, right, top, bottom });
        const names = [...element.querySelectorAll(".fabric-overlay text")];
        return {
          picture: box(element.getBoundingClientRect()),
          names: names.map((name) => ({ text: name.textContent, ...box(name.getBoundingClientRect()) })),
        };
      });
    for (const zoom of [0, 4, 4]) {
      for (let i = 0; i < zoom; ++i) await page.click("[data-test=zoom-in]");
      await page.waitForTimeout(300);
      const { picture: frame, names } = await boxes();
      assert.ok(zoom === 0 || names.some(({ text }) => text.includes("…")));
      for (const [i, a] of names.entries()) {
        assert.ok(a.text.length <= 24 && a.left >= frame.left && a.right <= frame.right, a.text);
        for (const b of names.slice(0, i))
          assert.ok(a.left >= b.right || a.right <= b.left || a.top >= b.bottom - 3 || a.bottom <= b.top + 3, `${a.text} and ${b.text}`);
      }
    }
    await page.fill("[data-test=search]", "-s3");
    await page.press("[data-test=search]", "Enter");
    assert.equal(await page.textContent("[data-test=selected]"), `switch ${switches.name[3]}`);
    const { x, y, width, height } = await picture.boundingBox(); // the switch is in its middle
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.waitForFunction((name) => document.querySelector(".fabric-tip").textContent.includes(name), switches.name[3]);
  });
});

test("addresses are found and shown; a wrong name clears what was chosen and says so", async () => {
  run("route", "torus:dims=4x4", "dor", "--html", "names.html");
  const data = dataOf("names.html");
  const { switches, hosts } = data.sections.find((each) => each.kind === "fabric");
  const address = (first) => (_, i) => `LID ${first + i}, GUID 0x2c9${(first + i).toString(16).padStart(8, "0")}`;
  switches.address = switches.name.map(address(1));
  hosts.address = hosts.name.map(address(101));
  writePage("names.html", "addresses.html", data);
  await open("addresses.html", async (page) => {
    const search = async (field, text) => {
      await page.fill(`[data-test=${field}]`, text);
      await page.press(`[data-test=${field}]`, "Enter");
    };
    await search("search", "4");
    assert.equal(await page.textContent("[data-test=selected]"), "switch s3");
    assert.equal(await page.textContent("[data-test=address]"), "LID 4, GUID 0x2c900000004");
    await search("search", "0X2C900000068"); // 104
    assert.match(await page.textContent("[data-test=end-from]"), /^h3 on s3:\d+LID 104, /);
    await search("search", "s33");
    assert.match(await page.textContent("[data-test=search-wrong]"), /^No switch or host is called “s33”\. Perhaps s3/);
    assert.equal(await page.locator("[data-test=end-from]").count(), 0);
    assert.equal((await route(page, "h0", "h5")).length, 3);
    await search("route-to", "h5x");
    assert.equal(await page.textContent("[data-test=route-to-wrong]"), "No host is called “h5x”. Perhaps h5");
    assert.equal(await page.locator("[data-test=hop]").count(), 0);
    assert.equal(await page.inputValue("[data-test=route-from]"), "h0");
    await page.click("[data-test=route-to-wrong] [data-test=nearest]");
    assert.equal(await page.locator("[data-test=hop]").count(), 3);
    assert.equal(await page.textContent("[data-test=route-to-wrong]"), "");
  });
});

test("tables that are left out: the command that shows a route, if the page knows it", async () => {
  run("route", "torus:dims=4x4", "dor", "--html", "tables-in.html");
  const data = dataOf("tables-in.html");
  for (const routing of data.sections.find((each) => each.kind === "fabric").routings) delete routing.paths;
  writePage("tables-in.html", "tables-out.html", data);
  await open("tables-out.html", async (page) => {
    await route(page, "h0", "h5");
    const command = await page.textContent("[data-test=route-command]");
    assert.equal(command, "weft show torus:dims=4x4 dor --from h0 --to h5");
    run(...command.split(" ").slice(1));
    await page.click("[data-test=tab-loads]");
    await page.locator("[data-test=busiest]").first().click();
    assert.match(await page.textContent("[data-test=crossings]"), /does not hold/);
  });
  writePage("tables-in.html", "unnamed.html", { ...data, made: { ...data.made, specs: [] } });
  await open("unnamed.html", async (page) => {
    await route(page, "h0", "h5");
    assert.equal(await page.locator("[data-test=route-command]").count(), 0);
    assert.match(await page.textContent("[data-test=panel-route]"), /weft show prints the route from h0 to h5\./);
  });
});

test("loads over time: slider, play and what is saved; legends", async () => {
  const trace = join(root, "tests/recorded/npb/is.S.16.trace.zst");
  run("replay", trace, "--topology", "torus:dims=4x4", "--engine", "updown", "--html", "times.html");
  const samples = section("times.html", "fabric").loads.find((each) => each.times.length > 1);
  const { kinds } = section("times.html", "timeline");
  await open("times.html", async (page) => {
    const fabric = page.locator("section.fabric");
    await fabric.locator("[data-test=colour]").selectOption({ label: samples.name });
    const last = samples.times.length - 1;
    await fabric.locator("[data-test=time]").fill(String(last));
    assert.match(await fabric.locator("[data-test=time-now]").textContent(), /^from [\d.]+ (us|ms|s)$/);
    const file = await saved(page, fabric.locator("[data-test=save-csv]"));
    const [head, line] = file.text.split("\n");
    assert.ok(head.endsWith(`"${samples.name} (%), there","${samples.name} (%), back"`), head);
    assert.ok(Math.abs(line.split(",").at(-1) - 100 * samples.values[last][1]) < 1e-9, line);
    await fabric.locator("[data-test=play]").click();
    const isBetween = (end) => {
      const { value } = document.querySelector("[data-test=time]");
      return value > 0 && value < end;
    };
    await page.waitForFunction(isBetween, last);
    await fabric.locator("[data-test=play]").click();

    const timeline = page.locator("[data-test=timeline]");
    const operations = async () => (await saved(page, timeline.locator("[data-test=save-csv]"))).text;
    assert.ok((await operations()).includes(`,${kinds[0]},`));
    await timeline.locator("[data-test=kind]").first().click();
    assert.ok(!(await operations()).includes(`,${kinds[0]},`));
  });
});

/** The same data with markup in every name; what the page itself reads stays. */
function hostile(value, key = "") {
  const own = ["kind", "id", "form", "fabric", "layout", "scale", "x_scale", "severity", "verdict", "next", "unit"];
  if (typeof value === "string")
    return own.includes(key) || value === "" ? value : `<img src=x onerror=alert(1)>${value}`;
  if (Array.isArray(value)) return value.map((each) => hostile(each, key));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hostile(each, name)]));
}

test("names in tables, charts, time lines and saved files are names, too", async () => {
  run("sweep", "mesh:dims=4x4", "[xy,updown]", "--load", "[0.1,0.2]", "--cycles", "500", "--html", "plain.html");
  run("run", "--cluster", "dane", "--hosts", "2", "allreduce:bytes=64,iterations=1,warmup=0", "--html", "ranks.html");
  const data = dataOf("plain.html");
  data.sections.push(section("ranks.html", "timeline"));
  writePage("plain.html", "names.html", hostile(data));
  await open("names.html", async (page) => {
    const chart = page.locator("[data-test=chart]").first();
    await chart.locator("[tabindex='0']").first().press("ArrowRight"); // the tooltip
    await chart.locator("[data-test=legend]").first().click();
    assert.equal(await chart.locator("[data-test=legend][aria-pressed=false]").count(), 1);
    const drawn = page.locator("[data-test=ranks]");
    await drawn.press("Enter");
    assert.match(await page.textContent("[data-test=chosen]"), /<img src=x/);
    for (const box of [chart, page.locator("[data-test=timeline]")]) {
      const { text } = await saved(page, box.locator("[data-test=save-svg]"));
      assert.ok(text.includes("&lt;img src=x") && !text.includes("<img"));
    }
    assert.match(await page.textContent("section.rows tbody"), /<img src=x/);
    assert.equal(await page.locator("img").count(), 0);
  });
});

test("no script runs but that of the page, which reads compressed data, too", async () => {
  run("route", "torus:dims=4x4", "dor", "--html", "own.html");
  const markup = "<script>alert(1)</script><img src=x onerror=alert(2)>";
  writePage("own.html", "others.html", dataOf("own.html"), { compressed: true, markup });
  await open("others.html", async (page) => assert.equal(await page.locator("[data-test=picture]").count(), 1), {
    expected: /Content Security Policy/,
  });
});
