/* The files watchdog-HOST in the directory of a run: the watchdog of each host writes the states
 * of its ranks to one. Other hosts need them, since they may see an outdated copy of a mapped
 * record and cannot query its process. */
#pragma once

#include "verdict/situation.h"

#include <time.h>

/* A rank whose process lives, according to the watchdog on its host. */
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

/* Reads the files of the run in DIRECTORY. */
struct hosts hosts_read(const char *directory);

/* RANK on HOST, or with RANK -1 any rank there; NULL if nothing recent is known of it. */
const struct host_rank *hosts_find(const struct hosts *h, const char *host, int32_t rank);

/* Writes which ranks of HOST, which is this one, live to DIRECTORY/watchdog-HOST. If one of them
 * waits, computes or is stopped for SECONDS, it first writes their records out, so that other hosts
 * read the present content. Returns false if the file could not be written. */
bool hosts_write(const char *directory, char *host, const struct situation *s, double seconds);

/* Removes it, and the directory if nothing else is in it. */
void hosts_remove(const char *directory, const char *host);
