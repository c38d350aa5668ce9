/* What the watchdog of each host writes beside the records, for readers on
 * other hosts: a mapped record may be there as it was long ago, and its process
 * cannot be asked. */
#ifndef COLLPROF_VERDICT_HOSTS_H
#define COLLPROF_VERDICT_HOSTS_H

#include "verdict/situation.h"

#include <time.h>

/* A rank of which the watchdog on its host says that its process lives. */
struct host_rank {
    char host[64];
    time_t written; /* when its file was, by the clock of the file server */
    double now;     /* clock_now() of that host, before its records were written out */
    bool moving;    /* no rank there waits, computes or is stopped for long: its records were not
                       written out */
    int32_t rank;
    enum rank_state state;
};
struct hosts {
    ARRAY(struct host_rank) list; /* release by free() */
};

/* Those of the run in DIRECTORY, a descriptor. */
struct hosts hosts_read(int directory);

/* RANK on HOST, or with RANK -1 any rank there; NULL if nothing recent is known of it. */
const struct host_rank *hosts_find(const struct hosts *h, const char *host, int32_t rank);

/* Writes the ranks H of one host into DIRECTORY; unless they are moving, first the records of this
 * host's processes, as far as other hosts see them. False: it could not be written. */
bool hosts_write(const char *directory, const struct hosts *h);

/* Removes it, and the directory if nothing else is in it. */
void hosts_remove(const char *directory, const char *host);

#endif
