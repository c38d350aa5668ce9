#include "compare/compare.h"

#include "base/array.h"
#include "base/format.h"
#include "base/quote.h"
#include "base/text.h"
#include "compare/evidence.h"
#include "compare/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Changes of call sites and ranks below 1 % of the run time are ignored. */
static const double matters = 0.01;
/* The run has changed if the interval of its change is beyond 0.25 % of its time. */
static const double floor_share = 0.0025;
enum { TEXT_ROOM = 1200 };

/* What may change. CHANGE_TIME and CHANGE_WAIT may be consequences of other changes. */
enum change_kind {
    CHANGE_RUN,       /* run time of the run as a whole */
    CHANGE_COMPUTING, /* time of one rank outside of MPI */
    CHANGE_OWN,       /* time in a collective, without the wait for the last rank */
    CHANGE_TIME,      /* time in calls whose waiting is unknown */
    CHANGE_WAIT       /* wait in a collective until the last rank enters */
};

static const struct {
    const char *key, *head;
} kinds[] = {[CHANGE_RUN] = {"run", "run"},
             [CHANGE_COMPUTING] = {"outside", "outside MPI"},
             [CHANGE_OWN] = {"without_waiting", "without waiting"},
             [CHANGE_TIME] = {"time", "time in calls"},
             [CHANGE_WAIT] = {"waiting", "waiting for last rank"}};

/* One time that is compared: its value in each run, ns. */
struct change {
    enum change_kind kind;
    const struct compared_site *site; /* call site; NULL: the value is of the run or a rank */
    int32_t rank;                     /* rank whose value it is; -1: mean of all ranks */
    double *value;                    /* value in each run, those of A first */
    double median[2];
    struct estimate shift; /* shift from A to B (evidence.h), with its interval */
    double p;              /* of the rank test for the run, of the joint test for the others */
    bool detected;         /* it is significant, and large enough to matter */
    int tier;              /* order of report: 0 run, 1 causes, 2 consequences, 3 not detected */
    bool joined;           /* it is reported with the row of another rank */
    char ranks[64];        /* list of all ranks that it is reported for: "1", "0-3" */
};

struct comparison {
    const struct compare_request *request;
    size_t n, m, all;
    double wall_ns; /* median run time of A, ns */
    struct compared_sites *sites;
    ARRAY(struct change) list; /* the run as a whole comes first */
};

static struct change *add_change(struct comparison *c, enum change_kind kind,
                                 const struct compared_site *site, int32_t rank)
{
    struct change *x = PUSH(&c->list);
    *x = (struct change){.kind = kind, .site = site, .rank = rank};
    x->value = memory_alloc((c->all + 1) * sizeof *x->value);
    return x;
}

/* Drops the last row if its values in all runs vary by less than matters. */
static void drop_if_steady(struct comparison *c)
{
    struct change *x = &c->list.at[c->list.n - 1];
    struct summary s = stats_summarize(x->value, c->all);
    if (s.max - s.min >= matters * c->wall_ns)
        return;
    free(x->value);
    c->list.n--;
}

/* The number of ranks, if it is the same in all runs; otherwise 0. */
static size_t ranks_of(const struct comparison *c)
{
    size_t ranks = c->request->run[0]->ranks.n;
    for (size_t run = 1; run < c->all; run++)
        ranks = c->request->run[run]->ranks.n == ranks ? ranks : 0;
    return ranks;
}

static void add_computing(struct comparison *c, size_t at)
{
    struct change *x = add_change(c, CHANGE_COMPUTING, NULL, c->request->run[0]->ranks.at[at].rank);
    for (size_t run = 0; run < c->all; run++) {
        const struct profile_rank *r = &c->request->run[run]->ranks.at[at];
        x->value[run] = fmax(1e9 * r->wall - (double)r->mpi_ns - (double)r->injected_ns, 0);
    }
    drop_if_steady(c);
}

static void add_site(struct comparison *c, const struct compared_site *at, enum change_kind kind)
{
    struct change *x = add_change(c, kind, at, -1);
    for (size_t run = 0; run < c->all; run++) {
        double wait = isnan(at->run[run].wait) ? 0 : at->run[run].wait;
        double share = kind == CHANGE_TIME ? 1 : kind == CHANGE_WAIT ? wait : 1 - wait;
        x->value[run] = share * at->run[run].time;
    }
    drop_if_steady(c);
}

