// Speedscope's own viewer in a browser: what it shows of a profile.
//
// usage: node speedscope.mjs PLAYWRIGHT CHROMIUM SPEEDSCOPE PROFILE METHOD
//
// Prints as JSON the seconds until it is there, its title, its table of methods, the threads that can be chosen, and what stands beside the
// pointer where that first meets a call. METHOD is one of the table; without it only the seconds are told.
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";

const [playwright, chromium, viewer, profile, method] = process.argv.slice(2);
const { chromium: browsers } = await import(pathToFileURL(`${playwright}/index.mjs`));
const script = `${profile}.js`;
writeFileSync(script, `speedscope.loadFileFromBase64(${JSON.stringify(basename(profile))}, ` +
  `${JSON.stringify(readFileSync(profile).toString("base64"))});`);

const browser = await browsers.launch({ executablePath: chromium, timeout: 120000,
  args: ["--no-sandbox", "--enable-unsafe-swiftshader"] });
const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
page.setDefaultTimeout(120000);
const faults = [];
page.on("pageerror", (error) => faults.push(error.stack));
const started = performance.now();
await page.goto(`${pathToFileURL(`${viewer}/index.html`)}#localProfilePath=${script}`);
await page.waitForFunction(() => document.title !== "speedscope" && document.querySelector("canvas"));
const seconds = (performance.now() - started) / 1000;
if (method === undefined) {
  console.log(JSON.stringify({ seconds, faults }));
  await browser.close();
  process.exit(0);
}
const text = () => page.evaluate(() => document.body.innerText);

await page.keyboard.press("3");
await page.waitForFunction((name) => document.body.innerText.includes(name), method);
const table = await text();

await page.keyboard.press("1");
await page.waitForFunction((name) => !document.body.innerText.includes(name), method);
let tip = "";
for (let step = 0; step < 4000 && tip === ""; step++) { // it may not be drawn yet
  await page.mouse.move(20 + step % 8 * 160, 100 + Math.floor(step / 8) % 85 * 8);
  tip = (await text()).split("Help").pop().trim();
}
const chooser = page.locator("text=/\\(\\d+\\/\\d+\\)/"); // where there is more than one
if (await chooser.count() > 0) {
  await chooser.click();
}
const threads = await text();
console.log(JSON.stringify({ seconds, faults, title: await page.title(), table, tip, threads }));
await browser.close();
