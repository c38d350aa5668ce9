#include "compare/gains.h"

#include "base/format.h"
#include "compare/evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Signatures that one rule is for, and whose calls the profiles do not distinguish. */
struct gain {
    const struct tuned *first;
    const struct algorithm *algorithm;
    bool several;               /* with other ranks or bytes than the first */
    double calls, predicted_ns; /* PREDICTED_NS: in all CALLS */
    double weight;              /* calls of its signatures in the tuned run */
    double *time_ns; /* of each run in these calls, mean of all ranks; those of A first */
    struct estimate saved_ns;
};

struct gains {
    const struct run_sets *r;
    bool by_size; /* rules go by ranks and bytes; otherwise they are for the whole operation */
    ARRAY(struct gain) list;
};

static bool is_of(const struct gains *g, const struct tuned *a, const struct tuned *b)
{
    return a->operation == b->operation &&
           (!g->by_size ||
            (a->ranks == b->ranks && size_class_of(a->bytes) == size_class_of(b->bytes)));
}

/* Time and calls of P in an operation, mean of all ranks: on communicators of RANKS and in the size
 * class of BYTES, or with RANKS 0 all. */
static double time_of(const struct profile *p, const char *operation, int ranks, uint64_t bytes,
                      double *calls)
{
    double time = 0, n = p->ranks.n ? (double)p->ranks.n : 1;
    *calls = 0;
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_entry *e = &p->entries.at[i];
        bool fits = !ranks || (e->size_class == size_class_of(bytes) && e->comm != PROFILE_NONE &&
                               p->comms.at[e->comm].size == (uint32_t)ranks);
        if (fits && !strcmp(p->operations.at[e->operation].name, operation)) {
            time += (double)e->time_ns;
            *calls += (double)e->calls;
        }
    }
    *calls /= n;
    return time / n;
}

static struct gain *gain_of(struct gains *g, const struct tuned *t)
{
    const struct run_sets *r = g->r;
    for (size_t i = 0; i < g->list.n; i++)
        if (is_of(g, g->list.at[i].first, t))
            return &g->list.at[i];
    struct gain *new = PUSH(&g->list);
    new->first = t;
    new->time_ns = memory_alloc((r->before + r->after) * sizeof *new->time_ns);
    for (size_t run = 0; run < r->before + r->after; run++)
        new->time_ns[run] = time_of(r->run[run], t->operation->mpi_name, g->by_size ? t->ranks : 0,
                                    t->bytes, &new->calls);
    new->saved_ns = evidence_shift(new->time_ns + r->before, r->after, new->time_ns, r->before);
    return new;
}

static void find(struct gains *g)
{
    const struct tuned_set *set = g->r->tuned;
    for (size_t i = 0; i < set->list.n; i++) {
        const struct tuned *t = &set->list.at[i];
        int k = rules_candidate(set->library, set->list.at, set->list.n, i);
        if (!k)
            continue;
        struct gain *to = gain_of(g, t);
        const double weight = t->calls > 0 ? t->calls : 1;
        to->algorithm = &t->candidate[k];
        to->several |= t->ranks != to->first->ranks || t->bytes != to->first->bytes;
        to->predicted_ns += 1e9 * weight * t->time[0].value * (1 - t->ratio[k].value);
        to->weight += weight;
    }
    for (size_t i = 0; i < g->list.n; i++)
        g->list.at[i].predicted_ns *= g->list.at[i].calls / g->list.at[i].weight;
}

static const char *verdict_of(const struct gain *x)
{
    return x->saved_ns.low > 0 ? "faster" : x->saved_ns.high < 0 ? "slower" : "not seen";
}

/* Marks the signatures of rules that are not confirmed; ALL: of all rules. Returns how many rules
 * remain. */
static size_t refute(struct gains *g, bool all)
{
    size_t left = 0;
    for (size_t i = 0; i < g->list.n; i++) {
        const struct gain *x = &g->list.at[i];
        bool confirmed = !all && x->saved_ns.low > 0;
        left += confirmed;
        for (size_t k = 0; !confirmed && k < g->r->tuned->list.n; k++)
            g->r->tuned->list.at[k].refuted |= is_of(g, x->first, &g->r->tuned->list.at[k]);
    }
    return left;
}

