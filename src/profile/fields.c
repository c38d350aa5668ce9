#include "profile/model.h"

static const char *const state_names[] = {
    [LEDGER_RUNNING] = "running", [LEDGER_FINALIZED] = "finalized", [LEDGER_EXITED] = "exited",
    [LEDGER_ABORTED] = "aborted", [LEDGER_SIGNALLED] = "signalled", [PROFILE_CUT_OFF] = "cut off"};
#define NAME(id, name) name,
static const char *const family_names[] = {CALL_FAMILIES(NAME)};
static const char *const network_names[] = {[LEDGER_NETWORK_OFF] = "off",
                                            [LEDGER_NETWORK_ON] = "recorded",
                                            [LEDGER_NETWORK_NO_UCX] = "system calls alone",
                                            [LEDGER_NETWORK_MISSING] = "missing"};

#define LIST(of) of##_list = {of##_names, sizeof of##_names / sizeof *of##_names}
const struct names LIST(clock), LIST(state);
static const struct names LIST(family), LIST(wait), LIST(cause), LIST(replay), LIST(network);

/* These macros make tables of struct field from the lines of rows.h, which explains each macro. */
#define FIELD(name, shown, of, merged, ...)                                                        \
    {                                                                                              \
        .key = shown, .kind = FIELD_##of, .merge = MERGE_##merged, .offset = offsetof(row, name),  \
        .size = sizeof(((row *)0)->name), __VA_ARGS__                                              \
    }
#define ROW(name)                                                                                  \
    const struct fields *name##_fields(void);                                                      \
    const struct fields *name##_fields(void)                                                       \
    {                                                                                              \
        typedef struct name row;                                                                   \
        static const struct field at[] = {
#define END()                                                                                      \
    }                                                                                              \
    ;                                                                                              \
    static const struct fields all = {at, sizeof at / sizeof *at};                                 \
    return &all;                                                                                   \
    }
#define F(name, key, kind, merge) FIELD(name, key, kind, merge, ),
#define OF(name, key, kind, merge) F(name, key, kind, merge)
#define OF_NAMED(name, key, merge, list) NAMED(name, key, merge, list)
#define TABLES()
#define TEXT(name, key, size, merge) F(name, key, TEXT, merge)
#define PLAIN(type, name)
#define NAMED(name, key, merge, list) FIELD(name, key, NAME, merge, .names = &list##_list),
#define IN(name, key, in, merge) FIELD(name, key, ROW, merge, .table = TABLE_##in),
#define NEEDED(name, key, in, merge)                                                               \
    FIELD(name, key, ROW, merge, .table = TABLE_##in, .needed = true),
/* The fields of a segment, the time between two MPI calls. */
#define SEGMENT(in, merge)                                                                         \
    IN(in from_site, "from_site", SITES, merge)                                                    \
    IN(in from_operation, "from_operation", OPERATIONS, merge)                                     \
    IN(in site, "site", SITES, merge) IN(in operation, "operation", OPERATIONS, merge)

ROW(root_cause)
NAMED(kind, "kind", FIRST, cause)
F(rank, "rank", INDEX, FIRST)
SEGMENT(, FIRST)
F(direct_ns, "direct_ns", U64, FIRST)
F(passed_ns, "passed_on_ns", U64, FIRST)
F(waits, "waits", U64, FIRST)
F(path_ns, "path_ns", U64, FIRST)
F(error_ns, "error_ns", REAL, FIRST)
F(followed, "followed", U64, FIRST)
F(in_turn, "in_turn", U64, FIRST)
F(wave_ranks, "wave_ranks", U32, FIRST)
F(wave_ns, "wave_ns", I64, FIRST)
F(wave_end, "wave_end", INDEX, FIRST)
IN(wait_site, "waited_at_site", SITES, FIRST)
IN(wait_operation, "waited_in_operation", OPERATIONS, FIRST)
NAMED(wait_state, "state", FIRST, wait)
END()

ROW(prediction)
SEGMENT(segment., FIRST)
F(ranks, "ranks", U32, FIRST)
F(wall_ns, "wall_ns", REAL, FIRST)
F(low_ns, "low_ns", REAL, FIRST)
F(high_ns, "high_ns", REAL, FIRST)
END()

/* Events have only indices as fields: they are not written, and merging changes only indices. */
ROW(event)
IN(site, NULL, SITES, FIRST)
IN(operation, NULL, OPERATIONS, FIRST)
END()

ROW(net)
IN(site, NULL, SITES, FIRST)
IN(operation, NULL, OPERATIONS, FIRST)
END()

#include "profile/rows.h"

#define ROWS_INFO(id, member, key, row, how)                                                       \
    {key, row##_fields, offsetof(struct profile, member),                                          \
     sizeof *((struct profile *)0)->member.at, how},
const struct table_info profile_tables[TABLES] = {PROFILE_TABLES(ROWS_INFO)};

const char *names_at(const struct names *names, uint32_t value)
{
    return value < names->n ? names->at[value] : "unknown";
}
