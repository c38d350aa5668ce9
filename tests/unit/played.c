#include "played.h"
#include "unit.h"

struct played *program(uint32_t ranks)
{
    struct played *p = calloc(1, sizeof *p);
    p->ranks = ranks;
    p->percent = 100;
    p->latency = LATENCY;
    p->overhead = 1;
    return p;
}

void played_free(struct played *p)
{
    free(p->events);
    free(p);
}

void does(struct played *p, uint32_t rank, enum step_kind kind, int64_t ns, uint32_t peer)
{
    cr_assert_lt(p->length[rank], STEPS);
    p->step[rank][p->length[rank]++] = (struct step){kind, ns, peer};
}

static struct event *event(struct played *p, uint32_t rank, enum event_kind kind, int64_t end)
{
    const struct step *s = &p->step[rank][p->at[rank]];
    struct event *a = &p->events[p->n++];
    *a = (struct event){.entry_ns = p->now[rank],
                        .exit_ns = end,
                        .posted_ns = p->now[rank],
                        .comm_id = 7,
                        .bytes = s->ns < RENDEZVOUS ? 100 : 100000,
                        .rank = rank,
                        .site = (uint32_t)s->ns,
                        .operation = (uint32_t)s->kind,
                        .peer = s->peer,
                        .kind = (uint8_t)kind};
    return a;
}

/* Entry of the step at which RANK sends its message of that ORDINAL to PEER, or posts the receive
 * of that one from PEER; 0: not yet entered. */
