#include "measure/ping.h"

#include "base/clock.h"
#include "base/try.h"

#include <string.h>

enum { TAG_PING = 0x6169, TAG_VALUES = 0x6176 };

int values_to_keeper(MPI_Comm comm, int from, int keeper, const double *mine, double *value, int n,
                     double *loop)
{
    int rank;
    TRY(PMPI_Comm_rank(comm, &rank));
    if (from != keeper && rank == from)
        return PMPI_Send(mine, n, MPI_DOUBLE, keeper, TAG_VALUES, comm);
    if (rank != keeper)
        return MPI_SUCCESS;
    if (from != keeper)
        TRY(PMPI_Recv(value, n, MPI_DOUBLE, from, TAG_VALUES, comm, MPI_STATUS_IGNORE));
    else
        memcpy(value, mine, (size_t)n * sizeof *value);
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += value[k];
    *loop = sum / n;
    return MPI_SUCCESS;
}

static int ping_pong(const struct ping *p, int peer, bool first)
{
    struct ack message = {0, 0};
    if (first)
        TRY(PMPI_Send(&message, ACK_DOUBLES, MPI_DOUBLE, peer, TAG_PING, p->comm));
    TRY(PMPI_Recv(&message, ACK_DOUBLES, MPI_DOUBLE, peer, TAG_PING, p->comm, MPI_STATUS_IGNORE));
    return first ? MPI_SUCCESS
                 : PMPI_Send(&message, ACK_DOUBLES, MPI_DOUBLE, peer, TAG_PING, p->comm);
}

static int time_pings(const struct ping *p, int repetitions, double *value)
{
    TRY(ping_pong(p, p->peer, true));
    double last = clock_now();
    for (int k = 0; k < repetitions; k++) {
        TRY(ping_pong(p, p->peer, true));
        double now = clock_now();
        value[k] = now - last - p->clock_cost;
        last = now;
    }
    return MPI_SUCCESS;
}

int batch_ping(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    const struct ping *p = arg;
    int rank;
    TRY(PMPI_Comm_rank(p->comm, &rank));
    TRY(PMPI_Barrier(p->comm));
    if (rank == p->peer)
        for (int k = 0; k <= b->repetitions; k++)
            TRY(ping_pong(p, p->timer, false));
    if (rank == p->timer)
        TRY(time_pings(p, b->repetitions, p->scratch));
    *n = b->repetitions;
    return values_to_keeper(p->comm, p->timer, p->keeper, p->scratch, value, *n, loop);
}
