/* Where a process runs: its host, and the processors that it may use (from hwloc). This is in
 * libtopology, not in libbase, since the profiling layer must not load hwloc into applications. */
#pragma once

#include <stddef.h>

/* Without pointers, so that ranks can gather it. */
struct place {
    char host[64];
    /* Logical index of the object of each kind that contains every processor that the process may
     * use; -1 if it may use more than one object. */
    int core, complex, package; /* COMPLEX: the cores that share a last-level cache */
    char
        allowed[256]; /* processors that it may use, in the operating system's numbering: "0,2-5" */
};

/* Fills PLACE for the calling thread; if hwloc fails, as place_set_host(). */
void place_here(struct place *place);

/* Fills PLACE with a host's name; all else is unknown. For a simulation. */
void place_set_host(struct place *place, const char *host);

/* The closest part of the machine that two processes certainly share. */
enum place_relation {
    SAME_CORE,
    SAME_COMPLEX,
    SAME_PACKAGE,
    SAME_NODE, /* also if a process is not bound */
    OTHER_NODE
};

enum place_relation place_relation(const struct place *a, const struct place *b);

/* The ratio of processes to the processors that they may use, on the host where it is largest;
 * above 1: oversubscription. 0 if unknown. PLACES: those of N processes. */
double place_oversubscription(const struct place *places, size_t n);
