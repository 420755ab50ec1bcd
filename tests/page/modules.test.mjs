// SPDX-License-Identifier: Apache-2.0
// The modules of the page that need no document: numbers, data, filters, colours and routes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { load } from "./module.mjs";

const base64 = (bytes) => Buffer.from(bytes).toString("base64");
const base64Of16 = (words) => base64(words.flatMap((word) => [word & 255, word >> 8]));

test("numbers as text", async () => {
  const { columnFormat, exactBytes, formatBytes, formatCell, formatNumber, formatTime } = await load("number.ts");
  const numbers = [[0, "0"], [-0, "0"], [0.123456, "0.1235"], [12.5, "12.5"], [65536, "65536"], [1.2e-7, "1.2e-7"]];
  for (const [value, text] of numbers) assert.equal(formatNumber(value), text);
  for (const value of [null, NaN]) assert.equal(formatNumber(value), "–");
  assert.equal(formatNumber(-Infinity), "-∞");
  assert.equal(formatBytes(1536), "1.5 KiB");
  assert.equal(exactBytes(1096), "1096 B (1.07 KiB)");
  assert.equal(exactBytes(64), "64 B");
  assert.deepEqual([12.5, 3200, 4e6].map((us) => formatTime(us)), ["12.5 us", "3.2 ms", "4 s"]);
  assert.deepEqual([true, null, "word", 0.5].map(formatCell), ["yes", "–", "word", "0.5"]);
  assert.deepEqual([1.5, 10, 0.25].map(columnFormat([1.5, 10, 0.25])), ["1.50", "10.00", "0.25"]);
});

test("the data of a page, as JSON and compressed", async () => {
  const { fromBase64, readPage } = await load("read.ts");
  assert.deepEqual([...fromBase64(base64([0, 127, 255]))], [0, 127, 255]);
  const data = { title: "</script> ünd mehr", sections: [] };
  const text = JSON.stringify(data);
  const elements = [
    ["application/json", text],
    ["application/gzip", `\n${base64(gzipSync(text))}\n`],
  ];
  for (const [type, textContent] of elements) {
    globalThis.document = { getElementById: () => ({ textContent, getAttribute: () => type }) };
    assert.deepEqual(await readPage(), data);
  }
  globalThis.document = { getElementById: () => null };
  await assert.rejects(readPage(), /it has no data/);
  delete globalThis.document;
});

test("filters of tables", async () => {
  const { columnTest, hasWords, rangeTest, wordsOf } = await load("views/table/filter.ts");
  const { formatCell } = await load("number.ts");
  const passing = (text, cells) => cells.filter(rangeTest(text));
  assert.deepEqual(passing(">0.5", [0.4, 0.5, 0.6, "0.7", null]), [0.6]);
  assert.deepEqual(passing("10..20", [9, 10, 15, 20, 21]), [10, 15, 20]);
  assert.deepEqual(passing("..-1", [-2, -1, 0]), [-2, -1]);
  assert.deepEqual(passing("!= 3", [2, 3]), [2]);
  assert.deepEqual(passing(">=4 KiB", [4095, 4096]), [4096]);
  assert.deepEqual(passing("1e3", [1000, 1]), [1000]);
  assert.deepEqual(passing("0.123", [0.12299, 0.1235, 0.1236, 0.1224]), [0.12299, 0.1235]); // within its digits
  assert.deepEqual(passing("!= 1.5", [1.46, 1.56]), [1.56]);
  assert.deepEqual(passing("4K", [4095, 4096]), [4096]);
  for (const text of ["", "..", "s3", ">", "1..2..3", "4 XiB"]) assert.equal(rangeTest(text), null, text);
  assert.ok(hasWords("Dimension Order", wordsOf(" order  DIM ")));
  const chosen = columnTest({ text: "up", chosen: new Set(["updown", "dor"]) }, { numeric: false, format: formatCell });
  assert.deepEqual(["updown", "dor", "upstream"].filter(chosen), ["updown"]);
});

test("a filter that is not understood says so, and filters nothing", async () => {
  const { columnTest, rangeProblem } = await load("views/table/filter.ts");
  const { TableModel } = await load("views/table/model.ts");
  for (const text of ["", " ", ">0.5", "10..20"]) assert.equal(rangeProblem(text), "");
  assert.match(rangeProblem(" abc"), /^“abc” is not understood.* type a number/);
  assert.ok(columnTest({ text: "abc", chosen: null }, { numeric: true, format: String })(1));
  const model = new TableModel([{ name: "x", unit: "", meaning: "", cell: (row) => row }], 3);
  model.setFilter(0, { text: ">1", chosen: null });
  assert.deepEqual(model.rows(), [2]);
  model.setFilter(0, { text: ">1x", chosen: null });
  assert.deepEqual(model.rows(), [0, 1, 2]);
});

