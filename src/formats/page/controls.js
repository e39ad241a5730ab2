/* Buttons, fields and what else is not the chart itself. */

class Controls {
  constructor(page) {
    this.page = page;
    this.tabs();
    this.buttons();
    this.search();
    this.threads();
    this.theme();
    addEventListener("beforeprint", () => page.showOnPaper());
    addEventListener("afterprint", () => page.showOnScreen());
  }

  tabs() {
    const { page } = this;
    for (const name of TABS) {
      byId(`tab-${name}`).addEventListener("click", () => page.turnTo(name));
    }
    document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[/** @type {KeyboardEvent} */ (event).key];
      if (by) {
        const name = TABS[(TABS.indexOf(page.tab) + by + TABS.length) % TABS.length];
        byId(`tab-${name}`).focus();
        page.turnTo(name);
      }
    });
  }

  buttons() {
    const { page } = this;
    const acts = {
      "zoom-in": () => page.chart.zoom(0.7, page.hands.middle),
      "zoom-out": () => page.chart.zoom(1 / 0.7, page.hands.middle),
      "zoom-all": () => page.showAll(),
      "range": () => page.toggleRange(),
      "idle": () => page.toggleIdle(),
      "growth": () => page.toggleGrowth(),
      "waiting": () => page.countAs(page.kind === "awake" ? "wall" : "awake"),
      "wait-next": () => page.waits.toNext(),
      "slow-next": () => page.jumps.toNextSlow(),
      "help-open": () => page.help(),
      "match-next": () => page.jumps.toMatch(1),
      "match-before": () => page.jumps.toMatch(-1),
    };
    for (const [id, act] of Object.entries(acts)) {
      byId(id).addEventListener("click", act);
    }
  }

  search() {
    const { page } = this;
    const field = byId("search");
    field.addEventListener("input", () => page.search(field.value.trim()));
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        page.jumps.toMatch(event.shiftKey ? -1 : 1);
      } else if (event.key === "Escape") {
        byId("scroller").focus();
      }
    });
  }

  threads() {
    const { page } = this;
    const select = byId("thread");
    select.append(new Option("all", "-1"));
    for (const thread of page.threads) {
      if (thread.calls.count > 0 || thread.nodes > 0) {
        select.append(new Option(thread.name, String(thread.number)));
      }
    }
    byId("thread-label").hidden = select.options.length < 3;
    byId("kind").addEventListener("change", () => page.countAs(byId("kind").value));
    select.addEventListener("change", () => page.turnToThread(Number(select.value)));
  }

  /* The system's choice, until the user makes another. */
  theme() {
    const { page } = this;
    const button = makeElement("button", "theme", "Light or dark");
    document.querySelector(".top").append(button);
    button.addEventListener("click", () => {
      const theme = page.theme.isDark ? "light" : "dark";
      page.useTheme(theme);
      try {
        localStorage.setItem("methodbeat-theme", theme);
      } catch {
        // then it is not remembered
      }
    });
    for (const query of ["(prefers-color-scheme: dark)", "(forced-colors: active)"]) {
      matchMedia(query).addEventListener("change", () => page.useTheme(null));
    }
    page.useTheme(storedTheme());
  }
}

function storedTheme() {
  try {
    return localStorage.getItem("methodbeat-theme");
  } catch {
    return null;
  }
}
