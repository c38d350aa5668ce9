#include "results/documents.h"

#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BOUND = 8 }; /* its index */

static struct column columns[] = {
    {"from", NULL, COLUMN_INTEGER, 0, NULL},
    {"to", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"mean", "us", COLUMN_REAL, 3, "mean round trip", .flags = COLUMN_DATA_ONLY},
    {"sd", "us", COLUMN_REAL, 3, "standard deviation of the round trips",
     .flags = COLUMN_DATA_ONLY},
    {"median", "us", COLUMN_REAL, 3, "median round trip"},
    {"least", "us", COLUMN_REAL, 3, "shortest round trip", .flags = COLUMN_DATA_ONLY},
    {"one_way", "us", COLUMN_REAL, 3, "median latency in this direction"},
    {"bound", "us", COLUMN_REAL, 3, "error bound of one_way"},
    {"o_s", "us", COLUMN_REAL, 3, "duration of the send call if its receive is posted"},
    {"o_r", "us", COLUMN_REAL, 3, "duration of the receive call if the message has arrived"},
    {"g", "us", COLUMN_REAL, 3, "gap between consecutive messages"},
    {"protocol", NULL, COLUMN_TEXT, 0,
     "eager; rendezvous: a send waits for its receive; pull: the receive call fetches the message, "
     "so o_r is unknown; empty: unknown"},
    {"latency", "us", COLUMN_REAL, 3,
     "L, for the smallest size: one_way (if bound is above 0: half of least) minus o_s and o_r",
     .flags = COLUMN_OPTIONAL},
    {"per_byte", "ns/B", COLUMN_REAL, 4, "G: growth of the gap per byte", .flags = COLUMN_OPTIONAL},
};

static void add_row(const struct pairs *p, int s, int i, int j, struct table *t)
{
    static const enum pairs_quantity times[] = {PAIRS_MEAN, PAIRS_SD,      PAIRS_MEDIAN,
                                                PAIRS_MIN,  PAIRS_ONE_WAY, PAIRS_BOUND,
                                                PAIRS_SEND, PAIRS_RECEIVE, PAIRS_GAP};
    const char *protocol = pairs_protocol(p, s, i, j);
    bool eager = protocol && strcmp(protocol, "eager") == 0;
    struct pairs_loggp loggp = s == 0 ? pairs_loggp(p, i, j) : (struct pairs_loggp){NAN, NAN};
    table_reals(t, i, j, (double)p->size[s].bytes);
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        double value = p->size[s].of[times[k]][pairs_cell(p, i, j)];
        table_real(t, times[k] == PAIRS_RECEIVE && !eager ? NAN : 1e6 * value);
    }
    table_text(t, protocol);
    table_reals(t, 1e6 * loggp.latency, 1e9 * loggp.per_byte);
}

void pairs_table(const struct pairs *p, struct document *d, bool in_text)
{
    double bound = 0;
    for (size_t k = 0; k < (size_t)p->n * (size_t)p->n; k++)
        bound = fmax(bound, p->size[0].of[PAIRS_BOUND][k]);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        if (!in_text || (c == BOUND && bound == 0))
            columns[c].flags |= COLUMN_DATA_ONLY;
    struct table *t =
        document_table_of(d, "pairs", "Pairs of ranks (medians of round trips)", columns);
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < p->n; j++)
            for (int s = 0; i != j && s < p->n_sizes; s++)
                add_row(p, s, i, j, t);
}

/* Colours are logarithmic for means, which may span decades, and linear for standard deviations,
 * which may be 0. */
void pairs_pictures(struct document *d)
{
    struct picture map = {.kind = PICTURE_HEAT,
                          .title = "Mean of the round trip",
                          .table = "pairs",
                          .x = "from",
                          .y = "to",
                          .x_label = "rank",
                          .y_label = "rank",
                          .value = "mean",
                          .value_label = "mean round trip (us)",
                          .value_log = true,
                          .panel = "size"};
    document_picture(d, &map);
    map.name = map.value = "sd";
    map.title = "Standard deviation of the round trip";
    map.value_label = "standard deviation (us)";
    map.value_log = false;
    document_picture(d, &map);
}

