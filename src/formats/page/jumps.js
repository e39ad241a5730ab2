/* From call to call, and to what the rest of the page speaks of. */

/** Whether a call comes after another where the longest comes first. */
function isShorter(calls, a, b) {
  return calls.duration[a] < calls.duration[b] || (calls.duration[a] === calls.duration[b] && a > b);
}

/** Which call of its method it is in its thread, and of how many. */
function countLike(calls, call) {
  let [number, count] = [0, 0];
  for (let i = 0; i < calls.count; i++) {
    if (calls.method[i] === calls.method[call]) {
      count++;
      number += i <= call ? 1 : 0;
    }
  }
  return { number, count };
}

class Jumps {
  constructor(page) {
    this.page = page;
    this.slow = /** @type {any[]} */ ([...document.querySelectorAll("#slow .message")]);
    this.slowNumber = -1;
    byId("slow-next").hidden = this.slow.length === 0;
    this.slow.forEach((message, i) => this.addButton(message, () => this.toSlow(i)));
    for (const issue of /** @type {any[]} */ ([...document.querySelectorAll("#issues .message[data-start]")])) {
      this.addButton(issue, () => this.toRow(issue));
    }
    const points = document.getElementById("points");
    if (points) {
      points.addEventListener("click", (event) => {
        const point = /** @type {any} */ (event.target);
        if (point.dataset.start) {
          this.toRow(point);
          this.lookAtChart();
        }
      });
    }
    const rows = document.querySelectorAll("#frames tr[data-start], #requests .cause[data-start]");
    for (const row of /** @type {any[]} */ ([...rows])) {
      const name = row.querySelector(".name") || row.firstElementChild;
      const button = makeElement("button", "link");
      name.replaceWith(button);
      button.append(name);
      button.title = "Show in chart";
      button.addEventListener("click", () => {
        this.toRow(row);
        this.lookAtChart();
      });
    }
  }

  addButton(message, act) {
    const button = makeElement("button", "jump", "Show in chart");
    button.addEventListener("click", () => {
      act();
      this.lookAtChart();
    });
    message.querySelector("summary").after(button);
  }

  lookAtChart() {
    byId("chart").scrollIntoView();
    byId("scroller").focus({ preventScroll: true });
  }

  /** The call of the same method and thread that is better than all others. */
  toLike({ track, call }, isBetter) {
    const { calls } = track.rows;
    let best = -1;
    for (let i = 0; i < calls.count; i++) {
      if (calls.method[i] === calls.method[call] && isBetter(calls, best, i)) {
        best = i;
      }
    }
    if (best >= 0) {
      this.page.address.remember();
      this.page.chart.goTo(track, best, false);
    }
    return best >= 0;
  }

  toLongest(chosen) {
    return this.toLike(chosen, (calls, best, at) => best < 0 || isShorter(calls, best, at));
  }

  /** The longest of those that are shorter than this one; after the shortest the longest of all. */
  toNextLongest(chosen) {
    const isNext = (calls, best, at) => isShorter(calls, at, chosen.call) &&
      (best < 0 || isShorter(calls, best, at));
    return this.toLike(chosen, isNext) || this.toLongest(chosen);
  }

  /** To the longest call that is looked for, then from each to the next shorter one; by -1: back. */
  toMatch(by) {
    const { chart } = this.page;
    const best = this.findMatch(by, this.placeOf(chart.chosen)) || this.findMatch(by, null);
    if (best) {
      chart.goTo(chart.tracks[best.number], best.call, false);
    }
  }

  /** Where a chosen call is among those that are looked for; null: it is none. */
  placeOf(chosen) {
    const { chart, matches } = this.page;
    if (!chosen || !matches || !matches[chosen.track.rows.calls.method[chosen.call]]) {
      return null;
    }
    const { calls } = chosen.track.rows;
    return { number: chart.tracks.indexOf(chosen.track), call: chosen.call, time: calls.duration[chosen.call] };
  }

  /** The match that comes first after another, the longest first; null if there is none. */
  findMatch(by, behind) {
    const { chart, matches } = this.page;
    const order = (a, b) => by * (b.time - a.time || a.number - b.number || a.call - b.call);
    let best = null;
    chart.tracks.forEach(({ rows: { calls } }, number) => {
      for (let call = 0; matches && call < calls.count; call++) {
        if (matches[calls.method[call]]) {
          const place = { number, call, time: calls.duration[call] };
          if ((!behind || order(behind, place) < 0) && (!best || order(place, best) < 0)) {
            best = place;
          }
        }
      }
    });
    return best;
  }

  toNextSlow() {
    if (this.slow.length > 0) {
      this.toSlow((this.slowNumber + 1) % this.slow.length);
    }
  }

  toSlow(number) {
    this.slowNumber = number;
    this.toRow(this.slow[number]);
  }

  /** To the call that it tells of, or its time. */
  toRow({ dataset }) {
    const { chart } = this.page;
    const [thread, start, duration] = [dataset.thread, dataset.start, dataset.duration].map(Number);
    const track = chart.tracks.find((one) => one.thread.id === thread);
    this.showTime((one) => !track || one.id === thread);
    const calls = track ? track.rows.calls : { count: 0 };
    for (let i = 0; i < calls.count; i++) {
      if (calls.start[i] === start && calls.duration[i] === duration) {
        chart.goTo(track, i, true);
        return;
      }
    }
    const margin = Math.max(duration * 0.05, 1000);
    chart.setWindow(start - margin, start + duration + margin);
  }

  /** Time order, with the threads that have to be there. */
  showTime(isMeant) {
    const { page } = this;
    page.address.remember();
    const isThere = page.thread < 0 || isMeant(page.threads[page.thread]);
    if (page.tab !== "time" || !isThere) {
      page.chooseThread(isThere ? page.thread : -1);
      page.show("time");
    }
  }
}
