/* The table of methods: sorted by any column, only those that are looked for, some at a time. */

const SOME = 200;
const TABLE_COLUMNS = [["own", "own"], ["own", "share"], ["total", "total"], ["calls", "calls"],
  ["mean", "mean"], ["longest", "longest"], ["name", "method"]];

function makeElement(tag, className, text) {
  const element = document.createElement(tag);
  if (className) {
    element.className = className;
  }
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}

function makeButton(text, act) {
  const button = makeElement("button", "", text);
  button.addEventListener("click", act);
  return button;
}

/** A name as the static page has it, its package apart. */
function makeName(name, mark) {
  const element = makeElement("span", "name");
  const size = packageSize(name);
  element.append(makeElement("i", "", name.slice(0, size)), name.slice(size) + (mark || ""));
  return element;
}

/** The muted method whose time is in its own. */
function heldText(methods, rank) {
  const name = methods.names[methods.id.indexOf(methods.held[rank])] || "others";
  return ` ^ with ${name.slice(packageSize(name))}`;
}

/** Muted; with the time of muted ones; with a total that rests on inferred ends, or on samples. */
function methodMarks(methods, rank) {
  return (methods.muted[rank] ? " ~" : "") + (methods.held[rank] ? heldText(methods, rank) : "") +
    (methods.inferred[rank] ? ` ?${methods.inferred[rank]}%` : "") +
    (methods.sampled[rank] ? ` +-${methods.sampled[rank]}%` : "") + (methods.waits[rank] ? " (waits)" : "");
}

function makeBar(part, whole) {
  const share = Math.min(Math.max(whole > 0 ? part / whole : 0, 0), 1);
  const make = (tag, attributes) => {
    const element = document.createElementNS("http:" + "//www.w3.org/2000/svg", tag);
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    return element;
  };
  const svg = make("svg", { class: "bar", width: 60, height: 8, "aria-hidden": "true" });
  svg.append(make("rect", { width: (share * 60).toFixed(1), height: 8 }));
  return svg;
}

class MethodTable {
  constructor(section, page) {
    this.page = page;
    this.section = section;
    this.body = section.querySelector("tbody");
    this.more = section.querySelector(".more") || section.appendChild(makeElement("p", "more"));
    this.sorting = { key: "own", isDown: true };
    this.shown = SOME;
    this.makeHeads();
    this.moreButton = makeElement("button", "", "More");
    this.moreButton.addEventListener("click", () => {
      this.shown += SOME;
      this.fill();
    });
    this.more.after(this.moreButton);
  }

  makeHeads() {
    this.heads = [...this.section.querySelectorAll("th")];
    this.heads.forEach((head, i) => {
      const [key, title] = TABLE_COLUMNS[i];
      const button = makeElement("button", "", title);
      button.addEventListener("click", () => {
        const isSame = this.sorting.key === key && this.sorting.head === i;
        this.sorting = { key, head: i, isDown: isSame ? !this.sorting.isDown : key !== "name" };
        this.fill();
      });
      head.replaceChildren(button);
    });
  }

  /** figures: calls, total, own and perhaps longest by rank. */
  show(figures) {
    const { methods } = this.page;
    this.figures = figures;
    this.all = 0;
    this.rows = [];
    for (let rank = 0; rank < methods.count; rank++) {
      if (figures.calls[rank] > 0 || figures.own[rank] > 0 || figures.total[rank] > 0) {
        this.all += methods.waits[rank] ? 0 : Math.max(figures.own[rank], 0);
        this.rows.push(rank);
      }
    }
    this.shown = SOME;
    this.fill();
  }

  valueOf(rank) {
    const { figures } = this;
    const { key } = this.sorting;
    if (key === "name") {
      return this.page.methods.names[rank];
    }
    return key === "mean" ? figures.total[rank] / Math.max(figures.calls[rank], 1) : (figures[key] || figures.own)[rank];
  }

  fill() {
    const { matches, methods } = this.page;
    const rows = this.rows.filter((rank) => !matches || matches[rank]);
    const sign = this.sorting.isDown ? -1 : 1;
    const values = new Map(rows.map((rank) => [rank, this.valueOf(rank)]));
    const last = this.sorting.key === "own" ? (rank) => methods.waits[rank] : () => 0; // what waits costs nothing
    rows.sort((a, b) => {
      const [x, y] = [values.get(a), values.get(b)];
      return last(a) - last(b) || (x < y ? -sign : x > y ? sign : 0) || methods.id[a] - methods.id[b];
    });
    this.body.replaceChildren(...rows.slice(0, this.shown).map((rank) => this.row(rank)));
    this.moreButton.hidden = rows.length <= this.shown;
    const count = Math.min(this.shown, rows.length);
    this.more.textContent = `${count} of ${rows.length} methods${matches ? " that match" : ""}` +
      `${this.figures.isRange ? ", in the chosen range" : ""}${this.figures.what || ""}.`;
    this.heads.forEach((head, i) => {
      const isKey = TABLE_COLUMNS[i][0] === this.sorting.key && i === (this.sorting.head ?? 0);
      head.setAttribute("aria-sort", !isKey ? "none" : sign < 0 ? "descending" : "ascending");
    });
  }

  row(rank) {
    const { figures } = this;
    const { methods } = this.page;
    const row = document.createElement("tr");
    const share = makeElement("td", "share");
    if (methods.waits[rank]) {
      share.append("\u2013");
    } else {
      share.append(makeBar(figures.own[rank], this.all), ` ${percentText(figures.own[rank], this.all)}`);
    }
    const longest = figures.longest && figures.calls[rank] > 0 ? timeText(figures.longest[rank]) : "\u2013";
    const name = makeElement("td", "method");
    const button = makeElement("button", "link");
    button.append(makeName(methods.names[rank], methodMarks(methods, rank)));
    button.addEventListener("click", () => this.page.lookFor(rank));
    name.append(button);
    row.append(this.time(figures.own[rank]), share, this.time(figures.total[rank]),
      makeElement("td", "", figures.calls[rank] > 0 ? countText(figures.calls[rank]) : "\u2013"),
      figures.calls[rank] > 0 ? this.time(figures.total[rank] / figures.calls[rank]) : makeElement("td", "", "\u2013"),
      makeElement("td", "", longest), name);
    return row;
  }

  time(ns) {
    return makeElement("td", "", timeText(ns));
  }
}
