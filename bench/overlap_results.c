/* Tables and pictures of the overlap maps, and one sentence that says which side overlaps. */
#include "overlap_results.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double shown_ratio(const struct overlap_grid *g, const struct grid_part *p,
                          const struct overlap_cell *c)
{
    return g->published && !p->benchmark->by_threads ? c->published_ratio : c->ratio;
}

/* Parts of a map that are summarised: the lower and the upper quarter of the sizes. */
enum messages { SMALL, LARGE };

/* Median ratio of the certain cells with sizes FROM to TO and computations up to row MOST.
 * COMPARABLE: only cells in which neither time exceeds 8 times the other; otherwise the ratio
 * divides by a small part of the measured time. */
static double typical(const struct overlap_grid *g, const struct grid_part *p, size_t from,
                      size_t to, size_t most, bool comparable)
{
    enum { TIMES = 8 };
    double *x = malloc(g->size.n * p->y->n * sizeof *x);
    size_t n = 0;
    for (size_t i = from; x && i <= to; i++)
        for (size_t j = 0; j < p->y->n && j <= most; j++) {
            const struct overlap_cell *c = overlap_cell_at(g, p, i, j);
            bool near = c->t_comp <= TIMES * c->t_comm && c->t_comm <= TIMES * c->t_comp;
            double ratio = shown_ratio(g, p, c);
            if (overlap_certain(c) && isfinite(ratio) && (near || !comparable))
                x[n++] = ratio;
        }
    double median = n ? stats_median(x, n) : NAN;
    free(x);
    return median;
}

/* NaN if P is NULL or no cell is certain. */
static double ratio_of(const struct overlap_grid *g, const struct grid_part *p, enum messages which)
{
    size_t quarter = g->size.n / 4, last = g->size.n - 1;
    if (!p)
        return NAN;
    return typical(g, p, which == LARGE ? last - quarter : 0, which == LARGE ? last : quarter,
                   p->y->n, !p->benchmark->by_threads);
}

/* Nearer to 0 (full overlap) than to 1 (no overlap). */
static bool overlaps(double ratio)
{
    return ratio < 0.5;
}

static const struct column base_columns[] = {
    {"size", "B", COLUMN_INTEGER, .meaning = "bytes of data"},
    {"contiguous", "us", COLUMN_REAL, 3, "half a ping-pong"},
    {"non_contiguous", "us", COLUMN_REAL, 3, "the same in blocks of 32 bytes at stride 64"},
    {"sending", "us", COLUMN_REAL, 3, "the time inside of a blocking send"},
};

static const struct column summary_columns[] = {
    {"benchmark", NULL, COLUMN_TEXT},
    {"cells", NULL, COLUMN_INTEGER, .meaning = "measured"},
    {"certain", NULL, COLUMN_INTEGER, .meaning = "of these, with a ratio known within 0.5"},
    {"small", NULL, COLUMN_REAL, 2, "median ratio of the smallest quarter of the sizes"},
    {"large", NULL, COLUMN_REAL, 2, "median ratio of the largest quarter of the sizes"},
};

#define CELL(name, unit, kind, decimals, meaning)                                                  \
    {                                                                                              \
        name, unit, COLUMN_##kind, decimals, meaning, .flags = COLUMN_DATA_ONLY                    \
    }
static const struct column cell_columns[] = {
    CELL("benchmark", NULL, TEXT, 0, NULL),
    CELL("size", "B", INTEGER, 0, "bytes of data"),
    CELL("comp", "us", REAL, 0, "computation, as wanted"),
    CELL("threads", NULL, INTEGER, 0, "computing threads"),
    CELL("t_comm", "us", REAL, 3, "the sequence without computation, median between the runs"),
    CELL("t_comp", "us", REAL, 3, "the computation alone, median between the runs"),
    CELL("t_measured", "us", REAL, 3, "both, median"),
    CELL("ratio", NULL, REAL, 3, "0 overlapped, 1 serialised; load: t_measured over t_comm"),
    CELL("error", NULL, REAL, 3, "half of the ratio's 95 % interval"),
    CELL("runs", NULL, INTEGER, 0, NULL),
    CELL("published", "us", REAL, 3, "T_measured as the paper defines it"),
    CELL("published_ratio", NULL, REAL, 3, "the ratio of that, with T_comm of the base round"),
    CELL("shown", NULL, REAL, 3, "the ratio that the map shows"),
    CELL("axis", NULL, TEXT, 0, "comp or threads: the vertical axis of the map"),
};

