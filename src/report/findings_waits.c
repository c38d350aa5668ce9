/* Findings about waiting, from a trace: one for each cause, the delay for which ranks wait. */
#include "base/array.h"
#include "base/format.h"
#include "report/findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keys of findings, by the wait state of most waits that the cause explains. */
#define KEY(id, name, key) key,
static const char *const keys[WAIT_STATES] = {WAIT_STATE_LIST(KEY)};

/* How many ranks send to C's rank, and receive from it in the call where C causes most waits. */
static size_t clients_of(const struct profile *p, const struct root_cause *c)
{
    size_t clients = 0;
    for (EACH(const struct profile_peer, m, p->peers))
        clients += m->received && m->peer == c->rank && m->site == c->wait_site &&
                   m->operation == c->wait_operation && messages_sent(p, m->rank, c->rank) > 0;
    return clients;
}

/* Mean bytes of a message in the call where C causes most waits. */
static double mean_bytes(const struct profile *p, const struct root_cause *c)
{
    double bytes = 0, calls = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].site == c->wait_site &&
            p->entries.at[i].operation == c->wait_operation) {
            bytes += (double)p->entries.at[i].bytes;
            calls += (double)p->entries.at[i].calls;
        }
    return calls > 0 ? bytes / calls : 0;
}

/* The causes of one kind in one segment: a row of root_cause for each late rank. */
struct segment {
    const struct root_cause *most; /* the row that costs most */
    size_t n;                      /* number of rows */
    double cost, of_most, second;  /* ns: of all rows; of the largest; of the second largest */
    double passed;                 /* part of COST passed on by ranks that had waited themselves */
    double error;                  /* upper bound of half of COST's 95 % interval; NAN: unknown */
    uint64_t followed, in_turn;    /* sums over the rows: see struct root_cause */
};

static double cost_of(const struct root_cause *c)
{
    return (double)c->direct_ns + (double)c->passed_ns;
}

/* The segment of C; empty if an earlier row has the same segment, so that each is found once. */
static struct segment segment_of(const struct profile *p, const struct root_cause *c)
{
    struct segment s = {.most = c};
    for (EACH(const struct root_cause, x, p->causes)) {
        const double cost = cost_of(x);
        if (x->kind != c->kind || !same_segment(x, c))
            continue;
        if (x < c)
            return (struct segment){0};
        s.n++;
        s.cost += cost;
        s.passed += (double)x->passed_ns;
        s.error += x->error_ns;
        s.followed += x->followed;
        s.in_turn += x->in_turn;
        s.second = fmax(s.second, fmin(s.of_most, cost));
        s.most = cost > s.of_most ? x : s.most;
        s.of_most = fmax(s.of_most, cost);
    }
    return s;
}

/* "Between MPI_Recv at x.c:5 f and MPI_Send at x.c:9 g", or "In MPI_Send at x.c:9 g, beyond
 * waiting". */
enum { SEGMENT_LABEL = 2 * CALL_LABEL + 40 };
static void segment_label(const struct view *v, const struct root_cause *c,
                          char text[SEGMENT_LABEL])
{
    const char *entered = AS_CALL(v, c->operation, c->site, "MPI_Finalize");
    if (c->kind == CAUSE_COMPUTATION)
        snprintf(text, SEGMENT_LABEL, "Between %s and %s",
                 AS_CALL(v, c->from_operation, c->from_site, "MPI_Init"), entered);
    else
        snprintf(text, SEGMENT_LABEL, "In %s, beyond waiting", entered);
}

/* S's cost in seconds per rank, extrapolated from the trace's windows to the run. */
static double segment_seconds(const struct finding_context *c, const struct segment *s)
{
    return 1e-9 * s->cost / c->ranks / c->v->p->trace.covered;
}

/* Whether the finding names one rank: the costliest row costs at least twice the next row. */
static bool is_of_one_rank(const struct segment *s)
{
    return s->of_most >= 2 * s->second;
}

/* The key of a finding about three or more late ranks that alternate in a fixed or in a random
 * order, none of which causes half of the waiting in the collective; NULL: neither order. In a
 * random order, the rank that is late next after a given rank is the same as last time in at most
 * half of the cases. */
