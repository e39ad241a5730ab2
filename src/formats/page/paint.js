/* From rows of calls to pixels. */

const ROW = 18; /* CSS pixels */
const TITLE = 24;
const RULER = 22;
const LINE = 2; /* at the lower end of a box, which marks it where its colour is light */
const LEAST_LABEL = 30;
const LEAST_HATCH = 4;
const SAMPLED = 0.55; /* of its colour: what samples tell is paler than what records do */

/** Colours of each method, as canvases want them: box, its lower line, and faded.
 * @param {{colour(name: string, isDark: boolean): number[]}} [groups] */
function makePalette(methods, theme, groups = makeGroups(methods)) {
  const plain = new Uint32Array(methods.count);
  const lines = new Uint32Array(methods.count);
  const faded = new Uint32Array(methods.count);
  for (let i = 0; i < methods.count; i++) {
    const colour = theme.isForced ? theme.card.map((part, k) => part * 0.8 + theme.textParts[k] * 0.2)
      : groups.colour(methods.names[i], theme.isDark);
    const grey = (colour[0] + colour[1] + colour[2]) / 3;
    plain[i] = packColour(colour);
    lines[i] = packColour(theme.isForced ? theme.textParts : lineOf(colour, theme.isDark));
    faded[i] = packColour(colour.map((part, k) => (part * 0.1 + grey * 0.2 + theme.card[k] * 0.7)));
  }
  return { plain, lines, faded };
}

/** @param {number[]} colour */
function packColour([red, green, blue]) {
  return ((255 << 24) | (Math.round(blue) << 16) | (Math.round(green) << 8) | Math.round(red)) >>> 0;
}

/** @param {number} packed */
function cssColour(packed) {
  return `rgb(${packed & 255}, ${(packed >>> 8) & 255}, ${(packed >>> 16) & 255})`;
}

/** share of colour over below, channel by channel. */
function blend(colour, below, share) {
  const mix = (shift) => {
    const a = (colour >>> shift) & 255;
    const b = (below >>> shift) & 255;
    return Math.round(b + (a - b) * share) << shift;
  };
  return ((255 << 24) | mix(16) | mix(8) | mix(0)) >>> 0;
}

/** Paint the visible rows of a track: pixels, those of their lower ends, and the boxes that are wide enough
 * for a name or, if they were slow, for lines. The sum of what is not ground in a row is the time that its calls took: where a box ends
 * its colour is another, not none. */
function paintRows(track, view, ink) {
  const { width } = view;
  const rowCount = view.lastRow - view.firstRow;
  const pixels = new Uint32Array(width * rowCount).fill(ink.ground);
  const lines = new Uint32Array(width * rowCount).fill(ink.ground);
  const strip = { cover: new Float64Array(width), call: new Int32Array(width) };
  const labels = [];
  const { method, sampled } = track.rows.calls;
  for (let row = view.firstRow; row < view.lastRow; row++) {
    const place = (row - view.firstRow) * width;
    const edges = [];
    sweepRow(track.rows, row, view, strip, (call, left, right) => {
      if (right - left >= 3) {
        edges.push(Math.floor(right) - 1);
      }
      const least = track.hatch && track.hatch(call) ? LEAST_HATCH : LEAST_LABEL;
      if (right - left >= least * view.ratio) {
        labels.push({ call, row, left, right });
      }
    });
    for (let x = 0; x < width; x++) {
      if (strip.call[x] >= 0) {
        const rank = method[strip.call[x]];
        const isFaded = ink.matches && !ink.matches[rank];
        const cover = Math.min(strip.cover[x], 1) * (sampled[strip.call[x]] ? SAMPLED : 1);
        pixels[place + x] = blend((isFaded ? ink.faded : ink.plain)[rank], ink.ground, cover);
        lines[place + x] = blend((isFaded ? ink.faded : ink.lines)[rank], ink.ground, cover);
      }
    }
    for (const x of edges) {
      if (x >= 0 && x < width) {
        pixels[place + x] = blend(ink.edge, pixels[place + x], ink.edgeShare);
      }
    }
  }
  return { pixels, lines, labels };
}

/** Round steps for a ruler: about one in each `pixels` pixels. */
function rulerStep(perPixel, pixels) {
  const least = perPixel * pixels;
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

/** Times on a ruler have the digits that tell them apart. */
function rulerText(time, step) {
  const [unit, name] = TIME_UNITS.find(([least]) => Math.abs(time) >= least) || TIME_UNITS[3];
  const digits = Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9));
  return time === 0 ? "0" : `${(time / unit).toFixed(Math.min(digits, 9))} ${name}`;
}
