/* Tuning: what is chosen of algorithms whose times are known, over the fake MPI, and the files that
 * make a library use it. */
#include "fake_mpi.h"
#include "scratch.h"

#include "tune/found.h"
#include "tune/tuner.h"

#include <math.h>

/* --- files --- */

static const struct algorithm ring = {"ring", 4, 0}, cut_ring = {"segmented_ring", 5, 8192};

/* A signature of an operation whose time is 100 us. RATIO: of its two candidates to it, with an
 * interval of 1 %. */
static struct tuned signature(const char *operation, int ranks, size_t bytes, double ratio_ring,
                              double ratio_cut)
{
    const double ratio[] = {1, ratio_ring, ratio_cut};
    struct tuned t = {.operation = tuned_operation_find(operation),
                      .ranks = ranks,
                      .bytes = bytes,
                      .n = 3,
                      .candidate = {{"default", -1, 0}, ring, cut_ring}};
    for (int k = 0; k < 3; k++) {
        t.ratio[k] = (struct estimate){ratio[k], ratio[k] - 0.01, ratio[k] + 0.01};
        t.time[k] = (struct estimate){1e-4 * ratio[k], NAN, NAN};
    }
    return t;
}

/* The set of T[0 .. N-1], for LIBRARY. */
static struct tuned_set set_of(const char *library, const struct tuned *t, size_t n)
{
    struct tuned_set set = {.complete = true};
    strcpy(set.library, library);
    for (size_t i = 0; i < n; i++)
        *PUSH(&set.list) = t[i];
    return set;
}

static const char mpich[] = "MPICH 4.0.2", openmpi[] = "Open MPI v4.1.4";

/* What is written of N signatures that should have COUNT rules. */
static char *written(const char *library, const struct tuned *t, size_t n, size_t count)
{
    struct tuned_set set = set_of(library, t, n);
    struct rules rules = rules_of(&set);
    cr_expect_eq(rules_count(&rules), count);
    char *text = WRITTEN((library == mpich ? rules_mpich_write : rules_openmpi_write)(out, &rules));
    rules_free(&rules);
    free(set.list.at);
    return text;
}

Test(tune, openmpi_rules)
{
    /* In no order. Between 8 and 16 bytes both neighbours agree; from 17 on the library chooses,
     * and from 65 on; sizes of an alltoall are those of all ranks together. */
    const struct tuned t[] = {
        signature("MPI_Alltoall", 4, 8, 0.5, 2),    signature("MPI_Allreduce", 4, 64, 0.9, 0.8),
        signature("MPI_Allreduce", 4, 8, 0.5, 2),   signature("MPI_Allreduce", 4, 16, 0.5, 2),
        signature("MPI_Allreduce", 4, 32, 1, 0.99), signature("MPI_Allreduce", 5, 8, 1, 1),
        signature("MPI_Bcast", 4, 8, 1, 1.5),       signature("MPI_Allreduce", 4, 128, 1, 1),
        signature("MPI_Allreduce", 4, 256, 2, 0.8)};
    FREED char *text = written(openmpi, t, sizeof t / sizeof *t, 5);
    cr_expect_str_eq(text,
                     "2 # operations\n2 # MPI_Allreduce\n4 # numbers of ranks\n"
                     "0 # ranks\n1 # sizes\n0 0 4 0 # the library's choice\n4 # ranks\n"
                     "7 # sizes\n0 0 4 0 # the library's choice\n8 4 4 0 # ring\n"
                     "17 0 4 0 # the library's choice\n64 5 4 8192 # segmented_ring\n"
                     "65 0 4 0 # the library's choice\n256 5 4 8192 # segmented_ring\n"
                     "257 0 4 0 # the library's choice\n5 # ranks\n1 # sizes\n"
                     "0 0 4 0 # the library's choice\n6 # ranks\n1 # sizes\n"
                     "0 0 4 0 # the library's choice\n3 # MPI_Alltoall\n3 # numbers of ranks\n"
                     "0 # ranks\n1 # sizes\n0 0 4 0 # the library's choice\n4 # ranks\n"
                     "3 # sizes\n0 0 4 0 # the library's choice\n32 4 4 0 # ring\n"
                     "33 0 4 0 # the library's choice\n5 # ranks\n1 # sizes\n"
                     "0 0 4 0 # the library's choice\n");
    free(written(openmpi, &t[4], 1, 0));
}

/* Sizes of one class and arrival patterns share a rule: the algorithm that is never slower. Where
 * another rule begins, the one before needs no end. */
