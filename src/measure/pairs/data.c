#include "measure/pairs/data.h"

#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool pairs_new(struct pairs *p, int n)
{
    *p = (struct pairs){.n = n, .ways.sites = 1};
    p->host = calloc((size_t)n, sizeof *p->host);
    return p->host != NULL;
}

static void size_free(struct pairs_size *s)
{
    free(s->mean);
    free(s->sd);
    free(s->median);
    free(s->min);
    free(s->outliers);
    free(s->send);
    free(s->post);
    free(s->pace);
    free(s->sooner);
    free(s->gap);
    free(s->way);
    free(s->doubt);
    free(s->receive);
    free(s->waits);
}

void pairs_free(struct pairs *p)
{
    for (int i = 0; p->host && i < p->n; i++)
        free(p->host[i]);
    for (int i = 0; i < p->n_sizes; i++)
        size_free(&p->size[i]);
    free(p->host);
    free(p->ways.out);
    free(p->ways.in);
    free(p->small_ways.out);
    free(p->small_ways.in);
    free(p->relation);
    free(p->together);
    free(p->size);
    *p = (struct pairs){0};
}

static double *matrix_new(int n)
{
    size_t cells = (size_t)n * (size_t)n;
    double *m = malloc(cells * sizeof *m);
    for (size_t i = 0; m && i < cells; i++)
        m[i] = i % ((size_t)n + 1) == 0 ? 0 : NAN;
    return m;
}

struct pairs_size *pairs_add_size(struct pairs *p, size_t bytes, int repeats, bool directed)
{
    struct pairs_size *grown = realloc(p->size, (size_t)(p->n_sizes + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    p->size = grown;
    struct pairs_size s = {.bytes = bytes,
                           .repeats = repeats,
                           .mean = matrix_new(p->n),
                           .sd = matrix_new(p->n),
                           .median = matrix_new(p->n),
                           .min = matrix_new(p->n),
                           .outliers = calloc((size_t)p->n * (size_t)p->n, sizeof(double)),
                           .send = directed ? matrix_new(p->n) : NULL,
                           .post = directed ? matrix_new(p->n) : NULL,
                           .pace = directed ? matrix_new(p->n) : NULL,
                           .sooner = directed ? matrix_new(p->n) : NULL,
                           .gap = directed ? matrix_new(p->n) : NULL,
                           .way = directed ? matrix_new(p->n) : NULL,
                           .doubt = directed ? matrix_new(p->n) : NULL,
                           .receive = directed ? matrix_new(p->n) : NULL,
                           .waits = directed ? matrix_new(p->n) : NULL};
    if (!s.mean || !s.sd || !s.median || !s.min || !s.outliers ||
        (directed && (!s.send || !s.post || !s.pace || !s.sooner || !s.gap || !s.way || !s.doubt ||
                      !s.receive || !s.waits))) {
        size_free(&s);
        return NULL;
    }
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

int *pairs_hosts(const struct pairs *p, int *n)
{
    int *host = malloc((size_t)p->n * sizeof *host);
    *n = 0;
    for (int v = 0; host && v < p->n; v++) {
        int same = 0;
        while (same < v && !pairs_same_host(p, same, v))
            same++;
        host[v] = same < v ? host[same] : (*n)++;
    }
    return host;
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

bool pairs_check(const struct pairs *p, char *why, size_t size)
{
    if (p->n_sizes == 0) {
        snprintf(why, size, "it has no measurements");
        return false;
    }
    for (int s = 0; s < p->n_sizes; s++) {
        for (int i = 0; i < p->n; i++) {
            for (int j = i + 1; j < p->n; j++) {
                double mean = p->size[s].mean[pairs_cell(p, i, j)];
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

/* Minimizes the sum of ((y - a - b x) / y)^2: with one weight for all, the largest messages alone
 * would decide the latency. */
struct pairs_fit pairs_fit(const struct pairs *p, int i, int j)
{
    const struct pairs_size *first = &p->size[0];
    struct pairs_fit fit = {.latency = first->min[pairs_cell(p, i, j)] / 2,
                            .injection = first->send ? first->send[pairs_cell(p, i, j)] : NAN,
                            .bandwidth = INFINITY};
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
    for (int s = 0; s < p->n_sizes; s++) {
        double y = p->size[s].min[pairs_cell(p, i, j)] / 2, x = (double)p->size[s].bytes;
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

struct pairs_loggp pairs_loggp(const struct pairs *p, int i, int j)
{
    enum { SIZES_MAX = 64 }; /* powers of two, and the largest */
    const struct pairs_size *first = &p->size[0];
    size_t k = pairs_cell(p, i, j);
    int n = p->n_sizes < SIZES_MAX ? p->n_sizes : SIZES_MAX;
    double bytes[SIZES_MAX], gap[SIZES_MAX], g;
    struct pairs_loggp found = {NAN, NAN};
    if (!first->receive)
        return found;
    double way = first->doubt[k] > 0 ? first->min[k] / 2 : first->way[k];
    double left = way - first->send[k] - first->receive[k];
    if (left > 0 && first->waits[k] == 0)
        found.latency = left;
    for (int s = 0; s < n; s++) {
        bytes[s] = (double)p->size[s].bytes;
        gap[s] = p->size[s].gap[k];
    }
    if (n > 1)
        stats_line(bytes, gap, (size_t)n, &g, &found.per_byte);
    if (!(found.per_byte > 0))
        found.per_byte = NAN;
    return found;
}

static void select_cells(const double *from, int from_n, const int *rank, double *to, int n)
{
    for (int i = 0; from && i < n; i++)
        for (int j = 0; j < n; j++)
            to[(size_t)i * (size_t)n + (size_t)j] =
                from[(size_t)rank[i] * (size_t)from_n + (size_t)rank[j]];
}

bool pairs_select(const struct pairs *p, const int *rank, int n, struct pairs *part)
{
    bool good = pairs_new(part, n) && (!p->relation || pairs_need_relation(part));
    for (int i = 0; good && i < n; i++) {
        good = !p->host[rank[i]] || pairs_set_host(part, i, p->host[rank[i]]);
        for (int j = 0; good && p->relation && j < n; j++)
            part->relation[pairs_cell(part, i, j)] = p->relation[pairs_cell(p, rank[i], rank[j])];
    }
    for (int s = 0; good && s < p->n_sizes; s++) {
        const struct pairs_size *a = &p->size[s];
        struct pairs_size *b = pairs_add_size(part, a->bytes, a->repeats, a->send != NULL);
        good = b != NULL;
        if (!good)
            break;
        select_cells(a->mean, p->n, rank, b->mean, n);
        select_cells(a->sd, p->n, rank, b->sd, n);
        select_cells(a->median, p->n, rank, b->median, n);
        select_cells(a->min, p->n, rank, b->min, n);
        select_cells(a->send, p->n, rank, b->send, n);
        select_cells(a->post, p->n, rank, b->post, n);
        select_cells(a->pace, p->n, rank, b->pace, n);
        select_cells(a->sooner, p->n, rank, b->sooner, n);
        select_cells(a->gap, p->n, rank, b->gap, n);
        select_cells(a->way, p->n, rank, b->way, n);
        select_cells(a->doubt, p->n, rank, b->doubt, n);
    }
    memcpy(part->system, p->system, sizeof part->system);
    if (!good)
        pairs_free(part);
    return good;
}
