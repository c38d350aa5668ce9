#include "sync/sync.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/try.h"
#include "sync/politely.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG_REQUEST = 7101, TAG_REPLY = 7102 };

/* For one point of one rank; after the least of them so many seconds. */
enum { EXCHANGES_MIN = 4, EXCHANGES_MAX = 100 };
static const double exchanges_seconds = 0.2;

/* A host name says too little: containers and time namespaces of one host have several, or the
 * same one with different clocks. */
static uint64_t sync_domain_of_process(void)
{
    char boot[64] = "", space[64] = "";
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file)
        return 0;
    bool read = fgets(boot, sizeof boot, file) != NULL;
    fclose(file);
    if (!read)
        return 0;
    /* No such link on kernels before 5.6, which have no time namespaces either. */
    ssize_t length = readlink("/proc/self/ns/time", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    /* Nor do all containers see what the kernel trusts: they read another of its clocks. */
    const char *clock = clock_steady_name();
    uint64_t hash = hash_bytes(hash_bytes(HASH_START, boot, strlen(boot)), space, strlen(space));
    hash = hash_bytes(hash, clock, strlen(clock));
    return hash ? hash : 1;
}

static double local_now(const struct sync_clock *clock)
{
    return clock->options.now ? clock->options.now() : clock_now();
}

double sync_now(const struct sync_clock *clock)
{
    return sync_global(clock, local_now(clock));
}

double sync_bound(const struct sync_clock *clock, double local)
{
    return clock->domains > 1 ? sync_line_bound(&clock->line, local) : 0;
}

int sync_agree(int error, MPI_Comm comm)
{
    int mine = error != MPI_SUCCESS, any = mine;
    int failed = PMPI_Allreduce(&mine, &any, 1, MPI_INT, MPI_MAX, comm);
    if (error == MPI_SUCCESS)
        error = failed;
    return error == MPI_SUCCESS && any ? MPI_ERR_OTHER : error;
}

static int first_of(int error, int later)
{
    return error == MPI_SUCCESS ? later : error;
}

/* Splits COMM into one communicator per domain, and one of their leaders (MPI_COMM_NULL on all
 * others). Rank 0 leads its domain and is rank 0 of the leaders. */
static int split_domains(const struct sync_clock *clock, MPI_Comm comm, MPI_Comm *domain,
                         MPI_Comm *leaders)
{
    MPI_Comm host = MPI_COMM_NULL;
    uint64_t *keys = NULL;
    int rank, host_rank, host_size, error;
    *domain = *leaders = MPI_COMM_NULL;
    PMPI_Comm_rank(comm, &rank);
    error = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
    if (error == MPI_SUCCESS) {
        PMPI_Comm_rank(host, &host_rank);
        PMPI_Comm_size(host, &host_size);
        keys = malloc((size_t)host_size * sizeof *keys);
        error = keys ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    }
    error = sync_agree(error, comm);
    if (error == MPI_SUCCESS) {
        uint64_t mine = clock->options.domain ? clock->options.domain : sync_domain_of_process();
        int first = 0;
        error = PMPI_Allgather(&mine, 1, MPI_UINT64_T, keys, 1, MPI_UINT64_T, host);
        /* A rank that knows nothing about its clock shares it with nobody. */
        while (first < host_rank && (error || mine == 0 || keys[first] != mine))
            first++;
        error = first_of(error, PMPI_Comm_split(host, first, host_rank, domain));
        error = first_of(
            error, PMPI_Comm_split(comm, first == host_rank ? 0 : MPI_UNDEFINED, rank, leaders));
        error = sync_agree(error, comm);
    }
    free(keys);
    if (host != MPI_COMM_NULL)
        PMPI_Comm_free(&host);
    return error;
}

/* On the clock of who answers; then what it makes of that. */
struct reply {
    double arrived, replied;
    struct sync_line line;
    double missed;
};
enum { REPLY_DOUBLES = sizeof(struct reply) / sizeof(double) };

/* Who has followed the global clock already answers until the other side says that it was the
 * last. */