Test(tune, openmpi_rules_side_by_side)
{
    const struct tuned t[] = {
        signature("MPI_Barrier", 4, 0, 0.5, 2), signature("MPI_Bcast", 4, 70, 0.5, 0.9),
        signature("MPI_Bcast", 4, 127, 1.1, 1), signature("MPI_Bcast", 4, 127, 0.5, 0.9),
        signature("MPI_Bcast", 4, 128, 0.5, 2)};
    FREED char *text = written(openmpi, t, 5, 3);
    cr_expect(strstr(text, "2 # sizes\n0 4 4 0 # ring\n1 0 4 0 # the library's choice\n"));
    cr_expect(strstr(text, "4 # sizes\n0 0 4 0 # the library's choice\n"
                           "70 5 4 8192 # segmented_ring\n128 4 4 0 # ring\n"
                           "129 0 4 0 # the library's choice\n"));
}

/* 16 bytes lie between two sizes, and 5 ranks between two numbers that are no powers of two. */
Test(tune, interpolated)
{
    const struct tuned t[] = {
        signature("MPI_Bcast", 3, 8, 0.5, 1), signature("MPI_Bcast", 3, 32, 0.8, 0.8),
        signature("MPI_Bcast", 6, 8, 0.5, NAN), signature("MPI_Bcast", 6, 32, 0.9, 0.4)};
    struct tuned_set set = set_of(openmpi, t, 4);
    tuned_set_interpolate(&set);
    const struct tuned *x = tuned_set_find(&set, &(struct tuned){t->operation, 5, .bytes = 16});
    cr_assert(set.list.n == 9 && x && x->between && x->n == 2);
    cr_expect_float_eq(x->ratio[1].value, sqrt(0.5 * 0.8 * pow(0.9 / 0.8, log2(5 / 3.))), 1e-9);
    FREED char *text = written(openmpi, set.list.at, set.list.n, 9);
    cr_expect(strstr(text, "4 # ranks\n1 # sizes\n0 0 4 0 # the library's choice\n5 # ranks\n"
                           "5 # sizes\n0 0 4 0 # the library's choice\n8 4 4 0 # ring\n"
                           "17 0 4 0 # the library's choice\n32 5 4 8192 # segmented_ring\n"));
    free(set.list.at);
}

Test(tune, mpich_variables)
{
    /* A variable is for all sizes. */
    const struct tuned t[] = {
        signature("MPI_Bcast", 4, 8, 0.5, 0.9), signature("MPI_Bcast", 4, 16, 1.1, 1),
        signature("MPI_Allgather", 2, 16, 0.5, 2), signature("MPI_Allgather", 4, 16, 1.5, 0.5)};
    FREED char *text = written(mpich, t, 4, 1);
    cr_expect_str_eq(text, "export MPIR_CVAR_DEVICE_COLLECTIVES=percoll\n"
                           "export MPIR_CVAR_BCAST_DEVICE_COLLECTIVE=0\n"
                           "export MPIR_CVAR_BCAST_INTRA_ALGORITHM=segmented_ring\n");
}

/* The number of the algorithm that the rule for T names; 0: there is none. */
static int named(const char *library, const struct tuned *t)
{
    struct tuned_set set = set_of(library, t, 1);
    struct rules rules = rules_of(&set);
    int number = rules_count(&rules) ? rules.list.at[0].algorithm->number : 0;
    rules_free(&rules);
    free(set.list.at);
    return number;
}

Test(tune, a_difference_that_is_not_certain_is_no_rule)
{
    struct tuned t = signature("MPI_Bcast", 4, 8, 0.9, 2);
    cr_expect_eq(named(openmpi, &t), ring.number);
    cr_expect_eq(named(mpich, &t), ring.number);
    cr_expect_eq(named("Other MPI", &t), 0);
    t.ratio[1].high = 1.001;
    cr_expect_eq(named(openmpi, &t), 0);
    t = signature("MPI_Bcast", 4, 8, 0.985, 2);
    cr_expect_eq(named(openmpi, &t), 0, "less than 2 %% is a tie");
    t = signature("MPI_Bcast", 4, 8, NAN, 0.9);
    cr_expect_eq(named(openmpi, &t), cut_ring.number, "the first one was not measured");
    t.refuted = true;
    cr_expect_eq(named(openmpi, &t), 0);
}

/* --- what was found, as a file --- */

