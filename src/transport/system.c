/* Wraps functions of the C library by which MPI or its transport (such as UCX) exchanges data.
 * Calls by the application are reported as well, with transport_event.ours false. */
#include "transport/watch.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Whether the return address PLACE is in MPI's or its transport's code. Results are cached. */
static bool called_by_mpi(void *place)
{
    static struct {
        void *place;
        bool yes;
    } known[64];
    size_t i = ((uintptr_t)place >> 2) % (sizeof known / sizeof *known);
    Dl_info info;
    if (__atomic_load_n(&known[i].place, __ATOMIC_ACQUIRE) == place)
        return known[i].yes;
    bool yes = dladdr(place, &info) && info.dli_fname && transport_is_of_mpi(info.dli_fname);
    if (!known[i].place) { /* of two addresses for one slot, the first is cached */
        known[i].yes = yes;
        __atomic_store_n(&known[i].place, place, __ATOMIC_RELEASE);
    }
    return yes;
}

static void tell(enum transport_kind kind, uint64_t from, ssize_t moved, void *place)
{
    if (moved <= 0)
        return;
    transport_record(&(struct transport_event){.from = from,
                                               .to = transport_now(),
                                               .bytes = (uint64_t)moved,
                                               .kind = (uint8_t)kind,
                                               .ours = called_by_mpi(place)});
}

/* Defines the wrapper of function NAME. PARAMETERS have types; then follow their names alone. */
#define WATCHED(name, kind, parameters, ...)                                                       \
    EXPORT ssize_t name parameters                                                                 \
    {                                                                                              \
        NEXT(name, NULL)                                                                           \
        if (LIKELY(!transport_listens()))                                                          \
            return next(__VA_ARGS__);                                                              \
        uint64_t from = transport_now();                                                           \
        ssize_t moved = next(__VA_ARGS__);                                                         \
        tell(kind, from, moved, __builtin_return_address(0));                                      \
        return moved;                                                                              \
    }

WATCHED(process_vm_readv, TRANSPORT_COPY,
        (pid_t pid, const struct iovec *local, unsigned long n, const struct iovec *remote,
         unsigned long m, unsigned long flags),
        pid, local, n, remote, m, flags)
WATCHED(process_vm_writev, TRANSPORT_COPY,
        (pid_t pid, const struct iovec *local, unsigned long n, const struct iovec *remote,
         unsigned long m, unsigned long flags),
        pid, local, n, remote, m, flags)
WATCHED(writev, TRANSPORT_WROTE, (int fd, const struct iovec *from_here, int n), fd, from_here, n)
WATCHED(readv, TRANSPORT_READ, (int fd, const struct iovec *to_here, int n), fd, to_here, n)
WATCHED(sendmsg, TRANSPORT_WROTE, (int fd, const struct msghdr *message, int flags), fd, message,
        flags)
WATCHED(recvmsg, TRANSPORT_READ, (int fd, struct msghdr *message, int flags), fd, message, flags)
WATCHED(send, TRANSPORT_WROTE, (int fd, const void *data, size_t size, int flags), fd, data, size,
        flags)
WATCHED(recv, TRANSPORT_READ, (int fd, void *data, size_t size, int flags), fd, data, size, flags)
