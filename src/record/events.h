/* The trace of this rank: calls that wait or make others wait, in the order of their exit, in
 * memory of fixed size. A run that is too long for it is thinned out to windows of common time
 * (timeline_thinner). */
#ifndef COLLPROF_RECORD_EVENTS_H
#define COLLPROF_RECORD_EVENTS_H

#include "record/channels.h"

/* Traces from here on, if the settings want it. NOW: the common time, in ns. Returns 0 or an
 * errno. */
int events_start(int64_t now);

/* Forgets all events (MPI_Pcontrol(2)). */
void events_reset(void);

/* Writes EVENT, whose message, if it has one, has the place P. */
void event_add(struct ledger_event event, struct turn p);

/* What happened in the transport under the calls. */
void event_of_network(const struct ledger_network *event);

#endif
