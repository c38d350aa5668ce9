/* Protects what is read from a directory: the profile of a run, or the records of a crashed one. */
#include "made_profile.h"
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

TestSuite(load, .init = scratch_make, .fini = scratch_remove);

static const char *record_path(int rank)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/rank-%06d.ledger", scratch, rank);
    return path;
}

static void record(struct ledger *l, int rank, int size)
{
    made_ledger(l, record_path(rank), rank, size);
    made_calls(l, 1, OP_BCAST, 1024, 100, 1000);
    made_calls(l, 2, OP_ALLREDUCE, 8, 10, 3000000);
}

/* Records of ranks that ended in every way, one of them missing. */
Test(load, raw_records_of_a_crashed_run)
{
    static const struct {
        uint32_t state;
        int32_t detail;
    } end[] = {{LEDGER_FINALIZED, 0}, {LEDGER_SIGNALLED, 11}, {LEDGER_ABORTED, 7},
               {LEDGER_EXITED, 0},    {LEDGER_RUNNING, 0},    {LEDGER_RUNNING, 0},
               {LEDGER_SIGNALLED, 6}, {LEDGER_SIGNALLED, 11}};
    for (int r = 0; r < 8; r++) {
        struct ledger l;
        record(&l, r, 9);
        l.header->state = end[r].state;
        l.header->state_detail = end[r].detail;
        if (r == 5) { /* lives: it is this process */
            l.header->pid = getpid();
            gethostname(l.header->host, sizeof l.header->host - 1);
            memset(l.header->program, 0, sizeof l.header->program);
            cr_assert(readlink("/proc/self/exe", l.header->program, sizeof l.header->program - 1) >
                      0);
        }
        ledger_close(&l);
    }
    struct profile *p RELEASED(profile_end) = profile_load(scratch);
    cr_assert_not_null(p);
    cr_assert_eq(p->ranks.n, 8);
    cr_assert_eq(p->size, 9);
    for (int r = 0; r < 8; r++)
        cr_expect(p->ranks.at[r].state == (r == 4 ? PROFILE_CUT_OFF : end[r].state) &&
                      p->ranks.at[r].state_detail == end[r].detail,
                  "rank %d", r);
    cr_assert_str_eq(names_at(&state_list, p->ranks.at[4].state), "cut off");
    cr_assert(made_warns(p, "no record of 1 of 9 ranks: 8"));
    cr_assert(made_warns(p, "made from the raw records"));
    cr_assert_eq(p->entries.n, 2);
    cr_assert(!made_warns(p, "rank 0:"));
    cr_assert(p->libraries.n == 1 && p->programs.n == 2);
    cr_expect_str_eq(p->libraries.at[0].text, "MPICH Version: 4.0.2");
    /* The other one is this test; they are sorted, and it may lie anywhere. */
    cr_expect(!strcmp(p->programs.at[0].text, "/nowhere/application") ||
              !strcmp(p->programs.at[1].text, "/nowhere/application"));
}

/* A rank that was killed in a call: how long it was in it is not known, nor its time in MPI. */
Test(load, a_rank_that_was_killed_in_a_call)
{
    for (int r = 0; r < 3; r++) {
        struct ledger l;
        record(&l, r, 3);
        l.header->state = r ? LEDGER_EXITED : LEDGER_RUNNING;
        if (r == 0) {
            l.header->pair[1] = l.header->pair[0];
            l.header->ticks_per_second = 1e9;
            l.calls[0] = (struct ledger_call){.since = l.header->pair[0].ticks + 500000000,
                                              .operation = OP_WAIT,
                                              .peer = 1,
                                              .tag = INT32_MIN,
                                              .root = -1,
                                              .thread = 1};
            l.header->section[LEDGER_CALLS].count = 1;
        }
        ledger_close(&l);
    }
    struct profile *p RELEASED(profile_end) = profile_load(scratch);
    cr_assert_not_null(p);
    cr_assert(p->ranks.at[0].in_call && !p->ranks.at[1].in_call && !p->ranks.at[2].in_call);
    cr_assert_eq(p->ranks.at[0].calls, p->ranks.at[1].calls + 1, "the call was not counted");
    cr_assert_eq(p->ranks.at[0].mpi_ns, p->ranks.at[1].mpi_ns);
}

/* Files that are no whole records are named and left out. */
Test(load, damaged_records)
{
    for (int r = 0; r < 3; r++) {
        struct ledger l;
        record(&l, r, 2);
        ledger_close(&l);
    }
    cr_assert_eq(truncate(record_path(2), 100000), 0);
    struct profile *p RELEASED(profile_end) = profile_load(scratch);
    cr_assert_not_null(p);
    cr_assert_eq(p->ranks.n, 2);
    cr_assert(made_warns(p, "rank-000002.ledger: a damaged record: a table lies outside the file"));
}

/* Ranks that ended before they agreed on a number for their run are of the one in the directory. */
Test(load, ranks_without_a_number)
{
    for (int r = 0; r < 4; r++) {
        struct ledger l;
        record(&l, r, 4);
        l.header->run_id = r % 2 ? l.header->run_id : 0;
        l.header->state = LEDGER_EXITED;
        ledger_close(&l);
    }
    struct profile *p RELEASED(profile_end) = profile_load(scratch);
    cr_assert_not_null(p);
    cr_assert_eq(p->ranks.n, 4);
    cr_assert(made_warns(p, "made from the raw records"));
}

/* A profile stays the truth beside the records that made it. */
Test(load, profile_or_records)
{
    struct ledger l;
    record(&l, 0, 1);
    struct profile *p RELEASED(profile_end) = profile_from_ledger(&l);
    profile_symbolize(p);
    int opened = open(scratch, O_RDONLY | O_DIRECTORY);
    cr_assert_eq(profile_save(p, opened), 0);
    struct profile *saved = profile_load(scratch);
    cr_assert(!saved->crashed);
    profile_free(saved);
    /* What cannot be saved leaves no other file. */
    cr_assert(!unlinkat(opened, "profile.json", 0) && !mkdirat(opened, "profile.json", 0755));
    cr_expect_eq(profile_save(p, opened), EISDIR);
    struct dirent **entries;
    const int n = scandirat(opened, ".", &entries, NULL, NULL);
    cr_expect_eq(n, 4, "., .., a record and a directory");
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    close(opened);
    ledger_close(&l);
}

/* Nothing there: no profile, and no crash. */
Test(load, nothing_to_read)
{
    cr_assert_null(profile_load(scratch));
    cr_assert_null(profile_load("/nonexistent"));
    scratch_write("profile.json",
                  "{\"schema\": \"collprof-profile/4\", \"entries\": [{\"calls\": \"many\"}]}");
    cr_assert_null(profile_load(scratch));
    scratch_write("profile.json", "{\"schema\": \"coll");
    cr_assert_null(profile_load(scratch));
}