static const char *order_of(const struct segment *s)
{
    enum { LEAST = 8, LATE_RANKS = 3, TURN_PERCENT = 90, CHANCE_PERCENT = 60 };
    if (s->most->wait_state != WAIT_N_TO_N || s->n < LATE_RANKS || 2 * s->of_most > s->cost ||
        s->followed < LEAST)
        return NULL;
    return s->in_turn * 100 >= TURN_PERCENT * s->followed     ? "diffuse_procedure"
           : s->in_turn * 100 <= CHANCE_PERCENT * s->followed ? "random_barrier"
                                                              : NULL;
}

/* noise_doubt() of S's cost, seconds per rank. */
static double cause_doubt(const struct finding_context *c, const struct segment *s)
{
    const bool outside = s->most->kind == CAUSE_COMPUTATION;
    const bool one = is_of_one_rank(s);
    return noise_doubt(c->v->p, one ? (int64_t)s->most->rank : NOISE_ANY_RANK, !one && !outside,
                       outside ? c->v->where.mean : 0);
}

/* The lower end of the 95 % interval of S's cost, seconds per rank; NAN if the whole run was
 * recorded, or if the interval is unknown. */
static double least_cost(const struct finding_context *c, const struct segment *s)
{
    return s->error > 0 ? fmax(0, segment_seconds(c, s) * (1 - s->error / s->cost)) : NAN;
}

/* TEXT: " It passes as an idle wave through 5 ranks, one each 10 ms, up to rank 7.", or "". */
static void wave_text(const struct root_cause *c, char *text, size_t room)
{
    enum { LEAST_RANKS = 4 };
    *text = '\0';
    if (c->wave_ranks >= LEAST_RANKS)
        snprintf(text, room,
                 " It passes as an idle wave through %u ranks, one rank per %s, up to rank %u.",
                 c->wave_ranks, AS_TIME((double)c->wave_ns / (c->wave_ranks - 1)), c->wave_end);
}

static void which_ranks(const struct segment *s, const char *order, char *text, size_t room)
{
    const double always = 0.9;
    if (s->of_most >= always * s->cost)
        snprintf(text, room, "rank %u takes", s->most->rank);
    else if (order)
        snprintf(text, room, "%zu ranks %s take", s->n,
                 strcmp(order, "random_barrier") ? "in turn" : "by chance");
    else
        snprintf(text, room, "several ranks, most often rank %u (%s of the waiting), take",
                 s->most->rank, AS_SHARE(s->of_most, s->cost));
}

/* TEXT: " Balanced, the run would take ...", if the predicted interval is below the run time. */
static void gain_text(const struct finding_context *c, const struct segment *s, char *text,
                      size_t room)
{
    const struct profile *p = c->v->p;
    char prediction[PREDICTION_TEXT];
    for (EACH(const struct prediction, x, p->predictions))
        if (s->most->kind == CAUSE_COMPUTATION && same_segment(&x->segment, s->most) &&
            !(x->high_ns > profile_longest_ns(p)))
            snprintf(text, room, " Balanced, %s.", prediction_text(p, x, prediction));
}

/* TEXT: the function that S's late rank executes longer in the segment; "" for several ranks. */
static void code_text(const struct finding_context *c, const struct segment *s, double cost,
                      char text[SAMPLED_TEXT])
{
    const struct profile *p = c->v->p;
    bool *slow = memory_alloc((p->ranks.n + 1) * sizeof *slow);
    *text = '\0';
    for (size_t i = 0; i < p->ranks.n; i++)
        slow[i] = p->ranks.at[i].rank == (int32_t)s->most->rank;
    if (s->most->kind == CAUSE_COMPUTATION && is_of_one_rank(s))
        sampled_excess(c->v, slow, s->most, cost, text);
    free(slow);
}

