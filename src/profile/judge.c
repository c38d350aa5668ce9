/* Remarks that the counts give reason for. They are part of the profile, so that whoever reads
 * profile.json sees them too. */
#include "base/format.h"
#include "profile/model.h"
#include "profile/noise.h"

#include <stdlib.h>
#include <string.h>

static int by_rank(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

void rank_list(char *text, size_t room, int32_t *rank, size_t n)
{
    size_t at = 0, once = 0;
    if (n)
        qsort(rank, n, sizeof *rank, by_rank);
    for (size_t i = 0; i < n; i++)
        if (!once || rank[i] != rank[once - 1])
            rank[once++] = rank[i];
    for (size_t i = 0; i < once && at + 24 < room; i++) {
        size_t last = i;
        while (last + 1 < once && rank[last + 1] == rank[last] + 1)
            last++;
        at += (size_t)snprintf(text + at, room - at, "%s%d", i ? ", " : "", rank[i]);
        if (last > i + 1)
            at += (size_t)snprintf(text + at, room - at, "-%d", rank[last]);
        i = last > i + 1 ? last : i;
    }
}

/* Ranks for which TEST holds, as a list. Returns how many. */
static size_t ranks_where(const struct profile *p, char *list, size_t room,
                          bool (*test)(const struct profile_rank *))
{
    int32_t *rank = memory_alloc((p->ranks.n + 1) * sizeof *rank);
    size_t n = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        if (test(&p->ranks.at[i]))
            rank[n++] = p->ranks.at[i].rank;
    *list = '\0';
    rank_list(list, room, rank, n);
    free(rank);
    return n;
}

static void describe_end(const struct profile_rank *r, char *text, size_t room)
{
    int number = r->state_detail;
    char after[64] = "";
    if (number)
        snprintf(after, sizeof after, ", after signal %d (%s)", number, strsignal(number));
    switch (r->state) {
    case LEDGER_FINALIZED:
        snprintf(text, room, "finalized");
        break;
    case LEDGER_EXITED:
    case LEDGER_REPLACED:
        snprintf(text, room, "%s without MPI_Finalize%s",
                 r->state == LEDGER_EXITED ? "exited" : "went over to another program (exec)",
                 after);
        break;
    case LEDGER_ABORTED:
        snprintf(text, room, "called MPI_Abort with error code %d", number);
        break;
    case LEDGER_SIGNALLED:
        snprintf(text, room, "ended by signal %d (%s)", number, strsignal(number));
        break;
    case LEDGER_HANDLED:
        snprintf(text, room, "its handler was called for signal %d (%s), and nothing after that",
                 number, strsignal(number));
        break;
    default:
        snprintf(text, room,
                 r->alive ? "still running"
                          : "killed or cut off without a last word (by SIGKILL or another signal, "
                            "or by a system call)");
    }
}

/* One line for all ranks that ended alike. */
static void judge_ends(struct profile *p)
{
    int32_t *rank = memory_alloc((p->ranks.n + 1) * sizeof *rank);
    bool *said = memory_alloc(p->ranks.n + 1);
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct profile_rank *r = &p->ranks.at[i];
        char end[128], list[200] = "";
        size_t n = 0;
        if (said[i] || r->state == LEDGER_FINALIZED)
            continue;
        for (size_t k = i; k < p->ranks.n; k++) {
            const struct profile_rank *other = &p->ranks.at[k];
            if (other->state == r->state && other->state_detail == r->state_detail &&
                other->alive == r->alive) {
                rank[n++] = other->rank;
                said[k] = true;
            }
        }
        rank_list(list, sizeof list, rank, n);
        describe_end(r, end, sizeof end);
        profile_warn(p, "rank%s %s: %s; counts end there", n > 1 ? "s" : "", list, end);
    }
    free(rank);
    free(said);
}

static void judge_hosts(struct profile *p)
{
    for (uint32_t i = 0; i < p->hosts.n; i++) {
        const struct profile_host *h = &p->hosts.at[i];
        if (noise_crowded(p, i))
            profile_warn(p, "%u ranks on %u processor%s of %s: %s; timings are not meaningful",
                         h->ranks, h->processors, h->processors == 1 ? "" : "s", h->name,
                         p->yields ? "ranks take turns, giving the processor away while they wait"
                                   : "ranks that wait keep it from the one they wait for (--yield "
                                     "helps)");
    }
    if (p->hosts.n > 1 && !p->synchronized)
        profile_warn(p,
                     "the clocks of %zu hosts were not synchronized: nothing is said about who "
                     "comes late to collectives",
                     p->hosts.n);
}

static bool could_not_grow(const struct profile_rank *r)
{
    return r->grow_error;
}

