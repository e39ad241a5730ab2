/* What people do to the chart: by pointer, wheel and keys. */

class Hands {
  constructor(chart, page) {
    this.chart = chart;
    this.page = page;
    this.pointers = new Map();
    const { scroller } = chart;
    scroller.addEventListener("pointerdown", (event) => this.down(event));
    scroller.addEventListener("pointermove", (event) => this.move(event));
    scroller.addEventListener("pointerup", (event) => this.up(event));
    scroller.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId));
    scroller.addEventListener("dblclick", (event) => this.enter(event));
    scroller.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    scroller.addEventListener("keydown", (event) => this.key(event));
  }

  place(event) {
    const box = this.chart.scroller.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  /* ---- Pointers ---- */

  down(event) {
    const at = this.place(event);
    if (event.button !== 0 || at.x >= this.chart.canvas.clientWidth) {
      return; // the scroll bar
    }
    this.chart.scroller.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, at);
    this.pressed = at;
    this.hasMoved = false;
    this.marks = event.shiftKey && this.chart.isTime ? this.chart.timeAt(at.x) : null;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) {
      this.hover(event);
      return;
    }
    const at = this.place(event);
    this.hasMoved = this.hasMoved || Math.hypot(at.x - this.pressed.x, at.y - this.pressed.y) > 3;
    this.pointers.set(event.pointerId, at);
    if (!this.hasMoved) {
      return;
    }
    if (this.pointers.size === 2) {
      this.pinch(event.pointerId, before, at);
    } else if (this.marks !== null) {
      const time = this.chart.timeAt(at.x);
      this.page.setRange([Math.min(this.marks, time), Math.max(this.marks, time)]);
    } else {
      this.chart.pan(before.x - at.x);
      this.chart.scroller.scrollTop += before.y - at.y;
    }
  }

  pinch(id, before, at) {
    const other = [...this.pointers].find(([key]) => key !== id)[1];
    const was = Math.max(Math.abs(before.x - other.x), 10);
    const is = Math.max(Math.abs(at.x - other.x), 10);
    this.chart.zoom(was / is, (at.x + other.x) / 2);
    this.chart.pan((before.x - at.x) / 2); // where both go, the chart goes
    this.chart.scroller.scrollTop += (before.y - at.y) / 2;
  }

  up(event) {
    if (!this.pointers.delete(event.pointerId) || this.hasMoved) {
      return;
    }
    const { x, y } = this.place(event);
    const hit = this.chart.hit(x, y);
    if (hit && hit.isTitle) {
      this.fold(hit.track);
    } else if (hit && hit.block) {
      this.page.chooseBlock(hit.track, hit.block);
    } else if (hit) {
      this.chart.choose(hit.track, hit.call);
    }
  }

  hover(event) {
    const { x, y } = this.place(event);
    const hit = this.chart.hit(x, y);
    const { scroller } = this.chart;
    scroller.classList.toggle("over", Boolean(hit && (hit.isTitle || hit.block || hit.call >= 0)));
    const text = hit && hit.call >= 0 ? this.page.callText(hit.track, hit.call)
      : hit && hit.block ? blockText(hit.block) : "";
    if (scroller.title !== text) {
      scroller.title = text;
    }
  }

  fold(track) {
    track.isOpen = !track.isOpen;
    this.chart.place();
  }

  enter(event) {
    const { x, y } = this.place(event);
    const hit = this.chart.hit(x, y);
    if (hit && hit.call >= 0) {
      this.page.address.remember();
      this.chart.goTo(hit.track, hit.call, true);
    }
  }

  wheel(event) {
    const isZoom = event.ctrlKey || event.metaKey || document.activeElement === this.chart.scroller;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.chart.pan(event.shiftKey ? event.deltaY || event.deltaX : event.deltaX);
    } else if (isZoom) {
      event.preventDefault();
      const by = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
      this.chart.zoom(Math.exp(Math.max(-200, Math.min(200, by)) * 0.003), this.place(event).x);
    }
  }

  /* ---- Keys ---- */

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const act = KEY_ACTS[name];
    if (act) {
      event.preventDefault();
      act(this);
    }
  }

  zoom(factor) {
    this.chart.zoom(factor, this.middle);
  }

  /** The chosen call as wide as the chart. */
  fill() {
    if (this.chart.chosen) {
      this.page.address.remember();
      this.chart.goTo(this.chart.chosen.track, this.chart.chosen.call, true);
    }
  }

  foldChosen() {
    const track = this.chart.chosen ? this.chart.chosen.track : this.chart.tracks[0];
    if (track) {
      this.fold(track);
    }
  }

  get middle() {
    return this.chart.canvas.clientWidth / 2;
  }

  walk(step) {
    const { chart } = this;
    if (!chart.chosen) {
      this.chooseFirst();
      return;
    }
    const { track, call } = chart.chosen;
    const next = step(track.rows.calls, call, track.rows);
    if (next >= 0 && next < track.rows.calls.count) {
      chart.goTo(track, next, false);
    }
  }

  /** The first call that can be seen, or the first of all. */
  chooseFirst() {
    const { chart } = this;
    const track = chart.tracks.find((one) => one.rows.calls.count > 0);
    if (track) {
      const at = findEnd(track.rows, 0, chart.window[0]);
      chart.goTo(track, track.rows.order[at < track.rows.first[1] ? at : 0], false);
    }
  }

  /** The neighbour in its row. */
  beside(by) {
    this.walk((calls, call, rows) => {
      const row = calls.depth[call];
      const at = findStart(rows, row, calls.start[call], rows.first[row]);
      let place = at;
      while (place < rows.first[row + 1] && rows.order[place] !== call) {
        place++;
      }
      const next = place + by;
      return next >= rows.first[row] && next < rows.first[row + 1] ? rows.order[next] : -1;
    });
  }

  otherTrack(by) {
    const { chart } = this;
    const at = chart.chosen ? chart.tracks.indexOf(chart.chosen.track) : by > 0 ? -1 : 1;
    const track = chart.tracks[at + by];
    if (track && track.rows.calls.count > 0) {
      chart.goTo(track, track.rows.order[0], false);
    }
  }
}

