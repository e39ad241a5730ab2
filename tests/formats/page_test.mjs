// The parts of the page's program that need no page: what they read, find, merge and paint, against the
// plainest way to do it. usage: node --test page_test.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

const folder = new URL("../../src/formats/page/", import.meta.url);
const files = ["data.js", "rows.js", "tree.js", "words.js", "canvas.js", "paint.js", "waits.js", "frames.js",
  "jumps.js", "main.js"];
const text = files.map((name) => readFileSync(new URL(name, folder), "utf8")).join("\n");
const page = vm.runInNewContext(`${text}
({ readCalls, readTree, makeRows, findCall, sweepRow, callerOf, subtreeEnd, ownTime,
  TreeMaker, idleMethods, callsBelow, sumMethods, sumMatches, turnTree, layTree, timeText, exactTime, fitName, countText, shortName, packageSize,
  matcherOf, colourOf, makeGroups, makeGrowth, rulerStep, rulerText, paintRows, packColour, levelHeights, isShorter,
  ownTimes, knowsWaiting, findThread, placeBlocks, findBlock, innermostAt, blockText, Jumps, Page })`, { document: { getElementById: (id) => (id === "thread" ? {} : null) } });

function makeRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return state / 2 ** 32;
  };
}

/** Calls of all lengths, up to 12 deep, in call order. */
function makeCalls(count, random) {
  const [start, duration, method, depth, path] = [[], [], [], [], []];
  let now = 0;
  while (start.length < count || path.length > 0) {
    now += Math.floor(10 ** (5 * random()));
    if (path.length > 0 && (start.length >= count || path.length === 12 || random() < 0.5)) {
      const call = path.pop();
      duration[call] = now - start[call];
    } else {
      path.push(start.length);
      depth.push(path.length - 1);
      start.push(now);
      method.push(Math.floor(random() * 20));
    }
  }
  return { count: start.length, start, duration, method, depth, open: new Uint8Array(start.length),
    sampled: new Uint8Array(start.length) };
}

/** Bytes as the page has them. */
function varints(numbers) {
  const bytes = [];
  for (let value of numbers) {
    for (; value > 127; value = Math.floor(value / 128)) {
      bytes.push((value % 128) + 128);
    }
    bytes.push(value);
  }
  return bytes;
}

function pack(count, columns) {
  const u32 = (value) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24];
  const parts = columns.map(varints);
  return new Uint8Array([...u32(count), ...parts.flatMap((part) => [...u32(part.length), ...part])]);
}

/** What calls of a row take of a time, the plain way. */
function covered(calls, row, from, until) {
  let sum = 0;
  for (let i = 0; i < calls.count; i++) {
    if (calls.depth[i] === row) {
      sum += Math.max(Math.min(calls.start[i] + calls.duration[i], until) - Math.max(calls.start[i], from), 0);
    }
  }
  return sum;
}

test("columns are read back, later ones need not be there", () => {
  const bytes = pack(3, [[2 * 5, 2 * 300, 2 * 2 ** 44], [2 ** 45, 70, 0], [1, 0, 128], [0, 8 | 1, 4 | 2], [9]]);
  const calls = page.readCalls(bytes);
  assert.deepEqual([...calls.start], [5, 305, 305 + 2 ** 44]);
  assert.deepEqual([...calls.duration], [2 ** 45, 70, 0]);
  assert.deepEqual([...calls.method], [1, 0, 128]);
  assert.deepEqual([...calls.depth], [0, 1, 0]);
  assert.deepEqual([...calls.open], [0, 1, 0]);
  assert.deepEqual([...calls.sampled], [0, 0, 1]);
  assert.equal(page.readCalls(new Uint8Array(0)).count, 0);
  const tree = page.readTree(pack(2, [[0, 1], [3, 4], [1, 2], [10, 5], [5, 5], [1, 2]]));
  assert.deepEqual([...tree.parent], [-1, 0]);
  assert.deepEqual([[...tree.idle], [...tree.sampled]], [[1, 0], [0, 1]]);
});

test("times count without waiting, and totals with them", () => {
  const tree = page.readTree(pack(4, [[0, 1, 2, 1], [3, 4, 5, 4], [1, 2, 0, 0], [100, 60, 30, 30], [10, 60, 30, 30],
    [0, 0, 2, 2], [0, 50, 0, 30], [5, 0, 10, 0]]));
  assert.deepEqual([page.knowsWaiting(tree), page.knowsWaiting(null)], [true, false]);
  const counted = (kind) => {
    const maker = new page.TreeMaker(6);
    maker.addTree(tree, true, page.ownTimes(tree, kind));
    return maker.finish();
  };
  assert.deepEqual([...counted("wall").total], [100, 60, 30, 30]);
  assert.deepEqual([...counted("awake").own], [10, 10, 30, 0]);
  assert.deepEqual([...counted("awake").total], [50, 10, 30, 0]);
  assert.deepEqual([...counted("cpu").total], [35, 10, 20, 0]);
  assert.deepEqual([...page.layTree(counted("awake")).method], [3, 5, 4], "what only waits is gone");
  const old = page.readTree(pack(1, [[0], [3], [1], [9], [9], [0]]));
  assert.equal(page.knowsWaiting(old), false, "columns that are not there");
});

