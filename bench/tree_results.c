/* The results of collbench-tree: the table, the tree, the picture. */
#include "tree_bench.h"

#include "measure/pairs/choose.h"
#include "picture/curves.h"
#include "picture/schedule_draw.h"
#include "results/schedule_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct column columns[] = {
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"algorithm", NULL, COLUMN_TEXT, 0, "in brackets: which one \"grid\" chose"},
    {"segment", "B", COLUMN_INTEGER, 0, "the message is sent in parts of so many bytes"},
    {"depth", NULL, COLUMN_INTEGER, 0, "of the tree"},
    {"children", NULL, COLUMN_INTEGER, 0, "the most that a rank has"},
    {"predicted", "us", COLUMN_REAL, 2,
     "last arrival by the latencies; empty where it is not known: in segments, or where messages "
     "share more than their sender"},
    {"at_least", "us", COLUMN_REAL, 2, "where a sender's messages leave one after the other"},
    {"at_most", "us", COLUMN_REAL, 2, "where they share its path out and arrive together"},
    {"measured", "us", COLUMN_REAL, 2, "operation latency of the slowest destination, median"},
    {"low", "us", COLUMN_REAL, 2, "95 % interval of it"},
    {"high", "us", COLUMN_REAL, 2, NULL},
    {"error", "%", COLUMN_REAL, 1, "predicted against measured"},
    {"speedup", NULL, COLUMN_REAL, 2, "MPI_Bcast's time over this one's"},
    {"advised", NULL, COLUMN_TEXT, 0,
     "the quickest in a trial of several trees, or MPI_Bcast where none was quicker"},
    {"remarks", NULL, COLUMN_TEXT, 0, "why a figure may not be what it is meant to be"},
};

void tree_tell_rows(void *session, struct document *d)
{
    const struct tree_session *t = session;
    struct table *table = document_table_of(d, "schedules", "Broadcast schedules", columns);
    double native = NAN;
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct tree_row *r = &t->row[i];
        bool own = strcmp(r->name, "MPI_Bcast") == 0;
        native = own ? r->seen.value : native;
        table_integer(table, r->ranks);
        table_integer(table, (long long)r->bytes);
        table_text(table, r->name);
        table_integer_if(table, r->segment > 0, (long long)r->segment);
        table_integer_if(table, !own, r->depth);
        table_integer_if(table, !own, r->most_children);
        table_estimate(table, r->predicted);
        table_estimate(table, r->seen);
        table_real(table, 100 * (r->predicted.value / r->seen.value - 1));
        table_real(table, own ? NAN : native / r->seen.value);
        table_text(table, r->advised ? "yes" : "");
        table_text(table, *r->remarks ? r->remarks : NULL);
    }
}

/* The line of a row's algorithm, without what "grid" chose behind it. */
static struct plot_series *line_of(struct curves *c, const struct tree_session *t,
                                   const struct tree_row *r)
{
    char name[40];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(r->name, " ("), r->name);
    for (size_t i = 0; i < c->line.n; i++)
        if (!strcmp(c->line.at[i].label, name))
            return &c->line.at[i];
    return curves_line(c, name, t->n_rows);
}

/* Measured times of every algorithm against size or ranks, for --plot: of several numbers of ranks
 * the largest size. */
static bool plot_rows(const struct tree_session *t, const char *path)
{
    struct curves c = {0};
    for (size_t i = 0; i < t->n_rows; i++) {
        const struct tree_row *r = &t->row[i];
        struct plot_series *line = line_of(&c, t, r);
        if (t->ranks.n == 1 || r->bytes == t->sizes.at[t->sizes.n - 1])
            curves_estimate(line, t->ranks.n > 1 ? r->ranks : (double)r->bytes,
                            t->run ? r->seen : r->predicted);
    }
    struct plot_axes axes = {.title = t->run ? "Broadcast by measured trees"
                                             : "Broadcast by measured trees, predicted",
                             .x_label = t->ranks.n > 1 ? "ranks" : "message (B)",
                             .y_label = "last arrival (us)",
                             .x_log2 = t->ranks.n == 1,
                             .y_log10 = t->ranks.n == 1};
    bool good = plot_lines(path, &axes, c.line.at, c.line.n);
    curves_free(&c);
    return good;
}

int tree_report(struct tree_session *t, struct document *d, size_t bytes)
{
    const struct tree_options *o = t->o;
    char *const *host = t->grid.pairs.host;
    bool good = true;
    tree_tell_rows(t, d);
    if (t->grid.pairs.n_sizes == 0)
        document_fact(d, "latencies", "not needed");
    else if (t->grid.measured)
        document_fact(d, "latencies", "measured now, in %.3f s", t->grid.cost);
    else
        document_fact(d, "latencies", "%s", o->latencies);
    double slowdown = t->grid.pairs.slowdown;
    if (t->grid.pairs.n_sizes > 0 && slowdown > PAIRS_SHARED)
        document_note(d,
                      "Pairs slow each other down, by a factor of up to %.3g: predictions are "
                      "unknown, only a trial tells.",
                      slowdown);
    else if (t->grid.pairs.n_sizes > 0 && !(slowdown > 0))
        document_note(d, "Whether pairs slow each other down is not known: predictions are for "
                         "messages that share nothing but their sender.");
    if (t->run)
        document_fact(d, "method", "%s%s", o->method->name,
                      t->clock.domains > 1 ? ", on synchronised clocks" : "");
    if (!t->run)
        document_note(d, "Nothing was run: %s.",
                      o->no_run ? "--no-run" : "one rank, a prediction for the log's");
    if (t->clock_bound > 0)
        document_note(d, "Clocks of %d hosts agree to %.2f us.", t->clock.domains,
                      1e6 * t->clock_bound);
    if (t->best.n > 0) {
        document_attach(d, "schedule", schedule_to_json(&t->best, bytes));
        if (o->tree)
            good = schedule_draw(&t->best, host, o->tree);
        if (o->save)
            good = schedule_save(&t->best, bytes, o->save) && good;
        if (o->bench.format == FORMAT_TEXT && !o->bench.output && t->best.n <= 64) {
            printf("\n%s, %zu B\n", t->best.name, bytes);
            schedule_draw_text(&t->best, host, stdout);
            printf("\n");
        }
    }
    if (o->bench.plot)
        good = plot_rows(t, o->bench.plot) && good;
    return good ? 0 : 1;
}
