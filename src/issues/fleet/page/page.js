'use strict';
/* The answers of a fleet as a page. Names come from devices: they become text, never markup. */
const data = JSON.parse(document.getElementById('data').textContent);
const main = document.getElementById('main');
const answers = Object.fromEntries(Object.entries(data.answers).map(([name, answer]) => [name, answer.rows]));

function put(parent, tag, content, name) {
    const node = document.createElement(tag);
    if (content !== undefined) { node.textContent = content; }
    if (name) { node.className = name; }
    parent.append(node);
    return node;
}

function section(title, lead) {
    const node = put(main, 'section');
    put(node, 'h2', title);
    if (lead) { put(node, 'p', lead); }
    return node;
}

const isNumber = value => typeof value === 'number';
const count = new Intl.NumberFormat('en', {maximumFractionDigits: 2});

function shown(value) {
    return value === null || value === undefined ? '' : isNumber(value) ? count.format(value) : String(value);
}

/* columns: [key, heading, put(cell, row)] */
function table(parent, rows, columns) {
    if (rows.length === 0) {
        put(parent, 'p', 'Nothing.');
        return;
    }
    const grid = put(put(parent, 'div', undefined, 'wide'), 'table');
    const head = put(put(grid, 'thead'), 'tr');
    const kinds = columns.map(([key]) => rows.some(row => isNumber(row[key])) ? 'number' : '');
    columns.forEach(([, heading], i) => { put(head, 'th', heading, kinds[i]).scope = 'col'; });
    const body = put(grid, 'tbody');
    for (const row of rows) {
        const line = put(body, 'tr');
        columns.forEach(([key, , fill], i) => {
            const cell = put(line, 'td', fill ? undefined : shown(row[key]), kinds[i]);
            if (fill) { fill(cell, row); }
        });
    }
}

/* ---- Causes ---- */

const stacks = new Map(answers.stacks.map(row => [`${row.detail} ${row.cause}`, row]));

function putCause(cell, row) {
    const stack = stacks.get(`${row.detail} ${row.cause}`);
    if (!stack) {
        put(cell, 'code', row.name || '(no name)');
        return;
    }
    const more = put(cell, 'details');
    put(put(more, 'summary'), 'code', row.name || '(no name)');
    put(more, 'pre', (Array.isArray(stack.frames) ? stack.frames : [stack.frames]).join('\n'));
    put(more, 'p', `${shown(stack.cost_ms)} ms on ${stack.model || 'a device'} with ${stack.app_release || 'no version'}`);
}

function causes(title, lead, rows, columns) {
    table(section(title, lead), rows, [['detail', 'kind'], ['name', 'cause', putCause], ...columns]);
}

/* ---- Trends ---- */

const kindOf = release => release === data.old ? 'old' : release === data.new ? 'new' : 'other';

function svg(parent, tag, attributes) {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) { node.setAttribute(name, value); }
    parent.append(node);
    return node;
}

function trend(parent, rows, key, label) {
    const days = [...new Set(rows.map(row => row.day))].sort();
    const most = Math.max(...rows.map(row => row[key] || 0), 1e-9);
    const x = day => 40 + 900 * days.indexOf(day) / Math.max(days.length - 1, 1);
    const y = value => 150 - 135 * value / most;
    const chart = svg(parent, 'svg', {viewBox: '0 0 960 172', role: 'img', 'aria-label': label});
    for (const release of new Set(rows.map(row => row.app_release))) {
        const points = rows.filter(row => row.app_release === release).sort((a, b) => a.day < b.day ? -1 : 1);
        const line = points.map(row => `${x(row.day).toFixed(1)} ${y(row[key] || 0).toFixed(1)}`);
        svg(chart, 'path', {d: `M${line.join('L')}`, class: kindOf(release)});
    }
    svg(chart, 'text', {x: 0, y: 18}).textContent = shown(most);
    svg(chart, 'text', {x: 0, y: 154}).textContent = '0';
    svg(chart, 'text', {x: 40, y: 170}).textContent = days[0] || '';
    svg(chart, 'text', {x: 940, y: 170, 'text-anchor': 'end'}).textContent = days[days.length - 1] || '';
}

function legend(parent) {
    const line = put(parent, 'p', undefined, 'legend');
    put(line, 'span', data.old, 'old');
    put(line, 'span', data.new, 'new');
}

/* ---- Flame graph with its difference ---- */

function hue(node) {
    const more = node.old + node.new > 0 ? (node.new - node.old) / Math.max(node.old, node.new) : 0;
    const strength = Math.min(Math.abs(more), 1);
    return `hsl(${more > 0 ? 10 : 210} ${Math.round(strength * 85)}% ${Math.round(88 - strength * 26)}%)`;
}

function grow(rows) {
    const root = {name: 'all', old: 0, new: 0, children: []};
    const nodes = new Map(rows.map(row => [row.path, {name: row.name, old: row.old_ms, new: row.new_ms, children: []}]));
    for (const row of rows) {
        const parent = nodes.get(row.parent) || (row.depth === 0 ? root : null);
        if (parent) { parent.children.push(nodes.get(row.path)); }
    }
    root.old = root.children.reduce((sum, node) => sum + node.old, 0);
    root.new = root.children.reduce((sum, node) => sum + node.new, 0);
    return root;
}

