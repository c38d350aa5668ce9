/* Protects what is shown of a part of a profile, and how: filters, bold and colour, the last line.
 */
#include "made_page.h"
#include "profile/model.h"
#include "report/filter.h"
#include "report/findings.h"
#include "report/rows.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Two ranks; Allreduce is the second's, Bcast in region "solve" at one place of two. */
static struct profile *two_ranks(void)
{
    struct profile *p = NULL;
    for (int r = 0; r < 2; r++) {
        struct ledger l;
        made_ledger(&l, NULL, r, 2);
        made_calls(&l, 1, OP_BCAST, 1024, 100, 1000);
        made_calls(&l, 2, OP_ALLREDUCE, 8, 10, 3000000u * ((uint64_t)r + 1));
        for (uint32_t i = 0; i < 10; i++)
            made_instance(&l, OP_BCAST, i, 0, 10000 * i + (r == 0 ? 4000 : 0), 10000 * i + 5000);
        struct profile *one = profile_from_ledger(&l);
        ledger_close(&l);
        if (p)
            profile_merge(p, one);
        else
            p = one;
    }
    struct profile_entry inside = p->entries.at[0];
    inside.region = profile_add_region(p, &(struct profile_region){"solve", 7, 1000000});
    inside.size_class++;
    inside.calls = 5;
    inside.spread = (struct spread){.sum = 70, .min = 30, .max = 40, .ranks = 2, .worst = 1};
    profile_add_entry(p, &inside);
    return p;
}

/* Without messages of its own: no share of none. */
Test(part, of_the_transport)
{
    struct profile *p = two_ranks();
    p->trace.network = LEDGER_NETWORK_ON;
    for (int sends = 0; sends < 2; sends++) {
        p->trace.sends = (uint64_t)sends;
        char *text = text_of(p, &(struct report_options){.width = 200});
        cr_assert_not_null(strstr(text, sends ? "the start of 0.0 % of 1 messages"
                                              : "transport under MPI: the application sent no "),
                           "%s", text);
        free(text);
    }
    profile_free(p);
}

static uint64_t calls_of(const struct profile *p, const char *operation)
{
    uint64_t n = 0;
    for (size_t i = 0; i < p->entries.n; i++)
        if (!strcmp(p->operations.at[p->entries.at[i].operation].name, operation))
            n += p->entries.at[i].calls;
    return n;
}

Test(part, of_an_operation)
{
    static const char *const names[] = {"Bcast", "mpi_bcast", "MPI_Bcast", "B*"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct profile *p = two_ranks();
        struct filter f = {.only = names[i]};
        char why[200];
        p->ranks.at[0].mpi_ns = 77000000000; /* most of it in calls that are kept apart */
        cr_assert(filter_apply(p, &f, why, sizeof why), "%s", names[i]);
        cr_assert_float_eq(f.all_ns, profile_mpi_ns(p), 1);
        cr_assert_eq(calls_of(p, "MPI_Allreduce"), 0);
        cr_assert_eq(calls_of(p, "MPI_Bcast"), 205);
        cr_assert_eq(f.calls, 205);
        cr_assert_eq(f.all_calls, 225);
        cr_assert_eq(p->ranks.n, 2, "means are of all ranks");
        for (size_t k = 0; k < p->arrivals.n; k++)
            cr_assert_str_eq(p->operations.at[p->arrivals.at[k].operation].name, "MPI_Bcast");
        profile_free(p);
    }
}

/* Spreads over ranks are of all entries of a place: of a part of them they are not known. */
Test(part, of_a_region_has_its_own_spread_or_none)
{
    struct profile *p = two_ranks();
    uint32_t operation = p->entries.at[0].operation, site = p->entries.at[0].site;
    struct filter f = {.region = "sol?e"};
    char why[200];
    cr_assert(filter_apply(p, &f, why, sizeof why));
    cr_assert_eq(calls_of(p, "MPI_Bcast"), 5);
    cr_assert_eq(p->arrivals.n, 0, "not kept by region");
    cr_assert_eq(p->entries.n, 1);
    const struct profile_group *g = profile_group_find(p, site, operation);
    cr_assert_eq(g->spread.sum, 70);
    cr_assert_eq(g->spread.worst, 1);
    char *said = filter_sentences(&f);
    cr_assert_not_null(strstr(said, "not kept by region"));
    free(said);
    profile_free(p);
}

