#include "document/draw.h"

#include "base/array.h"
#include "base/format.h"
#include "base/quote.h"
#include "base/reason.h"
#include "document/gnuplot.h"
#include "document/parts.h"
#include "document/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours, which colour-blind readers tell apart, grey, and pink. report.js has the
 * same. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                      "#56b4e9", "#f0e442", "#808080", "#ff1493"};
enum { COLOURS = sizeof colours / sizeof *colours };

/* Different values of a column: of numbers ascending, of texts as they come. */
struct axis {
    const char *column;
    enum column_kind kind;
    ARRAY(struct tick {
        double at; /* the number, or the position of the text */
        char *text;
    })
    tick;
};

struct drawing {
    const struct document *d;
    const json_t *p; /* the picture's declaration */
    const struct table *t;
    const char *panel; /* only rows of this one; NULL: of all */
    FILE *out;
};

static const char *text_of(const struct drawing *g, const char *key)
{
    return json_string_value(json_object_get(g->p, key));
}

static bool is_set(const struct drawing *g, const char *key)
{
    return json_is_true(json_object_get(g->p, key));
}

/* --- rows and axes --- */

static bool cell_is(const struct table *t, size_t row, const char *column, const char *text)
{
    char number[CELL_ROOM];
    size_t c = table_column(t, column);
    return c == t->n_columns || strcmp(cell_data(t, row, c, number), text) == 0;
}

/* Whether a row of T, which may also be a table of marks, belongs to the picture. */
static bool is_wanted(const struct drawing *g, const struct table *t, size_t row)
{
    const char *column;
    json_t *is;
    json_object_foreach((json_t *)json_object_get(g->p, "where"), column, is)
    {
        if (!cell_is(t, row, column, json_string_value(is)))
            return false;
    }
    return !g->panel || cell_is(t, row, text_of(g, "panel"), g->panel);
}

static double number_at(const struct table *t, size_t row, const char *column)
{
    size_t c = table_column(t, column);
    return c < t->n_columns ? cell_number(t, row, c) : NAN;
}

/* A tick's label: 65536 bytes are "64K". */
static char *tick_text(double value, enum column_kind kind, const char *unit)
{
    static const char units[] = "KMG";
    char text[CELL_ROOM];
    int u = -1;
    for (; (kind == COLUMN_BYTES || strcmp(unit, "B") == 0) && value >= 1024 && u < 2; u++)
        value /= 1024;
    if (u >= 0)
        snprintf(text, sizeof text, "%.*f%c", value < 10 && fabs(value - round(value)) > 0.05,
                 value, units[u]);
    else if (fabs(value) < 1e5 && (fabs(value) >= 100 || value == round(value)))
        snprintf(text, sizeof text, "%.0f", value);
    else
        snprintf(text, sizeof text, "%.3g", value);
    return memory_strdup(text);
}

static bool is_text(const struct axis *a)
{
    return a->kind == COLUMN_TEXT;
}

/* The tick of that cell; tick.n: there is none. */
static size_t tick_at(const struct axis *a, const struct table *t, size_t row)
{
    char number[CELL_ROOM];
    size_t c = table_column(t, a->column), i = 0;
    if (c == t->n_columns)
        return a->tick.n;
    double value = cell_number(t, row, c);
    const char *text = is_text(a) ? cell_shown(t, row, c, number) : NULL;
    while (i < a->tick.n &&
           (text ? strcmp(a->tick.at[i].text, text) != 0 : a->tick.at[i].at != value))
        i++;
    return i;
}

static int by_value(const void *a, const void *b)
{
    const struct tick *x = a, *y = b;
    return ORDER(x->at, y->at);
}

static void axis_add(struct axis *a, double at, char *text)
{
    *PUSH(&a->tick) = (struct tick){at, text};
}

/* The axis of the picture's member KEY, "x" for instance, in the rows of T. AS_TEXT: numbers are
 * names, too. */
