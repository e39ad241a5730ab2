/* Numbers and names as people read them. A number and its unit are never on two lines. */

const NO_BREAK = "\u00a0";

/** @type {[number, string][]} */
const TIME_UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];
/** @type {[number, string][]} */
const COUNT_UNITS = [[1e9, "G"], [1e6, "M"], [1e3, "k"]];

/* Three digits, cut, as everywhere in methodbeat. */
function threeDigits(value, unit) {
  const share = value / unit;
  const digits = unit === 1 || share >= 100 ? 0 : share >= 10 ? 1 : 2;
  const scale = 10 ** digits;
  return (Math.floor(share * scale + 1e-9) / scale).toFixed(digits);
}

function timeText(ns) {
  const size = Math.round(Math.abs(ns));
  const [unit, name] = TIME_UNITS.find(([least]) => size >= least) || TIME_UNITS[3];
  return `${ns < 0 ? "-" : ""}${threeDigits(size, unit)}${NO_BREAK}${name}`;
}

/** All digits, for what is selected: "1.234 567 890 s", with narrow spaces that do not break. */
function exactTime(ns) {
  const digits = Math.round(ns).toString().padStart(10, "0");
  const part = digits.slice(-9).replace(/(...)(?=.)/g, "$1\u202f");
  return `${digits.slice(0, -9)}.${part}${NO_BREAK}s`;
}

function countText(count) {
  if (count < 100000) {
    return String(count);
  }
  const [unit, name] = COUNT_UNITS.find(([least]) => count >= least);
  return `${threeDigits(count, unit)}${NO_BREAK}${name}`;
}

function percentText(part, whole) {
  return `${(whole > 0 ? (part * 100) / whole : 0).toFixed(1)}${NO_BREAK}%`;
}

/** Where the class begins in a name: after the last dot but one in front of any parameters. */
function packageSize(name) {
  const end = name.indexOf("(") < 0 ? name.length : name.indexOf("(");
  const method = name.lastIndexOf(".", end - 1);
  const type = method > 0 ? name.lastIndexOf(".", method - 1) : -1;
  return type + 1;
}

/** "Class.method". */
function shortName(name) {
  const end = name.indexOf("(");
  return name.slice(packageSize(name), end < 0 ? undefined : end);
}

/** What of a short name fits into room letters: rather the method than its class. */
function fitName(name, room) {
  const text = name.length <= room ? name : name.slice(name.lastIndexOf(".") + 1);
  return text.length <= room ? text : `${text.slice(0, room - 1)}\u2026`;
}

function hashText(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  }
  hash ^= hash >>> 15;
  return Math.imul(hash, 2246822519) >>> 8;
}

/* Okabe and Ito's colours, which people with any eyes tell apart. */
const HUES = [[230, 159, 0], [86, 180, 233], [0, 158, 115], [240, 228, 66], [0, 114, 178],
  [213, 94, 0], [204, 121, 167]];

/** By package (the hue) and class (how light): the same in every report, unless it has another hue. */
function colourOf(name, isDark, number = hashText(name.slice(0, packageSize(name)))) {
  const size = packageSize(name);
  const hue = HUES[number % HUES.length];
  const step = hashText(name.slice(0, name.indexOf(".", size))) % 3;
  const white = (isDark ? 0.12 : 0.32) + step * 0.15;
  return hue.map((part) => Math.round(part + (255 - part) * white));
}

/** What has a colour of its own: packages; where one has most of the time its classes, and where one class
 * has that its methods. Hues then go by time. @param {Methods} methods */
function makeGroups({ count, names, own, waits }) {
  const split = new Set();
  let times = new Map();
  const of = (name) => {
    const size = packageSize(name);
    return [name.slice(0, size), name.slice(0, name.indexOf(".", size) + 1)].find((part) => !split.has(part)) ?? name;
  };
  for (let level = 0; level < 3; level++) {
    times = new Map();
    let all = 0;
    for (let rank = 0; rank < count; rank++) {
      const time = waits[rank] ? 0 : Math.max(own[rank], 0);
      times.set(of(names[rank]), (times.get(of(names[rank])) || 0) + time);
      all += time;
    }
    const most = [...times].find(([, time]) => time > all / 2);
    if (level < 2 && most) {
      split.add(most[0]);
    }
  }
  const first = [...times].sort((a, b) => b[1] - a[1]).map(([group]) => group);
  const order = new Map(first.map((group, i) => [group, i]));
  return { first, of, colour: (name, isDark) => colourOf(name, isDark, split.size > 0 ? order.get(of(name)) : undefined) };
}

/** Colours by change. rows: of the table of changes. */
function makeGrowth(rows, names) {
  const changes = new Map(rows.map(({ dataset }) => [dataset.method, +dataset.change]));
  const gone = [...changes.keys()].filter((name) => !names.includes(name)).map(shortName).join(", ");
  const most = Math.max(...[...changes.values()].map(Math.abs));
  const colour = (name, isDark) => {
    const change = changes.get(name) || 0;
    const share = change && 0.4 + 0.6 * Math.abs(change) / most;
    const ground = isDark ? 90 : 205;
    return HUES[change > 0 ? 5 : 4].map((part) => Math.round(ground + (part - ground) * share));
  };
  return { changes, colour,
    legend: `orange: more own time, blue: less, grey: as much${gone && `; gone: ${gone}`}` };
}

/** Darker than its boxes are, where these are too light to stand out from the ground. */
function lineOf(colour, isDark) {
  return isDark ? colour : colour.map((part) => Math.round(part / 2));
}

/** A test for names from what was typed: a part of them in any case, or /an expression/. */
function matcherOf(query) {
  const pattern = /^\/(.+)\/$/.exec(query);
  if (pattern) {
    try {
      const expression = new RegExp(pattern[1], "i");
      return (name) => expression.test(name);
    } catch {
      return () => false;
    }
  }
  const part = query.toLowerCase();
  return (name) => name.toLowerCase().includes(part);
}
