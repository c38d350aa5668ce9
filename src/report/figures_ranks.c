/* Figures of collective operations, ranks and regions. */
#include "report/figures_inner.h"

#include "base/format.h"
#include "profile/arrivals.h"
#include "profile/profile.h"

/* --- collectives: struct profile_arrival --- */

TEXT(arrival_operation, profile_arrival, "%s", p->operations.at[e->operation].name)
TEXT(arrival_operation_brief, profile_arrival, "%s",
     text_without_mpi(p->operations.at[e->operation].name))
/* A ? behind what a disturbed run cannot say. */
TEXT(late_brief, profile_arrival, "%u, %.0f %%%s", e->late_rank,
     100 * (double)e->late_count / (double)e->instances, v->spoiled ? " ?" : "")

static void arrival_site(const struct view *v, const void *row, char *text, size_t room)
{
    site_path(v->p, ((const struct profile_arrival *)row)->site, text, room);
}

static void arrival_comm(const struct view *v, const void *row, char *text, size_t room)
{
    comm_label(v->p, ((const struct profile_arrival *)row)->comm, text, room);
}

/* Two rows of one place and operation are on different communicators, of which the number of ranks
 * may say enough. */
static bool has_twin(const struct profile *p, const struct profile_arrival *a)
{
    for (size_t i = 0; i < p->arrivals.n; i++) {
        const struct profile_arrival *b = &p->arrivals.at[i];
        if (b->site == a->site && b->operation == a->operation && b->comm != a->comm &&
            p->comms.at[b->comm].size == p->comms.at[a->comm].size)
            return true;
    }
    return false;
}

static void arrival_site_brief(const struct view *v, const void *row, char *text, size_t room)
{
    const struct profile_arrival *a = row;
    char comm[300];
    arrival_comm(v, row, comm, sizeof comm);
    if (!v->p->stack_depth)
        snprintf(text, room, "%s", comm);
    else
        snprintf(text, room, "%s%s%s", a->site == PROFILE_NONE ? "-" : v->label[a->site],
                 has_twin(v->p, a) ? " on " : "", has_twin(v->p, a) ? comm : "");
}

static bool is_awaited(const struct profile *p, const struct profile_arrival *a)
{
    return arrivals_kind(p, a->operation) != COLLECTIVE_OTHER;
}

GET(members, profile_arrival, v->p->comms.at[e->comm].size)
GET(instances, profile_arrival, e->instances)
GET(stand_for, profile_arrival, e->stand_for)
GET(skew, profile_arrival, e->skew_median_ns)
GET(skew_max, profile_arrival, e->skew_max_ns)
GET(duration, profile_arrival, e->duration_median_ns)
GET(duration_max, profile_arrival, e->duration_max_ns)
GET(arrival_time, profile_arrival, e->time_ns)
GET(arrival_wait, profile_arrival, is_awaited(v->p, e) ? (double)e->wait_ns : NAN)
GET(waiting, profile_arrival,
    is_awaited(v->p, e) ? ratio(100 * (double)e->wait_ns, (double)e->time_ns) : NAN)
GET(late_rank, profile_arrival, e->late_rank)
GET(late_count, profile_arrival, e->late_count)

static void waiting_brief(const struct view *v, const void *row, char *text, size_t room)
{
    double value = waiting(v, row);
    snprintf(text, room, isnan(value) ? "-" : "%.1f %%%s", value, v->spoiled ? " ?" : "");
}

static void instances_brief(const struct view *v, const void *row, char *text, size_t room)
{
    char kept[32], all[32];
    format_count(kept, (uint64_t)instances(v, row));
    bool sample = stand_for(v, row) > instances(v, row);
    const struct profile_arrival *a = row;
    snprintf(text, room, "%s%s%s%s", kept, sample ? " of " : "", sample && !a->exact ? "~" : "",
             sample ? format_count(all, (uint64_t)stand_for(v, row)) : "");
}

static const struct figure list_of_collective[] = {
    {"operation", "operation", UNIT_TEXT, "the MPI function", .text = arrival_operation,
     .brief = arrival_operation_brief},
    {"call_site", "call site", UNIT_TEXT, "where it is called; without call sites the communicator",
     .text = arrival_site, .brief = arrival_site_brief},
    {"communicator", NULL, UNIT_TEXT, "on which communicator", .text = arrival_comm},
    {"members", "ranks", UNIT_COUNT, "ranks in the communicator", .get = members},
    {"instances", "instances", UNIT_COUNT,
     "operations that were seen on all members; of so many (~: about): and kept, where the log was "
     "full; medians and max are of these",
     .get = instances, .brief = instances_brief},
    {"stand_for", NULL, UNIT_COUNT,
     "so many operations there were; about, where not all were kept and calls do not tell",
     .get = stand_for},
    {"skew", "skew", UNIT_TIME, "last minus first entry, median of the operations", .get = skew},
    {"skew_max", "max", UNIT_TIME, "the largest skew", .get = skew_max},
    {"late_rank", "last rank", UNIT_RANK, "the rank that entered last most often, and how often",
     .get = late_rank, .brief = late_brief},
    {"late_count", NULL, UNIT_COUNT, "how often that rank was last", .get = late_count},
    {"waiting", "waiting", UNIT_SHARE,
     "part of the time in these calls before the awaited rank had entered; what a root waits for "
     "those it sends to is not known",
     .get = waiting, .brief = waiting_brief},
    {"wait", NULL, UNIT_TIME, "the same as a time, all ranks together", .get = arrival_wait},
    {"time", NULL, UNIT_TIME, "time in these calls, all ranks together", .get = arrival_time},
    {"duration", "duration", UNIT_TIME,
     "from the entry of the awaited rank to the last exit, median", .get = duration},
    {"duration_max", "max", UNIT_TIME, "the largest duration", .get = duration_max},
};
FIGURES(collective);
LIST(list_arrivals, arrivals)

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