static struct axis axis_of(const struct drawing *g, const struct table *t, const char *key,
                           bool as_text)
{
    char number[CELL_ROOM];
    struct axis a = {.column = text_of(g, key)};
    size_t c = table_column(t, a.column);
    if (c == t->n_columns)
        return a;
    const struct column *column = &t->columns[c];
    a.kind = as_text ? COLUMN_TEXT : column->kind;
    for (size_t r = 0; r < table_rows(t); r++) {
        double value = cell_number(t, r, c);
        if (!is_wanted(g, t, r) || (!is_text(&a) && isnan(value)) || tick_at(&a, t, r) < a.tick.n)
            continue;
        if (is_text(&a))
            axis_add(&a, (double)a.tick.n, memory_strdup(cell_shown(t, r, c, number)));
        else
            axis_add(&a, value, tick_text(value, column->kind, column_unit(column)));
    }
    if (!is_text(&a) && a.tick.n)
        qsort(a.tick.at, a.tick.n, sizeof *a.tick.at, by_value);
    return a;
}

/* The lines, bars or kinds of spans; one without a name where there is no such column. */
static struct axis series_of(const struct drawing *g)
{
    struct axis found = axis_of(g, g->t, "series", true), a = {found.column, COLUMN_TEXT, {0}};
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(g->p, "order"), i, name)
        axis_add(&a, (double)i, memory_strdup(json_string_value(name)));
    for (i = 0; i < found.tick.n; i++) {
        size_t k = 0;
        while (k < a.tick.n && strcmp(a.tick.at[k].text, found.tick.at[i].text) != 0)
            k++;
        if (k == a.tick.n)
            axis_add(&a, (double)k, memory_strdup(found.tick.at[i].text));
        free(found.tick.at[i].text);
    }
    free(found.tick.at);
    if (!a.tick.n)
        axis_add(&a, 0, memory_strdup(""));
    return a;
}

static void axis_free(struct axis *a)
{
    for (size_t i = 0; i < a->tick.n; i++)
        free(a->tick.at[i].text);
    free(a->tick.at);
}

static bool in_series(const struct drawing *g, const struct axis *series, size_t row, size_t s)
{
    return is_wanted(g, g->t, row) && (!series->column || tick_at(series, g->t, row) == s);
}

/* --- what all pictures have --- */

static void put_text(const struct drawing *g, const char *command, const char *text,
                     const char *style)
{
    fprintf(g->out, "set %s ", command);
    quote_gnuplot(text, g->out);
    fprintf(g->out, " %s\n", style);
}

/* "median (us)", or what the declaration says. */
static void put_label(const struct drawing *g, const char *command, const char *label,
                      const char *key, const char *style)
{
    size_t c = table_column(g->t, text_of(g, key));
    char text[200] = "";
    if (c < g->t->n_columns) {
        const struct column *column = &g->t->columns[c];
        const char *unit = column_unit(column);
        snprintf(text, sizeof text, *unit ? "%s (%s)" : "%s",
                 column->head ? column->head : column->name, unit);
    }
    put_text(g, command, text_of(g, label) ? text_of(g, label) : text, style);
}

static void put_frame(const struct drawing *g)
{
    put_text(g, "title", text_of(g, "title"), "font ',13'");
    put_label(g, "xlabel", "x_label", "x", "");
    put_label(g, "ylabel", "y_label", "y", "");
    if (!g->d->caption)
        return;
    fputs("set bmargin 5.5\nset label 99 ", g->out);
    quote_gnuplot(json_string_value(g->d->caption), g->out);
    fputs(" at screen 0.01,0.02 left font ',9' tc rgb '#505050'\n", g->out);
}

/* At most LEGIBLE ticks, at their values or (INDEXED) their positions. */
static void put_ticks(const struct drawing *g, const struct axis *a, char axis, size_t legible,
                      bool indexed, double zero)
{
    size_t step = (a->tick.n + legible - 1) / legible, put = 0;
    fprintf(g->out, "set %ctics (", axis);
    for (size_t i = 0; i < a->tick.n; i += step ? step : 1) {
        double at = indexed ? (double)i : a->tick.at[i].at;
        fputs(put++ ? ", " : "", g->out);
        quote_gnuplot(a->tick.at[i].text, g->out);
        fprintf(g->out, " %.9g", at > 0 || isnan(zero) ? at : zero);
    }
    fprintf(g->out, ")%s\n", axis == 'x' && put > 13 ? " rotate by 45 right" : "");
}

