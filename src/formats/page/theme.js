/* Colours of the canvases, as the style says them. */

/** What is not in the style: where boxes end, their text, lines over what was slow, what is out of range. */
const THEME_INKS = {
  light: { edge: [0, 0, 0], edgeShare: 0.28, boxText: "#000", hatch: "rgba(0, 0, 0, .55)",
    shade: "rgba(40, 50, 60, .28)" },
  dark: { edge: [0, 0, 0], edgeShare: 0.45, boxText: "#000", hatch: "rgba(0, 0, 0, .65)",
    shade: "rgba(0, 0, 0, .4)" },
};

function colourParts(text) {
  return text.match(/[\d.]+/g).slice(0, 3).map(Number);
}

function readTheme() {
  const probe = document.body.appendChild(document.createElement("span"));
  probe.style.setProperty("forced-color-adjust", "none");
  const isForced = matchMedia("(forced-colors: active)").matches;
  const colour = (name) => {
    const system = name === "card" || name === "row" ? "Canvas" : "CanvasText";
    probe.style.color = isForced ? system : `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const card = colourParts(colour("card"));
  const text = colourParts(colour("text"));
  const isDark = card[0] < 128;
  const inks = isDark ? THEME_INKS.dark : THEME_INKS.light;
  const theme = { ...inks, card, isDark, isForced, cardText: colour("card"), text: colour("text"),
    textParts: text, soft: colour("soft"), line: colour("line"), hit: colour("hit"), bar: colour("bar"),
    bad: colour("bad"), ground: packColour(colourParts(colour("row"))), edge: packColour(inks.edge),
    levels: LEVELS.map((_, level) => colour(`level-${level}`)),
    font: `11px ${getComputedStyle(document.documentElement).getPropertyValue("--mono")}`,
    titleFont: `12px ${getComputedStyle(document.body).fontFamily}` };
  probe.remove();
  return isForced ? forceTheme(theme) : theme;
}

/** Two colours, which are the system's: boxes are outlines. */
function forceTheme(theme) {
  const { text, cardText, textParts } = theme;
  return { ...theme, boxText: text, hatch: text, edge: packColour(textParts), edgeShare: 1,
    levels: LEVELS.map((_, level) => (level % 2 === 0 ? cardText : text)) };
}
