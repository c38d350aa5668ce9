/* A layer that records into a ledger of its own: the fixtures of a suite. */
#pragma once

#include "record/layer.h"
#include "unit.h"

#include <fcntl.h>

static void layer_make(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/collprof-record-%d.ledger", (int)getpid());
    unlink(path); /* of a test that crashed */
    cr_assert_eq(ledger_create(&layer.ledger, AT_FDCWD, path, 512 << 10, 100), 0);
    cr_assert_eq(layer_tables_start(), 0);
    layer.ns_per_tick = 1ull << 32;
}

static void layer_remove(void)
{
    unlink(layer.ledger.path);
    ledger_close(&layer.ledger);
}
