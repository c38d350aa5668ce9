/* --tune: measures the library's algorithms at the application's own signatures (operation,
 * communicator, root, bytes), with the arrival times of its ranks, just before a call, as benchmark
 * mode does (benchmark.c). It begins with a signature's ninth call, so frequent ones come first,
 * and takes at most --tune-share of the run so far; a signature for which there is no time yet is
 * tried again when its number of calls has doubled. The application's own calls keep the library's
 * choice. What was measured is written into the record at once: if the run is killed, the next one
 * with this output takes it from there. */
#include "inject/signature.h"

#include "base/histogram.h"
#include "base/memory.h"
#include "base/try.h"
#include "profile/profile.h"
#include "record/operations.h"
#include "sync/yielding.h"
#include "tune/found.h"
#include "tune/tuner.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST = ARRIVALS };

static const struct tuning_library *library;

/* By the application's operations; NULL: it is not tuned. Looked up once, since a small collective
 * takes no longer than a search. */
static const struct tuned_operation *tuned_as[N_OPERATIONS];

/* --- what a run that was killed had found --- */

/* Its findings: rank 0 reads them at the start, rank 0 of a communicator when it needs them. */
static json_t *killed;

static pthread_mutex_t killed_lock = PTHREAD_MUTEX_INITIALIZER;

static void add_record(int directory, const char *name, const struct ledger_header *h,
                       const char *fault, void *findings)
{
    const struct ledger_header *own = layer.ledger.header;
    struct ledger l;
    const json_t *one;
    size_t i;
    if (fault || h->size != own->size || strcmp(h->program, own->program) != 0 ||
        strcmp(h->script, own->script) != 0 || strcmp(h->arguments, own->arguments) != 0 ||
        strcmp(h->mpi_library, own->mpi_library) != 0 ||
        ledger_open(&l, directory, name, 1u << LEDGER_TEXTS))
        return;
    json_t *all = profile_injected(&l);
    json_array_foreach(all, i, one)
        if (!strcmp(json_text_at(one, "kind"), tune_injection.name))
            json_array_append(findings, json_object_get(one, "value"));
    json_decref(all);
    ledger_close(&l);
}