/* In the key of the picture names get no longer than what leaves the drawing its room. */
static void put_key(const struct drawing *g, const struct axis *series, size_t s)
{
    enum { ROOM = 40 };
    size_t n = series->tick.n;
    char **name = memory_alloc(n * sizeof *name);
    for (size_t i = 0; i < n; i++)
        name[i] = memory_strdup(series->tick.at[i].text);
    text_shorten(name, n, ROOM);
    fputs("title ", g->out);
    quote_gnuplot(name[s], g->out);
    for (size_t i = 0; i < n; i++)
        free(name[i]);
    free(name);
}

/* --- lines and bars --- */

/* Zero has no position on a logarithmic axis: half of the smallest stands for it, labelled 0. */
static double instead_of_zero(const struct axis *x)
{
    for (size_t i = 0; i < x->tick.n; i++)
        if (x->tick.at[i].at > 0)
            return x->tick.at[i].at / 2;
    return 1;
}

static void put_x(const struct drawing *g, const struct axis *x, double zero)
{
    double low = x->tick.at[0].at, high = x->tick.at[x->tick.n - 1].at;
    if (is_set(g, "x_log")) {
        fputs("set logscale x 2\n", g->out);
        put_ticks(g, x, 'x', 16, false, zero);
        fprintf(g->out, "set xrange [%.9g:%.9g]\n", 0.9 * (low > 0 ? low : zero), 1.1 * high);
        return;
    }
    double room = high > low ? 0.03 * (high - low) : 0.5;
    if (is_text(x))
        put_ticks(g, x, 'x', 32, true, NAN);
    else if (x->kind == COLUMN_RANK || x->kind == COLUMN_INTEGER) /* no ticks between them */
        fprintf(g->out, "set xtics %.0f\n", fmax(1, ceil((high - low) / 12)));
    fprintf(g->out, "set xrange [%.9g:%.9g]\n", low - room, high + room);
}

/* Where the values span less than three decades there are ticks at 1, 2 and 5. */
static void put_log_y(const struct drawing *g, double low, double high)
{
    fputs("set logscale y 10\nset format y '%h'\n", g->out);
    fprintf(g->out, "set yrange [%.9g:%.9g]\n", low / 1.25, high * 1.25);
    if (high / low > 1e3)
        return;
    fputs("set ytics (", g->out);
    int first = (int)floor(log10(low)), last = (int)ceil(log10(high));
    for (int decade = first; decade <= last; decade++)
        for (int m = 1; m <= 5; m += m == 1 ? 1 : 3)
            fprintf(g->out, "%s%.9g", decade == first && m == 1 ? "" : ", ", m * pow(10, decade));
    fputs(")\n", g->out);
}

/* What would be printed as 0 would stretch a logarithmic axis over empty decades. */
static double drawn_y(const struct drawing *g, size_t row)
{
    size_t c = table_column(g->t, text_of(g, "y"));
    const struct column *column = &g->t->columns[c];
    double y = cell_number(g->t, row, c),
           least = column->kind == COLUMN_REAL ? 0.5 * pow(10, -column->decimals) : 0;
    return is_set(g, "y_log") && y <= least ? NAN : y;
}

/* An end of the interval; the value itself where that is unknown or has no position. */
static double drawn_end(const struct drawing *g, size_t row, const char *key)
{
    double end = text_of(g, key) ? number_at(g->t, row, text_of(g, key)) : NAN;
    return isfinite(end) && (end > 0 || !is_set(g, "y_log")) ? end : drawn_y(g, row);
}

