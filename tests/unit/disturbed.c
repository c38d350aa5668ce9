/* Protects trust in the times of a run: what is said where ranks were without a processor, on both
 * sides of each threshold. */
#include "made_page.h"
#include "picture/view.h"
#include "profile/noise.h"
#include "report/text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Two ranks, 2 s each, with SECONDS[r] of them without a processor and WAIT of the time in a late
 * collective. */
static struct profile *disturbed(const double seconds[2], double wait)
{
    struct profile *p = NULL;
    for (int r = 0; r < 2; r++) {
        struct ledger l;
        made_ledger(&l, NULL, r, 2);
        made_calls(&l, 1, OP_BCAST, 8, 20, 10000000);
        for (uint32_t i = 0; i < 20; i++)
            made_instance(&l, OP_BCAST, i, 0, 1000000 * i + (r ? 0 : (uint64_t)(wait * 1e9)),
                          1000000 * i + (uint64_t)(wait * 1e9) + 100);
        l.header->noise[0] = (struct noise_totals){1, 0, -1, 0, 0, 0};
        l.header->noise[1] = (struct noise_totals){
            1000000000, seconds[r] < 0 ? -1 : (int64_t)(seconds[r] * 1e9), -1, 0, 0, 7.5};
        p = made_merged(p, &l);
    }
    profile_symbolize(p);
    return p;
}