/* Reads the records in the directory of the run before this one, unless it has ended well. */
static void read_records(void *findings)
{
    int directory = layer.previous ? open(layer.previous, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (directory >= 0 && faccessat(directory, "profile.json", F_OK, 0))
        ledger_each(directory, add_record, findings);
    if (directory >= 0)
        close(directory);
}

static json_t *killed_read(void)
{
    json_t *findings = json_array();
    if (!memory_try(read_records, findings))
        findings = json_array();
    if (json_array_size(findings))
        injection_warn("tune: %zu measurements of a run that did not end (%s) are used where the "
                       "same calls occur",
                       json_array_size(findings), layer.previous);
    return findings;
}

/* Identifies the members in all runs with as many ranks, as in profile.json. */
static json_t *members_json(const struct collective *c)
{
    return json_sprintf("0x%016llx", (unsigned long long)c->on->of->id);
}

/* What the killed run had found for G on C's communicator, a new reference; NULL if nothing. */
static json_t *killed_find(const struct collective *c, const struct signature *g)
{
    json_t *one, *members = members_json(c), *found = NULL;
    size_t i;
    pthread_mutex_lock(&killed_lock);
    killed = killed ? killed : killed_read();
    pthread_mutex_unlock(&killed_lock);
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

/* Copies all its findings into this run's record, in case this run is killed, too. */
static void killed_keep(void)
{
    json_t *one;
    size_t i;
    killed = killed_read();
    json_array_foreach(killed, i, one) {
        json_object_del(one, "communicator_index"); /* valid only in the other record */
        injection_record(&tune_injection, one);
    }
}

/* --- measuring --- */

static bool start(void)
{
    if (!*layer.settings.tune)
        return false;
    library = tuning_library();
    /* A rank that tuned alone would wait for the others. */
    uint64_t lacks = !library, lacking = 0;
    allreduce_yielding(&lacks, &lacking, 1, MPI_SUM, layer.comm);
    if (lacking && layer.rank == 0)
        injection_warn(PROFILE_NOT_TUNED ": the MPI library of %llu of %d ranks has no algorithms "
                                         "that can be chosen while a program runs",
                       (unsigned long long)lacking, layer.size);
    else if (layer.rank == 0)
        killed_keep();
    const bool exact = !strcmp(layer.settings.tune, "exact");
    for (unsigned i = 0; i < N_OPERATIONS; i++) {
        const struct operation *o = replica_find(i);
        const struct tuned_operation *t = o ? tuned_operation_find(o->mpi_name) : NULL;
        const bool replaced = t && replace_injection.on && !strcmp(t->stem, "bcast");
        tuned_as[i] = replaced || (t && t->reduces && exact) ? NULL : t;
    }
    return !lacking;
}

static bool wants(const struct collective *c)
{
    return tuned_as[c->call->operation] && c->bytes <= INT_MAX &&
           (c->bytes > 0 || c->call->operation == OP_Barrier);
}

/* Whether the order of a reduction's operands may change. */
static bool commutes(const struct collective *c)
{
    int can = true;
    if (tuned_as[c->call->operation]->reduces)
        PMPI_Op_commutative(c->operands->op, &can);
    return can;
}

/* How often a signature was due, had too little time, had no algorithms that all its ranks have,
 * and got a finding. */
enum { DUE, SHORT, WITHOUT, FOUND, COUNTS };
static uint64_t count[COUNTS];

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
    uint64_t all[COUNTS] = {0};
    allreduce_yielding(count, all, COUNTS, MPI_SUM, layer.comm);
    if (all[FOUND] > 0)
        return;
    tune_injection.left_out = 0; /* the warning says why */
    if (layer.rank == 0)
        injection_warn(PROFILE_NOT_TUNED ": %s",
                       all[DUE] == 0  ? "no tunable call occurs 9 times with one size"
                       : all[SHORT]   ? "the run is too short for --tune-share"
                       : all[WITHOUT] ? "the ranks have no algorithms in common"
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

/* The final number of calls is known only at the end. */
static void finding_complete(json_t *f, uint64_t calls)
{
    json_object_set_new(f, "calls", json_integer((json_int_t)calls));
    json_decref(f);
}

static int measure(const struct collective *c, struct signature *g, struct subject *u)
{
    enum { OPERATIONS_LEAST = 16 }; /* of each candidate: six rounds of two, and a pilot */
    static const double seconds_least = 0.1;
    struct tuned result;
    int plain = u->is_broadcast && u->replica.call.recv_bytes > 0, all_plain;
    double apart, one, budget = injection_budget(&tune_injection, 0, layer.settings.tune_share);
    struct tuning t = {.library = library,
                       .operation = tuned_as[c->call->operation],
                       .bytes = c->bytes,
                       .c = u->c,
                       .comm = &u->replica.call.comm};
    TRY(PMPI_Allreduce(&plain, &all_plain, 1, MPI_INT, MPI_MIN, c->on->comm));
    t.tree = all_plain ? &u->replica.call.by : NULL;
    tuner_list(&t, c->on->size, &result);
    TRY(subject_arrivals(u, g, &t.c.after, &apart));
    TRY(subject_budget(u, budget < seconds_least ? 0 : budget, OPERATIONS_LEAST * result.n, apart,
                       &t.budget, &one));
    if (t.budget <= 0) {
        __atomic_fetch_add(&count[SHORT], 1, __ATOMIC_RELAXED);
        return MPI_SUCCESS;
    }
    g->done = true;
    TRY(tuner_measure(&t, &result));
    __atomic_fetch_add(&count[WITHOUT], result.n < 2, __ATOMIC_RELAXED);
    if (c->on->rank > 0 || result.n < 2)
        return MPI_SUCCESS;
    if (!estimate_known(result.time[0])) {
        __atomic_fetch_add(&count[SHORT], 1, __ATOMIC_RELAXED);
        return MPI_SUCCESS;
    }
    result.calls = (double)g->calls;
    finding_keep(c, g, finding_json(c, g, &result, apart));
    injection_record(&tune_injection, g->found);
    return MPI_SUCCESS;
}

/* If a killed run had measured G, takes its finding instead of measuring. Rank 0 decides for all.
 */
static int recall(const struct collective *c, struct signature *g)
{
    json_t *found = c->on->rank == 0 ? killed_find(c, g) : NULL;
    g->done = found;
    if (found)
        finding_keep(c, g, found);
    return PMPI_Bcast(&g->done, 1, MPI_C_BOOL, 0, c->on->comm);
}

static void before(const struct collective *c)
{
    struct signature *g = signature_of(&tune_injection, c);
    struct subject u;
    if (recall(c, g) == MPI_SUCCESS && !g->done) {
        if (subject_open(&u, c))
            measure(c, g, &u);
        subject_close(&u);
    }
    call_exclude(c->on->of->id, 1); /* excludes this call from timing: it is delayed */
}

static void close_comm(struct internal_comm *s, bool all)
{
    struct signatures *known = s->kept[tune_injection.index];
    (void)all;
    for (int i = 0; known && i < known->n; i++) {
        const bool left = known->at[i].calls > FIRST && !known->at[i].done;
        __atomic_fetch_add(&tune_injection.left_out, left, __ATOMIC_RELAXED);
        if (known->at[i].found)
            finding_complete(known->at[i].found, known->at[i].calls);
    }
    free(known);
}

INJECTION(tune, "tune", struct signatures, .due = due, .before = before, .finish = finish);
