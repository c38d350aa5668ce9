/* Protects the merged profile: that what ranks recorded adds up in whatever order it is merged,
 * and that it survives the message and the file. */
#include "made_profile.h"
#include "profile/model.h"

/* Rank r calls MPI_Bcast at site 1 (r + 1) times for 1 us, and so on. */
static struct profile *profile_of(int rank, int size)
{
    struct ledger l;
    made_ledger(&l, NULL, rank, size);
    made_calls(&l, 1, OP_BCAST, 1024, (uint64_t)rank + 1, 1000);
    made_calls(&l, 2, OP_ALLREDUCE, 8, 10, 2000u * ((uint64_t)rank + 1));
    struct ledger_entry *e = made_calls(&l, 1, OP_ISEND, 100, 4, 300);
    e->completed = 4;
    e->post_to_wait_ns = 4000;
    e->wait_ns = 800;
    e->post_to_completion_ns = 6000;
    e->complete_at_wait = 1;
    e->completed_bytes = 400;
    for (uint32_t i = 0; i < 4; i++)
        made_instance(&l, OP_ALLREDUCE, i, -1, 1000000 * i + 1000u * (unsigned)rank,
                      1000000 * i + 9000);
    return made_merged(NULL, &l);
}

/* Of a profile that was not read from JSON, whose conclusions are drawn here. */
static char *text_of(struct profile *p)
{
    if (!p->has_arrivals)
        profile_symbolize(p);
    json_t *json = written(p);
    char *text = json_dumps(json, JSON_INDENT(1));
    json_decref(json);
    return text;
}

static const struct profile_entry *entry_of(const struct profile *p, const char *operation)
{
    for (size_t i = 0; i < p->entries.n; i++)
        if (!strcmp(p->operations.at[p->entries.at[i].operation].name, operation))
            return &p->entries.at[i];
    return NULL;
}

/* Any tree that merges must give the same profile. */
Test(profile, order_of_merging_does_not_matter)
{
    static const int orders[][4] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
    char *text[4];
    for (int k = 0; k < 3; k++) {
        struct profile *p = profile_of(orders[k][0], 4);
        for (int i = 1; i < 4; i++)
            profile_merge(p, profile_of(orders[k][i], 4));
        text[k] = text_of(p);
        profile_free(p);
    }
    struct profile *left RELEASED(profile_end) = profile_of(0, 4), *right = profile_of(2, 4);
    profile_merge(left, profile_of(1, 4));
    profile_merge(right, profile_of(3, 4));
    profile_merge(left, right);
    text[3] = text_of(left);
    for (int k = 1; k < 4; k++)
        cr_assert_str_eq(text[0], text[k]);
    for (int k = 0; k < 4; k++)
        free(text[k]);
}

/* Sums, extremes and who is worst. */
Test(profile, counts_add_up)
{
    struct profile *p RELEASED(profile_end) = profile_of(0, 4);
    for (int i = 1; i < 4; i++)
        profile_merge(p, profile_of(i, 4));
    const struct profile_entry *bcast = entry_of(p, "MPI_Bcast");
    cr_assert_eq(bcast->calls, 10);
    cr_assert_eq(bcast->bytes, 10240);
    const struct spread *spread = &profile_group_find(p, bcast->site, bcast->operation)->spread;
    cr_assert_eq(spread->ranks, 4);
    cr_assert_eq(spread->max, 4000);
    cr_assert_eq(spread->worst, 3);
    cr_assert_eq(spread->best, 0);
    const struct profile_entry *allreduce = entry_of(p, "MPI_Allreduce");
    cr_assert_eq(allreduce->min_ns, 2000);
    cr_assert_eq(allreduce->max_ns, 8000);
    cr_assert_eq(entry_of(p, "MPI_Isend")->wait_ns, 3200);
    cr_assert_eq(p->sites.n, 3); /* not four times as many under ASLR */
    cr_assert_eq(p->modules.n, 1);
    cr_assert_eq(p->operations.n, 3); /* those that were called */
    cr_assert_eq(p->ranks.n, 4);
    cr_assert_eq(p->regions.at[0].entered, 12);
}

/* A rank whose table has one key twice (two threads found it missing at once) is one rank. */
Test(profile, a_rank_counts_once_in_a_spread)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    made_calls(&l, 1, OP_BCAST, 64, 1, 1000);
    made_calls(&l, 1, OP_BCAST, 64, 1, 3000);
    made_calls(&l, 1, OP_BCAST, 4096, 1, 5000);
    struct profile *p RELEASED(profile_end) = profile_from_ledger(&l);
    cr_assert_eq(p->entries.n, 2);
    const struct spread *all = &profile_group(p, PROFILE_NONE, 0)->spread;
    cr_assert_eq(all->ranks, 1);
    cr_assert_eq(all->max, 9000);
    ledger_close(&l);
}

/* What refers to what is sorted goes on to refer to it: frames to modules, communicators to the
 * places where they were made; the largest of these comes first. */
