/* What the watchdog of each host writes beside the records, for readers on
 * other hosts: a mapped record may be there as it was long ago, and its process
 * cannot be asked. */
#ifndef COLLPROF_VERDICT_HOSTS_H
#define COLLPROF_VERDICT_HOSTS_H

#include "base/array.h"
#include "verdict/situation.h"

#include <time.h>

struct host_rank {
    int32_t rank;
    enum rank_state state; /* of its process, which lives */
};

struct host_summary {
    char host[64];
    double now;  /* clock_now() of that host, before its records were written out */
    bool moving; /* none of its ranks waits, computes or is stopped for long: its
                    records were not written out */
    time_t written;
    ARRAY(struct host_rank) ranks;
};

struct host_summaries {
    ARRAY(struct host_summary) list;
};

/* Those of the run in DIRECTORY, a descriptor; for hosts_free(). */
struct host_summaries hosts_read(int directory);
void hosts_free(struct host_summaries *h);

/* NULL: none of HOST is recent. */
const struct host_summary *hosts_find(const struct host_summaries *h, const char *host);

/* NULL: RANK is none of those that live. */
const struct host_rank *hosts_rank(const struct host_summary *s, int32_t rank);

/* Writes that of this host into DIRECTORY; unless S is moving, first the
 * records of this host's processes, as far as other hosts see them. False: it
 * could not be written. */
bool hosts_write(const char *directory, const struct host_summary *s);

/* Removes it, and the directory if nothing else is in it. */
void hosts_remove(const char *directory, const char *host);

#endif
