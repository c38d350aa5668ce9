#include "record/layer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct layer layer = {
    .comm = MPI_COMM_NULL, .world = MPI_GROUP_NULL, .lock = PTHREAD_MUTEX_INITIALIZER};
PER_THREAD struct thread thread;

static pthread_key_t scratch_key;
static pthread_once_t scratch_once = PTHREAD_ONCE_INIT;

static void make_scratch_key(void)
{
    pthread_key_create(&scratch_key, free);
}

void *thread_scratch(size_t size)
{
    if (LIKELY(size <= thread.scratch_size))
        return thread.scratch;
    size = size < 4096 ? 4096 : 2 * size;
    void *larger = realloc(thread.scratch, size);
    if (!larger)
        return NULL;
    thread.scratch = larger;
    thread.scratch_size = size;
    pthread_once(&scratch_once, make_scratch_key);
    pthread_setspecific(scratch_key, larger);
    return larger;
}

void layer_say(const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "collprof: %s\n", line);
}