static const struct column columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, "of the communicator; empty: several"},
    {"bytes", NULL, COLUMN_BYTES, 0, "of the message, for which it was tuned; empty: several"},
    {"algorithm", NULL, COLUMN_TEXT, 0, "what the rule names", .flags = COLUMN_SHORTEN},
    {"calls", NULL, COLUMN_COUNT, 0, "of this operation in a run, mean of all ranks"},
    {"predicted", NULL, COLUMN_TIME, 0, "what they save by the times that tuning measured"},
    {"seen", NULL, COLUMN_TIME, 0, "what the runs B save in these calls, waiting included"},
    {"low", NULL, COLUMN_TIME, 0, "95 % interval of what is seen"},
    {"high", NULL, COLUMN_TIME, 0, NULL},
    {"verdict", NULL, COLUMN_TEXT, 0, "whether the interval is above 0: the rule is kept"}};

static void add_table(const struct gains *g, struct document *d)
{
    struct table *t =
        document_table_of(d, "gains", "What tuning predicted, and what is seen", columns);
    for (size_t i = 0; i < g->list.n; i++) {
        const struct gain *x = &g->list.at[i];
        table_text(t, x->first->operation->mpi_name);
        table_integer_if(t, !x->several, x->first->ranks);
        table_integer_if(t, !x->several, (long long)x->first->bytes);
        table_text(t, x->algorithm->name);
        table_real(t, x->calls);
        table_real(t, 1e-9 * x->predicted_ns);
        table_real(t, 1e-9 * x->saved_ns.value);
        table_real(t, 1e-9 * x->saved_ns.low);
        table_real(t, 1e-9 * x->saved_ns.high);
        table_text(t, verdict_of(x));
    }
}

/* What all runs save in the calls of all rules together. */
static struct estimate all_saved(const struct gains *g, double *predicted)
{
    const struct run_sets *r = g->r;
    double *time = memory_alloc((r->before + r->after + 1) * sizeof *time);
    *predicted = 0;
    for (size_t i = 0; i < g->list.n; i++) {
        *predicted += g->list.at[i].predicted_ns;
        for (size_t run = 0; run < r->before + r->after; run++)
            time[run] += g->list.at[i].time_ns[run];
    }
    struct estimate saved = evidence_shift(time + r->before, r->after, time, r->before);
    free(time);
    return saved;
}

static void add_finding(struct gains *g, struct document *d, bool slower)
{
    char predicted_text[32], seen_text[32], low[32], high[32];
    double predicted;
    const struct estimate saved = all_saved(g, &predicted);
    const bool decided = estimate_has_interval(saved);
    const size_t left = decided ? refute(g, slower) : g->list.n;
    const struct finding f = {.key = "gains",
                              .severity = SEVERITY_FINDING,
                              .number = {{"rules", (double)g->list.n},
                                         {"kept", (double)left},
                                         {"predicted_us", 1e-3 * predicted},
                                         {"seen_us", 1e-3 * saved.value},
                                         {"low_us", 1e-3 * saved.low},
                                         {"high_us", 1e-3 * saved.high}}};
    format_time(predicted_text, predicted);
    format_shift(seen_text, saved.value);
    if (g->list.n == 0)
        document_finding(d, &f, "The tuning has no rule, so nothing was changed.");
    else if (!decided)
        document_finding(d, &f,
                         "Tuning predicted to save %s in a run, and %s is seen: use at least 4 "
                         "runs of each, for an interval.",
                         predicted_text, seen_text);
    else
        document_finding(d, &f,
                         "Tuning predicted to save %s in a run, and %s is seen (95 %% CI %s to "
                         "%s)%s: %zu of %zu rules are kept.",
                         predicted_text, seen_text, format_shift(low, saved.low),
                         format_shift(high, saved.high),
                         slower ? ", but the run as a whole became slower" : "", left, g->list.n);
}

