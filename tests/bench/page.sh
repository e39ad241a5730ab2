#!/usr/bin/env bash
# Measure how fast pages of report are in a browser.
# usage: tests/bench/page.sh PAGE.html...
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
mapfile -t tools < <("$(dirname "$0")/../corpus/fetch.sh" playwright chromium)
for page in "$@"; do
    node --input-type=module - "${tools[@]}" "$(readlink -e "$page")" <<'PROGRAM'
import { statSync } from "node:fs";
const [playwright, executablePath, path] = process.argv.slice(2);
const { chromium } = await import(`${playwright}/index.mjs`);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
await page.addInitScript(() => {
  new MutationObserver((_, watch) => {
    if (document.body && document.body.dataset.ready) {
      window.readyAt = performance.now();
      watch.disconnect();
    }
  }).observe(document, { subtree: true, attributes: true, childList: true });
});
await page.goto(`file://${path}`);
await page.waitForFunction(() => window.readyAt);
const client = await page.context().newCDPSession(page);
await client.send("HeapProfiler.collectGarbage");
const { usedSize, backingStorageSize = 0 } = await client.send("Runtime.getHeapUsage"); // objects, columns
const found = await page.evaluate(async () => {
  const { methodbeat } = window;
  const { chart } = methodbeat;
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const timed = (act) => {
    const start = performance.now();
    act();
    return performance.now() - start;
  };
  const nextFrame = () => new Promise((done) => requestAnimationFrame(done));
  const draws = [];
  const draw = chart.draw;
  chart.draw = () => draws.push(timed(() => draw.call(chart)));
  let [gap, last] = [0, await nextFrame()];
  for (let i = 0; i < 120; i++) {
    chart.zoom(i % 60 < 30 ? 0.8 : 1.25, 300 + 8 * i);
    chart.pan(20);
    const now = await nextFrame();
    gap = Math.max(gap, now - last);
    last = now;
  }
  draws.sort((a, b) => a - b);
  methodbeat.showAll();
  return { calls: methodbeat.threads.reduce((sum, one) => sum + one.calls.count, 0),
    hidden: methodbeat.threads.reduce((sum, one) => sum + one.hidden, 0), names: methodbeat.methods.count,
    firstPaint: paint ? paint.startTime : -1, ready: window.readyAt,
    draw50: draws[Math.floor(draws.length / 2)], draw95: draws[Math.floor(draws.length * 0.95)], gap,
    search: timed(() => methodbeat.search("get")), flame: timed(() => methodbeat.show("flame")),
    bottom: timed(() => methodbeat.show("bottom")) };
});
await browser.close();
const ms = (time) => `${time.toFixed(1)} ms`;
console.log(`${path}: ${(statSync(path).size / 1e6).toFixed(2)} MB, ${found.calls} calls drawn, ${found.hidden} ` +
  `not, ${found.names} methods\n  first paint ${ms(found.firstPaint)}, ready ${ms(found.ready)}, heap ` +
  `${((usedSize + backingStorageSize) / 1e6).toFixed(0)} MB\n  draw ${ms(found.draw50)} median, ${ms(found.draw95)} p95, longest gap ` +
  `${ms(found.gap)}\n  search ${ms(found.search)}, flame ${ms(found.flame)}, bottom up ${ms(found.bottom)}`);
PROGRAM
done
