#include "compare/sites.h"

#include "base/format.h"
#include "report/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct compared_site *site_of(struct compared_sites *s, const char *key,
                                     const char *operation, const char *label)
{
    for (size_t i = 0; i < s->list.n; i++)
        if (!strcmp(s->list.at[i]->key, key))
            return s->list.at[i];
    struct compared_site *new = memory_alloc(sizeof *new);
    *new = (struct compared_site){.key = memory_strdup(key),
                                  .operation = memory_strdup(operation),
                                  .label = memory_strdup(label),
                                  .run = memory_alloc(s->runs * sizeof *new->run)};
    for (size_t i = 0; i < s->runs; i++)
        new->run[i].wait = NAN;
    *PUSH(&s->list) = new;
    return new;
}

static uint64_t address_of(const struct profile *p, uint32_t site)
{
    return p->sites.at[site].depth ? p->sites.at[site].frame[0].address : 0;
}

/* The number of rows with ROW's operation and call chain but a lower address. This number makes
 * ROW's key unique. CHAIN: the functions of each call site. */
static size_t same_before(const struct profile *p, const struct profile *sums,
                          const struct profile_entry *row, char *const *chain)
{
    size_t n = 0;
    for (EACH(const struct profile_entry, e, sums->entries))
        n += e->site != PROFILE_NONE && e->operation == row->operation &&
             !strcmp(chain[e->site], chain[row->site]) &&
             (ORDER(address_of(p, e->site), address_of(p, row->site))
                  ?: ORDER(e->site, row->site)) < 0;
    return n;
}

static struct site_run run_of(const struct profile *p, const struct profile_entry *row)
{
    /* Calls that are excluded from timing are assumed to take as long as the others. */
    double ranks = p->ranks.n ? (double)p->ranks.n : 1, timed = (double)entry_timed_calls(row);
    double grown = timed > 0 ? 1 + (double)row->excluded / timed : 1, time = 0, wait = 0;
    for (EACH(const struct profile_arrival, a, p->arrivals)) {
        if (a->site == row->site && a->operation == row->operation) {
            time += (double)a->time_ns;
            wait += (double)a->wait_ns;
        }
    }
    return (struct site_run){grown * (double)row->time_ns / ranks, time > 0 ? wait / time : NAN};
}

static struct site_part *part_of(struct compared_site *at, uint32_t size_class, uint32_t ranks)
{
    for (size_t i = 0; i < at->parts.n; i++)
        if (at->parts.at[i].size_class == size_class && at->parts.at[i].ranks == ranks)
            return &at->parts.at[i];
    struct site_part *new = PUSH(&at->parts);
    *new = (struct site_part){.size_class = size_class, .ranks = ranks};
    return new;
}

/* Adds ROW's calls to the means of SIDE (0: A, 1: B). WEIGHT: 1 / (runs of the side x ranks). */
static void add_parts(struct compared_site *at, const struct profile *p,
                      const struct profile_entry *row, int side, double weight)
{
    const uint32_t family = p->operations.at[row->operation].family;
    const bool collective = family == FAMILY_COLLECTIVE || family == FAMILY_ICOLLECTIVE;
    for (const struct profile_entry *e = p->entries.at; e < p->entries.at + p->entries.n; e++) {
        if (e->site != row->site || e->operation != row->operation)
            continue;
        struct site_part *part =
            part_of(at, e->size_class,
                    collective && e->comm != PROFILE_NONE ? p->comms.at[e->comm].size : 0);
        part->bytes[side] += weight * (double)e->bytes;
        part->calls[side] += weight * (double)e->calls;
        part->time[side] += weight * (double)e->time_ns;
    }
}

static double growth(const struct site_part *part)
{
    return part->time[1] - part->time[0];
}

static const struct site_part *most_changed(const struct compared_site *s)
{
    const struct site_part *most = s->parts.at;
    for (EACH(const struct site_part, part, s->parts))
        if (fabs(growth(part)) > fabs(growth(most)))
            most = part;
    return most;
}