static void judge_dropped(struct profile *p)
{
    static const char *const lost[LEDGER_SECTIONS] = {
        [LEDGER_SITES] =
            "call sites (of all ranks) beyond the table, the rarest first: their calls "
            "are counted without a place, and so may be earlier ones of a place that is "
            "there \"in part\"",
        [LEDGER_COMMS] = "communicators beyond the table: their calls are counted without one",
        [LEDGER_ENTRIES] = "calls beyond the table: in no figure but the totals",
        [LEDGER_REGIONS] = "regions beyond the table",
        [LEDGER_CHANNELS] = "messages and collectives whose communicator, peer and tag are beyond "
                            "the table, of 65,535 a rank at most: their order is not known",
        [LEDGER_MODULES] = "modules beyond the table: addresses in them cannot be named"};
    uint64_t untracked = 0;
    char list[200];
    size_t n = ranks_where(p, list, sizeof list, could_not_grow);
    uint32_t error = 0;
    for (size_t i = 0; i < p->ranks.n; i++)
        error = error ? error : p->ranks.at[i].grow_error;
    if (n)
        profile_warn(p,
                     "rank%s %s: the record could not grow: %s: what is dropped, or not in the "
                     "trace, may be for that",
                     n > 1 ? "s" : "", list, strerror((int)error));
    for (int s = 0; s < LEDGER_SECTIONS; s++) {
        uint64_t dropped = 0;
        char count[32];
        for (size_t i = 0; i < p->ranks.n; i++)
            dropped += p->ranks.at[i].dropped[s];
        if (dropped && lost[s])
            profile_warn(p, "dropped %s %s%s", format_count(count, dropped), lost[s],
                         n ? "" : " (--memory)");
    }
    if (p->peers_dropped)
        profile_warn(p, "%llu messages found the communication matrix full and are not in it",
                     (unsigned long long)p->peers_dropped);
    for (size_t i = 0; i < p->ranks.n; i++)
        untracked += p->ranks.at[i].untracked_requests;
    if (untracked) {
        char count[32];
        profile_warn(p,
                     "%s requests found the table of open requests full: waits and overlap are "
                     "without them",
                     format_count(count, untracked));
    }
    if (p->sample_mask) {
        char kept[32], all[32];
        profile_warn(
            p,
            "the log of collective instances was full: kept %s of %s entries of ranks, the "
            "same on all ranks, and more of what is rare",
            format_count(kept, p->events.n), format_count(all, p->events_seen));
    }
}

static bool failed_in_collectives(const struct profile_rank *r)
{
    return r->failed_collectives > 0;
}

static void judge_failures(struct profile *p)
{
    char list[200], count[32], where[260];
    uint64_t failed = 0;
    size_t n = ranks_where(p, list, sizeof list, failed_in_collectives);
    for (size_t i = 0; i < p->ranks.n; i++)
        failed += p->ranks.at[i].failed_collectives;
    const struct profile_entry *worst = NULL;
    for (const struct profile_entry *e = p->entries.at; e < p->entries.at + p->entries.n; e++)
        if (p->operations.at[e->operation].family == FAMILY_COLLECTIVE &&
            e->errors > (worst ? worst->errors : 0))
            worst = e;
    *where = '\0';
    if (worst)
        place_of_call(p, worst->operation, worst->site, where, sizeof where);
    if (failed)
        profile_warn(p, "%s collective call%s returned an error, on rank%s %s%s%s",
                     format_count(count, failed), failed == 1 ? "" : "s", n > 1 ? "s" : "", list,
                     !worst                    ? ""
                     : worst->errors == failed ? ": "
                                               : ": most often ",
                     where);
}

/* Calls whose time nobody knows: also the time in MPI is more than what is added up. */
static void judge_left(struct profile *p)
{
    const struct profile_entry *most = NULL;
    uint64_t left = 0, of_most = 0;
    char count[32], where[260];
    for (const struct profile_entry *e = p->entries.at; e < p->entries.at + p->entries.n; e++) {
        uint64_t timed = entry_timed(e),
                 untimed = e->calls > timed + e->apart ? e->calls - e->apart - timed : 0,
                 mine = e->errors < untimed ? e->errors : untimed;
        left += mine;
        if (mine > of_most) {
            most = e;
            of_most = mine;
        }
    }
    if (!most)
        return;
    place_of_call(p, most->operation, most->site, where, sizeof where);
    profile_warn(p,
                 "%s call%s left by longjmp or an exception, %s%s: the time in MPI is longer than "
                 "what is shown, for how long they took is not known",
                 format_count(count, left), left == 1 ? " was" : "s were",
                 of_most == left ? "" : "most often ", where);
}

static bool saw_nothing(const struct profile_rank *r)
{
    return r->calls == 0;
}

static void judge_silence(struct profile *p)
{
    char list[200];
    size_t n = ranks_where(p, list, sizeof list, saw_nothing);
    if (n && n < p->ranks.n)
        profile_warn(p, "no MPI call was recorded on rank%s %s", n > 1 ? "s" : "", list);
}

static bool started_late(const struct profile_rank *r)
{
    return r->started_late;
}

static void judge_start(struct profile *p)
{
    char list[200];
    size_t n = ranks_where(p, list, sizeof list, started_late);
    if (n)
        profile_warn(
            p,
            "MPI_Init of rank%s %s was not seen (a session, or Fortran's mpi_f08): recorded "
            "from the first call that was",
            n > 1 ? "s" : "", list);
}

/* They have an MPI_COMM_WORLD of their own, and are a run of their own if they are profiled. */
static void judge_spawned(struct profile *p)
{
    static const char spawn[] = "MPI_Comm_spawn"; /* and MPI_Comm_spawn_multiple */
    for (size_t i = 0; i < p->entries.n; i++)
        if (!strncmp(p->operations.at[p->entries.at[i].operation].name, spawn, strlen(spawn))) {
            profile_warn(p, "processes that %s starts are not in this profile", spawn);
            return;
        }
}

void profile_judge(struct profile *p)
{
    judge_ends(p);
    stands_judge(p);
    misfits_judge(p);
    judge_hosts(p);
    judge_dropped(p);
    judge_failures(p);
    judge_left(p);
    judge_silence(p);
    judge_start(p);
    judge_spawned(p);
}
