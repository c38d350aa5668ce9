#include "sync/sync.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/input.h"
#include "base/try.h"
#include "sync/yielding.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_REQUEST = 7101, TAG_REPLY = 7102, TAG_TURN = 7103, PARENT_OPEN = -2 };

/* Limits of the exchanges for one point. Leaders measure in turn, so with more leaders each has
 * less time: the first leader's point must not be old when the last one measures. */
enum { EXCHANGES_MIN = 4 };
struct limit {
    int exchanges;  /* most exchanges, from EXCHANGES_MIN to SYNC_EXCHANGES_MAX */
    double seconds; /* no exchange after this time, but at least EXCHANGES_MIN; 0: only these */
};

static struct limit limit_of(int ranks)
{
    return (struct limit){.exchanges = ranks < 10 ? 2 * SYNC_EXCHANGES_MAX / ranks : 20,
                          .seconds = 0.05 / ranks};
}

/* Identifies the clock that this process reads, by boot and time namespace; 0: unknown. A host name
 * does not: one host may have several names (containers), one name several clocks (namespaces). */
static uint64_t sync_domain_of_process(void)
{
    char boot[64], space[64];
    if (!input_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot))
        return 0;
    /* Kernels before 5.6 have neither this link nor time namespaces. */
    ssize_t length = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, boot, strlen(boot)), space, strlen(space));
    return hash ? hash : 1;
}

double sync_now(const struct sync_clock *clock)
{
    return sync_global(clock, clock_now());
}

double sync_bound(const struct sync_clock *clock, double local)
{
    return clock->domains > 1 ? sync_line_bound(&clock->line, local) : 0;
}

/* Splits COMM into one communicator per domain and one of all domains' leaders (MPI_COMM_NULL on
 * other ranks). Rank FIRST leads its domain and is rank 0 of the leaders. Ranks of one host and one
 * colour share a clock; a rank whose clock is unknown gets a colour of its own. MPI may run out of
 * communicators: sync_agree() then makes all ranks return the error. */
static int split_domains(const struct sync_clock *clock, MPI_Comm comm, MPI_Comm *domain,
                         MPI_Comm *leaders)
{
    MPI_Comm host;
    int rank, host_rank, domain_rank;
    uint64_t key = clock->domain ? clock->domain : sync_domain_of_process();
    TRY(PMPI_Comm_rank(comm, &rank));
    TRY(sync_agree(PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host),
                   comm));
    TRY(PMPI_Comm_rank(host, &host_rank));
    int colour = key ? (int)(hash_mix(key, 0) & INT_MAX) | 1 : 2 * host_rank;
    bool first = rank == clock->first;
    TRY(sync_agree(PMPI_Comm_split(host, colour, first ? -1 : host_rank, domain), comm));
    TRY(PMPI_Comm_rank(*domain, &domain_rank));
    int error =
        PMPI_Comm_split(comm, domain_rank == 0 ? 0 : MPI_UNDEFINED, first ? -1 : rank, leaders);
    TRY(sync_agree(error, comm));
    return PMPI_Comm_free(&host);
}

/* A parent's answer: its local times of arrival and reply, and how it converts to global time. */
struct reply {
    double arrived, replied;
    struct sync_line line;
    double missed, floor;
};
enum { REPLY_DOUBLES = sizeof(struct reply) / sizeof(double) };

static int answer(const struct sync_clock *clock, MPI_Comm leaders, int child)
{
    for (int more = 1; more;) {
        struct reply reply = {.line = clock->line, .missed = clock->missed, .floor = clock->floor};
        TRY(PMPI_Recv(&more, 1, MPI_INT, child, TAG_REQUEST, leaders, MPI_STATUS_IGNORE));
        reply.arrived = clock_now();
        reply.replied = clock_now();
        TRY(PMPI_Send(&reply, REPLY_DOUBLES, MPI_DOUBLE, child, TAG_REPLY, leaders));
    }
    return MPI_SUCCESS;
}

/* The child's side: exchanges messages with PARENT within LIMIT. POINT is computed from all
 * exchanges, since the tightest upper and lower bounds may come from different ones. */
static int ask(MPI_Comm leaders, int parent, struct limit limit, struct sync_point *point,
               struct reply *last)
{
    struct sync_exchange e[SYNC_EXCHANGES_MAX];
    double started = clock_now();
    int n = 0;
    for (int more = 1; more; n++) {
        e[n].sent = clock_now();
        more = n + 1 < EXCHANGES_MIN ||
               (n + 1 < limit.exchanges && e[n].sent - started < limit.seconds);
        TRY(PMPI_Send(&more, 1, MPI_INT, parent, TAG_REQUEST, leaders));
        TRY(PMPI_Recv(last, REPLY_DOUBLES, MPI_DOUBLE, parent, TAG_REPLY, leaders,
                      MPI_STATUS_IGNORE));
        e[n].received = clock_now();
        e[n].arrived = last->arrived;
        e[n].replied = last->replied;
    }
    *point = sync_point_from(e, (size_t)n);
    return MPI_SUCCESS;
}

