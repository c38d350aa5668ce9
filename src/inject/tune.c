/* --tune: measures the library's algorithms at the application's own signatures (operation,
 * communicator, root, bytes), with the arrival times of its ranks, just before a call, as benchmark
 * mode does (benchmark.c). It begins with a signature's eighth call, so frequent ones come first,
 * and takes at most --tune-share of the run so far; a signature for which there is no time yet is
 * tried again when its number of calls has doubled. The application's own calls keep the library's
 * choice. */
#include "inject/signature.h"

#include "base/try.h"
#include "record/operations.h"
#include "tune/found.h"
#include "tune/tuner.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = ARRIVALS };

static const struct tuning_library *library;
static uint64_t short_of_time; /* signatures that were not measured for lack of time */

static bool start(void)
{
    const char *wanted = layer.settings.tune;
    library = *wanted ? tuning_library() : NULL;
    if (*wanted && !library && layer.rank == 0)
        snprintf(
            tune_injection.remark, sizeof tune_injection.remark,
            "tune: this MPI library has no algorithms that can be chosen while a program runs");
    return library != NULL;
}

static const struct tuned_operation *operation_of(const struct collective *c)
{
    return tuned_operation_find(mpi_functions[replica_plain(c->call->operation)].name);
}

static bool wants(const struct collective *c)
{
    const struct tuned_operation *o = operation_of(c);
    bool exact = !strcmp(layer.settings.tune, "exact");
    int commutes = 1;
    if (!o || (o->reduces && exact) || c->bytes > INT_MAX ||
        (c->is_broadcast && *layer.settings.bcast))
        return false;
    if (o->reduces)
        PMPI_Op_commutative(c->operands->op, &commutes);
    return commutes && (c->bytes > 0 || c->call->operation == OP_Barrier);
}

static bool due(const struct collective *c)
{
    const struct signature *g = signature_count(&tune_injection, c);
    const uint64_t before = g ? g->calls - 1 : 0;
    return before >= FIRST && !g->done && (before & (before - 1)) == 0;
}

/* --- the operation --- */

static int run_broadcast(void *arg, int root)
{
    const struct collective *b = arg;
    return PMPI_Bcast(b->buffer, (int)b->count, b->type, root, b->comm);
}

static void use_broadcast(void *arg, MPI_Comm comm, collective_run *run)
{
    (void)run;
    ((struct collective *)arg)->comm = comm;
}

static void use_replica(void *arg, MPI_Comm comm, collective_run *run)
{
    (void)run;
    ((struct replica *)arg)->comm = comm;
}

/* --- the finding --- */

static json_t *finding_json(const struct collective *c, const struct signature *g,
                            const struct tuned *t, double apart)
{
    const double now_us = 1e6 * t->time[0].value, best_us = t->best ? now_us : NAN;
    const struct estimate *ratio = &t->ratio[t->best];
    json_t *more = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "communicator",
                             json_text(c->on->name, sizeof c->on->name), "root",
                             g->root < 0 ? json_null() : json_integer(g->root), "now_us",
                             json_finite(now_us), "faster_us", json_finite(best_us * ratio->value),
                             "faster_low_us", json_finite(best_us * ratio->low), "faster_high_us",
                             json_finite(best_us * ratio->high));
    json_t *json = tuned_json(t);
    json_object_update(json, more);
    json_decref(more);
    json_put(json, "recorded_apart_us", json_finite(1e6 * apart));
    return json;
}

/* The number of calls is known only at the end. */
static void finding_complete(json_t *f, uint64_t calls)
{
    double now = json_number_value(json_object_get(f, "now_us"));
    const json_t *faster = json_object_get(f, "faster_us");
    json_object_set_new(f, "calls", json_integer((json_int_t)calls));
    json_object_set_new(
        f, "saves_us",
        json_real(json_is_number(faster) ? (now - json_number_value(faster)) * (double)calls : 0));
    json_decref(f);
}

/* --- when, and for how long --- */