static bool draw_lines(const struct drawing *g)
{
    struct axis x = axis_of(g, g->t, "x", false), series = series_of(g);
    double zero = is_set(g, "x_log") ? instead_of_zero(&x) : NAN, low = INFINITY, high = 0;
    size_t points = 0;
    for (size_t s = 0; s < series.tick.n; s++) {
        fprintf(g->out, "$line%zu << END\n", s);
        for (size_t r = 0; r < table_rows(g->t); r++) {
            size_t tick = tick_at(&x, g->t, r);
            double y = drawn_y(g, r), at = tick < x.tick.n ? x.tick.at[tick].at : NAN;
            if (!in_series(g, &series, r, s) || isnan(at))
                continue;
            fprintf(g->out, "%.12g %.12g %.12g %.12g\n", at > 0 || isnan(zero) ? at : zero, y,
                    drawn_end(g, r, "low"), drawn_end(g, r, "high"));
            points += isfinite(y);
            low = fmin(low, drawn_end(g, r, "low"));
            high = fmax(high, drawn_end(g, r, "high"));
        }
        fputs("END\n", g->out);
    }
    if (points) {
        put_frame(g);
        fputs("set grid back lc rgb '#dcdcdc' lt 1 lw 0.7\n"
              "set key outside right center Left reverse spacing 1.3 samplen 2.5\n",
              g->out);
        put_x(g, &x, zero);
        if (is_set(g, "y_log"))
            put_log_y(g, low, high);
        else
            fputs("set yrange [0:*]\n", g->out);
    }
    for (size_t s = 0; points && s < series.tick.n; s++) {
        static const char *const dashes[] = {"1", "(12,12)", "(4,14)"};
        fprintf(g->out, "%s $line%zu using 1:2 with linespoints lw 2 pt %zu dt %s lc rgb '%s' ",
                s ? "," : "plot", s, 4 + s % 10, dashes[s / COLOURS % 3], colours[s % COLOURS]);
        put_key(g, &series, s);
        if (text_of(g, "low"))
            fprintf(g->out,
                    ", $line%zu using 1:3:(0):($4-$3) with vectors heads size screen 0.004,90 "
                    "lc rgb '%s' notitle",
                    s, colours[s % COLOURS]);
    }
    axis_free(&x);
    axis_free(&series);
    return points > 0;
}

/* On each other: those of the first series are at the bottom. */
static bool draw_bars(const struct drawing *g)
{
    struct axis x = axis_of(g, g->t, "x", false), series = series_of(g);
    double *sum = memory_alloc((x.tick.n + 1) * sizeof *sum);
    for (size_t s = 0; s < series.tick.n; s++) {
        fprintf(g->out, "$bars%zu << END\n", s);
        for (size_t r = 0; r < table_rows(g->t); r++) {
            size_t tick = tick_at(&x, g->t, r);
            double y = number_at(g->t, r, text_of(g, "y"));
            if (tick < x.tick.n && isfinite(y) && in_series(g, &series, r, s))
                sum[tick] += y;
        }
        for (size_t i = 0; i < x.tick.n; i++)
            fprintf(g->out, "%zu %.12g\n", i, sum[i]);
        fputs("END\n", g->out);
    }
    free(sum);
    if (x.tick.n) {
        put_frame(g);
        put_ticks(g, &x, 'x', 32, true, NAN);
        fprintf(g->out,
                "set xrange [-0.6:%g]\nset yrange [0:*]\nset style fill solid noborder\n"
                "set boxwidth 0.8\nset key outside right center Left reverse spacing 1.3\n",
                (double)x.tick.n - 0.4);
    }
    for (size_t s = series.tick.n; x.tick.n && s-- > 0;) {
        fprintf(g->out, "%s $bars%zu using 1:2 with boxes lc rgb '%s' ",
                s + 1 < series.tick.n ? "," : "plot", s, colours[s % COLOURS]);
        put_key(g, &series, s);
    }
    bool any = x.tick.n > 0;
    axis_free(&x);
    axis_free(&series);
    return any;
}

/* --- maps --- */

static const char *const palettes[][2] = {
    {"latency", "0 '#1f3fbf', 0.25 '#4fa3d9', 0.5 '#fff3a0', 0.75 '#f08a3c', 1 '#b81d1d'"},
    {"overlap", "0 '#000000', 0.5 '#7a1fa2', 1 '#e81818', 2 '#fff04a'"},
    {"amount", "0 '#b8cdf0', 0.5 '#4f7fd0', 1 '#0c1f5c'"},
};

struct scale {
    double low, high;
};

static struct scale scale_of(const struct drawing *g)
{
    struct scale s = {json_number_value(json_object_get(g->p, "value_low")),
                      json_number_value(json_object_get(g->p, "value_high"))};
    if (s.low < s.high)
        return s;
    s = (struct scale){INFINITY, -INFINITY};
    struct drawing all = *g;
    all.panel = NULL; /* one scale for all panels */
    for (size_t r = 0; r < table_rows(g->t); r++) {
        double v = number_at(g->t, r, text_of(g, "value"));
        if (is_wanted(&all, g->t, r) && isfinite(v) && (v > 0 || !is_set(g, "value_log"))) {
            s.low = fmin(s.low, v);
            s.high = fmax(s.high, v);
        }
    }
    if (s.low == s.high) /* one colour, but a scale that can be drawn */
        s.high = s.low + (s.low != 0 ? 0.1 * fabs(s.low) : 1);
    return s;
}