/* T_comm of each size: a line over the map. */
static const struct column line_columns[] = {
    CELL("benchmark", NULL, TEXT, 0, NULL),
    CELL("size", "B", INTEGER, 0, NULL),
    CELL("comp", "us", REAL, 3, NULL),
    CELL("label", NULL, TEXT, 0, NULL),
};

static void add_base(const struct overlap_grid *g, struct document *d)
{
    struct table *t = document_table_of(d, "base", "Base round: communication alone", base_columns);
    for (size_t i = 0; i < g->size.n; i++) {
        table_integer(t, (long long)g->size.at[i]);
        for (int k = 0; k < N_BASES; k++)
            table_real(t, 1e6 * g->base[i].time[k]);
    }
}

static void add_summary(const struct overlap_grid *g, struct document *d)
{
    struct table *t = document_find_table(d, "summary");
    for (const struct grid_part *p = g->part; p < g->part + g->n_parts; p++) {
        long long measured = 0, certain = 0;
        for (size_t i = 0; i < g->size.n * p->y->n; i++) {
            measured += p->cell[i].runs > 0;
            certain += overlap_certain(&p->cell[i]);
        }
        table_text(t, p->benchmark->name);
        table_reals(t, (double)measured, (double)certain, ratio_of(g, p, SMALL),
                    ratio_of(g, p, LARGE));
    }
}

void overlap_results_add(const struct overlap_grid *g, const struct grid_part *p, size_t ix,
                         size_t iy)
{
    const struct overlap_cell *c = overlap_cell_at(g, p, ix, iy);
    bool threads = p->benchmark->by_threads;
    struct table *t = g->cells;
    table_text(t, p->benchmark->name);
    table_reals(t, (double)g->size.at[ix], threads ? NAN : p->y->at[iy],
                threads ? p->y->at[iy] : NAN, 1e6 * c->t_comm, 1e6 * c->t_comp, 1e6 * c->t_measured,
                c->ratio, c->error, c->runs, 1e6 * c->published, c->published_ratio,
                overlap_certain(c) ? shown_ratio(g, p, c) : NAN);
    table_text(t, threads ? "threads" : "comp");
    if (!isfinite(c->ratio))
        table_remark(t, FINDING("comp_too_short", NOTE),
                     "the computation is over before the message starts");
}

static void add_line(const struct overlap_grid *g, struct document *d)
{
    struct table *line = document_table_of(d, "t_comm", NULL, line_columns);
    for (const struct grid_part *p = g->part; p < g->part + g->n_parts; p++)
        for (size_t i = 0; i < g->size.n; i++) {
            double comm[AXIS_MAX];
            size_t n = 0;
            for (size_t j = 0; j < p->y->n; j++) {
                const struct overlap_cell *c = overlap_cell_at(g, p, i, j);
                if (c->runs > 0)
                    comm[n++] = 1e6 * c->t_comm;
            }
            if (n == 0 || p->benchmark->by_threads)
                continue;
            table_text(line, p->benchmark->name);
            table_reals(line, (double)g->size.at[i], stats_median(comm, n));
            table_text(line, "T_comm");
        }
}

static void add_pictures(const struct overlap_grid *g, struct document *d)
{
    struct picture map = {.kind = PICTURE_HEAT,
                          .title = "Overlap of communication and computation",
                          .table = "cells",
                          .x = "size",
                          .y = "comp",
                          .value = "shown",
                          .x_label = "message size (B)",
                          .y_label = "computation (us)",
                          .value_label = "overhead ratio",
                          .panel = "benchmark",
                          .where = {{"axis", "comp"}},
                          .x_log = true,
                          .y_log = true,
                          .value_high = 2,
                          .palette = PALETTE_OVERLAP,
                          .lines = "t_comm"};
    bool by_threads = false, by_work = false;
    for (size_t i = 0; i < g->n_parts; i++) {
        by_threads = by_threads || g->part[i].benchmark->by_threads;
        by_work = by_work || !g->part[i].benchmark->by_threads;
    }
    if (by_work)
        document_picture(d, &map);
    if (by_threads) {
        map.name = by_work ? "load" : NULL;
        map.title = "Slowdown of communication by computing threads";
        map.where[0].is = map.y = "threads";
        map.y_label = "computing threads";
        map.value_label = "T_measured / T_comm";
        map.y_log = false;
        map.value_log = true;
        map.value_low = 1;
        map.value_high = 1000; /* waiting for a scheduler time slice takes ms instead of us */
        map.lines = NULL;
        document_picture(d, &map);
    }
}