/* The library of the runs B, if it is another one, or another version, than that of the rules; NULL
 * otherwise. "MPICH 4.0.2" is also written as "MPICH Version: 4.0.2". */
static const char *other_library(const struct run_sets *r)
{
    const char *of = r->tuned->library, *version = strrchr(of, ' ');
    const struct profile *run = r->run[r->before];
    const char *used = run->libraries.n ? run->libraries.at[0] : of;
    bool same = !strncmp(used, of, strcspn(of, " ")) && strstr(used, version ? version : of);
    return same ? NULL : used;
}

void gains_add(struct document *d, const struct run_sets *r, bool slower)
{
    const char *other = other_library(r);
    if (other) {
        document_finding(d, &(struct finding){.key = "gains", .severity = SEVERITY_DOUBT},
                         "The rules are for %s, and the runs used %s, which does not read them.",
                         r->tuned->library, other);
        return;
    }
    struct gains g = {.r = r, .by_size = !strncmp(r->tuned->library, "Open MPI", 8)};
    find(&g);
    if (g.list.n)
        add_table(&g, d);
    add_finding(&g, d, slower);
    for (size_t i = 0; i < g.list.n; i++)
        free(g.list.at[i].time_ns);
    free(g.list.at);
}

/* --- algorithms that changed --- */

/* The algorithm that all N runs show for the operation, ranks and bytes of LIKE; NULL if there is
 * no such one. */
static const char *algorithm_of(struct profile *const *run, size_t n, const json_t *like)
{
    const char *name = NULL;
    for (size_t k = 0; k < n; k++) {
        const char *of_run = NULL;
        for (size_t i = 0; i < run[k]->findings.n; i++) {
            const json_t *f = run[k]->findings.at[i].value;
            if (strcmp(run[k]->findings.at[i].kind, "algorithms") != 0 ||
                strcmp(json_text_at(f, "operation"), json_text_at(like, "operation")) != 0 ||
                json_number_at(f, "ranks") != json_number_at(like, "ranks") ||
                json_number_at(f, "bytes") != json_number_at(like, "bytes"))
                continue;
            if (of_run)
                return NULL;
            of_run = json_text_at(f, "algorithm");
        }
        if (!of_run || !strcmp(of_run, "unknown") || (name && strcmp(name, of_run) != 0))
            return NULL;
        name = of_run;
    }
    return name;
}

/* By how much longer a call takes in the runs B, ns. */
static struct estimate call_shift(const struct run_sets *r, const json_t *of)
{
    double *time = memory_alloc((r->before + r->after + 1) * sizeof *time), calls;
    for (size_t run = 0; run < r->before + r->after; run++) {
        time[run] =
            time_of(r->run[run], json_text_at(of, "operation"), (int)json_number_at(of, "ranks"),
                    (uint64_t)json_number_at(of, "bytes"), &calls);
        time[run] /= calls;
    }
    struct estimate shift = evidence_shift(time, r->before, time + r->before, r->after);
    free(time);
    return shift;
}

void algorithms_add(struct document *d, const struct run_sets *r)
{
    for (size_t i = 0; i < r->run[0]->findings.n; i++) {
        const json_t *f = r->run[0]->findings.at[i].value;
        const char *was = strcmp(r->run[0]->findings.at[i].kind, "algorithms")
                              ? NULL
                              : algorithm_of(r->run, r->before, f);
        const char *now = was ? algorithm_of(r->run + r->before, r->after, f) : NULL;
        char size[32], time[32];
        if (!now || !strcmp(was, now))
            continue;
        const struct estimate shift = call_shift(r, f);
        document_finding(d,
                         &(struct finding){.key = "algorithm",
                                           .severity = SEVERITY_FINDING,
                                           .number = {{"call_us", 1e-3 * shift.value},
                                                      {"low_us", 1e-3 * shift.low},
                                                      {"high_us", 1e-3 * shift.high}}},
                         "%s of %s on %.0f ranks: %s -> %s, %s a call.",
                         json_text_at(f, "operation"),
                         format_bytes(size, json_number_at(f, "bytes")), json_number_at(f, "ranks"),
                         was, now, format_shift(time, shift.value));
    }
}
