// The page in a browser, as people use it: by pointer, wheel and keys.
//
// usage: node page.mjs PLAYWRIGHT CHROMIUM AXE.js FOLDER     of page.py's pages
//
// What is wrong is printed, and all of it is found in one run; exit code 1 if anything was.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [playwright, chromium, axe, folder] = process.argv.slice(2);
const { chromium: browsers } = await import(pathToFileURL(`${playwright}/index.mjs`));
let failures = 0;

function check(what, holds, shown = "") {
  if (!holds) {
    failures++;
    console.log(`${what}\n${typeof shown === "string" ? shown : JSON.stringify(shown)}`);
  }
}

const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"], timeout: 120000 });

/** A page of the folder; what it says and asks for that it should not is in page.faults. */
async function open(name, { hash = "", script = "", ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...options });
  context.setDefaultTimeout(120000);
  const page = await context.newPage();
  page.faults = [];
  if (script) {
    await page.addInitScript({ path: script });
  }
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("pageerror", (error) => page.faults.push(error.stack));
  page.on("request", (request) => request.url().startsWith(`file://${folder}/${name}.html`) ||
    page.faults.push(request.url()));
  await page.goto(`file://${folder}/${name}.html${hash}`);
  if (options.javaScriptEnabled !== false) {
    await page.waitForSelector("body[data-ready]", { state: "attached" });
  }
  return page;
}

async function close(page, name) {
  check(`${name}: faults`, page.faults.length === 0, page.faults);
  await page.context().close();
}

/** Where a call of a track is on the screen, and what it is. */
function place(page, track, method) {
  return page.evaluate(([number, name]) => {
    const { chart, methods } = window.methodbeat;
    const one = chart.tracks[number];
    const { calls } = one.rows;
    const call = calls.method.findIndex((rank) => methods.names[rank] === name);
    const box = chart.scroller.getBoundingClientRect();
    const middle = calls.start[call] + calls.duration[call] / 2;
    return { call, start: calls.start[call], duration: calls.duration[call],
      x: box.left + (middle - chart.window[0]) / chart.perPixel,
      y: box.top + one.y + 24 + calls.depth[call] * 18 + 9 - chart.scroller.scrollTop };
  }, [track, method]);
}

const detail = (page) => page.textContent("#detail");
const windowOf = (page) => page.evaluate(() => [...window.methodbeat.chart.window]);

async function testPointer() {
  const page = await open("app");
  check("the chart is there", await page.isVisible("#chart"));
  const at = await place(page, 0, "a.Slow.load");
  await page.mouse.click(at.x, at.y);
  await page.waitForSelector("#detail:not([hidden])");
  for (const part of ["a.Slow.load", "0.100 000 000 s", "0.800 000 000 s", "main"]) {
    const text = (await detail(page)).replace(/[\u00a0\u202f]/g, " ");
    check(`the detail has ${part}`, text.includes(part), text);
  }
  const before = await page.evaluate((x) => {
    const { chart } = window.methodbeat;
    return chart.timeAt(x - chart.scroller.getBoundingClientRect().left);
  }, at.x);
  const wide = await windowOf(page);
  await page.focus("#scroller");
  await page.mouse.wheel(0, -300);
  await page.waitForFunction((size) => {
    const [from, until] = window.methodbeat.chart.window;
    return until - from < size;
  }, wide[1] - wide[0]);
  const [after, pixel] = await page.evaluate((x) => {
    const { chart } = window.methodbeat;
    return [chart.timeAt(x - chart.scroller.getBoundingClientRect().left), chart.perPixel];
  }, at.x);
  check("zoom keeps the time under the pointer", Math.abs(after - before) <= pixel, [before, after]);
  await close(page, "pointer");
}

