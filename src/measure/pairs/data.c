#include "measure/pairs/data.h"

#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pairs_new(struct pairs *p, int n)
{
    *p = (struct pairs){.n = n};
    p->host = calloc((size_t)n, sizeof *p->host);
    return p->host != NULL;
}

void pairs_free(struct pairs *p)
{
    for (int i = 0; p->host && i < p->n; i++)
        free(p->host[i]);
    for (int i = 0; i < p->n_sizes; i++)
        free(p->size[i].of[0]);
    free(p->host);
    free(p->relation);
    free(p->size);
    *p = (struct pairs){0};
}

struct pairs_size *pairs_add_size(struct pairs *p, size_t bytes, int repeats)
{
    size_t cells = (size_t)p->n * (size_t)p->n;
    struct pairs_size *grown = realloc(p->size, (size_t)(p->n_sizes + 1) * sizeof *grown);
    double *all = malloc(PAIRS_QUANTITIES * cells * sizeof *all);
    if (grown)
        p->size = grown;
    if (!grown || !all) {
        free(all);
        return NULL;
    }
    struct pairs_size s = {.bytes = bytes, .repeats = repeats};
    for (size_t i = 0; i < PAIRS_QUANTITIES * cells; i++)
        all[i] = i % cells % ((size_t)p->n + 1) == 0 ? 0 : NAN;
    for (size_t what = 0; what < PAIRS_QUANTITIES; what++)
        s.of[what] = all + what * cells;
    int at = p->n_sizes++;
    for (; at > 0 && grown[at - 1].bytes > bytes; at--)
        grown[at] = grown[at - 1];
    grown[at] = s;
    return &grown[at];
}

bool pairs_set_host(struct pairs *p, int rank, const char *name)
{
    char *copy = strdup(name);
    if (!copy)
        return false;
    free(p->host[rank]);
    p->host[rank] = copy;
    return true;
}

bool pairs_need_relation(struct pairs *p)
{
    size_t cells = (size_t)p->n * (size_t)p->n;
    if (!p->relation) {
        p->relation = malloc(cells * sizeof *p->relation);
        for (size_t i = 0; p->relation && i < cells; i++)
            p->relation[i] = -1;
    }
    return p->relation != NULL;
}

bool pairs_known(const struct pairs *p, enum pairs_quantity what)
{
    bool all = true;
    for (int s = 0; s < p->n_sizes; s++)
        for (size_t k = 0; all && k < (size_t)p->n * (size_t)p->n; k++)
            all = !isnan(p->size[s].of[what][k]);
    return all;
}

bool pairs_check(const struct pairs *p, char *why, size_t size)
{
    if (p->n_sizes == 0) {
        snprintf(why, size, "it has no measurements");
        return false;
    }
    for (int s = 0; s < p->n_sizes; s++) {
        for (int i = 0; i < p->n; i++) {
            for (int j = i + 1; j < p->n; j++) {
                double mean = p->size[s].of[PAIRS_MEAN][pairs_cell(p, i, j)];
                if (mean > 0)
                    continue;
                if (isnan(mean))
                    snprintf(why, size, "the pair of ranks %d and %d is missing (%zu bytes)", i, j,
                             p->size[s].bytes);
                else
                    snprintf(why, size,
                             "ranks %d and %d have a time of %g us (%zu bytes): it must be above 0",
                             i, j, 1e6 * mean, p->size[s].bytes);
                return false;
            }
        }
    }
    return true;
}

bool pairs_select(const struct pairs *p, const int *rank, int n, struct pairs *part)
{
    bool good = pairs_new(part, n) && (!p->relation || pairs_need_relation(part));
    for (int s = 0; good && s < p->n_sizes; s++)
        good = pairs_add_size(part, p->size[s].bytes, p->size[s].repeats) != NULL;
    for (int i = 0; good && i < n; i++) {
        good = !p->host[rank[i]] || pairs_set_host(part, i, p->host[rank[i]]);
        for (int j = 0; good && j < n; j++) {
            size_t from = pairs_cell(p, rank[i], rank[j]), to = pairs_cell(part, i, j);
            if (p->relation)
                part->relation[to] = p->relation[from];
            for (int s = 0; s < p->n_sizes; s++)
                for (int what = 0; what < PAIRS_QUANTITIES; what++)
                    part->size[s].of[what][to] = p->size[s].of[what][from];
        }
    }
    memcpy(part->system, p->system, sizeof part->system);
    part->order = p->order;
    part->slowdown = p->slowdown;
    if (!good)
        pairs_free(part);
    return good;
}

/* Minimizes the sum of ((y - a - b x) / y)^2: with one weight for all, the largest messages alone
 * would decide the latency. */
struct pairs_fit pairs_fit(const struct pairs *p, int i, int j)
{
    const struct pairs_size *first = &p->size[0];
    size_t k = pairs_cell(p, i, j);
    struct pairs_fit fit = {.latency = pairs_trip(first, k) / 2,
                            .injection = first->of[PAIRS_SEND][k],
                            .bandwidth = INFINITY};
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
    for (int s = 0; s < p->n_sizes; s++) {
        double y = pairs_trip(&p->size[s], k) / 2, x = (double)p->size[s].bytes;
        double u = 1 / y, v = x / y;
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    double det = uu * vv - uv * uv;
    if (p->n_sizes < 2 || !(det > 1e-12 * uu * vv))
        return fit;
    double a = (u1 * vv - v1 * uv) / det, b = (uu * v1 - uv * u1) / det;
    if (b > 0 && a > 0) {
        fit.latency = a;
        fit.bandwidth = 1 / b;
    } else if (vv > 0 && v1 > 0 && b > 0) { /* no latency to be seen: a line through 0 */
        fit.latency = 0;
        fit.bandwidth = vv / v1;
    }
    return fit;
}

const char *pairs_protocol(const struct pairs *p, int s, int i, int j)
{
    const struct pairs_size *size = &p->size[s];
    size_t k = pairs_cell(p, i, j);
    double waits = size->of[PAIRS_RENDEZVOUS][k];
    if (isnan(waits))
        return NULL;
    return waits > 0                                                    ? "rendezvous"
           : size->of[PAIRS_RECEIVE][k] > 0.45 * size->of[PAIRS_MIN][k] ? "pull"
                                                                        : "eager";
}

struct pairs_loggp pairs_loggp(const struct pairs *p, int i, int j)
{
    enum { SIZES_MAX = 64 }; /* powers of two, and the largest */
    const struct pairs_size *first = &p->size[0];
    size_t k = pairs_cell(p, i, j);
    int n = p->n_sizes < SIZES_MAX ? p->n_sizes : SIZES_MAX;
    double bytes[SIZES_MAX], gap[SIZES_MAX], g;
    struct pairs_loggp found = {NAN, NAN};
    const char *protocol = pairs_protocol(p, 0, i, j);
    if (!protocol)
        return found;
    double bound = first->of[PAIRS_BOUND][k];
    double one_way = bound > 0 ? first->of[PAIRS_MIN][k] / 2 : first->of[PAIRS_ONE_WAY][k];
    double left = one_way - first->of[PAIRS_SEND][k] - first->of[PAIRS_RECEIVE][k];
    if (left > 0 && strcmp(protocol, "eager") == 0)
        found.latency = left;
    for (int s = 0; s < n; s++) {
        bytes[s] = (double)p->size[s].bytes;
        gap[s] = p->size[s].of[PAIRS_GAP][k];
    }
    if (n > 1)
        stats_line(bytes, gap, (size_t)n, &g, &found.per_byte);
    if (!(found.per_byte > 0))
        found.per_byte = NAN;
    return found;
}