static int answer(const struct sync_clock *clock, MPI_Comm leaders, int child)
{
    int more = 1, error = MPI_SUCCESS;
    while (more && error == MPI_SUCCESS) {
        struct reply reply = {.line = clock->line, .missed = clock->missed};
        error = PMPI_Recv(&more, 1, MPI_INT, child, TAG_REQUEST, leaders, MPI_STATUS_IGNORE);
        reply.arrived = local_now(clock);
        reply.replied = local_now(clock);
        if (error == MPI_SUCCESS)
            error = PMPI_Send(&reply, REPLY_DOUBLES, MPI_DOUBLE, child, TAG_REPLY, leaders);
    }
    return error;
}

/* The other side. Every exchange is kept: the tightest bounds may come from two of them. */
static int ask(const struct sync_clock *clock, MPI_Comm leaders, int parent,
               struct sync_point *point, struct reply *last)
{
    struct sync_exchange
        e[EXCHANGES_MAX]; /* needs no memory that may be refused: the parent waits */
    double started = local_now(clock);
    int n = 0, more = 1, error = MPI_SUCCESS;
    while (more) { /* whatever fails: the parent has to hear of the last */
        struct reply reply = {0};
        e[n].sent = local_now(clock);
        more = n + 1 < EXCHANGES_MIN ||
               (n + 1 < EXCHANGES_MAX && e[n].sent - started < exchanges_seconds);
        int failed = PMPI_Send(&more, 1, MPI_INT, parent, TAG_REQUEST, leaders);
        if (failed == MPI_SUCCESS)
            failed = PMPI_Recv(&reply, REPLY_DOUBLES, MPI_DOUBLE, parent, TAG_REPLY, leaders,
                               MPI_STATUS_IGNORE);
        error = first_of(error, failed);
        e[n].received = local_now(clock);
        e[n].arrived = reply.arrived;
        e[n].replied = reply.replied;
        *last = reply;
        n++;
    }
    if (error == MPI_SUCCESS)
        *point = sync_point_from(e, (size_t)n);
    return error;
}

/* Keeps the first and the last point when room runs out, and every second one between. Where
 * all of them are on no line, a rate has changed: only the last two say what it is. */
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
    if (clock->own.bound > 2 * now.bound) {
        clock->own = now;
        memmove(clock->points, last_two, 2 * sizeof *last_two);
        clock->n_points = 2;
    }
}

static int follow(struct sync_clock *clock, MPI_Comm leaders, int parent)
{
    struct sync_point point;
    struct reply reply;
    TRY(ask(clock, leaders, parent, &point, &reply));
    keep_point(clock, point);
    clock->line = sync_line_then(&clock->own, &reply.line);
    clock->missed += reply.missed;
    return MPI_SUCCESS;
}

/* Distances 2^(k-1) .. 1 among the first 2^k leaders, then the remainder, so that a parent is
 * always done before it is asked. After an error, too: others wait to be answered. */
static int descend(struct sync_clock *clock, MPI_Comm leaders)
{
    int rank, size, power = 1, error = MPI_SUCCESS;
    PMPI_Comm_rank(leaders, &rank);
    PMPI_Comm_size(leaders, &size);
    while (2 * power <= size)
        power *= 2;
    for (int distance = power / 2; distance > 0; distance /= 2) {
        if (rank >= power)
            continue;
        if (rank % (2 * distance) == distance) {
            error = first_of(error, follow(clock, leaders, rank - distance));
        } else if (rank % (2 * distance) == 0) {
            error = first_of(error, answer(clock, leaders, rank + distance));
        }
    }
    if (rank >= power)
        error = first_of(error, follow(clock, leaders, rank - power));
    else if (rank + power < size)
        error = first_of(error, answer(clock, leaders, rank + power));
    return error;
}

/* Leaders of one domain each have measured; the rest of the domain reads the same clock, on the
 * same host, so that bytes may travel. */