/* --- a schedule --- */

static const struct column tree_columns[] = {
    {"arrival", "us", COLUMN_REAL, 2, "predicted time when this rank has the message"},
    {"tree", NULL, COLUMN_TEXT, 0, "ranks below their parents, in the order of sending"},
    {"host", NULL, COLUMN_TEXT, 0, NULL},
    {"rank", NULL, COLUMN_INTEGER, 0, NULL, .flags = COLUMN_DATA_ONLY},
    {"parent", NULL, COLUMN_INTEGER, 0, NULL, .flags = COLUMN_DATA_ONLY},
    {"end", "us", COLUMN_REAL, 2, "last arrival at a child", .flags = COLUMN_DATA_ONLY},
};

static const struct column message_columns[] = {
    {"arrival", "us", COLUMN_REAL, 2, "arrival at the sender", .flags = COLUMN_DATA_ONLY},
    {"rank", NULL, COLUMN_INTEGER, 0, "the sender", .flags = COLUMN_DATA_ONLY},
    {"end", "us", COLUMN_REAL, 2, "arrival at the receiver", .flags = COLUMN_DATA_ONLY},
    {"to", NULL, COLUMN_INTEGER, 0, "the receiver", .flags = COLUMN_DATA_ONLY},
};

struct schedule_drawing {
    const struct schedule *s;
    char *const *host;
    struct table *tree, *messages;
    char *line; /* "|  " for an ancestor that has more children, then "|- " or "`- ", and a rank */
};

/* Adds the rows of U and its descendants. INDENT: length of the line before U, three characters for
 * each ancestor. The recursion is as deep as the tree: the stack suffices for chains of thousands.
 */
static void add_rank(struct schedule_drawing *w, int u, size_t indent)
{
    const struct schedule *s = w->s;
    double end = s->arrival[u];
    for (int i = s->first[u]; i < s->first[u + 1]; i++)
        end = s->arrival[s->child[i]] > end ? s->arrival[s->child[i]] : end;
    snprintf(w->line + indent, 16, "%d", u);
    table_real(w->tree, 1e6 * s->arrival[u]);
    table_text(w->tree, w->line);
    table_text(w->tree, w->host ? w->host[u] : NULL);
    table_reals(w->tree, u, u != s->root ? (double)s->parent[u] : NAN, 1e6 * end);
    if (indent > 0)
        memcpy(w->line + indent - 3, w->line[indent - 3] == '`' ? "   " : "|  ", 3);
    for (int i = s->first[u]; i < s->first[u + 1]; i++) {
        int v = s->child[i];
        table_reals(w->messages, 1e6 * s->arrival[u], u, 1e6 * s->arrival[v], v);
        memcpy(w->line + indent, i + 1 == s->first[u + 1] ? "`- " : "|- ", 3);
        add_rank(w, v, indent + 3);
    }
}

void schedule_document(const struct schedule *s, char *const *host, struct document *d)
{
    FREED char *line = malloc(3 * (size_t)s->n + 32);
    struct schedule_drawing w = {s, host, document_table_of(d, "tree", s->name, tree_columns),
                                 document_table_of(d, "tree_messages", NULL, message_columns),
                                 line};
    if (!line)
        return;
    add_rank(&w, s->root, 0);
    if (isnan(s->completion))
        return;
    document_picture(d, &(struct picture){.kind = PICTURE_TIMELINE,
                                          .name = "tree",
                                          .title = s->name,
                                          .table = "tree",
                                          .x = "arrival",
                                          .x_end = "end",
                                          .y = "rank",
                                          .y_end = "to",
                                          .label = "rank",
                                          .x_label = "predicted arrival (us)",
                                          .y_label = "rank",
                                          .arrows = "tree_messages"});
}
