/* Shows a document (document.h) that the page carries as JSON: findings, facts, pictures by Chart.js
 * if the page carries that too, and tables that can be sorted and filtered. #TABLE/COLUMN/WORD in
 * the address sorts and filters a table. */
'use strict';
const doc = JSON.parse(document.getElementById('document').textContent);
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#f0e442', '#808080', '#ff1493'];
const PALETTES = {
    latency: [[0, '#1f3fbf'], [0.25, '#4fa3d9'], [0.5, '#fff3a0'], [0.75, '#f08a3c'], [1, '#b81d1d']],
    overlap: [[0, '#000000'], [0.25, '#7a1fa2'], [0.5, '#e81818'], [1, '#fff04a']],
    amount: [[0, '#b8cdf0'], [0.5, '#4f7fd0'], [1, '#0c1f5c']],
};
const MOST_ROWS = 200; /* of a table, until more are asked for */
const HIDDEN_IN_TEXT = 4; /* COLUMN_DATA_ONLY */

/* --- figures --- */

const digits = v => v < 9.995 ? v.toFixed(2) : v < 99.95 ? v.toFixed(1) : v.toFixed(0);
const time = us => {
    const v = Math.abs(us), sign = us < 0 ? '-' : '';
    if (v === 0) return '0';
    return sign + (v < 0.9995 ? (v * 1e3).toFixed(0) + ' ns' : v < 999.5 ? digits(v) + ' us'
        : v < 999.5e3 ? digits(v / 1e3) + ' ms' : digits(v / 1e6) + ' s');
};
const bytes = v => {
    let u = 0;
    for (; v >= 1023.5 && u < 6; u++) v /= 1024;
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
    return (u === 0 || v === Math.round(v) ? v.toFixed(0) : digits(v)) + ' ' + units[u];
};
const kindOf = column => column.kind || 'text';
function shown(column, value) {
    if (value === null || value === undefined) return '-';
    if (typeof value === 'string') return value;
    switch (kindOf(column)) {
    case 'time': return time(value);
    case 'bytes': return bytes(value);
    case 'count': return value.toLocaleString('en');
    case 'share': return value.toFixed(1) + ' %';
    case 'real': return value.toFixed(column.decimals);
    default: return String(value);
    }
}
/* Numbers that carry no unit have it in their head. */
const headOf = c => (c.head || c.name) + (c.unit && ['real', 'integer'].includes(kindOf(c)) ? ` (${c.unit})` : '');
const columnOf = (table, name) => table.columns.find(c => c.name === name);

/* --- elements --- */

function element(name, properties = {}, ...children) {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(properties))
        if (key in e) e[key] = value;
        else e.setAttribute(key, value);
    e.append(...children);
    return e;
}
const add = (...children) => document.querySelector('main').append(...children);

function showFindings() {
    const order = ['error', 'finding', 'doubt', 'note'];
    const list = [...doc.findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity) ||
        (b.cost_s || 0) - (a.cost_s || 0));
    if (!list.length) return;
    const items = list.map(f => {
        const item = element('li', { className: f.severity, id: 'finding-' + f.key }, f.text);
        if (f.cost_s) item.append(element('span', { className: 'cost' }, time(1e6 * f.cost_s) +
            (f.share ? ` (${(100 * f.share).toFixed(1)} % of the run)` : '')));
        if (f.advice) item.append(element('div', { className: 'advice' }, f.advice));
        return item;
    });
    add(element('section', { id: 'findings' }, element('h2', {}, 'Findings'), element('ul', {}, ...items)));
}

function showFacts() {
    const facts = element('dl');
    for (const [key, value] of Object.entries(doc.header))
        facts.append(element('dt', {}, key), element('dd', {}, value));
    if (facts.children.length) add(element('section', { id: 'facts' }, element('h2', {}, 'Run'), facts));
}

/* --- tables --- */

function cellOf(column, value) {
    const text = shown(column, value), cell = element('td', {}, text);
    if (kindOf(column) === 'text') cell.className = text.length > 40 ? 'text long' : 'text';
    return cell;
}

