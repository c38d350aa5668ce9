#include "inject/handshake.h"

#include "base/clock.h"
#include "record/layer.h"
#include "sync/yielding.h"

#include <math.h>

static const double TIMEOUT = 5, TIMEOUTS_LEAST = 1, TIMEOUTS_SHARE = 0.01;

static uint64_t waited_ns; /* sum over all threads of the handshakes that timed out */

double handshake_waited(void)
{
    return 1e-9 * (double)__atomic_load_n(&waited_ns, __ATOMIC_RELAXED);
}

double handshake_timeout(void)
{
    double run = clock_now() - layer.ledger.header->pair[0].seconds;
    return fmax(0, fmin(TIMEOUT, TIMEOUTS_LEAST + TIMEOUTS_SHARE * run - handshake_waited()));
}

static void add_waited(double start)
{
    __atomic_fetch_add(&waited_ns, (uint64_t)(1e9 * (clock_now() - start)), __ATOMIC_RELAXED);
}

/* The barrier completes when all members have entered the handshake. A member whose timeout expires
 * earlier contributes HANDSHAKE_TIMEOUT to the reduction, a minimum, and leaves without waiting for
 * its result: so all others also get HANDSHAKE_TIMEOUT. */
enum handshake_result handshake(struct handshake *h, MPI_Comm comm, uint64_t what, double timeout,
                                bool bounded)
{
    bool here;
    enum handshake_result all = HANDSHAKE_TIMEOUT;
    double start = clock_now();
    wait_yielding_for(PMPI_Ibarrier(comm, &h->here), &h->here, timeout, &here);
    h->mine[0] = here ? HANDSHAKE_DONE : HANDSHAKE_TIMEOUT;
    h->mine[1] = what;
    h->mine[2] = ~what;
    int rc = PMPI_Iallreduce(h->mine, h->all, 3, MPI_UINT64_T, MPI_MIN, comm, &h->agreed);
    if (here && !wait_yielding(rc, &h->agreed))
        all = (enum handshake_result)h->all[0];
    if (all == HANDSHAKE_DONE && h->all[1] != ~h->all[2])
        all = HANDSHAKE_DISAGREED;
    if (all == HANDSHAKE_TIMEOUT && bounded)
        add_waited(start);
    return all;
}

bool handshake_is_over(struct handshake *h, double timeout)
{
    bool here, agreed = false;
    double start = clock_now();
    wait_yielding_for(0, &h->here, timeout, &here);
    if (here)
        wait_yielding_for(0, &h->agreed, fmax(0, timeout - (clock_now() - start)), &agreed);
    if (!agreed)
        add_waited(start);
    return agreed;
}