static int64_t entered_at(const struct played *p, uint32_t rank, uint32_t peer, uint32_t ordinal,
                          bool sends)
{
    for (uint32_t i = 0; i <= p->at[rank] && i < p->length[rank]; i++) {
        const struct step *s = &p->step[rank][i];
        const bool fits = sends ? s->kind == SEND || s->kind == SYNCHRONOUS
                                : s->kind == RECEIVE || s->kind == POST;
        if (fits && s->peer == peer && !ordinal--)
            return p->entered[rank][i];
    }
    return 0;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* A receive, or the completion of one that was posted at POSTED. */
static bool receive(struct played *p, uint32_t rank, uint32_t from, int64_t posted)
{
    const int64_t sent = entered_at(p, from, rank, p->ordinal[from][rank], true);
    if (!sent)
        return false;
    const int64_t end = later(p->now[rank] + p->overhead, later(sent, posted) + p->latency);
    const bool probes = p->step[rank][p->at[rank]].kind == PROBE;
    struct event *a = event(p, rank, probes ? EVENT_PROBED : EVENT_RECEIVED, end);
    a->peer = from;
    a->posted_ns = posted;
    a->ordinal = p->ordinal[from][rank];
    p->ordinal[from][rank] += !probes;
    p->now[rank] = end;
    return true;
}

static bool synchronous(struct played *p, uint32_t rank, uint32_t to)
{
    const int64_t posted = entered_at(p, to, rank, p->waiting[rank][to], false);
    if (!posted)
        return false;
    const int64_t end = later(p->now[rank], posted) + p->latency;
    struct event *a = event(p, rank, EVENT_SEND, end);
    a->synchronous = a->site < RENDEZVOUS;
    p->waiting[rank][to]++;
    p->now[rank] = end;
    return true;
}

/* Whether RANK cannot complete the collective before rank R has entered it. */
static bool needs(const struct played *p, const struct step *s, uint32_t rank, uint32_t r)
{
    return s->kind == BARRIER   ? true
           : s->kind == BCAST   ? r == s->peer
           : s->kind == SCAN    ? r < rank
           : s->kind == BETWEEN ? (r < p->ranks / 2) != (rank < p->ranks / 2)
                                : rank == s->peer;
}

static bool collective(struct played *p, uint32_t rank)
{
    static const enum collective_kind kinds[] = {COLLECTIVE_ALL, COLLECTIVE_FROM_ROOT,
                                                 COLLECTIVE_TO_ROOT, COLLECTIVE_PREFIX,
                                                 COLLECTIVE_ALL};
    const struct step *s = &p->step[rank][p->at[rank]];
    int64_t end = p->now[rank] + p->overhead;
    for (uint32_t r = 0; r < p->ranks; r++) {
        uint32_t count = p->collectives[rank] + 1, i = 0;
        for (; i < p->length[r] && (count -= p->step[r][i].kind >= BARRIER);)
            i++;
        if (!needs(p, s, rank, r))
            continue;
        if (!p->entered[r][i])
            return false;
        end = s->kind == BCAST && r == rank ? end : later(end, p->entered[r][i] + p->latency);
    }
    struct event *a = event(p, rank, EVENT_COLLECTIVE, end);
    a->collective = (uint8_t)kinds[s->kind - BARRIER];
    a->tag = (int32_t)rank;
    a->comm_size = p->ranks;
    a->first_group_size = s->kind == BETWEEN ? p->ranks / 2 : 0;
    a->peer = s->kind == BCAST || s->kind == REDUCE ? s->peer : TIMELINE_NONE;
    a->ordinal = p->collectives[rank]++;
    p->now[rank] = end;
    return true;
}

/* Executes a call; false if it has to wait for a rank that has not got there yet. */
static bool call(struct played *p, uint32_t rank, const struct step *s)
{
    switch (s->kind) {
    case SEND:
        event(p, rank, EVENT_SEND, p->now[rank] + p->overhead);
        p->now[rank] += p->overhead;
        p->waiting[rank][s->peer]++;
        return true;
    case POST: /* it takes as long on an ideal network */
        event(p, rank, EVENT_CALL, p->now[rank] + POSTING)->peer = TIMELINE_NONE;
        p->posted[rank] = p->now[rank];
        p->now[rank] += POSTING;
        return true;
    case SYNCHRONOUS:
        return synchronous(p, rank, s->peer);
    case RECEIVE:
    case PROBE:
    case WAIT:
        return receive(p, rank, s->peer, s->kind == WAIT ? p->posted[rank] : p->now[rank]);
    default:
        return collective(p, rank);
    }
}

static bool go(struct played *p, uint32_t rank)
{
    const struct step *s = &p->step[rank][p->at[rank]];
    if (p->at[rank] == p->length[rank])
        return false;
    if (s->kind != COMPUTE && !p->entered[rank][p->at[rank]])
        p->entered[rank][p->at[rank]] = p->now[rank];
    if (s->kind == COMPUTE) {
        p->now[rank] += s->ns * p->percent / 100;
    } else if (!call(p, rank, s)) {
        return false;
    }
    p->at[rank]++;
    return true;
}

void play(struct played *p)
{
    size_t steps = 0;
    for (uint32_t r = 0; r < p->ranks; r++) {
        p->now[r] = 1;
        steps += p->length[r];
    }
    p->events = calloc(steps + 1, sizeof *p->events);
    for (bool any = true; any;) {
        any = false;
        for (uint32_t r = 0; r < p->ranks; r++)
            while (go(p, r))
                any = true;
    }
    for (uint32_t r = 0; r < p->ranks; r++) {
        cr_assert_eq(p->at[r], p->length[r], "rank %u is stuck", r);
        if (p->now[r] > p->last) {
            p->last = p->now[r];
            p->last_rank = r;
        }
    }
    uint32_t number[RANKS][RANKS] = {{0}};
    for (size_t i = 0; i < p->n; i++)
        if (p->events[i].kind == EVENT_SEND)
            p->events[i].ordinal = number[p->events[i].rank][p->events[i].peer]++;
}

/* --- what follows --- */

struct answer answer_of(const struct event *events, size_t n, const struct causes_run *run)
{
    struct answer a = {.t = calloc(1, sizeof *a.t)};
    timeline_find(a.t, events, n, 0);
    a.graph = event_graph_open(a.t, run);
    causes_find(&a.c, a.graph);
    cr_expect(causes_add_up(a.c.rows, a.c.n, a.t->wait_sum_ns, a.c.path_ns));
    return a;
}

struct answer analysed(const struct played *p, uint64_t mask)
{
    const struct causes_run run = {1, p->last, mask, p->last_rank, 0};
    const struct answer a = answer_of(p->events, p->n, &run);
    if (!mask)
        cr_expect_eq(a.c.path_ns, p->last - 1);
    return a;
}

void answer_free(struct answer *a)
{
    free(a->c.rows);
    event_graph_close(a->graph);
    timeline_free(a->t);
    free(a->t);
}

struct answer play_and_analyse(struct played *p)
{
    play(p);
    return analysed(p, 0);
}

void answer_end(struct answer *a, struct played *p)
{
    answer_free(a);
    played_free(p);
}

double cost(const struct answer *a, uint32_t rank, int site)
{
    double sum = 0;
    for (size_t i = 0; i < a->c.n; i++) {
        const struct root_cause *c = &a->c.rows[i];
        if (c->rank == rank &&
            (site < 0 || (c->kind == CAUSE_COMPUTATION && c->site == (uint32_t)site)))
            sum += (double)c->direct_ns + (double)c->passed_ns;
    }
    return sum;
}

double cost_of_kind(const struct answer *a, enum cause_kind kind)
{
    double sum = 0;
    for (size_t i = 0; i < a->c.n; i++)
        if (a->c.rows[i].kind == kind)
            sum += (double)a->c.rows[i].direct_ns + (double)a->c.rows[i].passed_ns;
    return sum;
}

/* --- programs that are drawn --- */

uint32_t drawn(uint64_t *seed, uint32_t below)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % below;
}