function tell(node) {
    return `${node.name}: ${shown(node.old)} ms in ${data.old}, ${shown(node.new)} ms in ${data.new}`;
}

function drawFlame(box, told, root, top) {
    let deepest = 0;
    box.replaceChildren();
    const draw = (node, left, width, depth) => {
        const block = put(box, 'button', node.name);
        Object.assign(block.style, {left: `${left}%`, width: `${width}%`, top: `${depth * 18}px`, background: hue(node)});
        block.title = tell(node);
        block.onfocus = block.onmouseenter = () => { told.textContent = tell(node); };
        block.onclick = () => drawFlame(box, told, root, node === top ? root : node);
        deepest = Math.max(deepest, depth);
        const all = Math.max(node.new, node.children.reduce((sum, child) => sum + child.new, 0), 1e-12);
        for (const child of node.children.sort((a, b) => b.new - a.new)) {
            const part = width * child.new / all;
            if (part > 0.15) {
                draw(child, left, part, depth + 1);
                left += part;
            }
        }
    };
    draw(top, 0, 100, 0);
    box.style.height = `${(deepest + 1) * 18}px`;
}

function flame(rows) {
    const where = section('Where the time of a run goes',
        `Time of calls in ${data.new}, a run on average; red takes more than in ${data.old}, blue less. A click zooms.`);
    if (rows.length === 0) {
        put(where, 'p', 'There are no profiles of both releases.');
        return;
    }
    const told = put(where, 'p', '', 'told');
    const root = grow(rows);
    drawFlame(put(where, 'div', undefined, 'flame'), told, root, root);
}

/* ---- All ---- */

const sessions = answers.days.reduce((sum, row) => sum + (row.sessions || 0), 0);
document.title = `Fleet, ${data.day}`;
document.getElementById('title').textContent = document.title;
put(main, 'p', `${shown(sessions)} sessions in two weeks; ${data.new} beside ${data.old}${data.where ? `; where ${data.where}` : ''}.`);

const trends = section('Issues of 1,000 sessions, by day');
legend(trends);
trend(trends, answers.days, 'per_1000', 'issues of 1,000 sessions by day and release');
const spread = section('Sessions, by day');
legend(spread);
trend(spread, answers.days, 'sessions', 'sessions by day and release');

const sure = [['at_least', 'at least'], ['at_most', 'at most'], ['chance', 'by chance']];
const rates = [['among', 'among'], ['devices', 'devices'], ['per_1000_old', `of 1,000 in ${data.old}`],
    ['per_1000_new', `in ${data.new}`], ['times', 'times'], ...sure];
causes(`Rising in ${data.new}`, 'More often by session than on the same days and devices of the same class.', answers.rising, rates);
causes(`New in ${data.new}`, '', answers.new, [['among', 'among'], ['devices', 'devices'], ['issues', 'issues'],
    ['per_1000', 'of 1,000'], ['at_least_times', 'times at least'], ['chance', 'by chance']]);
causes(`Falling in ${data.new}`, '', answers.falling, rates);
causes('What costs most', 'This week beside the one before.', answers.top,
    [['this_week', 'this week'], ['week_before', 'before'], ['trend', 'trend'], ['devices', 'devices'], ['cost_s', 's']]);
const among = [['among', 'among'], ['old_devices', `devices with ${data.old}`], ['new_devices', `with ${data.new}`]];
const both = (key, heading) => [[`${key}_old`, `${heading} in ${data.old}`], [`${key}_new`, `in ${data.new}`]];
const times = [...both('p50_ms', '50 %, ms'), ...both('p95_ms', '95 %'), ...both('p99_ms', '99 %')];
const ms = [['old_ms', `ms in ${data.old}`], ['new_ms', `in ${data.new}`], ['times', 'times'], ...sure];
table(section(`Slower starts in ${data.new}`), answers.slower, [['start_kind', 'kind'], ...among, ...ms]);
table(section('Starts', 'Within 1 %; both releases with the same mixture of days and devices.'), answers.starts,
    [['model', 'model'], ['start_kind', 'kind'], ...times]);
table(section(`More late frames in ${data.new}`, 'Late: longer than 16.7 ms.'), answers.later, [['scene', 'scene'], ...among,
    ['old_percent', `% in ${data.old}`], ['new_percent', `in ${data.new}`], ['more', 'more'], ...sure]);
table(section('Frames'), answers.frames, [['scene', 'scene'], ...times, ...both('late_percent', 'late, %')]);
table(section(`More slow requests in ${data.new}`, 'Slow: longer than 99 of 100 in the old release.'), answers.slow,
    [['request', 'kind', (cell, row) => put(cell, 'code', row.request)], ...among, ...both('p99_ms', '99 %, ms'), ['old_percent',
        `slow % in ${data.old}`], ['new_percent', `in ${data.new}`], ...sure]);
table(section(`Slower methods in ${data.new}`, 'By own time of a run, and by its share of the run.'), answers.regressed,
    [['name', 'method', (cell, row) => put(cell, 'code', row.name)], ...among, ...ms]);
flame(answers.tree);
table(section('Who runs what'), answers.who, [['app_release', 'release'], ['os', 'system'], ['os_level', 'level'],
    ['device_class', 'class'], ['devices', 'devices'], ['sessions', 'sessions'], ['percent', '%']]);
