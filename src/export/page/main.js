/* The page comes to life: what is unpacked, shown and remembered. */

const HEAD = "head";
const TABS = ["time", "flame", "bottom"];
const byId = (id) => document.getElementById(id);

class Page {
  constructor(head, names, methods) {
    this.head = head;
    this.methods = methods;
    this.shortNames = names.map(shortName);
    this.matches = null;
    this.tab = "time";
    this.thread = -1;
    this.range = null;
    this.span = [head.start, head.end];
    this.threads = head.threads.map((thread, number) => ({ ...thread, number, calls: null }));
    this.slow = [...document.querySelectorAll("#slow .message")];
  }

  /* ---- What is there ---- */

  async load() {
    await Promise.all(this.threads.map(async (thread) => {
      thread.calls = readCalls(await unpack(`calls-${thread.number}`));
      thread.rows = makeRows(thread.calls);
      thread.busy = thread.rows.count > 0 ? thread.rows.sums[thread.rows.first[1]] : 0;
      thread.tree = thread.nodes > 0 ? readTree(await unpack(`tree-${thread.number}`)) : null;
    }));
    this.readTheme();
    this.chart = new Chart(byId("scroller"), this);
    this.hands = new Hands(this.chart, this);
    this.overview = new Overview(byId("overview"), this);
    this.table = new MethodTable(byId("methods"), this);
    this.controls();
    this.showSlow();
    byId("chart").hidden = false;
    this.restore();
    this.showLegend();
  }

  readTheme() {
    const probe = document.body.appendChild(document.createElement("span"));
    const colour = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const parts = (text) => text.match(/[\d.]+/g).slice(0, 3).map(Number);
    const card = parts(colour("card"));
    const isDark = card[0] < 128;
    this.theme = { card, isDark, cardText: colour("card"), text: colour("text"), soft: colour("soft"),
      line: colour("line"), hit: colour("hit"), bar: colour("bar"), bad: colour("bad"),
      ground: packColour(parts(colour("row"))),
      shade: isDark ? "rgba(0, 0, 0, .55)" : "rgba(40, 50, 60, .28)",
      font: `11px ${getComputedStyle(document.documentElement).getPropertyValue("--mono")}`,
      titleFont: `12px ${getComputedStyle(document.body).fontFamily}` };
    probe.remove();
    this.palette = makePalette(this.methods, this.theme);
  }

  /** One tree of the threads that are chosen: of the whole run, or of the range. */
  tree() {
    const maker = new TreeMaker(this.methods.count);
    for (const thread of this.threads) {
      if (this.thread < 0 || this.thread === thread.number) {
        if (this.range) {
          maker.addCalls(thread.calls, this.range[0], this.range[1]);
        } else if (thread.tree) {
          maker.addTree(thread.tree);
        } else if (!thread.extra) {
          maker.addCalls(thread.calls, -Infinity, Infinity);
        }
      }
    }
    return maker.finish();
  }

  /* ---- What is shown ---- */

