/* All that is known of the call that is chosen. */

function detailFacts(page, track, call) {
  const { calls } = track.rows;
  const method = calls.method[call];
  const facts = [];
  const caller = callerOf(calls, call);
  if (track.thread) {
    facts.push(["thread", track.thread.name], ["start", exactTime(calls.start[call])]);
  }
  const own = ownTime(calls, call);
  facts.push(["time", `${exactTime(calls.duration[call])}${calls.open[call] ? ", still running" : ""}` +
    (calls.sampled[call] ? ", an estimate from samples" : "")],
    ["own", `${timeText(own)} (${percentText(own, calls.duration[call])})`]);
  if (caller >= 0) {
    const outermost = outermostOf(calls, call);
    facts.push(["of its caller", percentText(calls.duration[call], calls.duration[caller])]);
    if (outermost !== caller) {
      const what = calls.method[outermost] === page.head.message ? "of its message" : "of its outermost caller";
      facts.push([what, percentText(calls.duration[call], calls.duration[outermost])]);
    }
  }
  if (track.thread) {
    const { number, count } = countLike(calls, call);
    facts.push(["call", `${number} of ${count} of the method in this thread`]);
  }
  const change = page.growth.changes.get(page.methods.names[method]);
  if (change) {
    facts.push(["own time changed by", timeText(change)]);
  }
  const block = blockOf(track, call);
  if (block) {
    facts.push(["blocked", blockText(block)]);
  }
  if (page.methods.calls[method] > 0 || page.methods.sampled[method] > 0) {
    const count = page.methods.calls[method];
    facts.push(["method in all", `${count > 0 ? countText(count) : "unknown"} calls, ` +
      `${timeText(page.methods.total[method])}, ${timeText(page.methods.own[method])} own` +
      methodMarks(page.methods, method)]);
  }
  return facts;
}

/** The longest wait for a lock while a call lasted; null: there is none.
 * @param {Track} track @param {number} call */
function blockOf(track, call) {
  const { start, duration } = track.rows.calls;
  return track.thread ? findBlock(track.thread.blocks, start[call], start[call] + duration[call], 0) : null;
}

/** Names from the outermost call to this one. */
function stackText(page, track, call) {
  const names = [];
  for (let at = call; at >= 0; at = callerOf(track.rows.calls, at)) {
    names.push(page.methods.names[track.rows.calls.method[at]]);
  }
  return names.join("\n");
}

function detailButtons(page, track, call) {
  const copy = (text) => navigator.clipboard && navigator.clipboard.writeText(text);
  const before = (calls, best, at) => at < call;
  const next = (calls, best, at) => at > call && best < 0;
  const like = (isBetter) => () => page.jumps.toLike({ track, call }, isBetter);
  const block = blockOf(track, call);
  return [
    ...(block ? page.waits.buttonsFor(block) : []),
    makeButton("Zoom to it", () => page.hands.fill()),
    makeButton("Call before", like(before)), makeButton("Next call", like(next)),
    makeButton("Longest", () => page.jumps.toLongest({ track, call })),
    makeButton("Next longest", () => page.jumps.toNextLongest({ track, call })),
    makeButton("Find all", () => page.lookFor(track.rows.calls.method[call])),
    makeButton("Copy name", () => copy(page.methods.names[track.rows.calls.method[call]])),
    makeButton("Copy stack", () => copy(stackText(page, track, call))),
  ];
}

function fillDetail(element, name, facts, buttons) {
  const list = makeElement("dl");
  for (const [title, text] of facts) {
    const row = makeElement("div");
    row.append(makeElement("dt", "", title), makeElement("dd", "", text));
    list.append(row);
  }
  const row = makeElement("p", "buttons");
  row.append(...buttons);
  element.hidden = false;
  element.replaceChildren(name, list, row);
}

/** A wait for a lock. */
function showBlockDetail(element, page, thread, block) {
  fillDetail(element, makeElement("p", "chosen", `${thread.name} waits`), [["wait", blockText(block)],
    ["start", exactTime(block.start)], ["time", `${exactTime(block.ns)}${block.exact ? "" : ", to an interval of samples"}`]],
  [...page.waits.buttonsFor(block), makeButton("Zoom to it", () => page.waits.zoomTo(block))]);
}

function showDetail(element, page, chosen) {
  element.hidden = !chosen;
  if (!chosen) {
    element.replaceChildren();
    return;
  }
  const { track, call } = chosen;
  const name = makeElement("p", "chosen");
  name.append(makeName(page.methods.names[track.rows.calls.method[call]]));
  fillDetail(element, name, detailFacts(page, track, call), detailButtons(page, track, call));
}
