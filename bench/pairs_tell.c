#include "pairs_tell.h"

#include "base/stats.h"
#include "base/topology.h"
#include "document/json_file.h"
#include "measure/pairs/hierarchy.h"
#include "measure/pairs/log.h"
#include "measure/pairs/suspect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks; wider matrices are for programs and pictures, and those of all sizes are for a few. */
enum { MATRIX_MAX = 32, EVERY_MAX = 8 };

/* Columns "rank" and one per rank. Documents keep the columns of their tables. */
static const struct column *rank_columns(int n)
{
    static struct column column[MATRIX_MAX + 1];
    static char name[MATRIX_MAX][12];
    column[0] = (struct column){.name = "rank", .kind = COLUMN_INTEGER};
    for (int i = 0; i < n; i++) {
        snprintf(name[i], sizeof name[i], "%d", i);
        column[i + 1] =
            (struct column){.name = name[i], .unit = "us", .kind = COLUMN_REAL, .decimals = 2};
    }
    return column;
}

static void tell_matrix(const struct pairs *p, struct document *d, const double *m,
                        const char *what, const struct pairs_size *s, bool smallest)
{
    char name[64], title[96];
    snprintf(name, sizeof name, "%s_%zu", what, s->bytes);
    if (strcmp(what, "way") == 0)
        snprintf(title, sizeof title, "Shortest way from the rank at the left, %zu B (us)",
                 s->bytes);
    else
        snprintf(title, sizeof title, "%s of the round trip, %zu B (us)",
                 strcmp(what, "mean") == 0     ? "Mean"
                 : strcmp(what, "median") == 0 ? "Median"
                                               : "Standard deviation",
                 s->bytes);
    if (!smallest && p->n > EVERY_MAX)
        return;
    struct table *t = document_table(d, name, title, rank_columns(p->n), (size_t)p->n + 1);
    for (int i = 0; i < p->n; i++) {
        table_integer(t, i);
        for (int j = 0; j < p->n; j++)
            table_real(t, 1e6 * m[pairs_cell(p, i, j)]);
    }
}

static json_t *matrix_of(const struct pairs *p, const double *m, double factor)
{
    json_t *rows = json_array();
    for (int i = 0; i < p->n; i++)
        json_array_append_new(rows, json_numbers(m + pairs_cell(p, i, 0), (size_t)p->n, factor));
    return rows;
}

static json_t *matrix_json(const struct pairs *p, const double *m)
{
    return matrix_of(p, m, 1e6);
}

/* For programs: every matrix of every size, in microseconds, row = first rank (or sender). */
static void attach(const struct pairs *p, struct document *d)
{
    json_t *all = json_array(), *hosts = json_array();
    for (int s = 0; s < p->n_sizes; s++) {
        const struct pairs_size *size = &p->size[s];
        json_t *one = json_pack("{s:I, s:i, s:o, s:o, s:o, s:o}", "bytes", (json_int_t)size->bytes,
                                "repeats", size->repeats, "mean_us", matrix_json(p, size->mean),
                                "sd_us", matrix_json(p, size->sd), "median_us",
                                matrix_json(p, size->median), "min_us", matrix_json(p, size->min));
        if (size->send)
            json_object_set_new(one, "send_us", matrix_json(p, size->send));
        if (size->receive) {
            json_object_set_new(one, "gap_us", matrix_json(p, size->gap));
            json_object_set_new(one, "receive_us", matrix_json(p, size->receive));
            json_object_set_new(one, "waits", matrix_of(p, size->waits, 1));
        }
        if (size->way) {
            json_object_set_new(one, "way_us", matrix_json(p, size->way));
            json_object_set_new(one, "way_doubt_us", matrix_json(p, size->doubt));
        }
        json_array_append_new(all, one);
    }
    for (int i = 0; i < p->n; i++)
        json_array_append_new(hosts, json_string(p->host[i]));
    document_attach(d, "hosts", hosts);
    document_attach(d, "sizes", all);
}

