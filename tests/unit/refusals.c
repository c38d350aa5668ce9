/* Protects those who read a profile.json that was damaged, or written by others: numbers that are
 * out of range, or refer to no row, are refused; the last that can be are not. */
#include "made_profile.h"

#include <jansson.h>

/* A rank with ten calls of MPI_Allreduce. */
static json_t *made_json(void)
{
    struct ledger l;
    made_ledger(&l, NULL, 0, 1);
    made_calls(&l, 1, OP_ALLREDUCE, 8, 10, 100000);
    struct profile *p = made_merged(NULL, &l);
    profile_symbolize(p);
    *PUSH(&p->arrivals) =
        (struct profile_arrival){.operation = p->entries.at[0].operation, .instances = 1};
    *PUSH(&p->waits) =
        (struct wait){.operation = p->entries.at[0].operation, .state = 1, .calls = 1};
    json_t *json = written(p);
    profile_free(p);
    return json;
}

static const struct {
    const char *list, *key;
    double good, bad; /* the last that can be, and the first that cannot */
} known[] = {
    {"ranks", "wall_seconds", 1e9, 3e18},
    {"arrivals", "wait_ns", 0, -1},
    {"regions", "time_ns", 0, -5},
    {"entries", "size_class", 63, 64},
    {"ranks", "rank", 0, -1},
    /* Of one rank, and few places. */
    {"ranks", "host", 0, 1},
    {"entries", "site", 0, 99},
    {"entries", "communicator", 0, 99},
    {"arrivals", "site", 0, 99},
    {"waits", "site", 0, 99},
};

static bool is_read(size_t i, double value)
{
    json_t *json = made_json(), *at = json_array_get(json_object_get(json, known[i].list), 0);
    const char *reason;
    json_t *was = json_object_get(at, known[i].key);
    cr_assert(was && (json_is_number(was) || json_is_null(was)), "%s of %s", known[i].key,
              known[i].list);
    json_object_set_new(at, known[i].key,
                        json_is_real(was) ? json_real(value) : json_integer((json_int_t)value));
    struct profile *p = profile_from_json(json, &reason);
    json_decref(json);
    if (!p)
        cr_expect(strncmp(reason, "a damaged profile", 17) == 0, "case %zu", i);
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
    json_auto_t *json = made_json();
    const char *reason;
    json_object_set_new(json, "schema", json_string("collprof-profile/2"));
    cr_expect_null(profile_from_json(json, &reason));
    cr_expect_str_eq(reason, "a profile of another version of collprof (this one reads "
                             "collprof-profile/4)");
    json_object_set_new(json, "schema", json_string("collprof-scale/1"));
    cr_expect_null(profile_from_json(json, &reason));
    cr_expect_str_eq(reason, "no collprof profile");
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
