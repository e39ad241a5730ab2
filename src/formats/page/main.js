/* The page comes to life: what is unpacked, shown and remembered. */

const TABS = ["time", "flame", "bottom"]; /* and "slow", where requests were */
const KINDS = ["wall", "awake", "cpu"]; /* of times: ownTimes */
const KIND_WORDS = { wall: "", awake: ", without waiting", cpu: ", CPU time" };
const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));

class Page {
  /** @param {any} head @param {string[]} names @param {Methods} methods */
  constructor(head, names, methods) {
    this.head = head;
    this.methods = methods;
    this.shortNames = names.map(shortName);
    this.groups = makeGroups(methods);
    this.growth = makeGrowth([...document.querySelectorAll("#changes [data-method]")], names);
    this.showsGrowth = this.growth.changes.size > 0;
    this.matches = null;
    this.tab = "time";
    this.thread = -1;
    this.range = null;
    this.span = [head.start, head.end];
    this.threads = head.threads.map((thread, number) => ({ ...thread, number, calls: null }));
    this.query = "";
    this.showsIdle = false;
    this.kind = "wall";
  }

  /* ---- What is there ---- */

  async load() {
    await Promise.all(this.threads.map(async (thread) => {
      thread.calls = readCalls(await unpack(`calls-${thread.number}`));
      thread.tree = thread.nodes > 0 ? readTree(await unpack(`tree-${thread.number}`)) : null;
      thread.idle = idleMethods(thread.tree);
      thread.whole = partOf(thread.calls);
      thread.below = thread.idle.size > 0 ? partOf(callsBelow(thread.calls, thread.idle)) : thread.whole;
    }));
    this.slow = readTree(await unpack("tree-slow"));
    if (this.slow.count > 0) {
      TABS.push("slow");
      byId("tab-slow").hidden = false;
    }
    this.choosePart();
    placeBlocks(this.threads, this.head.blocks);
    this.readTheme();
    this.chart = new Chart(byId("scroller"), this);
    this.hands = new Hands(this.chart, this);
    this.overview = new Overview(byId("overview"), this);
    this.lane = new Lane(byId("lane"), this);
    this.table = new MethodTable(byId("methods"), this);
    this.address = new Address(this);
    this.jumps = new Jumps(this);
    this.waits = new Waits(this);
    this.controls = new Controls(this);
    byId("chart").hidden = false;
    this.address.read();
  }

  /** Below idle loops, if anything is, or with them. */
  choosePart() {
    const isBelow = !this.showsIdle && this.threads.some(({ below }) => below.calls.count > 0);
    for (const thread of this.threads) {
      Object.assign(thread, isBelow ? thread.below : thread.whole);
    }
  }

  readTheme() {
    this.theme = readTheme();
    this.palette = makePalette(this.methods, this.theme, this.showsGrowth ? this.growth : this.groups);
  }

  /** theme: "light", "dark", or null for that of the system. */
  useTheme(theme) {
    if (theme) {
      document.documentElement.dataset.theme = theme;
    }
    this.readTheme();
    this.redraw();
    this.showLegend();
  }

  /** Paper is white, whatever the screen, and takes what the canvases show at once. */
  showOnPaper() {
    this.screenTheme = document.documentElement.dataset.theme;
    document.querySelectorAll("details").forEach((one) => {
      one.open = true;
    });
    this.useTheme("light");
    this.chart.draw();
    this.overview.draw();
    this.lane.draw();
  }

  showOnScreen() {
    delete document.documentElement.dataset.theme;
    this.useTheme(this.screenTheme || null);
  }

  redraw() {
    this.chart.redraw();
    this.overview.redraw();
    this.lane.redraw();
  }

  /** Whether any of the threads that are chosen has an idle loop. */
  get hasIdle() {
    return this.threads.some((thread) => thread.idle.size > 0 &&
      (this.thread < 0 || this.thread === thread.number));
  }

  /** True if the time without CPU is known, for the whole run; it is never known for a range. */
  get hasKinds() {
    return !this.range && this.threads.some((thread) => (this.thread < 0 || this.thread === thread.number) &&
      knowsWaiting(thread.tree));
  }

  /** What is counted now. */
  get counted() {
    return this.hasKinds ? this.kind : "wall";
  }

  /** One tree of the threads that are chosen: of the whole run, or of the range. */
  tree(hasIdle = this.showsIdle) {
    const maker = new TreeMaker(this.methods.count);
    for (const thread of this.threads) {
      if (this.thread < 0 || this.thread === thread.number) {
        if (this.range) {
          maker.addCalls((hasIdle ? thread.whole : thread.below).calls, this.range[0], this.range[1]);
        } else if (thread.tree) {
          maker.addTree(thread.tree, hasIdle, ownTimes(thread.tree, this.counted));
        } else if (!thread.extra) {
          maker.addCalls(thread.calls, -Infinity, Infinity);
        }
      }
    }
    return maker.finish();
  }