static const struct column relation_columns[] = {
    {"relation", NULL, COLUMN_TEXT, 0, "closest thing that the two ranks share (hwloc, host)"},
    {"pairs", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"lowest", "us", COLUMN_REAL, 2, "smallest median round trip of these pairs"},
    {"median", "us", COLUMN_REAL, 2, "median of the pairs' medians"},
    {"highest", "us", COLUMN_REAL, 2, NULL},
    {"latency", "us", COLUMN_REAL, 2, "one way, fitted over all sizes; median of the pairs"},
    {"injection", "us", COLUMN_REAL, 3, "the send call, smallest size; median of the pairs"},
    {"bandwidth", "MB/s", COLUMN_REAL, 1, "one way, fitted over all sizes; median of the pairs"},
};

struct series {
    double *trip, *latency, *injection, *bandwidth;
    size_t n;
};

static bool series_new(struct series *s, int n)
{
    size_t pairs = (size_t)n * (size_t)n;
    double *all = malloc(4 * pairs * sizeof *all);
    *s = (struct series){all, all + pairs, all + 2 * pairs, all + 3 * pairs, 0};
    return all != NULL;
}

static void gather_series(const struct pairs *p, int size, int relation, struct series *s)
{
    s->n = 0;
    for (int i = 0; i < p->n; i++) {
        for (int j = i + 1; j < p->n; j++) {
            if ((p->relation ? p->relation[pairs_cell(p, i, j)] : -1) != relation)
                continue;
            struct pairs_fit fit = pairs_fit(p, i, j);
            s->trip[s->n] = p->size[size].median[pairs_cell(p, i, j)];
            s->latency[s->n] = fit.latency;
            s->injection[s->n] = fit.injection;
            s->bandwidth[s->n++] = fit.bandwidth;
        }
    }
}

static void tell_relations(const struct pairs *p, struct document *d)
{
    struct series s;
    if (!series_new(&s, p->n))
        return;
    struct table *t =
        document_table_of(d, "relations", "By what the two ranks share", relation_columns);
    for (int size = 0; size < p->n_sizes; size++) {
        for (int relation = -1; relation <= OTHER_NODE; relation++) {
            gather_series(p, size, relation, &s);
            if (s.n == 0)
                continue;
            table_text(t, pairs_relation_name(relation));
            table_integer(t, (long long)s.n);
            table_integer(t, (long long)p->size[size].bytes);
            stats_sort(s.trip, s.n);
            table_real(t, 1e6 * s.trip[0]);
            table_real(t, 1e6 * stats_quantile(s.trip, s.n, 0.5));
            table_real(t, 1e6 * s.trip[s.n - 1]);
            if (size > 0) {
                for (int k = 0; k < 3; k++)
                    table_skip(t);
                continue;
            }
            table_real(t, 1e6 * stats_median(s.latency, s.n));
            table_real(t, 1e6 * stats_median(s.injection, s.n));
            double bandwidth = stats_median(s.bandwidth, s.n);
            table_real(t, isfinite(bandwidth) ? 1e-6 * bandwidth : NAN);
        }
    }
    free(s.trip);
}

static const struct column loggp_columns[] = {
    {"from", NULL, COLUMN_INTEGER, 0, NULL},
    {"to", NULL, COLUMN_INTEGER, 0, NULL},
    {"size", "B", COLUMN_INTEGER, 0, NULL},
    {"o_s", "us", COLUMN_REAL, 3, "the send call, its receiver waiting"},
    {"o_r", "us", COLUMN_REAL, 3, "the receive call, the message being there"},
    {"g", "us", COLUMN_REAL, 3, "gap of messages in a row"},
    {"protocol", NULL, COLUMN_TEXT, 0,
     "eager, or rendezvous: a send waits for its receiver, which finds no message there"},
    {"latency", "us", COLUMN_REAL, 3, "L: the way of the smallest size without both calls"},
    {"per_byte", "ns/B", COLUMN_REAL, 4, "G: what the gap grows by a byte"},
};

static void tell_loggp(const struct pairs *p, struct document *d)
{
    struct table *t = document_table_of(d, "loggp", "Parameters of LogGP", loggp_columns);
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) {
            struct pairs_loggp of_pair = pairs_loggp(p, i, j);
            size_t k = pairs_cell(p, i, j);
            for (int s = 0; i != j && s < p->n_sizes; s++) {
                const struct pairs_size *size = &p->size[s];
                bool waits = size->waits[k] > 0;
                table_integer(t, i);
                table_integer(t, j);
                table_integer(t, (long long)size->bytes);
                table_real(t, 1e6 * size->send[k]);
                table_real(t, waits ? NAN : 1e6 * size->receive[k]);
                table_real(t, 1e6 * size->gap[k]);
                table_text(t, waits ? "rendezvous" : "eager");
                table_real(t, s ? NAN : 1e6 * of_pair.latency);
                table_real(t, s ? NAN : 1e9 * of_pair.per_byte);
            }
        }
    }
}

