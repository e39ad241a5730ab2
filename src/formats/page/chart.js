/* The chart: tracks of rows one below the other, all on one axis of time. */

/** A thread, or a tree. y and shown: its place, set by the chart.
 * @typedef {object} Track
 * @property {string} title
 * @property {string} note
 * @property {Rows} rows
 * @property {boolean} isOpen all rows are shown, not only the first
 * @property {any} [thread]
 * @property {(call: number) => boolean} [hatch] whether a call was slow
 * @property {number} [y]
 * @property {number} [shown]
 */

class Chart extends Drawing {
  /** page: methods, matches, palette and theme that all charts share, and what to tell of a choice. */
  constructor(scroller, page) {
    super(scroller.querySelector("canvas"), scroller, page);
    this.scroller = scroller;
    this.spacer = scroller.querySelector(".spacer");
    this.strips = document.createElement("canvas");
    this.tracks = [];
    this.bounds = [0, 1];
    this.window = [0, 1];
    this.chosen = null;
    this.range = null;
    this.isTime = true;
    scroller.addEventListener("scroll", () => this.redraw());
  }

  /** @param {Track[]} tracks @param {number[]} bounds @param {boolean} isTime */
  show(tracks, bounds, isTime) {
    this.tracks = tracks;
    this.bounds = bounds[1] > bounds[0] ? bounds : [bounds[0], bounds[0] + 1];
    this.window = [...this.bounds];
    this.isTime = isTime;
    this.chosen = null;
    this.place();
  }

  /** Where tracks are, from the top of all. */
  place() {
    let y = RULER;
    for (const track of this.tracks) {
      track.y = y;
      track.shown = track.isOpen ? this.rowsInSight(track) : Math.min(track.rows.count, 1);
      y += TITLE + track.shown * ROW + 6;
    }
    this.spacer.style.height = `${y}px`;
    this.scroller.style.maxHeight = `${Math.max(y + 4, 192)}px`; // no empty room below
    this.redraw();
  }

  /** Without the deepest rows, while they are all but empty and no call in them has room for a name. */
  rowsInSight({ rows }) {
    let { count } = rows;
    while (this.isTime && count > 1 && rows.longest[count - 1] < LEAST_LABEL * this.perPixel &&
      rows.sums[rows.first[count]] - rows.sums[rows.first[count - 1]] < (this.bounds[1] - this.bounds[0]) / 50) {
      count--;
    }
    return count;
  }

  get perPixel() {
    return (this.window[1] - this.window[0]) / Math.max(this.scroller.clientWidth, 1);
  }

  timeAt(x) {
    return this.window[0] + x * this.perPixel;
  }

  /** Show these times; never less than 20 ns, nor what is not there. */
  setWindow(from, until) {
    const [first, last] = this.bounds;
    const size = Math.min(Math.max(until - from, 20), last - first);
    const start = Math.min(Math.max(from, first), last - size);
    this.window = [start, start + size];
    this.place();
    this.page.onWindow(this);
  }

  zoom(factor, x) {
    const time = this.timeAt(x);
    const [from, until] = this.window;
    this.setWindow(time - (time - from) * factor, time + (until - time) * factor);
  }

  pan(pixels) {
    const by = pixels * this.perPixel;
    this.setWindow(this.window[0] + by, this.window[1] + by);
  }

  /* ---- What is where ---- */

  /** What is at a place of the canvas; call -1: none.
   * @param {number} x @param {number} y */
  hit(x, y) {
    const top = y + this.scroller.scrollTop;
    const track = this.tracks.find((one) => top >= one.y && top < one.y + TITLE + one.shown * ROW);
    if (!track || y < RULER) {
      return null;
    }
    const row = Math.floor((top - track.y - TITLE) / ROW);
    const call = row < 0 ? -1 : findCall(track.rows, row, this.timeAt(x), this.perPixel);
    const isBand = row < 0 && track.thread && top >= track.y + TITLE - BAND - 3;
    const time = this.timeAt(x);
    const block = isBand ? findBlock(track.thread.blocks, time, time, 2 * this.perPixel) : null;
    return { track, call, isTitle: row < 0 && !block, block };
  }

