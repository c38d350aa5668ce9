#include "overlap_grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t grid_axis(double min, double max, double step, double *value)
{
    size_t n = 0;
    for (int k = 0; n + 1 < GRID_AXIS_MAX; k++) {
        double v = round(min * pow(step, k));
        if (v >= max)
            break;
        if (n == 0 || v > value[n - 1])
            value[n++] = v;
    }
    value[n++] = max;
    return n;
}

bool grid_add(struct grid *g, const struct overlap_benchmark *b)
{
    struct grid_part *p = &g->part[g->n_parts++];
    p->benchmark = b;
    p->ny = b->by_threads ? g->n_threads : g->n_comp;
    p->y = b->by_threads ? g->threads : g->comp;
    p->cell = calloc(g->nx * p->ny, sizeof *p->cell);
    return p->cell != NULL;
}

void grid_free(struct grid *g)
{
    for (size_t i = 0; i < g->n_parts; i++)
        free(g->part[i].cell);
    base_round_free(&g->base);
    g->n_parts = 0;
}

/* A thread that shares its processor waits for whole slices of the scheduler. */
#define SLICE 4e-3

double grid_estimate(const struct grid *g, const struct grid_part *p, size_t ix, size_t iy,
                     int runs, double budget)
{
    double comm = base_round_time(&g->base, BASE_CONTIGUOUS, g->size[ix]);
    bool threads = p->benchmark->by_threads;
    double comp = threads ? SLICE : 1e-6 * p->y[iy];
    double round = (isfinite(comm) ? comm : 1e-5) + 3 * g->base.latency + comp;
    double all = (runs + 3) * (threads ? round : 2 * round + 2 * comp);
    return budget > 0 ? fmin(all, budget) : all;
}

bool grid_measured(const struct overlap_cell *c)
{
    return c->runs + c->disturbed > 0;
}

bool grid_certain(const struct overlap_cell *c)
{
    return c->runs > 0 && isfinite(c->ratio) && c->error <= OVERLAP_CERTAIN;
}

/* T_comm of a size: the median of its cells; NaN if there is none. */
static double grid_comm(const struct grid *g, const struct grid_part *p, size_t ix)
{
    double time[GRID_AXIS_MAX];
    size_t n = 0;
    for (size_t j = 0; j < p->ny; j++) {
        const struct overlap_cell *c = grid_cell(g, p, ix, j);
        if (c->runs > 0 && isfinite(c->t_comm))
            time[n++] = c->t_comm;
    }
    return n ? stats_median(time, n) : NAN;
}

struct overlap_map grid_map(const struct grid *g, const struct grid_part *p)
{
    double y[GRID_AXIS_MAX];
    bool threads = p->benchmark->by_threads;
    for (size_t j = 0; j < p->ny; j++)
        y[j] = threads ? p->y[j] : 1e-6 * p->y[j];
    struct overlap_map m =
        overlap_map_new(p->benchmark->name, p->benchmark->title, threads, g->size, g->nx, y, p->ny);
    for (size_t i = 0; i < m.nx; i++)
        m.comm[i] = grid_comm(g, p, i);
    for (size_t j = 0; j < m.ny; j++) {
        for (size_t i = 0; i < g->nx; i++) {
            const struct overlap_cell *c = grid_cell(g, p, i, j);
            /* A slowdown is drawn on a logarithmic scale: its size matters, not its last digit. */
            bool shown = threads ? c->runs > 0 && isfinite(c->ratio) : grid_certain(c);
            if (shown)
                *overlap_map_at(&m, i, j) = c->ratio;
            else if (grid_measured(c))
                overlap_map_doubt(&m, i, j);
        }
    }
    return m;
}

static const struct column base_columns[] = {
    {"size", "B", COLUMN_INTEGER, 0, "bytes of data"},
    {"contiguous", "us", COLUMN_REAL, 3, "half a ping-pong"},
    {"non_contiguous", "us", COLUMN_REAL, 3, "the same in blocks of 32 bytes at stride 64"},
    {"sending", "us", COLUMN_REAL, 3, "in a blocking send"},
};

static const struct column map_columns[] = {
    {"benchmark", NULL, COLUMN_TEXT, 0, NULL},
    {"cells", NULL, COLUMN_INTEGER, 0, "measured"},
    {"certain", NULL, COLUMN_INTEGER, 0, "whose ratio is certain within 0.5"},
    {"shows", NULL, COLUMN_TEXT, 0,
     "what the map shows, derived from its certain cells; and why, where --trace=transport shows "
     "it"},
};

static const struct column cell_columns[] = {
    {"benchmark", NULL, COLUMN_TEXT, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"comp", "us", COLUMN_REAL, 0, "computation, as wanted"},
    {"threads", NULL, COLUMN_INTEGER, 0, "computing threads"},
    {"t_comm", "us", COLUMN_REAL, 3, "the sequence without computation, median between the runs"},
    {"t_comp", "us", COLUMN_REAL, 3, "the computation alone, median between the runs"},
    {"t_measured", "us", COLUMN_REAL, 3, "both, median"},
    {"ratio", NULL, COLUMN_REAL, 3,
     "0 overlapped, 1 serialised; by threads: t_measured over t_comm"},
    {"error", NULL, COLUMN_REAL, 3, "half of the ratio's 95 % interval"},
    {"runs", NULL, COLUMN_INTEGER, 0, "that count"},
    {"disturbed", NULL, COLUMN_INTEGER, 0,
     "more runs, in which a rank lost its processor to another process"},
    {"own", NULL, COLUMN_INTEGER, 0,
     "runs that count, in which it lost it while threads of its own process ran"},
    {"ratio_all", NULL, COLUMN_REAL, 3, "the ratio from all runs, the disturbed ones too"},
    {"note", NULL, COLUMN_TEXT, 0,
     "why there is no ratio, or none between 0 and 1 that is certain"},
};

