// The page of a fleet in a browser, as people use it: by eye, pointer and keys.
//
// usage: node fleet_page.mjs PLAYWRIGHT CHROMIUM AXE.js PAGE.html
import { pathToFileURL } from "node:url";

const [playwright, chromium, axe, file] = process.argv.slice(2);
const { chromium: browsers } = await import(pathToFileURL(`${playwright}/index.mjs`));
let failures = 0;
const paints = [];

function check(what, holds, shown = "") {
  if (!holds) {
    failures++;
    console.log(`${what}\n${typeof shown === "string" ? shown : JSON.stringify(shown)}`);
  }
}

/** When the page showed something, in ms. */
async function firstPaint(page) {
  const paint = await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  return Math.round(await paint.jsonValue());
}

const browser = await browsers.launch({ executablePath: chromium, args: ["--no-sandbox"], timeout: 120000 });
for (const colorScheme of ["light", "dark"]) {
  const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 }, colorScheme })).newPage();
  const faults = [];
  await page.addInitScript({ path: axe });
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.stack));
  page.on("request", (request) => request.url() === `file://${file}` || faults.push(request.url()));
  await page.goto("data:text/html,<p>a page of a word");
  const least = await firstPaint(page);
  faults.length = 0;
  await page.goto(`file://${file}`);
  paints.push((await firstPaint(page)) - least);
  const titles = await page.locator("h2").allTextContents();
  for (const title of ["Issues of 1,000 sessions, by day", "Rising in 5.2", "What costs most", "Starts", "Frames",
    "Slower methods in 5.2", "Where the time of a run goes", "Who runs what"]) {
    check(`section ${title}`, titles.includes(title), titles);
  }
  check("names stay text", await page.evaluate(() => window.hacked === undefined && !document.querySelector("img")));
  const rising = page.locator("section", { hasText: "Rising in 5.2" }).locator("tbody tr");
  check("rising", await rising.count() >= 1, await rising.count());
  const more = page.locator("section", { hasText: "What costs most" }).locator("summary").first();
  await more.focus();
  await page.keyboard.press("Enter");
  check("a stack by key", await more.locator("xpath=..").locator("pre").isVisible());
  const blocks = page.locator(".flame button");
  check("flame graph", await blocks.count() > 20, await blocks.count());
  const before = await blocks.nth(3).textContent();
  await blocks.nth(3).click();
  check("zoom", await blocks.first().textContent() === before, before);
  const wrong = await page.evaluate(async () => (await window.axe.run()).violations.map((one) => [one.id, one.nodes[0].html, one.nodes[0].any[0]?.message]));
  check(`axe, ${colorScheme}`, wrong.length === 0, wrong);
  check(`faults, ${colorScheme}`, faults.length === 0, faults);
  await page.context().close();
}
check("first paint within a second", Math.min(...paints) < 1000, paints);
console.log(`first paint after ${paints.join(" and ")} ms more than a page of a word takes`);
await browser.close();
process.exit(failures > 0 ? 1 : 0);