static void rank_brief(const struct view *v, const void *row, char *text, size_t room)
{
    snprintf(text, room, "%.0f", rank(v, row));
}

static void last_in_brief(const struct view *v, const void *row, char *text, size_t room)
{
    char count[32];
    snprintf(text, room, "%s",
             v->p->arrivals.n ? format_count(count, ((const struct profile_rank *)row)->late) : "");
}

static const struct figure list_of_rank[] = {
    {"rank", "rank", UNIT_RANK, "in MPI_COMM_WORLD", .get = rank, .brief = rank_brief},
    {"wall", "wall", UNIT_TIME, "from MPI_Init to MPI_Finalize", .get = wall},
    {"mpi", "in MPI", UNIT_TIME, "time in MPI, all threads together", .get = mpi},
    {"mpi_share", "% run", UNIT_SHARE, "part of its wall time", .get = mpi_share},
    {"collectives", "collectives", UNIT_TIME, "of it in collectives", .get = in_collectives},
    {"late_wait", "for late", UNIT_TIME,
     "of that, before the rank that it waits for had come; known if every collective was recorded",
     .get = late_wait},
    {"messages", "messages", UNIT_TIME, "of it in messages and requests", .get = in_messages},
    {"calls", "calls", UNIT_COUNT, "calls of MPI", .get = rank_calls},
    {"cpu", "processor", UNIT_TIME, "processor time, all threads together", .get = cpu},
    {"delayed", "kept off", UNIT_TIME, "time in which it was ready to run and had no processor",
     .get = delayed},
    {"preempted", "preempted", UNIT_COUNT, "how often it lost its processor without waiting",
     .get = preempted},
    {"last_in", "last in", UNIT_COUNT, "collectives that it was the last to enter", .get = last_in,
     .brief = last_in_brief},
    {"ended", "ended", UNIT_TEXT, "how it ended", .text = ended},
    {"host", "host", UNIT_TEXT, "where it ran", .text = host},
};
FIGURES(rank);
LIST(list_ranks, ranks)

/* --- regions: struct profile_region, in the profile's own array --- */

static uint64_t sum_in_region(const struct view *v, const struct profile_region *r, size_t member)
{
    uint64_t sum = 0, one;
    for (size_t k = 0; k < v->p->entries.n; k++) {
        const struct profile_entry *e = &v->p->entries.at[k];
        if (e->region != PROFILE_NONE && !strcmp(v->p->regions.at[e->region].name, r->name)) {
            memcpy(&one, (const char *)e + member, sizeof one);
            sum += one;
        }
    }
    return sum;
}
#define IN_REGION(member) sum_in_region(v, e, offsetof(struct profile_entry, member))

TEXT(region_name, profile_region, "%s", e->name)
GET(entered, profile_region, e->entered)
GET(region_mpi, profile_region, IN_REGION(time_ns))
/* Of one that was open when its rank was killed nobody knows for how long. */
GET(region_time, profile_region, (double)e->time_ns < region_mpi(v, e) ? NAN : (double)e->time_ns)
GET(region_time_per_rank, profile_region, region_time(v, e) / v->ranks)
GET(region_mpi_per_rank, profile_region, (double)IN_REGION(time_ns) / v->ranks)
GET(region_share, profile_region, ratio(100 * region_mpi(v, e), region_time(v, e)))
GET(region_calls, profile_region, IN_REGION(calls))

static const struct figure list_of_region[] = {
    {"region", "region", UNIT_TEXT, "the name that the application gave", .text = region_name},
    {"entered", "entered", UNIT_COUNT, "how often, of all ranks", .get = entered},
    {"time", NULL, UNIT_TIME, "time inside, but not in a region within it, all ranks together",
     .get = region_time},
    {"time_per_rank", "time/rank", UNIT_TIME,
     "time inside, but not in a region within it, mean of all ranks", .get = region_time_per_rank},
    {"mpi", NULL, UNIT_TIME, "of it in MPI, all ranks together", .get = region_mpi},
    {"mpi_per_rank", "MPI/rank", UNIT_TIME, "of it in MPI, mean of all ranks",
     .get = region_mpi_per_rank},
    {"mpi_share", "% MPI", UNIT_SHARE, "part of the region's time in MPI", .get = region_share},
    {"calls", "MPI calls", UNIT_COUNT, "calls of MPI inside, of all ranks", .get = region_calls},
};
FIGURES(region);
LIST(list_regions, regions)