test("waits are of the thread that waits, and lead to the one that has the lock", () => {
  const threads = [{ id: 1, name: "main" }, { id: 2, name: "pool" }, { id: 3, name: "pool" }];
  const block = (thread, name, start, ns) => ({ thread, name, start, ns, owner: 2, ownerName: "pool", ownerIn: "a.B.c", lock: "x.Y", exact: true });
  page.placeBlocks(threads, [block(1, "main", 50, 10), block(1, "main", 10, 20), block(9, "pool", 5, 1), block(9, "gone", 1, 1)]);
  assert.deepEqual(threads.map((thread) => [...thread.blocks].map((one) => one.start)), [[10, 50], [], [5]]);
  const { blocks } = threads[0];
  assert.equal(page.findBlock(blocks, 0, 100, 0), blocks[0], "the longest");
  assert.equal(page.findBlock(blocks, 45, 45, 5), blocks[1]);
  assert.equal(page.findBlock(blocks, 45, 45, 4), null);
  assert.equal(page.findThread(threads, 2, "main").id, 2);
  assert.equal(page.findThread(threads, 0, ""), undefined);
  assert.equal(page.blockText(blocks[0]).replace(/\u00a0/g, " "), "20 ns for x.Y, held by pool in a.B.c");
  assert.equal(page.blockText({ ...blocks[0], exact: false, ownerName: "", ownerIn: "#0" }).replace(/\u00a0/g, " "), "~20 ns for x.Y");
  const rows = page.makeRows({ count: 2, start: [0, 5], duration: [10, 2], method: [0, 1], depth: [0, 1] });
  assert.deepEqual([3, 6, 9, 20].map((time) => page.innermostAt(rows, time)), [0, 1, 0, -1]);
});

test("idle loops are left out, and what they call is outermost", () => {
  const tree = page.readTree(pack(3, [[0, 1, 2], [3, 4, 5], [1, 2, 1], [90, 60, 20], [10, 60, 20], [1, 1, 0]]));
  assert.deepEqual([...page.idleMethods(tree)], [3, 4]);
  const calls = { count: 5, start: [0, 5, 40, 60, 65], duration: [90, 30, 20, 20, 5], method: [3, 4, 5, 4, 5],
    depth: [0, 1, 1, 1, 2], open: [1, 0, 0, 0, 0], sampled: [0, 0, 0, 0, 0] };
  for (const fill of [(maker) => maker.addTree(tree, false),
    (maker) => maker.addCalls(page.callsBelow(calls, page.idleMethods(tree)), -Infinity, 62)]) {
    const maker = new page.TreeMaker(6);
    fill(maker);
    const { parent, method, total } = maker.finish();
    assert.deepEqual([[...parent], [...method], [...total]], [[-1], [5], [20]]);
  }
  const work = { count: 5, start: [0, 5, 6, 40, 50], duration: [90, 30, 20, 20, 5], method: [3, 5, 3, 4, 5],
    depth: [0, 1, 2, 1, 2], open: [1, 0, 0, 0, 0], sampled: [0, 0, 0, 0, 0] };
  const below = page.callsBelow(work, page.idleMethods(tree));
  assert.deepEqual([below.count, [...below.method], [...below.depth], [...below.start]],
    [3, [5, 3, 5], [0, 1, 0], [5, 6, 50]]);
});

test("methods are coloured by their change, and those that are gone are named", () => {
  const rows = [["a.B.slower", 80], ["a.B.little", 20], ["a.B.faster", -80], ["a.B.gone", -40]]
    .map(([method, change]) => ({ dataset: { method, change: String(change) } }));
  const { colour, legend } = page.makeGrowth(rows, ["a.B.slower", "a.B.little", "a.B.faster", "a.B.same"]);
  assert.ok(legend.endsWith("; gone: B.gone"), legend);
  const red = (name) => colour(name, false)[0] - colour(name, false)[2];
  assert.ok(red("a.B.slower") > red("a.B.little") && red("a.B.little") > 0 && red("a.B.faster") < 0);
  assert.equal(red("a.B.same"), 0);
  assert.equal(page.makeGrowth([], []).changes.size, 0);
});