/** What keys do, by their names. @type {Record<string, (hands: Hands) => void>} */
const KEY_ACTS = {
  ArrowUp: (hands) => hands.walk(callerOf),
  ArrowDown: (hands) => hands.walk((calls, call) => (subtreeEnd(calls, call) > call + 1 ? call + 1 : -1)),
  ArrowLeft: (hands) => hands.beside(-1),
  ArrowRight: (hands) => hands.beside(1),
  w: (hands) => hands.zoom(0.7),
  "+": (hands) => hands.zoom(0.7),
  "=": (hands) => hands.zoom(0.7),
  s: (hands) => hands.zoom(1 / 0.7),
  "-": (hands) => hands.zoom(1 / 0.7),
  a: (hands) => hands.chart.pan(-hands.middle / 4),
  d: (hands) => hands.chart.pan(hands.middle / 4),
  Enter: (hands) => hands.fill(),
  Home: (hands) => hands.page.showAll(),
  r: (hands) => hands.page.toggleRange(),
  f: (hands) => hands.page.focusSearch(),
  "/": (hands) => hands.page.focusSearch(),
  n: (hands) => hands.page.jumps.toMatch(1),
  p: (hands) => hands.page.jumps.toMatch(-1),
  l: (hands) => hands.chart.chosen && hands.page.jumps.toNextLongest(hands.chart.chosen),
  m: (hands) => hands.page.jumps.toNextSlow(),
  b: (hands) => hands.page.waits.toNext(),
  "[": (hands) => hands.otherTrack(-1),
  "]": (hands) => hands.otherTrack(1),
  o: (hands) => hands.foldChosen(),
  "?": (hands) => hands.page.help(),
  Escape: (hands) => hands.page.letGo(),
};
