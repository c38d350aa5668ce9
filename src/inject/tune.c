/* --tune: measures the library's algorithms at the application's own signatures (operation,
 * communicator, root, bytes), with the arrival times of its ranks, just before a call, as benchmark
 * mode does (benchmark.c). It begins with a signature's ninth call, so frequent ones come first,
 * and takes at most --tune-share of the run so far, without what injections took; a signature for
 * which there is no time yet is tried again when its number of calls has doubled. The application's
 * own calls keep the library's choice. What was measured is written into the record at once: if the
 * run is killed, the next one with this output takes it from there. */
#include "inject/signature.h"

#include "base/histogram.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/try.h"
#include "profile/profile.h"
#include "record/operations.h"
#include "sync/yielding.h"
#include "tune/found.h"
#include "tune/tuner.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = ARRIVALS };

static const struct tuning_library *library;
static bool started; /* this rank has used its tool interface */

/* By the application's operations; NULL: it is not tuned. Looked up once, since a small collective
 * takes no longer than a search. */
static const struct tuned_operation *tuned_as[N_OPERATIONS];

/* Identifies the members in all runs with as many ranks, as in profile.json. */
static json_t *members_json(const struct collective *c)
{
    return json_sprintf("0x%016llx", (unsigned long long)c->on->of->id);
}

/* --- what a run that was killed had found --- */

/* The findings of this rank, which was rank 0 of the same communicators; NULL if there are none. */
static json_t *killed;

/* Reads the record in the directory of the run before this one, unless that has ended well. Copies
 * the findings into this run's record, too, in case it is killed as well. */
static void killed_read(void *unused)
{
    char pattern[40], ended[PATH_MAX];
    struct ledger l;
    json_t *one;
    size_t i;
    (void)unused;
    snprintf(ended, sizeof ended, "%s/profile.json", layer.previous);
    snprintf(pattern, sizeof pattern, "/rank-%06d-*.ledger", layer.rank);
    glob_t record = input_list(layer.previous, pattern);
    const bool any = record.gl_pathc > 0 && access(ended, F_OK) &&
                     !ledger_open(&l, record.gl_pathv[0], 1u << LEDGER_TEXTS);
    globfree(&record);
    if (!any)
        return;
    const struct ledger_header *own = layer.ledger.header, *h = l.header;
    /* Ranks that could not communicate have not merged a run that ended well. */
    killed = h->state == LEDGER_FINALIZED ? NULL : json_array();
    const bool same = killed && h->size == own->size && !strcmp(h->program, own->program) &&
                      !strcmp(h->script, own->script) && !strcmp(h->arguments, own->arguments) &&
                      !strcmp(h->mpi_library, own->mpi_library);
    json_t *all = same ? profile_injected(&l) : NULL;
    json_array_foreach(all, i, one) {
        json_t *value = json_object_get(one, "value");
        if (!strcmp(json_text_at(one, "kind"), tune_injection.name)) {
            json_object_del(value, "communicator_index"); /* valid only in the other record */
            injection_record(&tune_injection, value);
            json_array_append(killed, value);
        }
    }
    json_decref(all);
    ledger_close(&l);
    if (killed && layer.rank == 0)
        injection_warn("tune: %zu measurements of a run that did not end (%s) are used where the "
                       "same calls occur (same command, ranks and MPI library)",
                       json_array_size(killed), layer.previous);
}

/* What the killed run had found for G on C's communicator, a new reference; NULL if nothing. */
static json_t *killed_find(const struct collective *c, const struct signature *g)
{
    json_t *one, *members = members_json(c), *found = NULL;
    size_t i;
    json_array_foreach(killed, i, one) {
        const json_t *root = json_object_get(one, "root");
        if (!found && !strcmp(json_text_at(one, "operation"), g->operation->mpi_name) &&
            json_equal(json_object_get(one, "members"), members) &&
            json_number_at(one, "bytes") == (double)g->bytes &&
            (json_is_integer(root) ? json_integer_value(root) : -1) == g->root)
            found = json_deep_copy(one);
    }
    json_decref(members);
    return found;
}

/* --- measuring --- */