Test(tune, is_read_as_it_was_written, .fini = scratch_remove)
{
    struct tuned t[] = {signature("MPI_Allreduce", 4, 8, 0.5, 0.9),
                        signature("MPI_Bcast", 5, 16, NAN, 0.7)};
    struct tuned_set set = set_of(openmpi, t, 2), again;
    scratch_make();
    cr_assert(tuned_set_load(&again, scratch) && again.list.n == 0, "there is no file");
    set.complete = false;
    set.list.at[0].best = 1;
    set.list.at[0].calls = 12;
    set.list.at[1].best = 2;
    set.list.at[1].refuted = set.list.at[1].between = true;
    strcpy(set.list.at[1].arrival, "last");
    cr_expect_eq(tuned_set_save(&set, scratch), 1);
    cr_assert(tuned_set_load(&again, scratch));
    cr_expect_str_eq(again.library, set.library);
    cr_expect(!again.complete);
    cr_assert_eq(again.list.n, 2);
    for (int i = 0; i < 2; i++) {
        const struct tuned *a = &set.list.at[i], *b = &again.list.at[i];
        cr_expect(a->operation == b->operation && a->ranks == b->ranks && a->bytes == b->bytes);
        cr_expect(a->best == b->best && a->n == b->n && a->calls == b->calls);
        cr_expect(a->refuted == b->refuted && a->between == b->between);
        cr_expect_str_eq(a->arrival, b->arrival);
        cr_expect(!memcmp(a->candidate[2].name, b->candidate[2].name, 15));
        cr_expect_float_eq(a->ratio[2].high, b->ratio[2].high, 1e-9);
        cr_expect_eq(tuned_set_find(&again, a), b);
    }
    cr_expect(isnan(again.list.at[1].ratio[1].value));
    json_t *json[] = {tuned_json(&set.list.at[0]), NULL};
    set.list.at[0].best = 0;
    json[1] = tuned_json(&set.list.at[0]);
    cr_expect_float_eq(json_number_at(json[0], "faster_low_us"), 49, 1e-6);
    cr_expect_str_eq(json_text_at(json[1], "remark"), TUNED_OPEN);
    cr_expect(!*json_text_at(json[0], "remark"));
    json_decref(json[0]);
    json_decref(json[1]);
    cr_expect_null(tuned_set_find(&again, &(struct tuned){.operation = set.list.at[0].operation}));
    free(set.list.at);
    free(again.list.at);
}

/* Names of algorithms get into a file that a shell reads. */
Test(tune, a_damaged_file_is_refused, .fini = scratch_remove)
{
    struct tuned_set set;
    static const char form[] = "{\"library\": \"MPICH 4.0.2\", \"tuned\": [{\"operation\": \"%s\", "
                               "\"ranks\": 2, \"bytes\": 8, \"best\": \"\", \"candidates\": "
                               "[{\"algorithm\": \"%s\", \"number\": %s}]}]}";
    static const char *const bad[][3] = {{"MPI_Bcast", "ring; touch x", "1"},
                                         {"MPI_Bcast", "", "1"},
                                         {"MPI_Scan", "ring", "1"},
                                         {"MPI_Bcast", "ring", "-9"}};
    char text[400];
    scratch_make();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, form, bad[i][0], bad[i][1], bad[i][2]);
        scratch_write("tuned.json", text);
        cr_expect(!tuned_set_load(&set, scratch), "%s %s", bad[i][0], bad[i][1]);
        cr_expect_eq(set.list.n, 0);
    }
    scratch_write("tuned.json", "{");
    cr_expect(!tuned_set_load(&set, scratch));
    snprintf(text, sizeof text, form, "MPI_Bcast", "ring", "1");
    scratch_write("tuned.json", text);
    cr_expect(tuned_set_load(&set, scratch) && set.list.n == 1);
    free(set.list.at);
}

static bool is_whole(const char *file, const char *text, size_t size)
{
    char path[400], sum[TUNED_SUM];
    snprintf(path, sizeof path, "%s/%s", scratch, file);
    FILE *out = fopen(path, "w");
    cr_assert(out && fwrite(text, 1, size, out) == size && !fclose(out));
    return tuned_is_whole(scratch, sum);
}

/* No file is used with any byte missing or changed, unless the user allows it. */
Test(tune, damaged_rules_are_refused, .fini = scratch_remove)
{
    static const char *const files[] = {"tuned.sum", "env.sh", "openmpi.rules", "tuned.json"};
    struct tuned t = signature("MPI_Allreduce", 4, 8, 0.5, 0.9);
    struct tuned_set set = set_of(openmpi, &t, 1);
    char text[2000];
    scratch_make();
    tuned_set_save(&set, scratch);
    free(set.list.at);
    for (int f = 0; f < 4; f++) {
        scratch_read(files[f], text, sizeof text);
        const size_t n = strlen(text);
        cr_assert(n > 16 && is_whole(files[f], text, n));
        for (size_t i = 0; i < n; i++) {
            cr_expect(!is_whole(files[f], text, i), "%s: %zu bytes", files[f], i);
            text[i] ^= 1 << i % 8;
            cr_expect(!is_whole(files[f], text, n), "%s: byte %zu", files[f], i);
            text[i] ^= 1 << i % 8;
        }
        cr_expect(is_whole(files[f], text, n));
    }
    cr_expect(!is_whole("openmpi.rules", "edited", 6) && is_whole("tuned.sum", "edited\n", 7));
}

