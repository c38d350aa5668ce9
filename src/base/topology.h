/* Where a process runs: its host, and the part of the machine that it may use (from hwloc). A
 * struct place is plain data, so that ranks can gather it.
 *
 * In libtopology instead of libbase: the profiling layer must not load hwloc into applications. */
#pragma once

#include <stddef.h>

struct place {
    char host[64];
    /* Logical index of the object of each kind that contains every processor that the process may
     * use; -1 if it may use more than one object. */
    int core, complex, package; /* COMPLEX: the cores that share a last-level cache */
    char
        allowed[256]; /* processors that it may use, in the operating system's numbering: "0,2-5" */
};

/* Fills PLACE for the calling thread; only with the host if hwloc fails. */
void place_here(struct place *place);

/* Fills PLACE with only a host's name, for a simulation. */
void place_set_host(struct place *place, const char *host);

enum place_relation {
    SAME_CORE,
    SAME_COMPLEX,
    SAME_PACKAGE,
    SAME_NODE, /* also if a process is not bound, so that nothing closer is certain */
    OTHER_NODE
};

enum place_relation place_relation(const struct place *a, const struct place *b);

/* The largest ratio of processes to processors that they may use, over all hosts: above 1 means
 * oversubscription. 0 if unknown. */
double place_oversubscription(const struct place *places, size_t n);
