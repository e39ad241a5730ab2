#!/usr/bin/env bash
# Make the picture in the README, of the page of a real report.
# usage: samples/picture.sh PAGE.html [PICTURE.png]     default: samples/page.png
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
page=$(readlink -e "$1")
picture=$(readlink -f "${2:-$root/samples/page.png}")
mapfile -t tools < <("$root/tests/corpus/fetch.sh" playwright chromium)
node --input-type=module - "${tools[@]}" "$page" "$picture" <<'PROGRAM'
const [playwright, executablePath, page, path] = process.argv.slice(2);
const { chromium } = await import(`${playwright}/index.mjs`);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const view = await browser.newPage({ viewport: { width: 1280, height: 860 } });
await view.goto(`file://${page}`);
await view.waitForSelector("body[data-ready]", { state: "attached" });
await view.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
await view.screenshot({ path });
await browser.close();
PROGRAM