/* --- the judgement --- */

/* Judges rounds in which candidate K of OUT takes TIME[K] times 1 + SPREAD, 1 or 1 - SPREAD, in
 * turn. */
static bool judge_these(int rounds, const double *time, const double *spread, bool *alive,
                        struct tuned *out)
{
    static double rows[40 * ALGORITHMS_MAX];
    for (int r = 0; r < rounds; r++)
        for (int k = 0; k < out->n; k++)
            rows[r * ALGORITHMS_MAX + k] = time[k] * (1 + spread[k] * ((r * 7 + k) % 3 - 1));
    return tuner_judge(rows, rounds, alive, out);
}

static bool judge(int rounds, const double *time, const double *spread, int n, bool *alive,
                  struct tuned *out)
{
    *out = (struct tuned){.n = n};
    return judge_these(rounds, time, spread, alive, out);
}

Test(tune, judgement)
{
    struct tuned t;
    bool alive[ALGORITHMS_MAX] = {true, true, true, true};
    const double time[] = {10, 5, 20, 5.1}, none[4] = {0}, wide[] = {0, 0.3, 0, 0.3};
    cr_expect(judge(1, time, none, 4, alive, &t) && alive[2], "one block may be noise");
    cr_expect(judge(5, time, none, 4, alive, &t), "too few rounds");
    cr_expect(!alive[2] && alive[3] && t.best == 0, "twice the time is too slow at once");
    cr_expect(judge(12, time, wide, 4, alive, &t), "which of two is better is open");
    cr_expect(alive[1] && !alive[2] && alive[3]);
    cr_expect(!judge(12, time, none, 4, alive, &t));
    cr_expect(alive[1] && !alive[3] && t.best == 1);
    cr_expect_float_eq(t.ratio[1].value, 0.5, 1e-9);
    cr_expect_float_eq(t.time[1].value, 5, 1e-9);
}

/* What is left to save is less than 2 % of the library's time; the default keeps ties. */
Test(tune, no_time_for_small_differences)
{
    struct tuned t;
    bool alive[2][ALGORITHMS_MAX] = {{true, true, true}, {true, true, true}};
    const double time[] = {10, 0.11, 0.1}, wide[] = {0, 0.3, 0.3}, tie[] = {10, 9.9, NAN},
                 none[3] = {0};
    cr_expect(!judge(12, time, wide, 3, alive[0], &t));
    cr_expect(t.best == 2 && alive[0][1]);
    cr_expect(!judge(12, tie, none, 3, alive[1], &t));
    cr_expect_eq(t.best, 0);
    cr_expect(isnan(t.ratio[2].value) && isnan(t.time[2].value));
}

/* Broadcasts of ours end no candidate of the library, and get no rule. */
Test(tune, ours_are_beside_the_library)
{
    struct tuned t;
    bool alive[ALGORITHMS_MAX] = {true, true, true, true};
    const double time[] = {10, 8, 2, 12}, none[4] = {0};
    t = (struct tuned){.n = 4, .candidate = {{"", -1, 0}, {"", 1, 0}, {"collprof-chain", -9, 0}}};
    t.operation = tuned_operation_find("MPI_Bcast");
    judge_these(12, time, none, alive, &t);
    cr_expect(t.best == 1 && alive[1] && !alive[3]);
    cr_expect_eq(tuned_ours(&t), &t.candidate[2]);
    struct document *d RELEASED(document_end) = document_new("test/1");
    const struct tuned two[] = {t, signature("MPI_Barrier", 4, 0, 1, 1)};
    tuned_ours_add(d, two, 2);
    const char *text = json_text_at(json_array_get(document_finding_list(d), 0), "text");
    cr_expect(strstr(text, "In 1 of 1 broadcasts") && strstr(text, "--bcast=chain"), "%s", text);
    t.ratio[2].high = t.ratio[1].high;
    cr_expect_null(tuned_ours(&t));
    t = signature("MPI_Bcast", 4, 8, 0.9, 0.5);
    t.candidate[2].number = -9;
    cr_expect_eq(named(openmpi, &t), ring.number);
    t = signature("MPI_Bcast", 4, 8, 1, 0.5);
    t.candidate[2].number = -9;
    cr_expect_eq(tuned_ours(&t), &t.candidate[2]);
    t.ratio[1].low = 0.4;
    cr_expect_null(tuned_ours(&t), "the library's may be as fast");
}