static bool is_waiting_known(const struct comparison *c, const struct compared_site *at)
{
    bool any = false, all = true;
    for (size_t run = 0; run < c->all; run++) {
        any = any || !isnan(at->run[run].wait);
        all = all && (!isnan(at->run[run].wait) || at->run[run].time <= 0);
    }
    return any && all;
}

static void find_changes(struct comparison *c)
{
    struct change *whole = add_change(c, CHANGE_RUN, NULL, -1);
    for (size_t run = 0; run < c->all; run++)
        whole->value[run] = profile_longest_ns(c->request->run[run]);
    c->wall_ns = stats_summarize(whole->value, c->n).median;
    size_t ranks = ranks_of(c); /* 0: single ranks are not compared */
    for (size_t at = 0; at < ranks; at++)
        add_computing(c, at);
    for (size_t i = 0; i < c->sites->list.n; i++) {
        const struct compared_site *at = c->sites->list.at[i];
        bool known = is_waiting_known(c, at);
        add_site(c, at, known ? CHANGE_OWN : CHANGE_TIME);
        if (known)
            add_site(c, at, CHANGE_WAIT);
    }
}

/* --- significance --- */

static void weigh(struct comparison *c)
{
    size_t rows = c->list.n;
    FREED double *value = memory_alloc((rows * c->all + 1) * sizeof *value);
    FREED double *p = memory_alloc((rows + 1) * sizeof *p);
    for (size_t i = 0; i < rows; i++)
        memcpy(value + i * c->all, c->list.at[i].value, c->all * sizeof *value);
    evidence_permutation_test(value, rows, c->n, c->m, floor_share * c->wall_ns, p);
    for (size_t i = 0; i < rows; i++) {
        struct change *x = &c->list.at[i];
        bool whole = x->kind == CHANGE_RUN;
        x->median[0] = stats_summarize(x->value, c->n).median;
        x->median[1] = stats_summarize(x->value + c->n, c->m).median;
        x->shift = evidence_shift(x->value, c->n, x->value + c->n, c->m);
        x->p = whole ? evidence_rank_test(x->value, c->n, x->value + c->n, c->m) : p[i];
        x->detected =
            whole ? fmax(x->shift.low, -x->shift.high) > floor_share * c->wall_ns
                  : x->p <= EVIDENCE_LEVEL_TOGETHER && fabs(x->shift.value) >= matters * c->wall_ns;
    }
}

/* The tier of X. A faster part is no cause of a slower run, nor the reverse. */
static int tier_of(const struct change *x, const struct change *whole)
{
    const bool against = whole->detected && (x->shift.value > 0) != (whole->shift.value > 0);
    return x == whole ? 0 : !x->detected ? 3 : against || x->kind >= CHANGE_TIME ? 2 : 1;
}

/* --- causes before consequences --- */

COMPARISON(causes_first, struct change,
           ORDER(x->tier, y->tier) ?: ORDER(fabs(y->shift.value), fabs(x->shift.value))
               ?: ORDER(x->rank, y->rank))

/* Ranks that all compute longer, or all shorter, are one cause: joins the rows after X with X. */
static void join_ranks(struct comparison *c, struct change *x)
{
    FREED int32_t *rank = memory_alloc((c->list.n + 1) * sizeof *rank);
    size_t n = 0;
    for (struct change *y = x; y < c->list.at + c->list.n; y++)
        if (y->kind == CHANGE_COMPUTING && y->detected &&
            (x->shift.value > 0) == (y->shift.value > 0)) {
            rank[n++] = y->rank;
            y->joined = y != x;
        }
    rank_list(x->ranks, sizeof x->ranks, rank, n);
}

static void put_in_order(struct comparison *c)
{
    for (size_t i = 0; i < c->list.n; i++)
        c->list.at[i].tier = tier_of(&c->list.at[i], &c->list.at[0]);
    qsort(c->list.at, c->list.n, sizeof *c->list.at, causes_first);
    for (EACH(struct change, x, c->list))
        if (x->kind == CHANGE_COMPUTING && x->detected && !x->joined)
            join_ranks(c, x);
}

/* --- sentences --- */

