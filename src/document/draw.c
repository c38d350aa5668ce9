#include "document/draw.h"

#include "base/array.h"
#include "base/quote.h"
#include "base/reason.h"
#include "document/gnuplot.h"
#include "document/json_file.h"
#include "document/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours, which colour-blind readers can distinguish, grey, and pink. report.js
 * has the same. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#f0e442", "#808080", "#ff1493"};
static const char *const palettes[][2] = {
    {"latency", "0 '#1f3fbf', 0.25 '#4fa3d9', 0.5 '#fff3a0', 0.75 '#f08a3c', 1 '#b81d1d'"},
    {"overlap", "0 '#000000', 0.5 '#7a1fa2', 1 '#e81818', 2 '#fff04a'"},
    {"amount", "0 '#b8cdf0', 0.5 '#4f7fd0', 1 '#0c1f5c'"},
};
enum { COLOURS = sizeof colours / sizeof *colours, NAME = 400 };

/* A kind of picture. Each of its series is a block of lines "x y THIRD FOURTH", all plotted alike.
 */
static const struct kind {
    const char *name, *third, *fourth; /* members of struct picture: names of columns */
    bool x_indexed, y_indexed;         /* the axis has the different values, side by side */
    const char *set, *plot;
} kinds[] = {
    {"lines", "low", "high", false, false,
     "set grid back lc rgb '#dcdcdc' lt 1 lw 0.7\n"
     "set key outside right center Left reverse spacing 1.3 samplen 2.5\n",
     "using 1:2:3:4 with yerrorlines lw 2"},
    {"bars", "", "", true, false,
     "set key outside right center Left reverse invert spacing 1.3\n"
     "set style fill solid noborder\n",
     "using 1:2:($1-0.4):($1+0.4):3:2 with boxxyerror"},
    {"heat", "value", "value", true, true, "set key above right samplen 2.5\n",
     "using 1:2:(0.5):(0.5):3 with boxxyerror fs solid noborder"},
    {"timeline", "x_end", "", false, true,
     "set key below right horizontal samplen 2\nset bmargin 9\nset tmargin 4\nset rmargin 5\n"
     "set style fill solid noborder\nset format x '%.0f'\n",
     "using 1:2:1:3:($2-0.35):($2+0.35) with boxxyerror"},
};

/* Rows, or cells of a column. */
struct list {
    const json_t **at;
    size_t n, room;
};

struct axis {
    bool indexed, is_log, bytes;
    double zero;      /* where 0 is drawn */
    double low, high; /* of what is drawn */
    struct list tick; /* the different values: numbers ascending, texts as they come */
};

/* A picture that is being drawn. */
struct drawing {
    const json_t *document, *declared; /* as struct picture */
    const struct kind *kind;
    struct list rows; /* of its table that it shows */
    struct axis x, y;
    struct list series; /* its values; one that is NULL where there is no such column */
    bool *drawn;        /* of each series: it has points */
    size_t legible;     /* ticks of an axis */
    FILE *out;
};

/* --- what is drawn --- */

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const char *declared(const struct drawing *g, const char *key)
{
    return text_of(g->declared, key);
}

static bool is_set(const struct drawing *g, const char *key)
{
    return json_is_true(json_object_get(g->declared, key));
}

static bool is_kind(const struct drawing *g, const char *name)
{
    return strcmp(g->kind->name, name) == 0;
}

/* A row's cell in the column that G's member KEY names; and its number. */
static const json_t *cell_of(const struct drawing *g, const json_t *row, const char *key)
{
    return json_object_get(row, declared(g, key));
}

static double number_of(const struct drawing *g, const json_t *row, const char *key)
{
    const json_t *cell = cell_of(g, row, key);
    return json_is_number(cell) ? json_number_value(cell) : NAN;
}

/* A cell as a name: "held", "8". */
static const char *name_of(const json_t *cell, char number[32])
{
    *number = '\0';
    if (json_is_number(cell))
        snprintf(number, 32, "%.12g", json_number_value(cell));
    return json_string_value(cell) ?: number;
}

/* Whether ROW has what G selects; a table without a column that selects has it everywhere. */
static bool is_selected(const struct drawing *g, const json_t *row)
{
    const char *column;
    char number[32];
    json_t *is;
    json_object_foreach((json_t *)json_object_get(g->declared, "where"), column, is)
    {
        const json_t *cell = json_object_get(row, column);
        if (cell && json_is_string(is) && strcmp(name_of(cell, number), json_string_value(is)) != 0)
            return false;
    }
    return true;
}

