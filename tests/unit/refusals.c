/* Protects those who read a profile.json that was damaged, or written by others: figures that
 * cannot be are refused with what is wrong with them, and those that just can be are not. */
#include "made_profile.h"

#include <jansson.h>

/* A rank that ran for 2 s, 1 ms of it in ten calls of MPI_Allreduce. */
static json_t *made_json(void)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    struct ledger_entry *e = made_calls(&l, 1, OP_ALLREDUCE, 8, 10, 100000);
    e->completed = 10;
    struct profile *p = made_merged(NULL, &l);
    profile_symbolize(p);
    p->trace = (struct profile_trace){.on = true, .covered = 1, .calls_ns = 1000000};
    *PUSH(&p->arrivals) = (struct profile_arrival){
        .operation = p->entries.at[0].operation, .instances = 1, .time_ns = 500, .wait_ns = 500};
    *PUSH(&p->waits) =
        (struct wait){.operation = p->entries.at[0].operation, .state = 1, .calls = 1};
    p->stack_depth = 1;
    json_t *json = profile_json(p);
    profile_free(p);
    return json;
}

static const struct {
    const char *list, *key;
    double good, bad;   /* the last that can be, and the first that cannot */
    const char *reason; /* NULL: only that it is damaged */
} known[] = {
    {"ranks", "wall_seconds", 0, -1e-9, "a rank was longer in MPI"},
    /* Twice the run of 2 s and a second. */
    {"ranks", "mpi_ns", 5e9, 5e9 + 1, "a rank was longer in MPI"},
    {"ranks", "delayed_ns", 5e9, 5e9 + 1, "or runnable but not scheduled, than it ran"},
    {"entries", "errors", 10, 11, "calls of one call site took longer, or failed more often"},
    {"entries", "complete_at_wait", 10, 11, "calls of one call site took longer"},
    /* Ten calls, of which none took more than 0.1 ms. */
    {"entries", "time_ns", 1099999, 1100000, "calls of one call site took longer"},
    {"arrivals", "wait_ns", 500, 501, "collectives of one call site waited for longer"},
    {"arrivals", "wait_ns", 0, -1, NULL},
    {"waits", "wait_ns", 1000999, 1001001, "the sum of times is longer than the run"},
    {"trace", "covered", 0, -0.01, "a trace covers more than its run"},
    {"trace", "covered", 1, 1.01, "a trace covers more than its run"},
    {"regions", "time_ns", 0, -5, NULL},
    {"entries", "size_class", 63, 64, NULL},
    {"ranks", "rank", 0, -1, NULL},
    /* Of one rank, and few places. */
    {"ranks", "host", 0, 1, NULL},
    {"entries", "site", 0, 99, NULL},
    {"entries", "communicator", 0, 99, NULL},
    {"arrivals", "site", 0, 99, NULL},
    {"waits", "site", 0, 99, NULL},
};

static bool is_read(size_t i, double value)
{
    json_t *json = made_json(), *at = json_object_get(json, known[i].list);
    const char *reason;
    if (json_is_array(at))
        at = json_array_get(at, 0);
    json_t *was = json_object_get(at, known[i].key);
    cr_assert(was && (json_is_number(was) || json_is_null(was)), "%s of %s", known[i].key,
              known[i].list);
    json_object_set_new(at, known[i].key,
                        json_is_real(was) ? json_real(value) : json_integer((json_int_t)value));
    struct profile *p = profile_from_json(json, &reason);
    json_decref(json);
    if (!p && known[i].reason)
        cr_expect(strstr(reason, known[i].reason), "case %zu: %s", i, reason);
    else if (!p)
        cr_expect_str_eq(reason, "a damaged profile", "case %zu", i);
    bool read = p;
    profile_free(p);
    return read;
}

Test(refusals, figures_that_cannot_be)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cr_expect(is_read(i, known[i].good), "case %zu: %s %g is possible", i, known[i].key,
                  known[i].good);
        cr_expect_not(is_read(i, known[i].bad), "case %zu: %s %g is impossible", i, known[i].key,
                      known[i].bad);
    }
}

/* The version before had other names for some members. */
Test(refusals, another_version)
{
    json_t *json = made_json();
    const char *reason;
    json_object_set_new(json, "schema", json_string("collprof-profile/2"));
    cr_expect_null(profile_from_json(json, &reason));
    cr_expect_str_eq(reason, "a profile of another version of collprof (this one reads "
                             "collprof-profile/4)");
    json_object_set_new(json, "schema", json_string("collprof-scale/1"));
    cr_expect_null(profile_from_json(json, &reason));
    cr_expect_str_eq(reason, "no collprof profile");
    json_decref(json);
}

static void assert_refused(json_t *in, const char *key, json_int_t value, json_t *json)
{
    const char *reason;
    cr_assert(json_is_object(in), "%s", key);
    json_object_set_new(in, key, json_integer(value));
    cr_expect_null(profile_from_json(json, &reason), "%s %lld", key, (long long)value);
    json_decref(json);
}

/* The first frame of a call site that has one. */
static json_t *frame_of(const json_t *json)
{
    size_t i;
    json_t *site, *frame = NULL;
    json_array_foreach(json_object_get(json, "sites"), i, site)
        if (!frame)
            frame = json_array_get(json_object_get(site, "frames"), 0);
    return frame;
}

/* Those that are read one by one. */
Test(refusals, integers_beyond_their_type)
{
    json_t *json = made_json();
    assert_refused(frame_of(json), "line", -1, json);
    json = made_json();
    assert_refused(frame_of(json), "offset", -1, json);
    json = made_json();
    assert_refused(frame_of(json), "module", 99, json);
}

/* Where threads call MPI at once, their calls may last longer together than the run; a rank that
 * was killed has no end to compare with. */
Test(refusals, not_where_it_can_be)
{
    const char *reason;
    json_t *json = made_json(), *rank = json_array_get(json_object_get(json, "ranks"), 0);
    json_object_set_new(rank, "mpi_ns", json_integer(1000000000000));
    json_object_set_new(json_object_get(json, "run"), "threads_at_once", json_true());
    struct profile *p = profile_from_json(json, &reason);
    cr_expect_not_null(p, "threads: %s", reason);
    profile_free(p);
    json_object_set_new(json_object_get(json, "run"), "threads_at_once", json_false());
    json_object_set_new(rank, "state", json_string("running"));
    p = profile_from_json(json, &reason);
    cr_expect_not_null(p, "killed: %s", reason);
    profile_free(p);
    json_decref(json);
}
