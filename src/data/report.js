/* Sorting by a heading, filtering by a word. #TABLE/COLUMN/WORD in the address does the same. */
document.querySelectorAll('section.l').forEach(section => {
    const body = section.querySelector('tbody'), heads = [...section.querySelectorAll('th')];
    let rows = [...body.rows], rest = section.querySelector('noscript'), button;
    /* What is a text until it is wanted: see html_calls.c. */
    const unfold = () => {
        if (!rest)
            return;
        const box = document.createElement('template');
        box.innerHTML = rest.textContent;
        body.append(...box.content.querySelectorAll('tbody tr'));
        rows = [...body.rows];
        rest.remove();
        button.remove();
        rest = null;
    };
    if (rest) {
        button = document.createElement('button');
        button.type = 'button';
        button.className = 'more';
        button.textContent = `show the other ${rest.textContent.split('<tr').length - 2} rows`;
        button.onclick = unfold;
        section.querySelector('.wide').after(button);
    }
    section.unfold = unfold;
    const sort = i => {
        unfold();
        const head = heads[i], way = head.getAttribute('aria-sort') === 'descending' ? 1 : -1;
        heads.forEach(x => x.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', way < 0 ? 'descending' : 'ascending');
        const value = row => {
            const cell = row.cells[i];
            return cell.dataset.v === undefined ? cell.textContent : cell.dataset.v === '' ? -Infinity : +cell.dataset.v;
        };
        const keyed = rows.map(row => [value(row), row]);
        keyed.sort(([p], [q]) => p < q ? -way : p > q ? way : 0);
        body.append(...keyed.map(([, row]) => row));
    };
    const filter = word => {
        unfold();
        word = word.toLowerCase();
        rows.forEach(row => row.hidden = ![...row.cells].some(cell => cell.textContent.toLowerCase().includes(word)));
    };
    heads.forEach((head, i) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.append(...head.childNodes);
        head.append(button);
        button.onclick = () => sort(i);
    });
    const field = document.createElement('input');
    field.type = 'search';
    field.placeholder = 'filter';
    field.setAttribute('aria-label', 'filter rows');
    field.oninput = () => filter(field.value);
    section.querySelector('.wide').before(field);
    const asked = decodeURIComponent(location.hash.slice(1)).split('/');
    if (asked[0] === section.id) {
        const i = heads.findIndex(head => head.dataset.key === asked[1]);
        if (i >= 0)
            sort(i);
        if (asked[2]) {
            field.value = asked[2];
            filter(asked[2]);
        }
        section.scrollIntoView();
    }
});
/* A link into a table that is filtered shows its row all the same. */
addEventListener('hashchange', () => {
    const id = location.hash.slice(1);
    if (!document.getElementById(id))
        document.querySelectorAll('section.l').forEach(section => id.startsWith(section.id + '-') && section.unfold());
    const row = document.getElementById(id);
    if (row && row.hidden) {
        row.hidden = false;
        row.scrollIntoView();
    }
});
/* On paper nothing can be opened. */
let opened = [];
addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll('details:not([open])')];
    opened.forEach(x => x.open = true);
});
addEventListener('afterprint', () => opened.forEach(x => x.open = false));
/* Curves that can be zoomed take the place of the drawings, where their library is in the page. */
const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name).trim();
const brief = us => us >= 1e6 ? us / 1e6 + ' s' : us >= 1e3 ? us / 1e3 + ' ms' : us >= 1 ? us + ' us' : us * 1e3 + ' ns';
const bytes = n => n >= 1048576 ? n / 1048576 + ' MiB' : n >= 1024 ? n / 1024 + ' KiB' : n + ' B';
const curves = (place, points, x, options) => {
    if (typeof Dygraph === 'undefined')
        return;
    const box = document.createElement('div'), drawing = place.querySelector('svg');
    box.className = 'curves';
    place.before(box);
    const chart = new Dygraph(box, points, {
        logscale: true, drawPoints: true, pointSize: 2, highlightCircleSize: 4, gridLineColor: colour('--line'),
        axisLineColor: colour('--line'), xlabel: '', axisLabelWidth: 62, yRangePad: 12, ...options,
        axes: { y: { axisLabelFormatter: v => brief(+v.toPrecision(2)), valueFormatter: v => brief(+v.toPrecision(4)) }, x } });
    chart.ready(() => drawing.setAttribute('hidden', ''));
};
document.querySelectorAll('[data-points]').forEach(place => curves(place, JSON.parse(place.dataset.points),
    { axisLabelFormatter: v => +v.toPrecision(4) + ' s', valueFormatter: v => v.toFixed(6) + ' s' },
    { labels: ['s', 'spread of arrivals', 'duration'], colors: [colour('--late'), colour('--accent')], strokeWidth: 0,
        valueRange: [+place.dataset.from, +place.dataset.to], xRangePad: 10 }));
document.querySelectorAll('[data-curves]').forEach(place => {
    const { labels, rows, zero } = JSON.parse(place.dataset.curves);
    const show = v => zero && v === rows[0][0] ? (labels[0] === 'size' ? '0 B' : '0') : labels[0] === 'size' ? bytes(v) : String(v);
    const step = Math.ceil(rows.length / Math.max(2, place.clientWidth / 90)), ticker = () => rows.filter((_, i) => i % step === 0).map(([v]) => ({ v, label: show(v) }));
    /* Room beside the outermost points, whose labels lie below them. */
    const room = Math.pow(rows[rows.length - 1][0] / rows[0][0], 0.04), none = labels.slice(1).map(() => null);
    const padded = [[rows[0][0] / room, ...none], ...rows, [rows[rows.length - 1][0] * room, ...none]];
    curves(place, padded, { logscale: true, ticker, valueFormatter: show },
        { labels, colors: labels.slice(1).map((_, i) => colour('--c' + i % 8)), customBars: true, strokeWidth: 2,
            connectSeparatedPoints: true, series: Object.fromEntries(labels.slice(1).map((x, i) => [x, { strokePattern: [null, [6, 4], [2, 3]][i >> 3] }])) });
});
