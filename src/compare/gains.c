#include "base/format.h"
#include "base/text.h"
#include "compare/compare.h"
#include "compare/evidence.h"
#include "compare/sites.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A rule for the library's algorithm, and the calls to which it applies. */
struct gain {
    const struct rule *rule;
    double calls;
    struct estimate predicted_ns, saved_ns; /* time saved in all CALLS */
};

struct gains {
    const struct compare_request *r;
    bool by_size;
    ARRAY(struct gain) list;
    double *time_ns; /* each run's time in calls with rules, mean of ranks; runs A first */
    struct estimate predicted_ns;
};

/* Adds FACTOR * E to SUM. Interval ends are added: the result is at least as wide as necessary. */
static void add_estimate(struct estimate *sum, double factor, struct estimate e)
{
    sum->value += factor * e.value;
    sum->low += factor * e.low;
    sum->high += factor * e.high;
}

/* Adds what RULE was predicted to save and did save; ignores a rule without calls in these runs. */
static void add_gain(struct gains *g, const struct rule *rule)
{
    const struct compare_request *r = g->r;
    const struct tuned *first = rule->of[0];
    const size_t runs = r->before + r->after;
    double now = 0; /* time of the same calls when tuning measured, as SAVED */
    struct estimate saved = {0};
    FREED double *time_ns = memory_alloc(runs * sizeof *time_ns);
    double calls = 0;
    for (size_t run = 0; run < runs; run++) {
        double of_run;
        time_ns[run] = profile_time_of(r->run[run], first->operation->mpi_name,
                                       g->by_size ? first->ranks : 0, first->bytes, &of_run);
        calls += of_run / (double)runs;
    }
    if (calls == 0)
        return;
    struct gain *x = PUSH(&g->list);
    *x = (struct gain){.rule = rule, .calls = calls};
    x->saved_ns = evidence_shift(time_ns + r->before, r->after, time_ns, r->before);
    for (size_t i = 0; i < rule->n; i++) {
        const double tuned = rule->of[i]->calls > 0 ? rule->of[i]->calls : 1;
        add_estimate(&saved, tuned, tuned_saving(rule->of[i], rule->algorithm));
        now += tuned * rule->of[i]->time[0].value;
    }
    /* Only tuning's ratio counts: the machine may have been slower or faster then. */
    add_estimate(&x->predicted_ns, stats_estimate(time_ns, r->before, 1).value / now, saved);
    add_estimate(&g->predicted_ns, 1, x->predicted_ns);
    for (size_t run = 0; run < runs; run++)
        g->time_ns[run] += time_ns[run];
}

static const char *verdict_of(const struct gain *x)
{
    return x->saved_ns.low > 0 ? "faster" : x->saved_ns.high < 0 ? "slower" : "undecided";
}

/* Marks rules as refuted that are not confirmed, or ALL rules. Returns how many rules remain. */
static size_t refute(struct gains *g, bool all)
{
    size_t left = 0;
    for (EACH(const struct gain, x, g->list)) {
        bool confirmed = !all && x->saved_ns.low > 0;
        left += confirmed;
        for (size_t k = 0; !confirmed && k < x->rule->n; k++)
            x->rule->of[k]->refuted = g->r->tuned->changed = true;
    }
    return left;
}

static const struct column columns[] = {
    {"operation", NULL, COLUMN_TEXT, 0, NULL},
    {"ranks", NULL, COLUMN_INTEGER, 0, "size of the communicator; empty: the rule is for several"},
    {"bytes", NULL, COLUMN_BYTES, 0, "message size that was tuned; empty: the rule is for several"},
    {"algorithm", NULL, COLUMN_TEXT, 0, "the rule's algorithm", .flags = COLUMN_SHORTEN},
    {"calls", NULL, COLUMN_COUNT, 0,
     "timed calls to which the rule applies, mean of all runs and ranks"},
    {"predicted", NULL, COLUMN_TIME, 0,
     "predicted saving: time of these calls in the runs A x share that tuning measured"},
    {"predicted_low", NULL, COLUMN_TIME, 0, "95 % interval of the predicted saving", "from"},
    {"predicted_high", NULL, COLUMN_TIME, 0, NULL, "to"},
    {"seen", NULL, COLUMN_TIME, 0, "time that the runs B save in these calls, including waiting"},
    {"seen_low", NULL, COLUMN_TIME, 0, "95 % interval of the time saved", "from"},
    {"seen_high", NULL, COLUMN_TIME, 0, NULL, "to"},
    {"verdict", NULL, COLUMN_TEXT, 0,
     "faster: the interval of the time saved is above 0: the rule is kept"}};

