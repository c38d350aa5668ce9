/* --tune: measures the library's algorithms at the application's own signatures (operation,
 * communicator, root, bytes), with the arrival times of its ranks, just before a call, as benchmark
 * mode does (benchmark.c). It begins with a signature's ninth call, so frequent ones come first,
 * and takes at most --tune-share of the run so far; a signature for which there is no time yet is
 * tried again when its number of calls has doubled. The application's own calls keep the library's
 * choice. */
#include "inject/signature.h"

#include "base/try.h"
#include "record/operations.h"
#include "tune/found.h"
#include "tune/tuner.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = ARRIVALS };

static const struct tuning_library *library;

static bool start(void)
{
    const char *wanted = layer.settings.tune;
    library = *wanted ? tuning_library() : NULL;
    if (*wanted && !library && layer.rank == 0)
        injection_warn(
            "tune: this MPI library has no algorithms that can be chosen while a program "
            "runs");
    return library != NULL;
}

static const struct tuned_operation *operation_of(const struct collective *c)
{
    return c->operation ? tuned_operation_find(c->operation->mpi_name) : NULL;
}

static bool wants(const struct collective *c)
{
    const struct tuned_operation *o = operation_of(c);
    bool exact = !strcmp(layer.settings.tune, "exact");
    int commutes = 1;
    if (!o || (o->reduces && exact) || c->bytes > INT_MAX ||
        (c->is_broadcast && replace_injection.on))
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

static json_t *finding_json(const struct collective *c, const struct signature *g,
                            const struct tuned *t, double apart)
{
    json_t *json = tuned_json(t);
    json_put(json, "communicator", json_text(c->on->name, sizeof c->on->name));
    json_put(json, "root", g->root < 0 ? json_null() : json_integer(g->root));
    json_put(json, "recorded_apart_us", json_finite(1e6 * apart));
    return json;
}

/* The number of calls is known only at the end. */
static void finding_complete(json_t *f, uint64_t calls)
{
    const double saves = json_number_at(f, "saves_us") * (double)calls; /* of one call before */
    json_object_set_new(f, "calls", json_integer((json_int_t)calls));
    json_object_set_new(f, "saves_us", json_real(saves));
    json_decref(f);
}

static int measure(const struct collective *c, struct signature *g, struct subject *u)
{
    enum { OPERATIONS_LEAST = 16 }; /* of each candidate: six rounds of two, and a pilot */
    static const double seconds_least = 0.1;
    struct tuned result;
    struct algorithm list[ALGORITHMS_MAX];
    double apart, one, budget = injection_budget(&tune_injection, 0, layer.settings.tune_share);
    struct tuning t = {.library = library,
                       .operation = operation_of(c),
                       .bytes = c->bytes,
                       .c = u->c,
                       .comm = &u->replica.call.comm};
    const int candidates = 1 + library->list(t.operation, t.bytes, list, ALGORITHMS_MAX);
    TRY(subject_arrivals(u, g, &t.c.after, &apart));
    TRY(subject_budget(u, budget < seconds_least ? 0 : budget, OPERATIONS_LEAST * candidates, apart,
                       &t.budget, &one));
    if (t.budget <= 0) {
        __atomic_fetch_add(&tune_injection.left_out, g->calls == FIRST + 1, __ATOMIC_RELAXED);
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
    struct subject u;
    if (subject_open(&u, c))
        measure(c, signature_of(&tune_injection, c), &u);
    subject_close(&u);
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

struct injection tune_injection = {.name = "tune",
                                   .keeps = sizeof(struct signatures),
                                   .start = start,
                                   .wants = wants,
                                   .due = due,
                                   .before = before,
                                   .close = close_comm};
