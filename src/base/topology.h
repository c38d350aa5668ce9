/* Where a process runs: its host, and the processors that it may use (from hwloc). This is in
 * libtopology, not in libbase, since the profiling layer must not load hwloc into applications. */
#pragma once

#include <stddef.h>

/* A process's host and processors; without pointers, so that ranks can gather it by MPI. */
struct place {
    char host[64];
    /* hwloc's logical index of the object that contains every processor that the process may use;
     * -1 if these are in several objects of the kind. */
    int core, complex, package; /* COMPLEX: the cores that share a last-level cache */
    char
        allowed[256]; /* processors that it may use, in the operating system's numbering: "0,2-5" */
};

/* Sets PLACE to the calling thread's host and processors; if hwloc fails, as place_set_host(). */
void place_here(struct place *place);

/* Sets PLACE to a simulated process's HOST, and all else to unknown. */
void place_set_host(struct place *place, const char *host);

/* The closest part of the machine that two processes certainly share. */
enum place_relation {
    SAME_CORE,
    SAME_COMPLEX,
    SAME_PACKAGE,
    SAME_NODE, /* same host; also if a process is not bound to processors */
    OTHER_NODE
};

enum place_relation place_relation(const struct place *a, const struct place *b);

/* The ratio of processes to the processors that they may use, on the host with the largest ratio;
 * above 1: oversubscription. 0 if unknown. PLACES: of N processes. */
double place_oversubscription(const struct place *places, size_t n);
