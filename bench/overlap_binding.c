#include "overlap_binding.h"

#include "base/clock.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>

struct binding {
    hwloc_topology_t topology;
    hwloc_bitmap_t allowed; /* of the process, as it was started */
    hwloc_bitmap_t threads; /* where computing threads go */
    enum bind_mode mode;
    int own; /* the operating system's number of the processor that communicates */
};

/* The I-th of a set, dealt out in turn. */
static int processor(hwloc_const_bitmap_t set, int i)
{
    int number = -1, n = hwloc_bitmap_weight(set);
    for (int k = 0; k <= i % n; k++)
        number = hwloc_bitmap_next(set, number);
    return number;
}

static void bind_to(const struct binding *b, int number)
{
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    if (!one)
        return;
    hwloc_bitmap_only(one, (unsigned)number);
    hwloc_set_cpubind(b->topology, one, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(one);
}

static void leave_out_core(const struct binding *b, int number)
{
    hwloc_obj_t unit = hwloc_get_pu_obj_by_os_index(b->topology, (unsigned)number);
    hwloc_obj_t core =
        unit ? hwloc_get_ancestor_obj_by_type(b->topology, HWLOC_OBJ_CORE, unit) : NULL;
    if (core)
        hwloc_bitmap_andnot(b->threads, b->threads, core->cpuset);
    else
        hwloc_bitmap_clr(b->threads, (unsigned)number);
}

/* The ranks of a host take the processors that each may use in turn, and all know all of them. B
 * may be NULL: a rank that cannot tell still takes part. */
static void choose_processors(struct binding *b, MPI_Comm comm)
{
    MPI_Comm host;
    int rank, size;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_size(host, &size);
    int own = b ? processor(b->allowed, rank) : -1, *all = malloc((size_t)size * sizeof *all);
    if (!all)
        MPI_Abort(comm, 1);
    MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, host);
    if (b)
        b->own = own;
    for (int i = 0; b && b->mode == BIND_APART && i < size; i++)
        if (all[i] >= 0)
            leave_out_core(b, all[i]);
    free(all);
    MPI_Comm_free(&host);
}

static struct binding *see_machine(enum bind_mode mode)
{
    struct binding *b = calloc(1, sizeof *b);
    if (!b || hwloc_topology_init(&b->topology)) {
        free(b);
        return NULL;
    }
    b->mode = mode;
    b->allowed = hwloc_bitmap_alloc();
    if (hwloc_topology_load(b->topology) ||
        hwloc_get_cpubind(b->topology, b->allowed, HWLOC_CPUBIND_PROCESS) ||
        hwloc_bitmap_weight(b->allowed) < 1 || !(b->threads = hwloc_bitmap_dup(b->allowed))) {
        binding_free(b);
        return NULL;
    }
    return b;
}

struct binding *binding_new(MPI_Comm comm, enum bind_mode mode)
{
    if (clock_source == CLOCK_SOURCE_EXTERNAL)
        return NULL;
    struct binding *b = see_machine(mode);
    choose_processors(b, comm);
    if (b && mode != BIND_NONE)
        bind_to(b, b->own);
    return b;
}

void binding_free(struct binding *b)
{
    if (!b)
        return;
    hwloc_bitmap_free(b->allowed);
    hwloc_bitmap_free(b->threads);
    hwloc_topology_destroy(b->topology);
    free(b);
}

int binding_processors(const struct binding *b)
{
    return b ? hwloc_bitmap_weight(b->allowed) : 1;
}

int binding_machine(const struct binding *b)
{
    return b ? hwloc_get_nbobjs_by_type(b->topology, HWLOC_OBJ_PU) : 1;
}

int binding_for_threads(const struct binding *b)
{
    return b ? hwloc_bitmap_weight(b->threads) : 1;
}

void binding_of_thread(int thread, void *binding)
{
    const struct binding *b = binding;
    if (b && b->mode != BIND_NONE && hwloc_bitmap_weight(b->threads) > 0)
        bind_to(b, processor(b->threads, thread));
}

void binding_describe(const struct binding *b, char *text, size_t size)
{
    char threads[96] = "";
    if (!b) {
        snprintf(text, size, "none: %s",
                 clock_source == CLOCK_SOURCE_EXTERNAL ? "a simulated processor each"
                                                       : "hwloc cannot tell the processors");
        return;
    }
    hwloc_bitmap_list_snprintf(threads, sizeof threads, b->threads);
    if (b->mode == BIND_NONE)
        snprintf(text, size, "none of ours: may use processors %s", threads);
    else
        snprintf(text, size, "communication on processor %d, computing threads on %s", b->own,
                 threads);
}