/* What recording took is a share of the run, and of the rank that called most; no more than all. */
Test(page, what_recording_took)
{
    static const struct {
        uint64_t calls[2];
        double call_ns;
        const char *says;
    } cases[] = {
        {{1000, 1000},
         100,
         "in it 2,000 calls of 100 ns each, as measured at the start: 0.0 % of the run"},
        {{1000000, 3000000}, 100, "10.0 % of the run, 15.0 % of rank 1's"},
        {{1000000, 30000000},
         100,
         "77.5 % of the run; of rank 1's it would be more than all: there a call took less"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct profile *p = disturbed((const double[]){0, 0}, 0);
        char text[400];
        for (int r = 0; r < 2; r++) {
            p->ranks.at[r].init_ns = 1000;
            p->ranks.at[r].wall = 2;
            p->ranks.at[r].calls = cases[i].calls[r];
            p->ranks.at[r].call_ns = cases[i].call_ns;
        }
        cr_assert(text_cost(p, text, sizeof text));
        const char *at = strstr(text, cases[i].says);
        cr_assert(at && !at[strlen(cases[i].says)], "%s", text);
        profile_free(p);
    }
}

/* Of a killed run the last look is what is known, and it is judged like any other: here rank 1 was
 * cut off after 100 ms, 92 of them without a processor. */
Test(page, the_noise_of_a_killed_run_is_judged)
{
    struct profile *p = NULL;
    for (int r = 0; r < 2; r++) {
        struct ledger l;
        made_ledger(&l, NULL, r, 2);
        made_calls(&l, 1, OP_BCAST, 8, 20, 10000000);
        struct ledger_header *h = l.header;
        h->pair[1] = h->pair[0];
        h->pair[1].ticks += 100000000;
        h->pair[1].seconds += 0.1;
        h->noise[0] = (struct noise_totals){1, 0, 0, 0, 0, 0};
        h->noise[1] = r ? (struct noise_totals){0} : (struct noise_totals){5, 0, 0, 0, 0, 7.5};
        h->moment[0] = (struct ledger_moment){
            h->pair[0].ticks + 100000000, -1, {9, r ? 92000000 : 0, 97000000, 31, 0, 0}};
        h->n_moments = 1;
        p = made_merged(p, &l);
    }
    profile_symbolize(p);
    const struct profile_rank *cut = &p->ranks.at[1];
    cr_assert_float_eq((double)cut->watched_ns, 1e8, 1e3);
    cr_assert_eq(cut->delayed_ns, 92000000);
    cr_assert_eq(cut->involuntary_switches, 31);
    cr_assert_eq(cut->worst_switches, 31);
    cr_assert_eq(cut->worst_pressure_ns, 97000000);
    struct noise n = noise_of(p);
    cr_assert_eq(n.level, NOISE_SPOILED);
    cr_assert_float_eq(n.share, 0.92, 1e-3);
    cr_assert_float_eq(n.pressure, 0.97, 1e-3);
    char *text = text_of(p, &(struct report_options){.width = 2000});
    assert_has(text,
               "The times of this run mean little: rank 1 could run, but had no processor, for "
               "92.0 % of the run");
    assert_has(text, "somebody on the host waited for a processor in 97.0 % of the run");
    free(text);
    profile_free(p);
}

/* A rank that was there for a part of the run, all of that without a processor: the run has lost no
 * more than that part. */
Test(page, a_short_rank_does_not_spoil_the_run)
{
    static const struct {
        double part;
        enum noise_level level;
        bool bad_stretch;
    } known[] = {{0.002, NOISE_QUIET, false},
                 {0.004, NOISE_FELT, true},
                 {0.05, NOISE_FELT, true},
                 {0.2, NOISE_SPOILED, true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = disturbed((double[]){0, 0}, 0.005);
        struct profile_rank *r = &p->ranks.at[1];
        r->wall *= known[i].part;
        r->delayed_ns = r->watched_ns = (int64_t)(1e9 * r->wall);
        r->worst_from_ns = 0;
        r->worst_length_ns = r->worst_delayed_ns = r->watched_ns;
        r->mpi_ns = p->ranks.at[0].mpi_ns = 1000000000;
        struct noise n = noise_of(p);
        cr_assert_eq(n.level, known[i].level, "%g", known[i].part);
        cr_assert_eq(noise_has_bad_stretch(&n), known[i].bad_stretch, "%g", known[i].part);
        cr_assert_float_eq(n.share, known[i].part, 1e-6);
        cr_assert_float_eq(n.mean, known[i].part / 2, 1e-6, "of two ranks, not above the worst");
        profile_free(p);
    }
}

/* A rank that hangs in a call is looked at up to the call before: what comes after that is not
 * known, and neither calls the run disturbed nor quiet. */
Test(page, what_nobody_has_looked_at_is_not_known)
{
    for (int busy = 0; busy < 2; busy++) {
        struct profile *p = disturbed((double[]){0, 0}, 0.005);
        struct profile_rank *r = &p->ranks.at[1];
        r->watched_ns = (int64_t)(0.1e9 * r->wall);
        r->delayed_ns = busy ? r->watched_ns / 2 : 0;
        r->worst_length_ns = -1;
        for (int i = 0; i < 2; i++)
            p->ranks.at[i].mpi_ns = (uint64_t)(1e9 * r->wall);
        struct noise n = noise_of(p);
        cr_assert_eq(n.level, busy ? NOISE_FELT : NOISE_UNKNOWN);
        cr_assert_float_eq(n.share, busy ? 0.05 : 0, 1e-6);
        cr_assert_float_eq(n.unseen, 0.9, 1e-6);
        char *text = text_of(p, &(struct report_options){.width = 2000});
        assert_has(text, "of up to 90.0 % of the run, after the last call that a rank left, it is "
                         "not known");
        if (busy)
            assert_has(text, "had no processor, for at least 5.0 % of the run");
        free(text);
        profile_free(p);
    }
}

/* What is known of the host alone: that nobody waited, then no rank did; or that somebody did. */
Test(page, pressure_bounds_what_is_not_known_of_a_rank)
{
    for (int busy = 0; busy < 2; busy++) {
        struct profile *p = disturbed((double[]){-1, -1}, 0.005);
        p->ranks.at[0].pressure_ns = p->ranks.at[1].pressure_ns = busy ? 1000000000 : 1000000;
        struct noise n = noise_of(p);
        cr_assert_eq(n.level, busy ? NOISE_UNKNOWN : NOISE_QUIET);
        char *text = text_of(p, NULL);
        cr_assert_eq(strstr(text, "disturbed is not known, but in 50.0 % of it somebody") != NULL,
                     busy);
        free(text);
        profile_free(p);
    }
}

/* On both sides of each threshold, and where it is not known: what is said, and what is not. */
Test(page, disturbed_runs_are_called_so)
{
    static const struct {
        double seconds[2];
        enum noise_level level;
        int32_t worst;
        const char *said; /* first */
        bool judged;
    } known[] = {
        {{0.001, 0.019}, NOISE_QUIET, 1, "- Most time", true},
        {{0.021, 0.001}, NOISE_FELT, 0, "- This run was disturbed: rank 0 could run", true},
        {{0.001, 0.199}, NOISE_SPOILED, 1, "- The times of this run mean little: rank 1", false},
        {{0.001, 0.099}, NOISE_FELT, 1, "- This run was disturbed: rank 1", true},
        {{0.101, 0.001}, NOISE_SPOILED, 0, "- The times of this run mean little", false},
        {{-1, 0.001}, NOISE_UNKNOWN, 1, "- Most time", true},
        {{-1, 0.5}, NOISE_SPOILED, 1, "- The times of this run", false},
        {{-1, -1}, NOISE_UNKNOWN, -1, "- Most time", true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = disturbed(known[i].seconds, 0.005);
        struct noise n = noise_of(p);
        char *text = text_of(p, NULL);
        const char *first = strstr(text, "In short\n  ");
        cr_assert_eq(n.level, known[i].level, "case %zu: %d", i, n.level);
        cr_assert_eq(n.worst_rank, known[i].worst, "case %zu", i);
        cr_assert_not_null(first);
        cr_assert(!strncmp(first + 11, known[i].said, strlen(known[i].said)), "case %zu: %s", i,
                  text);
        cr_assert_eq(strstr(text, "is waiting for a rank") != NULL, known[i].judged, "case %zu", i);
        cr_assert_eq(strstr(text, "by operation\n  (disturbed") == NULL, known[i].judged,
                     "case %zu", i);
        cr_assert_eq(strstr(text, "% ?") == NULL, known[i].judged, "case %zu: %s", i, text);
        free(text);
        profile_free(p);
    }
}

/* 20 instances: 0.9 % of the run is not worth a sentence, 1.1 % is. */
Test(page, sentences_only_where_it_matters)
{
    for (int k = 0; k < 2; k++) {
        struct profile *p = disturbed((double[]){0, 0}, k ? 0.0022 : 0.0018);
        char *text = text_of(p, NULL);
        cr_assert_eq(strstr(text, "is waiting for a rank") != NULL, k == 1, "%s", text);
        cr_assert_eq(strstr(text, "Rank 0 is the last to enter most often, in 100.0 %") != NULL,
                     k == 1, "%s", text);
        free(text);
        profile_free(p);
    }
}

/* Of 2 s on so many processors: what to do next where the run's own threads fill them, and where
 * 210 ms of waiting may be for others. */
Test(page, a_host_that_is_full_by_itself)
{
    static const struct {
        uint32_t processors;
        double cpu[2];
        bool itself;
    } known[] = {{4, {3.6, 3.61}, true},  {4, {3.6, 3.59}, false}, {2, {2.21, 1.5}, true},
                 {2, {2.19, 1.5}, false}, {2, {1.9, 1.9}, true},   {2, {1.9, 1.88}, false},
                 {2, {4, -1}, true},      {0, {4, 4}, false}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = disturbed((double[]){0.21, 0}, 0.005);
        p->hosts.at[0].processors = known[i].processors;
        for (int r = 0; r < 2; r++) {
            p->ranks.at[r].cpu_ns = (int64_t)(1e9 * known[i].cpu[r]);
            p->ranks.at[r].watched_ns = 2000000000;
        }
        char *text = text_of(p, &(struct report_options){.width = 200, .directory = "out"});
        bool itself = strstr(text, "Next: fewer threads or ranks on ");
        cr_assert_eq(itself, known[i].itself, "case %zu: %s", i, text);
        cr_assert(itself || strstr(text, "Next: the same again when nothing else runs"));
        free(text);
        profile_free(p);
    }
}

/* A host whose processors nobody counted, as a simulated one, is not called too small. */
Test(page, a_caption_doubts_only_what_is_known)
{
    for (uint32_t processors = 0; processors < 2; processors++) {
        struct profile *p = profile_new();
        struct profile_host host = {.name = "alpha", .ranks = 2, .processors = processors};
        char text[200];
        host.affinity[0] = 1;
        profile_add_host(p, &host);
        picture_caption(p, text, sizeof text);
        cr_assert_eq(strstr(text, "disturbed") != NULL, processors == 1, "%s", text);
        profile_free(p);
    }
}