async function testKeys() {
  const page = await open("app");
  await page.focus("#scroller");
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown"]) {
    await page.keyboard.press(key);
  }
  check("keys walk to a leaf", (await page.textContent("#said")).startsWith("a.Slow.load"),
    await page.textContent("#said"));
  await page.keyboard.press("ArrowUp");
  check("and back", (await page.textContent("#said")).startsWith("a.Main.run"));
  for (const duration of ["1.000 000 000 s", "0.750 000 000 s"]) {
    await page.keyboard.press("m");
    const text = (await detail(page)).replace(/[\u00a0\u202f]/g, " ");
    check(`M shows the slow message of ${duration}`, text.includes(duration), text);
  }
  await page.keyboard.press("r");
  await page.waitForFunction(() => document.querySelector("#methods .more").textContent.includes("chosen range"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector("#methods .more").textContent.includes("chosen range"));
  await page.keyboard.press("/");
  await page.keyboard.type("slow");
  check("search", (await page.textContent("#found")).replace(/\u00a0/g, " ") ===
    "1 of 5 methods, 3 calls, 1.40 s in all (79.5 %), 1.40 s own (79.5 %)", await page.textContent("#found"));
  check("search sorts out the table", (await page.locator("#methods tbody tr").count()) === 1);
  await page.keyboard.press("Enter");
  check("the longest match", (await page.textContent("#said")).replace(/\u00a0/g, " ").endsWith("800 ms"),
    await page.textContent("#said"));
  check("the next match", (await page.textContent("#said")).startsWith("a.Slow.load"));
  await close(page, "keys");
}

async function testAddress() {
  const page = await open("app");
  await page.fill("#search", "run");
  await page.click("#tab-flame");
  await page.waitForFunction(() => location.hash.includes("v=flame") && location.hash.includes("q=run"));
  const again = await open("app", { hash: await page.evaluate(() => location.hash) });
  check("the address has the tab", await again.getAttribute("#tab-flame", "aria-selected") === "true");
  check("and the search", await again.inputValue("#search") === "run");
  const [was, is] = [await windowOf(page), await windowOf(again)];
  check("and the times", was.every((time, i) => Math.abs(time - is[i]) <= 1), [was, is]);
  await page.goBack();
  await page.waitForSelector("#tab-time[aria-selected=true]");
  await close(page, "address");
  await close(again, "address");
}

/* Against the plainest search there is, at random places and zooms. */
async function testDrawing() {
  const page = await open("large");
  const wrong = await page.evaluate(() => {
    let state = 7;
    const random = () => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0;
      return state / 2 ** 32;
    };
    const { chart } = window.methodbeat;
    const found = [];
    for (let k = 0; k < 400; k++) {
      const [first, last] = chart.bounds;
      const size = (last - first) * 10 ** (-5 * random());
      const from = first + random() * (last - first - size);
      chart.setWindow(from, from + size);
      const track = chart.tracks[0];
      const { calls } = track.rows;
      for (let i = 0; i < 5; i++) {
        const x = Math.floor(random() * chart.canvas.clientWidth);
        const row = Math.floor(random() * track.shown);
        const time = chart.timeAt(x);
        let expected = -1;
        for (let call = 0; call < calls.count && expected < 0; call++) {
          expected = calls.depth[call] === row && calls.start[call] <= time &&
            time < calls.start[call] + calls.duration[call] ? call : -1;
        }
        chart.scroller.scrollTop = Math.max(0, track.y + row * 18 - 40);
        const y = track.y + 24 + row * 18 + 9 - chart.scroller.scrollTop;
        const hit = chart.hit(x, y);
        const isNear = hit && hit.call >= 0 && calls.depth[hit.call] === row &&
          calls.start[hit.call] <= time + chart.perPixel &&
          time <= calls.start[hit.call] + calls.duration[hit.call] + chart.perPixel;
        if (!hit || (expected >= 0 ? hit.call !== expected : hit.call >= 0 && !isNear)) {
          found.push([k, row, time, expected, hit && hit.call]);
        }
      }
    }
    return found;
  });
  check("what is under the pointer", wrong.length === 0, wrong.slice(0, 5));
  await close(page, "drawing");
}