const char *call_text(const struct profile *p, const char *operation, double bytes, uint32_t ranks,
                      char text[SITE_PART_TEXT])
{
    char label[COMM_LABEL] = "";
    uint32_t comm = PROFILE_NONE, comms = 0;
    int at = 0;
    *text = '\0';
    for (EACH(const struct profile_entry, e, p->entries))
        if (e->comm != PROFILE_NONE && e->comm != comm && p->comms.at[e->comm].size == ranks &&
            !strcmp(p->operations.at[e->operation].name, operation)) {
            comm_label(p, comm = e->comm, label);
            comms++;
        }
    if (bytes > 0 || (ranks && !strstr(operation, "arrier")))
        at = snprintf(text, SITE_PART_TEXT, " of %s", AS_BYTES(bytes));
    if (ranks)
        snprintf(text + at, SITE_PART_TEXT - (size_t)at,
                 comms == 1 ? " on %u ranks (%.90s)" : " on %u ranks", ranks,
                 strstr(label, "made at ") ?: label);
    return text;
}

const char *site_part_text(const struct compared_site *s, const struct profile *p,
                           char text[SITE_PART_TEXT])
{
    const struct site_part *most = most_changed(s);
    const double bytes = most->bytes[0] + most->bytes[1], calls = most->calls[0] + most->calls[1];
    return call_text(p, s->operation, bytes / calls, most->ranks, text);
}

const char *site_calls_text(const struct compared_site *s, double ns, char text[SITE_PART_TEXT])
{
    const struct site_part *most = most_changed(s);
    double alike = 0; /* growth of the parts whose time changes in MOST's direction */
    *text = '\0';
    for (EACH(const struct site_part, part, s->parts))
        alike += growth(part) * growth(most) > 0 ? growth(part) : 0;
    if (fabs(most->calls[1] - most->calls[0]) > 0.005 * most->calls[0])
        snprintf(text, SITE_PART_TEXT, " in %.4g -> %.4g calls a rank", most->calls[0],
                 most->calls[1]);
    else if (alike != 0)
        snprintf(text, SITE_PART_TEXT, " by %s a call",
                 AS_TIME(fabs(ns) * growth(most) / alike / most->calls[0]));
    return text;
}

static void add_run(struct compared_sites *s, size_t run, const struct profile *p)
{
    struct profile *sums = profile_sums(p, true);
    char **label = site_labels(p), key[2400], functions[2300];
    char **chain = memory_alloc((p->sites.n + 1) * sizeof *chain);
    for (uint32_t i = 0; i < p->sites.n; i++) {
        site_path(p, i, true, functions, sizeof functions);
        chain[i] = memory_strdup(functions);
    }
    for (EACH(const struct profile_entry, row, sums->entries)) {
        const char *operation = p->operations.at[row->operation].name;
        if (row->site == PROFILE_NONE)
            continue;
        snprintf(key, sizeof key, "%zu %s %s", same_before(p, sums, row, chain), operation,
                 chain[row->site]);
        struct compared_site *at = site_of(s, key, operation, label[row->site]);
        at->run[run] = run_of(p, row);
        add_parts(at, p, row, run >= s->before,
                  1 / (double)(run < s->before ? s->before : s->runs - s->before) /
                      (double)(p->ranks.n ? p->ranks.n : 1));
    }
    for (size_t i = 0; i < p->sites.n; i++)
        free(chain[i]);
    free(chain);
    site_labels_free(p, label);
    profile_free(sums);
}

struct compared_sites *sites_find(struct profile *const *run, size_t before, size_t n)
{
    struct compared_sites *s = memory_alloc(sizeof *s);
    s->before = before;
    s->runs = n;
    for (size_t i = 0; i < n; i++)
        add_run(s, i, run[i]);
    return s;
}

void sites_free(struct compared_sites *s)
{
    for (size_t i = 0; i < s->list.n; i++) {
        struct compared_site *at = s->list.at[i];
        free(at->run);
        free(at->parts.at);
        free(at->key);
        free(at->operation);
        free(at->label);
        free(at);
    }
    free(s->list.at);
    free(s);
}
