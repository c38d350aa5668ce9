/* Protects the record that outlives a crash: that it reads back, and that files which are not
 * such a record, or only part of one, are refused with a reason instead of a crash. */
#include "record/ledger.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static const char *scratch(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/collprof-ledger-test.%d", (int)getpid());
    return path;
}

static void cleanup(void)
{
    unlink(scratch());
}

Test(ledger, reads_back_what_was_written, .fini = cleanup)
{
    struct ledger w, r;
    cr_assert_eq(ledger_create(&w, scratch(), 2 << 20, 400), 0);
    struct ledger_header *h = w.header;
    cr_assert_geq(h->section[LEDGER_ENTRIES].capacity, 700);
    cr_assert_geq(h->section[LEDGER_INSTANCES].capacity, 4000);
    w.entries[3].calls = 42;
    h->section[LEDGER_ENTRIES].count = 4;
    /* No close: the writer may have been killed. */
    cr_assert_null(ledger_open(&r, scratch()));
    cr_assert_eq(r.entries[3].calls, 42);
    ledger_close(&r);
    ledger_close(&w);
}

Test(ledger, sections_do_not_overlap)
{
    for (size_t bytes = LEDGER_MIN_BYTES; bytes <= (size_t)64 << 20; bytes *= 2) {
        struct ledger l;
        cr_assert_eq(ledger_create(&l, NULL, bytes, 500), 0);
        uint64_t end = sizeof *l.header;
        for (int s = 0; s < LEDGER_SECTIONS; s++) {
            cr_assert_geq(l.header->section[s].offset, end);
            cr_assert_gt(l.header->section[s].capacity, 0);
            end = l.header->section[s].offset +
                  (uint64_t)l.header->section[s].capacity * l.header->section[s].element_size;
        }
        cr_assert_leq(end, bytes);
        ledger_close(&l);
    }
}

Test(ledger, foreign_and_truncated_files_are_refused, .fini = cleanup)
{
    struct ledger w, r;
    cr_assert_eq(ledger_create(&w, scratch(), 1 << 20, 400), 0);
    ledger_close(&w);
    cr_assert_eq(truncate(scratch(), 4096), 0);
    cr_assert_str_eq(ledger_open(&r, scratch()), "a truncated record");
    cr_assert_eq(truncate(scratch(), 0), 0);
    cr_assert_not_null(ledger_open(&r, scratch()));
    FILE *f = fopen(scratch(), "w");
    for (int i = 0; i < 100000; i++)
        fputs("nonsense", f);
    fclose(f);
    cr_assert_str_eq(ledger_open(&r, scratch()), "no collprof record");
    cr_assert_not_null(ledger_open(&r, "/nonexistent/ledger"));
}

Test(ledger, an_unwritable_place_gives_its_errno)
{
    struct ledger l;
    cr_assert_eq(ledger_create(&l, "/nonexistent/ledger", 1 << 20, 400), ENOENT);
    cr_assert_null(l.header);
}
