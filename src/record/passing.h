/* An MPI call that is passing through a wrapper; call.h is what is done with it. */
#ifndef COLLPROF_RECORD_PASSING_H
#define COLLPROF_RECORD_PASSING_H

#include "record/comms.h"

#include <stdbool.h>
#include <stdint.h>

struct call {
    uint64_t entry, exit; /* ticks */
    uint32_t operation, site;
    struct comm *comm; /* NULL: none, or not seen before */
    uint64_t bytes;    /* as told by its arguments; LEDGER_UNKNOWN_BYTES: see call_bytes() */
    bool traced;       /* an event says what it did */
};

#endif