/* Adds POINT; if the array is full, drops every second older point. If a line through the last two
 * points alone has a smaller error bound at the time of the next point, a clock's rate has changed:
 * then all older points are dropped. */
static void keep_point(struct sync_clock *clock, struct sync_point point)
{
    if (clock->n_points > 0)
        clock->missed = sync_line_missed(&clock->own, &point);
    if (clock->n_points == SYNC_POINTS_MAX) {
        int kept = 0;
        for (int i = 0; i < SYNC_POINTS_MAX; i += 2)
            clock->points[kept++] = clock->points[i];
        clock->n_points = kept;
    }
    clock->points[clock->n_points++] = point;
    clock->own = sync_line_through(clock->points, (size_t)clock->n_points);
    if (clock->n_points < 3)
        return;
    struct sync_point *last_two = &clock->points[clock->n_points - 2];
    struct sync_line now = sync_line_through(last_two, 2);
    double next = 2 * last_two[1].local - last_two[0].local;
    if (sync_line_bound(&clock->own, next) > 1.02 * sync_line_bound(&now, next)) {
        clock->own = now;
        memmove(clock->points, last_two, 2 * sizeof *last_two);
        clock->n_points = 2;
    }
}

static int follow(struct sync_clock *clock, MPI_Comm leaders, int parent, struct limit limit)
{
    struct sync_point point;
    struct reply reply;
    TRY(ask(leaders, parent, limit, &point, &reply));
    keep_point(clock, point);
    clock->line = sync_line_compose(&clock->own, &reply.line);
    clock->missed += reply.missed;
    clock->floor = point.trip / 2 + reply.floor;
    return MPI_SUCCESS;
}

/* ERROR[j] gets the error bound of reading, on leader RANK, the clock of leader RANK + D, where D
 * is DISTANCE[j]. Disjoint pairs measure at the same time: first leaders with an even quotient RANK
 * / D ask, then the others. */
static int try_round_trips(const struct sync_clock *clock, MPI_Comm leaders, int size, int k,
                           const int *distance, double *error)
{
    static const struct limit few = {.exchanges = EXCHANGES_MIN};
    const int rank = clock->leader;
    for (int turn = 0; turn < 2 * k; turn++) {
        int d = distance[turn / 2];
        struct sync_point point = {.bound = INFINITY};
        struct reply reply;
        if (rank / d % 2 != turn % 2) {
            if (rank >= d)
                TRY(answer(clock, leaders, rank - d));
            continue;
        }
        if (rank + d < size)
            TRY(ask(leaders, rank + d, few, &point, &reply));
        error[turn / 2] = point.bound;
    }
    return MPI_SUCCESS;
}

static int choose_parent(struct sync_clock *clock, MPI_Comm leaders, int size)
{
    int distance[SYNC_DISTANCES_MAX], k = sync_distances(size, distance);
    double own[SYNC_DISTANCES_MAX];
    FREED double *all = malloc((size_t)size * (size_t)k * sizeof *all);
    FREED int *parent = malloc((size_t)size * sizeof *parent);
    TRY(sync_all_have(leaders, all && parent));
    TRY(try_round_trips(clock, leaders, size, k, distance, own));
    TRY(PMPI_Allgather(own, k, MPI_DOUBLE, all, k, MPI_DOUBLE, leaders));
    TRY(sync_all_have(leaders, sync_tree(size, k, distance, all, parent) == 0));
    clock->parent = parent[clock->leader];
    return MPI_SUCCESS;
}

/* Every leader but the first measures its clock's difference from its parent's clock: one leader at
 * a time, since other messages would lengthen round trips. A parent sends the turn to each child
 * after its own measurement; a child returns the turn when all leaders below it have measured. */
static int descend(struct sync_clock *clock, MPI_Comm leaders, int size, const int *parent)
{
    if (clock->parent >= 0) {
        TRY(PMPI_Recv(NULL, 0, MPI_INT, clock->parent, TAG_TURN, leaders, MPI_STATUS_IGNORE));
        TRY(follow(clock, leaders, clock->parent, limit_of(size)));
    }
    for (int child = 0; child < size; child++) {
        if (parent[child] != clock->leader)
            continue;
        TRY(PMPI_Send(NULL, 0, MPI_INT, child, TAG_TURN, leaders));
        TRY(answer(clock, leaders, child));
        TRY(PMPI_Recv(NULL, 0, MPI_INT, child, TAG_TURN, leaders, MPI_STATUS_IGNORE));
    }
    return clock->parent < 0 ? MPI_SUCCESS
                             : PMPI_Send(NULL, 0, MPI_INT, clock->parent, TAG_TURN, leaders);
}