test("wide tables on paper: blocks of columns that tell their rows", async () => {
  const { columnBlocks, identified } = await load("views/table/print.ts");
  const heads = Array.from({ length: 40 }, (_, i) => `column_${i}`);
  const table = { heads, rows: [0, 1].map((row) => heads.map(() => `${row}.12345678`)), numeric: heads.map(() => true) };
  const blocks = columnBlocks(table);
  assert.ok(blocks.length > 2 && blocks.every((block) => block[0] === 0 && block.length < 15));
  assert.deepEqual(blocks.flatMap((block) => block.slice(1)), heads.map((_, i) => i).slice(1));
  assert.equal(columnBlocks({ heads: ["a", "b"], rows: [["1", "2"]], numeric: [true, true] }).length, 1);
  assert.equal(identified(table), table);
  const same = identified({ ...table, rows: [["x", "1"], ["x", "2"]] });
  assert.deepEqual([same.heads[0], same.rows.map((row) => row[0])], ["row", ["1", "2"]]);
});

test("tables find what they show, and all its digits", async () => {
  const { TableModel } = await load("views/table/model.ts");
  const cells = [1234.56781, 2.5, 0.123456, 9];
  const model = new TableModel([{ name: "x", unit: "", meaning: "", cell: (row) => cells[row] }], cells.length);
  const shown = cells.map(model.facts[0].format);
  for (const [row, text] of shown.entries()) {
    const found = (words, filter) => {
      model.words = words;
      model.setFilter(0, { text: "", chosen: null, ...filter });
      return model.rows();
    };
    assert.deepEqual(found(text, {}), [row], text);
    assert.deepEqual(found(String(cells[row]), {}), [row]);
    assert.deepEqual(found("", { text }), [row]);
    assert.deepEqual(found("", { chosen: new Set([text]) }), [row]);
    assert.ok(model.facts[0].values.includes(text));
  }
});

test("labels of axes end, however narrow or wide the range is", async () => {
  const { scaleOf } = await load("views/chart/scale.ts");
  const { limited, zoomedAround } = await load("views/chart/zoom.ts");
  const values = { linear: [0.1, 0.5], log: [0.001, 7], bytes: [1, 65536] };
  const ranges = [[0, 0], [1e9, 1e9], [1, 1 + 1e-15], [-1e300, 1e300], [-Infinity, Infinity], [0.1, 0.1 + 1e-12]];
  for (const [scale, both] of Object.entries(values)) {
    const axis = scaleOf({ name: "", scale, unit: "bytes" }, both, false);
    for (const range of ranges) assert.ok(axis.ticks(range, 8).length <= 1000);
    const zoomed = (factor) => {
      let range = axis.whole;
      for (let i = 0; i < 200; ++i) range = limited(zoomedAround(range, null, factor), axis.whole);
      return range;
    };
    const [low, high] = zoomed(0.5);
    assert.ok(low < high && (high - low) / (axis.whole[1] - axis.whole[0]) > 0.9e-9);
    const texts = axis.ticks([low, high], 8).map((tick) => tick.text);
    if (scale === "linear") assert.equal(new Set(texts).size, texts.length, texts.join());
    assert.deepEqual(zoomed(2), axis.whole);
  }
  const hosts = scaleOf({ name: "hosts", scale: "bytes" }, [1, 64], false);
  assert.deepEqual(hosts.ticks(hosts.whole, 8).map((tick) => tick.text), ["1", "2", "4", "8", "16", "32", "64"]);
});