/* Seconds that may be spent now, decided by rank 0; 0 if one operation takes so long that too few
 * would fit. APART: between the arrivals of the first and the last rank. */
static int agree_on_budget(const struct tuning *t, double apart, double *budget)
{
    enum { OPERATIONS_LEAST = 16 }; /* of each candidate: six rounds of two, and a pilot */
    static const double seconds_least = 0.1;
    const struct latency_case *c = &t->c;
    struct algorithm list[ALGORITHMS_MAX];
    int candidates = 1 + library->list(t->operation, t->bytes, list, ALGORITHMS_MAX);
    double most = 0, mine;
    TRY(PMPI_Barrier(c->comm));
    mine = clock_now();
    TRY(c->run(c->arg, c->root));
    mine = clock_now() - mine;
    TRY(PMPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, c->comm));
    *budget = layer.settings.tune_share / 100 * injection_elapsed() -
              injection_time_spent(&tune_injection);
    if (*budget < fmax(seconds_least, OPERATIONS_LEAST * candidates * (most + apart)))
        *budget = 0;
    return PMPI_Bcast(budget, 1, MPI_DOUBLE, 0, c->comm);
}

static int measure(const struct collective *c, struct signature *g, const struct latency_case *of,
                   void (*use)(void *arg, MPI_Comm comm, collective_run *run))
{
    struct tuned result;
    double apart;
    struct tuning t = {
        .library = library, .operation = operation_of(c), .bytes = c->bytes, .c = *of, .use = use};
    t.c.clock = injection_clock();
    TRY(arrival_delay(g->entered, of->comm, &t.c.after, &apart));
    TRY(agree_on_budget(&t, apart, &t.budget));
    if (t.budget <= 0) {
        __atomic_fetch_add(&short_of_time, g->calls == FIRST + 1, __ATOMIC_RELAXED);
        return MPI_SUCCESS;
    }
    g->done = true;
    t.c.plan.until = clock_now() + t.budget;
    TRY(tuner_measure(&t, &result));
    if (c->on->rank > 0 || result.n < 2 || !estimate_known(result.time[0]))
        return MPI_SUCCESS;
    g->found = finding_json(c, g, &result, apart);
    json_incref(g->found);
    injection_found(&tune_injection, c->on->of->index, g->found);
    return MPI_SUCCESS;
}

static void before(const struct collective *c)
{
    struct signature *g = signature_of(&tune_injection, c);
    if (c->is_broadcast) {
        struct collective own = *c;
        own.comm = c->on->comm;
        struct latency_case of = {.comm = own.comm,
                                  .run = run_broadcast,
                                  .arg = &own,
                                  .kind = COLLECTIVE_FROM_ROOT,
                                  .root = c->root};
        measure(c, g, &of, use_broadcast);
    } else {
        struct replica replica;
        bool made = replica_make(&replica, replica_find(c->call->operation), c->operands, c->root,
                                 c->on->comm);
        struct latency_case of = replica_case(&replica);
        if (sync_all_have(c->on->comm, made) == MPI_SUCCESS)
            measure(c, g, &of, use_replica);
        replica_free(&replica);
    }
    call_exclude(c->on->of->id, 1); /* excludes this call from timing: it is delayed */
}

static void close_comm(struct internal_comm *s, bool all)
{
    struct signatures *known = s->kept[tune_injection.index];
    (void)all;
    for (int i = 0; known && i < known->n; i++)
        if (known->at[i].found)
            finding_complete(known->at[i].found, known->at[i].calls);
    free(known);
}

static void finish(void)
{
    if (layer.rank == 0 && short_of_time)
        snprintf(tune_injection.remark, sizeof tune_injection.remark,
                 "tune: %llu signatures were not measured, or late: --tune-share=%g of the run was "
                 "too short for them",
                 (unsigned long long)short_of_time, layer.settings.tune_share);
}

struct injection tune_injection = {.name = "tune",
                                   .keeps = sizeof(struct signatures),
                                   .start = start,
                                   .wants = wants,
                                   .due = due,
                                   .before = before,
                                   .close = close_comm,
                                   .finish = finish};
