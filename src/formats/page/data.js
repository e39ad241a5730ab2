/* What the page carries: columns of whole numbers, as varints, packed by zlib, in base64. */

/** Of a trace or of a tree that is laid out: times in ns.
 * @typedef {object} Calls
 * @property {number} count
 * @property {ArrayLike<number>} start
 * @property {ArrayLike<number>} duration
 * @property {ArrayLike<number>} method ranks
 * @property {ArrayLike<number>} depth 0: no caller
 * @property {ArrayLike<number>} open 1: was still running
 */

/** Calls merged by their chains of callers.
 * @typedef {object} Tree
 * @property {number} count
 * @property {ArrayLike<number>} parent a node before it, or -1
 * @property {ArrayLike<number>} method
 * @property {ArrayLike<number>} calls
 * @property {ArrayLike<number>} total
 * @property {ArrayLike<number>} own
 * @property {ArrayLike<number>} idle 1: part of a loop that only waits
 * @property {ArrayLike<number>} sampled 1: an estimate from samples
 * @property {Float64Array} waited of own, at least: without a processor, unable to run,
 * @property {Float64Array} ready and able to
 */

/** Figures by rank.
 * @typedef {object} Methods
 * @property {number} count
 * @property {string[]} names
 * @property {ArrayLike<number>} [id]
 * @property {ArrayLike<number>} [calls]
 * @property {ArrayLike<number>} [total]
 * @property {ArrayLike<number>} [own]
 * @property {ArrayLike<number>} [longest]
 * @property {ArrayLike<number>} [muted]
 * @property {ArrayLike<number>} [held] id of a muted method whose calls are in its own time
 * @property {ArrayLike<number>} [inferred] percent of total that rest on inferred ends
 * @property {ArrayLike<number>} [sampled] total is an estimate, right to this many percent
 * @property {ArrayLike<number>} [waits] 1: most of its own time was spent waiting
 */

/** @param {string} id of an element with packed bytes */
async function unpack(id) {
  const element = document.getElementById(id);
  if (!element) {
    return new Uint8Array(0);
  }
  const text = atob(element.textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    packed[i] = text.charCodeAt(i);
  }
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads columns one after the other: u32 size, then as many bytes of varints. */
class Columns {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  u32() {
    const value = this.view.getUint32(this.at, true);
    this.at += 4;
    return value;
  }

  /** Fills into with a column of numbers below 2^53; later columns need not be there. */
  read(into) {
    if (this.at >= this.bytes.length) {
      return into;
    }
    const bytes = this.bytes;
    const end = this.u32() + this.at;
    let at = this.at;
    for (let i = 0; i < into.length && at < end; i++) {
      let byte = bytes[at++];
      let value = byte & 127;
      for (let scale = 128; byte > 127; scale *= 128) {
        byte = bytes[at++];
        value += (byte & 127) * scale;
      }
      into[i] = value;
    }
    this.at = end;
    return into;
  }
}

const unzigzag = (value) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Calls in call order: callers first, siblings by time.
 * @param {Uint8Array} bytes @returns {Calls} */
function readCalls(bytes) {
  const columns = new Columns(bytes);
  const count = bytes.length > 0 ? columns.u32() : 0;
  const calls = {
    count,
    start: new Float64Array(count),
    duration: new Float64Array(count),
    method: new Uint32Array(count),
    depth: new Uint32Array(count),
    open: new Uint8Array(count),
    sampled: new Uint8Array(count),
  };
  if (count === 0) {
    return calls;
  }
  columns.read(calls.start);
  columns.read(calls.duration);
  columns.read(calls.method);
  columns.read(calls.depth);
  let start = 0;
  let depth = 0;
  for (let i = 0; i < count; i++) {
    start += unzigzag(calls.start[i]);
    calls.start[i] = start;
    calls.open[i] = calls.depth[i] & 1;
    calls.sampled[i] = (calls.depth[i] >> 1) & 1;
    depth += unzigzag(Math.floor(calls.depth[i] / 4));
    calls.depth[i] = depth;
  }
  return calls;
}

/** A calling-context tree, callers first.
 * @param {Uint8Array} bytes @returns {Tree} */
function readTree(bytes) {
  const columns = new Columns(bytes);
  const count = bytes.length > 0 ? columns.u32() : 0;
  const tree = {
    count,
    parent: new Int32Array(count),
    method: new Uint32Array(count),
    calls: new Float64Array(count),
    total: new Float64Array(count),
    own: new Float64Array(count),
    idle: new Uint8Array(count),
    sampled: new Uint8Array(count),
    waited: new Float64Array(count),
    ready: new Float64Array(count),
  };
  if (count === 0) {
    return tree;
  }
  for (const column of [tree.parent, tree.method, tree.calls, tree.total, tree.own, tree.idle, tree.waited, tree.ready]) {
    columns.read(column);
  }
  for (let i = 0; i < count; i++) {
    tree.parent[i] = tree.parent[i] === 0 ? -1 : i - tree.parent[i];
    tree.sampled[i] = tree.idle[i] >> 1;
    tree.idle[i] &= 1;
  }
  return tree;
}

/** Methods by rank; the most often called come first.
 * @param {Uint8Array} bytes @param {string[]} names @returns {Methods} */
function readMethods(bytes, names) {
  const columns = new Columns(bytes);
  const count = bytes.length > 0 ? columns.u32() : 0;
  const methods = /** @type {Methods} */ ({ count, names });
  for (const column of ["id", "calls", "total", "own", "longest", "muted", "inferred", "held",
    "sampled", "waits"]) {
    methods[column] = count > 0 ? columns.read(new Float64Array(count)) : new Float64Array(0);
  }
  return methods;
}
