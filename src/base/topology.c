#include "base/topology.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void place_set_host(struct place *place, const char *host)
{
    *place = (struct place){.core = -1, .complex = -1, .package = -1};
    snprintf(place->host, sizeof place->host, "%s", host);
}

/* The logical index of the object of TYPE that contains all of SET; -1 if there is none. hwloc's
 * function may return an object that contains only a part of SET. */
static int covering_index(hwloc_topology_t topology, hwloc_const_cpuset_t set,
                          hwloc_obj_type_t type)
{
    hwloc_obj_t object = hwloc_get_next_obj_covering_cpuset_by_type(topology, set, type, NULL);
    return object && hwloc_bitmap_isincluded(set, object->cpuset) ? (int)object->logical_index : -1;
}

void place_here(struct place *place)
{
    char host[256] = "unknown host";
    gethostname(host, sizeof host - 1);
    place_set_host(place, host);
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return;
    }
    /* Takes the level-2 cache as the last-level cache if there is no level-3 cache. */
    bool third = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    if (hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(topology));
    place->core = covering_index(topology, set, HWLOC_OBJ_CORE);
    place->complex = covering_index(topology, set, third ? HWLOC_OBJ_L3CACHE : HWLOC_OBJ_L2CACHE);
    place->package = covering_index(topology, set, HWLOC_OBJ_PACKAGE);
    hwloc_bitmap_list_snprintf(place->allowed, sizeof place->allowed, set);
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
}

enum place_relation place_relation(const struct place *a, const struct place *b)
{
    if (strcmp(a->host, b->host) != 0)
        return OTHER_NODE;
    if (a->core >= 0 && a->core == b->core)
        return SAME_CORE;
    if (a->complex >= 0 && a->complex == b->complex)
        return SAME_COMPLEX;
    if (a->package >= 0 && a->package == b->package)
        return SAME_PACKAGE;
    return SAME_NODE;
}

double place_oversubscription(const struct place *places, size_t n)
{
    double worst = 0;
    hwloc_bitmap_t all = hwloc_bitmap_alloc(), one = hwloc_bitmap_alloc();
    for (size_t first = 0; first < n; first++) {
        int processes = 0;
        hwloc_bitmap_zero(all);
        for (size_t i = 0; i < n; i++) {
            if (strcmp(places[i].host, places[first].host) != 0)
                continue;
            if (i < first)
                break; /* FIRST's host was counted before */
            processes++;
            hwloc_bitmap_list_sscanf(one, places[i].allowed);
            hwloc_bitmap_or(all, all, one);
        }
        int processors = hwloc_bitmap_weight(all);
        if (processors > 0 && (double)processes / processors > worst)
            worst = (double)processes / processors;
    }
    hwloc_bitmap_free(all);
    hwloc_bitmap_free(one);
    return worst;
}
