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

Test(moments, every_50_ms_the_last_and_the_one_before_it)
{
    header->ticks_per_second = 1e9;
    header->n_moments = 5;
    uint64_t from = clock_ticks(), due;
    noise_watch();
    cr_assert_eq(header->n_moments, 0);
    due = layer.look_at;
    cr_assert(due >= from + 50000000 && due <= clock_ticks() + 50000000);
    layer.look(due - 1);
    cr_assert_eq(header->n_moments, 0);
    for (uint32_t i = 1; i <= 5; i++) {
        layer.look(due + 7); /* a call comes when it comes */
        cr_assert_eq(header->n_moments, i);
        cr_assert_eq(header->moment[i % LEDGER_MOMENTS].ticks, due + 7);
        cr_assert_eq(layer.look_at, due + 50000007);
        due = layer.look_at;
    }
    cr_assert_eq(header->moment[4 % LEDGER_MOMENTS].ticks, due - 50000007 * 2 + 7);
}

Test(moments, none_of_a_simulated_run)
{
    header->ticks_per_second = 1e9;
    clock_source = CLOCK_SOURCE_EXTERNAL;
    noise_watch();
    cr_assert_eq(layer.look_at, UINT64_MAX);
}