  choose(track, call) {
    if (call >= 0 && track.rows.calls.depth[call] >= track.shown) {
      this.goTo(track, call, true);
      return;
    }
    this.chosen = call >= 0 ? { track, call } : null;
    this.redraw();
    this.page.onChoice(this);
  }

  /** Choose it, and show it whole if it is not.
   * @param {Track} track @param {number} call @param {boolean} fills the whole width */
  goTo(track, call, fills) {
    const { start, duration, depth } = track.rows.calls;
    const [from, until] = this.window;
    const end = start[call] + duration[call];
    track.isOpen = track.isOpen || depth[call] > 0;
    this.place();
    if (fills || depth[call] >= track.shown || start[call] < from || end > until) {
      const margin = Math.max(duration[call] * (fills ? 0.02 : 1), 10);
      this.setWindow(start[call] - margin, end + margin);
    }
    this.scrollTo(track.y + TITLE + depth[call] * ROW);
    this.choose(track, call);
  }

  scrollTo(y) {
    const top = this.scroller.scrollTop;
    const height = this.scroller.clientHeight;
    if (y < top + RULER + TITLE) {
      this.scroller.scrollTop = y - RULER - TITLE;
    } else if (y + ROW > top + height) {
      this.scroller.scrollTop = y + 2 * ROW - height;
    }
  }

  /* ---- Drawing ---- */

  draw() {
    const width = Math.max(this.scroller.clientWidth, 1);
    const height = Math.max(this.scroller.clientHeight, 1);
    const { canvas, context } = this;
    const ratio = fitCanvas(canvas, width, height);
    context.fillStyle = this.page.theme.cardText;
    context.fillRect(0, 0, width, height);
    context.textBaseline = "middle";
    for (const track of this.tracks) {
      const top = track.y - this.scroller.scrollTop;
      if (top < height && top + TITLE + track.shown * ROW > 0) {
        this.drawTrack(track, top, width, height, ratio);
      }
    }
    this.drawRange(height);
    this.drawRuler(width);
  }

  drawTrack(track, top, width, height, ratio) {
    const { context, page } = this;
    const first = Math.max(0, Math.floor((RULER - top - TITLE) / ROW));
    const last = Math.min(track.shown, Math.ceil((height - top - TITLE) / ROW));
    if (last > first) {
      const view = { from: this.window[0], width: this.canvas.width, ratio,
        perPixel: (this.window[1] - this.window[0]) / this.canvas.width,
        firstRow: first, lastRow: last };
      const ink = { ...page.palette, ground: page.theme.ground, edge: page.theme.edge,
        edgeShare: page.theme.edgeShare, matches: page.matches };
      const painted = paintRows(track, view, ink);
      this.drawRows(painted.pixels, view, top + TITLE + first * ROW, ROW - 1);
      this.drawRows(painted.lines, view, top + TITLE + first * ROW + ROW - 1 - LINE, LINE);
      this.drawLabels(track, top, painted.labels, ratio);
      this.drawChosen(track, top);
    }
    this.drawTitle(track, top, width);
  }

  /** Rows of pixels, each stretched to that height. */
  drawRows(pixels, view, y, height) {
    const { context, strips } = this;
    const count = pixels.length / view.width;
    strips.width = view.width;
    strips.height = count;
    strips.getContext("2d").putImageData(
      new ImageData(new Uint8ClampedArray(pixels.buffer), view.width, count), 0, 0);
    context.imageSmoothingEnabled = false;
    for (let i = 0; i < count; i++) {
      context.drawImage(strips, 0, i, view.width, 1, 0, y + i * ROW, this.canvas.clientWidth, height);
    }
  }

