/* The trace of this rank: calls that wait or make others wait, in the order of their exit, in
 * memory of fixed size. A run that is too long for it is thinned out to windows of common time
 * (timeline_thinner). */
#ifndef COLLPROF_RECORD_EVENTS_H
#define COLLPROF_RECORD_EVENTS_H

#include "record/channels.h"
#include "record/passing.h"

#include "timeline/timeline.h"
#include "transport/transport.h"

/* Traces from here on, if the settings want it. NOW: the common time, in ns. Returns 0 or an
 * errno. */
int events_start(int64_t now);

/* Forgets all events (MPI_Pcontrol(2)). */
void events_reset(void);

/* Between trace_begin() and trace_end(): what C did with BYTES, which the call entered at POSTED
 * began. The message, if there is one, has the place P. */
void event_add(const struct call *c, enum act_kind kind, uint64_t bytes, uint64_t posted,
               struct turn p);

/* What happened in the transport. CALL: the last call of the thread in which it did, NULL if that
 * never called MPI; it was in that call if the call is not over (since is not 0). */
void event_of_network(const struct transport_event *event, const struct ledger_call *call);

#endif