static double percent_of_run(const struct comparison *c, double ns)
{
    return c->wall_ns > 0 ? 100 * ns / c->wall_ns : 0;
}

/* Writes "1.00 ms -> 1.30 ms, median change +300 us (95 % CI +100 us to +500 us), +0.3 % of the
 * run": the median over all pairs of runs. */
static void describe(const struct comparison *c, const struct change *x, char *text)
{
    const double percent = percent_of_run(c, x->shift.value);
    char shift[SHIFT_TEXT];
    snprintf(text, TEXT_ROOM, "%s -> %s%s, median change %s, %+.*f %%%s", AS_TIME(x->median[0]),
             AS_TIME(x->median[1]), x->site ? " per rank" : "", shift_text(x->shift, "", shift),
             fabs(percent) < 10, percent, x->kind == CHANGE_RUN ? "" : " of the run");
}

/* Writes "about 12 runs per side would decide: collprof repeat -n 12"; NULL: more than 1000. */
static const char *advise_runs(const struct comparison *c, struct estimate e, double limit,
                               char text[160])
{
    size_t runs = evidence_runs_needed(e, limit, c->n < c->m ? c->n : c->m);
    snprintf(text, 160, "about %zu runs per side would decide: collprof repeat -n %zu", runs, runs);
    return runs ? text : NULL;
}

/* A finding on X, without a share of the run: documents sort by that, and causes come first. */
static struct finding finding_of(const struct change *x)
{
    return (struct finding){.key = kinds[x->kind].key,
                            .severity = SEVERITY_FINDING,
                            .cost = in_seconds(x->shift),
                            .site = x->site ? x->site->label : NULL,
                            .number = {{"p", x->p}}};
}

static void add_run(const struct comparison *c, struct document *d)
{
    const struct change *x = &c->list.at[0];
    char text[TEXT_ROOM], undecided[64], advice[160];
    const double least = floor_share * c->wall_ns;
    const bool equal = fmax(x->shift.high, -x->shift.low) <= least;
    struct finding f = finding_of(x);
    describe(c, x, text);
    snprintf(undecided, sizeof undecided, "undecided with %zu + %zu runs", c->n, c->m);
    if (!x->detected && !equal)
        f.advice = advise_runs(c, x->shift, copysign(least, x->shift.value), advice);
    document_finding(d, &f, "Run time: %s, exact rank test p = %.2g: %s.", text, x->p,
                     !x->detected         ? equal ? "no difference above 0.25 %" : undecided
                     : x->shift.value > 0 ? "slower"
                                          : "faster");
}

static void add_cause(const struct comparison *c, struct document *d, const struct change *x)
{
    char text[TEXT_ROOM], part[SITE_PART_TEXT], calls[SITE_PART_TEXT];
    const struct finding f = finding_of(x);
    const bool more = x->shift.value > 0, several = strpbrk(x->ranks, ",-");
    describe(c, x, text);
    if (x->kind == CHANGE_COMPUTING)
        document_finding(d, &f, "Rank%s %s spend%s %s time outside of MPI: %s.", several ? "s" : "",
                         x->ranks, several ? "" : "s", more ? "more" : "less", text);
    else if (x->kind == CHANGE_WAIT)
        document_finding(d, &f, "In %s at %s ranks wait %s for the last rank: %s.",
                         x->site->operation, x->site->label, more ? "longer" : "less", text);
    else
        document_finding(d, &f, "%s%s at %s takes %s%s%s: %s.", x->site->operation,
                         site_part_text(x->site, c->request->run[0], part), x->site->label,
                         more ? "longer" : "less time",
                         site_calls_text(x->site, x->shift.value, calls),
                         x->kind == CHANGE_OWN ? ", without waiting for the last rank" : "", text);
}

/* The outcome of the gate. Failed: the run or another detected change grew by more than LIMIT (ns),
 * with an interval above 0. Passed: the run's interval is below LIMIT. *WHY: the deciding
 * change. */
static enum status judge(const struct comparison *c, double limit, const struct change **why)
{
    const struct change *whole = &c->list.at[0];
    for (EACH(const struct change, x, c->list)) {
        *why = x;
        if (x->detected && !x->joined && x->shift.value > limit && x->shift.low > 0)
            return STATUS_SLOWER;
    }
    *why = whole;
    return whole->shift.high <= limit ? STATUS_GOOD : STATUS_UNDECIDED;
}

