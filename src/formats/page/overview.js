/* The whole time in a strip: how deep the first threads were in calls, what is lost, what was slow, and
 * which part the chart shows. */

/** How deep, pixel by pixel: rows that calls cover for more than a quarter of the pixel. */
function makeSkyline(rows, from, perPixel, width) {
  const strip = { cover: new Float64Array(width), call: new Int32Array(width) };
  const sky = new Uint32Array(width);
  for (let row = 0; row < rows.count; row++) {
    sweepRow(rows, row, { from, perPixel, width }, strip, () => {});
    for (let x = 0; x < width; x++) {
      sky[x] += strip.cover[x] > 0.25 ? 1 : 0;
    }
  }
  return sky;
}

const OVERVIEW = 46; /* CSS pixels */

class Overview extends Drawing {
  constructor(canvas, page) {
    super(canvas, canvas.parentElement, page);
    this.flags = [];
    const move = (event) => {
      if (event.buttons & 1) {
        this.moveTo(event);
      }
    };
    canvas.addEventListener("pointerdown", (event) => {
      const slow = this.flagAt(event.offsetX, event.offsetY);
      if (slow >= 0) {
        page.jumps.toSlow(slow);
      } else {
        canvas.setPointerCapture(event.pointerId);
        move(event);
      }
    });
    canvas.addEventListener("pointermove", move);
  }

  moveTo(event) {
    const { chart, span } = this.page;
    if (chart.isTime) {
      const share = event.offsetX / this.canvas.clientWidth;
      const time = span[0] + share * (span[1] - span[0]);
      const half = (chart.window[1] - chart.window[0]) / 2;
      chart.setWindow(time - half, time + half);
    }
  }

  draw() {
    const { canvas, context, page } = this;
    const box = canvas.parentElement;
    box.hidden = !page.chart.isTime && !page.range; // a tree has no times
    if (box.hidden) {
      return;
    }
    const width = Math.max(box.clientWidth, 1);
    const height = OVERVIEW;
    fitCanvas(canvas, width, height);
    context.clearRect(0, 0, width, height);
    const [from, until] = page.span;
    const perPixel = Math.max(until - from, 1) / width;
    const xOf = (time) => (time - from) / perPixel;
    const threads = page.threads.filter((thread) => thread.rows.count > 0);
    threads.slice(0, 4).forEach((thread, i, shown) =>
      this.drawBusy(thread, perPixel, 14 + (i * 28) / shown.length, 28 / shown.length - 1));
    this.drawLost(threads[0], xOf);
    this.drawFlags(xOf);
    if (page.chart.isTime) {
      this.drawWindow(page.chart.window.map(xOf), width, height);
    } else if (page.range) {
      this.drawWindow(page.range.map(xOf), width, height);
    }
  }

  drawBusy(thread, perPixel, top, height) {
    const { context, page } = this;
    const width = Math.max(this.canvas.clientWidth, 1);
    if (!thread.sky || thread.sky.length !== width) {
      thread.sky = makeSkyline(thread.rows, page.span[0], perPixel, width);
    }
    const deepest = thread.sky.reduce((most, depth) => Math.max(most, depth), 1);
    context.fillStyle = page.theme.bar;
    for (let x = 0; x < width; x++) {
      const tall = (thread.sky[x] / deepest) * height;
      if (tall > 0) {
        context.fillRect(x, top + height - Math.max(tall, 1), 1, Math.max(tall, 1));
      }
    }
  }

  /* What the ring of the first thread does not hold any more. */
  drawLost(thread, xOf) {
    const { context, page } = this;
    if (thread && thread.lapped > 0) {
      context.strokeStyle = page.theme.soft;
      context.lineWidth = 1;
      drawHatch(context, 0, 14, xOf(thread.whole.calls.start[0]), 28, 7);
    }
  }

  drawFlags(xOf) {
    const { context, page } = this;
    context.font = page.theme.titleFont;
    context.textBaseline = "middle";
    let behind = -20;
    this.flags = page.jumps.slow.map((message, slow) => ({ x: xOf(Number(message.dataset.start)), slow }));
    this.flags.sort((a, b) => a.x - b.x);
    for (const { x, slow } of this.flags) {
      const number = String(slow + 1);
      context.fillStyle = page.theme.bad;
      context.fillRect(x, 2, 2, 12);
      if (x > behind) {
        context.fillText(number, x + 4, 8);
        behind = x + 8 + 8 * number.length;
      }
    }
  }

  /** The slow message whose flag is there; -1: none. */
  flagAt(x, y) {
    const near = this.flags.filter((flag) => y < 15 && x > flag.x - 4 && x < flag.x + 16);
    return near.length > 0 ? near[near.length - 1].slow : -1;
  }

  drawWindow([left, right], width, height) {
    const { context, page } = this;
    context.fillStyle = page.theme.shade;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.strokeStyle = page.theme.text;
    context.lineWidth = 1;
    const end = Math.min(right, width - 1); // the box may be a part of a pixel narrower
    context.strokeRect(left + 0.5, 0.5, Math.max(end - left - 1, 1), height - 1);
  }
}
