/* Protects the record that outlives a crash: that it reads back, grows, touches nothing that was
 * there, and that files which are not such a record, or only part of one, or forged, are refused
 * with a reason instead of a crash. */
#include "made_ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>

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
    made_ledger(&w, scratch(), 1, 2);
    struct ledger_header *h = w.header;
    cr_assert_geq(h->section[LEDGER_ENTRIES].capacity, 700);
    cr_assert_geq(h->section[LEDGER_INSTANCES].capacity, 4000);
    w.entries[3].calls = 42;
    h->section[LEDGER_ENTRIES].count = 4;
    /* No close: the writer may have been killed. */
    cr_assert_null(ledger_open(&r, scratch(), LEDGER_ALL));
    cr_assert_eq(r.entries[3].calls, 42);
    cr_assert_str_eq(ledger_text(&r, r.modules[0].path), "/nowhere/application");
    ledger_close(&r);
    ledger_close(&w);
}

/* Elements stay where they are, and are read back. */
Test(ledger, a_section_grows_to_its_limit, .fini = cleanup)
{
    struct ledger w, r;
    made_ledger(&w, scratch(), 0, 1);
    struct ledger_table *t = &w.header->section[LEDGER_SITES];
    uint32_t first = t->capacity;
    const struct ledger_site *where = w.sites;
    while (ledger_grow(&w, LEDGER_SITES)) {
        w.sites[t->count].frame[0].address = t->count;
        t->count++;
    }
    cr_assert_eq(w.sites, where);
    cr_assert_eq(t->count, t->limit);
    cr_assert_eq(t->count, 16 * first);
    w.modules[0].high = 77; /* no section has run into another */
    cr_assert_null(ledger_open(&r, scratch(), LEDGER_ALL));
    cr_assert_eq(r.header->section[LEDGER_SITES].count, t->count);
    for (uint32_t i = 3; i < t->count; i++)
        cr_assert_eq(r.sites[i].frame[0].address, i);
    cr_assert_eq(r.modules[0].high, 77);
    ledger_close(&r);
    ledger_close(&w);
}

/* With its file, and where that has gone or been replaced, which is left untouched. */
Test(ledger, growing_without_its_file, .fini = cleanup)
{
    struct ledger l;
    made_ledger(&l, scratch(), 0, 1);
    cr_assert(ledger_extend(&l, LEDGER_ENTRIES));
    l.entries[l.header->section[LEDGER_ENTRIES].capacity - 1].calls = 1;
    ledger_close(&l);
    made_ledger(&l, scratch(), 0, 1);
    unlink(scratch());
    FILE *f = fopen(scratch(), "w");
    fclose(f);
    cr_assert_eq(l.header->grow_error, 0);
    cr_assert(!ledger_extend(&l, LEDGER_ENTRIES));
    cr_assert_eq(l.header->grow_error, ENOENT);
    struct stat st;
    cr_assert_eq(stat(scratch(), &st), 0);
    cr_assert_eq(st.st_size, 0);
    ledger_close(&l);
}

Test(ledger, sections_do_not_overlap)
{
    for (size_t bytes = 512 << 10; bytes <= (size_t)64 << 20; bytes *= 2) {
        struct ledger l;
        cr_assert_eq(ledger_create(&l, AT_FDCWD, scratch(), bytes, 500), 0);
        unlink(scratch());
        uint64_t end = sizeof *l.header, all = end;
        for (int s = 0; s < LEDGER_SECTIONS; s++) {
            const struct ledger_table *t = &l.header->section[s];
            cr_assert_geq(t->offset, end);
            cr_assert_gt(t->capacity, 0);
            cr_assert_geq(t->limit, t->capacity);
            end = t->offset + (uint64_t)t->limit * t->element_size;
            all += (uint64_t)t->capacity * t->element_size;
        }
        cr_assert_leq(end, l.mapped);
        cr_assert_leq(all, bytes + bytes / 7);
        ledger_close(&l);
    }
}

Test(ledger, foreign_and_truncated_files_are_refused, .fini = cleanup)
{
    struct ledger w, r;
    made_ledger(&w, scratch(), 0, 1);
    ledger_close(&w);
    cr_assert_eq(truncate(scratch(), 4096), 0);
    cr_assert_str_eq(ledger_open(&r, scratch(), LEDGER_ALL), "a truncated record");
    cr_assert_eq(truncate(scratch(), 0), 0);
    cr_assert_not_null(ledger_open(&r, scratch(), LEDGER_ALL));
    FILE *f = fopen(scratch(), "w");
    for (int i = 0; i < 100000; i++)
        fputs("nonsense", f);
    fclose(f);
    cr_assert_str_eq(ledger_open(&r, scratch(), LEDGER_ALL), "not a record of collprof");
    cr_assert_not_null(ledger_open(&r, "/nonexistent/ledger", LEDGER_ALL));
    unlink(scratch());
    cr_assert_eq(mkfifo(scratch(), 0600), 0);
    cr_assert_str_eq(ledger_open(&r, scratch(), LEDGER_ALL), "not a regular file");
}