static enum status add_gate(const struct comparison *c, struct document *d)
{
    static const char *const keys[] = {[STATUS_GOOD] = "gate_passed",
                                       [STATUS_SLOWER] = "gate_failed",
                                       [STATUS_UNDECIDED] = "gate_undecided"};
    char text[TEXT_ROOM], advice[160];
    double limit = c->request->limit * c->wall_ns;
    const struct change *why;
    enum status gate = judge(c, limit, &why);
    struct finding f = {.key = keys[gate], .severity = SEVERITY_FINDING};
    describe(c, why, text);
    if (gate == STATUS_UNDECIDED)
        f.advice = advise_runs(c, why->shift, limit, advice);
    document_finding(d, &f, "Limit of %g %%: %s, %s%s%s: %s.", 100 * c->request->limit,
                     strchr(keys[gate], '_') + 1, kinds[why->kind].head, why->site ? " " : "",
                     why->site ? why->site->label : "", text);
    return gate;
}

/* --- what the runs show without a test --- */

/* Reports pairs of ranks that share a host in all runs of one side and in none of the other. Names
 * of hosts may differ between jobs, so they are not compared. Returns whether there are any. */
static bool add_placement(const struct comparison *c, struct document *d)
{
    struct profile *const *run = c->request->run;
    char text[160] = "";
    size_t n = 0, ranks = ranks_of(c);
    for (size_t i = 0; i < ranks; i++)
        for (size_t k = i + 1; k < ranks; k++) {
            size_t shared[2] = {0};
            for (size_t at = 0; at < c->all; at++)
                shared[at >= c->n] += run[at]->ranks.at[i].host == run[at]->ranks.at[k].host;
            const bool lost = shared[0] == c->n && shared[1] == 0,
                       now = shared[0] == 0 && shared[1] == c->m;
            if ((lost || now) && n++ < 6)
                text_add(text, sizeof text, "%s %s %d-%d", n > 1 ? "," : "",
                         now ? "now" : "no longer", run[0]->ranks.at[i].rank,
                         run[0]->ranks.at[k].rank);
        }
    if (n)
        document_finding(d, FINDING("placement", FINDING, .number = {{"pairs", (double)n}}),
                         "Pairs of ranks that share a host:%s%s.", text, n > 6 ? ", .." : "");
    return n > 0;
}

/* Duration of P's fastest call of OPERATION in the size class, ns; NaN if none was timed. */
static double fastest_call(const struct profile *p, const char *operation, uint32_t size_class)
{
    double ns = NAN;
    for (EACH(const struct profile_entry, e, p->entries))
        if (e->size_class == size_class && entry_timed_calls(e) &&
            !strcmp(p->operations.at[e->operation].name, operation))
            ns = fmin(ns, (double)e->min_ns);
    return ns;
}

/* Reports the smallest size from which even the fastest blocking send takes three times longer: an
 * eager send only copies, a rendezvous waits for the receiver. A receiver that is late each time
 * looks the same, so the text says "may". */
static void add_eager_limit(const struct comparison *c, struct document *d)
{
    const struct profile *p = c->request->run[0];
    double from = INFINITY, was = 0, now = 0; /* duration of the fastest call */
    const char *operation = NULL;
    for (EACH(const struct profile_entry, e, p->entries)) {
        const struct profile_operation *o = &p->operations.at[e->operation];
        double a = 0, b = INFINITY;
        if (!e->bytes || (o->family != FAMILY_SEND && o->family != FAMILY_SENDRECV))
            continue;
        for (size_t run = 0; run < c->all; run++) {
            double ns = fastest_call(c->request->run[run], o->name, e->size_class);
            a = run < c->n ? fmax(a, ns) : a;
            b = run < c->n ? b : fmin(b, ns);
        }
        const double bytes = (double)e->bytes / (double)e->calls;
        if (isfinite(b) && a > 0 && b >= 3 * a && bytes < from) {
            operation = o->name;
            from = bytes;
            was = a;
            now = b;
        }
    }
    if (operation)
        document_finding(d, FINDING("eager_limit", FINDING, .number = {{"from_bytes", from}}),
                         "Even the fastest %s of %s or more took %s in A and %s in B: it may "
                         "now wait for its receiver (rendezvous instead of eager).",
                         operation, AS_BYTES(from), AS_TIME(was), AS_TIME(now));
}