/* The rows that G shows of the table that its member KEY names, in PANEL; NULL: in all. */
static struct list rows_of(const struct drawing *g, const char *key, const json_t *panel)
{
    const json_t *tables = json_object_get(g->document, "tables"), *row;
    struct list found = {0};
    size_t i;
    json_array_foreach(json_object_get(json_object_get(tables, declared(g, key)), "rows"), i, row)
    {
        const json_t *in = cell_of(g, row, "panel");
        if ((!panel || !in || json_equal(in, panel)) && is_selected(g, row))
            *PUSH(&found) = row;
    }
    return found;
}

/* --- axes --- */

/* The declaration of the column that G's member KEY names. */
static const json_t *column_of(const struct drawing *g, const char *key)
{
    const json_t *tables = json_object_get(g->document, "tables"),
                 *table = json_object_get(tables, declared(g, "table")), *column;
    const char *name = declared(g, key);
    size_t i;
    json_array_foreach(json_object_get(table, "columns"), i, column)
    {
        const char *is = text_of(column, "name");
        if (is && name && strcmp(is, name) == 0)
            return column;
    }
    return NULL;
}

/* Where CELL is in LIST; its length: nowhere. */
static size_t find(const struct list *list, const json_t *cell)
{
    size_t i = 0;
    while (i < list->n && !json_equal(list->at[i], cell))
        i++;
    return i;
}

/* Where CELL is on the axis A; NaN: nowhere. */
static double place_of(const struct axis *a, const json_t *cell)
{
    double value = json_is_number(cell) ? json_number_value(cell) : NAN;
    if (!a->indexed)
        return value > 0 || !a->is_log ? value : value == 0 ? a->zero : NAN;
    size_t i = find(&a->tick, cell);
    return i < a->tick.n ? (double)i : NAN;
}

static int by_number(const void *a, const void *b)
{
    const json_t *const *x = a, *const *y = b;
    return ORDER(json_number_value(*x), json_number_value(*y));
}

/* Adds to LIST the different cells of the column that G's member KEY names. */
static void add_values(const struct drawing *g, const char *key, struct list *list)
{
    for (size_t r = 0; r < g->rows.n; r++) {
        const json_t *cell = cell_of(g, g->rows.at[r], key);
        if ((json_is_number(cell) || json_is_string(cell)) && find(list, cell) == list->n)
            *PUSH(list) = cell;
    }
    if (list->n && json_is_number(list->at[0]))
        qsort(list->at, list->n, sizeof *list->at, by_number);
}

/* The axis of the column that G's member KEY names. Zero has no position on a logarithmic one: it
 * is drawn at half of the smallest number of X, and not at all of Y. */
static struct axis axis_of(const struct drawing *g, const char *key, bool indexed, bool is_log)
{
    struct axis a = {.indexed = indexed, .low = INFINITY, .high = -INFINITY, .zero = NAN};
    const char *unit = text_of(column_of(g, key), "unit");
    a.bytes = unit && strcmp(unit, "B") == 0;
    if (indexed || *key == 'x')
        add_values(g, key, &a.tick);
    for (size_t i = a.tick.n; i-- > 0;) {
        a.indexed = a.indexed || json_is_string(a.tick.at[i]);
        if (json_number_value(a.tick.at[i]) > 0)
            a.zero = json_number_value(a.tick.at[i]) / 2;
    }
    a.is_log = is_log && !a.indexed;
    return a;
}

static void open_axes(struct drawing *g)
{
    size_t i;
    const json_t *name;
    g->x = axis_of(g, "x", g->kind->x_indexed, is_set(g, "x_log"));
    g->y = axis_of(g, "y", g->kind->y_indexed, is_set(g, "y_log"));
    g->series = (struct list){0};
    json_array_foreach(json_object_get(g->declared, "order"), i, name) * PUSH(&g->series) = name;
    add_values(g, "series", &g->series);
    if (!g->series.n)
        *PUSH(&g->series) = NULL;
    g->drawn = memory_alloc(g->series.n * sizeof *g->drawn);
}

static void close_axes(struct drawing *g)
{
    free(g->x.tick.at);
    free(g->y.tick.at);
    free(g->series.at);
    free(g->drawn);
}