static void add_cause(struct finding_context *c, const struct segment *s, double cost)
{
    enum { CLIENTS = 3, BIG = 64 << 10 };
    const struct profile *p = c->v->p;
    const bool one = is_of_one_rank(s);
    const char *order = one ? NULL : order_of(s);
    const char *call = AS_CALL(c->v, s->most->wait_operation, s->most->wait_site, NULL);
    char more[100] = "", by[320] = "";
    char ranks[120], between[SEGMENT_LABEL], advice[4600], gain[PREDICTION_TEXT + 20] = "";
    char code[SAMPLED_TEXT];
    segment_label(c->v, s->most, between);
    const double at_least = noise_at_least(cost, least_cost(c, s), cause_doubt(c, s));
    struct finding f = {.key = order ? order : keys[s->most->wait_state],
                        .severity = SEVERITY_FINDING,
                        COSTS(c, cost, at_least),
                        .site = call,
                        .ranks = &(int){(int)s->most->rank},
                        .n_ranks = one,
                        .number = {{"late_ranks", (double)s->n},
                                   {"share_of_rank_percent", 100 * s->of_most / s->cost},
                                   {"passed_on_percent", 100 * s->passed / s->cost}},
                        .advice = advice};
    size_t clients = s->most->wait_state == WAIT_LATE_SENDER ? clients_of(p, s->most) : 0;
    double bytes = mean_bytes(p, s->most);
    if (clients >= CLIENTS) {
        f.key = "intensive_server";
        f.number[3] = (struct finding_number){"clients", (double)clients};
        snprintf(more, sizeof more, ", where it serves %zu ranks, which send to it and wait",
                 clients);
    } else if (s->most->wait_state == WAIT_LATE_RECEIVER && bytes >= BIG) {
        f.key = "big_message";
        f.number[3] = (struct finding_number){"bytes", bytes};
        snprintf(more, sizeof more, ", in which messages of %s wait for their receive",
                 AS_BYTES(bytes));
    }
    which_ranks(s, order, ranks, sizeof ranks);
    if (noise_matters(cost * s->passed / s->cost, NAN, 0, c->run)) {
        int n = snprintf(by, sizeof by, " %s of the wait is passed on by ranks that waited, too.",
                         AS_SHARE(s->passed, s->cost));
        wave_text(s->most, by + n, sizeof by - (size_t)n);
    }
    gain_text(c, s, gain, sizeof gain);
    code_text(c, s, cost, code);
    if (one && s->most->kind == CAUSE_COMPUTATION)
        snprintf(advice, sizeof advice, "shorten or balance what rank %u does before %s",
                 s->most->rank, AS_CALL(c->v, s->most->operation, s->most->site, "MPI_Finalize"));
    else
        snprintf(advice, sizeof advice,
                 "see all causes of waiting: collprof report --table=causes %s", c->directory);
    document_finding(c->d, &f,
                     "%s, %s longer than the ranks that wait: %s of waiting per rank, %s of all, "
                     "most of it in %s%s.%s%s%s",
                     between, ranks, AS_TIME(1e9 * cost),
                     AS_SHARE(s->cost, (double)p->trace.wait_ns), call, more, code, by, gain);
}

/* Whether too much time is in calls too long for the trace's windows; if so, adds a finding. */
static bool windows_hide(struct finding_context *c)
{
    static const double too_much_unseen = 0.10;
    double unseen = noise_unseen_waits(c->v->p);
    if (unseen < too_much_unseen)
        return false;
    document_finding(
        c->d,
        FINDING("trace_windows", DOUBT,
                .advice = AS_COMMAND(c, "trace with longer windows", "--trace --memory=SIZE ")),
        "The trace does not show which rank causes most waiting: calls that are too long for its "
        "windows of %s take %s of the time in calls that may wait.",
        AS_TIME(noise_window_ns(c->v->p)), AS_SHARE(unseen, 1));
    return true;
}

/* Ranks that only pass on a delay for which they waited themselves are no cause. */
void find_waits(struct finding_context *c)
{
    const struct profile *p = c->v->p;
    if (!p->trace.on || !p->waits.n || p->trace.covered <= 0 || windows_hide(c))
        return;
    c->traced = true;
    for (EACH(const struct root_cause, x, p->causes)) {
        const struct segment s = segment_of(p, x);
        if (!s.n || s.most->wait_operation == CAUSES_NONE ||
            (x->kind != CAUSE_COMPUTATION && x->kind != CAUSE_TRANSFER))
            continue;
        const double cost = segment_seconds(c, &s);
        if (!finding_matters(c, cost, least_cost(c, &s), cause_doubt(c, &s)))
            continue;
        add_cause(c, &s, cost);
        struct imbalance *b;
        while ((b = imbalance_of_rank(&c->imbalances, p, s.most->rank)))
            b->reported = true;
    }
}
