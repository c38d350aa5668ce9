#include "profile/model.h"

#include "base/histogram.h"
#include "base/text.h"
#include "document/json.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void profile_set_variables(struct profile *p)
{
    static const char known[] = "@(MPIR_CVAR|OMPI_MCA|UCX)_!(orte*|ess*|pmix*|initial_wdir*|"
                                "shmem_R*|*@(HOSTNAME|KEY|TOKEN|COOKIE|AUTH|PASS|SECRET|URI)*)";
    char text[128];
    for (char **v = environ; *v && p->variables.n < 32; v++) {
        text_copy(text, sizeof text, *v);
        if (!fnmatch(known, text, FNM_EXTMATCH | FNM_CASEFOLD))
            profile_add_text(p, TABLE_VARIABLES, text);
    }
    p->has_variables = p->variables.n < 32;
}

COMPARISON(longest_first, struct profile_entry,
           ORDER(y->time_ns, x->time_ns) ?: ORDER(x->operation, y->operation)
               ?: ORDER(x->site, y->site))

struct profile *profile_sums(const struct profile *p, bool by_site)
{
    struct profile *sums = profile_new();
    for (size_t i = 0; i < p->entries.n; i++) {
        struct profile_entry e = p->entries.at[i];
        if (p->operations.at[e.operation].family == FAMILY_LIFECYCLE)
            continue;
        e.site = by_site ? e.site : PROFILE_NONE;
        e.comm = e.region = PROFILE_NONE;
        e.size_class = 0;
        profile_add_entry(sums, &e);
    }
    if (sums->entries.n)
        qsort(sums->entries.at, sums->entries.n, sizeof *sums->entries.at, longest_first);
    return sums;
}

double profile_time_of(const struct profile *p, const char *operation, int ranks, uint64_t bytes,
                       double *calls)
{
    double time = 0, n = p->ranks.n ? (double)p->ranks.n : 1;
    *calls = 0;
    for (EACH(const struct profile_entry, e, p->entries)) {
        bool fits = !ranks || (e->size_class == size_class_of(bytes) && e->comm != PROFILE_NONE &&
                               p->comms.at[e->comm].size == (uint32_t)ranks);
        if (fits && !strcmp(p->operations.at[e->operation].name, operation)) {
            time += (double)e->time_ns;
            *calls += (double)e->calls - (double)e->excluded;
        }
    }
    *calls /= n;
    return time / n;
}

void profile_add_savings(struct profile *p)
{
    for (EACH(struct profile_finding, f, p->findings)) {
        if (strcmp(f->kind, "tune") != 0)
            continue;
        double timed, all = json_number_at(f->value, "calls");
        const double now = json_number_at(f->value, "now_us"),
                     time = profile_time_of(p, json_text_at(f->value, "operation"),
                                            (int)json_number_at(f->value, "ranks"),
                                            (uint64_t)json_number_at(f->value, "bytes"), &timed);
        const double part = 1e-6 * all * fmin(1, 1e-3 * time / timed / now);
        struct estimate saves = {*json_text_at(f->value, "remark") ? NAN : 0, NAN, NAN};
        if (*json_text_at(f->value, "best"))
            saves = (struct estimate){part * (now - json_number_at(f->value, "faster_us")),
                                      part * (now - json_number_at(f->value, "faster_high_us")),
                                      part * (now - json_number_at(f->value, "faster_low_us"))};
        json_put_estimate(f->value, "saves", saves);
    }
}

size_t instances_next(const struct profile *p, size_t i)
{
    size_t next = i + 1;
    while (next < p->instances.n && p->instances.at[next].comm_id == p->instances.at[i].comm_id &&
           p->instances.at[next].sequence == p->instances.at[i].sequence)
        next++;
    return next;
}

