/* Frames, as the monitors summed them up: a bar for each time of drawing, on the axis of the chart. */

const LANE = 58; /* CSS pixels */
const LANE_TOP = 16;
const LEVELS = ["best", "normal", "middle", "high", "frozen"];

/** What the table of frames says of the time that the chart has.
 * @returns {{start: number, end: number, fps: number, rate: number, levels: number[], scene: string}[]} */
function readDrawn() {
  const rows = /** @type {any[]} */ ([...document.querySelectorAll("#frames tr[data-start]")]);
  return rows.map((row) => ({
    start: Number(row.dataset.start),
    end: Number(row.dataset.start) + Number(row.dataset.duration),
    fps: Number(row.dataset.fps) / 100,
    rate: Number(row.dataset.rate) / 100,
    levels: row.dataset.levels.split(",").map(Number),
    scene: row.querySelector(".name").textContent,
  })).sort((a, b) => a.start - b.start);
}

/** Heights of the levels in a bar, from the best up: a level that is there is never too small to be seen. */
function levelHeights(levels, height) {
  const all = levels.reduce((sum, count) => sum + count, 0);
  const heights = levels.map((count) => (count > 0 ? Math.max((count / all) * height, 2) : 0));
  const most = heights.indexOf(Math.max(...heights));
  heights[most] -= heights.reduce((sum, part) => sum + part, 0) - height;
  return heights;
}

class Lane extends Drawing {
  constructor(canvas, page) {
    super(canvas, canvas.parentElement, page);
    this.drawn = readDrawn();
    this.box = canvas.parentElement;
    canvas.addEventListener("click", (event) => {
      const one = this.hit(event.offsetX);
      if (one) {
        page.jumps.toRow({ dataset: { start: one.start, duration: one.end - one.start } });
      }
    });
    canvas.addEventListener("pointermove", (event) => {
      const one = this.hit(event.offsetX);
      canvas.title = one ? this.tell(one) : "";
    });
  }

  hit(x) {
    const { chart } = this.page;
    const [time, slack] = [chart.timeAt(x), 2 * chart.perPixel];
    return this.drawn.find((one) => one.start <= time + slack && time <= one.end + slack);
  }

  tell({ scene, fps, rate, levels }) {
    const parts = levels.map((count, level) => (count > 0 ? `${count} ${LEVELS[level]}` : ""));
    return `${scene}\n${fps.toFixed(1)} of ${rate.toFixed(0)} frames a second\n` +
      parts.filter((part) => part !== "").join(", ");
  }

  draw() {
    const { chart } = this.page;
    this.box.hidden = !chart.isTime || this.drawn.length === 0;
    if (this.box.hidden) {
      return;
    }
    const width = Math.max(this.box.clientWidth, 1);
    const { context } = this;
    fitCanvas(this.canvas, width, LANE);
    context.clearRect(0, 0, width, LANE);
    context.textBaseline = "middle";
    this.named = -1; // where the last name ends
    for (const one of this.drawn) {
      const left = (one.start - chart.window[0]) / chart.perPixel;
      const right = (one.end - chart.window[0]) / chart.perPixel;
      if (right >= 0 && left <= width) {
        this.drawBar(one, Math.max(left, -2), Math.min(Math.max(right, left + 3), width + 2));
      }
    }
  }

  drawBar(one, left, right) {
    const { context, page } = this;
    const heights = levelHeights(one.levels, LANE - LANE_TOP - 1);
    let y = LANE - 1;
    heights.forEach((height, level) => {
      y -= height;
      context.fillStyle = page.theme.levels[level];
      context.fillRect(left, y, right - left, height);
    });
    context.strokeStyle = page.theme.soft;
    context.lineWidth = 1;
    context.strokeRect(left + 0.5, LANE_TOP + 0.5, right - left - 1, LANE - LANE_TOP - 1);
    this.drawRate(one, left, right);
    this.drawScene(one, left, right);
  }

  /* Frames a second as a line: at the top as many as the display shows. */
  drawRate({ fps, rate }, left, right) {
    const { context, page } = this;
    const y = LANE - 2 - Math.min(fps / Math.max(rate, 1), 1) * (LANE - LANE_TOP - 4);
    context.fillStyle = page.theme.cardText;
    context.fillRect(left, y - 2, right - left, 4);
    context.fillStyle = page.theme.text;
    context.fillRect(left, y - 1, right - left, 2);
  }

  drawScene({ scene, fps }, left, right) {
    const { context, page } = this;
    const start = Math.max(left, this.named, 0);
    const name = scene.slice(scene.lastIndexOf(".") + 1) || "no scene";
    context.font = page.theme.font;
    const text = `${name} ${fps.toFixed(1)}`;
    const size = context.measureText(text).width;
    if (start <= Math.max(left, 0) + 1 || start + size < right) {
      context.fillStyle = page.theme.text;
      context.fillText(text, start + 1, LANE_TOP / 2);
      this.named = start + size + 8;
    }
  }
}
