/* Calls merged by their chains of callers, and the same turned upside down. */

class TreeMaker {
  constructor(methodCount) {
    this.methodCount = methodCount;
    this.children = new Map();
    this.nodes = { parent: [], method: [], calls: [], total: [], own: [], sampled: [] };
  }

  /** The node of a method below another (-1: none), made if need be. */
  child(parent, method) {
    const key = (parent + 1) * this.methodCount + method;
    let node = this.children.get(key);
    if (node === undefined) {
      node = this.nodes.parent.length;
      this.nodes.parent.push(parent);
      this.nodes.method.push(method);
      this.nodes.calls.push(0);
      this.nodes.total.push(0);
      this.nodes.own.push(0);
      this.nodes.sampled.push(1);
      this.children.set(key, node);
    }
    return node;
  }

  /** All that is added is sampled, or the node counts as recorded. */
  add(node, calls, total, own, isSampled = 0) {
    this.nodes.calls[node] += calls;
    this.nodes.total[node] += total;
    this.nodes.own[node] += own;
    this.nodes.sampled[node] &= isSampled;
  }

  /** All of another tree, or all but its idle loops: what they call is outermost then. own: the times to
   * take for its own ones; totals are then what they add up to. */
  addTree(tree, hasIdle = true, own = tree.own) {
    const places = new Int32Array(tree.count);
    const total = own === tree.own ? tree.total : sumOwn({ ...tree, own });
    for (let i = 0; i < tree.count; i++) {
      if (!hasIdle && tree.idle[i]) {
        places[i] = -1;
        continue;
      }
      const parent = tree.parent[i] < 0 ? -1 : places[tree.parent[i]];
      places[i] = this.child(parent, tree.method[i]);
      this.add(places[i], tree.calls[i], total[i], own[i], tree.sampled[i]);
    }
  }

  /** What calls took between two times. */
  addCalls(calls, from, until) {
    const path = [];
    for (let i = 0; i < calls.count; i++) {
      const end = Math.min(calls.start[i] + calls.duration[i], until);
      const time = end - Math.max(calls.start[i], from);
      const depth = calls.depth[i];
      if (time < 0 || calls.start[i] > until || depth > path.length) {
        path.length = Math.min(path.length, depth);
        continue;
      }
      const parent = depth > 0 ? path[depth - 1] : -1;
      path.length = depth;
      path.push(this.child(parent, calls.method[i]));
      this.add(path[depth], calls.sampled[i] ? 0 : 1, time, time, calls.sampled[i]);
      if (parent >= 0) {
        this.nodes.own[parent] -= time;
      }
    }
  }

  finish() {
    const { nodes } = this;
    return { ...nodes, count: nodes.parent.length };
  }
}

/** Own times of a tree: "wall" is all of them, "awake" without what was spent waiting, "cpu" also
 * without what threads that could run had no processor for.
 * @param {Tree} tree @param {string} kind */
function ownTimes(tree, kind) {
  if (kind === "wall") {
    return tree.own;
  }
  return Float64Array.from(tree.own, (own, i) =>
    Math.max(own - tree.waited[i] - (kind === "cpu" ? tree.ready[i] : 0), 0));
}

/** Whether it is known that something of a tree is no CPU time.
 * @param {Tree | null} tree */
function knowsWaiting(tree) {
  return tree !== null && (tree.waited.some((time) => time > 0) || tree.ready.some((time) => time > 0));
}

/** The methods of a thread's idle loops.
 * @param {Tree | null} tree */
function idleMethods(tree) {
  const found = new Set();
  for (let i = 0; tree && i < tree.count; i++) {
    if (tree.idle[i]) {
      found.add(tree.method[i]);
    }
  }
  return found;
}

/** Calls without those of idle methods that nothing else called: what they call is outermost. */
function callsBelow(calls, idle) {
  const kept = [];
  const depth = [];
  let around = 0;
  for (let i = 0; i < calls.count; i++) {
    around = Math.min(around, calls.depth[i]);
    if (calls.depth[i] === around && idle.has(calls.method[i])) {
      around++;
    } else {
      kept.push(i);
      depth.push(calls.depth[i] - around);
    }
  }
  const pick = (column) => Float64Array.from(kept, (i) => column[i]);
  return { count: kept.length, start: pick(calls.start), duration: pick(calls.duration), depth,
    method: pick(calls.method), open: pick(calls.open), sampled: pick(calls.sampled) };
}

