#include "measure/ping.h"

#include "base/clock.h"
#include "base/try.h"

#include <stdbool.h>
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

static int exchange(const struct ping *p, int other, bool asks, struct ack *message)
{
    if (asks)
        TRY(PMPI_Send(message, ACK_DOUBLES, MPI_DOUBLE, other, TAG_PING, p->comm));
    TRY(PMPI_Recv(message, ACK_DOUBLES, MPI_DOUBLE, other, TAG_PING, p->comm, MPI_STATUS_IGNORE));
    if (asks)
        return MPI_SUCCESS;
    message->exit = p->now ? p->now(p->now_arg) : 0;
    return PMPI_Send(message, ACK_DOUBLES, MPI_DOUBLE, other, TAG_PING, p->comm);
}

static int time_pings(const struct ping *p, int repetitions, double *value)
{
    struct ack answer = {0, 0};
    TRY(exchange(p, p->peer, true, &answer));
    double last = clock_now();
    for (int k = 0; k < repetitions; k++) {
        TRY(exchange(p, p->peer, true, &answer));
        double now = p->now ? p->now(p->now_arg) : clock_now();
        double seen = now - (p->what == PING_BACK ? answer.exit : last) - p->clock_cost;
        value[k] = p->what == PING_HALF ? seen / 2 : seen;
        last = now;
    }
    return MPI_SUCCESS;
}

int batch_ping(void *arg, const struct batch *b, double *value, int *n, double *loop)
{
    const struct ping *p = arg;
    int rank;
    struct ack message;
    TRY(PMPI_Comm_rank(p->comm, &rank));
    TRY(PMPI_Barrier(p->comm));
    for (int k = 0; rank == p->peer && k <= b->repetitions; k++)
        TRY(exchange(p, p->timer, false, &message));
    if (rank == p->timer)
        TRY(time_pings(p, b->repetitions, p->scratch));
    *n = b->repetitions;
    return values_to_keeper(p->comm, p->timer, p->keeper, p->scratch, value, *n, loop);
}
