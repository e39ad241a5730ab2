/* Calls as rows of boxes, a row a depth: what lies where, in as many steps as there are pixels. */

/** Places of the calls row by row, and the sums of their durations; calls of a row do not overlap.
 * @typedef {object} Rows
 * @property {Calls} calls
 * @property {number} count
 * @property {Uint32Array} first where a row begins in order; one more than rows
 * @property {Uint32Array} order calls
 * @property {Float64Array} longest duration of a call by row
 * @property {Float64Array} sums of the durations of all that come before a place in order
 */

/** @param {Calls} calls @returns {Rows} */
function makeRows(calls) {
  let deepest = -1;
  for (let i = 0; i < calls.count; i++) {
    deepest = calls.depth[i] > deepest ? calls.depth[i] : deepest;
  }
  const first = new Uint32Array(deepest + 2);
  for (let i = 0; i < calls.count; i++) {
    first[calls.depth[i] + 1]++;
  }
  for (let row = 0; row <= deepest; row++) {
    first[row + 1] += first[row];
  }
  const next = first.slice();
  const order = new Uint32Array(calls.count);
  for (let i = 0; i < calls.count; i++) {
    order[next[calls.depth[i]]++] = i;
  }
  for (let row = 0; row <= deepest; row++) {
    sortRow(calls, order.subarray(first[row], first[row + 1]));
  }
  const sums = new Float64Array(calls.count + 1);
  const longest = new Float64Array(deepest + 1);
  for (let i = 0; i < calls.count; i++) {
    sums[i + 1] = sums[i] + calls.duration[order[i]];
    longest[calls.depth[i]] = Math.max(longest[calls.depth[i]], calls.duration[i]);
  }
  return { calls, count: deepest + 1, first, order, sums, longest };
}

/* Only what a damaged trace holds is not in order already. */
function sortRow(calls, row) {
  for (let i = 1; i < row.length; i++) {
    if (calls.start[row[i]] < calls.start[row[i - 1]]) {
      row.sort((a, b) => calls.start[a] - calls.start[b] || a - b);
      return;
    }
  }
}

/** The first place in a row, from `from` on, of a call that starts at or after time.
 * @param {Rows} rows @param {number} row @param {number} time @param {number} from */
function findStart(rows, row, time, from) {
  let low = from;
  let high = rows.first[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows.calls.start[rows.order[middle]] < time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The first place in a row of a call that ends after time.
 * @param {Rows} rows @param {number} row @param {number} time */
function findEnd(rows, row, time) {
  const { start, duration } = rows.calls;
  let low = rows.first[row];
  let high = rows.first[row + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const call = rows.order[middle];
    if (start[call] + duration[call] <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** The call at a time, or the nearest that begins or ends within slack of it; -1: none.
 * @param {Rows} rows @param {number} row @param {number} time @param {number} slack */
function findCall(rows, row, time, slack) {
  if (row < 0 || row >= rows.count) {
    return -1;
  }
  const { start, duration } = rows.calls;
  const end = rows.first[row + 1];
  let best = -1;
  let distance = slack;
  for (let at = Math.max(findEnd(rows, row, time - slack), rows.first[row]); at < end; at++) {
    const call = rows.order[at];
    if (start[call] > time + slack) {
      break;
    }
    const away = Math.max(start[call] - time, time - start[call] - duration[call], 0);
    if (away === 0 && duration[call] > 0) {
      return call;
    }
    if (away <= distance) {
      best = call;
      distance = away;
    }
  }
  return best;
}

/** How a row looks, pixel by pixel: strip.cover is the share of the pixel's time that calls took,
 * exactly; strip.call is one of these calls. box(call, left, right) hears of all a pixel or wider. */
function sweepRow(rows, row, view, strip, box) {
  const { start, duration } = rows.calls;
  const { from, perPixel, width } = view;
  const end = rows.first[row + 1];
  const until = from + width * perPixel;
  strip.cover.fill(0);
  strip.call.fill(-1);
  let at = findEnd(rows, row, from);
  while (at < end) {
    const call = rows.order[at];
    if (start[call] >= until) {
      break;
    }
    const left = (start[call] - from) / perPixel;
    const right = left + duration[call] / perPixel;
    if (right - left >= 1) {
      coverBox(strip, call, Math.max(left, 0), Math.min(right, width));
      box(call, left, right);
      at++;
    } else {
      at = coverThin(rows, row, view, strip, at);
    }
  }
}

function coverBox(strip, call, left, right) {
  const first = Math.floor(left);
  const last = Math.min(Math.ceil(right), strip.cover.length) - 1;
  for (let x = first; x <= last; x++) {
    strip.cover[x] += Math.min(right, x + 1) - Math.max(left, x);
    if (strip.call[x] < 0 || right - left > 1) {
      strip.call[x] = call;
    }
  }
}

/* All calls that begin in one pixel and are narrower; returns the place after them. What the last
 * one has of the next pixel goes there. */
function coverThin(rows, row, view, strip, at) {
  const { start, duration } = rows.calls;
  const { from, perPixel, width } = view;
  const x = Math.max(Math.floor((start[rows.order[at]] - from) / perPixel), 0);
  const edge = from + (x + 1) * perPixel;
  let next = Math.max(findStart(rows, row, edge, at + 1), at + 1);
  if (next - 1 > at && duration[rows.order[next - 1]] >= perPixel) {
    next--;
  }
  const first = rows.order[at];
  const last = rows.order[next - 1];
  const before = Math.max(from - start[first], 0);
  const behind = Math.max(start[last] + duration[last] - edge, 0);
  const time = rows.sums[next] - rows.sums[at] - before - behind;
  strip.cover[x] += time / perPixel;
  strip.call[x] = strip.call[x] < 0 ? first : strip.call[x];
  if (behind > 0 && x + 1 < width) {
    strip.cover[x + 1] += behind / perPixel;
    strip.call[x + 1] = last;
  }
  return next;
}

/** The place after the last call inside a call: they follow it in call order.
 * @param {Calls} calls @param {number} call */
function subtreeEnd(calls, call) {
  let at = call + 1;
  while (at < calls.count && calls.depth[at] > calls.depth[call]) {
    at++;
  }
  return at;
}

/** The call that made it; -1: none.
 * @param {Calls} calls @param {number} call */
function callerOf(calls, call) {
  let at = call - 1;
  while (at >= 0 && calls.depth[at] >= calls.depth[call]) {
    at--;
  }
  return calls.depth[call] === 0 ? -1 : at;
}

/** The call without a caller that it is in, or is.
 * @param {Calls} calls @param {number} call */
function outermostOf(calls, call) {
  let at = call;
  while (at > 0 && calls.depth[at] > 0) {
    at--;
  }
  return at;
}

/** Its time without the calls that it made.
 * @param {Calls} calls @param {number} call */
function ownTime(calls, call) {
  let own = calls.duration[call];
  const end = subtreeEnd(calls, call);
  for (let at = call + 1; at < end; at++) {
    own -= calls.depth[at] === calls.depth[call] + 1 ? calls.duration[at] : 0;
  }
  return Math.max(own, 0);
}