Test(profile, sorting_moves_nothing_away_from_what_refers_to_it)
{
    struct profile *p RELEASED(profile_end) = profile_new();
    uint32_t module[2], comm[2];
    for (uint32_t i = 0; i < 2; i++) {
        module[i] = profile_add_module(
            p, &(struct profile_module){.path = "/b", .function = {(char)('b' - i)}});
        uint32_t site = profile_add_site(
            p, &(struct profile_site){.depth = 1, .frame = {{.module = module[i], .address = 9}}});
        comm[i] = profile_add_comm(
            p, &(struct profile_comm){
                   .id = 5 + i, .site = site, .copy = PROFILE_NONE, .size = i ? 8 : 2});
    }
    cr_assert(module[0] != module[1] && comm[0] != comm[1]);
    profile_sort(p);
    cr_assert_eq(p->comms.at[0].size, 8);
    for (size_t i = 0; i < 2; i++) {
        const struct profile_frame *f = &p->sites.at[p->comms.at[i].site].frame[0];
        cr_assert_eq(*p->modules.at[f->module].function, i ? 'b' : 'a', "%zu", i);
    }
}

/* JSON says what is known, as null what is not, and of what there is more than one all. */
Test(profile, json_says_all_and_no_more)
{
    struct profile *p RELEASED(profile_end) = profile_of(0, 2);
    struct profile_site *site = &p->sites.at[p->sites.n - 1];
    site->frame[0].offset = 77;
    p->ranks.at[0].cpu_ns = -1;
    free(p->libraries.at[0].text);
    p->libraries.at[0].text = memory_strdup("a library");
    for (int i = 0; i < 2; i++)
        profile_add_finding(p, "ack", json_pack("{s:i}", "rank", i));
    json_t *json = written(p), *sites = NULL, *acks = NULL, *cpu = NULL;
    const char *mpi = NULL;
    int offset = 0;
    json_error_t why;
    cr_assert_eq(json_unpack_ex(json, &why, 0, "{s:{s:[s]}, s:o, s:{s:o}, s:[{s:o}]}", "run", "mpi",
                                &mpi, "sites", &sites, "findings", "ack", &acks, "ranks", "cpu_ns",
                                &cpu),
                 0, "%s", why.text);
    cr_assert_str_eq(mpi, "a library");
    cr_assert_eq(json_unpack_ex(json_array_get(sites, p->sites.n - 1), &why, 0, "{s:[{s:i}]}",
                                "frames", "offset", &offset),
                 0, "%s", why.text);
    cr_assert(offset == 77 && json_array_size(acks) == 2);
    cr_assert(json_is_null(cpu));
    json_decref(json);
}

/* Also of a damaged record, which may say that a rank ran infinitely long: that is not known. */
Test(profile, json_and_back)
{
    for (int damaged = 0; damaged < 2; damaged++) {
        struct profile *p = profile_of(0, 2);
        profile_merge(p, profile_of(1, 2));
        profile_add_finding(p, "ack", json_pack("{s:i}", "rank", 3));
        p->ranks.at[0].wall = damaged ? INFINITY : 2;
        p->clock_bound = damaged ? NAN : 1e-6;
        char *a = text_of(p);
        json_t *json = json_loads(a, 0, NULL);
        const char *reason;
        struct profile *q = profile_from_json(json, &reason);
        cr_assert_not_null(q, "%s", reason);
        char *b = text_of(q);
        cr_assert_str_eq(a, b);
        cr_assert_eq(q->findings.n, 1);
        cr_assert_eq(!isnan(q->ranks.at[0].wall), !damaged);
        cr_assert_eq(!isnan(q->clock_bound), !damaged);
        /* An index that points nowhere is damage. */
        json_object_set_new(json_array_get(json_object_get(json, "entries"), 0), "operation",
                            json_integer(99));
        cr_assert_null(profile_from_json(json, &reason));
        cr_assert_eq(strncmp(reason, "a damaged profile", 17), 0, "%s", reason);
        json_object_set_new(json, "schema", json_string("collprof-profile/9"));
        cr_assert_null(profile_from_json(json, &reason));
        json_decref(json);
        free(a);
        free(b);
        profile_free(p);
        profile_free(q);
    }
}

/* Clocks of a forged record. */
Test(profile, far_times_are_held)
{
    cr_assert_eq(whole_ns(1.5), 1500000000);
    cr_assert_eq(whole_ns(1e190), FAR_NS);
    cr_assert_eq(whole_ns(-1e190), -FAR_NS);
    cr_assert_eq(whole_ns((double)NAN), -FAR_NS);
}