/* Rows painted in white on black: what is white on the screen is what calls covered. */
async function testCoverage() {
  const page = await open("large");
  const wrong = await page.evaluate(() => {
    const { chart, theme, palette } = window.methodbeat;
    const [track] = chart.tracks;
    const { calls } = track.rows;
    palette.plain.fill(0xffffffff);
    Object.assign(theme, { ground: 0xff000000, edge: 0xffffffff, boxText: "#fff", hatch: "transparent" });
    const found = [];
    for (let k = 0; k < 20; k++) {
      const [first, last] = chart.bounds;
      const size = (last - first) / 2 ** k;
      const from = first + (last - first - size) * ((k * 0.618) % 1);
      chart.setWindow(from, from + size);
      chart.draw();
      const { width } = chart.canvas;
      for (let row = 0; row < track.shown; row++) {
        const line = chart.context.getImageData(0, track.y + 24 + row * 18 + 1, width, 1).data;
        let [painted, covered] = [0, 0];
        for (let x = 0; x < width; x++) {
          painted += (line[4 * x] / 255) * (size / width);
        }
        for (let i = 0; i < calls.count; i++) {
          covered += calls.depth[i] !== row ? 0 : Math.max(0, Math.min(calls.start[i] + calls.duration[i],
            from + size) - Math.max(calls.start[i], from));
        }
        if (Math.abs(painted - covered) > 0.005 * covered + (0.25 * size) / width) {
          found.push([k, row, painted, covered]);
        }
      }
    }
    return found;
  });
  check("what is painted", wrong.length === 0, wrong.slice(0, 5));
  await close(page, "coverage");
}

/** How grey values differ along a line through a box of the first track, above its text; and the contrast
 * of the box to the ground. */
function look(page, method) {
  return page.evaluate((name) => {
    const { chart, methods, theme } = window.methodbeat;
    chart.draw();
    const [track] = chart.tracks;
    const { calls } = track.rows;
    const call = calls.method.findIndex((rank) => methods.names[rank] === name);
    const from = Math.ceil((calls.start[call] - chart.window[0]) / chart.perPixel) + 3;
    const size = Math.floor(calls.duration[call] / chart.perPixel) - 8;
    const y = track.y + 24 + calls.depth[call] * 18 + 1 - chart.scroller.scrollTop;
    const { data } = chart.context.getImageData(from, y, size, 1);
    const light = (red, green, blue) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    const greys = Array.from({ length: size }, (_, x) => light(...data.subarray(4 * x, 4 * x + 3)));
    return { least: Math.min(...greys), most: Math.max(...greys), isForced: theme.isForced };
  }, method);
}

/* In each way to look at it: lines over what was slow, also without colours, nothing beyond the edge of
 * the window, and text that can be read. */
async function testLooks() {
  const ways = { light: { colorScheme: "light" }, dark: { colorScheme: "dark" },
    forced: { forcedColors: "active" }, narrow: { viewport: { width: 400, height: 800 } } };
  for (const [what, options] of Object.entries(ways)) {
    const page = await open("watched", options);
    const slow = await look(page, "android.os.Handler.dispatchMessage");
    const plain = await look(page, "a.Main.run");
    check(`${what}: slow is hatched`, slow.most - slow.least > 30, slow);
    check(`${what}: the rest is not`, plain.most - plain.least < 5, plain);
    const beyond = await page.evaluate(() => [...document.querySelectorAll("button, input, select, h2, summary, p")]
      .filter((one) => one.offsetParent && !one.closest(".unseen, dialog, .scroll"))
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML));
    check(`${what}: nothing beyond the edge`, beyond.length === 0 &&
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), beyond.slice(0, 5));
    await page.click("#tab-flame");
    await page.click("#tab-bottom");
    await page.click("#help-open");
    await page.keyboard.press("Escape");
    await close(page, what);
  }
}

/* On paper: all that was folded, no controls, the chart within the paper's edges. */
async function testPrint() {
  const page = await open("watched");
  const paper = await page.pdf({ format: "A4" });
  check("paper", paper.length > 10000, paper.length);
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: 720, height: 1000 });
  check("messages are open", await page.evaluate(() =>
    [...document.querySelectorAll("details")].every((one) => one.open)));
  for (const selector of [".tools", ".top nav", ".theme", "#slow button"]) {
    check(`no ${selector} on paper`, !(await page.locator(selector).first().isVisible()));
  }
  for (const selector of ["#trust", "#slow", "#frames", "#overview", "#scroller canvas", "#methods"]) {
    check(`${selector} on paper`, await page.locator(selector).first().isVisible());
  }
  check("the chart ends where the paper does", await page.evaluate(() => [...document.querySelectorAll("canvas")]
    .every((one) => one.getBoundingClientRect().right <= document.querySelector("#view").getBoundingClientRect().right + 1)));
  await close(page, "print");
}

