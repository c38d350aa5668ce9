/* A benchmark's figures as curves: time against size, or against ranks where one size was measured,
 * with intervals. Drawn as SVG; the script may put curves in its place that can be zoomed. */
#include "data/html.h"

#include "base/format.h"
#include "base/quote.h"
#include "base/stats.h"
#include "base/text.h"
#include "document/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Which tables have such figures: a line for each SERIES, a drawing for each PANEL. */
static const struct curves {
    const char *table, *series, *panel, *value, *low, *high;
} known[] = {{"statistics", "method", "algorithm", "value", "low", "high"},
             {"times", "operation", NULL, "direct", "low", "high"},
             {"schedules", "algorithm", NULL, "measured", "low", "high"}};

enum { WIDTH = 760, HEIGHT = 280, LEFT = 70, TOP = 12, BOTTOM = 28, RIGHT = 30 };
enum { MOST_PANELS = 16, MOST_SERIES = 24, MOST_X = 64, COLOURS = 8 };

/* Where the colours begin again; report.js has the same. */
static const struct dash {
    const char *lengths, *key;
} dashes[MOST_SERIES / COLOURS] = {{"none", ""}, {"6 4", " (dashed)"}, {"2 3", " (dotted)"}};

/* One drawing: the rows that are like FIRST. */
struct panel {
    const struct curves *is;
    const json_t *rows, *first;
    const char *x, *other;        /* which of "size" and "ranks" is the axis */
    ARRAY(const json_t *) series; /* the first row of each */
    double at[MOST_X];
    size_t n_series, n_at;             /* drawn */
    double x_from, x_to, y_from, y_to; /* logarithms */
};

/* "grid (binomial)" is grid: so many letters of it. */
static size_t name_length(const char *name)
{
    const char *more = strstr(name, " (");
    return more ? (size_t)(more - name) : strlen(name);
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
    const char *x = key ? json_string_value(json_object_get(a, key)) : NULL,
               *y = key ? json_string_value(json_object_get(b, key)) : NULL;
    if (!x || !y)
        return x == y;
    size_t n = name_length(x);
    return n == name_length(y) && !strncmp(x, y, n);
}

static bool in_panel(const struct panel *p, const json_t *row)
{
    double other = json_number_at(row, p->other);
    return same_text(row, p->first, p->is->panel) && json_number_at(row, p->is->value) > 0 &&
           json_number_at(row, p->x) >= 0 &&
           (other == json_number_at(p->first, p->other) ||
            isnan(json_number_at(p->first, p->other)));
}

static const json_t *row_at(const struct panel *p, const json_t *series, double x)
{
    for (size_t i = 0; i < json_array_size(p->rows); i++) {
        const json_t *row = json_array_get(p->rows, i);
        if (json_number_at(row, p->x) == x && same_text(row, series, p->is->series) &&
            in_panel(p, row))
            return row;
    }
    return NULL;
}

/* Nothing, too, has a place on a logarithmic axis: as far below the least as half of it. */
static double exponent(const struct panel *p, double x)
{
    double least = p->n_at > 1 && !(p->at[0] > 0) ? p->at[1] / 2 : p->at[0];
    return log2(fmax(x, fmax(least, 0.5)));
}

static void look_at(struct panel *p, const json_t *row)
{
    double x = json_number_at(row, p->x), low = json_number_at(row, p->is->low),
           high = json_number_at(row, p->is->high), value = json_number_at(row, p->is->value);
    size_t i = 0, k = 0;
    while (i < p->series.n && !same_text(p->series.at[i], row, p->is->series))
        i++;
    if (i == p->series.n)
        *PUSH(&p->series) = row;
    if (i >= MOST_SERIES)
        return;
    p->n_series = i < p->n_series ? p->n_series : i + 1;
    while (k < p->n_at && p->at[k] != x)
        k++;
    if (k == p->n_at && k < MOST_X)
        p->at[p->n_at++] = x;
    p->y_from = fmin(p->y_from, log10(low > 0 ? low : value));
    p->y_to = fmax(p->y_to, log10(high > 0 ? high : value));
}

static double right(const struct panel *p, double x)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (exponent(p, x) - p->x_from) / (p->x_to - p->x_from);
}

static double down(const struct panel *p, double us)
{
    return TOP + (HEIGHT - TOP - BOTTOM) * (p->y_to - log10(us)) / (p->y_to - p->y_from);
}

