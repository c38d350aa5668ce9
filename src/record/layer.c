#include "record/layer.h"

#include <stdlib.h>
#include <unistd.h>

struct layer layer = {
    .comm = MPI_COMM_NULL, .world = MPI_GROUP_NULL, .lock = PTHREAD_MUTEX_INITIALIZER};
PER_THREAD struct thread thread;
void (*layer_thread_ends)(void);

static pthread_key_t end_key;

/* Frees what the ending thread owns. Its ledger_call CALL can then be given to another thread. */
static void thread_ends(void *call)
{
    struct ledger_call *c = call;
    if (layer.phase == LAYER_RUNNING)
        __atomic_store_n(&c->thread, 0, __ATOMIC_RELEASE);
    if (layer.phase == LAYER_RUNNING && layer_thread_ends)
        layer_thread_ends();
    free(thread.scratch);
    thread.scratch = NULL;
    thread.scratch_size = 0;
    thread.call = NULL;
}

__attribute__((constructor)) static void make_end_key(void)
{
    pthread_key_create(&end_key, thread_ends);
}

static struct ledger_call *free_call(void)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_CALLS];
    for (uint32_t i = 0; i < t->count; i++)
        if (!__atomic_load_n(&layer.ledger.calls[i].thread, __ATOMIC_ACQUIRE))
            return &layer.ledger.calls[i];
    return ledger_append(&layer.ledger, LEDGER_CALLS, &(struct ledger_call){0});
}

struct ledger_call *thread_call_slot(void)
{
    static struct ledger_call shared;
    pthread_mutex_lock(&layer.lock);
    struct ledger_call *c = free_call();
    if (c)
        *c = (struct ledger_call){.thread = (uint32_t)gettid()};
    else
        c = &shared;
    pthread_mutex_unlock(&layer.lock);
    pthread_setspecific(end_key, c);
    thread.left = clock_ticks();
    return thread.call = c;
}

int layer_tables_start(void)
{
    struct index *const all[] = {&layer.comms,    &layer.sites,    &layer.entries,
                                 &layer.messages, &layer.channels, &layer.samples};
    int error = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all && !error; i++)
        error = index_start(all[i]);
    return error;
}

void *layer_row(struct index *x, uint64_t key, enum ledger_section section, const void *row)
{
    pthread_mutex_lock(&layer.lock);
    void *there = (void *)index_find(x, key);
    if (!there && (there = ledger_append(&layer.ledger, section, row)))
        index_put(x, key, (uintptr_t)there, layer.threaded);
    pthread_mutex_unlock(&layer.lock);
    return there;
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
    return larger;
}
