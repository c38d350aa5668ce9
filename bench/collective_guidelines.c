/* Performance guidelines: an operation should take no longer than others that do the same, nor less
 * of it longer than more. Träff, Gropp, Thakur, "Self-Consistent MPI Performance Guidelines"
 * (2010). */
#include "collective_bench.h"

#include <string.h>

/* LEFT of a block <= RIGHT one after the other, of the same block or of one for each rank. */
static const struct guideline {
    const char *text, *left, *right[2];
    bool shared;
} guidelines[] = {
    {"broadcast <= scatter + allgather", "broadcast", {"scatter", "allgather"}, true},
    {"allreduce <= reduce + broadcast", "allreduce", {"reduce", "broadcast"}, false},
    {"reduce <= allreduce", "reduce", {"allreduce", NULL}, false},
    {"gather <= allgather", "gather", {"allgather", NULL}, false},
    {"allgather <= alltoall", "allgather", {"alltoall", NULL}, false},
};

static const struct column guideline_columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, "one block"},
    {"takes", "us", COLUMN_REAL, 2, NULL},
    {"at_most", "us", COLUMN_REAL, 2, "what does the same takes so long"},
    {"verdict", NULL, COLUMN_TEXT, 0, "whether it does; where that is not known, why"},
    {"guideline", NULL, COLUMN_TEXT, 0, NULL},
};

static struct estimate time_of(const struct drawn *d)
{
    struct estimate e = d->by[0];
    if (!estimate_known(e))
        return d->by[1];
    e.low -= d->clock_bound;
    e.high += d->clock_bound;
    return e;
}

/* The smallest block that was measured, of at least BYTES; NULL: none. POINTS are in order. */
static const struct drawn *find(const struct drawn *points, size_t n, const char *operation,
                                int ranks, double bytes)
{
    for (size_t i = 0; i < n; i++)
        if (points[i].at.ranks == ranks && (double)points[i].at.bytes >= bytes &&
            !strcmp(points[i].at.name, operation))
            return &points[i];
    return NULL;
}

/* Of the right side of a guideline, or of both. */
struct doubt {
    bool more;    /* of a larger block than it would have to be */
    bool spoiled; /* measured while a rank had no processor */
};

/* A simulated clock leaves no intervals: what is alike within 0.2 % is alike. */
static const char *verdict(struct estimate takes, struct estimate most, struct doubt doubt)
{
    if (doubt.spoiled)
        return "unknown: a rank had no processor";
    if (!(estimate_has_interval(takes) && estimate_has_interval(most)))
        return "unknown: no interval";
    if (takes.low > 1.002 * most.high)
        return "violated";
    if (takes.high > 1.002 * most.low)
        return "unknown: the intervals overlap";
    return doubt.more ? "unknown: at_most is of larger blocks" : "holds";
}

static void put(struct table *t, const struct bench_point *p, struct estimate takes,
                struct estimate most, struct doubt doubt, const char *text)
{
    bench_put_point(t, p);
    table_real_within(t, 1e6 * takes.value, 1e6 * (takes.high - takes.low) / 2);
    table_real_within(t, 1e6 * most.value, 1e6 * (most.high - most.low) / 2);
    table_text(t, verdict(takes, most, doubt));
    table_text(t, text);
}

static void check(struct table *t, const struct guideline *g, const struct drawn *p,
                  const struct drawn *points, size_t n)
{
    struct estimate most = {0, 0, 0};
    struct doubt doubt = {false, p->spoiled};
    double bytes = (double)p->at.bytes / (g->shared ? p->at.ranks : 1);
    for (int k = 0; k < 2 && g->right[k]; k++) {
        const struct drawn *part = find(points, n, g->right[k], p->at.ranks, bytes);
        if (!part)
            return;
        doubt.more = doubt.more || (double)part->at.bytes >= bytes + 1;
        doubt.spoiled = doubt.spoiled || part->spoiled;
        struct estimate e = time_of(part);
        most = (struct estimate){most.value + e.value, most.low + e.low, most.high + e.high};
    }
    put(t, &p->at, time_of(p), most, doubt, g->text);
}

void guidelines_put(struct document *d, const struct drawn *points, size_t n)
{
    struct table *t =
        document_table_of(d, "guidelines", "performance guidelines", guideline_columns);
    for (size_t k = 0; k < sizeof guidelines / sizeof *guidelines; k++)
        for (size_t i = 0; i < n; i++)
            if (!strcmp(points[i].at.name, guidelines[k].left))
                check(t, &guidelines[k], &points[i], points, n);
    for (size_t i = 0; i + 1 < n; i++)
        if (points[i].at.ranks == points[i + 1].at.ranks &&
            points[i].at.which == points[i + 1].at.which)
            put(t, &points[i].at, time_of(&points[i]), time_of(&points[i + 1]),
                (struct doubt){false, points[i].spoiled || points[i + 1].spoiled},
                "no longer than of a larger block");
    if (!table_rows(t))
        document_note(d, "guidelines: there is none of what was measured alone");
}