/* Frames above the chart, on its times. */
async function testFrames() {
  const page = await open("watched");
  await page.waitForSelector("#lane", { state: "visible" });
  const painted = await page.evaluate(() => {
    const { lane, chart, theme } = window.methodbeat;
    lane.draw();
    const x = Math.round((lane.drawn[1].start + 200e6 - chart.window[0]) / chart.perPixel);
    const { data } = lane.context.getImageData(x, 0, 1, lane.canvas.height);
    const seen = new Set(Array.from({ length: lane.canvas.height }, (_, y) => `rgb(${[...data.slice(4 * y, 4 * y + 3)].join(", ")})`));
    return theme.levels.map((colour) => seen.has(colour));
  });
  check("levels that were there, no others", JSON.stringify(painted) === "[true,false,false,false,true]", painted);
  await page.click("#frames button >> nth=0");
  check("a row shows its time", JSON.stringify(await windowOf(page)) === JSON.stringify([280e6, 720e6]),
    await windowOf(page));
  await page.click("#issues button >> nth=0");
  check("an issue shows its time", JSON.stringify(await windowOf(page)) === JSON.stringify([60e6, 940e6]),
    await windowOf(page));
  await page.goBack();
  await page.waitForFunction(() => window.methodbeat.chart.window[0] === 280e6);
  await page.click("#tab-flame");
  await page.waitForFunction(() => document.getElementById("lane").parentElement.hidden);
  await close(page, "frames");
  const plain = await open("app");
  check("no frames, no strip", !(await plain.isVisible("#lane")));
  await close(plain, "no frames");
}

/* What a user would miss. */
async function testFindings() {
  const page = await open("app");
  await page.focus("#scroller");
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "l"]) {
    await page.keyboard.press(key);
  }
  const shown = async () => (await detail(page)).replace(/[\u00a0\u202f]/g, " ");
  check("the next longest call", (await shown()).includes("0.600 000 000 s") &&
    (await shown()).includes("3 of 3 of the method"), await shown());
  await page.keyboard.press("l");
  await page.keyboard.press("l");
  check("behind the shortest the longest", (await shown()).includes("0.800 000 000 s"), await shown());
  check("its share of the message", (await shown()).includes("of its message80.0 %"), await shown());
  await page.keyboard.press("Home");
  await page.keyboard.press("Escape");
  const before = await windowOf(page);
  await page.click("nav a[href='#methods']");
  check("links leave the chart alone", JSON.stringify(before) === JSON.stringify(await windowOf(page)));
  const flag = await page.evaluate(() => {
    window.methodbeat.overview.draw();
    return window.methodbeat.overview.flags[1];
  });
  await page.locator("#overview").click({ position: { x: flag.x + 2, y: 6 } });
  check("a flag shows its message", (await shown()).includes("0.750 000 000 s"), await shown());
  await close(page, "findings");
  const lapped = await open("lapped");
  check("overwritten is said", (await lapped.textContent("#shown")).includes("older calls were overwritten"),
    await lapped.textContent("#shown"));
  await close(lapped, "lapped");
  const whole = await open("profiled");
  const said = (await whole.textContent("#shown")).replace(/[\u00a0\u202f]/g, " ");
  check("what covers the run comes first", await whole.getAttribute("#tab-flame", "aria-selected") === "true" &&
    said.startsWith("The whole run, from its profile. Time order has the calls that rings still hold, 17.6 s to 17.6 s."),
    said);
  await whole.fill("#search", "Pool.work");
  await whole.press("#search", "Enter");
  check("the longest chain of callers", (await detail(whole)).replace(/[\u00a0\u202f]/g, " ").includes("4.000 000 000 s"),
    await detail(whole));
  await whole.click("#tab-time");
  check("the rest is said", (await whole.textContent("#shown")).includes("Flame and Bottom up have the whole run."),
    await whole.textContent("#shown"));
  await close(whole, "profiled");
}