static const struct column columns[] = {
    {"time", NULL, COLUMN_TEXT, 0,
     "what was timed: the run, a rank outside of MPI, or calls at a call site",
     .flags = COLUMN_SHORTEN},
    {"a", NULL, COLUMN_TIME, 0, "median over the runs A; of calls: of the mean over ranks"},
    {"b", NULL, COLUMN_TIME, 0, "median over the runs B, as in A"},
    {"change", NULL, COLUMN_TIME, 0, "median of all differences between a run of B and a run of A"},
    {"low", NULL, COLUMN_TIME, 0, "95 % interval of the change", .flags = COLUMN_OPTIONAL},
    {"high", NULL, COLUMN_TIME, 0, NULL, .flags = COLUMN_OPTIONAL},
    {"share", NULL, COLUMN_SHARE, 0, "change divided by the run time of A", "of run",
     COLUMN_OPTIONAL},
    {"p", NULL, COLUMN_REAL, 4,
     "run: exact rank test; other rows: probability that any row differs this much by chance",
     .flags = COLUMN_DATA_ONLY},
    {"detected", NULL, COLUMN_TEXT, 0,
     "whether p is at most 0.01 and the change at least 1 % of the run (run: its interval is "
     "beyond +-0.25 %)",
     .flags = COLUMN_OPTIONAL},
    {"rank", NULL, COLUMN_RANK, 0, NULL},
    {"operation", NULL, COLUMN_TEXT, 0, NULL},
    {"call_site", NULL, COLUMN_TEXT, 0, NULL, .head = "call site", .flags = COLUMN_SHORTEN}};

static void add_table(const struct comparison *c, struct document *d)
{
    struct table *t = document_table_of(
        d, "changes",
        "Times that differ by at least 1 % of the run (medians of runs, mean of ranks)", columns);
    for (EACH(const struct change, x, c->list)) {
        table_text(t, kinds[x->kind].head);
        table_real(t, 1e-9 * x->median[0]);
        table_real(t, 1e-9 * x->median[1]);
        table_estimate(t, in_seconds(x->shift));
        table_real(t, percent_of_run(c, x->shift.value));
        table_real(t, x->p);
        table_text(t, x->detected ? "yes" : NULL);
        table_integer(t, x->rank);
        table_text(t, x->site ? x->site->operation : NULL);
        table_text(t, x->site ? x->site->label : NULL);
    }
}

static void add_runs(const struct comparison *c, struct document *d, const char *key, size_t first,
                     size_t n)
{
    char text[TEXT_ROOM] = "";
    for (size_t i = 0; i < n && strlen(text) < TEXT_ROOM - 100; i++)
        text_add(text, sizeof text, "%s%.90s", i ? ", " : "", c->request->name[first + i]);
    quote_plain(text);
    document_fact(d, key, "%zu run%s: %s", n, n == 1 ? "" : "s", text);
}

struct document *compare_document(const struct compare_request *request, enum status *gate)
{
    struct comparison c = {.request = request, .n = request->before, .m = request->after};
    c.all = c.n + c.m;
    c.sites = sites_find(request->run, c.n, c.all);
    find_changes(&c);
    weigh(&c);
    put_in_order(&c);
    struct document *d = document_new("collprof-comparison/3");
    add_runs(&c, d, "A", 0, c.n);
    add_runs(&c, d, "B", c.n, c.m);
    setup_add(d, request);
    add_run(&c, d);
    algorithms_add(d, request);
    if (c.list.at[0].detected && !add_placement(&c, d))
        add_eager_limit(&c, d);
    for (size_t i = 1; i < c.list.n; i++)
        if (c.list.at[i].detected && !c.list.at[i].joined)
            add_cause(&c, d, &c.list.at[i]);
    if (!isnan(request->limit)) {
        enum status outcome = add_gate(&c, d);
        if (gate)
            *gate = outcome;
    }
    add_table(&c, d);
    if (request->tuned)
        gains_add(d, request, c.list.at[0].shift.low > 0);
    for (size_t i = 0; i < c.list.n; i++)
        free(c.list.at[i].value);
    free(c.list.at);
    sites_free(c.sites);
    return d;
}