  /** The same, kept for callers that ask at each key. */
  keptTree() {
    const key = `${this.thread} ${this.range} ${this.showsIdle} ${this.counted}`;
    if (!this.kept || this.kept.key !== key) {
      this.kept = { key, tree: this.tree() };
    }
    return this.kept.tree;
  }

  /* ---- What is shown ---- */

  turnTo(tab) {
    this.address.remember();
    this.show(tab);
  }

  turnToThread(number) {
    this.address.remember();
    this.chooseThread(number);
    this.show(this.tab);
  }

  /** -1: all of them. What the table has of a range is of the threads that are chosen. */
  chooseThread(number) {
    this.thread = number;
    byId("thread").value = String(number);
    if (this.range || this.kind !== "wall") {
      this.showTable();
    }
  }

  show(tab) {
    this.tab = tab;
    this.choosePart();
    for (const name of TABS) {
      const button = byId(`tab-${name}`);
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
    byId("view").setAttribute("aria-labelledby", `tab-${tab}`);
    if (tab === "time") {
      this.showTime();
    } else if (tab === "slow") {
      this.showCalls(layTree(this.slow), "What slow requests did more than as many usual ones", "all threads");
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
          (thread.calls.method[call] === this.head.message ||
            (thread.calls.depth[call] === 0 && !thread.idle.has(thread.calls.method[call]))),
      }));
    this.chart.range = this.range;
    this.chart.show(tracks, this.span, true);
  }

  showTree(isTurned) {
    const whole = this.tree();
    const who = this.thread < 0 ? "all threads" : this.threads[this.thread].name;
    this.showCalls(layTree(isTurned ? turnTree(whole, this.methods.count) : whole),
      isTurned ? "Own time, callers below" : "Callers above, calls below", who, KIND_WORDS[this.counted]);
  }

  showCalls(calls, title, who, what = "") {
    const until = calls.count > 0 ? calls.start[0] + calls.depth.reduce(
      (sum, depth, i) => sum + (depth === 0 ? calls.duration[i] : 0), 0) : 1;
    this.chart.show([{
      title,
      note: `${who}, ${timeText(until)}${what}`,
      rows: makeRows(calls),
      isOpen: true,
    }], [0, until], false);
  }

  tellShown() {
    const { head } = this;
    const [from, until] = this.range || this.span;
    const hidden = this.threads.reduce((sum, thread) => sum + thread.hidden, 0);
    const times = `${timeText(from)} to ${timeText(until)}`;
    const isWhole = this.tab === "slow" || (this.tab !== "time" && !this.range);
    let text = this.range && !isWhole ? `The chosen range, ${times}.`
      : isWhole && head.profiled ? this.wholeText(times)
        : head.lapped ? `What the rings still hold, ${times}: older calls were overwritten` +
          `${head.profiled ? "; Flame and Bottom up have the whole run." : "."}`
          : `All recorded calls, ${times}.`;
    if (hidden > 0 && !isWhole) {
      text += ` The shortest ${countText(hidden)} calls are not drawn` +
        (this.range ? ", and not counted in this range." : "; tables count them.");
    }
    if (this.hasIdle && !this.showsIdle) {
      text += " Idle loops, which only wait, are left out.";
    }
    if (this.tab !== "time" && this.counted !== "wall") {
      text += this.counted === "cpu" ? " Times are CPU time, as far as it is known."
        : " What waits, parks or sleeps is left out, as far as it is known.";
    }
    byId("shown").textContent = text;
    byId("kind-label").hidden = !this.hasKinds;
    byId("kind").value = this.counted === "cpu" ? "cpu" : "wall";
    byId("waiting").hidden = !this.hasKinds || this.counted === "cpu";
    byId("waiting").setAttribute("aria-pressed", String(this.counted === "awake"));
    byId("growth").hidden = !this.growth.changes.size;
    byId("growth").setAttribute("aria-pressed", String(this.showsGrowth));
    byId("idle").hidden = !this.hasIdle;
    byId("idle").setAttribute("aria-pressed", String(!this.showsIdle));
    byId("found").textContent = this.matches ? this.foundText() : "";
    byId("range").setAttribute("aria-pressed", String(Boolean(this.range)));
    this.overview.redraw();
    this.lane.redraw();
  }

  wholeText(times) {
    return "The whole run, from its profile." +
      (this.head.lapped ? ` Time order has the calls that rings still hold, ${times}.` : "");
  }

  /** Where the page starts: on what covers the run. */
  get firstTab() {
    return this.head.profiled && this.head.lapped ? "flame" : "time";
  }

  showTable() {
    const figures = this.range || this.counted !== "wall"
      ? { ...sumMethods(this.tree(true), this.methods.count), isRange: Boolean(this.range), what: KIND_WORDS[this.counted] }
      : this.methods;
    this.table.show(figures);
  }

  /** What costs most, with its colours, and what else boxes look like. */
  showLegend() {
    const { groups, theme, methods: { names } } = this;
    const put = (text, className, colour = theme.card, line = colourParts(theme.text)) => {
      const item = makeElement("span", "group", text);
      const swatch = makeElement("span", `swatch ${className}`);
      swatch.style.backgroundColor = theme.isForced ? theme.cardText : `rgb(${colour.join(",")})`;
      swatch.style.borderColor = theme.isForced ? theme.text : `rgb(${line.join(",")})`;
      item.prepend(swatch);
      byId("legend").append(item);
    };
    byId("legend").replaceChildren();
    if (this.showsGrowth) {
      byId("legend").append(makeElement("span", "group", this.growth.legend));
    }
    for (const group of this.showsGrowth ? [] : groups.first.slice(0, 8)) {
      const colour = groups.colour(names.find((name) => groups.of(name) === group), theme.isDark);
      put(group.replace(/\.$/, "") || "no package", "", colour, lineOf(colour, theme.isDark));
    }
    if (this.threads.some(({ calls }) => calls.sampled.includes(1))) {
      put("paler: an estimate from samples", "", theme.card, colourParts(theme.soft));
    }
    if (this.threads.some(({ rows }) => rows.longest[0] >= this.head.threshold)) {
      put(`${timeText(this.head.threshold)} or more`, "hatched");
    }
  }

  toggleGrowth() {
    this.showsGrowth = !this.showsGrowth;
    this.useTheme(null);
    this.tellShown();
  }

  /* ---- The call that is chosen ---- */

  callText(track, call) {
    const { calls } = track.rows;
    return `${this.methods.names[calls.method[call]]}\n${timeText(calls.duration[call])}`;
  }

  onChoice(chart) {
    showDetail(byId("detail"), this, chart.chosen);
    byId("said").textContent = chart.chosen ? this.callText(chart.chosen.track, chart.chosen.call) : "";
    this.address.save();
  }

  /** A wait of a thread, and to whom it leads. */
  chooseBlock(track, block) {
    this.chart.chosen = null;
    this.chart.redraw();
    showBlockDetail(byId("detail"), this, track.thread, block);
    byId("said").textContent = `${track.thread.name} waits ${blockText(block)}`;
  }

  onWindow() {
    this.overview.redraw();
    this.lane.redraw();
    this.address.save();
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
      this.address.save();
    }, 120);
  }

  toggleRange() {
    this.address.remember();
    this.setRange(this.range ? null : this.tab === "time" ? [...this.chart.window] : null);
  }

  toggleIdle() {
    this.address.remember();
    this.showsIdle = !this.showsIdle;
    this.show(this.tab);
  }

  /** kind: one of KINDS. */
  countAs(kind) {
    this.address.remember();
    this.kind = kind;
    this.show(this.tab);
    this.showTable();
  }

  showAll() {
    this.address.remember();
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
    this.address.save();
  }

  foundText() {
    const { methods, matches } = this;
    const found = matches.reduce((sum, isMatch) => sum + isMatch, 0);
    const { calls, total, own, all } = sumMatches(this.keptTree(), matches);
    return `${found} of ${methods.count} methods, ${countText(calls)} ${calls === 1 ? "call" : "calls"}, ` +
      `${timeText(total)} in all (${percentText(total, all)}), ` +
      `${timeText(own)} own (${percentText(own, all)})`;
  }

  lookFor(rank) {
    byId("search").value = this.methods.names[rank];
    this.search(this.methods.names[rank]);
    this.jumps.toMatch(1);
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

function partOf(calls) {
  const rows = makeRows(calls);
  return { calls, rows, busy: rows.count > 0 ? rows.sums[rows.first[1]] : 0, sky: null };
}

async function start() {
  const head = JSON.parse(byId("head").textContent);
  const text = new TextDecoder().decode(await unpack("names"));
  const names = text === "" ? [] : text.split("\n");
  const page = new Page(head, names, readMethods(await unpack("figures"), names));
  await page.load();
  Object.assign(window, { methodbeat: page }); // for people who look further by hand
  document.body.dataset.ready = "true";
}

if (byId("head")) {
  start().catch((error) => {
    byId("chart-failed").hidden = false;
    byId("chart-failed").textContent = `The chart cannot be shown here (${error.message}); ` +
      "everything below can.";
  });
}