static bool start(void)
{
    if (!*layer.settings.tune)
        return false;
    library = tuning_library();
    /* A rank that tuned alone would wait for the others. An algorithm is chosen for all threads of
     * a process: calls of another one would take it on this rank only. */
    enum { LIBRARY, THREADS };
    uint64_t lacks[] = {!library, layer.ledger.header->threads_at_once}, lacking[2] = {0};
    allreduce_yielding(lacks, lacking, 2, MPI_SUM, layer.comm);
    const bool good = lacking[LIBRARY] + lacking[THREADS] == 0;
    if (!good && layer.rank == 0)
        injection_warn(PROFILE_NOT_TUNED ": %llu of %d ranks %s",
                       (unsigned long long)(lacking[LIBRARY] ?: lacking[THREADS]), layer.size,
                       lacking[LIBRARY]
                           ? "have an MPI library whose algorithms cannot be chosen at run time"
                           : "have requested MPI_THREAD_MULTIPLE: an algorithm would be set for "
                             "all threads of a rank");
    else if (good && layer.previous)
        memory_try(killed_read, NULL);
    const bool exact = !strcmp(layer.settings.tune, "exact");
    for (unsigned i = 0; i < N_OPERATIONS; i++) {
        const struct operation *o = replica_find(i);
        const struct tuned_operation *t = o ? tuned_operation_find(o->mpi_name) : NULL;
        const bool replaced = t && replace_injection.on && !strcmp(t->stem, "bcast");
        tuned_as[i] = replaced || (t && t->reduces && exact) ? NULL : t;
    }
    return good;
}

/* An internal communicator takes as long as WORTH small calls, or calls with as many PIECEs, so
 * none is wanted before this is within the share of them. */
static bool wants(const struct collective *c)
{
    enum { WORTH = 1000, PIECE = 4096 };
    if (!tuned_as[c->call->operation] || !c->on || c->bytes > INT_MAX ||
        (c->bytes == 0 && c->call->operation != OP_Barrier))
        return false;
    c->on->large += 1 + c->bytes / PIECE;
    return c->on->comm != MPI_COMM_NULL ||
           (double)c->on->large * layer.settings.tune_share > 100 * WORTH;
}

/* Whether the order of a reduction's operands may change. */
static bool commutes(const struct collective *c)
{
    int can = true;
    if (tuned_as[c->call->operation]->reduces)
        PMPI_Op_commutative(c->operands->op, &can);
    return can;
}

/* How often a signature was due, had no algorithms that all its ranks have, and got a finding. */
enum { DUE, WITHOUT, FOUND, COUNTS };
static uint64_t count[COUNTS];
/* The shortest run, seconds, whose share would have sufficed; of this rank as rank 0 of members. */
static double enough = INFINITY;

static bool due(const struct collective *c)
{
    const struct signature *g = signature_count(&tune_injection, c);
    const uint64_t before = g ? g->calls - 1 : 0;
    const bool is = before >= FIRST && !g->done && is_power_of_2(before) && commutes(c);
    __atomic_fetch_add(&count[DUE], is, __ATOMIC_RELAXED);
    return is;
}

static void finish(void)
{
    /* MPICH 4.0 takes unsigned integers for signed ones here. */
    const uint64_t none = INT64_MAX, ms = isfinite(enough) ? whole_count(1e3 * enough) : none;
    uint64_t all[COUNTS] = {0}, least = none;
    allreduce_yielding(count, all, COUNTS, MPI_SUM, layer.comm);
    allreduce_yielding(&ms, &least, 1, MPI_MIN, layer.comm);
    if (all[FOUND] > 0)
        return;
    tune_injection.left_out = 0; /* the warning says why */
    /* The next try comes up to twice as late as it could, and it comes after this run's end. */
    if (layer.rank == 0 && all[WITHOUT] == 0 && least < none)
        injection_warn(PROFILE_NOT_TUNED ": the run is too short: %.4g s or more may be needed "
                                         "at --tune-share=%g",
                       2 * fmax(1e-3 * (double)least, injection_elapsed()),
                       layer.settings.tune_share);
    else if (layer.rank == 0)
        injection_warn(PROFILE_NOT_TUNED ": %s",
                       all[DUE] == 0  ? "no tunable collective is called 9 times with one size, or "
                                        "thousands of times on one communicator"
                       : all[WITHOUT] ? "no algorithm is available on all ranks"
                                      : "the measurements failed");
}

static json_t *finding_json(const struct collective *c, const struct signature *g,
                            const struct tuned *t, double apart)
{
    json_t *json = tuned_json(t);
    json_put(json, "communicator", json_text(c->on->name, sizeof c->on->name));
    json_put(json, "members", members_json(c));
    json_put(json, "root", g->root < 0 ? json_null() : json_integer(g->root));
    json_put(json, "recorded_apart_us", json_finite(1e6 * apart));
    return json;
}

