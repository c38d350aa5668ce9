/* Protects the directory of a run: which one it is, that what is not ours or in use is left alone,
 * what of earlier runs goes, and what of them is kept, under which name. */
#include "layer/place.h"
#include "made_ledger.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char top[] = "/tmp/collprof-place-test.XXXXXX";

static void enter(void)
{
    if (!mkdtemp(top) || chdir(top))
        abort();
}

static void leave(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", top);
    if (system(command))
        abort();
}
TestSuite(place, .init = enter, .fini = leave);

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    fputs(text, f);
    fclose(f);
}

static bool is_there(const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0;
}

/* The record of a process that is gone, or of this one; changed at noon of 2001-02-03, and NTH s.
 */
static void record(const char *path, int rank, uint64_t run, bool living, int nth)
{
    struct ledger l;
    struct timespec noon[2] = {{.tv_sec = 981201600 + nth}, {.tv_sec = 981201600 + nth}};
    made_ledger(&l, path, rank, 4);
    gethostname(l.header->host, sizeof l.header->host);
    l.header->run_id = run;
    if (living) {
        l.header->pid = getpid();
        l.header->state = LEDGER_RUNNING;
        memset(l.header->program, 0, sizeof l.header->program);
        cr_assert(readlink("/proc/self/exe", l.header->program, sizeof l.header->program - 1) > 0);
    }
    ledger_close(&l);
    utimensat(AT_FDCWD, path, noon, 0);
}

Test(place, the_first_that_is_free)
{
    struct place p, second, third, other;
    char real[5000];
    cr_assert_null(place_claim(&p, "a/b/out//", 0));
    cr_assert_str_eq(p.shown, "a/b/out");
    cr_assert(p.number == 0 && !p.why && p.claim >= 200);
    snprintf(real, sizeof real, "%s/a/b/out", top);
    cr_assert_str_eq(p.path, real);
    cr_assert_null(place_claim(&second, "a/b/out", 0));
    cr_assert_str_eq(second.shown, "a/b/out-2");
    cr_assert_str_eq(second.why, "is in use by another run");
    cr_assert_null(place_claim(&third, "a/b/out", 0));
    cr_assert_str_eq(third.shown, "a/b/out-3");
    cr_assert_null(place_join(&other, "a/b/out/", 2));
    cr_assert(!strcmp(other.shown, "a/b/out-2") && other.claim == -1 && other.number == 2);
    /* Who ends, leaves it. */
    close(second.claim);
    cr_assert_null(place_claim(&other, "a/b/out", 0));
    cr_assert_eq(other.number, 2);
    /* Beside ".", not in it. */
    cr_assert(!mkdir("here", 0700) && !chdir("here"));
    cr_assert(!place_claim(&p, ".", 0) && !place_claim(&second, ".", 0));
    cr_assert(is_there("../here-2") && !is_there(".-2"));
}

Test(place, what_is_not_ours)
{
    static const struct {
        const char *text;
        unsigned number;
    } profiles[] = {
        {"{\"schema\": \"collprof-profile/7\"", 0}, {"{\"name\": \"theirs\"", 2}, {"", 0}};
    for (size_t i = 0; i < sizeof profiles / sizeof *profiles; i++) {
        struct place p;
        char directory[16], path[64];
        snprintf(directory, sizeof directory, "mine%zu", i);
        snprintf(path, sizeof path, "%s/profile.json", directory);
        cr_assert(!mkdir(directory, 0700));
        put(path, profiles[i].text);
        cr_assert_null(place_claim(&p, directory, 0));
        cr_assert_eq(p.number, profiles[i].number, "%s", profiles[i].text);
        if (p.number)
            cr_assert_str_eq(p.why, "holds a profile.json that collprof has not written");
        place_clear(&p, 0, 4, true);
        cr_assert_eq(is_there(path), p.number != 0);
        close(p.claim);
        if (p.number) { /* nor does it go where somebody names that directory */
            cr_assert_null(place_join(&p, directory, 0));
            place_clear(&p, 0, 4, true);
            cr_assert(is_there(path));
        }
    }
    cr_assert(!symlink("nowhere", "mine0/link") && !unlink("mine1/profile.json"));
    cr_assert(!symlink("../mine0/link", "mine1/profile.json"));
    struct place p;
    cr_assert_null(place_claim(&p, "mine1", 0));
    cr_assert_eq(p.number, 2);
}

Test(place, what_somebody_else_could_change)
{
    struct place p;
    cr_assert(!mkdir("open", 0700) && !chmod("open", 0777));
    const char *fault = place_claim(&p, "open", 0);
    cr_assert(fault && strstr(fault, "everybody may write there"), "%s", fault);
    cr_assert(!*p.path);
    cr_assert(!chmod("open", 01777) && !place_claim(&p, "open", 0)); /* as /tmp */
    put("file", "");
    fault = place_claim(&p, "file", 0);
    cr_assert(fault && !strcmp(fault, strerror(ENOTDIR)), "%s", fault);
    fault = place_claim(&p, "file/below", 0);
    cr_assert(fault && !strcmp(fault, strerror(ENOTDIR)), "%s", fault);
    if (geteuid() != 0)
        return;
    cr_assert(!mkdir("theirs", 0700) && !chown("theirs", 12345, 12345));
    fault = place_claim(&p, "theirs", 0);
    cr_assert(fault && strstr(fault, "belongs to another user"), "%s", fault);
    cr_assert(!symlink("open", "link") && !lchown("link", 12345, 12345));
    fault = place_claim(&p, "link", 0);
    cr_assert(fault && strstr(fault, "it is a link of another user"), "%s", fault);
}

