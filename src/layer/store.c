#include "layer/store.h"

#include "base/hash.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* LINE: bytes of a request or answer. TIMEOUT: ms to wait for an answer. */
enum { LINE = 2048, TIMEOUT = 10000 };

static int service = -1;
static char space[256];

/* Sends Hydra a request of one line, and stores the answer in LINE. False: failed or refused. */
__attribute__((format(printf, 2, 3))) static bool ask(char line[LINE], const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t length = (size_t)vsnprintf(line, LINE, format, args), n;
    va_end(args);
    if (length >= LINE || send(service, line, length, MSG_NOSIGNAL) != (ssize_t)length)
        return false;
    for (n = 0; n == 0 || line[n - 1] != '\n';) {
        struct pollfd readable = {service, POLLIN, 0};
        int ready;
        while ((ready = poll(&readable, 1, TIMEOUT)) < 0 && errno == EINTR)
            ;
        ssize_t more = ready == 1 ? recv(service, line + n, LINE - 1 - n, 0) : 0;
        if (more <= 0)
            return false;
        n += (size_t)more;
    }
    line[n] = '\0';
    return !strstr(line, " rc=") || strstr(line, " rc=0");
}

uint64_t pmi_store_open(void)
{
    char line[LINE];
    const char *number = getenv("PMI_FD"), *name;
    /* Only Hydra sets MPI_LOCALNRANKS. Other launchers use PMI_FD with another protocol. */
    if (!*space && getenv("MPI_LOCALNRANKS") && number) {
        service = atoi(number);
        if (!ask(line, "cmd=init pmi_version=1 pmi_subversion=1\n") ||
            !ask(line, "cmd=get_my_kvsname\n") || !(name = strstr(line, " kvsname=")) ||
            sscanf(name, " kvsname=%255s", space) != 1)
            *space = '\0';
    }
    return *space ? hash_bytes(HASH_START, space, strlen(space)) | 1 : 0;
}

bool pmi_store_put(int rank)
{
    char line[LINE];
    return ask(line, "cmd=put kvsname=%s key=collprof-%d value=1\n", space, rank);
}

bool pmi_store_has(int rank)
{
    char line[LINE];
    return ask(line, "cmd=get kvsname=%s key=collprof-%d\n", space, rank) &&
           strstr(line, " value=1");
}
