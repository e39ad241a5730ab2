/* Controls, and what is remembered: in the address, so that a link into a mailed file works. */

Object.assign(Page.prototype, {
  controls() {
    const click = (id, act) => byId(id).addEventListener("click", act);
    for (const name of TABS) {
      click(`tab-${name}`, () => {
        this.remember();
        this.show(name);
        this.save();
      });
    }
    document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) {
        const name = TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length];
        byId(`tab-${name}`).focus();
        this.show(name);
      }
    });
    click("zoom-in", () => this.chart.zoom(0.7, this.hands.middle));
    click("zoom-out", () => this.chart.zoom(1 / 0.7, this.hands.middle));
    click("zoom-all", () => this.showAll());
    click("range", () => this.toggleRange());
    click("slow-next", () => this.nextSlow());
    click("help-open", () => this.help());
    click("match-next", () => this.nextMatch(1));
    click("match-before", () => this.nextMatch(-1));
    this.searchControl();
    this.threadControl();
    this.themeControl();
    addEventListener("popstate", () => this.restore());
    addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => {
      one.open = true;
    }));
  },

  searchControl() {
    const field = byId("search");
    field.addEventListener("input", () => this.search(field.value.trim()));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        this.nextMatch(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        byId("scroller").focus();
      }
    });
  },

  threadControl() {
    const select = byId("thread");
    select.append(new Option("all", "-1"));
    for (const thread of this.threads) {
      if (thread.calls.count > 0 || thread.nodes > 0) {
        select.append(new Option(thread.name, String(thread.number)));
      }
    }
    byId("thread-label").hidden = select.options.length < 3;
    select.addEventListener("change", () => {
      this.remember();
      this.thread = Number(select.value);
      this.show(this.tab);
      this.save();
    });
  },

  themeControl() {
    const button = makeElement("button", "theme", "Light or dark");
    document.querySelector(".top").append(button);
    const stored = () => {
      try {
        return localStorage.getItem("methodbeat-theme");
      } catch {
        return null;
      }
    };
    const use = (theme) => {
      if (theme) {
        document.documentElement.dataset.theme = theme;
      }
      this.readTheme();
      this.chart.redraw();
      this.overview.redraw();
      this.showLegend();
    };
    button.addEventListener("click", () => {
      const theme = this.theme.isDark ? "light" : "dark";
      use(theme);
      try {
        localStorage.setItem("methodbeat-theme", theme);
      } catch {
        // then it is not remembered
      }
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => use(null));
    use(stored());
  },

  /* ---- The address ---- */

  address() {
    const values = new URLSearchParams();
    values.set("v", this.tab);
    const [from, until] = this.chart.window.map((time) => Math.round(time));
    values.set("t", `${from}-${until}`);
    if (this.range) {
      values.set("r", this.range.map((time) => Math.round(time)).join("-"));
    }
    if (this.thread >= 0) {
      values.set("th", String(this.threads[this.thread].id));
    }
    if (this.query) {
      values.set("q", this.query);
    }
    if (this.chart.chosen && this.tab === "time") {
      const { track, call } = this.chart.chosen;
      values.set("c", `${track.thread.number}-${call}`);
    }
    return `#${values}`;
  },

  /** Now and then: browsers slow down pages that do it all the time. */
  save() {
    if (this.isRestoring || this.saving) {
      return;
    }
    this.saving = setTimeout(() => {
      this.saving = 0;
      history.replaceState(null, "", this.address());
    }, 300);
  },

  /** Before a jump, so that Back undoes it. */
  remember() {
    clearTimeout(this.saving);
    this.saving = 0;
    history.replaceState(null, "", this.address());
    history.pushState(null, "", this.address());
  },

  restore() {
    this.isRestoring = true;
    const values = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const pair = (name) => {
      const found = /^(\d+)-(\d+)$/.exec(values.get(name) || "");
      return found ? [Number(found[1]), Number(found[2])] : null;
    };
    const thread = this.threads.find((one) => String(one.id) === values.get("th"));
    this.thread = thread ? thread.number : -1;
    byId("thread").value = String(this.thread);
    this.range = pair("r");
    this.query = values.get("q") || "";
    byId("search").value = this.query;
    this.show(TABS.includes(values.get("v")) ? values.get("v") : "time");
    this.showTable();
    this.search(this.query);
    if (pair("t")) {
      this.chart.setWindow(...pair("t"));
    }
    this.restoreCall(pair("c"));
    this.isRestoring = false;
  },

  restoreCall(place) {
    const track = place && this.tab === "time" &&
      this.chart.tracks.find((one) => one.thread.number === place[0]);
    if (track && place[1] < track.rows.calls.count) {
      this.chart.choose(track, place[1]);
    }
  },
});

async function start() {
  const head = JSON.parse(byId(HEAD).textContent);
  const text = new TextDecoder().decode(await unpack("names"));
  const names = text === "" ? [] : text.split("\n");
  const page = new Page(head, names, readMethods(await unpack("figures"), names));
  await page.load();
  window.methodbeat = page;
  document.body.dataset.ready = "true";
}

if (byId(HEAD)) {
  start().catch((error) => {
    byId("chart-failed").hidden = false;
    byId("chart-failed").textContent = `The chart cannot be shown here (${error.message}); ` +
      "everything below can.";
  });
}