static void mark(const struct panel *p, double us, FILE *out)
{
    char text[32];
    if (log10(us) >= p->y_from && log10(us) <= p->y_to)
        fprintf(out,
                "<path stroke=\"var(--line)\" d=\"M%d %.1fh%d\"/><text x=%d y=%.1f "
                "text-anchor=end>%s</text>",
                LEFT, down(p, us), WIDTH - LEFT - RIGHT, LEFT - 6, down(p, us) + 4,
                format_time(text, 1e3 * us));
}

/* Of a small part of a decade equal steps, so many that there are three numbers at least. */
static void axes(const struct panel *p, FILE *out)
{
    char text[32];
    double span = p->y_to - p->y_from, low = pow(10, p->y_from), high = pow(10, p->y_to),
           step = pow(10, floor(log10((high - low) / 3))), end = -1e9;
    static const double steps[] = {1, 2, 5};
    step *= steps[((high - low) / 3 >= 2 * step) + ((high - low) / 3 >= 5 * step)];
    for (double us = step * ceil(low / step); span < 0.8 && us <= high; us += step)
        mark(p, us, out);
    for (double e = floor(p->y_from); span >= 0.8 && e <= p->y_to; e++)
        for (size_t s = 0; s < (span < 2.5 ? 3 : 1); s++)
            mark(p, steps[s] * pow(10, e), out);
    for (size_t k = 0; k < p->n_at; k++) {
        double x = right(p, p->at[k]);
        if (x < end + 60 && k)
            continue;
        end = x;
        if (!strcmp(p->x, "size"))
            format_bytes(text, p->at[k]);
        else
            snprintf(text, sizeof text, "%.0f", p->at[k]);
        fprintf(out, "<text x=%.1f y=%d text-anchor=middle>%s</text>", x, HEIGHT - 8, text);
    }
}

static void line(const struct panel *p, size_t i, FILE *out)
{
    const char *go = "M";
    fprintf(out,
            "<g fill=none stroke-width=2 stroke=\"var(--c%zu)\" stroke-dasharray=\"%s\"><path d=\"",
            i % COLOURS, dashes[i / COLOURS].lengths);
    for (size_t k = 0; k < p->n_at; k++) {
        const json_t *row = row_at(p, p->series.at[i], p->at[k]);
        if (row)
            fprintf(out, "%s%.1f %.1f", go, right(p, p->at[k]),
                    down(p, json_number_at(row, p->is->value)));
        go = row ? "L" : "M";
    }
    fputs("\"/>", out);
    for (size_t k = 0; k < p->n_at; k++) {
        const json_t *row = row_at(p, p->series.at[i], p->at[k]);
        double low = json_number_at(row, p->is->low), high = json_number_at(row, p->is->high);
        if (row && low > 0 && high > low)
            fprintf(out, "<path stroke-dasharray=none d=\"M%.1f %.1fV%.1f\"/>", right(p, p->at[k]),
                    down(p, low), down(p, high));
        if (row)
            fprintf(out, "<circle cx=%.1f cy=%.1f r=2.5 />", right(p, p->at[k]),
                    down(p, json_number_at(row, p->is->value)));
    }
    fputs("</g>", out);
}

static const char *series_name(const struct panel *p, size_t i)
{
    const char *name = json_string_value(json_object_get(p->series.at[i], p->is->series));
    return name ? name : "time";
}

/* For the script: [x, [low, value, high] of each line] and the lines' names. */
static void points(const struct panel *p, FILE *out)
{
    json_t *labels = json_pack("[s]", p->x), *list = json_array();
    for (size_t i = 0; i < p->n_series; i++)
        json_array_append_new(labels,
                              json_stringn(series_name(p, i), name_length(series_name(p, i))));
    for (size_t k = 0; k < p->n_at; k++) {
        json_t *at = json_pack("[f]", exp2(exponent(p, p->at[k])));
        for (size_t i = 0; i < p->n_series; i++) {
            const json_t *row = row_at(p, p->series.at[i], p->at[k]);
            double value = json_number_at(row, p->is->value), low = json_number_at(row, p->is->low),
                   high = json_number_at(row, p->is->high);
            json_array_append_new(at, row ? json_pack("[f, f, f]", low > 0 ? low : value, value,
                                                      high > 0 ? high : value)
                                          : json_null());
        }
        json_array_append_new(list, at);
    }
    json_t *all =
        json_pack("{s:o, s:o, s:b}", "labels", labels, "rows", list, "zero", !(p->at[0] > 0));
    char *text = json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(6));
    quote_html(text ? text : "{}", out);
    free(text);
    json_decref(all);
}