static const struct grid_part *find_part(const struct overlap_grid *g, const char *name)
{
    for (size_t i = 0; i < g->n_parts; i++)
        if (strcmp(g->part[i].benchmark->name, name) == 0)
            return &g->part[i];
    return NULL;
}

static const char *which_side(double sender, double receiver)
{
    if (overlaps(sender))
        return overlaps(receiver) ? "on both sides" : "on the sender's side only";
    return overlaps(receiver) ? "on the receiver's side only" : "on neither side";
}

/* Whether large messages overlap with computations in the shortest quarter. */
static bool short_ones_overlap(const struct overlap_grid *g, const struct grid_part *p)
{
    size_t last = g->size.n - 1;
    return overlaps(typical(g, p, last - g->size.n / 4, last, p->y->n / 4, false));
}

/* Classifies the MPI library as section V-A of the overlap paper (Denis and Trahay) does. */
static const char *behaviour(const struct overlap_grid *g, const double sender[2],
                             const double receiver[2])
{
    if (overlaps(sender[LARGE]) && overlaps(receiver[LARGE]))
        return "typical of libraries with a progress thread";
    if (overlaps(sender[LARGE]))
        return "typical of libraries without threads that leave the transfer to the network card";
    if (overlaps(receiver[LARGE]))
        return "none of the paper's classes";
    if (short_ones_overlap(g, find_part(g, "sender")) ||
        short_ones_overlap(g, find_part(g, "receiver")))
        return "large ones only with short computations, as on TCP, since these end before the "
               "rendezvous is answered";
    return overlaps(sender[SMALL]) || overlaps(receiver[SMALL])
               ? "typical of libraries that answer a rendezvous inside of MPI calls only"
               : "typical of libraries on shared memory, where a processor has to copy";
}

static void add_behaviour(const struct overlap_grid *g, struct document *d)
{
    const struct grid_part *part[] = {find_part(g, "sender"), find_part(g, "receiver")};
    double s[2] = {ratio_of(g, part[0], SMALL), ratio_of(g, part[0], LARGE)};
    double r[2] = {ratio_of(g, part[1], SMALL), ratio_of(g, part[1], LARGE)};
    if (!isfinite(s[SMALL] + s[LARGE] + r[SMALL] + r[LARGE]))
        return;
    const char *small = which_side(s[SMALL], r[SMALL]), *large = which_side(s[LARGE], r[LARGE]);
    const struct finding f = {.key = "overlap_behaviour",
                              .severity = SEVERITY_FINDING,
                              .number = {{"sender_small", s[SMALL]},
                                         {"sender_large", s[LARGE]},
                                         {"receiver_small", r[SMALL]},
                                         {"receiver_large", r[LARGE]}}};
    if (strcmp(small, large) == 0)
        document_finding(d, &f, "Small and large messages overlap %s: %s.", small,
                         behaviour(g, s, r));
    else
        document_finding(d, &f, "Small messages overlap %s, large messages %s: %s.", small, large,
                         behaviour(g, s, r));
}

void overlap_results_begin(struct overlap_grid *g, struct document *d)
{
    document_fact(d, "latency", "%.3f us, 0 bytes, one way", 1e6 * g->latency);
    document_fact(d, "ratio",
                  "(measured - max(comm, comp)) / min(comm, comp): 0 overlapped, 1 serialised, "
                  "above 1 slower than serial%s",
                  g->published ? "; T_measured and T_comm as the paper defines them" : "");
    document_table_of(d, "summary", "What overlaps: median ratios", summary_columns);
    add_base(g, d);
    g->cells = document_table_of(d, "cells", NULL, cell_columns);
}

void overlap_results_end(const struct overlap_grid *g, struct document *d)
{
    add_behaviour(g, d);
    add_summary(g, d);
    add_line(g, d);
    add_pictures(g, d);
}