static void put_scale(const struct drawing *g, struct scale s)
{
    const char *palette = text_of(g, "palette") ?: palettes[0][0]; /* as the page does */
    for (size_t i = 0; i < sizeof palettes / sizeof *palettes; i++)
        if (strcmp(palettes[i][0], palette) == 0)
            fprintf(g->out, "set palette defined (%s)\n", palettes[i][1]);
    fprintf(g->out, "%sset logscale cb\nset cbrange [%.9g:%.9g]\nset format cb '%%h'\n",
            is_set(g, "value_log") ? "" : "un", s.low, s.high);
    put_label(g, "cblabel", "value_label", "value", "offset 1.5");
}

/* Where VALUE lies between the cells' centres, in cells; between powers on a logarithmic scale. NaN
 * outside of the outermost cells. */
static double position_on(const struct axis *a, double value)
{
    bool logarithmic = a->tick.n && a->tick.at[0].at > 0 && value > 0;
    for (size_t i = 0; i + 1 < a->tick.n; i++) {
        double low = a->tick.at[i].at, high = a->tick.at[i + 1].at;
        if ((value > high && i + 2 < a->tick.n) || (value < low && i > 0))
            continue;
        double share =
            logarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low);
        double position = (double)i + share;
        return position < -0.5 || position > (double)a->tick.n - 0.5 ? NAN : position;
    }
    return a->tick.n == 1 && value == a->tick.at[0].at ? 0 : NAN;
}

/* Of a table with the columns X and Y, a block for each value of its column "label". Returns their
 * names, which are drawn by put_overlay(). */
static struct axis overlay_of(const struct drawing *g, const char *key, const struct axis *x,
                              const struct axis *y)
{
    const struct table *t = text_of(g, key) ? document_find(g->d, text_of(g, key)) : NULL;
    struct axis labels = {.column = "label"};
    for (size_t r = 0; t && r < table_rows(t); r++) {
        size_t c = table_column(t, "label");
        char number[CELL_ROOM];
        if (is_wanted(g, t, r) && tick_at(&labels, t, r) == labels.tick.n)
            axis_add(&labels, 0,
                     memory_strdup(c < t->n_columns ? cell_shown(t, r, c, number) : ""));
        if (c == t->n_columns && labels.tick.n)
            break;
    }
    for (size_t i = 0; i < labels.tick.n; i++) {
        fprintf(g->out, "$%s%zu << END\n", key, i);
        for (size_t r = 0; r < table_rows(t); r++) {
            size_t label = tick_at(&labels, t, r);
            double right = position_on(x, number_at(t, r, x->column)),
                   up = position_on(y, number_at(t, r, y->column));
            if (!is_wanted(g, t, r) || (label != i && label < labels.tick.n))
                continue;
            if (isnan(right) || isnan(up))
                fputs("\n", g->out); /* a gap */
            else
                fprintf(g->out, "%.9g %.9g\n", right, up);
        }
        fputs("END\n", g->out);
    }
    return labels;
}

/* Twice, black under a light colour: it shows on dark and on light cells. */
static void put_overlay(const struct drawing *g, const char *key, struct axis *labels)
{
    bool lines = strcmp(key, "lines") == 0;
    for (size_t i = 0; i < labels->tick.n; i++) {
        fprintf(g->out, ", $%s%zu using 1:2 with %s lc rgb '#000000' %s notitle", key, i,
                lines ? "lines" : "points", lines ? "lw 5" : "pt 7 ps 1.6");
        fprintf(g->out, ", $%s%zu using 1:2 with %s lc rgb '%s' %s title ", key, i,
                lines ? "lines" : "points", lines ? "#40ff90" : colours[(i + 5) % COLOURS],
                lines ? "lw 2.5" : "pt 7 ps 1.1");
        quote_gnuplot(labels->tick.at[i].text, g->out);
    }
    axis_free(labels);
}