/* A killed rank may have left any value anywhere. */
Test(profile, indices_of_a_cut_record_are_not_trusted)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    made_calls(&l, 4000000000u, OP_BCAST, 8, 1, 100)->region = 12345;
    made_calls(&l, 1, OPS + 7, 8, 1, 100);
    made_calls(&l, 1, OP_ALLREDUCE, 8, 1, 100)->comm = 999;
    l.sites[1].depth = 200;
    l.sites[2].frame[1].module = 500;
    made_instance(&l, OPS + 3, 0, 0, 1, 2);
    memset(l.header->program, 'x', sizeof l.header->program); /* no end */
    struct profile *p RELEASED(profile_end) = profile_from_ledger(&l);
    FREED char *text = text_of(p);
    cr_assert_not_null(text);
    cr_assert_eq(p->entries.n, 2);
    ledger_close(&l);
}

/* What the kernel counted beside the run: differences, through the file; the unknown stays so. */
Test(profile, noise_is_what_was_added_during_the_run)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    made_calls(&l, 1, OP_BCAST, 8, 1, 1000);
    l.header->section[LEDGER_SITES].dropped = 7;
    l.header->noise[0] = (struct noise_totals){1000, 200};
    l.header->noise[1] = (struct noise_totals){9000, 700};
    struct profile *p = profile_from_ledger(&l);
    json_auto_t *json = written(p);
    const char *reason = NULL;
    struct profile *r = profile_from_json(json, &reason);
    cr_assert_not_null(r, "%s", reason);
    for (int back = 0; back < 2; back++) {
        const struct profile_rank *rank = &(back ? r : p)->ranks.at[0];
        cr_assert_eq(rank->cpu_ns, 8000);
        cr_assert_eq(rank->delayed_ns, 500);
        cr_assert_eq(rank->dropped[LEDGER_SITES], 7);
    }
    json_object_del(json_array_get(json_object_get(json, "ranks"), 0), "cpu_ns");
    struct profile *old = profile_from_json(json, &reason); /* an older file */
    cr_assert_eq(old->ranks.at[0].cpu_ns, -1);
    /* A process that was killed before the first reading. */
    l.header->noise[1] = (struct noise_totals){0};
    struct profile *cut = profile_from_ledger(&l);
    cr_assert_eq(cut->ranks.at[0].delayed_ns, -1);
    struct profile *all[] = {p, r, old, cut};
    for (size_t i = 0; i < 4; i++)
        profile_free(all[i]);
    ledger_close(&l);
}

/* What a profile of somebody else's may hold, by kinds of fields: read, and written again. */
Test(profile, fields_of_every_kind_there_and_back)
{
    static const struct {
        enum field_kind kind;
        const char *read, *written; /* NULL: refused */
    } known[] = {{FIELD_U32, "4294967295", "4294967295"},
                 {FIELD_U32, "4294967296", NULL},
                 {FIELD_U32, "-1", NULL},
                 {FIELD_MAYBE, "5", "5"},
                 {FIELD_MAYBE, "null", "null"},
                 {FIELD_MAYBE, "-3", NULL},
                 {FIELD_REAL, "null", "null"},
                 {FIELD_REAL, "2.5", "2.5"},
                 {FIELD_U64, "5", "5"},
                 {FIELD_I64, "-5", "-5"},
                 {FIELD_U64, "-5", NULL},
                 {FIELD_I64, "-9000000000000000000", NULL},
                 {FIELD_U64, "9000000000000000000", NULL},
                 {FIELD_REAL, "1e19", NULL},
                 {FIELD_HEX, "\"0x12\"", "\"0x0000000000000012\""},
                 {FIELD_HISTOGRAM, "[64, 3]", "[64, 3]"},
                 {FIELD_HISTOGRAM, "[64, -3]", NULL},
                 {FIELD_HISTOGRAM, "[-64, 3]", NULL}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct field field = {.key = "x", .kind = known[i].kind};
        const struct fields fields = {&field, 1};
        union {
            uint64_t any;
            uint64_t *histogram;
        } data = {0};
        json_t *object = json_object();
        json_object_set_new(object, "x", json_loads(known[i].read, JSON_DECODE_ANY, NULL));
        cr_expect_eq(fields_read(object, &fields, &data), known[i].written != NULL, "%zu", i);
        json_decref(object);
        if (known[i].written) {
            object = fields_json(&fields, &data);
            char *text = json_dumps(json_object_get(object, "x"), JSON_ENCODE_ANY);
            cr_expect_str_eq(text, known[i].written, "%zu", i);
            free(text);
            json_decref(object);
        }
        if (known[i].kind == FIELD_HISTOGRAM)
            free(data.histogram);
    }
}

/* Threads of a rank that are in one call are one rank that is. */
Test(profile, a_rank_is_named_once)
{
    char text[60] = "";
    int32_t rank[] = {0, 1, 2, 3, 0, 1, 2, 3}, pair[] = {5, 4, 5, 9}, one[] = {7, 7};
    rank_list(text, sizeof text, rank, 8);
    cr_assert_str_eq(text, "0-3");
    rank_list(text, sizeof text, pair, 4);
    cr_assert_str_eq(text, "4, 5, 9");
    rank_list(text, sizeof text, one, 2);
    cr_assert_str_eq(text, "7");
}