static const struct column hierarchy_columns[] = {
    {"level", NULL, COLUMN_INTEGER, 0, "1 is the closest"},
    {"groups", NULL, COLUMN_INTEGER, 0, NULL},
    {"inside", "us", COLUMN_REAL, 2, "longest round trip needed to join a group"},
    {"outside", "us", COLUMN_REAL, 2, "shortest round trip between two groups"},
    {"is", NULL, COLUMN_TEXT, 0, "what divides the ranks the same way, by hwloc or host names"},
    {"members", NULL, COLUMN_TEXT, 0, "ranks, a group between bars"},
};

static bool in_group(const struct hierarchy_level *level, int n, int v, int group)
{
    return v < n && level->group[v] == group;
}

/* "0-3 | 4-7"; shortened, since a large machine has many. */
static void describe_groups(const struct hierarchy_level *level, int n, char *text, size_t size)
{
    FILE *out = fmemopen(text, size, "w");
    for (int g = 0; out && g < level->groups; g++) {
        const char *between = g ? " | " : "";
        if (ftell(out) > (long)size - 40) {
            fprintf(out, " | ...");
            break;
        }
        for (int v = 0; v < n && ftell(out) < (long)size - 30; v++) {
            if (!in_group(level, n, v, g))
                continue;
            int first = v;
            while (in_group(level, n, v + 1, g))
                v++;
            fprintf(out, v > first ? "%s%d-%d" : "%s%d", between, first, v);
            between = ",";
        }
    }
    if (out)
        fclose(out);
}

static void tell_hierarchy(const struct pairs *p, struct document *d)
{
    struct hierarchy h;
    if (!hierarchy_find(p, &p->size[0], 1.5, &h))
        return;
    if (h.n_levels == 0 && p->n > 2)
        document_note(d, "No hierarchy: no group of ranks is nearer to each other than 1.5 times "
                         "the way to the rest.");
    struct table *t = NULL;
    if (h.n_levels > 0)
        t = document_table_of(d, "hierarchy", "The hierarchy that the latencies show",
                              hierarchy_columns);
    for (int i = 0; i < h.n_levels; i++) {
        char members[120] = "";
        const struct hierarchy_level *level = &h.level[i];
        describe_groups(level, h.n, members, sizeof members);
        table_integer(t, i + 1);
        table_integer(t, level->groups);
        table_real(t, 1e6 * level->inside);
        table_real(t, 1e6 * level->outside);
        table_text(t, level->seen_as ? level->seen_as : "-");
        table_text(t, members);
    }
    hierarchy_free(&h);
}

/* One exchange that was held up moves a mean, not a median. */
static void tell_outliers(const struct pairs *p, struct document *d)
{
    for (int s = 0; s < p->n_sizes; s++) {
        const struct pairs_size *size = &p->size[s];
        double all = 0;
        int pairs = 0, i = 0, j = 0;
        for (int a = 0; a < p->n; a++) {
            for (int b = a + 1; b < p->n; b++) {
                double here = size->outliers[pairs_cell(p, a, b)];
                all += here;
                pairs += here > 0;
                if (here > size->outliers[pairs_cell(p, i, j)])
                    i = a, j = b;
            }
        }
        if (pairs > 0)
            document_note(
                d,
                "%zu B: %.0f exchanges of %d pairs took more than 5 times their pair's "
                "median, most of them (%.0f) between ranks %d and %d: means and deviations "
                "have them in, medians do not.",
                size->bytes, all, pairs, size->outliers[pairs_cell(p, i, j)], i, j);
    }
}