static void put_cells(const struct drawing *g, const struct axis *x, const struct axis *y,
                      struct scale s)
{
    fputs("$cells << END\n", g->out);
    for (size_t r = 0; r < table_rows(g->t); r++) {
        size_t i = tick_at(x, g->t, r), j = tick_at(y, g->t, r);
        double v = number_at(g->t, r, text_of(g, "value"));
        if (is_wanted(g, g->t, r) && i < x->tick.n && j < y->tick.n && isfinite(v))
            fprintf(g->out, "%zu %zu %.9g %.3g\n", i, j, fmin(fmax(v, s.low), s.high), v);
    }
    fputs("END\n", g->out);
}

static bool draw_map(const struct drawing *g, size_t legible)
{
    struct axis x = axis_of(g, g->t, "x", false), y = axis_of(g, g->t, "y", false);
    struct scale s = scale_of(g);
    bool any = x.tick.n && y.tick.n && s.low < s.high;
    if (any) {
        put_scale(g, s);
        put_ticks(g, &x, 'x', legible, true, NAN);
        put_ticks(g, &y, 'y', legible, true, NAN);
        fprintf(g->out,
                "set xrange [-0.5:%g]\nset yrange [-0.5:%g]\nset size %ssquare\n"
                "set key above right samplen 2.5\nset style textbox opaque noborder\n",
                (double)x.tick.n - 0.5, (double)y.tick.n - 0.5, x.tick.n == y.tick.n ? "" : "no");
        put_cells(g, &x, &y, s);
        struct axis lines = overlay_of(g, "lines", &x, &y), marks = overlay_of(g, "marks", &x, &y);
        bool values = x.tick.n <= 10 && y.tick.n <= 10 && !lines.tick.n && !marks.tick.n;
        fputs("plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fs solid noborder lc palette "
              "notitle",
              g->out);
        put_overlay(g, "lines", &lines);
        put_overlay(g, "marks", &marks);
        if (values)
            fputs(", $cells using 1:2:(sprintf('%g', $4)) with labels font ',10' "
                  "textcolor rgb '#000000' boxed notitle",
                  g->out);
        fputs("\n", g->out);
    }
    axis_free(&x);
    axis_free(&y);
    return any;
}

static bool draw_surface(const struct drawing *g)
{
    struct axis x = axis_of(g, g->t, "x", false), y = axis_of(g, g->t, "y", false);
    struct scale s = scale_of(g);
    size_t n = x.tick.n * y.tick.n;
    double *value = memory_alloc((n + 1) * sizeof *value);
    for (size_t i = 0; i < n; i++)
        value[i] = s.low;
    for (size_t r = 0; r < table_rows(g->t); r++) {
        size_t i = tick_at(&x, g->t, r), j = tick_at(&y, g->t, r);
        double v = number_at(g->t, r, text_of(g, "value"));
        if (is_wanted(g, g->t, r) && i < x.tick.n && j < y.tick.n && isfinite(v))
            value[j * x.tick.n + i] = v;
    }
    fputs("$surface << END\n", g->out);
    for (size_t k = 0; k < n; k++)
        fprintf(g->out, "%.9g %.9g %.9g\n%s", x.tick.at[k % x.tick.n].at,
                y.tick.at[k / x.tick.n].at, value[k], (k + 1) % x.tick.n ? "" : "\n");
    fputs("END\n", g->out);
    free(value);
    if (n) {
        put_frame(g);
        put_scale(g, s);
        fprintf(g->out, "unset cblabel\nset zrange [%.9g:%.9g]\n", s.low, s.high);
        put_label(g, "zlabel", "value_label", "value", "rotate parallel");
        fputs("set border 4095 lc rgb '#808080'\nset view 55,320\nset ticslevel 0\nunset key\n"
              "set colorbox user origin 0.92,0.3 size 0.02,0.4\nset rmargin at screen 0.88\n"
              "set pm3d border lc rgb '#404040' lw 0.4\nsplot $surface using 1:2:3 with pm3d\n",
              g->out);
    }
    axis_free(&x);
    axis_free(&y);
    return n > 0;
}