/* --- the measurement --- */

/* What each rank's library does now. */
static _Thread_local const struct algorithm *chosen;
static _Thread_local int possible; /* how many algorithms its settings leave */

static int list(const struct tuned_operation *o, size_t bytes, struct algorithm *list, int room)
{
    static const struct algorithm all[] = {
        {"slow", 1, 0}, {"fast", 2, 0}, {"wrong", 3, 0}, {"far", 4, 0}};
    cr_assert(o->reduces && bytes == 8 && room > 4);
    memcpy(list, all, sizeof all);
    return possible;
}

static bool choose(const struct tuned_operation *o, const struct algorithm *a, bool strict)
{
    (void)o, (void)strict;
    chosen = a;
    return true;
}

static const struct tuning_library library = {.list = list, .choose = choose};

struct call {
    MPI_Comm comm;
    int runs[5];  /* by the algorithm's number; 0: default */
    double spike; /* seconds that every eighth operation takes longer */
    int n;
};

/* 30, 34 or 26 us after the last entry; "far" would use up the budget. */
static int run(void *arg, int root)
{
    static const double seconds[] = {30e-6, 34e-6, 26e-6, 1e-6, 5};
    struct call *c = arg;
    (void)root;
    int number = chosen ? chosen->number : 0;
    c->runs[number]++;
    PMPI_Barrier(c->comm);
    fake_mpi_compute(seconds[number] + (++c->n % 8 ? 0 : c->spike));
    return MPI_SUCCESS;
}

static int check(void *arg, int *wrong)
{
    struct call *c = arg;
    *wrong = chosen && chosen->number == 3;
    return PMPI_Barrier(c->comm);
}

/* With ALGORITHMS possible ones. */
static void tune_call(struct call *call, int algorithms, struct tuned *out)
{
    const struct tuning t = {.library = &library,
                             .operation = tuned_operation_find("MPI_Allreduce"),
                             .bytes = 8,
                             .c = {.comm = MPI_COMM_WORLD,
                                   .run = run,
                                   .check = check,
                                   .arg = call,
                                   .kind = COLLECTIVE_ALL},
                             .comm = &call->comm,
                             .budget = 40};
    possible = algorithms;
    const double start = fake_mpi_now();
    cr_assert_eq(tuner_measure(&t, out), MPI_SUCCESS);
    cr_expect(fake_mpi_now() - start < 1.1 * t.budget);
    cr_expect_eq(call->comm, MPI_COMM_WORLD);
    cr_expect_null(chosen);
}

static void measure(int rank, void *arg)
{
    struct tuned *out = arg, own;
    struct call call = {.comm = MPI_COMM_WORLD};
    tune_call(&call, 4, rank == 0 ? out : &own);
    cr_expect(call.runs[3] == 1 && call.runs[4] == 2, "wrong data, twice too slow: not measured");
    cr_expect(call.runs[1] > 10 && call.runs[1] <= call.runs[2]);
}

Test(tune, measures_all_and_chooses_the_fastest)
{
    static struct tuned t;
    cr_assert(fake_mpi_run(4, measure, &t, &(struct fake_network){.latency = 1e-6}));
    cr_expect_eq(t.best, 2);
    cr_expect_eq(t.ranks, 4);
    cr_expect(t.ratio[2].high < t.ratio[1].low && isnan(t.ratio[3].value));
    cr_expect_str_eq(t.candidate[t.best].name, "fast");
    cr_expect(t.ratio[1].value > 1 && t.time[2].value > 20e-6 && t.time[2].value < 40e-6);
    /* Blocks share the common start, so that the budget is for operations. */
    cr_assert(fake_mpi_run(4, measure, &t, &(struct fake_network){.latency = 30e-3}));
    cr_expect(estimate_has_interval(t.ratio[1]));
}

/* Opening the candidates takes most of the budget, or noise as long as a block. */
static void slow(int rank, void *spike)
{
    struct tuned own;
    struct call call = {.comm = MPI_COMM_WORLD, .spike = *(double *)spike};
    (void)rank;
    tune_call(&call, 4, &own);
}

Test(tune, no_block_without_time)
{
    for (double spike = 0; spike < 6; spike += 2.5)
        for (double latency = 1e-6; latency < 1; latency *= 500)
            cr_assert(fake_mpi_run(4, slow, &spike, &(struct fake_network){.latency = latency}));
}