/* --- labels and ticks --- */

static void put_text(const struct drawing *g, const char *command, const char *text,
                     const char *style)
{
    fprintf(g->out, "set %s ", command);
    quote_gnuplot(text, g->out);
    fprintf(g->out, " %s\n", style);
}

/* "median (us)", or what the declaration says. */
static void put_label(const struct drawing *g, const char *command, const char *key,
                      const char *style)
{
    const json_t *column = column_of(g, key);
    const char *name = text_of(column, "head") ?: text_of(column, "name") ?: "",
               *unit = text_of(column, "unit");
    char text[NAME], label[32];
    snprintf(label, sizeof label, "%s_label", key);
    snprintf(text, sizeof text, unit ? "%s (%s)" : "%s", name, unit);
    put_text(g, command, declared(g, label) ?: text, style);
}

/* A tick's label: 65536 bytes are "64K". */
static void put_tick(const struct drawing *g, const struct axis *a, const json_t *tick)
{
    static const char *const units[] = {"", "K", "M", "G"};
    double value = json_number_value(tick);
    char label[32];
    size_t u = 0;
    for (; a->bytes && value >= 1024 && u < 3; u++)
        value /= 1024;
    bool whole = fabs(value) >= 100 && fabs(value) < 1e5;
    snprintf(label, sizeof label, whole ? "%.0f%s" : "%.3g%s", value, units[u]);
    quote_gnuplot(json_string_value(tick) ?: label, g->out);
}

/* Ticks at the values that there are. */
static void put_ticks(const struct drawing *g, const struct axis *a, const char *key)
{
    enum { LEVEL = 13 };
    size_t step = (a->tick.n + g->legible - 1) / g->legible, put = 0;
    fprintf(g->out, "set %stics (", key);
    for (size_t i = 0; i < a->tick.n; i += step) {
        double at = json_number_value(a->tick.at[i]);
        fputs(put++ ? ", " : "", g->out);
        put_tick(g, a, a->tick.at[i]);
        fprintf(g->out, " %.9g", a->indexed ? (double)i : at > 0 ? at : a->zero);
    }
    fprintf(g->out, ")%s\n", *key == 'x' && put > LEVEL ? " rotate by 45 right" : "");
}

/* Ticks at 1, 2 and 5; those outside of the axis are not drawn. */
static void put_decades(const struct drawing *g, double low, double high)
{
    fputs("set ytics (1", g->out);
    for (int decade = (int)floor(log10(low)); decade <= ceil(log10(high)); decade++)
        for (int m = 1; m <= 5; m += m == 1 ? 1 : 3)
            fprintf(g->out, ", %.9g", m * pow(10, decade));
    fputs(")\n", g->out);
}

static void put_axis(const struct drawing *g, const struct axis *a, const char *key)
{
    double low = a->low, high = a->high, room = high > low ? 0.03 * (high - low) : 0.5;
    bool downwards = *key == 'y' && is_kind(g, "timeline"), upwards = *key == 'y' && low >= 0;
    if (a->indexed) {
        put_ticks(g, a, key);
        low = -0.5;
        high = (double)a->tick.n - 0.5;
    } else if (a->is_log) {
        fprintf(g->out, "set logscale %s\nset format %s '%%h'\n", key, key);
        if (*key == 'x')
            put_ticks(g, a, key);
        else if (high / low < 1e3)
            put_decades(g, low, high);
        low /= 1.15;
        high *= 1.15;
    } else {
        if (*key == 'x' && high - low <= 12 && high == floor(high))
            fputs("set xtics 1\n", g->out); /* none between ranks */
        low = upwards ? 0 : low - room;
        high += room;
    }
    fprintf(g->out, "set %srange [%.9g:%.9g]\n", key, downwards ? high : low,
            downwards ? low : high);
}

/* --- series --- */

