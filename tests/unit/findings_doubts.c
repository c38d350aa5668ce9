/* Protects the findings that say why figures may be wrong or incomplete, and how ranks ended. */
#include "made_findings.h"
#include "unit.h"

Test(findings, what_is_missing)
{
    static const struct {
        const char *key;
        double count;
        size_t ranks;
    } counts[] = {{"record_full", 10, 2}, {"failed_calls", 3, 0}};
    struct profile *p = profile_new();
    for (int r = 0; r < 3; r++) {
        struct profile_rank *rank = PUSH(&p->ranks);
        *rank = (struct profile_rank){.rank = r, .state = LEDGER_FINALIZED, .calls = 1};
        rank->dropped[LEDGER_SITES] = r == 1 ? 3 : 0;
        rank->dropped[LEDGER_ENTRIES] = r == 1 ? 1 : 0;
        rank->dropped[LEDGER_INSTANCES] = 99; /* some are kept, as it is intended */
        rank->dropped[LEDGER_SAMPLES] = 99;
        rank->untracked_requests = r == 1 ? 5 : 0;
        rank->grow_error = r == 2;
    }
    uint64_t histogram[HISTOGRAM_BUCKETS] = {[1] = 6};
    profile_add_entry(p, &(struct profile_entry){
                             .site = PROFILE_NONE,
                             .operation = profile_add_operation(p, "MPI_Bcast", FAMILY_COLLECTIVE),
                             .comm = PROFILE_NONE,
                             .region = PROFILE_NONE,
                             .calls = 6,
                             .errors = 3,
                             .histogram = histogram});
    struct document *d RELEASED(document_end) = findings_of(p);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const json_t *f = found(d, counts[i].key), *numbers = json_object_get(f, "numbers");
        size_t ranks = json_array_size(json_object_get(f, "ranks"));
        double count = json_number_value(json_object_get(numbers, "count"));
        cr_expect_eq(count, counts[i].count, "%s", counts[i].key);
        cr_expect_eq(ranks, counts[i].ranks, "%s", counts[i].key);
    }
    cr_expect_null(found(d, "spawned"));
}

Test(findings, ranks_that_ended_alike_are_one)
{
    static const uint32_t state[] = {LEDGER_ABORTED,   LEDGER_FINALIZED, LEDGER_SIGNALLED,
                                     LEDGER_SIGNALLED, LEDGER_EXITED,    LEDGER_SIGNALLED};
    static const int32_t detail[] = {7, 0, 15, 15, 0, 9};
    static const char *const said[] = {"rank 0: called MPI_Abort with error code 7",
                                       "ranks 2, 3: ended by signal 15", "rank 4: exited without",
                                       "rank 5: ended by signal 9"};
    struct profile *p = profile_new();
    for (int r = 0; r < 6; r++)
        *PUSH(&p->ranks) = (struct profile_rank){.rank = r,
                                                 .state = state[r],
                                                 .state_detail = detail[r],
                                                 .calls = 1,
                                                 .wall = 1,
                                                 .delayed_ns = r == 1 ? (int64_t)ns(0.9) : 0};
    struct document *d RELEASED(document_end) = findings_of(p);
    cr_expect_not_null(found(d, "cpu_contention")); /* so that times are not judged */
    for (size_t i = 0; i < 5; i++) {
        const json_t *f = json_array_get(document_finding_list(d), i);
        const char *key = json_string_value(json_object_get(f, "key"));
        cr_expect_eq(!strcmp(key, "rank_ended"), i < 4, "%s", key);
        if (i == 4)
            continue;
        cr_expect_not_null(strstr(json_string_value(json_object_get(f, "text")), said[i]), "%s",
                           said[i]);
    }
}

/* Errors that calls returned come before what costs time, with the call site that has most.
 * Processes that the run started are not in it. */
Test(findings, failed_calls_of_several_call_sites)
{
    static const uint64_t errors[] = {2, 5, 0, 1};
    struct profile *p = made(&(struct known){.mpi = {0.4, 0}});
    for (uint32_t i = 0; i < 4; i++)
        profile_add_entry(
            p, &(struct profile_entry){
                   .site = site_in_line(p, 20 + i),
                   .operation = profile_add_operation(p, i == 3 ? "MPI_Comm_spawn" : "MPI_Send", 0),
                   .comm = PROFILE_NONE,
                   .region = PROFILE_NONE,
                   .calls = 9,
                   .errors = errors[i]});
    struct document *d RELEASED(document_end) = findings_of(p);
    cr_expect_eq(json_array_get(document_finding_list(d), 0), found(d, "failed_calls"));
    cr_expect_not_null(found(d, "spawned"));
    cr_expect_str_eq(text_in(d, "failed_calls", "text"),
                     "8 calls returned an error: MPI_Send at solve.c:21 solve most often.");
}