class Table {
    constructor(name, table) {
        this.table = table;
        this.columns = table.columns.filter(c => !(c.flags & HIDDEN_IN_TEXT));
        if (table.rows.some(row => Array.isArray(row.remarks)))
            this.columns.push({ name: 'remarks', kind: 'text', meaning: 'what speaks against the figures' });
        this.rows = table.rows;
        this.body = element('tbody');
        this.heads = this.columns.map(c => this.head(c));
        this.field = element('input', { type: 'search', placeholder: 'filter', 'aria-label': 'filter rows',
            oninput: () => this.filter(this.field.value) });
        this.more = element('button', { type: 'button', className: 'more', onclick: () => this.fill(Infinity) });
        const title = table.title || name, head = element('thead', {}, element('tr', {}, ...this.heads));
        const wide = element('div', { className: 'wide', tabIndex: 0, role: 'region', 'aria-label': title },
            element('table', {}, head, this.body));
        add(element('section', { id: name, className: 'table' }, element('h2', {}, title),
            this.field, wide, this.more));
        this.fill(MOST_ROWS);
    }
    head(column) {
        const sort = () => this.sort(column), className = kindOf(column) === 'text' ? 'text' : '';
        return element('th', { 'data-key': column.name, className, scope: 'col' },
            element('button', { type: 'button', title: column.meaning || '', onclick: sort }, headOf(column)));
    }
    value(row, column) {
        const value = row[column.name];
        return Array.isArray(value) ? value.map(remark => remark.text).join('; ') : value;
    }
    fill(most = this.most) {
        this.most = most;
        const cells = row => this.columns.map(c => cellOf(c, this.value(row, c)));
        this.body.replaceChildren(...this.rows.slice(0, most).map(row => element('tr', {}, ...cells(row))));
        this.more.hidden = this.rows.length <= most;
        this.more.textContent = `show all ${this.rows.length} rows`;
    }
    /* The largest first, then the other way round; cells without a value last. */
    sort(column) {
        const head = this.heads[this.columns.indexOf(column)];
        const sign = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
        this.heads.forEach(h => h.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', sign < 0 ? 'descending' : 'ascending');
        const key = row => this.value(row, column), none = v => v === null || v === undefined;
        this.rows = [...this.rows].sort((a, b) => {
            const x = key(a), y = key(b);
            if (none(x) || none(y)) return none(x) - none(y);
            return x < y ? -sign : x > y ? sign : 0;
        });
        this.fill();
    }
    filter(word) {
        const wanted = word.toLowerCase();
        const matches = row => this.columns.some(c => shown(c, this.value(row, c)).toLowerCase().includes(wanted));
        this.rows = this.table.rows.filter(matches);
        this.fill();
    }
}

/* --- pictures --- */

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const labelOf = (picture, table, axis) => {
    const column = columnOf(table, picture[axis]);
    return picture[axis + '_label'] ?? (column ? headOf(column) : '');
};
/* WHERE is written as in CSV. */
const isWanted = (picture, row, table) => Object.entries(picture.where || {}).every(([name, is]) => {
    const column = columnOf(table, name), value = row[name];
    const fixed = typeof value === 'number' && column && kindOf(column) === 'real';
    return !column || (fixed ? value.toFixed(column.decimals) : String(value ?? '')) === is;
});
const different = list => [...new Set(list)];
function rowsOf(picture, name) {
    const table = doc.tables[name];
    return table ? table.rows.filter(row => isWanted(picture, row, table)) : [];
}
function seriesOf(picture, rows) {
    if (!picture.series) return [''];
    return different([...(picture.order || []), ...rows.map(row => String(row[picture.series]))]);
}
const brief = name => name.length > 44 ? name.slice(0, 21) + '..' + name.slice(-21) : name;
const colour = i => COLOURS[i % COLOURS.length];
function mixed(palette, share) {
    let i = 1;
    while (i < palette.length - 1 && share > palette[i][0]) i++;
    const [[from, a], [to, b]] = [palette[i - 1], palette[i]];
    const part = Math.min(1, Math.max(0, (share - from) / (to - from)));
    const of = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16));
    return `rgb(${of(a).map((v, k) => Math.round(v + part * (of(b)[k] - v))).join(',')})`;
}
/* An axis of numbers or of names; LOG: logarithmic, with ticks at the values that there are. */
function axisOf(picture, table, key, values, log) {
    const column = columnOf(table, picture[key]);
    const title = { display: true, text: labelOf(picture, table, key), color: css('--ink') };
    const axis = { title, grid: { color: css('--line') }, ticks: { color: css('--ink'), maxRotation: 45 } };
    if (typeof values[0] === 'string') return { ...axis, type: 'category', labels: different(values) };
    axis.type = log ? 'logarithmic' : 'linear';
    axis.ticks.callback = v => kindOf(column) === 'time' ? time(v) : column.unit === 'B' ? bytes(v)
        : String(+(+v).toPrecision(4));
    const sorted = different(values).sort((a, b) => a - b);
    if (key === 'x' && (log || sorted.length <= 12))
        axis.afterBuildTicks = scale => { scale.ticks = sorted.map(value => ({ value })); };
    else if (log) /* 1, 2 and 5; of many decades 1 alone */
        axis.afterBuildTicks = scale => {
            const wide = scale.max / scale.min > 1e3;
            scale.ticks = scale.ticks.filter(({ value }) => (wide ? '1' : '125').includes(value.toExponential()[0]));
        };
    if (key === 'x' && log) [axis.min, axis.max] = [sorted[0] * 0.9, sorted[sorted.length - 1] * 1.1];
    return axis;
}
function chart(canvas, config, scales, about) {
    const sets = config.data.datasets, filter = item => sets[item.datasetIndex].data.length > 0;
    const legend = { display: sets.some(set => set.label), labels: { color: css('--ink'), boxWidth: 14, filter } };
    const plugins = { legend, tooltip: about ? { callbacks: { label: about } } : {} };
    const interaction = { mode: 'nearest', intersect: false, axis: 'xy' };
    const options = { animation: false, maintainAspectRatio: false, parsing: false, interaction, plugins, scales };
    return new Chart(canvas, { ...config, options });
}
const intervals = { id: 'intervals', afterDatasetsDraw(c) {
    c.data.datasets.forEach((set, s) => c.isDatasetVisible(s) && c.getDatasetMeta(s).data.forEach((point, i) => {
        const { low, high } = set.data[i];
        if (!(low < high)) return;
        c.ctx.strokeStyle = set.borderColor;
        c.ctx.beginPath();
        c.ctx.moveTo(point.x, c.scales.y.getPixelForValue(low));
        c.ctx.lineTo(point.x, c.scales.y.getPixelForValue(high));
        c.ctx.stroke();
    }));
} };

