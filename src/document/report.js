/* Shows a document (document.h) that the page embeds as JSON: findings, facts, pictures (by
 * Chart.js, if it is embedded), and tables that can be sorted. */
'use strict';
const doc = JSON.parse(document.getElementById('document').textContent);
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#f0e442', '#808080', '#ff1493'];
const PALETTES = {
    latency: [[0, '#1f3fbf'], [0.25, '#4fa3d9'], [0.5, '#fff3a0'], [0.75, '#f08a3c'], [1, '#b81d1d']],
    named: [[0, '#f4f6f8'], [0.5, '#fdd878'], [1, '#f0803c']], /* letters are readable on it */
    overlap: [[0, '#000000'], [0.25, '#7a1fa2'], [0.5, '#e81818'], [1, '#fff04a']],
};
const MOST_ROWS = 200; /* of a table, until the user asks for more */
const OPTIONAL = 1, HIDDEN_IN_TEXT = 4; /* COLUMN_OPTIONAL, COLUMN_DATA_ONLY */

const digits = v => v < 9.995 ? v.toFixed(2) : v < 99.95 ? v.toFixed(1) : v.toFixed(0);
const time = us => {
    const v = Math.abs(us), sign = us < 0 ? '-' : '';
    if (v === 0) return '0';
    return sign + (v < 0.9995 ? (v * 1e3).toFixed(0) + ' ns' : v < 999.5 ? digits(v) + ' us'
        : v < 999.5e3 ? digits(v / 1e3) + ' ms' : digits(v / 1e6) + ' s');
};
/* Ticks of a linear axis, with as many digits as distinguish neighbours. */
const timeTick = (us, i, ticks) => {
    const largest = Math.max(...ticks.map(t => Math.abs(t.value))), step = ticks.length > 1 ? ticks[1].value - ticks[0].value : 0;
    const [unit, per] = [['s', 1e6], ['ms', 1e3], ['us', 1]].find(([, per]) => largest >= per) ?? ['ns', 1e-3];
    return step && us ? (us / per).toFixed(Math.max(0, Math.ceil(-Math.log10(step / per) - 1e-9))) + ' ' + unit : time(us);
};
const bytes = v => {
    let u = 0;
    for (; v >= 1023.5 && u < 6; u++) v /= 1024;
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
    return (u === 0 || v === Math.round(v) ? v.toFixed(0) : digits(v)) + ' ' + units[u];
};
function shown(column, value) {
    if (value === null || value === undefined) return '-';
    if (typeof value === 'string') return value;
    switch (column.kind) {
    case 'time': return time(value);
    case 'bytes': return bytes(value);
    case 'count': return value.toLocaleString('en');
    case 'share': return value.toFixed(1) + ' %';
    case 'real': return value.toFixed(column.decimals);
    default: return String(value);
    }
}
/* The head names the unit of numbers that are printed without one. */
const headOf = c => (c.head || c.name) + (c.unit && ['real', 'integer'].includes(c.kind) ? ` (${c.unit})` : '');
const columnOf = (table, name) => table.columns.find(c => c.name === name);

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
    const efficiency = (doc.header || {})['parallel efficiency'], answer = efficiency ? ['Parallel efficiency ' + efficiency] : [];
    const items = (doc.findings || []).map(f => {
        const item = element('li', { className: f.severity, id: 'finding-' + f.key }, f.text);
        if (f.cost_s) item.append(element('span', { className: 'cost' }, time(1e6 * f.cost_s) +
            (f.share ? ` (${(100 * f.share).toFixed(1)} % of the run)` : '')));
        if (f.advice) item.append(element('div', { className: 'advice' }, f.advice));
        return item;
    });
    if (answer.length + items.length)
        add(element('section', { id: 'findings' }, element('h2', {}, 'Findings'), element('p', {}, ...answer), element('ul', {}, ...items)));
}

function showFacts() {
    const facts = element('dl');
    for (const [key, value] of Object.entries(doc.header || {}))
        facts.append(element('dt', {}, key), element('dd', {}, value));
    if (facts.children.length) add(element('section', { id: 'facts' }, element('h2', {}, 'Run'), facts));
}

function cellOf(column, value) {
    const text = shown(column, value), cell = element('td', {}, text);
    if (column.kind === 'text') cell.className = text.length > 40 ? 'text long' : 'text';
    return cell;
}