/* Rows are painted white on black; what is painted is what was covered, at any zoom. */
test("painted is what calls covered", () => {
  const random = makeRandom(7);
  const calls = makeCalls(5000, random);
  const rows = page.makeRows(calls);
  const last = Math.max(...calls.start.map((start, i) => start + calls.duration[i]));
  const white = page.packColour([255, 255, 255]);
  const ink = { plain: new Uint32Array(20).fill(white), lines: new Uint32Array(20).fill(white), faded: [], ground: page.packColour([0, 0, 0]),
    edge: white, edgeShare: 0.28, matches: null };
  for (let k = 0; k < 300; k++) {
    const width = 200 + Math.floor(random() * 1400);
    const size = last * 10 ** (-6 * random());
    const from = random() * (last - size);
    const view = { from, width, ratio: 1, perPixel: size / width, firstRow: 0, lastRow: rows.count };
    const { pixels } = page.paintRows({ rows }, view, ink);
    for (let row = 0; row < rows.count; row++) {
      let painted = 0;
      for (let x = 0; x < width; x++) {
        painted += ((pixels[row * width + x] & 255) / 255) * view.perPixel;
      }
      const expected = covered(calls, row, from, from + size);
      assert.ok(Math.abs(painted - expected) <= 0.005 * expected + 0.25 * view.perPixel,
        `row ${row} of ${size} ns from ${from} in ${width} pixels: ${painted} of ${expected}`);
    }
  }
});

test("the call at a place is the one that a search finds", () => {
  const random = makeRandom(3);
  const calls = makeCalls(2000, random);
  const rows = page.makeRows(calls);
  const last = Math.max(...calls.start.map((start, i) => start + calls.duration[i]));
  for (let k = 0; k < 2000; k++) {
    const [time, row] = [random() * last, Math.floor(random() * rows.count)];
    const expected = calls.start.findIndex((start, i) => calls.depth[i] === row && start <= time &&
      time < start + calls.duration[i]);
    assert.equal(page.findCall(rows, row, time, 0), expected);
  }
});

test("callers, own times and ranks of calls", () => {
  const calls = { count: 5, start: [0, 1, 2, 5, 9], duration: [8, 3, 1, 2, 8], method: [1, 2, 2, 2, 1],
    depth: [0, 1, 2, 1, 0], open: new Uint8Array(5), sampled: new Uint8Array(5) };
  assert.deepEqual([0, 1, 2, 3, 4].map((call) => page.callerOf(calls, call)), [-1, 0, 1, 0, -1]);
  assert.deepEqual([0, 1, 2, 3, 4].map((call) => page.ownTime(calls, call)), [3, 2, 1, 2, 8]);
  assert.equal(page.subtreeEnd(calls, 1), 3);
  const order = [0, 1, 2, 3, 4].sort((a, b) => (page.isShorter(calls, a, b) ? 1 : -1));
  assert.deepEqual(order, [0, 4, 1, 3, 2]);
});

test("a merged tree has the time of its calls, turned or not", () => {
  const random = makeRandom(11);
  const calls = makeCalls(3000, random);
  const maker = new page.TreeMaker(20);
  maker.addCalls(calls, -Infinity, Infinity);
  const tree = maker.finish();
  const all = covered(calls, 0, -Infinity, Infinity);
  const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
  assert.equal(sum(tree.own), all);
  const laid = page.layTree(tree);
  assert.equal(sum(laid.duration.filter((_, i) => laid.depth[i] === 0)), all);
  assert.equal(sum(page.turnTree(tree, 20).own), all);
  const { calls: counts, own } = page.sumMethods(tree, 20);
  assert.equal(sum([...counts]), calls.count);
  assert.equal(sum([...own]), all);
});

test("a part of the time has what calls took in it", () => {
  const calls = { count: 2, start: [0, 10], duration: [100, 40], method: [0, 1], depth: [0, 1], sampled: [0, 0] };
  const maker = new page.TreeMaker(2);
  maker.addCalls(calls, 20, 60);
  const tree = maker.finish();
  assert.deepEqual([...tree.total], [40, 30]);
  assert.deepEqual([...tree.own], [10, 30]);
});

test("numbers and names are as the rest of methodbeat has them", () => {
  assert.deepEqual([0, 999, 5830000000, 12345, 99999999].map(page.timeText),
    ["0\u00a0ns", "999\u00a0ns", "5.83\u00a0s", "12.3\u00a0\u00b5s", "99.9\u00a0ms"]);
  assert.equal(page.exactTime(1234567890), "1.234\u202f567\u202f890\u00a0s");
  assert.deepEqual([99999, 785000000].map(page.countText), ["99999", "785\u00a0M"]);
  assert.equal(page.shortName("a.b.C.run(a.b.D)"), "C.run");
  assert.equal(page.packageSize("run"), 0);
  assert.deepEqual([9, 8, 4, 3].map((room) => page.fitName("Attr.type", room)),
    ["Attr.type", "type", "type", "ty\u2026"]);
  assert.equal(page.rulerStep(1, 110), 200);
  assert.equal(page.rulerText(1.5e9, 5e8), "1.5 s");
});