function drawLines(canvas, picture, table, rows) {
    const xs = rows.map(row => row[picture.x]).filter(x => x !== null);
    const zero = Math.min(...xs.filter(x => x > 0)) / 2, x = v => picture.x_log && v === 0 ? zero : v;
    const datasets = seriesOf(picture, rows).map((name, i) => ({
        label: brief(name), borderColor: colour(i), backgroundColor: colour(i), borderWidth: 2, pointRadius: 3,
        borderDash: [[], [6, 4], [2, 3]][Math.floor(i / 8) % 3],
        data: rows.filter(row => !picture.series || String(row[picture.series]) === name).map(row =>
            ({ x: x(row[picture.x]), y: row[picture.y], low: row[picture.low], high: row[picture.high] })) }));
    const y = axisOf(picture, table, 'y', [0], picture.y_log);
    const across = axisOf(picture, table, 'x', xs.map(x), picture.x_log);
    if (!picture.y_log) y.beginAtZero = true;
    if (picture.x_log && xs.includes(0)) {
        const write = across.ticks.callback;
        across.ticks.callback = v => v === zero ? '0' : write(v);
    }
    return chart(canvas, { type: 'line', data: { datasets }, plugins: [intervals] }, { x: across, y });
}
function drawBars(canvas, picture, table, rows) {
    const labels = different(rows.map(row => row[picture.x]));
    const sums = new Map(), key = (x, name) => JSON.stringify([x, name]);
    for (const row of rows) {
        const k = key(row[picture.x], picture.series ? String(row[picture.series]) : '');
        sums.set(k, (sums.get(k) || 0) + (row[picture.y] || 0));
    }
    const datasets = seriesOf(picture, rows).map((name, i) => ({
        label: brief(name), backgroundColor: colour(i),
        data: labels.map((x, k) => ({ x: k, y: sums.get(key(x, name)) || 0 })),
    }));
    const x = { ...axisOf(picture, table, 'x', ['']), labels: labels.map(String), stacked: true };
    const y = { ...axisOf(picture, table, 'y', [0]), stacked: true };
    return chart(canvas, { type: 'bar', data: { datasets } }, { x, y });
}
/* Where VALUE lies among the cells' centres. */
function position(centres, value) {
    const log = centres[0] > 0 && value > 0, f = v => log ? Math.log(v) : v;
    let i = 0;
    while (i < centres.length - 2 && value > centres[i + 1]) i++;
    return centres.length < 2 ? 0 : i + (f(value) - f(centres[i])) / (f(centres[i + 1]) - f(centres[i]));
}
const ordered = list => typeof list[0] === 'string' ? list : [...list].sort((a, b) => a - b);
const smallest = list => list.reduce((a, b) => Math.min(a, b), Infinity);
const largest = list => list.reduce((a, b) => Math.max(a, b), -Infinity);
/* The distance of neighbours on a scale, in pixels. */
const pitch = scale => Math.abs(scale.getPixelForValue(1) - scale.getPixelForValue(0));
/* An axis with the positions of a list's values. */
function positions(picture, table, key, list, margin) {
    const column = columnOf(table, picture[key]), step = Math.ceil(list.length / 64);
    const axis = axisOf(picture, table, key, [0]);
    axis.ticks = { color: css('--ink'), callback: i => shown(column, list[i]) };
    axis.afterBuildTicks = scale => {
        scale.ticks = list.map((_, value) => ({ value })).filter((_, i) => i % step === 0);
    };
    return { ...axis, min: -margin, max: list.length - 1 + margin, grid: { display: false } };
}
function drawHeat(canvas, picture, table, rows) {
    const [xs, ys] = ['x', 'y'].map(key => ordered(different(rows.map(row => row[picture[key]]))));
    const isKnown = v => typeof v === 'number' && (v > 0 || !picture.value_log);
    const known = rowsOf(picture, picture.table).map(row => row[picture.value]).filter(isKnown);
    const low = picture.value_low ?? smallest(known), high = picture.value_high ?? largest(known);
    const f = v => picture.value_log ? Math.log(v) : v, palette = PALETTES[picture.palette] || PALETTES.latency;
    const share = v => high > low ? (f(Math.min(high, Math.max(low, v))) - f(low)) / (f(high) - f(low)) : 0;
    const data = rows.filter(row => isKnown(row[picture.value]))
        .map(row => ({ x: xs.indexOf(row[picture.x]), y: ys.indexOf(row[picture.y]), row }));
    const cells = { id: 'cells', beforeDatasetsDraw({ ctx, scales: { x, y } }) {
        const w = pitch(x), h = pitch(y);
        for (const cell of data) {
            ctx.fillStyle = mixed(palette, share(cell.row[picture.value]));
            ctx.fillRect(x.getPixelForValue(cell.x) - w / 2, y.getPixelForValue(cell.y) - h / 2, w + 0.5, h + 0.5);
        }
    } };
    /* Lines or marks over the map. */
    const over = (name, style) => different(rowsOf(picture, name).map(row => row.label)).map((label, i) => ({
        ...style, label: label || name, backgroundColor: colour(5 + i),
        data: rowsOf(picture, name).filter(row => row.label === label)
            .map(row => ({ x: position(xs, row[picture.x]), y: position(ys, row[picture.y]) })) }));
    const datasets = [{ label: '', data, pointRadius: 0, pointHitRadius: 12 },
        ...over(picture.lines, { type: 'line', borderColor: '#40ff90', borderWidth: 2.5, pointRadius: 0 }),
        ...over(picture.marks, { type: 'scatter', borderColor: '#000', pointRadius: 5 })];
    const text = (key, row) => shown(columnOf(table, picture[key]), row[picture[key]]);
    const about = ({ raw: { row } }) => row ? `${text('x', row)}, ${text('y', row)}: ${text('value', row)}` : '';
    const colours = palette.map(([at, name]) => `${name} ${100 * at}%`).join(',');
    const value = v => shown(columnOf(table, picture.value), v);
    canvas.parentElement.after(element('div', { className: 'scale' }, value(low),
        element('span', { style: `background:linear-gradient(to right,${colours})` }),
        `${value(high)} ${labelOf(picture, table, 'value')}`));
    const scales = { x: positions(picture, table, 'x', xs, 0.5), y: positions(picture, table, 'y', ys, 0.5) };
    return chart(canvas, { type: 'scatter', plugins: [cells], data: { datasets } }, scales, about);
}
function drawSpan(ctx, left, right, middle, height, name, text) {
    ctx.fillStyle = name;
    ctx.fillRect(left, middle - height / 2, Math.max(right - left, 0.7), height);
    if (!text || ctx.measureText(text).width + 6 > right - left) return;
    ctx.fillStyle = '#fff';
    ctx.fillText(text, left + 3, middle + 4);
}
function drawArrow(ctx, x, y, to_x, to_y) {
    const turn = Math.atan2(to_y - y, to_x - x);
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(to_x, to_y);
    for (const side of [-0.35, 0.35]) {
        ctx.moveTo(to_x, to_y);
        ctx.lineTo(to_x - 7 * Math.cos(turn + side), to_y - 7 * Math.sin(turn + side));
    }
    ctx.stroke();
}
function drawTimeline(canvas, picture, table, rows) {
    const lanes = ordered(different(rows.map(row => row[picture.y]))), names = seriesOf(picture, rows);
    const seriesAt = row => picture.series ? names.indexOf(String(row[picture.series])) : 0;
    canvas.parentElement.style.height = Math.max(220, 150 + 34 * lanes.length) + 'px';
    const spans = { id: 'spans', beforeDatasetsDraw(c) {
        const { ctx, chartArea, scales: { x, y } } = c;
        const at = value => x.getPixelForValue(value), middle = lane => y.getPixelForValue(lanes.indexOf(lane));
        ctx.save();
        ctx.beginPath();
        ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
        ctx.clip();
        for (const row of rows.filter(one => c.isDatasetVisible(seriesAt(one))))
            drawSpan(ctx, at(row[picture.x]), at(row[picture.x_end]), middle(row[picture.y]), 0.7 * pitch(y),
                colour(seriesAt(row)), row[picture.label]);
        ctx.strokeStyle = css('--ink');
        for (const row of rowsOf(picture, picture.arrows))
            drawArrow(ctx, at(row[picture.x]), middle(row[picture.y]), at(row[picture.x_end]), middle(row[picture.y_end]));
        ctx.restore();
    } };
    const point = row => ({ x: (row[picture.x] + row[picture.x_end]) / 2, y: lanes.indexOf(row[picture.y]), row });
    const datasets = names.map((label, i) => ({ label, backgroundColor: colour(i), pointRadius: 0, pointHitRadius: 14,
        data: rows.filter(row => seriesAt(row) === i).map(point) }));
    const about = ({ raw: { row } }) =>
        [row[picture.series], time(row[picture.x_end] - row[picture.x]), row[picture.label]].filter(Boolean).join(' ');
    const x = { ...axisOf(picture, table, 'x', [...Array(13).keys()]),
        min: smallest(rows.map(row => row[picture.x])), max: largest(rows.map(row => row[picture.x_end])) };
    const scales = { x, y: { ...positions(picture, table, 'y', lanes, 0.6), reverse: true } };
    return chart(canvas, { type: 'scatter', data: { datasets }, plugins: [spans] }, scales, about);
}
/* Keys for a picture with numbers across: + and - zoom, arrows move, 0 shows all; dragging zooms. */
function zoomable(c, canvas) {
    const x = c.options.scales.x, all = [c.scales.x.min, c.scales.x.max];
    if (c.scales.x.type !== 'linear') return;
    const show = (from, to) => {
        [x.min, x.max] = [Math.max(all[0], from), Math.min(all[1], to)];
        c.update('none');
    };
    canvas.addEventListener('keydown', e => {
        const { min, max } = c.scales.x, width = max - min, middle = (min + max) / 2;
        const move = { '+': [middle - width / 4, middle + width / 4], '-': [middle - width, middle + width], '0': all,
            ArrowLeft: [min - width / 4, max - width / 4], ArrowRight: [min + width / 4, max + width / 4] }[e.key];
        if (!move) return;
        show(...move);
        e.preventDefault();
    });
    let down = null;
    canvas.addEventListener('pointerdown', e => { down = e.offsetX; });
    canvas.addEventListener('pointerup', e => {
        if (down !== null && Math.abs(e.offsetX - down) > 8)
            show(...[down, e.offsetX].map(p => c.scales.x.getValueForPixel(p)).sort((a, b) => a - b));
        down = null;
    });
    canvas.addEventListener('dblclick', () => show(...all));
}
const DRAW = { lines: drawLines, bars: drawBars, heat: drawHeat, surface: drawHeat, timeline: drawTimeline };
let charts = [];
function drawPicture(figure, picture) {
    const table = doc.tables[picture.table], rows = rowsOf(picture, picture.table);
    const panels = picture.panel ? different(rows.map(row => row[picture.panel])) : [null];
    const box = figure.querySelector('.panels');
    box.replaceChildren();
    for (const panel of panels) {
        const name = picture.title + (panel === null ? '' : ', ' + panel);
        const canvas = element('canvas', { role: 'img', tabIndex: 0, 'aria-label': name });
        const holder = element('div', { className: 'canvas ' + picture.kind }, canvas);
        const head = panel === null ? [] : [element('h3', {}, String(panel))];
        box.append(element('div', { className: 'panel' }, ...head, holder));
        const where = panel === null ? picture.where : { ...picture.where, [picture.panel]: String(panel) };
        const c = DRAW[picture.kind](canvas, { ...picture, where }, table,
            rows.filter(row => panel === null || row[picture.panel] === panel));
        zoomable(c, canvas);
        charts.push(c);
    }
}
function showPictures() {
    const list = doc.pictures.filter(p => doc.tables[p.table] && rowsOf(p, p.table).length && DRAW[p.kind]);
    if (typeof Chart === 'undefined' || !list.length) return;
    const figures = list.map(p => element('figure', { id: 'picture-' + (p.name || p.table) },
        element('figcaption', {}, p.title || '', ' ', element('a', { href: '#' + p.table, className: 'faint' }, 'numbers')),
        element('div', { className: 'panels' })));
    add(element('section', { id: 'pictures' }, element('h2', {}, 'Pictures'), ...figures));
    const draw = () => {
        charts.forEach(c => c.destroy());
        charts = [];
        list.forEach((p, i) => drawPicture(figures[i], p));
    };
    draw();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

showFindings();
showFacts();
showPictures();
const tables = {};
for (const [name, table] of Object.entries(doc.tables))
    if (table.rows.length) tables[name] = new Table(name, table);
addEventListener('beforeprint', () => charts.forEach(c => c.resize()));
const [asked, by, word] = decodeURIComponent(location.hash.slice(1)).split('/');
if (tables[asked]) {
    const column = tables[asked].columns.find(c => c.name === by);
    if (word) {
        tables[asked].field.value = word;
        tables[asked].filter(word);
    }
    if (column) tables[asked].sort(column);
    document.getElementById(asked).scrollIntoView();
}
