#include "base/topology.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void place_named(struct place *place, const char *host)
{
    *place = (struct place){.core = -1, .complex = -1, .package = -1};
    snprintf(place->host, sizeof place->host, "%s", host);
}

/* The object that has all of SET; hwloc's own "covering" is content with a part. */
static int covering_index(hwloc_topology_t topology, hwloc_const_cpuset_t set,
                          hwloc_obj_type_t type)
{
    hwloc_obj_t object = hwloc_get_next_obj_covering_cpuset_by_type(topology, set, type, NULL);
    return object && hwloc_bitmap_isincluded(set, object->cpuset) ? (int)object->logical_index : -1;
}

/* The largest cache that is still shared by fewer cores than the package; machines without a
 * third level share their second, or nothing. */
static int complex_index(hwloc_topology_t topology, hwloc_const_cpuset_t set)
{
    static const hwloc_obj_type_t caches[] = {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE};
    for (int i = 0; i < 2; i++)
        if (hwloc_get_nbobjs_by_type(topology, caches[i]) > 0)
            return covering_index(topology, set, caches[i]);
    return -1;
}

static void fill_allowed(struct place *place, hwloc_const_cpuset_t set)
{
    unsigned pu;
    hwloc_bitmap_foreach_begin(pu, set)
    {
        if (pu < PLACE_MAX_PROCESSORS)
            place->allowed[pu / 64] |= UINT64_C(1) << pu % 64;
    }
    hwloc_bitmap_foreach_end();
}

static void fill_binding(struct place *place, hwloc_topology_t topology, hwloc_cpuset_t set)
{
    if (hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(topology));
    place->processors = hwloc_bitmap_weight(set);
    place->machine_processors = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);
    place->core = covering_index(topology, set, HWLOC_OBJ_CORE);
    place->complex = complex_index(topology, set);
    place->package = covering_index(topology, set, HWLOC_OBJ_PACKAGE);
    fill_allowed(place, set);
}

void place_here(struct place *place)
{
    char host[256] = "unknown host";
    gethostname(host, sizeof host - 1);
    place_named(place, host);
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    if (set && hwloc_topology_load(topology) == 0)
        fill_binding(place, topology, set);
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
}

static void list_allowed(const struct place *place, char *text, size_t size)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (unsigned pu = 0; pu < PLACE_MAX_PROCESSORS; pu++)
        if (place->allowed[pu / 64] >> pu % 64 & 1)
            hwloc_bitmap_set(set, pu);
    hwloc_bitmap_list_snprintf(text, size, set);
    hwloc_bitmap_free(set);
}

void place_describe(const struct place *place, char *text, size_t size)
{
    char list[128] = "";
    if (place->processors == 0) {
        snprintf(text, size, "%s", "");
        return;
    }
    list_allowed(place, list, sizeof list);
    if (place->processors == place->machine_processors)
        snprintf(text, size, "not bound, any of %d processors", place->processors);
    else if (place->core >= 0)
        snprintf(text, size, "bound to core %d (processor%s %s)", place->core,
                 place->processors > 1 ? "s" : "", list);
    else
        snprintf(text, size, "bound to processors %s of %d", list, place->machine_processors);
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

/* Processes and processors of the host of places[first]. */
static double host_load(const struct place *places, size_t n, size_t first)
{
    uint64_t allowed[PLACE_MAX_PROCESSORS / 64] = {0};
    int processes = 0, processors = 0;
    for (size_t i = first; i < n; i++) {
        if (strcmp(places[i].host, places[first].host) != 0)
            continue;
        processes++;
        for (int w = 0; w < PLACE_MAX_PROCESSORS / 64; w++)
            allowed[w] |= places[i].allowed[w];
    }
    for (int w = 0; w < PLACE_MAX_PROCESSORS / 64; w++)
        processors += __builtin_popcountll(allowed[w]);
    return processors ? (double)processes / processors : 0;
}

static bool seen_before(const struct place *places, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(places[k].host, places[i].host) == 0)
            return true;
    return false;
}

double place_load(const struct place *places, size_t n)
{
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        if (seen_before(places, i))
            continue;
        double load = host_load(places, n, i);
        worst = load > worst ? load : worst;
    }
    return worst;
}