static void add_table(const struct gains *g, struct document *d)
{
    struct table *t = document_table_of(
        d, "gains", "Savings that tuning predicted, and savings measured", columns);
    for (EACH(const struct gain, x, g->list)) {
        const struct tuned *first = x->rule->of[0], *last = x->rule->of[x->rule->n - 1];
        const bool one = first->ranks == last->ranks && first->bytes == last->bytes;
        table_text(t, first->operation->mpi_name);
        table_real(t, one ? (double)first->ranks : NAN);
        table_real(t, one ? (double)first->bytes : NAN);
        table_text(t, x->rule->algorithm->name);
        table_real(t, x->calls);
        table_estimate(t, in_seconds(x->predicted_ns));
        table_estimate(t, in_seconds(x->saved_ns));
        table_text(t, verdict_of(x));
    }
}

static void add_finding(struct gains *g, struct document *d, bool slower)
{
    char predicted[SHIFT_TEXT], seen[SHIFT_TEXT];
    const struct compare_request *r = g->r;
    const struct estimate saved =
        evidence_shift(g->time_ns + r->before, r->after, g->time_ns, r->before);
    const bool decided = estimate_has_interval(saved);
    const size_t left = decided ? refute(g, slower) : g->list.n;
    const struct finding f = {.key = "gains",
                              .severity = SEVERITY_FINDING,
                              .number = {{"rules", (double)g->list.n},
                                         {"kept", (double)left},
                                         {"predicted_us", 1e-3 * g->predicted_ns.value},
                                         {"seen_us", 1e-3 * saved.value},
                                         {"low_us", 1e-3 * saved.low},
                                         {"high_us", 1e-3 * saved.high}}};
    shift_text(g->predicted_ns, " in a run", predicted);
    shift_text(saved, "", seen);
    if (g->list.n == 0)
        document_finding(d, &f, "No tuning rule applies to these runs: nothing was changed.");
    else
        document_finding(
            d, &f, "Tuning predicted to save %s, and the runs saved %s%s: %zu of %zu rules %s.",
            predicted, seen, slower ? ", but the run as a whole became slower" : "", left,
            g->list.n,
            decided ? "are kept"
                    : "are kept; their effect is undecided: use at least 4 runs with them and 4 "
                      "without");
}

void gains_add(struct document *d, const struct compare_request *r, bool slower)
{
    const char *why = NULL;
    for (size_t i = r->before; i < r->before + r->after; i++) {
        const struct profile *run = r->run[i];
        if (!run->libraries.n || strcmp(run->libraries.at[0].text, r->tuned->library) != 0)
            why = "another library or version";
        for (EACH(const struct profile_text, w, run->warnings))
            why = strstr(w->text, PROFILE_NOT_CHANGED) ?: why;
    }
    if (why) {
        document_finding(d, FINDING("gains", DOUBT),
                         "Runs did not use the tuning rules for %s (%s): savings are not judged.",
                         r->tuned->library, why);
        return;
    }
    struct rules rules = rules_of(r->tuned);
    struct gains g = {.r = r, .by_size = rules.by_size};
    g.time_ns = memory_alloc((r->before + r->after) * sizeof *g.time_ns);
    for (size_t i = 0; i < rules.list.n; i++)
        if (rules.list.at[i].algorithm)
            add_gain(&g, &rules.list.at[i]);
    if (g.list.n)
        add_table(&g, d);
    add_finding(&g, d, slower);
    free(g.time_ns);
    free(g.list.at);
    rules_free(&rules);
}

/* --- algorithms that changed --- */

