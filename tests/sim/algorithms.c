/* The algorithms of the simulator SMPI as candidates of --tune. It has no control variables, so
 * they are called directly. */
#include "tune/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Functions simgrid::smpi::STEM__NAME, exported as C++ does; PARAMETERS is the end of that name.
 * Only algorithms that end neither for any number of ranks nor for any size by an exception. */
struct functions {
    const char *stem, *parameters;
    const char *name[8]; /* ends with NULL */
};
#define BLOCKS "EPKviPNS0_8DatatypeEPviS4_"
#define REDUCTION "EPKvPviPNS0_8DatatypeEPNS0_2OpE"
static const struct functions functions[] = {
    {"allgather", BLOCKS "PNS0_4CommE", {"bruck", "ring", "spreading_simple", "rdb"}},
    {"allreduce",
     REDUCTION "PNS0_4CommE",
     {"rdb", "rab_rdb", "redbcast", "lr", "ompi_ring_segmented"}},
    {"alltoall", BLOCKS "PNS0_4CommE", {"basic_linear", "bruck", "ring", "mvapich2_scatter_dest"}},
    {"barrier",
     "EPNS0_4CommE",
     {"ompi_basic_linear", "ompi_bruck", "ompi_recursivedoubling", "ompi_tree", "ompi_doublering"}},
    {"bcast",
     "EPviPNS0_8DatatypeEiPNS0_4CommE",
     {"binomial_tree", "flattree", "scatter_LR_allgather", "scatter_rdb_allgather",
      "ompi_pipeline"}},
    {"gather", BLOCKS "iPNS0_4CommE", {"ompi_binomial", "ompi_basic_linear"}},
    {"reduce",
     REDUCTION "iPNS0_4CommE",
     {"binomial", "flat_tree", "ompi_chain", "ompi_pipeline", "ompi_binary"}},
    {"scatter", BLOCKS "iPNS0_4CommE", {"ompi_binomial", "ompi_basic_linear", "ompi_linear_nb"}},
};

static void *symbol(const struct functions *f, const char *name)
{
    char text[200], mangled[300];
    int n = snprintf(text, sizeof text, "%s__%s", f->stem, name);
    snprintf(mangled, sizeof mangled, "_ZN7simgrid4smpi%d%s%s", n, text, f->parameters);
    return dlsym(RTLD_DEFAULT, mangled);
}

static const struct functions *functions_of(const struct tuned_operation *o)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i].stem, o->stem))
            return &functions[i];
    return NULL;
}

static int list(const struct tuned_operation *o, size_t bytes, struct algorithm *list, int room)
{
    const struct functions *f = functions_of(o);
    int n = 0;
    (void)bytes;
    for (int i = 0; f && f->name[i] && n < room; i++)
        if (symbol(f, f->name[i])) {
            list[n] = (struct algorithm){.number = i};
            snprintf(list[n++].name, sizeof list->name, "%s", f->name[i]);
        }
    return n;
}

/* Of this rank: the simulator gives each rank variables of its own. */
static const struct tuned_operation *operation;
static void *chosen; /* NULL: the library's own choice */

static bool choose(const struct tuned_operation *o, const struct algorithm *a, bool strict)
{
    (void)strict;
    const struct functions *f = functions_of(o);
    operation = o;
    chosen = a && f ? symbol(f, f->name[a->number]) : NULL;
    return chosen || !a;
}

static int run_reduction(const void *send, void *recv, int n, MPI_Datatype type, MPI_Op op,
                         int root, MPI_Comm comm)
{
    if (!strcmp(operation->stem, "reduce"))
        return chosen ? ((int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, int,
                                  MPI_Comm))chosen)(send, recv, n, type, op, root, comm)
                      : PMPI_Reduce(send, recv, n, type, op, root, comm);
    return chosen ? ((int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))chosen)(
                        send, recv, n, type, op, comm)
                  : PMPI_Allreduce(send, recv, n, type, op, comm);
}

typedef int blocks_run(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
typedef int rooted_run(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);

static int run_blocks(const void *send, void *recv, int n, MPI_Datatype type, int root,
                      MPI_Comm comm)
{
    const char *stem = operation->stem;
    if (!strcmp(stem, "gather") || !strcmp(stem, "scatter")) {
        rooted_run *own = *stem == 'g' ? PMPI_Gather : PMPI_Scatter;
        return (chosen ? (rooted_run *)chosen : own)(send, n, type, recv, n, type, root, comm);
    }
    blocks_run *own = strcmp(stem, "allgather") ? PMPI_Alltoall : PMPI_Allgather;
    return (chosen ? (blocks_run *)chosen : own)(send, n, type, recv, n, type, comm);
}

/* One operation of COUNT elements of a block, as struct operation_call has it. */
static int run(const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    if (operation->reduces)
        return run_reduction(send, recv, count, type, op, root, comm);
    if (!strcmp(operation->stem, "barrier"))
        return chosen ? ((int (*)(MPI_Comm))chosen)(comm) : PMPI_Barrier(comm);
    if (!strcmp(operation->stem, "bcast"))
        return chosen ? ((int (*)(void *, int, MPI_Datatype, int, MPI_Comm))chosen)(
                            recv, count, type, root, comm)
                      : PMPI_Bcast(recv, count, type, root, comm);
    return run_blocks(send, recv, count, type, root, comm);
}

/* So that rules are written, in the form of a library that has them by size and ranks. */
int __wrap_PMPI_Get_library_version(char *text, int *length);
int __wrap_PMPI_Get_library_version(char *text, int *length)
{
    *length = sprintf(text, "Open MPI simulated");
    return MPI_SUCCESS;
}

const struct tuning_library *tuning_of_test(void)
{
    static const struct tuning_library simulated = {.list = list, .choose = choose, .run = run};
    return symbol(&functions[0], functions[0].name[0]) ? &simulated : NULL;
}
