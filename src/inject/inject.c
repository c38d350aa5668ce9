#include "inject/inject.h"

void inject_before(struct call *c, MPI_Comm comm, int root, uint64_t bytes)
{
    (void)comm;
    (void)root;
    (void)bytes;
    c->entry = clock_ticks();
}

bool inject_broadcast(struct call *c, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                      MPI_Comm comm, int *rc)
{
    (void)c;
    (void)buffer;
    (void)count;
    (void)type;
    (void)root;
    (void)comm;
    (void)rc;
    return false;
}