  show(tab) {
    this.tab = tab;
    for (const name of TABS) {
      const button = byId(`tab-${name}`);
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
    byId("view").setAttribute("aria-labelledby", `tab-${tab}`);
    if (tab === "time") {
      this.showTime();
    } else {
      this.showTree(tab === "bottom");
    }
    this.tellShown();
    this.onChoice(this.chart);
  }

  showTime() {
    const limit = this.head.threshold;
    const tracks = this.threads
      .filter((thread) => thread.calls.count > 0 && (this.thread < 0 || this.thread === thread.number))
      .map((thread, i) => ({
        title: thread.name,
        note: `${thread.main ? "main, " : ""}${countText(thread.calls.count)} ` +
          `${thread.calls.count === 1 ? "call" : "calls"}, ` +
          `${timeText(thread.busy)} in calls`,
        rows: thread.rows,
        thread,
        isOpen: i < 3 || this.thread >= 0,
        hatch: (call) => thread.calls.duration[call] >= limit &&
          (thread.calls.method[call] === this.head.message || thread.calls.depth[call] === 0),
      }));
    this.chart.range = this.range;
    this.chart.show(tracks, this.span, true);
  }

  showTree(isTurned) {
    const whole = this.tree();
    const calls = layTree(isTurned ? turnTree(whole, this.methods.count) : whole);
    const until = calls.count > 0 ? calls.start[0] + calls.depth.reduce(
      (sum, depth, i) => sum + (depth === 0 ? calls.duration[i] : 0), 0) : 1;
    const who = this.thread < 0 ? "all threads" : this.threads[this.thread].name;
    this.chart.show([{
      title: isTurned ? "Own time, callers below" : "Callers above, calls below",
      note: `${who}, ${timeText(until)}`,
      rows: makeRows(calls),
      tree: isTurned ? null : whole,
      isOpen: true,
    }], [0, until], false);
  }

  tellShown() {
    const { head } = this;
    const [from, until] = this.range || this.span;
    const hidden = this.threads.reduce((sum, thread) => sum + thread.hidden, 0);
    const times = `${timeText(from)} to ${timeText(until)}`;
    const isWhole = this.tab !== "time" && !this.range;
    let text = this.range ? `The chosen range, ${times}.`
      : isWhole && head.profiled ? "The whole run, from its profile."
        : head.lapped ? `What the rings still hold, ${times}: older calls were overwritten.`
          : `All recorded calls, ${times}.`;
    if (hidden > 0 && !(isWhole && head.profiled)) {
      text += ` The shortest ${countText(hidden)} calls are not drawn; tables count them.`;
    }
    byId("shown").textContent = text;
    byId("range").setAttribute("aria-pressed", String(Boolean(this.range)));
    this.overview.redraw();
  }

  showTable() {
    const figures = this.range ? { ...sumMethods(this.tree(), this.methods.count), isRange: true }
      : this.methods;
    this.table.show(figures);
  }

  /** Packages that cost most, with their colours. */
  showLegend() {
    const { methods } = this;
    const groups = new Map();
    for (let rank = 0; rank < methods.count; rank++) {
      const name = methods.names[rank];
      const group = name.slice(0, Math.max(packageSize(name) - 1, 0));
      groups.set(group, (groups.get(group) || 0) + Math.max(methods.own[rank], 0));
    }
    const first = [...groups].sort((a, b) => b[1] - a[1]).slice(0, 8);
    byId("legend").replaceChildren(...first.map(([group]) => {
      const item = makeElement("span", "group");
      const swatch = makeElement("span", "swatch");
      swatch.style.background = `rgb(${colourOf(group ? `${group}.A.b` : "A.b", this.theme.isDark).join(",")})`;
      item.append(swatch, group || "no package");
      return item;
    }));
  }

  /* ---- The call that is chosen ---- */

  callText(track, call) {
    const { calls } = track.rows;
    return `${this.methods.names[calls.method[call]]}\n${timeText(calls.duration[call])}`;
  }

  onChoice(chart) {
    showDetail(byId("detail"), this, chart.chosen);
    byId("said").textContent = chart.chosen ? this.callText(chart.chosen.track, chart.chosen.call) : "";
    this.save();
  }

  onWindow() {
    this.overview.redraw();
    this.save();
  }

  longestCall() {
    const { chosen } = this.chart;
    if (chosen) {
      this.goToLike(chosen, (calls, best, call) => best < 0 || calls.duration[call] > calls.duration[best]);
    }
  }

  /** The call of the same method that is better than all others. */
  goToLike({ track, call }, isBetter) {
    const { calls } = track.rows;
    let best = -1;
    for (let i = 0; i < calls.count; i++) {
      if (calls.method[i] === calls.method[call] && isBetter(calls, best, i)) {
        best = i;
      }
    }
    if (best >= 0) {
      this.remember();
      this.chart.goTo(track, best, false);
    }
  }

  nextMatch(by) {
    const test = (calls, call) => this.matches && this.matches[calls.method[call]];
    const { tracks, chosen } = this.chart;
    const first = chosen ? tracks.indexOf(chosen.track) : 0;
    for (let k = 0; k <= tracks.length; k++) {
      const track = tracks[(first + by * k + tracks.length * 2) % tracks.length];
      const { calls } = track.rows;
      const start = chosen && k === 0 ? chosen.call + by : by > 0 ? 0 : calls.count - 1;
      for (let i = start; i >= 0 && i < calls.count; i += by) {
        if (test(calls, i)) {
          this.chart.goTo(track, i, false);
          return;
        }
      }
    }
  }

  nextSlow() {
    if (this.slow.length > 0) {
      this.slowNumber = ((this.slowNumber ?? -1) + 1) % this.slow.length;
      this.goToSlow(this.slow[this.slowNumber]);
    }
  }

  goToSlow(message) {
    const id = Number(message.dataset.thread);
    this.remember();
    if (this.tab !== "time" || (this.thread >= 0 && this.threads[this.thread].id !== id)) {
      this.thread = -1;
      byId("thread").value = "-1";
      this.show("time");
    }
    const track = this.chart.tracks.find((one) => one.thread.id === id);
    const start = Number(message.dataset.start);
    const duration = Number(message.dataset.duration);
    if (track) {
      const { calls } = track.rows;
      for (let i = 0; i < calls.count; i++) {
        if (calls.start[i] === start && calls.duration[i] === duration) {
          this.chart.goTo(track, i, true);
          return;
        }
      }
    }
  }

  showSlow() {
    byId("slow-next").hidden = this.slow.length === 0;
    for (const message of this.slow) {
      const button = makeElement("button", "jump", "Show in chart");
      button.addEventListener("click", () => {
        this.goToSlow(message);
        byId("chart").scrollIntoView();
        byId("scroller").focus({ preventScroll: true });
      });
      message.querySelector("summary").after(button);
    }
  }

  /* ---- Range and search ---- */

  setRange(range) {
    this.range = range && range[1] > range[0] ? range : null;
    this.chart.range = this.range;
    this.chart.redraw();
    clearTimeout(this.rangeTimer);
    this.rangeTimer = setTimeout(() => {
      this.showTable();
      if (this.tab !== "time") {
        this.show(this.tab);
      }
      this.tellShown();
      this.save();
    }, 120);
  }

  toggleRange() {
    this.remember();
    this.setRange(this.range ? null : this.tab === "time" ? [...this.chart.window] : null);
  }

  showAll() {
    this.remember();
    this.chart.setWindow(...this.chart.bounds);
  }

  letGo() {
    if (this.chart.chosen) {
      this.chart.choose(this.chart.chosen.track, -1);
    } else {
      this.setRange(null);
    }
  }

  search(query) {
    const { names, count } = this.methods;
    this.query = query;
    this.matches = null;
    if (query !== "") {
      const test = matcherOf(query);
      this.matches = Uint8Array.from({ length: count }, (_, rank) => (test(names[rank]) ? 1 : 0));
    }
    byId("found").textContent = this.matches ? this.foundText() : "";
    this.chart.redraw();
    this.table.shown = SOME;
    this.table.fill();
    this.save();
  }

  foundText() {
    const { methods, matches } = this;
    let [found, calls, own, all] = [0, 0, 0, 0];
    for (let rank = 0; rank < methods.count; rank++) {
      all += Math.max(methods.own[rank], 0);
      if (matches[rank]) {
        found++;
        calls += methods.calls[rank];
        own += methods.own[rank];
      }
    }
    return `${found} methods, ${countText(calls)} calls, ${timeText(own)} own (${percentText(own, all)})`;
  }

  lookFor(rank) {
    byId("search").value = this.methods.names[rank];
    this.search(this.methods.names[rank]);
    this.nextMatch(1);
    byId("chart").scrollIntoView();
  }

  focusSearch() {
    byId("search").focus();
    byId("search").select();
  }

  help() {
    byId("help").showModal();
  }
}
