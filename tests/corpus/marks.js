/* Inside the page: which marks there are, things that tell something by their shape, and those that do not
 * stand out three to one from what is around them. A colour is three numbers. */
"use strict";

const LEAST_CONTRAST = 3;

const partsOf = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);

function lightOf(colour) {
  const [red, green, blue] = colour.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92
    : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(a, b) {
  const [less, more] = [lightOf(a), lightOf(b)].sort((x, y) => x - y);
  return (more + 0.05) / (less + 0.05);
}

/** The one that differs most from a colour. */
const strongest = (colours, from) =>
  colours.reduce((best, one) => (contrastOf(one, from) > contrastOf(best, from) ? one : best));

/** Pixels of a canvas as they are seen on the card below it, from left to right, then down. */
function pixelsOf(drawing, x, y, width, height) {
  const card = partsOf(drawing.page.theme.cardText);
  const { data } = drawing.context.getImageData(Math.floor(x), Math.floor(y), width, height);
  return Array.from({ length: width * height }, (_, i) => card.map((below, part) =>
    below + ((data[4 * i + part] - below) * data[4 * i + 3]) / 255));
}

class Marks {
  constructor() {
    this.seen = [];
    this.weak = [];
    this.page = window.methodbeat;
    this.card = partsOf(this.page.theme.cardText);
  }

  judge(what, mark, around) {
    if (!this.seen.includes(what)) {
      this.seen.push(what);
    }
    const least = Math.min(...around.map((one) => contrastOf(mark, one)));
    if (!(least >= LEAST_CONTRAST)) {
      this.weak.push([what, mark, around, least]);
    }
  }

  /* ---- What the style draws ---- */

  groundOf(element) {
    const colour = getComputedStyle(element).backgroundColor;
    if (colour !== "rgba(0, 0, 0, 0)") {
      return partsOf(colour);
    }
    return element.parentElement ? this.groundOf(element.parentElement) : [255, 255, 255];
  }

  styles() {
    const styles = [["#methods .bar rect", "fill"], ["#frames .levels rect", "stroke"],
      [".swatch", "borderTopColor"], ["#trust .mark", "color"], [".tools button", "borderTopColor"],
      ["kbd", "borderTopColor"]];
    for (const [selector, property] of styles) {
      for (const one of document.querySelectorAll(selector)) {
        const around = (one.closest(".levels") || one).parentElement;
        this.judge(selector, partsOf(getComputedStyle(one)[property]), [this.groundOf(around)]);
      }
    }
  }

  /* ---- The chart ---- */

  /** Boxes that are drawn whole. */
  boxes() {
    const { chart } = this.page;
    const all = chart.tracks.flatMap((track) => Array.from({ length: track.rows.calls.count }, (_, call) => {
      const { start, duration, depth } = track.rows.calls;
      return { track, call, left: (start[call] - chart.window[0]) / chart.perPixel,
        width: duration[call] / chart.perPixel, isShown: depth[call] < track.shown,
        top: track.y + 24 + depth[call] * 18 - chart.scroller.scrollTop };
    }));
    return all.filter((box) => box.isShown && box.width >= 4 && box.left >= 0 && box.top + 18 < chart.canvas.clientHeight &&
      box.left + box.width < chart.canvas.clientWidth);
  }

  chart() {
    const { chart, theme } = this.page;
    const ground = [theme.ground & 255, (theme.ground >> 8) & 255, (theme.ground >> 16) & 255];
    chart.draw();
    for (const box of this.boxes()) {
      this.judge("a box", strongest(pixelsOf(chart, box.left + 1, box.top, 1, 17), ground), [ground]);
      if (box.track.hatch && box.track.hatch(box.call) && box.width > 200) {
        const row = pixelsOf(chart, box.left + box.width - 20, box.top + 1, 16, 1);
        this.judge("lines over what was slow", strongest(row, [255, 255, 255]), [strongest(row, [0, 0, 0])]);
      }
    }
    const ruler = pixelsOf(chart, 0, 17, chart.canvas.clientWidth, 1);
    this.judge("a tick of the ruler", strongest(ruler, this.card), [this.card]);
  }

  /** Of a box: chosen, and looked for. */
  chosen() {
    const { chart, methods, theme } = this.page;
    const box = this.boxes().reduce((best, one) => (one.width > best.width ? one : best));
    const method = methods.names[box.track.rows.calls.method[box.call]];
    chart.choose(box.track, box.call);
    chart.draw();
    const edge = pixelsOf(chart, box.left + box.width - 8, box.top - 2, 1, 7);
    this.judge("the chosen box", partsOf(theme.text), [strongest(edge, partsOf(theme.text))]);
    this.judge("its edge is there", strongest(edge, edge[6]), [edge[6]]);
    chart.choose(box.track, -1);
    if (box.width >= 30) { // narrower ones are told by the others, which fade
      this.page.search(method);
      chart.draw();
      const match = pixelsOf(chart, box.left + box.width - 8, box.top + 13, 1, 5);
      this.judge("a match", match[2], [match[0], match[4]]);
      this.page.search("");
    }
  }

  /* ---- The strips ---- */

  overview() {
    const { overview, chart, threads, jumps } = this.page;
    const [first, last] = chart.bounds;
    chart.setWindow(first + (last - first) * 0.3, first + (last - first) * 0.6);
    overview.draw();
    const width = overview.canvas.clientWidth;
    const count = Math.min(threads.filter((thread) => thread.rows.count > 0).length, 4);
    const busy = pixelsOf(overview, 0, 14 + 28 / count - 2, width, 1);
    const around = pixelsOf(overview, 0, 43, width, 1);
    const isEdge = (x) => [0, 0.3, 0.6, 1].some((share) => Math.abs(x - share * width) < 3);
    for (let x = 0; x < width; x++) {
      if (contrastOf(busy[x], around[x]) > 1.05 && !threads[0].lapped && !isEdge(x)) {
        this.judge("how deep calls were", busy[x], [around[x]]);
      }
    }
    for (const { x } of jumps.slow.length > 0 ? overview.flags : []) {
      this.judge("a flag", pixelsOf(overview, x + 1, 4, 1, 1)[0], [pixelsOf(overview, x - 3, 18, 1, 1)[0]]);
    }
    if (threads[0].lapped > 0) {
      this.judge("what was overwritten", strongest(pixelsOf(overview, 1, 20, 8, 20), this.card), [around[4]]);
    }
    chart.setWindow(first, last);
  }

  lane() {
    const { lane, chart } = this.page;
    if (lane.drawn.length > 0) {
      lane.draw();
      const x = (lane.drawn[0].start - chart.window[0]) / chart.perPixel;
      this.judge("frames", strongest(pixelsOf(lane, x - 1, 30, 3, 1), this.card), [this.card]);
    }
  }
}

/** For tests: { seen: names, weak: [name, mark, what is around it, contrast] }. */
window.findMarks = () => {
  const marks = new Marks();
  for (const part of ["styles", "chart", "chosen", "overview", "lane"]) {
    marks[part]();
  }
  return { seen: marks.seen, weak: marks.weak };
};