uint32_t *comm_kinds(const struct profile *p)
{
    uint32_t *kind = memory_alloc((p->comms.n + 1) * sizeof *kind);
    for (uint32_t i = 0; i < p->comms.n; i++) {
        const struct profile_comm *c = &p->comms.at[i];
        kind[i] = i;
        for (uint32_t k = 0; k < i && kind[i] == i; k++)
            if (kind[k] == k && p->comms.at[k].size == c->size &&
                (p->comms.at[k].site == c->site || comm_is_named(c)) &&
                !strcmp(p->comms.at[k].name, c->name))
                kind[i] = k;
    }
    return kind;
}

double profile_wall_ns(const struct profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        sum += 1e9 * p->ranks.at[i].wall - (double)p->ranks.at[i].injected_ns;
    return sum;
}

double profile_longest_ns(const struct profile *p)
{
    double longest = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        longest = fmax(longest, 1e9 * p->ranks.at[i].wall);
    return longest;
}

bool profile_longest_known(const struct profile *p)
{
    for (EACH(const struct profile_rank, r, p->ranks))
        if (r->state == PROFILE_CUT_OFF)
            return false;
    return true;
}

double rank_outside(const struct profile_rank *r)
{
    return fmax(0, r->wall - 1e-9 * ((double)r->mpi_ns + (double)r->injected_ns));
}

size_t rank_index(const struct profile *p, uint32_t rank)
{
    size_t i = rank;
    if (i >= p->ranks.n || p->ranks.at[i].rank != (int32_t)rank)
        for (i = 0; i < p->ranks.n && p->ranks.at[i].rank != (int32_t)rank;)
            i++;
    return i;
}

double profile_mpi_ns(const struct profile *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        sum += p->ranks.at[i].in_call ? (double)NAN : (double)p->ranks.at[i].mpi_ns;
    return sum;
}

const char *profile_started(const struct profile *p, const char *format, char text[64])
{
    /* A simulated run starts at 0; a damaged profile may have a date that exceeds time_t. */
    bool known = p->started_unix >= 86400 && p->started_unix < 1e11;
    time_t started = known ? (time_t)p->started_unix : 0;
    struct tm local;
    if (!known || !localtime_r(&started, &local) || !strftime(text, 64, format, &local))
        *text = '\0';
    return text;
}

COMPARISON(by_rank, int32_t, ORDER(*x, *y))

void end_text(uint32_t state, int32_t detail, char *text, size_t room)
{
    if (state == LEDGER_EXITED)
        snprintf(text, room, "exited without MPI_Finalize");
    else if (state == LEDGER_ABORTED)
        snprintf(text, room, "called MPI_Abort with error code %d", detail);
    else if (state == LEDGER_SIGNALLED)
        snprintf(text, room, "ended by signal %d (%s)", detail, strsignal(detail));
    else
        snprintf(
            text, room, "%s",
            state == LEDGER_RUNNING
                ? "still running"
                : "killed or ended without a final record (by SIGKILL or another signal, or by a "
                  "system call: _exit or exec)");
}

void rank_list(char *text, size_t room, int32_t *rank, size_t n)
{
    size_t at = 0, once = 0;
    if (n)
        qsort(rank, n, sizeof *rank, by_rank);
    for (size_t i = 0; i < n; i++)
        if (!once || rank[i] != rank[once - 1])
            rank[once++] = rank[i];
    for (size_t i = 0; i < once; i++) {
        size_t last = i;
        if (at + 48 > room) {
            snprintf(text + at, room - at, " and %zu more", once - i);
            break;
        }
        while (last + 1 < once && rank[last + 1] == rank[last] + 1)
            last++;
        at += (size_t)snprintf(text + at, room - at, "%s%d", i ? ", " : "", rank[i]);
        if (last > i + 1)
            at += (size_t)snprintf(text + at, room - at, "-%d", rank[last]);
        i = last > i + 1 ? last : i;
    }
}

const char *run_state_of(const struct profile *p)
{
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.at[i].state == LEDGER_RUNNING)
            return "running";
    return p->crashed ? "incomplete" : "complete";
}