class Table {
    constructor(name, table) {
        const isEmpty = c => table.rows.every(row => (row[c.name] ?? null) === null);
        const known = table.columns.filter(c => !(c.flags & OPTIONAL && isEmpty(c))), inText = known.filter(c => !(c.flags & HIDDEN_IN_TEXT));
        this.columns = inText.length ? inText : known; /* the numbers of a picture alone */
        if (table.rows.some(row => Array.isArray(row.remarks)))
            this.columns.push({ name: 'remarks', kind: 'text', meaning: 'what speaks against the figures' });
        this.rows = table.rows;
        this.body = element('tbody');
        this.heads = this.columns.map(c => this.head(c));
        this.more = element('button', { type: 'button', className: 'more', onclick: () => this.fill(Infinity) });
        const title = table.title || name, head = element('thead', {}, element('tr', {}, ...this.heads));
        const wide = element('div', { className: 'wide', tabIndex: 0, role: 'region', 'aria-label': title },
            element('table', {}, head, this.body));
        add(element('section', { id: name, className: 'table' }, element('h2', {}, title), wide, this.more));
        this.fill(MOST_ROWS);
    }
    head(column) {
        const sort = () => this.sort(column), className = column.kind === 'text' ? 'text' : '';
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
    /* First click: descending; second: ascending. Cells without a value come last. */
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
}

const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const different = list => [...new Set(list)];
const colour = i => COLOURS[i % COLOURS.length];
const brief = name => name.length > 44 ? name.slice(0, 21) + '..' + name.slice(-21) : name;
const least = list => list.reduce((a, b) => Math.min(a, b), Infinity);
const most = list => list.reduce((a, b) => Math.max(a, b), -Infinity);

/* The rows of a table that PICTURE shows. The table may lack the columns that it selects by. If each
 * of several columns is a line, a row becomes several. */
function rowsOf(picture, name) {
    const wanted = Object.entries(picture.where || {}), columns = picture.columns || [];
    const all = doc.tables[name] ? doc.tables[name].rows : [];
    const rows = columns.length ? columns.flatMap(key => all.filter(row => row[key] !== null).map(row =>
        ({ ...row, column: headOf(columnOf(doc.tables[name], key)), value: row[key] }))) : all;
    return rows.filter(row => wanted.every(([column, is]) => !(column in row) || String(row[column]) === is));
}

/* A picture in progress: gives access to its rows by the members of the declaration. */
class Drawing {
    constructor(picture, rows, of_all_panels) {
        Object.assign(this, { picture, rows, of_all_panels });
        this.columns = doc.tables[picture.table].columns;
        const all = picture.series ? rows.map(row => String(row[picture.series])) : [''];
        this.series = different([...(picture.order || []), ...all]);
    }
    at(row, key) { return row[this.picture[key]]; }
    /* Where each of several columns is a line, the first one stands for y. */
    column(key) {
        const name = key === 'y' && this.picture.columns?.[0] || this.picture[key];
        return this.columns.find(c => c.name === name) || { name: '' };
    }
    /* Empty if the picture declares no KEY. */
    text(row, key) { return this.picture[key] ? shown(this.column(key), this.at(row, key)) : ''; }
    label(key) { return this.picture[key + '_label'] ?? headOf(this.column(key)); }
    rowsIn(name) { return this.rows.filter(row => !this.picture.series || String(this.at(row, 'series')) === name); }
    /* The distinct values: numbers ascending, texts in order of appearance. */
    values(key) {
        const list = different(this.rows.map(row => this.at(row, key))).filter(v => v !== null && v !== undefined);
        return typeof list[0] === 'number' ? list.sort((a, b) => a - b) : list;
    }
    /* side(): an axis of categories. numbers(): a numeric axis, logarithmic with LOG, with the
     * given TICKS or round ones. */
    side(key, more) {
        const labels = this.values(key).map(v => this.tick(key, v));
        return { ...this.axis(key), type: 'category', labels, offset: true, grid: { display: false }, ...more };
    }
    numbers(key, log, ticks) {
        const axis = { ...this.axis(key), type: log ? 'logarithmic' : 'linear' };
        axis.ticks.callback = log || this.column(key).kind !== 'time' ? v => this.tick(key, v) : timeTick;
        axis.ticks.includeBounds = false;
        axis.afterBuildTicks = scale => {
            const wide = scale.max / scale.min > 1e3;
            if (ticks) scale.ticks = ticks.map(value => ({ value }));
            else if (log) /* 1, 2 and 5 of each decade; with many decades only 1 */
                scale.ticks = scale.ticks.filter(({ value }) => (wide ? '1' : '125').includes(value.toExponential()[0]));
        };
        return axis;
    }
    tick(key, v) {
        const column = this.column(key);
        return typeof v === 'string' ? v : column.kind === 'time' ? time(v) : column.unit === 'B' ? bytes(v)
            : String(+v.toPrecision(4));
    }
    axis(key) {
        return { title: { display: true, text: this.label(key) }, ticks: { maxRotation: 45 } };
    }
}

/* Draws intervals, cells and arrows, which Chart.js lacks. */
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
/* The distance between neighbours on a scale, in pixels. */
const pitch = scale => Math.abs(scale.getPixelForValue(1) - scale.getPixelForValue(0));
const cells = { id: 'cells', beforeDatasetsDraw({ ctx, data, scales: { x, y } }) {
    const w = pitch(x) || x.width, h = pitch(y) || y.height;
    for (const cell of data.datasets[0].data) {
        ctx.fillStyle = cell.colour;
        ctx.fillRect(x.getPixelForValue(cell.x) - w / 2, y.getPixelForValue(cell.y) - h / 2, w + 0.5, h + 0.5);
        Object.assign(ctx, { fillStyle: '#000', textAlign: 'center', textBaseline: 'middle', font: '12px system-ui, sans-serif' });
        cell.lines.forEach((line, i) => ctx.fillText(line, x.getPixelForValue(cell.x), y.getPixelForValue(cell.y) + 15 * i - 7, w - 6));
    }
} };
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
const arrows = { id: 'arrows', afterDatasetsDraw({ ctx, chartArea, config, scales: { x, y } }) {
    ctx.save();
    ctx.beginPath();
    ctx.rect(chartArea.left, chartArea.top, chartArea.width, chartArea.height);
    ctx.clip();
    ctx.strokeStyle = css('--ink');
    for (const [begin, from, end, to] of config.data.arrows)
        drawArrow(ctx, x.getPixelForValue(begin), y.getPixelForValue(from), x.getPixelForValue(end), y.getPixelForValue(to));
    ctx.restore();
} };

/* Writes the name of each span inside of it where it is wide enough. */
const names = { id: 'names', afterDatasetsDraw(c) {
    c.ctx.save();
    c.ctx.font = '11px system-ui, sans-serif';
    c.ctx.textBaseline = 'middle';
    c.data.datasets.forEach((set, s) => c.isDatasetVisible(s) && c.getDatasetMeta(s).data.forEach((bar, i) => {
        const left = Math.max(c.chartArea.left, Math.min(bar.base, bar.x)), right = Math.min(c.chartArea.right, Math.max(bar.base, bar.x));
        const text = set.data[i].name, width = c.ctx.measureText(text).width;
        c.ctx.fillStyle = ['#f0e442', '#56b4e9', '#e69f00'].includes(set.backgroundColor) ? '#000' : '#fff';
        if (width + 8 < right - left) c.ctx.fillText(text, (left + right - width) / 2, bar.y);
    }));
    c.ctx.restore();
} };

/* The colour at a share (0 to 1) of a palette. */
function mixed(palette, share) {
    let i = 1;
    while (i < palette.length - 1 && share > palette[i][0]) i++;
    const [[from, a], [to, b]] = [palette[i - 1], palette[i]];
    const part = Math.min(1, Math.max(0, (share - from) / (to - from)));
    const of = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16));
    return `rgb(${of(a).map((v, k) => Math.round(v + part * (of(b)[k] - v))).join(',')})`;
}
/* The fractional index of VALUE among the cells' centres. */
function position(centres, value) {
    const log = centres[0] > 0 && value > 0, f = v => log ? Math.log(v) : v;
    let i = 0;
    while (i < centres.length - 2 && value > centres[i + 1]) i++;
    return centres.length < 2 ? 0 : i + (f(value) - f(centres[i])) / (f(centres[i + 1]) - f(centres[i]));
}