static int share(struct sync_clock *clock, MPI_Comm domain)
{
    struct sync_clock found = *clock;
    TRY(PMPI_Bcast(&found, (int)sizeof found, MPI_BYTE, 0, domain));
    found.comm = clock->comm;
    found.options = clock->options;
    *clock = found;
    return MPI_SUCCESS;
}

/* The usual case, found with a single exchange: one host, one clock. What the kernel says names
 * the host too (its boot), what a caller says does not. */
static int all_share_one(const struct sync_clock *clock, MPI_Comm comm, bool *one)
{
    uint64_t key = clock->options.domain ? 0 : sync_domain_of_process();
    uint64_t mine[2] = {key, ~key}, largest[2] = {0, 0};
    int rc = allreduce_politely(mine, largest, 2, MPI_MAX, comm);
    *one = largest[0] == ~largest[1] && largest[0] != 0;
    return rc;
}

/* Several domains: the leaders measure, the others are told. */
static int measure(struct sync_clock *clock, MPI_Comm comm, MPI_Comm domain, MPI_Comm leaders)
{
    int error = leaders != MPI_COMM_NULL ? descend(clock, leaders) : MPI_SUCCESS;
    error = first_of(error, share(clock, domain));
    error = first_of(error, PMPI_Allreduce(&clock->line.bound, &clock->worst_bound, 1, MPI_DOUBLE,
                                           MPI_MAX, comm));
    return sync_agree(error, comm);
}

int sync_again(struct sync_clock *clock)
{
    MPI_Comm comm = clock->comm;
    bool one = false;
    int error = clock->domains == 0 ? all_share_one(clock, comm, &one) : MPI_SUCCESS;
    if (error != MPI_SUCCESS)
        return error; /* nothing is left to agree by */
    if (one)
        clock->domains = 1;
    if (clock->domains == 1)
        return MPI_SUCCESS;
    MPI_Comm domain, leaders;
    error = split_domains(clock, comm, &domain, &leaders);
    if (error == MPI_SUCCESS) {
        int n = 0;
        if (leaders != MPI_COMM_NULL)
            PMPI_Comm_size(leaders, &n);
        error = sync_agree(PMPI_Allreduce(&n, &clock->domains, 1, MPI_INT, MPI_MAX, comm), comm);
    }
    if (error == MPI_SUCCESS && clock->domains > 1)
        error = measure(clock, comm, domain, leaders);
    if (leaders != MPI_COMM_NULL)
        PMPI_Comm_free(&leaders);
    if (domain != MPI_COMM_NULL)
        PMPI_Comm_free(&domain);
    return error;
}

int sync_start(struct sync_clock *clock, MPI_Comm comm, const struct sync_options *options)
{
    memset(clock, 0, sizeof *clock);
    if (options)
        clock->options = *options;
    clock->comm = comm;
    /* A simulator has one clock; a clock of the caller's own is another matter. */
    if (clock_source == CLOCK_SOURCE_EXTERNAL && !clock->options.now) {
        clock->domains = 1;
        return MPI_SUCCESS;
    }
    return sync_again(clock);
}

/* Each rank has its own error; two may be off in opposite directions. */
int sync_check(struct sync_clock *clock, MPI_Comm comm, double *apart)
{
    bool own = comm == clock->comm;
    double mine, worst = 0;
    int error = own ? sync_again(clock) : MPI_SUCCESS;
    mine = own ? clock->missed : sync_bound(clock, local_now(clock));
    if (error == MPI_SUCCESS && clock->domains > 1)
        error = PMPI_Allreduce(&mine, &worst, 1, MPI_DOUBLE, MPI_MAX, comm);
    *apart = 2 * worst;
    return error;
}

bool sync_wait(const struct sync_clock *clock, double moment)
{
    double until = sync_local(clock, moment), now = local_now(clock);
    bool on_time = now <= until;
    /* The hold gives way to others where ranks outnumber processors. */
    if (clock_source == CLOCK_SOURCE_EXTERNAL || !clock->options.now) {
        clock_hold(until - now);
    } else {
        while (local_now(clock) < until)
            ;
    }
    return on_time;
}
