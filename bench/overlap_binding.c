#include "overlap_binding.h"

#include <stdio.h>

#ifdef COLLPROF_SIMULATED

struct binding *binding_new(MPI_Comm comm)
{
    (void)comm;
    return NULL;
}

void binding_free(struct binding *b)
{
    (void)b;
}

int binding_processors(const struct binding *b)
{
    (void)b;
    return 1;
}

void binding_of_thread(int thread, void *binding)
{
    (void)thread;
    (void)binding;
}

void binding_describe(const struct binding *b, char *text, size_t size)
{
    (void)b;
    snprintf(text, size, "none: a simulated processor each");
}

#else

#include <hwloc.h>
#include <stdlib.h>

struct binding {
    hwloc_topology_t topology;
    hwloc_bitmap_t allowed; /* of the process, as it was started */
    int processors;
    int own; /* which of them communicates */
};

static int rank_on_host(MPI_Comm comm)
{
    MPI_Comm host;
    int rank;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    return rank;
}

/* The operating system's number of the I-th processor, dealt out in turn. */
static int processor(const struct binding *b, int i)
{
    int number = -1;
    for (int k = 0; k <= i % b->processors; k++)
        number = hwloc_bitmap_next(b->allowed, number);
    return number;
}

static void bind_to(const struct binding *b, int i)
{
    hwloc_bitmap_t one = hwloc_bitmap_alloc();
    if (!one)
        return;
    hwloc_bitmap_only(one, (unsigned)processor(b, i));
    hwloc_set_cpubind(b->topology, one, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(one);
}

struct binding *binding_new(MPI_Comm comm)
{
    int on_host = rank_on_host(comm);
    struct binding *b = calloc(1, sizeof *b);
    if (!b || hwloc_topology_init(&b->topology)) {
        free(b);
        return NULL;
    }
    b->allowed = hwloc_bitmap_alloc();
    if (hwloc_topology_load(b->topology) ||
        hwloc_get_cpubind(b->topology, b->allowed, HWLOC_CPUBIND_PROCESS) ||
        hwloc_bitmap_weight(b->allowed) < 1) {
        binding_free(b);
        return NULL;
    }
    b->processors = hwloc_bitmap_weight(b->allowed);
    b->own = on_host % b->processors;
    bind_to(b, b->own);
    return b;
}

void binding_free(struct binding *b)
{
    if (!b)
        return;
    hwloc_bitmap_free(b->allowed);
    hwloc_topology_destroy(b->topology);
    free(b);
}

int binding_processors(const struct binding *b)
{
    return b ? b->processors : 1;
}

void binding_of_thread(int thread, void *binding)
{
    if (binding)
        bind_to(binding, thread);
}

void binding_describe(const struct binding *b, char *text, size_t size)
{
    if (!b) {
        snprintf(text, size, "none: hwloc cannot tell the processors");
        return;
    }
    int n = snprintf(text, size, "communication on processor %d, computing threads on ",
                     processor(b, b->own));
    hwloc_bitmap_list_snprintf(text + n, size - (size_t)n, b->allowed);
}

#endif
