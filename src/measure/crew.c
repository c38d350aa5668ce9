#include "measure/crew.h"

#include "base/try.h"

#include <stdlib.h>
#include <string.h>

int crew_agree(MPI_Comm comm, bool have)
{
    int mine = have, all = 0;
    TRY(PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm));
    return all ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void *crew_buffer(size_t bytes)
{
    void *buffer = malloc(bytes + 1);
    return buffer ? memset(buffer, 1, bytes + 1) : NULL;
}

void crew_write_anew(void *buffer, size_t bytes)
{
    enum { LINE = 64 };
    volatile char *data = buffer;
    for (size_t i = 0; i < bytes; i += LINE)
        data[i] = data[i];
    if (bytes)
        data[bytes - 1] = data[bytes - 1];
    /* Stores still under way would be paid for by the operation. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