static void tell_base(const struct grid *g, struct document *d)
{
    struct table *t = document_table_of(d, "base", "Base round: communication alone", base_columns);
    for (size_t i = 0; i < g->base.n; i++) {
        const struct base_point *p = &g->base.point[i];
        table_integer(t, (long long)p->bytes);
        for (int k = 0; k < N_BASE_KINDS; k++)
            table_real(t, 1e6 * p->time[k]);
    }
}

static void tell_maps(const struct grid *g, struct document *d)
{
    struct table *t = document_table_of(d, "summary", "What overlaps", map_columns);
    struct overlap_map map[GRID_BENCHMARKS_MAX];
    char text[1600];
    json_t *list = json_array();
    for (size_t i = 0; i < g->n_parts; i++) {
        const struct grid_part *p = &g->part[i];
        size_t measured = 0, certain = 0;
        map[i] = grid_map(g, p);
        for (size_t k = 0; k < g->nx * p->ny; k++) {
            measured += grid_measured(&p->cell[k]);
            certain += grid_certain(&p->cell[k]);
        }
        overlap_map_sentence(&map[i], text, sizeof text);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", p->why);
        table_text(t, p->benchmark->name);
        table_integer(t, (long long)measured);
        table_integer(t, (long long)certain);
        table_text(t, text);
        json_array_append_new(list, overlap_map_json(&map[i]));
    }
    overlap_maps_sentence(map, g->n_parts, text, sizeof text);
    if (*text)
        document_note(d, "%s", text);
    overlap_maps_class(map, g->n_parts, text, sizeof text);
    if (*text)
        document_note(d, "%s", text);
    for (size_t i = 0; i < g->n_parts; i++)
        overlap_map_free(&map[i]);
    document_attach(d, "maps", list);
}

static void tell_cell(struct table *t, const struct grid_part *p, const struct overlap_cell *c,
                      double y)
{
    bool threads = p->benchmark->by_threads;
    table_text(t, p->benchmark->name);
    table_integer(t, (long long)c->bytes);
    table_real(t, threads ? NAN : y);
    table_integer_if(t, threads, (long long)y);
    table_real(t, 1e6 * c->t_comm);
    table_real(t, threads ? NAN : 1e6 * c->t_comp);
    table_real(t, 1e6 * c->t_measured);
    table_real(t, c->ratio);
    table_real(t, c->error);
    table_integer(t, c->runs);
    table_integer(t, c->disturbed);
    table_integer(t, c->own);
    table_real(t, c->ratio_all);
    table_text(t, overlap_note(p->benchmark, c));
}

static void tell_cells(const struct grid *g, struct document *d)
{
    struct table *t = document_table_of(d, "cells", "All cells", cell_columns);
    for (size_t k = 0; k < g->n_parts; k++) {
        const struct grid_part *p = &g->part[k];
        for (size_t i = 0; i < g->nx; i++)
            for (size_t j = 0; j < p->ny; j++)
                if (grid_measured(grid_cell(g, p, i, j)))
                    tell_cell(t, p, grid_cell(g, p, i, j), p->y[j]);
    }
}

static void tell_disturbed(const struct grid *g, struct document *d)
{
    size_t runs = 0, disturbed = 0, own = 0, left_out = 0;
    for (size_t k = 0; k < g->n_parts; k++) {
        for (size_t i = 0; i < g->nx * g->part[k].ny; i++) {
            const struct overlap_cell *c = &g->part[k].cell[i];
            runs += (size_t)c->runs;
            disturbed += (size_t)c->disturbed;
            own += (size_t)c->own;
            left_out += !grid_measured(c);
        }
    }
    document_fact(d, "runs", "%zu; in %zu more a rank lost its processor to another process", runs,
                  disturbed);
    if (own)
        document_note(d,
                      "In %zu of %zu runs a rank lost its processor while other threads of its own "
                      "process ran, as a progress thread of the library would: these runs count.",
                      own, runs);
    if (left_out)
        document_note(d, "%zu cells have no run: out of time", left_out);
}

void grid_tell(const struct grid *g, struct document *d, bool cells)
{
    document_fact(d, "latency", "%.3f us, 0 bytes, one way", 1e6 * g->base.latency);
    document_fact(d, "ratio",
                  "(measured - max(comm, comp)) / min(comm, comp): 0 overlapped, "
                  "1 serialised, above 1 slower than serial");
    tell_disturbed(g, d);
    tell_base(g, d);
    tell_maps(g, d);
    if (cells)
        tell_cells(g, d);
    document_attach(d, "base_round", base_round_json(&g->base, &g->origin));
}
