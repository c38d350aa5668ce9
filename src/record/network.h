/* The trace of the transport under MPI (--trace=transport): what libcollprof-transport.so tells,
 * written down with the MPI call that the thread is in. */
#ifndef COLLPROF_RECORD_NETWORK_H
#define COLLPROF_RECORD_NETWORK_H

#include "record/layer.h"

struct ledger_entry;

/* Listens from here on, if the settings want it and the library is there. */
void network_start(void);

/* Hears nothing more; what nobody has taken is counted. */
void network_stop(void);

/* What was polled before recording was switched on again belongs to no call. */
void network_forget(void);

/* The polls since the last call of this thread were made in this one, which is counted in E. */
void network_polled(struct ledger_entry *e);

#endif