/* Rank 0 keeps finding F about G; it takes over F's reference. */
static void finding_keep(const struct collective *c, struct signature *g, json_t *f)
{
    __atomic_fetch_add(&count[FOUND], 1, __ATOMIC_RELAXED);
    g->found = json_incref(f);
    injection_found(&tune_injection, c->on->of->index, f);
}

static const double seconds_least = 0.1;

/* LACKS: seconds by which the share is too short for a measurement. */
static int note_short(const struct collective *c, double lacks)
{
    if (c->on->rank == 0)
        enough = fmin(enough, injection_elapsed() + 100 * lacks / layer.settings.tune_share);
    return MPI_SUCCESS;
}

/* END: clock_now() when the budget is spent; that of rank 0 counts. */
static int measure(const struct collective *c, struct signature *g, struct subject *u, double end)
{
    enum { OPERATIONS_LEAST = 24 }; /* of each candidate: six rounds of three, tests, a pilot */
    struct tuned result;
    int plain = u->is_broadcast && u->replica.call.recv_bytes > 0, all_plain;
    double apart, one;
    struct tuning t = {.library = library,
                       .operation = tuned_as[c->call->operation],
                       .bytes = c->bytes,
                       .c = u->c,
                       .comm = &u->replica.call.comm};
    TRY(PMPI_Allreduce(&plain, &all_plain, 1, MPI_INT, MPI_MIN, c->on->comm));
    t.tree = all_plain ? &u->replica.call.by : NULL;
    started = true;
    tuner_list(&t, c->on->size, &result);
    TRY(subject_arrivals(u, g, &t.c.after, &apart));
    TRY(subject_budget(u, end - clock_now(), OPERATIONS_LEAST * result.n, apart, &t.budget, &one));
    if (t.budget <= 0)
        return note_short(c, OPERATIONS_LEAST * result.n * (one + apart) - (end - clock_now()));
    g->done = true;
    TRY(tuner_measure(&t, &result));
    __atomic_fetch_add(&count[WITHOUT], result.n < 2, __ATOMIC_RELAXED);
    if (c->on->rank > 0 || result.n < 2)
        return MPI_SUCCESS;
    if (!estimate_known(result.time[0]))
        return note_short(c, 2 * t.budget);
    result.calls = (double)g->calls;
    finding_keep(c, g, finding_json(c, g, &result, apart));
    injection_record(&tune_injection, g->found);
    return MPI_SUCCESS;
}

/* Sets *END to clock_now() when the budget for measuring G will be spent; 0: it is not measured. If
 * a killed run had measured it, takes that finding. Rank 0 decides for all members. */
static int plan(const struct collective *c, struct signature *g, double *end)
{
    /* S of the run without injections is S / (1 + S) of the whole run. */
    const double one = 1 + layer.settings.tune_share / 100,
                 left = one * injection_budget(&tune_injection, 0, layer.settings.tune_share / one),
                 lacks = seconds_least + (started ? 0 : library->start_seconds) - left;
    json_t *found = c->on->rank == 0 ? killed_find(c, g) : NULL;
    double budget = found ? -1 : lacks > 0 ? 0 : left;
    if (found)
        finding_keep(c, g, found);
    TRY(PMPI_Bcast(&budget, 1, MPI_DOUBLE, 0, c->on->comm));
    g->done = budget < 0;
    *end = budget > 0 ? clock_now() + budget : 0;
    return budget == 0 ? note_short(c, lacks) : MPI_SUCCESS;
}

static void before(const struct collective *c)
{
    struct signature *g = signature_of(&tune_injection, c);
    struct subject u;
    double end;
    if (plan(c, g, &end) == MPI_SUCCESS && end > 0) {
        if (subject_open(&u, c))
            measure(c, g, &u, end);
        subject_close(&u);
    }
    call_exclude(c->on->of->id, 1); /* excludes this call from timing: it is delayed */
}

static void close_comm(struct internal_comm *s, bool all)
{
    struct signatures *known = s->kept[tune_injection.index];
    (void)all;
    for (int i = 0; known && i < known->n; i++) {
        const struct signature *g = &known->at[i];
        const bool left = g->calls > FIRST && !g->done;
        __atomic_fetch_add(&tune_injection.left_out, left, __ATOMIC_RELAXED);
        json_object_set_new(g->found, "calls", json_integer((json_int_t)g->calls)); /* now final */
        json_decref(g->found);
    }
    free(known);
}

INJECTION(tune, "tune", struct signatures, .due = due, .before = before, .finish = finish);