/* Maps side by side, one for each value of the column "panel". */
static bool draw_panels(const struct drawing *g, const struct axis *panels, size_t columns)
{
    size_t rows = (panels->tick.n + columns - 1) / columns;
    fprintf(g->out, "set multiplot layout %zu,%zu rowsfirst title ", rows, columns);
    quote_gnuplot(text_of(g, "title"), g->out);
    fputs(" font ',13'\nset rmargin 10\n", g->out); /* room for the colours and their label */
    put_label(g, "xlabel", "x_label", "x", "");
    put_label(g, "ylabel", "y_label", "y", "");
    bool any = false;
    for (size_t i = 0; i < panels->tick.n; i++) {
        struct drawing one = *g;
        one.panel = panels->tick.at[i].text;
        put_text(g, "title", one.panel, "font ',11'");
        any = draw_map(&one, 8) || any;
    }
    fputs("unset multiplot\n", g->out);
    return any;
}

/* --- timelines --- */

static void put_spans(const struct drawing *g, const struct axis *lanes, const struct axis *series,
                      double from, double to)
{
    char number[CELL_ROOM];
    const char *label = text_of(g, "label");
    fputs("$spans << END\n", g->out);
    for (size_t r = 0; r < table_rows(g->t); r++) {
        size_t lane = tick_at(lanes, g->t, r);
        if (is_wanted(g, g->t, r) && lane < lanes->tick.n)
            fprintf(g->out, "%.9g %.9g %zu 0x%s\n", number_at(g->t, r, text_of(g, "x")),
                    number_at(g->t, r, text_of(g, "x_end")), lane,
                    colours[tick_at(series, g->t, r) % COLOURS] + 1);
    }
    fputs("END\n", g->out);
    for (size_t r = 0; label && r < table_rows(g->t); r++) {
        const char *text = cell_data(g->t, r, table_column(g->t, label), number);
        double begin = number_at(g->t, r, text_of(g, "x")),
               end = number_at(g->t, r, text_of(g, "x_end"));
        enum { SHOWN = 1150, LETTER = 7 }; /* pixels */
        if (!*text || (end - begin) / (to - from) * SHOWN < LETTER * (double)strlen(text))
            continue;
        fputs("set label ", g->out);
        quote_gnuplot(text, g->out);
        fprintf(g->out, " at %.9g,%zu center tc rgb '#ffffff' font ',9' front\n", (begin + end) / 2,
                tick_at(lanes, g->t, r));
    }
}

static void put_arrows(const struct drawing *g, const struct axis *lanes)
{
    const struct table *t = text_of(g, "arrows") ? document_find(g->d, text_of(g, "arrows")) : NULL;
    struct axis ends = *lanes;
    ends.column = text_of(g, "y_end");
    fputs("$arrows << END\n-1 -1 -1 -1\n", g->out);
    for (size_t r = 0; t && r < table_rows(t); r++) {
        size_t from = tick_at(lanes, t, r), to = tick_at(&ends, t, r);
        if (from < lanes->tick.n && to < lanes->tick.n)
            fprintf(g->out, "%.9g %zu %.9g %zu\n", number_at(t, r, text_of(g, "x")), from,
                    number_at(t, r, text_of(g, "x_end")), to);
    }
    fputs("END\n", g->out);
}

static bool occurs(const struct drawing *g, const struct axis *series, size_t s)
{
    for (size_t r = 0; r < table_rows(g->t); r++)
        if (tick_at(series, g->t, r) == s)
            return true;
    return false;
}

