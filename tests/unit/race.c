/* Threads that call MPI at once, as far as the layer's tables see it. Built with the thread
 * sanitizer, which finds an access that no lock protects whether or not it does harm this time. */
#include "record/counts.h"
#include "record/requests.h"

#include <fcntl.h>
#include <stdio.h>

enum { THREADS = 3, ROUNDS = 20000 };

static pthread_barrier_t together;

static void *work(void *arg)
{
    uint64_t me = (uint64_t)(uintptr_t)arg;
    pthread_barrier_wait(&together);
    for (uint64_t i = 0; i < ROUNDS; i++) {
        struct ledger_entry *e = entry_of(entry_key((uint32_t)(i % 40), 1, 1, 0, 3));
        entry_count(e, i, 4, false);
        request_add(
            &(struct ledger_request){.handle = i % 7, .entry = e, .bytes = me, .active = true});
        struct ledger_request *r = request_claim(i % 7);
        if (r && i % 3 == 0) {
            request_return(r);
            r = request_claim(i % 7);
        }
        if (r)
            request_release(r);
        instance_add(&(struct ledger_instance){.comm_id = me, .sequence = (uint32_t)i});
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    uint64_t calls = 0;
    layer.threaded = true;
    if (ledger_create(&layer.ledger, AT_FDCWD, NULL, LEDGER_MIN_BYTES, 100) ||
        layer_tables_start() || requests_start())
        return 99;
    pthread_barrier_init(&together, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < layer.ledger.header->section[LEDGER_ENTRIES].count; i++)
        calls += layer.ledger.entries[i].calls;
    if (calls != THREADS * ROUNDS)
        printf("%llu calls, not %d\n", (unsigned long long)calls, THREADS * ROUNDS);
    return calls != THREADS * ROUNDS;
}