/* The algorithm that all N runs show for the operation, ranks and bytes of LIKE; NULL if it is
 * unknown or differs. */
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

/* The time by which a call described by OF takes longer in the runs B, ns. */
static struct estimate call_shift(const struct compare_request *r, const json_t *of)
{
    FREED double *time = memory_alloc((r->before + r->after + 1) * sizeof *time);
    double calls;
    for (size_t run = 0; run < r->before + r->after; run++) {
        time[run] = profile_time_of(r->run[run], json_text_at(of, "operation"),
                                    (int)json_number_at(of, "ranks"),
                                    (uint64_t)json_number_at(of, "bytes"), &calls);
        time[run] /= calls;
    }
    return evidence_shift(time, r->before, time + r->before, r->after);
}

void algorithms_add(struct document *d, const struct compare_request *r)
{
    for (size_t i = 0; i < r->run[0]->findings.n; i++) {
        const json_t *f = r->run[0]->findings.at[i].value;
        const char *was = strcmp(r->run[0]->findings.at[i].kind, "algorithms")
                              ? NULL
                              : algorithm_of(r->run, r->before, f);
        const char *now = was ? algorithm_of(r->run + r->before, r->after, f) : NULL;
        if (!now || !strcmp(was, now))
            continue;
        const struct estimate shift = call_shift(r, f);
        char call[SITE_PART_TEXT], longer[SHIFT_TEXT];
        document_finding(d,
                         FINDING("algorithm", FINDING,
                                 .number = {{"call_us", 1e-3 * shift.value},
                                            {"low_us", 1e-3 * shift.low},
                                            {"high_us", 1e-3 * shift.high}}),
                         "%s%s: %s -> %s, %s.", json_text_at(f, "operation"),
                         call_text(r->run[0], json_text_at(f, "operation"),
                                   json_number_at(f, "bytes"), (uint32_t)json_number_at(f, "ranks"),
                                   call),
                         was, now, shift_text(shift, " a call", longer));
    }
}

/* --- what the runs were started with --- */

/* Each run's set-up is lines NAME=VALUE, with a blank one at the end if all variables are known. */
void setup_add(struct document *d, const struct compare_request *r)
{
    enum { SETUP = 4600 };
    const size_t all = r->before + r->after;
    FREED char(*setup)[SETUP] = memory_alloc(all * sizeof *setup);
    char is[2][160], own[160], name[160], text[1200] = "";
    for (size_t i = 0; i < all; i++) {
        const struct profile *p = r->run[i];
        snprintf(setup[i], SETUP, "\nMPI library=%.150s\nhosts=%zu\nranks=%zu",
                 p->libraries.n ? p->libraries.at[0].text : "unknown", p->hosts.n, p->ranks.n);
        for (EACH(const struct profile_text, v, p->variables))
            text_add(setup[i], SETUP, "\n%.127s", v->text);
        text_add(setup[i], SETUP, p->has_variables ? "\n" : "");
    }
    for (size_t k = 0; k < all; k++)
        for (const char *line = setup[k]; line; line = strchr(line + 1, '\n')) {
            const size_t n = 2 + strcspn(line + 1, "=\n"); /* of the key, "\nNAME=" */
            snprintf(name, sizeof name, " %.*s ", (int)n - 2, line + 1);
            for (size_t i = 0; i < all; i++) {
                const char *of = setup[i], *at = memmem(of, strlen(of), line, n);
                at = at ? at + n : of[strlen(of) - 1] == '\n' ? "not set" : "unknown";
                text_copy_part(own, sizeof own, at, strcspn(at, "\n"));
                char *to = is[i >= r->before];
                strcpy(to, i == 0 || i == r->before || !strcmp(to, own) ? own : "several");
            }
            if (line[n - 1] == '=' && !strstr(text, name) &&
                (strcmp(is[0], is[1]) != 0 || !strcmp(is[0], "several")))
                text_add(text, sizeof text, "%s%s%s -> %s", *text ? ";" : "", name, is[0], is[1]);
        }
    if (*text)
        document_finding(d, FINDING("setup", FINDING), "The runs differ in:%s.", text);
}
