/* Another broadcast in place of the library's. It runs on the layer's duplicate of the
 * communicator and on bytes: ranks may give the same data by different types and counts, so that
 * nothing but its size is common to them. */
#include "inject/inject.h"
#include "inject/shadow.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool replace_start(const char *name, const char *latencies)
{
    (void)latencies;
    if (!strcmp(name, "native"))
        return false;
    inject.bcast = bcast_find(name);
    if (!inject.bcast && layer.rank == 0)
        layer_say("there is no broadcast algorithm '%s': `collbench-bcast --help` lists them; "
                  "the application runs with the library's",
                  name);
    return inject.bcast != NULL;
}

/* Whether COUNT elements lie in memory as their bytes in order. Predefined types do, except
 * those for MPI_MINLOC and the like, which have holes. */
static bool is_plain(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Count size;
    MPI_Count bound, extent;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &bound, &extent);
    return combiner == MPI_COMBINER_NAMED && size == extent;
}

static int broadcast_packed(struct shadow *s, const struct bcast *b, void *buffer, int count,
                            MPI_Datatype type, int root, int bytes)
{
    int at = 0, room = 0, rc = PMPI_Pack_size(count, type, s->comm, &room);
    char *packed = malloc((size_t)(room > bytes ? room : bytes) + 1);
    if (rc || !packed) {
        free(packed);
        return rc ? rc : MPI_ERR_NO_MEM;
    }
    if (s->rank == root)
        rc = PMPI_Pack(buffer, count, type, packed, room, &at, s->comm);
    if (!rc)
        rc = b->run(packed, bytes, MPI_BYTE, root, s->comm, b->arg);
    at = 0;
    if (!rc && s->rank != root)
        rc = PMPI_Unpack(packed, bytes, &at, buffer, count, type, s->comm);
    free(packed);
    return rc;
}

int replace_broadcast(struct shadow *s, void *buffer, int count, MPI_Datatype type, int root,
                      MPI_Comm comm)
{
    const struct bcast *b = inject.bcast;
    if (!b)
        return PMPI_Bcast(buffer, count, type, root, comm);
    uint64_t bytes = call_bytes(count, type);
    if (bytes == 0)
        return MPI_SUCCESS;
    int rc = is_plain(type)
                 ? b->run(buffer, (int)bytes, MPI_BYTE, root, s->comm, b->arg)
                 : broadcast_packed(s, b, buffer, count, type, root, (int)bytes);
    if (rc)
        PMPI_Comm_call_errhandler(comm, rc);
    return rc;
}

void replace_close(struct shadow *s)
{
    (void)s;
}