/** Methods of a tree: calls within calls of the same method are not counted again in total. */
function sumMethods(tree, methodCount) {
  const calls = new Float64Array(methodCount);
  const total = new Float64Array(methodCount);
  const own = new Float64Array(methodCount);
  for (let i = 0; i < tree.count; i++) {
    const method = tree.method[i];
    let at = tree.parent[i];
    while (at >= 0 && tree.method[at] !== method) {
      at = tree.parent[at];
    }
    calls[method] += tree.calls[i];
    own[method] += tree.own[i];
    total[method] += at < 0 ? tree.total[i] : 0;
  }
  return { calls, total, own };
}

/** Own times by method, and below each method its callers: what is below a hair of all is left out. */
function turnTree(tree, methodCount) {
  const maker = new TreeMaker(methodCount);
  let all = 0;
  let level = [];
  for (let i = 0; i < tree.count; i++) {
    if (tree.own[i] > 0) {
      const node = maker.child(-1, tree.method[i]);
      maker.add(node, tree.calls[i], tree.own[i], 0, tree.sampled[i]);
      all += tree.own[i];
      level.push([node, tree.parent[i], tree.own[i], tree.calls[i]]);
    }
  }
  while (level.length > 0) {
    const next = [];
    for (const [node, caller, time, calls] of level) {
      if (caller >= 0 && maker.nodes.total[node] > all / 3000) {
        const above = maker.child(node, tree.method[caller]);
        maker.add(above, calls, time, 0, tree.sampled[caller]);
        next.push([above, tree.parent[caller], time, calls]);
      } else {
        maker.nodes.own[node] += time;
      }
    }
    level = next;
  }
  return maker.finish();
}

/** The own times of each node and all below it: of a folded recursion, whose calls are in the totals of
 * several nodes, that is what fits into its callers. */
function sumOwn(tree) {
  const sums = Float64Array.from(tree.own, (own) => Math.max(own, 0));
  for (let i = tree.count - 1; i >= 0; i--) {
    if (tree.parent[i] >= 0) {
      sums[tree.parent[i]] += sums[i];
    }
  }
  return sums;
}

/** What methods took together: total is the time in any of them, counted once, all that of the tree.
 * @param {ArrayLike<number>} matches by method, 1: it is one of them */
function sumMatches(tree, matches) {
  const width = sumOwn(tree);
  const inside = new Uint8Array(tree.count);
  const sums = { calls: 0, total: 0, own: 0, all: 0 };
  for (let i = 0; i < tree.count; i++) {
    const parent = tree.parent[i];
    const isMatch = matches[tree.method[i]];
    const isCovered = parent >= 0 && inside[parent];
    inside[i] = isCovered || isMatch ? 1 : 0;
    sums.all += parent < 0 ? width[i] : 0;
    if (isMatch) {
      sums.calls += tree.calls[i];
      sums.own += Math.max(tree.own[i], 0);
      sums.total += isCovered ? 0 : width[i];
    }
  }
  return sums;
}

/** A tree as calls side by side, the one with the most time first. calls.node: what each stands for. */
function layTree(tree) {
  const width = sumOwn(tree);
  const inner = Array.from({ length: tree.count + 1 }, () => []);
  for (let i = 0; i < tree.count; i++) {
    if (width[i] > 0) {
      inner[tree.parent[i] + 1].push(i);
    }
  }
  const out = { start: [], duration: [], method: [], depth: [], node: [], sampled: [] };
  const waiting = [];
  const put = (nodes, start, depth) => {
    nodes.sort((a, b) => width[b] - width[a] || tree.method[a] - tree.method[b]);
    let at = start + nodes.reduce((sum, node) => sum + width[node], 0);
    for (let i = nodes.length - 1; i >= 0; i--) {
      at -= width[nodes[i]];
      waiting.push([nodes[i], at, depth]);
    }
  };
  put(inner[0], 0, 0);
  while (waiting.length > 0) {
    const [node, start, depth] = waiting.pop();
    out.start.push(start);
    out.duration.push(width[node]);
    out.method.push(tree.method[node]);
    out.depth.push(depth);
    out.node.push(node);
    out.sampled.push(tree.sampled[node]);
    put(inner[node + 1], start, depth + 1);
  }
  return { ...out, count: out.start.length, open: new Uint8Array(out.start.length) };
}