/* Loops that only wait are in no view, until they are asked for. */
async function testIdle() {
  const page = await open("idle", { hash: "#v=flame" });
  const drawn = () => page.evaluate(() => {
    const { chart, methods } = window.methodbeat;
    const { calls } = chart.tracks[0].rows;
    return [...calls.method].map((rank, i) => `${calls.depth[i]} ${methods.names[rank]} ${calls.duration[i] / 1e6}`);
  });
  const without = ["0 org.example.db.Store.query 23800", "0 org.example.web.Main.main 11997", // a main thread that hangs
    "0 org.example.web.Orders.handle 950", "1 org.example.web.Orders.load 840"];
  check("without idle loops", (await drawn()).join() === without.join(), await drawn());
  check("it is said", (await page.textContent("#shown")).endsWith("Idle loops, which only wait, are left out."),
    await page.textContent("#shown"));
  check("the switch is on", await page.getAttribute("#idle", "aria-pressed") === "true");
  await page.click("#idle");
  const all = await drawn();
  check("with idle loops", all.length === 9 && all[0] === "0 org.example.web.Worker.run 35991", all);
  await page.waitForFunction(() => location.hash.includes("i=1"));
  await page.click("#tab-bottom");
  check("bottom up", (await drawn()).some((call) => call.startsWith("0 org.example.web.Worker.getTask")), await drawn());
  await page.click("#tab-time");
  const roots = () => page.evaluate(() => window.methodbeat.chart.tracks.map(({ rows: { calls } }) =>
    window.methodbeat.methods.names[calls.method[0]]));
  check("time order with them", (await roots()).includes("org.example.web.Worker.run"), await roots());
  await page.click("#idle");
  check("time order below them", !(await roots()).includes("org.example.web.Worker.run") &&
    (await roots()).includes("org.example.web.Orders.handle"), await roots());
  await close(page, "idle");
  const plain = await open("profiled", { hash: "#v=flame" });
  check("no switch without a use", await plain.isHidden("#idle"));
  await close(plain, "profiled");
}

/* Sampled threads beside the recorded one: flames by wall, by CPU and without what waits; and from a wait to
 * who has the lock. */
async function testSampled() {
  const page = await open("sampled", { hash: "#v=flame" });
  const drawn = () => page.evaluate(() => {
    const { chart, methods } = window.methodbeat;
    const { calls } = chart.tracks[0].rows;
    return Object.fromEntries([...calls.method].map((rank, i) =>
      [`${calls.depth[i]} ${methods.names[rank].slice("org.example.".length)}`, Math.round(calls.duration[i] / 1e6)]));
  });
  const table = async () => Object.fromEntries(await page.evaluate(() => [...document.querySelectorAll("#methods tbody tr")]
    .map((row) => [...row.cells].map((cell) => cell.textContent.replace(/\u00a0/g, " ")))
    .map((cells) => [cells[6].replace("org.example.", ""), `${cells[0]} ${cells[2]} ${cells[3]}`])));
  const wall = await drawn();
  check("by wall", wall["1 jobs.Jobs.await"] === 1600 && wall["0 jobs.Worker.run"] === 2220 && wall["0 cli.Main.main"] === 3500, wall);
  check("sampled beside recorded", (await table())["util.Hash.of +-7%"] === "900 ms 900 ms \u2013" &&
    (await table())["fo.TreeBuilder.startElement"] === "1.20 s 2.00 s 10", await table());
  await page.click("#waiting");
  const awake = await drawn();
  check("without what waits", !("1 jobs.Jobs.await" in awake) && awake["0 jobs.Worker.run"] === 120 &&
    awake["0 cli.Main.main"] === 3500 && awake["0 web.Server.handle"] === 1000, awake);
  check("the switch is on", await page.getAttribute("#waiting", "aria-pressed") === "true");
  check("it is said", (await page.textContent("#shown")).includes("What waits, parks or sleeps is left out"), await page.textContent("#shown"));
  check("in the table, too", !("jobs.Jobs.await +-6%" in await table()) &&
    (await page.textContent("#methods .more")).includes("without waiting"), await table());
  await page.waitForFunction(() => location.hash.includes("w=awake"));
  const again = await open("sampled", { hash: await page.evaluate(() => location.hash) });
  check("the address has it", await again.getAttribute("#waiting", "aria-pressed") === "true");
  await close(again, "sampled again");
  await page.selectOption("#kind", "cpu");
  const cpu = await drawn();
  check("by CPU", cpu["0 jobs.Worker.run"] === 80 && cpu["1 util.Hash.of"] === 60 && !("1 jobs.Jobs.await" in cpu), cpu);
  check("nothing waits by CPU", await page.isHidden("#waiting"));
  await page.goBack();
  await page.waitForFunction(() => document.getElementById("kind").value === "wall");
  await page.click("#tab-bottom");
  check("bottom up without what waits", !("0 jobs.Jobs.await" in await drawn()) && (await drawn())["0 util.Hash.of"] === 900,
    await drawn());
  await page.selectOption("#thread", { label: "holder" });
  check("no switch where no thread waits", await page.isHidden("#kind-label") && await page.isHidden("#waiting"));
  await close(page, "sampled");
  const plain = await open("app", { hash: "#v=flame" });
  check("no switch without a use", await plain.isHidden("#kind-label") && await plain.isHidden("#waiting") && await plain.isHidden("#wait-next"));
  await close(plain, "app");
}