/* Whether there is something to draw. */
static bool draw(struct panel *p, FILE *out)
{
    const char *name =
        p->is->panel ? json_string_value(json_object_get(p->first, p->is->panel)) : NULL;
    char title[200], text[32];
    double other = json_number_at(p->first, p->other);
    for (size_t i = 0; i < json_array_size(p->rows); i++)
        if (in_panel(p, json_array_get(p->rows, i)))
            look_at(p, json_array_get(p->rows, i));
    if (p->n_at < 2)
        return false;
    stats_sort(p->at, p->n_at);
    p->x_from = exponent(p, p->at[0]);
    p->x_to = exponent(p, p->at[p->n_at - 1]);
    double margin = fmax(0.03 * (p->y_to - p->y_from), 0.05);
    p->y_from -= margin;
    p->y_to += margin;
    if (!strcmp(p->x, "size"))
        snprintf(text, sizeof text, "%.0f ranks", other);
    else
        format_bytes(text, other);
    snprintf(title, sizeof title, "%s%s%s", name ? name : "", name ? ", " : "",
             isnan(other) ? "" : text);
    fputs("<figure><figcaption>", out);
    quote_html(title, out);
    fprintf(out, ": median time by %s, with its 95 %% interval<br>",
            strcmp(p->x, "size") ? "number of ranks" : "message size");
    for (size_t i = 0; i < p->n_series; i++) {
        char colour[8];
        size_t length = name_length(series_name(p, i));
        snprintf(colour, sizeof colour, "c%zu", i % COLOURS);
        snprintf(text, sizeof text, "%.*s%s", length < 20 ? (int)length : 20, series_name(p, i),
                 dashes[i / COLOURS].key);
        html_key(out, colour, text);
    }
    if (p->series.n > p->n_series)
        fprintf(out, " %zu more are in the tables alone.", p->series.n - p->n_series);
    fputs(
        "</figcaption><div class=chart tabindex=0 role=region aria-label=\"curves\" data-curves=\"",
        out);
    points(p, out);
    fprintf(out,
            "\"><svg class=times style=\"max-width:%dpx\" viewBox=\"0 0 %d %d\" role=img "
            "aria-label=\"time by %s; the tables have the numbers\">",
            WIDTH, WIDTH, HEIGHT, p->x);
    axes(p, out);
    for (size_t i = 0; i < p->n_series; i++)
        line(p, i, out);
    fputs("</svg></div></figure>\n", out);
    return true;
}

/* Whether rows differ in KEY. */
static bool differ(const json_t *rows, const char *key)
{
    for (size_t i = 1; i < json_array_size(rows); i++)
        if (json_number_at(json_array_get(rows, i), key) !=
            json_number_at(json_array_get(rows, 0), key))
            return true;
    return false;
}

static void draw_all(const struct curves *is, const json_t *rows, FILE *out)
{
    size_t drawn = 0, left = 0;
    bool by_size = differ(rows, "size");
    struct panel p = {.is = is,
                      .rows = rows,
                      .x = by_size ? "size" : "ranks",
                      .other = by_size ? "ranks" : "size",
                      .y_from = INFINITY,
                      .y_to = -INFINITY};
    for (size_t i = 0; i < json_array_size(rows) && (by_size || differ(rows, "ranks")); i++) {
        size_t k = 0;
        p.first = json_array_get(rows, i);
        while (k < i && !in_panel(&p, json_array_get(rows, k)))
            k++;
        if (k < i || !in_panel(&p, p.first))
            continue;
        struct panel one = p;
        if (drawn < MOST_PANELS)
            drawn += draw(&one, out);
        else
            left++;
        free(one.series.at);
    }
    if (left)
        fprintf(out, "<p class=faint>%zu more are in the tables alone.</p>", left);
}

bool html_curves_of(const json_t *tables, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *part = memory_open_text(&text, &size);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const json_t *rows = json_object_get(json_object_get(tables, known[i].table), "rows"),
                     *first = json_array_get(rows, 0);
        if (json_object_get(first, known[i].low) &&
            json_is_string(json_object_get(first, known[i].series)))
            draw_all(&known[i], rows, part);
    }
    fclose(part);
    bool any = size > 0;
    if (any)
        fprintf(out, "<h2 id=curves>Curves</h2>%s", text);
    free(text);
    return any && *html_curves;
}
