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

static double moment(const struct ping *p)
{
    return p->now ? p->now(p->now_arg) : 0;
}

/* ANSWER says how long the question was on its way, and when the answer was sent. */
static int ask(const struct ping *p, struct ack *answer)
{
    struct ack question = {0, moment(p)};
    TRY(PMPI_Send(&question, ACK_DOUBLES, MPI_DOUBLE, p->peer, TAG_PING, p->comm));
    return PMPI_Recv(answer, ACK_DOUBLES, MPI_DOUBLE, p->peer, TAG_PING, p->comm,
                     MPI_STATUS_IGNORE);
}

static int answer(const struct ping *p)
{
    struct ack message;
    TRY(PMPI_Recv(&message, ACK_DOUBLES, MPI_DOUBLE, p->timer, TAG_PING, p->comm,
                  MPI_STATUS_IGNORE));
    double now = moment(p);
    message = (struct ack){now - message.exit, now};
    return PMPI_Send(&message, ACK_DOUBLES, MPI_DOUBLE, p->timer, TAG_PING, p->comm);
}

static int time_pings(const struct ping *p, int repetitions, double *value)
{
    struct ack answer;
    TRY(ask(p, &answer));
    double last = clock_now();
    for (int k = 0; k < repetitions; k++) {
        TRY(ask(p, &answer));
        double now = p->now ? moment(p) : clock_now(), trip = now - last;
        double seen = p->what == PING_OUT    ? answer.held
                      : p->what == PING_BACK ? now - answer.exit
                                             : trip;
        value[k] = (seen - p->clock_cost) / (p->what == PING_HALF ? 2 : 1);
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
            TRY(answer(p));
    if (rank == p->timer)
        TRY(time_pings(p, b->repetitions, p->scratch));
    *n = b->repetitions;
    return values_to_keeper(p->comm, p->timer, p->keeper, p->scratch, value, *n, loop);
}
