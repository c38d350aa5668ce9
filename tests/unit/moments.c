/* Protects the looks at how undisturbed a run is (how many, and when), and the slots of threads:
 * each has its own, one that has ended leaves it to the next. */
#include "layer/parts.h"
#include "record/layer.h"

#include <criterion/criterion.h>
#include <fcntl.h>

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
