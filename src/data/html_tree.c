/* Broadcasts as trees: each rank a line, under the one that it hears from, over time. */
#include "data/html.h"

#include "base/format.h"
#include "base/quote.h"

#include <math.h>
#include <stdlib.h>

enum { ROW = 18, LEFT = 8, PLOT = 560, RIGHT = 150, MOST = 1024 };

struct tree {
    size_t n;
    int parent[MOST];  /* -1: the root, -2: not told */
    double at[MOST];   /* us after the root's entry; NaN: not known */
    size_t line[MOST]; /* where it is drawn */
};

/* Whether every rank's way ends at the one root: what a file says may be anything. */
static bool is_tree(const struct tree *t)
{
    size_t roots = 0;
    for (size_t i = 0; i < t->n; i++) {
        size_t steps = 0;
        roots += t->parent[i] == -1;
        for (int at = (int)i; t->parent[at] != -1; at = t->parent[at])
            if (t->parent[at] < 0 || (size_t)t->parent[at] >= t->n || ++steps > t->n)
                return false;
    }
    return t->n > 1 && roots == 1;
}

/* Lines for RANK and what is below it, the earliest first. */
static size_t place(struct tree *t, int rank, size_t line)
{
    bool done[MOST] = {0};
    t->line[rank] = line++;
    for (;;) {
        int next = -1;
        for (size_t i = 0; i < t->n; i++)
            if (t->parent[i] == rank && !done[i] && (next < 0 || t->at[i] < t->at[next]))
                next = (int)i;
        if (next < 0)
            return line;
        done[next] = true;
        line = place(t, next, line);
    }
}

static void draw(struct tree *t, const char *title, FILE *out)
{
    double most = 0;
    char time[32];
    if (!is_tree(t))
        return;
    for (size_t i = 0; i < t->n; i++) {
        t->at[i] = t->parent[i] == -1 ? 0 : t->at[i];
        most = fmax(most, t->at[i]);
        if (!(t->at[i] >= 0) || !isfinite(t->at[i]))
            return;
    }
    for (size_t i = 0; i < t->n; i++)
        if (t->parent[i] == -1)
            place(t, (int)i, 0);
    fputs("<figure><figcaption>", out);
    quote_html(title, out);
    fprintf(out,
            "; to the right: time since the root's entry</figcaption><div class=\"chart tree\" "
            "tabindex=0 role=region aria-label=\"broadcast tree\"><svg class=map "
            "style=\"max-width:%dpx;min-width:%dpx\" viewBox=\"0 0 %d %zu\" role=img "
            "aria-label=\"tree of the broadcast; the table has the numbers\">\n",
            LEFT + PLOT + RIGHT, LEFT + PLOT + RIGHT, LEFT + PLOT + RIGHT, ROW * t->n + 4);
    for (size_t i = 0; i < t->n; i++) {
        double x = LEFT + (most > 0 ? PLOT * t->at[i] / most : 0);
        size_t y = ROW * t->line[i] + ROW / 2;
        if (t->parent[i] >= 0) {
            double from = LEFT + (most > 0 ? PLOT * t->at[t->parent[i]] / most : 0);
            fprintf(out, "<path fill=none stroke=\"var(--faint)\" d=\"M%.1f %zuV%zuH%.1f\"/>", from,
                    ROW * t->line[t->parent[i]] + ROW / 2, y, x);
        }
        fprintf(out,
                "<circle cx=%.1f cy=%zu r=4 fill=\"var(--accent)\"/><text x=%.1f y=%zu>rank "
                "%zu%s%s</text>\n",
                x, y, x + 8, y + 4, i, t->parent[i] < 0 ? ", root" : ": ",
                t->parent[i] < 0 ? "" : format_time(time, 1e3 * t->at[i]));
    }
    fputs("</svg></div></figure>", out);
}

static struct tree *tree_new(size_t n)
{
    struct tree *t = memory_alloc(sizeof *t);
    t->n = n <= MOST ? n : 0;
    for (size_t i = 0; i < MOST; i++) {
        t->parent[i] = -2;
        t->at[i] = NAN;
    }
    return t;
}

void html_schedule(const json_t *schedule, FILE *out)
{
    const json_t *children = json_object_get(schedule, "children"),
                 *arrival = json_object_get(schedule, "arrival_us");
    const char *name = json_string_value(json_object_get(schedule, "algorithm"));
    struct tree *t = tree_new(json_array_size(children));
    json_int_t root = json_integer_value(json_object_get(schedule, "root"));
    char title[300], bytes[32];
    for (size_t i = 0; i < t->n; i++) {
        const json_t *list = json_array_get(children, i);
        t->at[i] = json_number_value(json_array_get(arrival, i));
        for (size_t k = 0; k < json_array_size(list); k++) {
            json_int_t child = json_integer_value(json_array_get(list, k));
            if (child >= 0 && (size_t)child < t->n)
                t->parent[child] = (int)i;
        }
    }
    if (root >= 0 && (size_t)root < t->n)
        t->parent[root] = -1;
    snprintf(title, sizeof title, "%.200s, %s, arrivals as predicted", name ? name : "schedule",
             format_bytes(bytes, json_number_value(json_object_get(schedule, "bytes"))));
    draw(t, title, out);
    free(t);
}

/* Rows of one broadcast follow each other: a root, and all of its ranks. */
void html_paths(const json_t *rows, FILE *out)
{
    for (size_t from = 0, end; from < json_array_size(rows); from = end) {
        const json_t *first = json_array_get(rows, from);
        struct tree *t = tree_new((size_t)json_integer_value(json_object_get(first, "ranks")));
        const char *name = json_string_value(json_object_get(first, "algorithm"));
        char title[300], bytes[32];
        for (end = from; end < json_array_size(rows) && (end == from || end - from < t->n); end++) {
            const json_t *row = json_array_get(rows, end), *parent = json_object_get(row, "parent");
            json_int_t rank = json_integer_value(json_object_get(row, "rank"));
            if (rank < 0 || (size_t)rank >= t->n)
                continue;
            t->parent[rank] = json_is_integer(parent) ? (int)json_integer_value(parent) : -1;
            t->at[rank] = json_number_value(json_object_get(row, "exit"));
        }
        snprintf(title, sizeof title, "%.200s, %s, as measured", name ? name : "broadcast",
                 format_bytes(bytes, json_number_value(json_object_get(first, "size"))));
        draw(t, title, out);
        free(t);
    }
}