test("the numbers of charts have units", async () => {
  const { numbersOf } = await load("views/chart/numbers.ts");
  const { chartOfRows } = await load("views/rows/chart_of_rows.ts");
  const column = (name, unit) => ({ name, unit, meaning: "" });
  const columns = [column("load", "flits per cycle"), column("latency", "cycles"), column("hops", "")];
  const choice = { x: 0, y: [1, 2], by: [], xScale: "linear", yScale: "linear" };
  const chart = chartOfRows(columns, [[0.1, 20, 3]], choice);
  assert.deepEqual(numbersOf(chart), {
    header: ["load [flits per cycle]", "latency [cycles]", "hops"],
    rows: [[0.1, 20, 3]],
  });
  assert.equal(chart.y.name, "latency, cycles; hops");
  const groups = { form: "columns", title: "", y: { name: "bandwidth", unit: "MB/s" }, groups: ["a"] };
  const series = [{ name: "write", values: [5], errors: [1] }];
  assert.deepEqual(numbersOf({ ...groups, series }).header, ["group", "write [MB/s]", "± write [MB/s]"]);
  const bars = { form: "bars", title: "", columns: [{ name: "latency", unit: "us", places: 1 }] };
  const rows = [{ name: "dor", values: [3], errors: [0.5] }];
  assert.deepEqual(numbersOf({ ...bars, rows }).header, ["name", "latency [us]", "± latency [us]"]);
});