test("what is looked for is text, or an expression between slashes", () => {
  assert.ok(page.matcherOf("c.RUN")("a.b.C.run"));
  assert.ok(page.matcherOf("/^a.*n$/")("a.b.C.run"));
  assert.ok(!page.matcherOf("/(/")("("));
});

test("colours follow packages, not reports", () => {
  const [one, two, other] = ["a.b.C.run", "a.b.C.go", "x.y.Z.run"].map((name) => [...page.colourOf(name, false)]);
  assert.deepEqual(one, two);
  assert.notDeepEqual(one, other);
});

test("classes have colours where one package has most of the time, and methods where one class has", () => {
  const methods = (names, own, waits = names.map(() => 0)) => ({ count: names.length, names, own, waits });
  const first = (...given) => [...page.makeGroups(methods(...given)).first];
  assert.deepEqual(first(["a.b.C.run", "x.y.Z.run"], [5, 5]), ["a.b.", "x.y."]);
  assert.deepEqual(first(["a.b.C.run", "a.b.D.run", "x.y.Z.run"], [4, 5, 1]), ["a.b.D.", "a.b.C.", "x.y."]);
  assert.deepEqual(first(["C.run", "C.go", "D.go"], [5, 4, 1]), ["C.run", "C.go", "D."]);
  assert.deepEqual(first(["a.b.C.run", "a.c.D.run", "x.y.Z.run"], [9, 5, 5], [1, 0, 0]), ["a.c.", "x.y.", "a.b."]);
  const groups = page.makeGroups(methods(["C.run", "C.go"], [5, 4]));
  assert.notDeepEqual([...groups.colour("C.run", false)], [...groups.colour("C.go", false)]);
});

test("a level of frames that is there is seen", () => {
  const heights = [...page.levelHeights([100000, 0, 0, 0, 1], 40)];
  assert.deepEqual(heights, [38, 0, 0, 0, 2]);
  assert.equal(page.levelHeights([1, 1, 1, 1, 1], 40).reduce((sum, one) => sum + one, 0), 40);
});

test("what matches is summed up once, however it is nested", () => {
  const tree = { count: 5, parent: [-1, 0, 1, 2, -1], method: [0, 1, 2, 1, 3], calls: [1, 2, 3, 4, 5],
    total: [100, 80, 60, 30, 50], own: [20, 20, 30, 30, 50] };
  const sums = (matches) => ({ ...page.sumMatches(tree, matches) });
  assert.deepEqual(sums([0, 1, 0, 0]), { calls: 6, total: 80, own: 50, all: 150 });
  assert.deepEqual(sums([1, 0, 1, 0]), { calls: 4, total: 100, own: 50, all: 150 });
  assert.deepEqual(sums([0, 0, 0, 0]), { calls: 0, total: 0, own: 0, all: 150 });
});

/** Where jumps to matches go, one after the other. */
function walkMatches(tracks, steps) {
  const been = [];
  const chart = { tracks, chosen: null, goTo(track, call) {
    this.chosen = { track, call };
    been.push([tracks.indexOf(track), call]);
  } };
  const jumps = Object.assign(Object.create(page.Jumps.prototype), { page: { chart, matches: [0, 1] } });
  steps.forEach((by) => jumps.toMatch(by));
  return been;
}

test("the longest match comes first, of all threads", () => {
  const rows = (method, duration) => ({ rows: { calls: { count: method.length, method, duration } } });
  const tracks = [rows([1, 0, 1, 1], [5, 99, 9, 7]), rows([1, 1], [7, 50])];
  assert.deepEqual(walkMatches(tracks, [1, 1, 1, 1, 1, 1]), [[1, 1], [0, 2], [0, 3], [1, 0], [0, 0], [1, 1]]);
  assert.deepEqual(walkMatches(tracks, [1, 1, -1, -1]), [[1, 1], [0, 2], [1, 1], [0, 0]]);
});

test("a search in a thread without calls finds nothing", () => {
  assert.deepEqual(walkMatches([], [1, -1]), []);
  assert.deepEqual(walkMatches([{ rows: { calls: { count: 0, method: [], duration: [] } } }], [1]), []);
});

test("another thread is another table of the range, and of the whole the same", () => {
  const shown = [];
  const one = Object.assign(Object.create(page.Page.prototype), {
    address: { remember() {} }, range: [0, 5], kind: "wall", show() {}, showTable() { shown.push(this.thread); },
  });
  one.turnToThread(1);
  one.range = null;
  one.turnToThread(2);
  assert.deepEqual(shown, [1]);
});