/* From a row, a band, a call and a key: to the wait, and from it to the owner and to the table. */
/** Ten thousand slow ones: soon there, and a click on a cause or on a point shows the request call by call. */
async function testRequests() {
  const page = await open("requests");
  const readyAfter = () => page.evaluate(() => performance.getEntriesByType("navigation")[0].domComplete);
  let ready = await readyAfter();
  for (let tries = 0; ready >= 1000 && tries < 9; tries++) { // other tests want the processors, too
    await page.reload();
    ready = Math.min(ready, await readyAfter());
  }
  check("10,000 slow requests are there soon", ready < 1000, ready);
  check("a point for each", (await page.locator("#points circle").count()) === 10000);
  check("and a band for each pause", (await page.locator("#points rect").count()) === 10);
  const said = async () => (await page.textContent("#detail")).replace(/[\u00a0\u202f]/g, " ");
  await page.locator("#points circle").last().click();
  await page.waitForSelector("#detail:not([hidden])");
  check("a click on a point shows the request", (await said()).includes("Orders.handle") &&
    (await said()).includes("0.005 000 000 s"), await said());
  await page.keyboard.press("Escape");
  await page.locator("#requests .cause button").first().click();
  const [from, until] = await windowOf(page);
  check("a click on a cause shows its longest request", until - from < 1e9, [from, until]);
  await page.click("#tab-slow");
  const shown = await page.evaluate(() => {
    const { tracks: [{ rows: { calls }, title }] } = methodbeat.chart;
    return [title.includes("more than as many usual ones"),
      ...Array.from(calls.method, (rank, i) => [calls.depth[i], methodbeat.methods.names[rank], calls.duration[i] / 1e9])];
  });
  check("what slow requests did more than usual ones", JSON.stringify(shown) ===
    '[true,[0,"org.example.web.Orders.handle",40],[1,"org.example.db.Store.query",30]]', shown);
  await close(page, "requests");
}

async function testWaits() {
  const page = await open("sampled");
  const shown = async () => (await detail(page)).replace(/[\u00a0\u202f]/g, " ");
  const chosen = () => page.evaluate(() => {
    const { chart, methods } = window.methodbeat;
    const one = chart.chosen;
    return one ? `${one.track.thread.name}: ${methods.names[one.track.rows.calls.method[one.call]]}` : "";
  });
  check("a row leads to the chart", await page.locator("#wait-1 button").count() === 2);
  await page.click("#wait-1 button >> text=Show in chart");
  check("the wait is shown", (await shown()).includes("outer waits") &&
    (await shown()).includes("700 ms for app.Second, held by middle in org.example.web.Server.handle"), await shown());
  check("its time is in view", (await windowOf(page)).join() === "1030000000,1870000000", await windowOf(page));
  await page.click("#detail button >> text=Owner's stack");
  check("the owner waits itself", await chosen() === "middle: org.example.web.Server.handle", await chosen());
  check("which is said", (await shown()).includes("blocked500 ms for app.First, held by holder"), await shown());
  await page.click("#detail button >> text=Owner's stack");
  check("who works", await chosen() === "holder: org.example.web.Server.handle" && !(await shown()).includes("blocked"), await shown());
  await page.goBack();
  await page.click("#wait-2 button >> text=Show in chart");
  await page.click("#detail button >> text=Who waits for whom");
  check("back to the table", await page.evaluate(() => document.activeElement.id) === "wait-2");
  await page.focus("#scroller");
  await page.keyboard.press("b");
  check("a key leads to the longest wait", (await page.textContent("#said")).startsWith("outer waits"), await page.textContent("#said"));
  await page.keyboard.press("Home");
  const band = await page.evaluate(() => {
    const { chart } = window.methodbeat;
    const track = chart.tracks.find((one) => one.thread.name === "middle");
    chart.scrollTo(track.y + 24);
    chart.draw();
    const box = chart.scroller.getBoundingClientRect();
    const x = (1250e6 - chart.window[0]) / chart.perPixel;
    const y = track.y + 24 - 4 - chart.scroller.scrollTop;
    const ratio = chart.canvas.width / chart.canvas.clientWidth;
    const { data } = chart.context.getImageData(Math.round((x - 8) * ratio), Math.round(y * ratio), 16, 1);
    const seen = new Set(Array.from({ length: 16 }, (_, i) => data.slice(4 * i, 4 * i + 3).join()));
    return { x: box.left + x, y: box.top + y, colours: seen.size };
  });
  check("a band is hatched", band.colours > 1, band);
  await page.mouse.click(band.x, band.y);
  check("a band leads to its wait", (await shown()).includes("middle waits"), await shown());
  await close(page, "waits");
}