/* How unlike the two ways are that are the least alike, beyond what the clocks leave open. */
static void tell_ways(const struct pairs *p, struct document *d)
{
    for (int s = 0; s < p->n_sizes; s++) {
        const struct pairs_size *size = &p->size[s];
        double most = 1, doubt = 0;
        size_t there = 0, back = 0;
        for (int i = 0; i < p->n; i++) {
            for (int j = 0; j < p->n; j++) {
                size_t k = pairs_cell(p, i, j), l = pairs_cell(p, j, i);
                /* What exchanges differ by anyway says nothing of the ways. */
                double noise = size->doubt[k] + (size->median[k] - size->min[k]);
                double least = (size->way[k] - noise) / fmax(1e-9, size->way[l] + size->doubt[l]);
                doubt = fmax(doubt, size->doubt[k]);
                if (i != j && least > most)
                    most = least, there = k, back = l;
            }
        }
        if (most > 1.2)
            document_note(
                d,
                "%zu B: from rank %zu to %zu it takes %.2f us, back %.2f: trees are made for "
                "either way as it is.",
                size->bytes, there / (size_t)p->n, there % (size_t)p->n, 1e6 * size->way[there],
                1e6 * size->way[back]);
        if (doubt > 0)
            document_note(d,
                          "%zu B: clocks leave open up to %.2f us, either way, of how a round trip "
                          "divides into ways.",
                          size->bytes, 1e6 * doubt);
    }
}

void pairs_tell(const struct pairs *p, struct document *d, enum format format)
{
    if (format == FORMAT_JSON) {
        attach(p, d);
    } else if (p->n <= MATRIX_MAX) {
        for (int s = 0; s < p->n_sizes; s++) {
            tell_matrix(p, d, p->size[s].mean, "mean", &p->size[s], s == 0);
            tell_matrix(p, d, p->size[s].sd, "sd", &p->size[s], s == 0);
            tell_matrix(p, d, p->size[s].median, "median", &p->size[s], s == 0);
            tell_matrix(p, d, p->size[s].way, "way", &p->size[s], s == 0);
        }
    } else {
        document_note(d, "The matrices of %d ranks are not printed: --format=json or --plot.",
                      p->n);
    }
    if (p->n <= (format == FORMAT_TEXT ? EVERY_MAX : MATRIX_MAX))
        tell_loggp(p, d);
    tell_outliers(p, d);
    tell_ways(p, d);
    tell_relations(p, d);
    tell_hierarchy(p, d);
}

static const struct column suspect_columns[] = {
    {"what", NULL, COLUMN_TEXT, 0, "host, rank or pair"},
    {"who", NULL, COLUMN_TEXT, 0, "its name, or the ranks and their hosts"},
    {"factor", NULL, COLUMN_REAL, 2,
     "times slower than pairs of the same kind; of a host or rank the median of its pairs"},
    {"size", "B", COLUMN_INTEGER, 0, "where it stands out most"},
};

static void describe_suspect(const struct pairs *p, const struct suspect *s, char *text,
                             size_t size)
{
    const char *a = p->host[s->a] ? p->host[s->a] : "-";
    if (s->kind == SUSPECT_HOST)
        snprintf(text, size, "%s", a);
    else if (s->kind == SUSPECT_RANK)
        snprintf(text, size, "%d on %s", s->a, a);
    else
        snprintf(text, size, "%d on %s, %d on %s", s->a, a, s->b,
                 p->host[s->b] ? p->host[s->b] : "-");
}

size_t pairs_tell_suspects(const struct pairs *p, double factor, struct document *d)
{
    static const char *const kinds[] = {
        [SUSPECT_HOST] = "host", [SUSPECT_RANK] = "rank", [SUSPECT_PAIR] = "pair"};
    size_t n;
    struct suspect *list = pairs_suspects(p, factor, &n);
    if (!list) {
        document_note(d, "No memory to look for what stands out.");
        return 0;
    }
    if (n == 0)
        document_note(d,
                      "Nothing is slower than its kind by %g or more, and by more than its kind "
                      "varies anyway (three deviations).",
                      factor);
    struct table *t =
        n == 0 ? NULL : document_table_of(d, "suspects", "What stands out", suspect_columns);
    for (size_t i = 0; i < n; i++) {
        char who[320];
        describe_suspect(p, &list[i], who, sizeof who);
        table_text(t, kinds[list[i].kind]);
        table_text(t, who);
        table_real(t, list[i].factor);
        table_integer(t, (long long)list[i].bytes);
    }
    free(list);
    return n;
}