/* Each function makes a Chart.js configuration. */
const DRAW = {
    lines(d) {
        const log = d.picture.x_log, xs = d.values('x'), zero = least(xs.filter(x => x > 0)) / 2;
        const place = x => log && x === 0 ? zero : x;
        const datasets = d.series.map((name, i) => ({
            label: brief(name), borderColor: colour(i), backgroundColor: colour(i), borderWidth: 2, pointRadius: 3, spanGaps: true,
            borderDash: [[], [6, 4], [2, 3]][Math.floor(i / COLOURS.length) % 3],
            data: d.rowsIn(name).map(row => ({ x: place(d.at(row, 'x')), y: d.at(row, 'y'), low: d.at(row, 'low'),
                high: d.at(row, 'high') })) }));
        const x = d.numbers('x', log, log || xs.length <= 12 ? xs.map(place) : null), write = x.ticks.callback;
        x.ticks.callback = (v, ...more) => log && v === zero ? '0' : write(v, ...more);
        if (log) [x.min, x.max] = [place(xs[0]) * 0.9, xs[xs.length - 1] * 1.1];
        const ends = key => d.rows.map(row => d.at(row, key)).filter(v => typeof v === 'number' && (v > 0 || !d.picture.y_log));
        const y = { ...d.numbers('y', d.picture.y_log), beginAtZero: !d.picture.y_log,
            suggestedMin: least(ends('low')), suggestedMax: most(ends('high')) }; /* intervals lie inside */
        return { type: 'line', data: { datasets }, plugins: [intervals], scales: { x, y } };
    },
    bars(d) {
        const xs = d.values('x');
        const datasets = d.series.map((name, i) => ({ label: brief(name), backgroundColor: colour(i),
            data: d.rowsIn(name).map(row => ({ x: xs.indexOf(d.at(row, 'x')), y: d.at(row, 'y') })) }));
        const scales = { x: { ...d.side('x'), stacked: true }, y: { ...d.numbers('y'), stacked: true } };
        return { type: 'bar', data: { datasets }, scales };
    },
    heat(d, box) {
        const picture = d.picture, xs = d.values('x'), ys = d.values('y'), log = picture.value_log;
        const isKnown = v => typeof v === 'number' && (v > 0 || !log), f = v => log ? Math.log(v) : v;
        const known = d.of_all_panels.map(row => row[picture.value]).filter(isKnown); /* one scale for all panels */
        const low = picture.value_low ?? least(known), high = picture.value_high ?? most(known);
        const share = v => high > low ? (f(Math.min(high, Math.max(low, v))) - f(low)) / (f(high) - f(low)) : 0;
        const palette = PALETTES[picture.label ? 'named' : picture.palette] ?? PALETTES.latency;
        const data = d.rows.filter(row => isKnown(d.at(row, 'value'))).map(row => ({ x: xs.indexOf(d.at(row, 'x')),
            y: ys.indexOf(d.at(row, 'y')), colour: mixed(palette, share(d.at(row, 'value'))), row,
            lines: picture.label ? [d.text(row, 'label'), d.text(row, 'value')] : [] }));
        const over = rowsOf(picture, picture.lines), line = over.map(row =>
            ({ x: position(xs, d.at(row, 'x')), y: position(ys, d.at(row, 'y')) }));
        const datasets = [{ label: '', data, pointRadius: 0, pointHitRadius: 12 }];
        if (over.length) datasets.push({ label: over[0].label, data: line, type: 'line', borderColor: '#40ff90',
            backgroundColor: '#40ff90', borderWidth: 2.5, pointRadius: 0 });
        const write = v => shown(d.column('value'), v), colours = palette.map(([at, name]) => `${name} ${100 * at}%`);
        if (picture.label) Object.assign(box.style, { maxWidth: `${7 + 9 * xs.length}rem`, height: `${5 + 2.6 * ys.length}rem`, aspectRatio: 'auto' });
        else box.style.maxWidth = `min(34rem, ${10 + 5 * Math.max(xs.length, ys.length)}rem)`; /* a small matrix is small */
        box.after(element('div', { className: 'scale' }, write(low), element('span',
            { style: `background:linear-gradient(to right,${colours.join(',')})` }), `${write(high)} ${d.label('value')}`));
        const about = ({ raw: { row } }) => row ? `${d.text(row, 'x')}, ${d.text(row, 'y')}: ${d.text(row, 'value')} ${d.text(row, 'label')}`.trim() : '';
        const scales = { x: d.side('x'), y: d.side('y', { reverse: true }) };
        return { type: 'scatter', data: { datasets }, plugins: [cells], scales, about };
    },
    timeline(d, box) {
        const lanes = d.values('y');
        box.style.height = Math.max(220, 150 + 34 * lanes.length) + 'px';
        const datasets = d.series.map((label, i) => ({ label, backgroundColor: colour(i), grouped: false, minBarLength: 1,
            data: d.rowsIn(label).map(row => ({ x: [d.at(row, 'x'), d.at(row, 'x_end')], y: d.tick('y', d.at(row, 'y')),
                name: d.text(row, 'label'), row })) }));
        const messages = rowsOf(d.picture, d.picture.arrows).map(row => [d.at(row, 'x'), lanes.indexOf(d.at(row, 'y')),
            d.at(row, 'x_end'), lanes.indexOf(d.at(row, 'y_end'))]);
        const about = ({ raw: { row } }) =>
            [d.at(row, 'series'), time(d.at(row, 'x_end') - d.at(row, 'x')), d.at(row, 'label')].filter(Boolean).join(' ');
        const x = { ...d.numbers('x'), min: least(d.rows.map(row => d.at(row, 'x'))),
            max: most(d.rows.map(row => d.at(row, 'x_end'))) };
        return { type: 'bar', data: { datasets, arrows: messages }, plugins: [names, arrows], parsing: true, indexAxis: 'y',
            scales: { x, y: d.side('y') }, about };
    },
};
function chart(canvas, drawing) {
    const { scales, about, parsing = false, indexAxis = 'x', ...config } = DRAW[drawing.picture.kind](drawing, canvas.parentElement);
    const sets = config.data.datasets, filter = item => item.text && sets[item.datasetIndex].data.length > 0;
    const legend = { display: sets.some(set => set.label), labels: { boxWidth: 14, filter } };
    const plugins = { legend, tooltip: about ? { callbacks: { label: about } } : {} };
    return new Chart(canvas, { ...config, options: { parsing, indexAxis, plugins, scales } });
}
/* Zooming for pictures with a numeric x axis: + and - zoom, arrows move, 0 shows all; so does
 * dragging. */
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
let charts = [];
function drawPicture(figure, picture) {
    const rows = rowsOf(picture, picture.table), box = figure.querySelector('.panels');
    const panels = picture.panel ? different(rows.map(row => row[picture.panel])) : [null];
    box.replaceChildren();
    for (const panel of panels) {
        const name = picture.title + (panel === null ? '' : ', ' + panel);
        const canvas = element('canvas', { role: 'img', tabIndex: 0, 'aria-label': name });
        const holder = element('div', { className: 'canvas ' + picture.kind }, canvas);
        const head = panel === null ? [] : [element('h3', {}, String(panel))];
        box.append(element('div', { className: 'panel' }, ...head, holder));
        const where = panel === null ? picture.where : { ...picture.where, [picture.panel]: String(panel) };
        const c = chart(canvas, new Drawing({ ...picture, where }, rows.filter(row => panel === null || row[picture.panel] === panel), rows));
        zoomable(c, canvas);
        charts.push(c);
    }
}
function showPictures() {
    const list = (doc.pictures || []).map(p => p.columns?.length ? { ...p, y: 'value', series: 'column' } : p).filter(p => rowsOf(p, p.table).length && DRAW[p.kind]);
    if (typeof Chart === 'undefined' || !list.length) return;
    const figures = list.map(p => element('figure', { id: 'picture-' + (p.name || p.table) },
        element('figcaption', {}, p.title || '', ' ', element('a', { href: '#' + p.table, className: 'faint' }, 'numbers')),
        element('div', { className: 'panels' })));
    add(element('section', { id: 'pictures' }, element('h2', {}, 'Pictures'), ...figures));
    const draw = () => {
        charts.forEach(c => c.destroy());
        charts = [];
        Object.assign(Chart.defaults, { animation: false, maintainAspectRatio: false, color: css('--ink'),
            borderColor: css('--line'), interaction: { mode: 'nearest', intersect: false, axis: 'xy' } });
        list.forEach((p, i) => drawPicture(figures[i], p));
    };
    draw();
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
}

showFindings();
showPictures();
showFacts();
for (const [name, table] of Object.entries(doc.tables))
    if (table.rows.length) new Table(name, table);