/* The N-th forgery; false: there are no more. */
static bool forge(struct ledger *l, int n)
{
    struct ledger_header *h = l->header;
    struct ledger_table *entries = &h->section[LEDGER_ENTRIES];
    switch (n) {
    case 0: /* a table beyond the file */
        entries->offset = l->mapped - 64;
        break;
    case 1: /* one whose end is before its beginning */
        entries->offset = UINT64_MAX - 4095;
        break;
    case 2: /* the same bytes twice */
        for (int s = LEDGER_CALLS; s < LEDGER_SECTIONS; s++) {
            h->section[s].offset = 0;
            h->section[s].count = (uint32_t)(l->mapped / 4 / h->section[s].element_size);
        }
        break;
    case 3: /* elements of another version */
        entries->element_size += 8;
        break;
    case 4:
        h->section[LEDGER_INSTANCES].count = UINT32_MAX;
        break;
    case 5:
        l->sites[1].depth = LEDGER_MAX_DEPTH + 1;
        break;
    case 6:
        l->sites[1].frame[0].module = 12345;
        break;
    case 7:
        made_calls(l, 99, OP_BCAST, 8, 1, 1);
        break;
    case 8:
        made_calls(l, 1, OP_BCAST, 8, 1, 1)->size_class = 200;
        break;
    case 9:
        l->modules[0].path = 1u << 30;
        break;
    case 10:
        h->size = -5;
        break;
    case 11:
        h->rank = h->size;
        break;
    case 12:
        h->started_unix = strtod("nan", NULL);
        break;
    case 13:
        h->state = LEDGER_STATES;
        break;
    case 14: /* a name that ends JSON's string, and one without an end */
        strcpy(l->operations[1].name, "\"},{\"ph\":\"X");
        break;
    case 15:
        memset(l->operations[1].name, 'x', sizeof l->operations[1].name);
        break;
    default:
        return false;
    }
    return true;
}

Test(ledger, forged_records_are_refused, .fini = cleanup)
{
    bool more = true;
    for (int i = 0; more; i++) {
        struct ledger w, r;
        made_ledger(&w, scratch(), 0, 1);
        cr_assert_null(ledger_open(&r, scratch(), LEDGER_ALL));
        ledger_close(&r);
        more = forge(&w, i);
        const char *fault = ledger_open(&r, scratch(), LEDGER_ALL);
        cr_assert_eq(fault != NULL, more, "forgery %d", i);
        cr_assert(!more || !strncmp(fault, "a damaged record: ", 18), "%s", fault);
        cr_assert(!more || !r.header);
        ledger_close(&r);
        ledger_close(&w);
    }
}

/* Neither a file nor what a link points to is overwritten. */
Test(ledger, only_new_files_are_written, .fini = cleanup)
{
    struct ledger l;
    FILE *f = fopen(scratch(), "w");
    fputs("precious", f);
    fclose(f);
    cr_assert_eq(ledger_create(&l, AT_FDCWD, scratch(), 1 << 20, 400), EEXIST);
    unlink(scratch());
    cr_assert_eq(symlink("/tmp/collprof-nowhere", scratch()), 0);
    cr_assert_eq(ledger_create(&l, AT_FDCWD, scratch(), 1 << 20, 400), EEXIST);
    cr_assert_eq(access("/tmp/collprof-nowhere", F_OK), -1);
    cr_assert_eq(ledger_create(&l, AT_FDCWD, "/nonexistent/ledger", 1 << 20, 400), ENOENT);
    cr_assert_null(l.header);
}

/* Beyond ulimit -f a write would end the process by SIGXFSZ. A record grows as far as it may. */
Test(ledger, a_limit_of_file_size_is_an_error, .fini = cleanup)
{
    struct ledger l;
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){65536, 1 << 22});
    cr_assert_eq(ledger_create(&l, AT_FDCWD, scratch(), 1 << 20, 400), EFBIG);
    cr_assert_eq(access(scratch(), F_OK), -1);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 22, 1 << 22});
    cr_assert_eq(ledger_create(&l, AT_FDCWD, scratch(), 1 << 20, 400), 0);
    cr_assert(ledger_extend(&l, LEDGER_EVENTS));
    for (int section = 0; section < LEDGER_SECTIONS; section++)
        while (ledger_extend(&l, (enum ledger_section)section))
            ;
    struct stat st;
    cr_assert_eq(stat(scratch(), &st), 0);
    cr_assert_leq(st.st_size, 1 << 22);
    ledger_close(&l);
}

static void on_alarm(int number)
{
    (void)number;
}

/* On tmpfs a signal ends an allocation. */
Test(ledger, a_timer_of_the_application_does_not_matter)
{
    struct ledger l;
    char path[64];
    const struct itimerval each = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    if (access("/dev/shm", W_OK))
        return;
    snprintf(path, sizeof path, "/dev/shm/collprof-ledger-test.%d", (int)getpid());
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &each, NULL);
    const int error = ledger_create(&l, AT_FDCWD, path, (size_t)16 << 20, 400);
    const bool grows = !error && ledger_extend(&l, LEDGER_ENTRIES);
    setitimer(ITIMER_REAL, &never, NULL);
    unlink(path);
    cr_assert_eq(error, 0);
    cr_assert(grows);
    ledger_close(&l);
}

Test(ledger, a_table_grows_to_its_limit)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    struct ledger_table *t = &l.header->section[LEDGER_CHANNELS];
    for (int i = 0; i < 64 && ledger_extend(&l, LEDGER_CHANNELS); i++)
        cr_assert_leq(t->capacity, t->limit);
    uint32_t capacity = t->capacity;
    cr_assert(!ledger_extend(&l, LEDGER_CHANNELS) && t->capacity == capacity);
    t = &l.header->section[LEDGER_SITES];
    t->limit = capacity = t->capacity;
    cr_assert(!ledger_extend(&l, LEDGER_SITES) && t->capacity == capacity);
    ledger_close(&l);
}