/* All that the page shows of a name is text. */
async function testHostile() {
  const page = await open("hostile");
  check("no name ran", await page.evaluate(() => window.hit === undefined));
  check("names are shown", (await page.textContent("#methods")).includes("<img src=x onerror="));
  await page.click("#tab-flame");
  await page.fill("#search", "<img");
  await page.press("#search", "Enter");
  check("also where a call is chosen", (await detail(page)).includes("<img"), await detail(page));
  check("still none ran", await page.evaluate(() => window.hit === undefined));
  await close(page, "hostile");
}

async function testPlain() {
  const page = await open("watched", { javaScriptEnabled: false });
  check("no chart without JavaScript", !(await page.isVisible("#chart")));
  for (const part of ["#trust", "#slow", "#issues", "#frames", "#methods", "#threads"]) {
    check(`${part} without JavaScript`, await page.isVisible(part));
  }
  await page.context().close();
  await close(await (async () => {
    const none = await browser.newPage();
    none.setDefaultTimeout(120000);
    none.faults = [];
    none.on("pageerror", (error) => none.faults.push(error.stack));
    await none.goto(`file://${folder}/empty.html`);
    check("nothing", (await none.textContent("main")).includes("This trace has no calls."));
    return none;
  })(), "empty");
}

/* What tells something by its shape stands out from what is around it, in each way to look at the page. */
async function testMarks() {
  const ways = { light: { colorScheme: "light" }, dark: { colorScheme: "dark" },
    paper: { colorScheme: "dark", isPaper: true } };
  for (const [what, { isPaper, ...options }] of Object.entries(ways)) {
    for (const [name, least] of [["watched", 13], ["lapped", 9]]) {
      const page = await open(name, { ...options, script: new URL("marks.js", import.meta.url).pathname });
      if (isPaper) {
        await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
        await page.emulateMedia({ media: "print" });
      }
      const { seen, weak } = await page.evaluate(() => window.findMarks());
      check(`${what}, ${name}: marks`, seen.length >= least, seen);
      check(`${what}, ${name}: marks stand out`, weak.length === 0, weak.slice(0, 9));
      await close(page, `${what}, ${name}`);
    }
  }
}

async function testAccess() {
  for (const [colorScheme, media] of [["light", "screen"], ["dark", "screen"], ["light", "print"]]) {
    const page = await open("watched", { colorScheme });
    await page.emulateMedia({ media });
    await page.focus("#scroller");
    await page.keyboard.press("ArrowDown");
    await page.evaluate(readFileSync(axe, "utf8"));
    const { violations } = await page.evaluate(() => window.axe.run());
    check(`${colorScheme}, ${media}: everyone can use it`, violations.length === 0, violations.map(
      (one) => [one.id, one.help, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200))]));
    const unreached = await page.evaluate(() => [...document.querySelectorAll("button, input, select, a")]
      .filter((one) => one.tabIndex < 0 && one.getAttribute("role") !== "tab").map((one) => one.outerHTML));
    check(`${colorScheme}, ${media}: keys reach all`, unreached.length === 0, unreached);
    await close(page, colorScheme);
  }
}

for (const test of [testPointer, testKeys, testAddress, testDrawing, testCoverage, testLooks,
  testPrint, testMarks, testFrames, testFindings, testIdle, testSampled, testRequests, testWaits, testHostile, testPlain, testAccess]) {
  try {
    await test();
  } catch (error) {
    check(test.name, false, error.stack);
  }
}
await browser.close();
process.exit(failures > 0 ? 1 : 0);
