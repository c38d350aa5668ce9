#include "compare/places.h"

#include "base/array.h"
#include "base/stats.h"
#include "report/rows.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* Of ranks beyond, nothing is said one by one. */
enum { KEY_ROOM = 2300, MOST_RANKS = 65536 };

static int by_exact(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return strcmp(x->exact, y->exact) ?: strcmp(x->operation, y->operation);
}

static struct ranged *nothing(size_t n)
{
    struct ranged *r = memory_alloc((n + 1) * sizeof *r);
    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranged){.low = NAN, .high = NAN};
    return r;
}

static struct place *new_place(struct places *s, const struct place *key)
{
    struct place *at = memory_alloc(sizeof *at);
    *at = (struct place){.operation = memory_strdup(key->operation),
                         .exact = memory_strdup(key->exact),
                         .entry = memory_alloc((s->runs + 1) * sizeof(void *)),
                         .time = nothing(s->runs),
                         .wait = memory_alloc((s->runs + 1) * sizeof(double)),
                         .calls = memory_alloc((s->runs + 1) * sizeof(double)),
                         .outside = memory_alloc((s->runs + 1) * sizeof(void *)),
                         .waited = memory_alloc((s->runs + 1) * sizeof(void *))};
    *PUSH(&s->list) = at;
    return at;
}

/* Of several calls in one line the first to come is the place of that line, and others are numbered
 * behind it. */
static struct place *place_of(struct places *s, size_t run, const struct profile *p, uint32_t site,
                              uint32_t operation, char *label)
{
    char exact[KEY_ROOM], functions[KEY_ROOM];
    site_path(p, site, exact, sizeof exact - 32);
    struct place key = {.exact = exact, .operation = p->operations.at[operation].name}, **found;
    size_t end = strlen(exact);
    for (unsigned call = 2; (found = tfind(&key, &s->by_exact, by_exact)); call++) {
        if (!(*found)->entry[run])
            return *found;
        snprintf(exact + end, sizeof exact - end, ", call %u", call);
    }
    struct place *at = new_place(s, &key);
    site_functions(p, site, functions, sizeof functions);
    at->functions = memory_strdup(functions);
    at->label = memory_strdup(label);
    at->order = p->sites.at[site].depth ? p->sites.at[site].frame[0].address : 0;
    if (!tsearch(at, &s->by_exact, by_exact))
        memory_out();
    return at;
}

/* --- what one run has --- */

static void add_row(struct places *s, struct place *at, size_t run, const struct profile *p,
                    const struct profile_entry *e)
{
    double ranks = p->ranks.n ? (double)p->ranks.n : 1, wait = 0, time = 0;
    /* Those whose times are kept apart are taken to be as long as the others. */
    double timed = (double)(entry_timed(e) + e->apart) / ranks;
    double grown = e->apart && entry_timed(e) ? timed * ranks / (double)entry_timed(e) : 1;
    at->in[run >= s->n_before] = true;
    at->entry[run] = e;
    at->time[run] = (struct ranged){grown * (double)e->time_ns / ranks,
                                    timed * entry_quantile(e, 0.1), timed * entry_quantile(e, 0.9),
                                    entry_quantile(e, 0.5), entry_quantile(e, 0.99)};
    at->calls[run] = (double)e->calls / (e->spread.ranks ? e->spread.ranks : ranks);
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *a = &p->arrivals.at[i];
        if (a->site == e->site && a->operation == e->operation) {
            wait += (double)a->wait_ns;
            time += (double)a->time_ns;
        }
    }
    at->wait[run] = time > 0 ? wait / time : NAN;
}

/* What a rank did before one collective. */
struct moment {
    struct place *at;
    uint32_t rank;
    double ns;
};

static int by_place(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    return ORDER(x->at, y->at) ?: ORDER(x->rank, y->rank) ?: ORDER(x->ns, y->ns);
}

static void add_moments(struct places *s, size_t run, struct moment *m, size_t n)
{
    double *ns = memory_alloc((n + 1) * sizeof *ns);
    if (n)
        qsort(m, n, sizeof *m, by_place);
    for (size_t i = 0, end; i < n; i = end) {
        struct place *at = m[i].at;
        for (end = i; end < n && m[end].at == at && m[end].rank == m[i].rank; end++)
            ns[end - i] = m[end].ns;
        if (!at->outside[run])
            at->outside[run] = nothing(s->ranks);
        if (m[i].rank < s->ranks)
            at->outside[run][m[i].rank] =
                (struct ranged){stats_quantile(ns, end - i, 0.5), stats_quantile(ns, end - i, 0.1),
                                stats_quantile(ns, end - i, 0.9), 0, 0};
    }
    free(ns);
}

/* Of a traced run: for whose messages it was waited at AT. */
static void add_wait(const struct places *s, struct place *at, size_t run, const struct profile *p,
                     const struct wait *w)
{
    bool message = w->state == WAIT_LATE_SENDER || w->state == WAIT_WRONG_ORDER ||
                   w->state == WAIT_LATE_RECEIVER;
    if (!at || !message || w->rank >= s->ranks)
        return;
    if (!at->waited[run])
        at->waited[run] = memory_alloc((s->ranks + 1) * sizeof(double));
    at->waited[run][w->rank] += (double)w->wait_ns / (double)p->ranks.n;
}

/* By their addresses: calls in one line are the same in all runs, whichever takes longer. */
static int by_address(const void *a, const void *b, void *profile)
{
    const struct profile_entry *x = *(void *const *)a, *y = *(void *const *)b;
    const struct profile *p = profile;
    const struct profile_site *from = &p->sites.at[x->site], *to = &p->sites.at[y->site];
    for (uint32_t i = 0; i < from->depth && i < to->depth; i++)
        if (from->frame[i].address != to->frame[i].address)
            return from->frame[i].address < to->frame[i].address ? -1 : 1;
    return ORDER(x->site, y->site);
}

