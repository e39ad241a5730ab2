/* Waits for locks: below the name of the thread that waits, and the way to whom it waits for. */

/** @typedef {object} Block
 * @property {number} thread the system's number of it
 * @property {string} name of the thread
 * @property {number} owner the system's number of the thread that has the lock; 0 if unknown
 * @property {string} ownerName
 * @property {string} ownerIn the method that it was in
 * @property {string} lock its class
 * @property {number} start
 * @property {number} ns
 * @property {number} row its kind in the table below, from 1; 0: it is not listed
 * @property {boolean} exact else the times are right to an interval of samples
 */

const BAND = 7; /* CSS pixels */

/** The thread of that number, or the last one of that name.
 * @param {any[]} threads @param {number} id @param {string} name */
function findThread(threads, id, name) {
  return threads.find((thread) => id > 0 && thread.id === id) ||
    (name ? threads.filter((thread) => thread.name === name).pop() : undefined);
}

/** Each thread's own ones, in order of time.
 * @param {any[]} threads @param {Block[]} blocks */
function placeBlocks(threads, blocks) {
  threads.forEach((thread) => {
    thread.blocks = [];
  });
  for (const block of blocks) {
    const thread = findThread(threads, block.thread, block.name);
    if (thread) {
      thread.blocks.push(block);
    }
  }
  threads.forEach((thread) => thread.blocks.sort((a, b) => a.start - b.start));
}

/** The longest one that is within slack of these times; null: there is none.
 * @param {Block[]} blocks @param {number} from @param {number} until @param {number} slack */
function findBlock(blocks, from, until, slack) {
  let best = null;
  for (const block of blocks) {
    const isThere = block.start <= until + slack && block.start + block.ns >= from - slack;
    if (isThere && (!best || block.ns > best.ns)) {
      best = block;
    }
  }
  return best;
}

/** "480 ms for java.util.HashMap, held by worker-3 in a.B.c" */
function blockText(block) {
  return `${block.exact ? "" : "~"}${timeText(block.ns)} for ${block.lock}` +
    (block.ownerName ? `, held by ${block.ownerName}` : "") +
    (block.ownerIn && block.ownerIn !== "#0" ? ` in ${block.ownerIn}` : "");
}

/** The innermost call of a thread at a time; -1: it was in none.
 * @param {Rows} rows @param {number} time */
function innermostAt(rows, time) {
  for (let row = rows.count - 1; row >= 0; row--) {
    const call = findCall(rows, row, time, 0);
    if (call >= 0) {
      return call;
    }
  }
  return -1;
}

/** Bands in the lower part of a title. */
function drawBlocks(chart, blocks, y) {
  const { context, page } = chart;
  const width = chart.canvas.clientWidth;
  for (const block of blocks) {
    const left = Math.max((block.start - chart.window[0]) / chart.perPixel, 0);
    const right = Math.min((block.start + block.ns - chart.window[0]) / chart.perPixel, width);
    if (right < 0 || left > width) {
      continue;
    }
    const size = Math.max(right - left, 2);
    context.fillStyle = page.theme.bad;
    context.fillRect(left, y - BAND, size, BAND);
    context.strokeStyle = page.theme.cardText;
    context.lineWidth = 1.5;
    drawHatch(context, left, y - BAND, size, BAND, 6);
  }
}

class Waits {
  constructor(page) {
    this.page = page;
    this.all = page.threads.flatMap((thread) => thread.blocks.map((block) => ({ thread, block })));
    this.all.sort((a, b) => b.block.ns - a.block.ns || a.block.start - b.block.start);
    this.number = -1;
    byId("wait-next").hidden = this.all.length === 0;
    for (const row of /** @type {any[]} */ ([...document.querySelectorAll("#waits tr[data-start]")])) {
      this.addButtons(row);
    }
  }

  addButtons(row) {
    const number = Number(row.id.slice("wait-".length));
    const [start, ns, owner] = [row.dataset.start, row.dataset.duration, row.dataset.owner].map(Number);
    const found = this.all.find(({ block }) => block.row === number && block.start === start && block.ns === ns);
    const buttons = makeElement("p", "buttons");
    row.tabIndex = -1;
    if (found) {
      buttons.append(makeButton("Show in chart", () => this.show(found)));
    }
    if (found && this.ownerOf(found.block)) {
      buttons.append(makeButton("Owner's stack", () => this.toOwner(found.block)));
    }
    if (buttons.children.length > 0) {
      buttons.dataset.owner = String(owner);
      row.querySelector(".method").append(buttons);
    }
  }

  ownerOf(block) {
    return block.owner > 0 || block.ownerName ? findThread(this.page.threads, block.owner, block.ownerName) : undefined;
  }

  /** The chart, with the wait as what is chosen. */
  show({ thread, block }) {
    const { page } = this;
    page.jumps.showTime((one) => one === thread);
    this.zoomTo(block);
    page.chooseBlock(page.chart.tracks.find((one) => one.thread === thread), block);
    page.jumps.lookAtChart();
  }

  zoomTo(block) {
    const margin = Math.max(block.ns * 0.1, 1000);
    this.page.chart.setWindow(block.start - margin, block.start + block.ns + margin);
  }

  /** What the owner did in the middle of the wait, from its outermost call to the innermost. */
  toOwner(block) {
    const { page } = this;
    const owner = this.ownerOf(block);
    page.jumps.showTime((one) => one === owner);
    this.zoomTo(block);
    const track = page.chart.tracks.find((one) => one.thread === owner);
    const call = track ? innermostAt(track.rows, block.start + block.ns / 2) : -1;
    if (call >= 0) {
      page.chart.goTo(track, call, false);
    } else {
      byId("said").textContent = `What ${block.ownerName} did then is not in the file.`;
    }
    page.jumps.lookAtChart();
  }

  /** Its kind in "Who waits for whom". */
  toTable(block) {
    const row = byId(`wait-${block.row}`) || byId("waits");
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
  }

  toNext() {
    if (this.all.length > 0) {
      this.number = (this.number + 1) % this.all.length;
      this.show(this.all[this.number]);
    }
  }

  buttonsFor(block) {
    const buttons = [makeButton("Who waits for whom", () => this.toTable(block))];
    if (this.ownerOf(block)) {
      buttons.push(makeButton("Owner's stack", () => this.toOwner(block)));
    }
    return buttons;
  }
}
