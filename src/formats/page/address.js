/* What the page shows, in its address: a link into a mailed file works, and Back undoes a jump. */

class Address {
  constructor(page) {
    this.page = page;
    this.isReading = false;
    this.saving = 0;
    // Links to parts of the page change the address, too, but not what the chart shows.
    addEventListener("popstate", () => location.hash.includes("=") && this.read());
  }

  /** What is shown, as the part of an address after #. */
  text() {
    const { page } = this;
    const values = new URLSearchParams();
    const times = (pair) => pair.map((time) => Math.round(time)).join("-");
    values.set("v", page.tab);
    values.set("t", times(page.chart.window));
    if (page.range) {
      values.set("r", times(page.range));
    }
    if (page.thread >= 0) {
      values.set("th", String(page.threads[page.thread].id));
    }
    if (page.kind !== "wall") {
      values.set("w", page.kind);
    }
    if (page.showsIdle) {
      values.set("i", "1");
    }
    if (page.query) {
      values.set("q", page.query);
    }
    if (page.chart.chosen && page.tab === "time") {
      const { track, call } = page.chart.chosen;
      values.set("c", `${track.thread.number}-${call}`);
    }
    return `#${values}`;
  }

  /** Now and then: browsers slow down pages that do it all the time. */
  save() {
    if (!this.isReading && !this.saving) {
      this.saving = setTimeout(() => this.put(), 300);
    }
  }

  put() {
    clearTimeout(this.saving);
    this.saving = 0;
    history.replaceState(null, "", this.text());
  }

  /** Before a jump. */
  remember() {
    if (!this.isReading) {
      this.put();
      history.pushState(null, "", this.text());
    }
  }

  /** Show what the address says; what it does not say is as at first. */
  read() {
    const { page } = this;
    const values = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    const pair = (name) => {
      const found = /^(\d+)-(\d+)$/.exec(values.get(name) || "");
      return found ? [Number(found[1]), Number(found[2])] : null;
    };
    const thread = page.threads.find((one) => String(one.id) === values.get("th"));
    const tab = values.get("v");
    this.isReading = true;
    page.thread = thread ? thread.number : -1;
    byId("thread").value = String(page.thread);
    page.range = pair("r");
    page.showsIdle = values.get("i") === "1";
    page.kind = KINDS.includes(values.get("w")) ? values.get("w") : "wall";
    byId("search").value = values.get("q") || "";
    page.show(TABS.includes(tab) ? tab : page.firstTab);
    page.showTable();
    page.search(byId("search").value);
    if (pair("t")) {
      page.chart.setWindow(...pair("t"));
    }
    this.readCall(pair("c"));
    this.isReading = false;
  }

  readCall(place) {
    const { page } = this;
    const track = place && page.tab === "time" &&
      page.chart.tracks.find((one) => one.thread.number === place[0]);
    if (track && place[1] < track.rows.calls.count) {
      page.chart.choose(track, place[1]);
    }
  }
}