static void add_run(struct places *s, size_t run, const struct profile *p)
{
    const struct rows *rows = &s->rows[run];
    s->rows[run] = rows_of(p, ROWS_BY_SITE);
    char **label = site_labels(p);
    ARRAY(struct moment) moments = {0};
    struct place **of = memory_alloc((p->sites.n * p->operations.n + 1) * sizeof(void *));
    const struct profile_entry **row = memory_alloc((rows->n + 1) * sizeof *row);
    for (size_t i = 0; i < rows->n; i++)
        row[i] = &rows->at[i];
    if (rows->n)
        qsort_r(row, rows->n, sizeof *row, by_address, (void *)p);
    for (size_t i = 0; i < rows->n; i++) {
        const struct profile_entry *e = row[i];
        struct place *at = place_of(s, run, p, e->site, e->operation, label[e->site]);
        of[e->site * p->operations.n + e->operation] = at;
        add_row(s, at, run, p, e);
    }
    for (size_t i = 0; i < p->events.n; i++) {
        const struct profile_event *e = &p->events.at[i];
        struct place *at =
            e->site == PROFILE_NONE ? NULL : of[e->site * p->operations.n + e->operation];
        if (at && e->outside_ns >= 0)
            *PUSH(&moments) = (struct moment){at, e->rank, (double)e->outside_ns};
    }
    add_moments(s, run, moments.at, moments.n);
    for (size_t i = 0; i < p->waits.n; i++) {
        const struct wait *w = &p->waits.at[i];
        if (w->site != PROFILE_NONE)
            add_wait(s, of[w->site * p->operations.n + w->operation], run, p, w);
    }
    site_labels_free(p, label);
    free(of);
    free(row);
    free(moments.at);
}

/* --- programs that were edited --- */

static int by_functions(const void *a, const void *b)
{
    const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
    return strcmp(x->functions, y->functions)
        ?: strcmp(x->operation, y->operation) ?: ORDER(x->order, y->order);
}

static bool same_functions(const struct place *x, const struct place *y)
{
    return !strcmp(x->functions, y->functions) && !strcmp(x->operation, y->operation);
}

/* What B's runs have of FROM. */
static void take_over(struct places *s, struct place *to, struct place *from)
{
    for (size_t run = s->n_before; run < s->runs; run++) {
        to->entry[run] = from->entry[run];
        to->time[run] = from->time[run];
        to->wait[run] = from->wait[run];
        to->calls[run] = from->calls[run];
        to->outside[run] = from->outside[run];
        from->outside[run] = NULL;
        to->waited[run] = from->waited[run];
        from->waited[run] = NULL;
    }
    to->in[1] = from->gone = true;
}

/* Lines move when a program is edited: what only A's runs have and what only B's have, in functions
 * of the same names, is the same if there are as many of both, in the order of their addresses. */
static void match_moved(struct places *s)
{
    struct place **moved[2];
    size_t n[2] = {0};
    for (int side = 0; side < 2; side++) {
        moved[side] = memory_alloc((s->list.n + 1) * sizeof(void *));
        for (size_t i = 0; i < s->list.n; i++)
            if (!s->list.at[i]->in[!side])
                moved[side][n[side]++] = s->list.at[i];
        if (n[side])
            qsort(moved[side], n[side], sizeof(void *), by_functions);
    }
    for (size_t i = 0, k = 0, more, others; i < n[0]; i += more) {
        for (more = 1; i + more < n[0] && same_functions(moved[0][i], moved[0][i + more]);)
            more++;
        while (k < n[1] && !same_functions(moved[0][i], moved[1][k]) &&
               by_functions(&moved[1][k], &moved[0][i]) < 0)
            k++;
        for (others = 0; k + others < n[1] && same_functions(moved[0][i], moved[1][k + others]);)
            others++;
        for (size_t j = 0; j < more && more == others; j++)
            take_over(s, moved[0][i + j], moved[1][k + j]);
        k += others;
    }
    free(moved[0]);
    free(moved[1]);
}

struct places *places_find(struct profile *const *run, size_t n, size_t m)
{
    struct places *s = memory_alloc(sizeof *s);
    *s = (struct places){.run = run,
                         .rows = memory_alloc((n + m + 1) * sizeof(struct rows)),
                         .runs = n + m,
                         .n_before = n};
    for (size_t i = 0; i < n + m; i++)
        for (size_t r = 0; r < run[i]->ranks.n; r++)
            if ((size_t)run[i]->ranks.at[r].rank >= s->ranks)
                s->ranks = (size_t)run[i]->ranks.at[r].rank + 1;
    s->ranks = s->ranks < MOST_RANKS ? s->ranks : MOST_RANKS;
    for (size_t i = 0; i < n + m; i++)
        add_run(s, i, run[i]);
    match_moved(s);
    return s;
}

static void keep(void *place)
{
    (void)place;
}

void places_free(struct places *s)
{
    for (size_t i = 0; i < s->list.n; i++) {
        struct place *at = s->list.at[i];
        for (size_t run = 0; run < s->runs; run++) {
            free(at->outside[run]);
            free(at->waited[run]);
        }
        free(at->operation);
        free(at->exact);
        free(at->functions);
        free(at->label);
        free(at->entry);
        free(at->time);
        free(at->wait);
        free(at->calls);
        free(at->outside);
        free(at->waited);
        free(at);
    }
    for (size_t run = 0; run < s->runs; run++)
        rows_free(&s->rows[run]);
    free(s->rows);
    tdestroy(s->by_exact, keep);
    free(s->list.at);
    free(s);
}
