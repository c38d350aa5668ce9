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

Test(moments, every_50_ms)
{
    header->ticks_per_second = 1e9;
    uint64_t from = clock_ticks(), due;
    noise_watch();
    due = layer.look_at;
    cr_assert(due >= from + 50000000 && due <= clock_ticks() + 50000000);
    layer.look(due - 1);
    cr_assert_eq(header->noise[1].cpu_ns, 0);
    for (int64_t i = 1, last = 0; i <= 5; i++) {
        layer.look(due + 7); /* a call comes when it comes */
        cr_assert_gt(header->noise[1].cpu_ns, last);
        last = header->noise[1].cpu_ns;
        cr_assert_eq(layer.look_at, due + 50000007);
        due = layer.look_at;
    }
}

Test(moments, none_of_a_simulated_run)
{
    header->ticks_per_second = 1e9;
    clock_source = CLOCK_SOURCE_EXTERNAL;
    noise_watch();
    cr_assert_eq(layer.look_at, UINT64_MAX);
}