/* Regions without such calls have no row of zeros. */
Test(part, has_its_own_regions)
{
    static const struct {
        struct filter f;
        size_t regions;
    } known[] = {{{.region = "s*"}, 3},
                 {{.region = "solve"}, 1},
                 {{.only = "Bcast"}, 1},
                 {{.only = "Allreduce"}, 0},
                 {{.comm = "MPI_COMM_WORLD"}, 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = two_ranks();
        struct filter f = known[i].f;
        char why[200];
        profile_add_region(p, &(struct profile_region){"silent", 1, 10});
        profile_sort(p);
        cr_assert(filter_apply(p, &f, why, sizeof why), "%s", why);
        cr_assert_eq(p->regions.n, known[i].regions, "case %zu: %zu", i, p->regions.n);
        for (size_t k = 0; k < p->entries.n; k++)
            cr_assert(p->entries.at[k].region == PROFILE_NONE ||
                      !strcmp(p->regions.at[p->entries.at[k].region].name, "solve"));
        profile_free(p);
    }
}

Test(part, of_a_rank_is_where_it_spends_most)
{
    struct profile *p = two_ranks();
    struct filter f = {.one_rank = true, .rank = 1};
    char why[200];
    profile_sort(p);
    arrivals_find(p);
    cr_assert_eq(p->arrivals.n, 1);
    cr_assert(filter_apply(p, &f, why, sizeof why));
    cr_assert_eq(p->arrivals.n, 0, "rank 0 is last there");
    cr_assert_eq(calls_of(p, "MPI_Allreduce"), 20);
    cr_assert_eq(calls_of(p, "MPI_Bcast"), 0, "rank 0, the lower of equals");
    char *text = text_of(p, &(struct report_options){.filter = &f});
    const char *table = strstr(text, "Ranks, most");
    cr_assert_not_null(table, "%s", text);
    cr_assert_not_null(strstr(table, "\n     1  "), "%s", table);
    cr_assert_null(strstr(table, "\n     0  "), "%s", table);
    cr_assert_null(strstr(text, "In short"), "sentences are of the whole run");
    free(text);
    filter_ranks(p, &f);
    cr_assert_eq(p->ranks.n, 1);
    profile_free(p);
}

Test(part, that_is_empty_says_what_there_is)
{
    static const struct {
        struct filter f;
        const char *says;
    } known[] = {
        {{.only = "Gather"},
         "--only=Gather: no call is called so: one of MPI_Bcast, MPI_Allreduce would"},
        {{.region = "x"}, "--region=x: no region is called so: one of solve would be right"},
        {{.comm = "x"}, "--comm=x: no communicator is called so: one of MPI_COMM_WORLD would"},
        {{.one_rank = true, .rank = 2}, "one from 0 to 1 would be right"},
        {{.only = "Allreduce", .region = "solve"}, "no call is of all of them"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct profile *p = two_ranks();
        struct filter f = known[i].f;
        char why[300];
        cr_assert(!filter_apply(p, &f, why, sizeof why));
        cr_assert_not_null(strstr(why, known[i].says), "%s", why);
        profile_free(p);
    }
}

/* Measured on a communicator without a name: through packing, merging, sorting and the file it is
 * called as that is in tables, and chosen so. What is not known by region or rank goes. */
Test(part, of_what_was_measured)
{
    static const struct {
        struct filter f;
        const char *says;
    } known[] = {{{.comm = "2 ranks from 7, made at application+0x2000"}, "1 of 3 measurements"},
                 {{.only = "Bcast"}, "2 of 3 measurements"},
                 {{.only = "Allreduce", .comm = "MPI_COMM_WORLD"}, "1 of 3 measurements"},
                 {{.region = "solver"}, "Measurements made during the run are not kept by"},
                 {{.one_rank = true, .rank = 1}, "none is shown"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ledger l;
        made_ledger(&l, NULL, 1, 2);
        l.comms[2] =
            (struct ledger_comm){.id = 5, .site = 2, .size = 2, .root_world_rank = 7, .created = 1};
        l.header->section[LEDGER_COMMS].count = 3;
        made_calls(&l, 1, OP_BCAST, 1024, 1, 1000)->comm = 2;
        struct profile *one = profile_from_ledger(&l), *p, *back;
        ledger_close(&l);
        made_ledger(&l, NULL, 0, 2);
        l.comms[2] = (struct ledger_comm){.id = 9, .size = 3, .created = 1};
        l.header->section[LEDGER_COMMS].count = 3;
        made_calls(&l, 2, OP_ALLREDUCE, 8, 10, 3000)->region = 1;
        p = made_merged(NULL, &l);
        for (uint32_t comm = 2; comm > 0; comm--)
            profile_add_finding(one, "benchmark",
                                json_pack("{s:s, s:s, s:I}", "operation",
                                          comm == 2 ? "MPI_Bcast" : "MPI_Allreduce", "communicator",
                                          "-", "communicator_index",
                                          (json_int_t)profile_comm_of_ledger(one, comm)));
        size_t size;
        char *packed = profile_pack(one, &size), why[300];
        profile_merge(p, profile_unpack(packed, size));
        profile_add_finding(p, "broadcast", json_pack("{s:s}", "communicator", "old"));
        profile_sort(p);
        findings_name(p);
        const char *reason;
        json_t *json = profile_json(p);
        cr_assert_not_null(back = profile_from_json(json, &reason), "%s", reason);
        struct filter f = known[i].f;
        cr_assert(filter_apply(back, &f, why, sizeof why), "%s", why);
        char *said = filter_sentences(&f),
             *text = text_of(back, &(struct report_options){.filter = &f});
        assert_has(said, known[i].says);
        cr_assert_eq(strstr(text, "communicator \"2 ranks from 7, made at application+0x2000\"") !=
                         NULL,
                     i < 2, "%s", text);
        free(said);
        free(text);
        free(packed);
        json_decref(json);
        profile_free(one);
        profile_free(p);
        profile_free(back);
    }
}

/* From 1 to 2 s, from 1.5 to 3 s, from 3 to 4 s: the first two are in each other's way, perhaps. */
Test(part, measured_at_the_same_time)
{
    struct profile *p = two_ranks();
    static const double begun[] = {1, 1.5, 3}, lasted[] = {1, 1.5, 1};
    for (int k = 0; k < 3; k++)
        profile_add_finding(p, "benchmark",
                            json_pack("{s:s, s:[{s:s}], s:f, s:f}", "operation", "MPI_Bcast",
                                      "methods", "method", "held", "begun_seconds", begun[k],
                                      "measured_in_seconds", lasted[k]));
    findings_name(p);
    char *text = text_of(p, NULL), *second;
    second = strstr(text, "others measured at the same time: 1");
    cr_assert(second && (second = strstr(second + 1, "others measured at the same time: 1")) &&
                  !strstr(second + 1, "others measured"),
              "%s", text);
    assert_lacks(text, "begun");
    free(text);
    profile_free(p);
}

/* Bold and colour add nothing that words do not say: without them the page is the same. */
Test(part, colour_only_where_it_is_asked_for)
{
    struct profile *p = two_ranks();
    profile_warn(p, "a warning");
    char *plain = text_of(p, &(struct report_options){.width = 100}),
         *bright = text_of(p, &(struct report_options){.width = 100, .color = STYLE_ALWAYS}),
         *bare = calloc(strlen(bright) + 1, 1);
    cr_assert_null(strchr(plain, '\033'));
    cr_assert_not_null(strstr(bright, "\033[33m  ! a warning"));
    cr_assert_not_null(strstr(bright, "\033[1mTime in MPI, by operation\033[0m"));
    for (char *from = bright, *to = bare; *from; from++) {
        if (*from == '\033')
            from = strchr(from, 'm');
        else
            *to++ = *from;
    }
    cr_assert_str_eq(bare, plain);
    free(plain);
    free(bright);
    free(bare);
    profile_free(p);
}

Test(part, last_line_is_a_command)
{
    struct profile *p = two_ranks();
    p->ranks.at[0].wall = p->ranks.at[1].wall = 100;
    char *text = text_of(p, &(struct report_options){.directory = "out"});
    cr_assert_null(strstr(text, "Next:"), "MPI is no matter there:\n%s", text);
    free(text);
    p->ranks.at[0].wall = p->ranks.at[1].wall = 1;
    text = text_of(p, &(struct report_options){.directory = "it's"});
    cr_assert_not_null(strstr(text, "collprof report --html 'it'\\''s'\n"), "%s", text);
    free(text);
    p->hosts.at[0].ranks = 2;
    p->hosts.at[0].processors = 1;
    p->hosts.at[0].affinity[0] = 1;
    text = text_of(p, &(struct report_options){.directory = "out"});
    cr_assert_not_null(strstr(text, "\nNext: as many ranks as processors"));
    cr_assert_not_null(strstr(text, ": mpiexec -n 1 collprof run ...\n"));
    free(text);
    strcpy(p->launcher, "srun --mpi=pmi2");
    text = text_of(p, &(struct report_options){.directory = "out"});
    cr_assert_not_null(strstr(text, ": srun --mpi=pmi2 -n 1 collprof run ...\n"));
    free(text);
    text = text_of(p, &(struct report_options){0});
    cr_assert_null(strstr(text, "Next:"), "it is not known where the run is");
    free(text);
    profile_free(p);
}

/* What is waited in collectives is shared out to the ranks that wait, if every collective is there.
 */
Test(part, waiting_is_of_ranks)
{
    struct profile *p = two_ranks();
    profile_sort(p);
    arrivals_find(p);
    /* rank 1 enters 4,000 ns before rank 0, the root, ten times */
    cr_assert_eq(p->ranks.at[0].late_wait_ns, 0);
    cr_assert_eq(p->ranks.at[1].late_wait_ns, 40000);
    cr_assert_eq(p->arrivals.at[0].wait_ns, 40000);
    cr_assert_eq(p->ranks.at[1].collective_ns, 100 * 1000 + 10 * 6000000);
    cr_assert_eq(p->ranks.at[1].message_ns, 0);
    p->sample_mask = 1;
    arrivals_find(p);
    cr_assert_eq(p->ranks.at[1].late_wait_ns, -1, "of a sample it is not known");
    profile_free(p);
}

/* Rows that belong together are cut where there are very many, and that is said; a column that no
 * row has is none. So it is with the sizes of messages. */
Test(page, rows_of_a_measurement_are_counted)
{
    struct profile *p = made_four_ranks();
    struct profile_entry again = p->entries.at[0];
    again.calls = 20, again.bytes = 20 * 1024;
    again.site = p->entries.at[1].site;
    profile_add_entry(p, &again);
    json_t *rows = json_array();
    for (int i = 0; i < 20; i++)
        json_array_append_new(rows,
                              json_pack("{s:s, s:f, s:f, s:f}", "method", "direct", "time_us",
                                        40.0 + i, "low_us", 30.0, "high_us", i ? 60.0 + i : 30.0));
    profile_add_finding(p, "benchmark",
                        json_pack("{s:s, s:b, s:i, s:o}", "operation", "MPI_Scan", "right", 1,
                                  "wrong_ranks", 0, "methods", rows));
    char *text = text_of(p, &(struct report_options){.top = 5, .width = 100});
    assert_has(text, "\n  operation MPI_Scan, right yes, ranks with wrong data 0\n"
                     "  method    time        interval\n"
                     "  direct  40.0us               -\n"
                     "  direct  41.0us  30.0us..61.0us\n");
    assert_has(text, "..75.0us\n  and 4 more rows (--top=20)\n");
    assert_has(text, "\n  size            collective   bytes\n"
                     "  8 B to 16 B             40    320B\n"
                     "  1 KiB to 2 KiB         420  420KiB\n");
    free(text);
    profile_free(p);
}

/* Halves of a communicator are told apart by the ranks that they begin at; where names differ, that
 * is said. */
Test(page, communicators_are_told_apart)
{
    static const struct {
        struct profile_comm comm;
        const char *label;
    } known[] = {
        {{.size = 4, .root_world_rank = 0, .name = "rows", .site = PROFILE_NONE}, "rows"},
        {{.size = 2, .root_world_rank = 3, .site = PROFILE_NONE}, "2 ranks from 3"},
        {{.size = 2, .root_world_rank = UINT32_MAX, .site = PROFILE_NONE}, "2 ranks"},
        {{.size = 2, .root_world_rank = 1, .name = LEDGER_SEVERAL_NAMES, .site = PROFILE_NONE},
         "2 ranks from 1, several names"}};
    struct profile *p = profile_new();
    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++) {
        char label[COMM_LABEL];
        *PUSH(&p->comms) = known[i].comm;
        comm_label(p, i, label, sizeof label);
        cr_assert_str_eq(label, known[i].label);
    }
    /* So is a place of which earlier calls are not known; MPI's own is none. */
    char place[100];
    struct profile_site *site = PUSH(&p->sites);
    *site = (struct profile_site){.depth = 2, .in_part = true};
    site->frame[0] = (struct profile_frame){.address = 0x10}; /* in MPI's interface for Fortran */
    site->frame[1] = (struct profile_frame){
        .module = PROFILE_NONE, .address = 0x20, .function = memory_strdup("solve")};
    snprintf(PUSH(&p->modules)->path, 100, "/usr/lib/libmpifort.so.12");
    site_label(p, 0, place, sizeof place);
    cr_assert_str_eq(place, "solve+0x0, in part");
    profile_free(p);
}
