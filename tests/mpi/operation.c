/* Every collective operation, blocking and not, does what its table line says: protects against
 * a benchmark that times a call with wrong buffers (swapped, too small, never filled). Also that
 * the check itself sees one wrong byte. */
#include "measure/collective/operation.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void fail(const struct operation_call *c, const char *what)
{
    fprintf(stderr, "rank %d: %s, %zu bytes, root %d: %s\n", c->rank, c->operation->name, c->bytes,
            c->root, what);
    failures++;
}

static void try(const struct operation *o, size_t bytes, int root)
{
    struct operation_call c;
    if (!operation_prepare(&c, o, MPI_COMM_WORLD, root, bytes)) {
        fail(&c, "not prepared");
        return;
    }
    if (operation_run(&c) != MPI_SUCCESS || !operation_check(&c))
        fail(&c, "the blocking call brought something else");
    operation_fill(&c);
    bool has_it = o->send == EXTENT_NONE && c.rank == root;
    if (c.recv_bytes > 16 && !has_it && operation_check(&c))
        fail(&c, "what brought nothing passes");
    MPI_Request request;
    if (operation_start(&c, &request) != MPI_SUCCESS)
        fail(&c, "the non-blocking call failed");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!operation_check(&c))
        fail(&c, "the non-blocking call brought something else");
    if (c.recv_bytes) {
        c.recv[c.recv_bytes - 1] ^= 1;
        if (operation_check(&c))
            fail(&c, "a wrong byte went unseen");
    }
    operation_fill(&c);
    c.by = strcmp(o->name, "broadcast") == 0 ? bcast_find("binomial") : NULL;
    if (operation_run(&c) != MPI_SUCCESS || !operation_check(&c))
        fail(&c, "a tree brought something else");
    operation_release(&c);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, all;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < n_operations; i++)
        for (int root = 0; root<size; root += size> 1 ? size - 1 : 1)
            for (size_t bytes = 0; bytes <= 100000; bytes = bytes ? bytes * 317 : 1)
                try(&operations[i], bytes, root);
    bool twin;
    if (operation_find("nonsense", &twin) || operation_find("broadcast", &twin) != &operations[1] ||
        twin || operation_find("ibroadcast", &twin) != &operations[1] || !twin ||
        operation_find("bcast", &twin) != &operations[1] ||
        operation_find("MPI_Iallreduce", &twin) != &operations[4] || !twin) {
        fprintf(stderr, "operation_find is wrong\n");
        failures++;
    }
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
