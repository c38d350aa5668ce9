/* The files watchdog-HOST in a run's directory. Each host's watchdog writes its ranks' states to
 * its file, for other hosts: these may see an outdated copy of a rank's mapped record, and cannot
 * query its process. */
#pragma once

#include "verdict/situation.h"

#include <time.h>

/* A rank whose process lives, by the file of its host's watchdog. */
struct host_rank {
    char host[64];
    time_t written; /* when the file was written, by the file server's clock */
    double now;     /* clock_now() of HOST, before HOST wrote records out (hosts_write()) */
    bool moving; /* no rank there waits, computes or is stopped for long, so no records written */
    int32_t rank;
    enum rank_state state;
};
struct hosts {
    ARRAY(struct host_rank) list; /* release by free() */
};

/* Reads the files of the run in DIRECTORY. */
struct hosts hosts_read(const char *directory);

/* RANK on HOST, or with RANK -1 any rank there; NULL if its file is missing or outdated. */
const struct host_rank *hosts_find(const struct hosts *h, const char *host, int32_t rank);

/* Writes the living ranks of HOST, which is this one, to DIRECTORY/watchdog-HOST. If a rank waits,
 * computes or is stopped for SECONDS, first writes the ranks' records out, so that other hosts read
 * the present content. Returns false if the file could not be written. */
bool hosts_write(const char *directory, char *host, const struct situation *s, double seconds);

/* Removes DIRECTORY/watchdog-HOST, and DIRECTORY if it is then empty. */
void hosts_remove(const char *directory, const char *host);
