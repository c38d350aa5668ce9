#include "measure/pairs/data.h"

#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool pairs_new(struct pairs *p, int n)
{
    *p = (struct pairs){.n = n};
    p->host = calloc((size_t)n, sizeof *p->host + sizeof *p->drift);
    if (p->host)
        p->drift = (double *)(p->host + n);
    return p->host != NULL;
}

void pairs_free(struct pairs *p)
{
    for (int i = 0; p->host && i < p->n; i++)
        free(p->host[i]);
    for (int i = 0; i < p->n_sizes; i++)
        free(p->size[i].of[0]);
    free(p->host);
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

bool pairs_all_known(const struct pairs *p, enum pairs_quantity what)
{
    bool all = true;
    for (int s = 0; s < p->n_sizes; s++)
        for (size_t k = 0; all && k < (size_t)p->n * (size_t)p->n; k++)
            all = !isnan(p->size[s].of[what][k]);
    return all;
}

/* Growth of WHAT per byte, by least squares over all sizes; NaN if it does not grow. */
static double growth(const struct pairs *p, enum pairs_quantity what, size_t cell)
{
    enum { SIZES_MAX = 64 }; /* all powers of two */
    int n = p->n_sizes < SIZES_MAX ? p->n_sizes : SIZES_MAX;
    double bytes[SIZES_MAX], value[SIZES_MAX], of_none, per_byte = 0;
    for (int s = 0; s < n; s++) {
        bytes[s] = (double)p->size[s].bytes;
        value[s] = pairs_value(&p->size[s], what, cell);
    }
    if (n > 1)
        stats_line(bytes, value, (size_t)n, &of_none, &per_byte);
    return per_byte > 0 ? per_byte : NAN;
}

double pairs_bandwidth(const struct pairs *p, int i, int j)
{
    double there_and_back = growth(p, PAIRS_MIN, pairs_cell(p, i, j));
    return there_and_back > 0 ? 2 / there_and_back : INFINITY;
}

const char *pairs_protocol(const struct pairs *p, int s, int i, int j)
{
    double *const *of = p->size[s].of;
    size_t there = pairs_cell(p, i, j), back = pairs_cell(p, j, i);
    if (of[PAIRS_RENDEZVOUS][there] + of[PAIRS_RENDEZVOUS][back] > 0)
        return "rendezvous";
    double receives = (of[PAIRS_RECEIVE][there] + of[PAIRS_RECEIVE][back]) / of[PAIRS_MIN][there];
    return receives < 0.7 ? "eager" : receives > 0.95 ? "pull" : NULL;
}

struct pairs_loggp pairs_loggp(const struct pairs *p, int i, int j)
{
    const struct pairs_size *first = &p->size[0];
    size_t k = pairs_cell(p, i, j);
    struct pairs_loggp found = {NAN, NAN};
    const char *protocol = pairs_protocol(p, 0, i, j);
    if (!protocol)
        return found;
    double bound = first->of[PAIRS_BOUND][k];
    double one_way = bound > 0 ? first->of[PAIRS_MIN][k] / 2 : first->of[PAIRS_ONE_WAY][k];
    double left = one_way - first->of[PAIRS_SEND][k] - first->of[PAIRS_RECEIVE][k];
    if (left > 0 && strcmp(protocol, "eager") == 0)
        found.latency = left;
    found.per_byte = growth(p, PAIRS_GAP, k);
    return found;
}
