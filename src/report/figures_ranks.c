/* Figures of ranks and regions. */
#include "report/figures_parts.h"

/* --- ranks: struct profile_rank --- */

TEXT(host, profile_rank, "%s", p->hosts.at[e->host].name)
TEXT(ended, profile_rank, "%s",
     e->state == LEDGER_RUNNING && !e->alive ? "cut off" : state_name_of(e->state))
GET(rank, profile_rank, e->rank)
GET(wall, profile_rank, e->wall * 1e9)
GET(mpi, profile_rank, e->in_call ? NAN : (double)e->mpi_ns)
GET(mpi_share, profile_rank, e->wall > 0 ? mpi(v, e) / e->wall / 1e7 : 0)
GET(in_collectives, profile_rank, e->collective_ns < 0 ? NAN : (double)e->collective_ns)
GET(in_messages, profile_rank, e->message_ns < 0 ? NAN : (double)e->message_ns)
GET(late_wait, profile_rank, e->late_wait_ns < 0 ? NAN : (double)e->late_wait_ns)
GET(rank_calls, profile_rank, e->calls)
GET(preempted, profile_rank, e->cpu_ns < 0 ? NAN : (double)e->involuntary_switches)
GET(cpu, profile_rank, e->cpu_ns < 0 ? NAN : (double)e->cpu_ns)
GET(delayed, profile_rank, e->delayed_ns < 0 ? NAN : (double)e->delayed_ns)
GET(last_in, profile_rank, e->late)

static const struct figure list_of_rank[] = {
    NUMBER("rank", RANK, "rank", "in MPI_COMM_WORLD", rank),
    NUMBER("wall", TIME, "wall", "from MPI_Init to MPI_Finalize", wall),
    NUMBER("mpi", TIME, "in MPI", "time in MPI, all threads together", mpi),
    NUMBER("mpi_share", SHARE, "of run", "share of its wall time", mpi_share),
    DATA("collectives", TIME, "time in collectives", in_collectives),
    DATA("late_wait", TIME,
         "of that, until the awaited rank had arrived; known if every collective was recorded",
         late_wait),
    DATA("messages", TIME, "time in messages and requests", in_messages),
    OPTIONAL("calls", COUNT, "calls", "calls of MPI", rank_calls),
    OPTIONAL("cpu", TIME, "processor", "processor time, all threads together", cpu),
    OPTIONAL("delayed", TIME, "contention",
             "time in which it was runnable but not scheduled, in MPI and outside", delayed),
    OPTIONAL("preempted", COUNT, "preempted", "how often it lost its processor without waiting",
             preempted),
    DATA("last_in", COUNT, "collectives that it was the last to enter", last_in),
    {{"ended", NULL, COLUMN_TEXT, 0, "how it ended", NULL, 0}, NULL, ended},
    {{"host", NULL, COLUMN_TEXT, 0, "where it ran", NULL, COLUMN_SHORTEN}, NULL, host},
};
FIGURES(rank);
LIST(list_ranks, ranks)

/* --- regions: struct profile_region, in the profile's own array --- */

static double sum_in_region(const struct view *v, const struct profile_region *r, size_t member)
{
    uint64_t sum = 0, one;
    for (size_t k = 0; k < v->p->entries.n; k++) {
        const struct profile_entry *e = &v->p->entries.at[k];
        if (e->region != PROFILE_NONE && !strcmp(v->p->regions.at[e->region].name, r->name)) {
            memcpy(&one, (const char *)e + member, sizeof one);
            sum += one;
        }
    }
    return (double)sum;
}
#define IN_REGION(member) sum_in_region(v, e, offsetof(struct profile_entry, member))

TEXT(region_name, profile_region, "%s", e->name)
GET(entered, profile_region, e->entered)
GET(region_mpi, profile_region, IN_REGION(time_ns))
/* How long one was entered that was open when its rank was killed is unknown. */
GET(region_time, profile_region, (double)e->time_ns < region_mpi(v, e) ? NAN : (double)e->time_ns)
GET(region_time_per_rank, profile_region, region_time(v, e) / v->ranks)
GET(region_mpi_per_rank, profile_region, region_mpi(v, e) / v->ranks)
GET(region_share, profile_region, ratio(100 * region_mpi(v, e), region_time(v, e)))
GET(region_calls, profile_region, IN_REGION(calls))

static const struct figure list_of_region[] = {
    {{"region", NULL, COLUMN_TEXT, 0, "the name that the application gave", NULL, COLUMN_SHORTEN},
     NULL,
     region_name},
    NUMBER("entered", COUNT, "entered", "how often, of all ranks", entered),
    DATA("time", TIME, "time inside, without regions within it, all ranks together", region_time),
    NUMBER("time_per_rank", TIME, "time/rank",
           "time inside, without regions within it, mean of all ranks", region_time_per_rank),
    DATA("mpi", TIME, "of it in MPI, all ranks together", region_mpi),
    NUMBER("mpi_per_rank", TIME, "MPI/rank", "of it in MPI, mean of all ranks",
           region_mpi_per_rank),
    NUMBER("mpi_share", SHARE, "in MPI", "share of the region's time in MPI", region_share),
    NUMBER("calls", COUNT, "MPI calls", "calls of MPI inside, of all ranks", region_calls),
};
FIGURES(region);
LIST(list_regions, regions)