Test(place, gone_and_made_again)
{
    struct place p;
    int fd;
    cr_assert_null(place_claim(&p, "out", 0));
    cr_assert((fd = place_open(&p)) >= 0 && !close(fd));
    cr_assert(!rename("out", "moved") && !mkdir("out", 0700));
    cr_assert(place_open(&p) == -1 && errno == ENOENT);
    place_make_parents("deep/er/file");
    cr_assert(is_there("deep/er") && !is_there("deep/er/file"));
}

Test(place, records_of_earlier_runs_go)
{
    struct place p;
    char path[PLACE_RECORD];
    cr_assert_null(place_claim(&p, "out", 0));
    place_record(&p, path, 3, 0x123456789abcdef0);
    cr_assert(strstr(path, "/out/rank-000003-") && strstr(path, "-88888888.ledger"), "%s", path);
    record("out/rank-000001-00000001.ledger", 1, 5, false, 0);
    record("out/rank-000002-00000001.ledger", 2, 5, false, 0);
    record("out/rank-000003-00000001.ledger", 3, 5, true, 0);
    put("out/rank-000004-00000001.ledger", "no record");
    put("out/profile.json", "{\"schema\": \"collprof-profile/7\"");
    place_clear(&p, 1, 2, false); /* its own alone */
    cr_assert(!is_there("out/rank-000001-00000001.ledger") &&
              is_there("out/rank-000002-00000001.ledger") && is_there("out/profile.json"));
    place_clear(&p, 0, 2, true); /* and those that no rank of this run stands for */
    cr_assert(!is_there("out/rank-000002-00000001.ledger") && !is_there("out/profile.json"));
    cr_assert(is_there("out/rank-000003-00000001.ledger") &&
              is_there("out/rank-000004-00000001.ledger"));
}

/* Processes that do not talk know by its record which run is in a directory. */
Test(place, ranks_that_do_not_talk)
{
    struct place first, second, other;
    cr_assert(!place_claim(&first, "out", 5) && first.number == 0);
    record("out/rank-000000-00000001.ledger", 0, 5, true, 0);
    place_settled(&first);
    cr_assert(!place_claim(&second, "out", 5) && second.number == 0);
    cr_assert(!place_claim(&other, "out", 6) && other.number == 2);
}

Test(place, other_runs_beside)
{
    struct place p;
    char list[100];
    struct timespec long_ago[2] = {{.tv_sec = 981201600}, {.tv_sec = 981201600}};
    cr_assert_null(place_claim(&p, "out", 0));
    double now = (double)time(NULL);
    cr_assert(!place_others(&p, now, list, sizeof list) && !*list);
    cr_assert(!mkdir("out-2", 0700) && !mkdir("out-3", 0700) && !mkdir("out-12", 0700));
    put("out-4", "");
    cr_assert(!utimensat(AT_FDCWD, "out-3", long_ago, 0));
    cr_assert(place_others(&p, now, list, sizeof list));
    cr_assert_str_eq(list, "out-2, out-12");
}

static void a_run(int nth)
{
    record("out/rank-000000-00000001.ledger", 0, 5, false, nth);
    record("out/rank-000001-00000001.ledger", 1, 5, false, nth - 1);
    put("out/own.txt", "");
}

Test(place, an_earlier_run_is_kept)
{
    static const struct {
        int nth;
        long most;
        const char *name; /* that it gets */
    } runs[] = {{0, 9, "before-20010203-120000"},
                {0, 9, "before-20010203-120000-2"},
                {7, 9, "before-20010203-120007"},
                {0, 9, "before-20010203-120000-3"},
                {9, 3, "before-20010203-120009"}};
    struct place p;
    char name[PLACE_KEPT], path[100];
    cr_assert_null(place_claim(&p, "out", 0));
    put("out/own.txt", "");
    cr_assert(!place_keep(&p, 0, 9, name) && !*name); /* there is none */
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        a_run(runs[i].nth);
        if (i == 2)
            put("out/before-20010203-120000-2/picture.svg", "");
        if (i == 3) /* the user may remove or rename one, whose number is not given again */
            cr_assert(!rename("out/before-20010203-120000", "out/first"));
        cr_assert(place_keep(&p, 0, runs[i].most, name));
        cr_assert_str_eq(name, runs[i].name);
        snprintf(path, sizeof path, "out/%s/rank-000001-00000001.ledger", name);
        cr_assert(is_there(path) && !is_there("out/rank-000001-00000001.ledger"));
        cr_assert(is_there("out/own.txt"));
    }
    /* The three latest are left; what the user has put in, too. */
    cr_assert(is_there("out/before-20010203-120000-3") && is_there("out/before-20010203-120007"));
    cr_assert(is_there("out/before-20010203-120000-2/picture.svg") &&
              !is_there("out/before-20010203-120000-2/rank-000000-00000001.ledger"));
}

Test(place, what_may_be_living_is_not_moved)
{
    struct place p;
    char name[PLACE_KEPT];
    cr_assert_null(place_claim(&p, "out", 0));
    a_run(0);
    cr_assert(!place_keep(&p, 0, 0, name)); /* none is to be kept */
    cr_assert(!place_keep(&p, 5, 9, name)); /* those of this run are no earlier one's */
    record("out/rank-000002-00000001.ledger", 2, 5, true, 0);
    cr_assert(!place_keep(&p, 0, 9, name));
    cr_assert(is_there("out/rank-000001-00000001.ledger"));
}
