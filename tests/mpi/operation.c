/* Every collective operation, blocking and not, does what its table line says: protects against
 * a benchmark that times a call with wrong buffers (swapped, too small, never filled). Also that
 * the check itself sees one wrong byte. Of every datatype and with every
 * operation that combines. */
#include "measure/collective/operation.h"

#include <stdio.h>

static int failures;

static void fail(const struct operation_call *c, const char *what)
{
    fprintf(stderr, "rank %d: %s, %zu bytes of %s, %s, root %d: %s\n", c->rank, c->operation->name,
            c->bytes, operation_types[c->data.type], operation_ops[c->data.op], c->root, what);
    failures++;
}

/* Over a tree of the project's own, from and to any root: what does not mind its operands' order.
 */
static void try_own(struct operation_call *c)
{
    const struct bcast *by = bcast_find("binomial");
    if (c->operation->reduces && operation_has_own(c->operation, bcast_find("native")))
        fail(c, "a reduction over what has no tree");
    if (!operation_has_own(c->operation, by) || (c->operation->reduces && c->data.op == OP_USER))
        return;
    operation_fill(c);
    if (!operation_use_own(c, by) || operation_run(c) != MPI_SUCCESS || !operation_check(c))
        fail(c, "a tree brought something else");
}

/* Of numbers, as they lie in memory: no less than one's own. */
static bool is_largest(const struct operation_call *c)
{
    const int *all = (const void *)c->recv, *own = (const void *)c->send;
    bool has = c->recv_bytes && c->data.type == TYPE_INT && c->data.op == OP_MAX;
    for (int k = 0; has && c->operation->send != EXTENT_BLOCKS && k < c->count; k++)
        if (all[k] < own[k])
            return false;
    return true;
}

static void try(const struct operation *o, size_t bytes, int root, int type, int op)
{
    struct operation_call c;
    struct operation_data data = {.type = type, .op = op, .cost = 1e-12};
    bytes -= bytes % operation_element(type);
    if (o->reduces ? !operation_combines(type, op) : op != OP_USER)
        return;
    if (!operation_prepare_as(&c, o, MPI_COMM_WORLD, root, bytes, &data)) {
        fail(&c, "not prepared");
        return;
    }
    if (operation_run(&c) != MPI_SUCCESS || !operation_check(&c))
        fail(&c, "the blocking call brought something else");
    if (o->reduces && !is_largest(&c))
        fail(&c, "the largest is less than one of them");
    if (type == TYPE_STRIDED && operation_use_own(&c, bcast_find("binomial")))
        fail(&c, "a form of our own for strided data");
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
        c.recv[type == TYPE_STRIDED ? 15 : c.recv_bytes - 1] ^= 1;
        if (operation_check(&c))
            fail(&c, "a wrong byte went unseen");
    }
    if (type != TYPE_STRIDED)
        try_own(&c);
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
                for (int type = 0; operation_types[type]; type++)
                    for (int op = 0; operation_ops[op]; op++)
                        try(&operations[i], bytes, root, type, op);
    bool twin;
    if (operation_find("nonsense", &twin) || operation_find("broadcast", &twin) != &operations[1] ||
        twin || operation_find("ibroadcast", &twin) != &operations[1] || !twin) {
        fprintf(stderr, "operation_find is wrong\n");
        failures++;
    }
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return all != 0;
}