static void include(struct axis *a, double value)
{
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

/* The line of a row in its series' block; false: it is not drawn. SUM: of bars, the height of what
 * is below, for each x. */
static bool put_row(struct drawing *g, const json_t *row, double *sum)
{
    double x = place_of(&g->x, cell_of(g, row, "x")), y = place_of(&g->y, cell_of(g, row, "y")),
           third = number_of(g, row, g->kind->third), fourth = number_of(g, row, g->kind->fourth);
    if (isnan(x) || isnan(y) || (is_kind(g, "heat") && isnan(third)))
        return false;
    if (is_kind(g, "bars")) {
        third = sum[(size_t)x];
        y = sum[(size_t)x] += y;
    } else if (is_kind(g, "lines")) { /* without an interval, or one without a position */
        third = isnan(third) || (third <= 0 && g->y.is_log) ? y : third;
        fourth = isnan(fourth) ? y : fourth;
        include(&g->y, third);
        include(&g->y, fourth);
    } else if (is_kind(g, "timeline")) {
        include(&g->x, third);
    }
    include(&g->x, x);
    include(&g->y, y);
    fprintf(g->out, "%.12g %.12g %.12g %.12g\n", x, y, third, fourth);
    return true;
}

/* False: there is nothing to draw. A series that has nothing is not in the key. */
static bool put_series(struct drawing *g)
{
    double *sum = memory_alloc((g->x.tick.n + 1) * sizeof *sum);
    bool any = false;
    for (size_t s = 0; s < g->series.n; s++) {
        fprintf(g->out, "$series%zu << END\n", s);
        for (size_t r = 0; r < g->rows.n; r++)
            if (!g->series.at[s] ||
                json_equal(cell_of(g, g->rows.at[r], "series"), g->series.at[s]))
                g->drawn[s] = put_row(g, g->rows.at[r], sum) || g->drawn[s];
        fputs("END\n", g->out);
        any = any || g->drawn[s];
    }
    free(sum);
    return any;
}

static void plot_series(const struct drawing *g)
{
    static const char *const dashes[] = {"1", "(12,12)", "(4,14)"};
    enum { NAME_ROOM = 40 }; /* in the key, which leaves the drawing its room */
    const char *comma = "plot";
    for (size_t s = 0; s < g->series.n; s++) {
        char number[32], *name = memory_strdup(name_of(g->series.at[s], number));
        if (g->drawn[s]) {
            fprintf(g->out, "%s $series%zu %s ", comma, s, g->kind->plot);
            comma = ",";
            if (is_kind(g, "lines"))
                fprintf(g->out, "pt %zu dt %s ", 4 + s % 10, dashes[s / COLOURS % 3]);
            if (is_kind(g, "heat"))
                fputs("lc palette title ", g->out);
            else
                fprintf(g->out, "lc rgb '%s' title ", colours[s % COLOURS]);
            text_shorten(&name, NAME_ROOM);
            quote_gnuplot(name, g->out);
        }
        free(name);
    }
}

/* --- maps --- */

/* The colours' scale: of all panels, from LOW to HIGH. False: there is nothing to draw. */
static bool put_scale(const struct drawing *g)
{
    const char *palette = declared(g, "palette") ?: palettes[0][0]; /* as the page does */
    double low = json_number_at(g->declared, "value_low"),
           high = json_number_at(g->declared, "value_high");
    struct axis s = {.low = INFINITY, .high = -INFINITY};
    for (size_t r = 0; r < g->rows.n; r++) {
        double v = number_of(g, g->rows.at[r], "value");
        if (v > 0 || !is_set(g, "value_log"))
            include(&s, v);
    }
    if (s.low == s.high) /* one colour, but a scale that can be drawn */
        s.high = s.low + (s.low != 0 ? 0.1 * fabs(s.low) : 1);
    if (!(low < high)) {
        low = s.low;
        high = s.high;
    }
    for (size_t i = 0; i < sizeof palettes / sizeof *palettes; i++)
        if (strcmp(palettes[i][0], palette) == 0)
            fprintf(g->out, "set palette defined (%s)\n", palettes[i][1]);
    fprintf(g->out, "%sset logscale cb\nset cbrange [%.9g:%.9g]\nset format cb '%%h'\n",
            is_set(g, "value_log") ? "" : "un", low, high);
    put_label(g, "cblabel", "value", "offset 1.5");
    return low < high;
}

/* Where VALUE lies among the centres of cells, in cells; between powers on a logarithmic scale. NaN
 * outside of the outermost cells. */
static double position_on(const struct axis *a, double value)
{
    size_t i = 0, last = a->tick.n - 1;
    if (last == 0)
        return value == json_number_value(a->tick.at[0]) ? 0 : NAN;
    while (i + 1 < last && value > json_number_value(a->tick.at[i + 1]))
        i++;
    double low = json_number_value(a->tick.at[i]), high = json_number_value(a->tick.at[i + 1]);
    bool is_log = json_number_value(a->tick.at[0]) > 0 && value > 0;
    double position =
        (double)i + (is_log ? log(value / low) / log(high / low) : (value - low) / (high - low));
    return position < -0.5 || position > (double)last + 0.5 ? NAN : position;
}

/* A line over the map, twice, black under a light colour: it shows on dark and on light cells. */
static void plot_map(const struct drawing *g, const json_t *panel)
{
    struct list rows = rows_of(g, "lines", panel);
    fprintf(g->out, "set size %ssquare\n$over << END\n", g->x.tick.n == g->y.tick.n ? "" : "no");
    for (size_t r = 0; r < rows.n; r++) {
        double right = position_on(&g->x, number_of(g, rows.at[r], "x")),
               up = position_on(&g->y, number_of(g, rows.at[r], "y"));
        if (isnan(right) || isnan(up))
            fputs("\n", g->out); /* a gap */
        else
            fprintf(g->out, "%.9g %.9g\n", right, up);
    }
    fputs("END\n", g->out);
    plot_series(g);
    if (rows.n) {
        fputs(", $over with lines lc rgb '#000000' lw 5 notitle, "
              "$over with lines lc rgb '#40ff90' lw 2.5 title ",
              g->out);
        quote_gnuplot(text_of(rows.at[0], "label") ?: "", g->out);
    }
    free(rows.at);
}

/* --- timelines --- */

/* The names of spans that have the room for them. */
static void put_span_names(const struct drawing *g)
{
    enum { SHOWN = 1150, LETTER = 7 }; /* pixels */
    for (size_t r = 0; r < g->rows.n; r++) {
        const json_t *row = g->rows.at[r];
        const char *name = json_string_value(cell_of(g, row, "label"));
        double begin = number_of(g, row, "x"), end = number_of(g, row, "x_end");
        double width = (end - begin) / (g->x.high - g->x.low) * SHOWN;
        if (!name || !*name || !(width >= LETTER * (double)strlen(name)))
            continue;
        fputs("set label ", g->out);
        quote_gnuplot(name, g->out);
        fprintf(g->out, " at %.9g,%.9g center tc rgb '#ffffff' font ',9' front\n",
                (begin + end) / 2, place_of(&g->y, cell_of(g, row, "y")));
    }
}

static void plot_timeline(const struct drawing *g)
{
    struct list arrows = rows_of(g, "arrows", NULL);
    if (text_of(g->document, "caption")) /* the key is at the bottom */
        fputs("set label 99 at screen 0.01,0.97\n", g->out);
    put_span_names(g);
    fputs("$arrows << END\n-1 -1 -1 -1\n", g->out);
    for (size_t r = 0; r < arrows.n; r++)
        fprintf(g->out, "%.9g %.9g %.9g %.9g\n", number_of(g, arrows.at[r], "x"),
                place_of(&g->y, cell_of(g, arrows.at[r], "y")), number_of(g, arrows.at[r], "x_end"),
                place_of(&g->y, cell_of(g, arrows.at[r], "y_end")));
    fputs("END\n", g->out);
    plot_series(g);
    fprintf(g->out,
            ", $arrows using 1:2:($3-$1):($4-$2) with vectors head filled size screen 0.006,18 "
            "lw 0.7 lc rgb '#000000' %s",
            declared(g, "arrows") ? "title 'message'" : "notitle");
    free(arrows.at);
}

/* --- all --- */

/* The chart of G's rows, which are those of PANEL. False: there is nothing to draw. */
static bool draw_chart(struct drawing *g, const json_t *panel)
{
    if (!put_series(g))
        return false;
    fputs(g->kind->set, g->out);
    put_label(g, "xlabel", "x", "");
    put_label(g, "ylabel", "y", "");
    put_axis(g, &g->x, "x");
    put_axis(g, &g->y, "y");
    if (is_kind(g, "heat"))
        plot_map(g, panel);
    else if (is_kind(g, "timeline"))
        plot_timeline(g);
    else
        plot_series(g);
    fputs("\n", g->out);
    return true;
}

/* Maps side by side, one for each value of the column "panel". */
static bool draw_panels(const struct drawing *g, const struct list *panels, size_t columns)
{
    bool any = false;
    fprintf(g->out, "set multiplot layout %zu,%zu rowsfirst title ",
            (panels->n + columns - 1) / columns, columns);
    quote_gnuplot(declared(g, "title"), g->out);
    fputs(" font ',13'\nset rmargin 10\n", g->out); /* room for the colours and their label */
    for (size_t i = 0; i < panels->n; i++) {
        struct drawing one = *g;
        char number[32];
        one.rows = rows_of(g, "table", panels->at[i]);
        one.legible = 8;
        open_axes(&one);
        put_text(g, "title", name_of(panels->at[i], number), "font ',11'");
        any = draw_chart(&one, panels->at[i]) || any;
        close_axes(&one);
        free(one.rows.at);
    }
    fputs("unset multiplot\n", g->out);
    return any;
}

/* Writes the script; false: there is nothing to draw. */
static bool draw_all(struct drawing *g, const struct list *panels, size_t columns)
{
    const char *caption = text_of(g->document, "caption");
    if (is_kind(g, "heat") && !put_scale(g))
        return false;
    if (panels->n)
        return draw_panels(g, panels, columns);
    put_text(g, "title", declared(g, "title"), "font ',13'");
    if (caption) {
        fputs("set bmargin 5.5\n", g->out);
        put_text(g, "label 99", caption, "at screen 0.01,0.02 left font ',9' tc rgb '#505050'");
    }
    return draw_chart(g, NULL);
}

static bool draw_to(struct drawing *g, const char *path)
{
    struct list panels = {0};
    add_values(g, "panel", &panels);
    size_t n = panels.n, columns = n > 4 ? 3 : n > 1 ? 2 : 1;
    int width = is_kind(g, "timeline") ? 1400 : 1000,
        height = is_kind(g, "timeline") ? (int)fmax(350, 190 + 46 * (double)g->y.tick.n) : 640;
    if (n) {
        width = (int)(460 * columns);
        height = (int)(400 * ((n + columns - 1) / columns) + 60);
    }
    g->out = gnuplot_script(path, width, height);
    bool good = g->out && (draw_all(g, &panels, columns)
                               ? gnuplot_run(g->out, path)
                               : reason_give("cannot draw %s: nothing was measured that could be "
                                             "drawn",
                                             path));
    if (g->out)
        fclose(g->out);
    free(panels.at);
    return good;
}

/* PATH, or "STEM-NAME.png"; for free(). */
static char *path_of(const char *path, const char *name)
{
    const char *dot = strrchr(path, '.');
    char *result;
    int stem = (int)(dot ? (size_t)(dot - path) : strlen(path));
    if (asprintf(&result, "%.*s%s%s%s", stem, path, name ? "-" : "", name ? name : "",
                 path + stem) < 0)
        memory_out();
    return result;
}

bool document_draw_json(const json_t *json, const char *path)
{
    const json_t *pictures = json_object_get(json, "pictures");
    bool good = true;
    for (size_t i = 0; i < json_array_size(pictures); i++) {
        struct drawing g = {
            .document = json, .declared = json_array_get(pictures, i), .legible = 24};
        const char *kind = declared(&g, "kind") ?: "";
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (strcmp(kinds[k].name, kind) == 0)
                g.kind = &kinds[k];
        if (!g.kind)
            continue;
        char *file = path_of(path, json_array_size(pictures) > 1 ? declared(&g, "name") : NULL);
        g.rows = rows_of(&g, "table", NULL);
        open_axes(&g);
        good = draw_to(&g, file) && good;
        close_axes(&g);
        free(g.rows.at);
        free(file);
    }
    return good;
}

bool document_draw(const struct document *d, const char *path)
{
    json_t *json = document_json(d);
    bool good = document_draw_json(json, path);
    json_decref(json);
    return good;
}

bool document_draw_file(const char *from, const char *path)
{
    char why[1000];
    json_t *json = json_file_load(from, why, sizeof why);
    bool is_document = json_is_string(json_object_get(json, "schema")) &&
                       json_array_size(json_object_get(json, "pictures"));
    if (json && !is_document)
        snprintf(why, sizeof why,
                 "%s: it has no pictures: write it by a collbench program, --format=json", from);
    bool good = is_document ? document_draw_json(json, path) : reason_give("%s", why);
    json_decref(json);
    return good;
}
