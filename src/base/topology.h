/* Where a process runs: host, and the part of the machine that it may use (hwloc). A struct
 * place is plain data, so that ranks can gather each other's.
 *
 * Not in libbase but in libtopology: the profiling layer must not pull hwloc into applications. */
#ifndef COLLPROF_BASE_TOPOLOGY_H
#define COLLPROF_BASE_TOPOLOGY_H

#include <stddef.h>

struct place {
    char host[64];
    /* The one object of each kind that holds every processor the process may use, by its
     * logical index; -1 where it may use more than one. */
    int core, complex, package; /* complex: the cores that share a last-level cache */
    int machine_processors;     /* of the whole host; 0: not known (a simulation) */
    char allowed[256]; /* the processors it may use, by the operating system's numbers: "0,2-5" */
};

/* Fills PLACE for the calling thread. If hwloc fails, only the host is filled in. */
void place_here(struct place *place);

/* Only a host's name is known: a simulation. */
void place_named(struct place *place, const char *host);

enum place_relation {
    SAME_CORE,
    SAME_COMPLEX,
    SAME_PACKAGE,
    SAME_NODE, /* also where a process is not bound, so that nothing closer is certain */
    OTHER_NODE
};

enum place_relation place_relation(const struct place *a, const struct place *b);

/* The worst ratio, over all hosts, of processes to processors that they may use: above 1 is
 * more ranks than processors. 0 if not known. */
double place_load(const struct place *places, size_t n);

#endif
