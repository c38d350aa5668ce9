/* The hierarchy that latencies show: which ranks are near each other, on which levels. */
#ifndef COLLPROF_MEASURE_PAIRS_HIERARCHY_H
#define COLLPROF_MEASURE_PAIRS_HIERARCHY_H

#include "measure/pairs/data.h"

enum { HIERARCHY_MAX = 6 };

/* One level: groups whose ranks can be joined by steps of at most INSIDE, while any step from one
 * group to another takes at least OUTSIDE; whole round trips, seconds. */
struct hierarchy_level {
    int groups;
    int *group; /* of each rank, numbered by their first rank */
    double inside, outside;
    const char *seen_as; /* what the same division is by the log's hosts and relations: "core",
                            "complex", "package", "node" (hosts); NULL if none is the same */
};

struct hierarchy {
    int n;
    int n_levels; /* finest first; 0: all ranks are equally far apart */
    struct hierarchy_level level[HIERARCHY_MAX];
};

/* Single linkage on the shortest round trips (noise only adds): a level is where the next larger
 * step between groups is at least RATIO (1.5 is a good one) times as long as all before. If there
 * are more than HIERARCHY_MAX, the ratio is raised until there are not. False: no memory. */
bool hierarchy_find(const struct pairs *p, const struct pairs_size *size, double ratio,
                    struct hierarchy *h);
void hierarchy_free(struct hierarchy *h);

#endif
