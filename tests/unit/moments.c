/* Protects the looks at how undisturbed a run is (how many, and when), and the slots of threads:
 * each has its own, one that has ended leaves it to the next. */
#include "layer/life_inner.h"
#include "record/layer.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct ledger_header *header;

static void start(void)
{
    cr_assert_eq(ledger_create(&layer.ledger, AT_FDCWD, NULL, LEDGER_MIN_BYTES, 100), 0);
    header = layer.ledger.header;
    clock_use(NULL, NULL);
    clock_source = CLOCK_SOURCE_MONOTONIC;
}

static void finish(void)
{
    ledger_close(&layer.ledger);
}
TestSuite(moments, .init = start, .fini = finish);

Test(moments, every_50_ms_and_more_rarely_in_a_long_run)
{
    header->ticks_per_second = 1e9;
    header->n_moments = 5;
    uint64_t from = clock_ticks(), half = LEDGER_MOMENTS / 2, due;
    noise_watch();
    cr_assert_eq(header->n_moments, 0);
    due = layer.look_at;
    cr_assert(due >= from + 50000000 && due <= clock_ticks() + 50000000);
    layer.look(due - 1);
    cr_assert_eq(header->n_moments, 0);
    uint64_t first = due;
    for (uint32_t i = 0; i < LEDGER_MOMENTS; i++) {
        layer.look(due + 7); /* a call comes when it comes */
        cr_assert_eq(header->n_moments, i + 1);
        cr_assert_eq(header->moment[i].ticks, due + 7);
        due = layer.look_at;
        cr_assert_eq(due, first + (i + 1) * 50000007ull);
    }
    layer.look(due); /* every second one stays, with the last, and the next come as rarely */
    cr_assert_eq(header->n_moments, half + 1);
    for (uint32_t i = 0; i < half; i++)
        cr_assert_eq(header->moment[i].ticks, first + (2 * i + 1) * 50000007ull + 7);
    cr_assert_eq(header->moment[half].ticks, due);
    cr_assert_eq(layer.look_at, due + 100000000);
    for (uint32_t i = 0; i < half; i++)
        layer.look(layer.look_at);
    cr_assert_eq(header->n_moments, half + 1);
    cr_assert_eq(layer.look_at - header->moment[half].ticks, 200000000);
}

Test(moments, none_of_a_simulated_run)
{
    header->ticks_per_second = 1e9;
    clock_source = CLOCK_SOURCE_EXTERNAL;
    noise_watch();
    cr_assert_eq(layer.look_at, UINT64_MAX);
}

static void *one_thread(void *slot)
{
    struct ledger_call *c = thread_call();
    cr_assert((!c->thread || c->thread == (uint32_t)gettid()) && c == thread.call && !c->since);
    c->since = 7;
    char *scratch = thread_scratch(100);
    cr_assert(scratch && thread_scratch(4096) == scratch);
    memset(scratch, 1, 4096);
    scratch = thread_scratch(5000);
    cr_assert(scratch && scratch[4095] == 1 && thread_scratch(10000) == scratch);
    *(struct ledger_call **)slot = c;
    return NULL;
}

Test(moments, slots_of_threads)
{
    struct ledger_call *mine = thread_call(), *first, *second;
    pthread_t other;
    layer.phase = LAYER_RUNNING;
    for (int i = 0; i < 2; i++) {
        pthread_create(&other, NULL, one_thread, i ? &second : &first);
        pthread_join(other, NULL);
    }
    cr_assert(first == second && first != mine && first->thread == 0);
    cr_assert_eq(mine->thread, (uint32_t)getpid());
    /* Where there is no room, threads share one that nobody reads. */
    struct ledger_table *t = &header->section[LEDGER_CALLS];
    t->capacity = t->count = 1;
    t->limit = 1;
    pthread_create(&other, NULL, one_thread, &second);
    pthread_join(other, NULL);
    cr_assert(second != mine && second != first && t->dropped == 1);
}