static bool draw_timeline(const struct drawing *g)
{
    struct axis lanes = axis_of(g, g->t, "y", false), series = series_of(g);
    double from = INFINITY, to = -INFINITY;
    for (size_t r = 0; r < table_rows(g->t); r++) {
        from = fmin(from, number_at(g->t, r, text_of(g, "x")));
        to = fmax(to, number_at(g->t, r, text_of(g, "x_end")));
    }
    bool any = lanes.tick.n && from < to;
    if (any) {
        put_frame(g);
        put_ticks(g, &lanes, 'y', 64, true, NAN);
        fprintf(g->out,
                "set xrange [%.9g:%.9g]\nset yrange [%zu.6:-0.6]\nset rmargin 5\n"
                "set key below right horizontal samplen 2\nset bmargin 9\nset tmargin 4\n"
                "set format x '%%.0f'\nset style fill solid noborder\n",
                from, to, lanes.tick.n - 1);
        if (g->d->caption) /* the key is at the bottom */
            fputs("set label 99 at screen 0.01,0.97\n", g->out);
        put_spans(g, &lanes, &series, from, to);
        put_arrows(g, &lanes);
        fputs("plot $spans using (($1+$2)/2):3:1:2:($3-0.35):($3+0.35):4 with boxxyerror lc rgb "
              "variable notitle, $arrows using 1:2:($3-$1):($4-$2) with vectors head filled size "
              "screen 0.006,18 lw 0.7 lc rgb '#000000' ",
              g->out);
        fputs(text_of(g, "arrows") ? "title 'message'" : "notitle", g->out);
        for (size_t s = 0; s < series.tick.n; s++) {
            if (!occurs(g, &series, s))
                continue;
            fprintf(g->out, ", NaN with boxes lc rgb '%s' title ", colours[s % COLOURS]);
            quote_gnuplot(series.tick.at[s].text, g->out);
        }
        fputs("\n", g->out);
    }
    axis_free(&lanes);
    axis_free(&series);
    return any;
}

/* --- all --- */

/* Writes the script; false: there is nothing to draw. */
static bool draw_kind(const struct drawing *g, const char *kind, const struct axis *panels,
                      size_t columns)
{
    if (strcmp(kind, "lines") == 0)
        return draw_lines(g);
    if (strcmp(kind, "bars") == 0)
        return draw_bars(g);
    if (strcmp(kind, "surface") == 0)
        return draw_surface(g);
    if (strcmp(kind, "timeline") == 0)
        return draw_timeline(g);
    if (panels->tick.n)
        return draw_panels(g, panels, columns);
    put_frame(g);
    return draw_map(g, 32);
}

size_t document_pictures(const struct document *d)
{
    return json_array_size(d->pictures);
}

char *document_picture_path(const struct document *d, size_t i, const char *path)
{
    const char *name = json_string_value(json_object_get(json_array_get(d->pictures, i), "name"));
    const char *dot = strrchr(path, '.');
    char *result;
    int stem = (int)(dot ? (size_t)(dot - path) : strlen(path));
    if (!name)
        return memory_strdup(path);
    if (asprintf(&result, "%.*s-%s%s", stem, path, name, path + stem) < 0)
        memory_out();
    return result;
}

bool document_draw_one(const struct document *d, size_t i, const char *path)
{
    struct gnuplot_script script;
    struct drawing g = {.d = d, .p = json_array_get(d->pictures, i)};
    const char *kind = text_of(&g, "kind");
    g.t = document_find(d, text_of(&g, "table"));
    if (!g.t)
        return reason_give("cannot draw %s: nothing was measured that could be drawn", path);
    struct axis panels = axis_of(&g, g.t, "panel", true), lanes = axis_of(&g, g.t, "y", false);
    size_t columns = panels.tick.n > 4 ? 3 : 2;
    size_t files = (size_t)json_integer_value(json_object_get(g.p, "files")); /* a row for each */
    if (files > 1)
        columns = (panels.tick.n + files - 1) / files;
    int width = 1000, height = 640;
    if (panels.tick.n) {
        width = (int)(460 * columns);
        height = (int)(400 * ((panels.tick.n + columns - 1) / columns) + 60);
    } else if (strcmp(kind, "timeline") == 0) {
        width = 1400;
        height = (int)fmax(350, 190 + 46 * (double)lanes.tick.n);
    }
    bool good = gnuplot_begin(&script, path, width, height);
    if (good) {
        g.out = script.out;
        if (draw_kind(&g, kind, &panels, columns)) {
            fputs("\n", script.out);
            good = gnuplot_run(&script);
        } else {
            gnuplot_abandon(&script);
            good = reason_give("cannot draw %s: nothing was measured that could be drawn", path);
        }
    }
    axis_free(&panels);
    axis_free(&lanes);
    return good;
}

bool document_draw(const struct document *d, const char *path)
{
    bool good = true;
    for (size_t i = 0; i < document_pictures(d); i++) {
        char *file = document_picture_path(d, i, path);
        good = document_draw_one(d, i, file) && good;
        free(file);
    }
    return good;
}