static int measure_leaders(struct sync_clock *clock, MPI_Comm leaders)
{
    int size;
    TRY(PMPI_Comm_size(leaders, &size));
    TRY(PMPI_Comm_rank(leaders, &clock->leader));
    if (clock->parent == PARENT_OPEN)
        TRY(choose_parent(clock, leaders, size));
    FREED int *parent = malloc((size_t)size * sizeof *parent);
    TRY(sync_all_have(leaders, parent != NULL));
    TRY(PMPI_Allgather(&clock->parent, 1, MPI_INT, parent, 1, MPI_INT, leaders));
    return descend(clock, leaders, size, parent);
}

/* Copies the leader's result to the other ranks of its domain: as bytes, since they are on one host
 * and have one representation of data. */
static int share(struct sync_clock *clock, MPI_Comm domain)
{
    struct sync_clock found = *clock;
    TRY(PMPI_Bcast(&found, (int)sizeof found, MPI_BYTE, 0, domain));
    found.comm = clock->comm;
    found.domain = clock->domain;
    *clock = found;
    return MPI_SUCCESS;
}

/* Detects the usual case, one host and one clock, by a single reduction. Keys from the kernel
 * contain the boot id, so they can be compared between hosts; a DOMAIN from the caller cannot. */
static int all_share_one(const struct sync_clock *clock, MPI_Comm comm, bool *one)
{
    uint64_t key = clock->domain ? 0 : sync_domain_of_process();
    uint64_t mine[2] = {key, ~key}, largest[2] = {0, 0};
    int rc = allreduce_yielding(mine, largest, 2, MPI_MAX, comm);
    *one = largest[0] == ~largest[1] && largest[0] != 0;
    return rc;
}

static int measure(struct sync_clock *clock, MPI_Comm domain, MPI_Comm leaders)
{
    if (leaders != MPI_COMM_NULL)
        TRY(measure_leaders(clock, leaders));
    TRY(share(clock, domain));
    double mine[2] = {clock->line.bound, clock->floor}, worst[2] = {0, 0};
    TRY(PMPI_Allreduce(mine, worst, 2, MPI_DOUBLE, MPI_MAX, clock->comm));
    clock->worst_bound = worst[0];
    clock->worst_floor = worst[1];
    return MPI_SUCCESS;
}

int sync_remeasure(struct sync_clock *clock)
{
    bool one = false;
    int n = 0;
    MPI_Comm domain, leaders;
    if (clock->domains == 0)
        TRY(all_share_one(clock, clock->comm, &one));
    if (one)
        clock->domains = 1;
    if (clock->domains == 1)
        return MPI_SUCCESS;
    TRY(split_domains(clock, clock->comm, &domain, &leaders));
    if (leaders != MPI_COMM_NULL)
        TRY(PMPI_Comm_size(leaders, &n));
    TRY(PMPI_Allreduce(&n, &clock->domains, 1, MPI_INT, MPI_MAX, clock->comm));
    if (clock->domains > 1)
        TRY(measure(clock, domain, leaders));
    if (leaders != MPI_COMM_NULL)
        TRY(PMPI_Comm_free(&leaders));
    return PMPI_Comm_free(&domain);
}

int sync_start(struct sync_clock *clock, MPI_Comm comm, uint64_t domain, int first)
{
    *clock =
        (struct sync_clock){.parent = PARENT_OPEN, .comm = comm, .domain = domain, .first = first};
    if (clock_source == CLOCK_SOURCE_EXTERNAL && !domain)
        clock->domains = 1;
    return sync_remeasure(clock);
}

/* *APART is a sum, since two clocks may be off in opposite directions: the error of rank FROM, or
 * the largest of all (rank FIRST's), plus the largest error in other domains. Ranks in the domain
 * of FIRST read the same clock; a negative error excludes them from the maximum. */
int sync_check(struct sync_clock *clock, MPI_Comm comm, int from, double *apart)
{
    bool own = comm == clock->comm;
    double other = 0;
    struct {
        double error;
        int leader;
    } mine, first;
    TRY(own ? sync_remeasure(clock) : MPI_SUCCESS);
    *apart = 0;
    if (clock->domains <= 1)
        return MPI_SUCCESS;
    mine.error = own ? clock->missed : sync_bound(clock, clock_now());
    mine.leader = clock->leader;
    first = mine;
    if (from < 0)
        TRY(PMPI_Allreduce(&mine, &first, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm));
    else
        TRY(PMPI_Bcast(&first, 1, MPI_DOUBLE_INT, from, comm));
    if (mine.leader == first.leader)
        mine.error = -first.error;
    TRY(PMPI_Allreduce(&mine.error, &other, 1, MPI_DOUBLE, MPI_MAX, comm));
    *apart = first.error + other;
    return MPI_SUCCESS;
}

bool sync_wait(const struct sync_clock *clock, double moment)
{
    const struct sync_line *l = &clock->line;
    double left = l->origin + (moment - l->offset - l->origin) / (1 + l->drift) - clock_now();
    clock_hold(left);
    return left >= 0;
}