/* One of the ways to communicate that only predictions are tested with. */
static void communicate(struct played *p, uint32_t kind, uint32_t r, uint32_t by)
{
    const uint32_t right = (r + by) % p->ranks, left = (r + p->ranks - by) % p->ranks;
    static const enum step_kind collectives[] = {BCAST, REDUCE, SCAN, BETWEEN};
    if (kind > 5) {
        does(p, r, collectives[kind - 6], 77, by);
    } else if (kind < 3) {
        does(p, r, SEND, 84, right);
        does(p, r, PROBE, 85, left);
        does(p, r, RECEIVE, 86, left);
    } else if (kind < 5) { /* a ring of sends that wait */
        const int64_t site = kind == 3 ? 78 : RENDEZVOUS;
        does(p, r, POST, site, left);
        does(p, r, SYNCHRONOUS, site + 1, right);
        does(p, r, WAIT, site + 2, left);
    } else { /* messages that come while ranks compute */
        does(p, r, POST, 81, left);
        does(p, r, SEND, 82, right);
        does(p, r, COMPUTE, 2000, 0);
        does(p, r, WAIT, 83, left);
    }
}

struct played *drawn_on(uint64_t seed, uint32_t kinds, int64_t delay, int64_t percent,
                        int64_t latency)
{
    enum { WORK = 10000 };
    struct played *p = program(4 + drawn(&seed, RANKS - 4));
    p->percent = percent;
    p->latency = latency;
    p->overhead = latency ? 1 : 0;
    uint32_t ranks = p->ranks, late = drawn(&seed, ranks), at = drawn(&seed, 10);
    for (uint32_t step = 0; step < 20; step++) {
        uint32_t kind = drawn(&seed, kinds), by = 1 + drawn(&seed, ranks - 1);
        for (uint32_t r = 0; r < ranks; r++) {
            does(p, r, COMPUTE, WORK + (r == late && step == at ? delay : 0), 0);
            if (kind > 3) {
                communicate(p, kind - 4, r, by);
            } else if (kind == 0) {
                does(p, r, BARRIER, 70, 0);
            } else if (kind == 1) { /* a ring */
                does(p, r, SEND, 71, (r + by) % ranks);
                does(p, r, RECEIVE, 72, (r + ranks - by) % ranks);
            } else if (kind == 2) { /* to both neighbours of a row */
                for (int d = -1; d < 2; d += 2)
                    if (r + (uint32_t)d < ranks)
                        does(p, r, SEND, 73, r + (uint32_t)d);
                for (int d = -1; d < 2; d += 2)
                    if (r + (uint32_t)d < ranks)
                        does(p, r, RECEIVE, 74, r + (uint32_t)d);
            } else { /* a tree to rank 0 */
                for (uint32_t child = 2 * r + 1; child < ranks && child <= 2 * r + 2; child++)
                    does(p, r, RECEIVE, 75, child);
                if (r)
                    does(p, r, SEND, 76, (r - 1) / 2);
            }
        }
    }
    play(p);
    p->now[0] = late;
    return p;
}

struct played *drawn_program(uint64_t seed, int64_t delay)
{
    return drawn_on(seed, 4, delay, 100, LATENCY);
}