test("axes that count have no fractions", async () => {
  const { scaleOf } = await load("views/chart/scale.ts");
  const labels = (axis, values, upright, about = 8) => {
    const scale = scaleOf(axis, values, upright);
    return scale.ticks(scale.whole, about).map((tick) => tick.text);
  };
  assert.deepEqual(labels({ name: "rank" }, [0, 1, 2], false), ["0", "1", "2"]);
  assert.deepEqual(labels({ name: "lanes" }, [1, 2], true, 5), ["0", "1", "2"]);
  assert.deepEqual(labels({ name: "", unit: "hops" }, [2, 3], true, 5), ["0", "1", "2", "3"]);
  assert.deepEqual(labels({ name: "time", unit: "us" }, [0, 1], true, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
  assert.ok(labels({ name: "share" }, [0, 0.5], false).includes("0.1"));
});

/** A time line of so many ranks, each with the same operations: [kind, begin, end]. */
function timeline(ranks, operations, more = {}) {
  const numbers = Array.from({ length: ranks }, (_, rank) => rank);
  const all = numbers.flatMap((rank) => operations.map((each) => [rank, ...each]));
  const [rank, kind, begin, end] = [0, 1, 2, 3].map((i) => all.map((each) => each[i]));
  const ops = { rank, kind, begin, end, peer: all.map(() => -1), bytes: all.map(() => 0) };
  const messages = { from: [], to: [], sent: [], received: [], bytes: [] };
  const named = numbers.map((each) => ({ name: `rank ${each}`, host: `h${each}` }));
  return { kind: "timeline", id: "t", title: "t", ranks: named, kinds: ["compute", "recv"], ops, messages, ...more };
}

const colours = { series: Array.from("01234567", (digit) => `#00000${digit}`), ink: "#000000", paper: "#ffffff" };

test("time lines show all ranks and all of the time at first", async () => {
  const { makeScene } = await load("views/timeline/scene.ts");
  const { view } = makeScene(timeline(256, [[0, 0, 5], [1, 3, 9]]), colours);
  view.resize(1000, 640);
  assert.deepEqual([view.begin, view.end, view.firstRank, view.lastRank], [0, 9, 0, 255]);
  assert.ok(view.fitsRanks && !view.hasRoom && view.totalHeight <= 640.001);
  view.fitRanks(false);
  assert.ok(view.rowHeight >= 12 && !view.fitsRanks && view.lastRank - view.firstRank < 30);
  view.fitRanks(true);
  view.resize(500, 300);
  assert.deepEqual([view.firstRank, view.lastRank], [0, 255]);
  const few = makeScene(timeline(2, [[0, 0, 5]]), colours).view;
  few.resize(1000, 400);
  assert.ok(few.hasRoom && few.rowHeight === 20);
});

test("operations are part of the innermost call that they begin in", async () => {
  const { makeScene } = await load("views/timeline/scene.ts");
  const { opColumns } = await load("views/timeline/op_columns.ts");
  const calls = { names: ["outer", "inner"], rank: [0, 0, 0], name: [0, 1, 1], begin: [0, 2, 4], end: [9, 4, 6] };
  const operations = [[1, 1, 8], [1, 2, 3], [1, 4, 5], [0, 9.5, 10]];
  const scene = makeScene(timeline(1, operations, { calls }), colours);
  assert.deepEqual([0, 1, 2, 3].map((op) => scene.index.callOf(op)), [0, 1, 2, -1]);
  const cells = opColumns(scene).slice(-3).map((column) => [2, 3].map(column.cell));
  assert.deepEqual(cells, [["inner", null], [4, null], [6, null]]);
});

test("ranks by name, number and host, and what to type instead", async () => {
  const { findRank, noSuchRank } = await load("views/timeline/find.ts");
  const section = timeline(64, []);
  assert.deepEqual(["rank 3", "63", "h7", "64", "1.5", "foo"].map((text) => findRank(section, text)), [3, 63, 7, null, null, null]);
  const words = "There is no rank “foo”: type a number from 0 to 63, or a name or host like rank 0 or h0.";
  assert.equal(noSuchRank(section, " foo"), words);
});

test("a kind of operations has the same colour on all pages", async () => {
  const { kindColours } = await load("views/timeline/kinds.ts");
  const some = kindColours(["send", "recv", "compute"], colours);
  const others = kindColours(["compute", "strange", "constructor", "recv", "send"], colours);
  assert.deepEqual(some, [others[4], others[3], others[0]]);
  assert.equal(new Set(others).size, 5);
});

test("text breaks into lines that have room", async () => {
  const { brokenText, textWidth } = await load("text.ts");
  assert.deepEqual(brokenText("short", 100), ["short"]);
  assert.deepEqual(brokenText("", 100), [""]);
  for (const text of ["updown:root=s12,balanced=yes and words", "w".repeat(100)]) {
    const lines = brokenText(text, 80);
    assert.ok(lines.length > 1 && lines.every((line) => line !== "" && textWidth(line) <= 80), lines.join("|"));
    assert.equal(lines.join("").replaceAll(" ", ""), text.replaceAll(" ", ""));
  }
});

test("legends of saved pictures have as many rows as they need", async () => {
  const { figureFile } = await load("views/figure_file.ts");
  const legend = Array.from({ length: 20 }, (_, i) => ({ name: `series <${i}>`, swatch: "<path/>" }));
  const file = figureFile({ title: "a & b", legend, width: 400, height: 100, drawn: "<g id='plot'/>", colours });
  const places = [...file.matchAll(/<text x="([\d.]+)" y="([\d.]+)"/g)].map((each) => each.slice(1).map(Number));
  assert.equal(places.length, 21);
  assert.equal(new Set(places.map(String)).size, 21);
  assert.ok(places.every(([x]) => x < 400));
  const top = Number(file.match(/translate\(0 ([\d.]+)\)"><g id='plot'/)[1]);
  assert.ok(places.every(([, y]) => y < top) && file.includes(`height="${Math.ceil(top + 100)}"`));
  assert.ok(file.includes(">a &amp; b<") && file.includes(">series &lt;3&gt;<"));
});

test("names of rows in bar charts have the room that they need", async () => {
  const { layoutBars } = await load("views/chart/bar_layout.ts");
  const long = "a name that goes on and on, longer than anything that would have room beside its bar";
  const rows = [{ name: "minhop", values: [1] }, { name: long, values: [2] }, { name: "heading", values: [] }];
  const chart = { form: "bars", title: "", columns: [{ name: "hops", unit: "", places: 0 }], rows };
  for (const width of [320, 680]) {
    const layout = layoutBars(chart, width);
    assert.deepEqual(layout.rows[0].name, ["minhop"]);
    assert.ok(layout.rows[1].name.length > 1);
    assert.equal(layout.rows[1].name.join("").replaceAll(" ", ""), long.replaceAll(" ", ""));
    assert.ok(layout.columns[0].bars > 20 && layout.columns[0].left < 0.55 * width);
  }
});

test("charts without a point say why", async () => {
  const { whyNothing } = await load("views/chart/nothing.ts");
  const lines = (points, more = {}) => {
    const y = { name: "latency", unit: "cycles", ...more.y };
    return { form: "lines", title: "", x: { name: "load" }, y, series: [{ name: "a", points, ...more.series }] };
  };
  assert.equal(whyNothing(lines([[0, null], [1, 2]])), "");
  assert.equal(whyNothing(lines([[0, null]])), "“latency” has no value");
  assert.match(whyNothing(lines([[0, null]], { series: { crossed: [0] } })), /, as simulations deadlocked$/);
  assert.match(whyNothing(lines([[0, -1]], { y: { scale: "log" } })), /logarithmic/);
  assert.equal(whyNothing({ ...lines([]), series: [] }), "“latency” has no value");
  const bars = { form: "bars", title: "", columns: [{ name: "hops", unit: "", places: 0 }] };
  assert.equal(whyNothing({ ...bars, rows: [{ name: "xy", values: [null] }] }), "“hops” has no value");
  assert.equal(whyNothing({ ...bars, rows: [{ name: "xy", values: [], remark: "refused" }] }), "");
  const groups = { form: "columns", title: "", y: { name: "" }, groups: ["a"] };
  assert.equal(whyNothing({ ...groups, series: [{ name: "a", values: [null] }] }), "there is no value");
});

test("headings do not repeat the title above them", async () => {
  const { withoutRepeats } = await load("titles.ts");
  const cases = [
    ["mesh:dims=4x4, xy, switch iq, traffic uniform", "mesh:dims=4x4, xy, traffic uniform", "switch iq"],
    ["torus:dims=8x8, updown, placed by_switch", "is.trace on torus:dims=8x8, updown", "placed by_switch"],
    ["allreduce:bytes=4k on dane: clos2, dmodk", "allreduce:bytes=4k", "dane: clos2, dmodk"],
    ["torus: engines compared", "torus: engines compared", ""],
    ["a.json: simulations", "a.json, b.json", "a.json: simulations"],
    ["simulations", "mesh", "simulations"],
  ];
  for (const [title, above, rest] of cases) assert.equal(withoutRepeats(title, above), rest);
});

test("fields of CSV files are no formulas", async () => {
  const { csvField } = await load("elements.ts");
  const fields = [["=1+1", "'=1+1"], ["@x", "'@x"], ["-s0,1", `"'-s0,1"`], ["-1.5", "-1.5"], [-2, "-2"], ["a=b", "a=b"]];
  for (const [value, text] of fields) assert.equal(csvField(value), text);
});

test("answers to a paper that are not judged", async () => {
  const { describeMet } = await load("views/paper/kinds.ts");
  const rows = [[null, "cal"], [null, "prediction"], [true, "prediction"], [false, "claim"]];
  const words = rows.map(([met, kind]) => describeMet({ met, kind }));
  assert.deepEqual(words, ["calibration", "open", "met", "not met"]);
});

test("loads in words and in their unit", async () => {
  const { inUnit, loadText } = await load("views/fabric/loads.ts");
  const { counted } = await load("views/fabric/words.ts");
  const share = { unit: " %", factor: 100 };
  assert.deepEqual(inUnit(share, [0.07, 1]), [7, 100]);
  assert.equal(loadText(share, 0.12345), "12.35 %");
  assert.deepEqual([counted(1, "link"), counted(12345, "link")], ["1 link", "12345 links"]);
});

test("where all links carry the same, none has the hottest colour", async () => {
  const { measuredLoad } = await load("views/fabric/loads.ts");
  const hottest = (unit, ...values) => measuredLoad({ name: "use", unit, times: [0], values }).hottest;
  assert.equal(hottest("flits per cycle", [0.2, 0.2, 0]), 0.4);
  assert.equal(hottest("flits per cycle", [0.1, 0.1, 0.1, 0.9]), 0.9);
  assert.equal(hottest("flits per cycle", [0, 0], [0.3, 0.3]), 0.6);
  assert.equal(hottest("", [0.2, 0.2]), 1);
});

test("histograms of loads as numbers", async () => {
  const { binsAsCsv } = await load("views/fabric/panels/histogram.ts");
  const { histogram } = await load("views/fabric/loads.ts");
  const share = { unit: " %", factor: 100 };
  const bins = histogram([0.1, 0.25, 0.5], 0.5, 2);
  assert.equal(binsAsCsv(share, bins), "from [%],to [%],channels\n0,25,1\n25,50,2\n");
});

test("switches and hosts by name and address, and names that are nearly right", async () => {
  const { editDistance, matches, nearest } = await load("views/fabric/matching.ts");
  const named = (name, number, address) => ({ kind: "host", number, name, address });
  const names = [
    named("h5", 0, "LID 50, GUID 0x2c90300AB05"),
    named("5", 1, "LID 51, GUID 0x2c90300ab06"),
    named("h12", 2, "LID 5, GUID 0x2c90300ab07"),
    named("<b>5", 3),
  ];
  const found = (text, most) => matches(names, text, most).map(({ number }) => number);
  assert.deepEqual(found("5"), [1, 2, 0, 3]); // whose name it is, whose LID, names with it
  assert.deepEqual(found(" LID 5 "), [2, 0, 1]);
  assert.deepEqual(found("0X2C90300ab05"), [0]);
  assert.deepEqual(found("0x000002c90300ab05"), [0]); // as others write it
  assert.deepEqual(found("300aB0"), [0, 1, 2]);
  assert.deepEqual([found(""), found("x7"), found("h", 1)], [[], [], [0]]);
  assert.deepEqual([editDistance("kitten", "sitting"), editDistance("", "ab")], [3, 2]);
  assert.deepEqual(nearest(names, "H13").map(({ name }) => name), ["h12"]);
  assert.deepEqual(nearest(names, "leaf"), []);
});

test("names are shortened in the middle, stay inside, and never overlap", async () => {
  const { NamePlaces, shortened, estimatedWidth } = await load("views/fabric/name_places.ts");
  assert.equal(shortened("leaf-01"), "leaf-01");
  assert.equal(shortened("abcdefghijklmnopqrstuvwxyz", 9), "abcd…wxyz");
  assert.equal([...shortened("🙂".repeat(50))].length, 24);
  const places = new NamePlaces(400, 300);
  const placed = [];
  for (let i = 0; i < 500; ++i) {
    const name = places.place({ text: `switch-${"x".repeat(i % 50)}-${i}`, x: (37 * i) % 400, y: (53 * i) % 300, size: 11 });
    if (name !== null) placed.push(name);
  }
  assert.ok(placed.length > 10);
  for (const [i, { text, box }] of placed.entries()) {
    assert.ok(box.left >= 0 && box.right <= 400 && estimatedWidth(text, 11) < 200, text);
    for (const { box: other } of placed.slice(0, i))
      assert.ok(box.left >= other.right || box.right <= other.left || box.top >= other.bottom || box.bottom <= other.top);
  }
  places.reserve({ x: 200, y: 150 }, 200);
  assert.equal(places.place({ text: "a", x: 200, y: 150, size: 11 }), null);
});

test("levels fill a picture, other layouts keep their shape", async () => {
  const { stretchOf } = await load("views/fabric/geometry.ts");
  const switches = { x: [0, 1000], y: [0, 100] };
  assert.deepEqual(stretchOf({ layout: "levels", switches }), { x: 1, y: 8 });
  assert.deepEqual(stretchOf({ layout: "grid", switches }), { x: 1, y: 1 });
  assert.deepEqual(stretchOf({ layout: "levels", switches: { x: [0, 100], y: [0, 100] } }), { x: 1.25, y: 1 });
  assert.deepEqual(stretchOf({ layout: "levels", switches: { x: [5], y: [5] } }), { x: 1, y: 1 });
});

test("the command that shows a route, where the page knows its fabric and tables", async () => {
  const { showCommand } = await load("views/fabric/show_command.ts");
  const made = (...specs) => ({ specs: specs.map(([name, value]) => ({ name, value })) });
  const known = made(["fabric", "torus:dims=4x4"], ["tables", "dor"]);
  assert.equal(showCommand(known, "h0", "it's"), `weft show torus:dims=4x4 dor --from h0 --to 'it'\\''s'`);
  const named = made(["topology", "ring"], ["engine", "updown"]);
  assert.equal(showCommand(named, "a b", "c"), "weft show ring updown --from 'a b' --to c");
  assert.equal(showCommand(made(["fabric", "ring"]), "a", "b"), null);
});

test("colours between others", async () => {
  const { between, mixed } = await load("mix.ts");
  const scale = ["#000000", "#ff0000", "#ffffff"];
  const colours = [0, 0.25, 0.5, 1].map((share) => mixed(scale, share));
  assert.deepEqual(colours, ["#000000", "#800000", "#ff0000", "#ffffff"]);
  assert.equal(between("#000", "#ffffff", 0.2), "#333333");
});

// Three switches in a row with a host each on port 3; port 1 leads on, port 2 back.
const section = {
  switches: { name: ["s0", "s1", "s2"], x: [0, 1, 2], y: [0, 0, 0], ports: [3, 3, 3] },
  hosts: { name: ["h0", "h1", "h2"], on: [0, 1, 2], port: [3, 3, 3] },
  links: { a: [0, 1], a_port: [1, 1], b: [1, 2], b_port: [2, 2], speed: ["", ""], bow: [0, 0] },
};
const column_of = [0, 1, 2];
const next = [0, 2, 2, 1, 0, 2, 1, 1, 0]; // by column, then switch

/** Follows routes of tables through the three switches. */
async function walker(routing) {
  const { RouteTables, whyNone } = await load("views/fabric/routes.ts");
  const { Topology } = await load("views/fabric/topology.ts");
  const topology = new Topology(section);
  const tables = new RouteTables(topology, { lanes: 2, ...routing });
  return (from, to) => {
    const walk = tables.walk(from, to);
    const hops = walk.hops.map(({ at, outPort, lane }) => [at, outPort, lane]);
    return { end: walk.end, hops, why: whyNone(topology, walk) };
  };
}

test("routes by destination", async () => {
  const paths = { form: "destination", column_of, next: base64Of16(next) };
  const walk = await walker({ paths, lane_rule: { form: "one" } });
  assert.deepEqual(walk(0, 2), { end: "reached", hops: [[0, 1, 0], [1, 1, 0], [2, 0, null]], why: "" });
  assert.deepEqual(walk(2, 1).hops, [[2, 2, 0], [1, 0, null]]);
  assert.equal((await walker({}))(0, 1).end, "no tables");
});

test("routes that do not arrive", async () => {
  const ends = [
    [[0, 65535], "no entry"],
    [[0, 2], "dead port"], // s0 has nothing there
    [[0, 3], "wrong host"],
    [[1, 2], "loop"], // s1 sends back
  ];
  for (const [[at, port], end] of ends) {
    const wrong = [...next];
    wrong[2 * 3 + at] = port;
    const walk = await walker({ paths: { form: "destination", column_of, next: base64Of16(wrong) } });
    assert.equal(walk(0, 2).end, end);
    assert.match(walk(0, 2).why, /^No route: /);
  }
});

test("routes by source, with a choice, and lanes by turn", async () => {
  const routes = Array(9).fill(null);
  routes[2 * 3 + 0] = [100, 1];
  const paths = { form: "source", column_of, routes, first_group: 100, port_groups: [[1, 2]] };
  const ops = Array(3 * 16).fill(255);
  ops[3 * 4 + 1] = 128; // s0, from its host on: keep
  ops[16 + 2 * 4 + 1] = 129; // s1, on: one more
  const lane_rule = { form: "turns", begin: [0, 16, 32], width: [4, 4, 4], ops: base64(ops) };
  const walk = await walker({ paths, lane_rule });
  assert.deepEqual(walk(0, 2), { end: "reached", hops: [[0, 1, 0], [1, 1, 1], [2, 0, null]], why: "" });
  assert.equal(walk(1, 2).end, "no entry");
  ops[16 + 2 * 4 + 1] = 255;
  assert.equal((await walker({ paths, lane_rule: { ...lane_rule, ops: base64(ops) } }))(0, 2).end, "no lane");
});

test("the routes over a link, by direction, are those that arrive over it", async () => {
  const { countCrossings } = await load("views/fabric/crossings.ts");
  const { RouteTables } = await load("views/fabric/routes.ts");
  const { Topology } = await load("views/fabric/topology.ts");
  const topology = new Topology(section);
  const crossings = (paths, link, most = 9) => {
    const work = countCrossings(new RouteTables(topology, { lanes: 1, paths }), link, most);
    for (;;) {
      const { done, value } = work.next();
      if (done) return value.map(({ count, first }) => [count, first.map(({ from, to }) => `${from}>${to}`).join(" ")]);
    }
  };
  const byDestination = (entries) => ({ form: "destination", column_of, next: base64Of16(entries) });
  assert.deepEqual(crossings(byDestination(next), 0), [[2, "0>1 0>2"], [2, "1>0 2>0"]]);
  assert.deepEqual(crossings(byDestination(next), 1, 1), [[2, "0>2"], [2, "2>0"]]);
  const wrong = [...next];
  wrong[2 * 3 + 1] = 2; // s1 sends what is for h2 back: a loop
  assert.deepEqual(crossings(byDestination(wrong), 0), [[1, "0>1"], [2, "1>0 2>0"]]);
  const routes = Array(9).fill(null);
  routes[2 * 3 + 0] = [100, 1];
  const bySource = { form: "source", column_of, routes, first_group: 100, port_groups: [[1, 2]] };
  assert.deepEqual(crossings(bySource, 1), [[1, "0>2"], [0, ""]]);
});

// Choice tables of the three switches: `code` is a set + 2, 0 is here, 1 no route.
const [here, none, back, on, either] = [0, 1, 2, 3, 4];
const sets = { size: [1, 1, 2], port: [2, 1, 1, 2], lane: [0, 0, -1, 1], phase: [0, 0, 0, 0], preference: [0, 0, 0, 1] };
const choice = {
  form: "choice",
  column_of,
  width: 1,
  entries: base64([here, back, back, on, here, back, on, either, here]),
  row_of: [0, 1, 2],
  sets,
  phases: [{ name: "", to_intermediate: false }],
  starts: [0],
  start_rule: "random",
};

test("tables with choices: one candidate is followed, and all are known", async () => {
  const { RouteTables } = await load("views/fabric/routes.ts");
  const { Topology } = await load("views/fabric/topology.ts");
  const tables = (paths, lane_rule = { form: "one" }) =>
    new RouteTables(new Topology(section), { lanes: 2, paths: { ...choice, ...paths }, lane_rule });
  const hops = (walk) => walk.hops.map(({ at, outPort, lane, candidates }) => [at, outPort, lane, candidates.length]);
  const all = tables({});
  const first = all.walk(0, 2);
  assert.deepEqual([first.end, hops(first)], ["reached", [[0, 1, 0, 1], [1, 1, 0, 2], [2, 0, null, 0]]]);
  const other = all.walk(0, 2, { taken: [0, 1] });
  assert.deepEqual(hops(other).slice(1, 3), [[1, 2, 1, 2], [0, 1, 0, 1]]); // back, and on again
  assert.deepEqual(
    all.fronts(first).map(({ switches, ports, lanes }) => [[...switches], [...ports], [...lanes]]),
    [[[0], [1], [0]], [[1], [1, 2], [0, 1]], [[2, 0], [3, 1], [0]]],
  );
  const ends = [
    [{ entries: base64([here, back, back, on, here, back, on, none, here]) }, "no entry"],
    [{ entries: base64([here, back, back, on, here, back, back, either, here]) }, "dead port"],
    [{ entries: base64([here, back, back, on, here, back, on, back, here]) }, "loop"],
    [{ entries: base64([here, back, back, on, here, back, here, either, here]) }, "wrong host"],
    [{ row_of: [0, 1, -1] }, "no entry"],
  ];
  for (const [paths, end] of ends) assert.equal(tables(paths).walk(0, 2).end, end);
  const levels = { form: "levels", level: base64([0, 0, 0, 0, 0, 0, 1, 1, 1]), by_host: false };
  assert.equal(tables({}, levels).walk(0, 2).hops[1].lane, 1); // of the service level
  const byLevel = { phases: [0, 1].map(() => choice.phases[0]), starts: [0, 1], start_rule: "level" };
  const starts = (to) => tables(byLevel, levels).walk(0, to).trip.starts;
  assert.deepEqual([starts(1), starts(2)], [[0], [1]]);
});

test("intermediate destinations: which may be drawn, and by whom", async () => {
  const { IntermediateDraws } = await load("views/fabric/intermediates.ts");
  const { Topology } = await load("views/fabric/topology.ts");
  const topology = new Topology(section);
  const passes = (via) => via === 2; // by every switch
  const draws = (all, ends = [[0], [1], [2], []]) => new IntermediateDraws(topology, all, ends, passes);
  const cases = [
    [{ rule: "any" }, [0, 1], [0, 1, 2], [0, 1, 2]],
    [{ rule: "any", region: [0, 0, 1] }, [0, 2], [0, 1, 2], [0, 1, 2]], // of no meaning
    [{ rule: "elsewhere" }, [0, 1], [2], [2]],
    [{ rule: "elsewhere", region: [0, 0, 1] }, [0, 1], [2], []], // others than their own leave it
    [{ rule: "elsewhere", region: [0, 0, 1] }, [0, 2], [], []],
    [{ rule: "between" }, [0, 1], [0, 1], [0, 1]],
    [{ rule: "up_to_last" }, [0, 1], [0, 1], [0, 1]], // 2 lies behind the last switch
    [{ rule: "up_to_last" }, [0, 2], [0, 1, 2], [0, 1, 2]],
    [{ rule: "aligned", at: [[0, 0], [0, 1], [1, 1]] }, [0, 1], [0, 1], [0, 1]],
  ];
  for (const [all, pair, drawn, detours] of cases) {
    assert.deepEqual(draws(all).drawn(...pair), drawn, JSON.stringify(all));
    assert.deepEqual(draws(all).detours(...pair), detours, JSON.stringify(all));
  }
  assert.deepEqual(draws({ rule: "elsewhere" }, [[0, 2], [2]]).drawn(0, 1), [1]); // all of its switches must obey
});