  drawLabels(track, top, labels, ratio) {
    const { context, page } = this;
    const { method, open } = track.rows.calls;
    context.font = page.theme.font;
    page.letter = page.letter || context.measureText("mmmmmmmmmm").width / 10;
    for (const { call, row, left, right } of labels) {
      const x = Math.max(left / ratio, 0);
      const end = Math.min(right / ratio, this.canvas.clientWidth);
      const y = top + TITLE + row * ROW;
      const isHatched = track.hatch && track.hatch(call);
      if (isHatched) {
        context.strokeStyle = page.theme.hatch;
        context.lineWidth = 2;
        drawHatch(context, x, y, end - x, ROW - 1, 8);
      }
      const room = Math.floor((end - x - 6) / page.letter);
      if (room >= 3) {
        const text = fitName(page.shortNames[method[call]] + (open[call] ? " +" : ""), room);
        if (isHatched) {
          this.drawPlate(x, y, text, method[call]);
        }
        context.fillStyle = page.matches && !page.matches[method[call]] ? page.theme.soft : page.theme.boxText;
        context.fillText(text, x + 4, y + ROW / 2);
      }
      if (page.matches && page.matches[method[call]]) {
        context.fillStyle = page.theme.cardText;
        context.fillRect(x, y + ROW - 5, end - x, 1);
        context.fillStyle = page.theme.hit;
        context.fillRect(x, y + ROW - 4, end - x, 3);
      }
    }
  }

  /* Letters stand on the box's own colour, not on lines. */
  drawPlate(x, y, text, rank) {
    const { context, page } = this;
    const { plain, faded } = page.palette;
    const colours = page.matches && !page.matches[rank] ? faded : plain;
    context.fillStyle = cssColour(colours[rank]);
    context.fillRect(x + 2, y + 1, context.measureText(text).width + 4, ROW - 2 - LINE);
  }

  drawChosen(track, top) {
    const { context, chosen } = this;
    if (!chosen || chosen.track !== track) {
      return;
    }
    const { start, duration, depth } = track.rows.calls;
    if (depth[chosen.call] >= track.shown) {
      return;
    }
    const x = (start[chosen.call] - this.window[0]) / this.perPixel;
    const width = Math.max(duration[chosen.call] / this.perPixel, 2);
    const left = Math.max(x, -4);
    const right = Math.min(x + width, this.canvas.clientWidth + 4);
    // two lines, of which one is seen on any colour
    for (const [size, colour] of [[4, this.page.theme.cardText], [2, this.page.theme.text]]) {
      context.lineWidth = size;
      context.strokeStyle = colour;
      context.strokeRect(left, top + TITLE + depth[chosen.call] * ROW, right - left, ROW - 1);
    }
  }

  drawTitle(track, top, width) {
    const { context, page } = this;
    const y = Math.max(top, RULER);
    context.fillStyle = page.theme.cardText;
    context.fillRect(0, y, width, TITLE - 1);
    context.font = page.theme.titleFont;
    context.fillStyle = page.theme.text;
    context.fillText(`${track.isOpen ? "\u25be" : "\u25b8"} ${track.title}`, 4, y + TITLE / 2);
    const end = 14 + context.measureText(track.title).width + 10;
    context.fillStyle = page.theme.soft;
    const deeper = track.rows.count - track.shown;
    context.fillText(track.note + (track.isOpen && deeper > 0 ? `; ${deeper} deeper in short calls: zoom in` : ""),
      end, y + TITLE / 2);
    if (track.thread) {
      drawBlocks(this, track.thread.blocks, y + TITLE - 1);
    }
  }

  drawRange(height) {
    if (this.range && this.isTime) {
      const { context } = this;
      const left = (this.range[0] - this.window[0]) / this.perPixel;
      const right = (this.range[1] - this.window[0]) / this.perPixel;
      context.fillStyle = this.page.theme.shade;
      context.fillRect(-1, 0, left + 1, height);
      context.fillRect(right, 0, Math.max(this.canvas.clientWidth - right, 0), height);
    }
  }

  drawRuler(width) {
    const { context, page } = this;
    const step = rulerStep(this.perPixel, 110);
    context.fillStyle = page.theme.cardText;
    context.fillRect(0, 0, width, RULER);
    context.font = page.theme.font;
    const origin = this.isTime ? 0 : this.bounds[0];
    const first = Math.ceil((this.window[0] - origin) / step);
    for (let k = first; origin + k * step <= this.window[1]; k++) {
      const x = (origin + k * step - this.window[0]) / this.perPixel;
      context.fillStyle = page.theme.soft;
      context.fillRect(x, RULER - 6, 1, 6);
      const text = rulerText(k * step, step);
      if (x + 4 + context.measureText(text).width <= width) {
        context.fillText(text, x + 4, RULER / 2);
      }
    }
    context.fillStyle = page.theme.line;
    context.fillRect(0, RULER - 1, width, 1);
  }
}
