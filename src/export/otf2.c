/* The trace as an OTF2 archive, for Vampir, Scalasca's tools and otf2-print. A rank is a location
 * group, a thread a location, an MPI function a region, a matched message a pair of records. */
#include "config.h"
#include "export/export.h"

#if HAVE_OTF2
#include <otf2/otf2.h>

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK_EVENTS = 1 << 20, CHUNK_DEFINITIONS = 4 << 20, WORLD = 0 };

struct archive {
    const struct profile *p;
    const struct timeline *t;
    OTF2_Archive *file;
    OTF2_GlobalDefWriter *definitions;
    OTF2_StringRef strings; /* number of strings written, which is the next reference */
    size_t call;            /* index in t->order of the next event to write */
    bool bad;               /* a write has failed */
};

/* Stores the first error, which the OTF2 library would print on standard error. */
static OTF2_ErrorCode on_error(void *why, const char *file, uint64_t line, const char *function,
                               OTF2_ErrorCode code, const char *format, va_list arguments)
{
    const char **reason = why;
    (void)file, (void)line, (void)function, (void)format, (void)arguments;
    if (code > OTF2_SUCCESS && !*reason)
        *reason = errno ? strerror(errno) : OTF2_Error_GetDescription(code);
    return code;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void must(struct archive *a, OTF2_ErrorCode code)
{
    a->bad = a->bad || code != OTF2_SUCCESS;
}

static OTF2_FlushType on_full(void *data, OTF2_FileType type, OTF2_LocationRef location,
                              void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_TimeStamp time_of(const struct archive *a, int64_t ns)
{
    return ns > a->p->trace.first_ns ? (OTF2_TimeStamp)(ns - a->p->trace.first_ns) : 0;
}

/* A location's number has the thread in its lowest 8 bits, and the rank in the others. */
static OTF2_LocationRef location_of(const struct event *events)
{
    return (OTF2_LocationRef)events->rank << 8 | events->thread;
}

/* OTF2 numbers ranks without gaps, so ranks without a record are not counted. */
static uint32_t rank_of(const struct archive *a, uint32_t rank)
{
    return (uint32_t)rank_index(a->p, rank);
}

static OTF2_StringRef string(struct archive *a, const char *text)
{
    must(a, OTF2_GlobalDefWriter_WriteString(a->definitions, a->strings, text));
    return a->strings++;
}

/* Writes event I if it is the send or the receive of a matched message. */
static void put_message(struct archive *a, OTF2_EvtWriter *w, size_t i)
{
    const struct event *events = &a->p->events.at[i];
    if (a->t->partner[i] == TIMELINE_NONE)
        return;
    if (events->kind == EVENT_SEND || events->kind == EVENT_POST)
        must(a,
             OTF2_EvtWriter_MpiSend(w, NULL, time_of(a, events->entry_ns), rank_of(a, events->peer),
                                    WORLD, (uint32_t)events->tag, events->bytes));
    else if (events->kind == EVENT_RECEIVED)
        must(a,
             OTF2_EvtWriter_MpiRecv(w, NULL, time_of(a, events->exit_ns), rank_of(a, events->peer),
                                    WORLD, (uint32_t)events->tag, timeline_bytes(a->t, i)));
}

static void put_calls(struct archive *a, OTF2_EvtWriter *w, OTF2_LocationRef location)
{
    const struct event *events = a->t->events;
    while (a->call < a->t->n && location_of(&events[a->t->order[a->call]]) == location) {
        const struct event *first = &events[a->t->order[a->call]];
        size_t end = timeline_call_end(a->t, a->call);
        must(a, OTF2_EvtWriter_Enter(w, NULL, time_of(a, first->entry_ns), first->operation));
        for (size_t pass = 0; pass < 2; pass++) /* first sends, then receives */
            for (size_t i = a->call; i < end; i++)
                if ((events[a->t->order[i]].kind == EVENT_RECEIVED) == (pass == 1))
                    put_message(a, w, a->t->order[i]);
        must(a, OTF2_EvtWriter_Leave(w, NULL, time_of(a, first->exit_ns), first->operation));
        a->call = end;
    }
}

static void define_run(struct archive *a)
{
    const struct profile *p = a->p;
    uint64_t length = time_of(a, p->trace.last_ns);
    must(a, OTF2_GlobalDefWriter_WriteClockProperties(a->definitions, 1000000000, 0, length,
                                                      whole_count(p->started_unix * 1e9)));
    OTF2_StringRef none = string(a, ""), node = string(a, "node");
    for (size_t i = 0; i < p->operations.n; i++) {
        OTF2_StringRef name = string(a, p->operations.at[i].name);
        must(a, OTF2_GlobalDefWriter_WriteRegion(a->definitions, (OTF2_RegionRef)i, name, name,
                                                 none, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI,
                                                 OTF2_REGION_FLAG_NONE, none, 0, 0));
    }
    for (size_t i = 0; i < p->hosts.n; i++)
        must(a, OTF2_GlobalDefWriter_WriteSystemTreeNode(a->definitions, (OTF2_SystemTreeNodeRef)i,
                                                         string(a, p->hosts.at[i].name), node,
                                                         OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (size_t i = 0; i < p->ranks.n; i++) {
        char name[40];
        snprintf(name, sizeof name, "MPI Rank %d", p->ranks.at[i].rank);
        must(a, OTF2_GlobalDefWriter_WriteLocationGroup(
                    a->definitions, (OTF2_LocationGroupRef)i, string(a, name),
                    OTF2_LOCATION_GROUP_TYPE_PROCESS, p->ranks.at[i].host,
                    OTF2_UNDEFINED_LOCATION_GROUP));
    }
}

/* Defines MPI_COMM_WORLD only: messages on any communicator name ranks of MPI_COMM_WORLD. */
static void define_world(struct archive *a)
{
    const struct profile *p = a->p;
    FREED uint64_t *members = memory_alloc((p->ranks.n + 1) * sizeof *members);
    FREED uint64_t *ranks = memory_alloc((p->ranks.n + 1) * sizeof *ranks);
    OTF2_StringRef none = string(a, ""), world = string(a, "MPI_COMM_WORLD");
    for (size_t i = 0; i < p->ranks.n; i++) {
        members[i] = (uint64_t)p->ranks.at[i].rank << 8;
        ranks[i] = i;
    }
    must(a, OTF2_GlobalDefWriter_WriteGroup(a->definitions, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                            (uint32_t)p->ranks.n, members));
    must(a, OTF2_GlobalDefWriter_WriteGroup(a->definitions, 1, none, OTF2_GROUP_TYPE_COMM_GROUP,
                                            OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                            (uint32_t)p->ranks.n, ranks));
    must(a, OTF2_GlobalDefWriter_WriteComm(a->definitions, WORLD, world, 1, OTF2_UNDEFINED_COMM,
                                           OTF2_COMM_FLAG_NONE));
}

static void put_location(struct archive *a, int32_t rank, OTF2_LocationRef location)
{
    char name[40];
    uint64_t events = 0;
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a->file, location);
    OTF2_DefWriter *d = OTF2_Archive_GetDefWriter(a->file, location);
    a->bad = a->bad || !w || !d;
    if (a->bad)
        return;
    put_calls(a, w, location);
    OTF2_EvtWriter_GetNumberOfEvents(w, &events);
    must(a, OTF2_Archive_CloseEvtWriter(a->file, w));
    must(a, OTF2_Archive_CloseDefWriter(a->file, d));
    snprintf(name, sizeof name, "thread %u", (unsigned)(location & 0xff));
    must(a, OTF2_GlobalDefWriter_WriteLocation(a->definitions, location, string(a, name),
                                               OTF2_LOCATION_TYPE_CPU_THREAD, events,
                                               (OTF2_LocationGroupRef)rank_of(a, (uint32_t)rank)));
}

/* Writes the threads of RANK, at least one. Calls must be in the order of ranks, as t->order is. */
static void put_rank(struct archive *a, int32_t rank)
{
    OTF2_LocationRef location = (OTF2_LocationRef)rank << 8;
    do {
        put_location(a, rank, location);
        bool more = a->call < a->p->events.n;
        location = more ? location_of(&a->p->events.at[a->t->order[a->call]]) : 0;
    } while (!a->bad && location >> 8 == (OTF2_LocationRef)rank && location & 0xff);
}

static void put_all(struct archive *a)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = on_full};
    must(a, OTF2_Archive_SetFlushCallbacks(a->file, &flush, NULL));
    must(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->file));
    must(a, OTF2_Archive_OpenEvtFiles(a->file));
    must(a, OTF2_Archive_OpenDefFiles(a->file));
    a->definitions = OTF2_Archive_GetGlobalDefWriter(a->file);
    a->bad = a->bad || !a->definitions;
    if (a->bad)
        return;
    define_run(a);
    for (size_t i = 0; i < a->p->ranks.n && !a->bad; i++)
        put_rank(a, a->p->ranks.at[i].rank);
    define_world(a);
    must(a, OTF2_Archive_CloseGlobalDefWriter(a->file, a->definitions));
    must(a, OTF2_Archive_CloseDefFiles(a->file));
    must(a, OTF2_Archive_CloseEvtFiles(a->file));
}

static bool write_otf2(const struct export_request *r, struct profile *p, FILE *none)
{
    (void)none;
    struct timeline t RELEASED(timeline_free) = {0};
    struct stat st;
    static const char *why;
    if (!lstat(r->path, &st))
        return reason_give("%s: exists; an OTF2 archive is never overwritten", r->path);
    why = NULL;
    errno = 0;
    OTF2_Error_RegisterCallback(on_error, &why);
    timeline_find(&t, p->events.at, p->events.n, within_far(p->trace.error_ns));
    struct archive a = {.p = p, .t = &t};
    a.file = OTF2_Archive_Open(r->path, "traces", OTF2_FILEMODE_WRITE, CHUNK_EVENTS,
                               CHUNK_DEFINITIONS, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (a.file) {
        put_all(&a);
        must(&a, OTF2_Archive_Close(a.file));
    }
    /* OTF2 does not report whether its last block was written, but leaves errno set. */
    if (!why && (errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO))
        why = strerror(errno);
    if (a.file && !a.bad && !why)
        return true;
    nftw(r->path, remove_one, 8, FTW_DEPTH | FTW_PHYS); /* safe: the path did not exist before */
    return reason_give("%s: %s", r->path, why ?: "the OTF2 library could not write it");
}
#else
static bool write_otf2(const struct export_request *r, struct profile *p, FILE *none)
{
    (void)r, (void)p, (void)none;
    return reason_give(
        "this collprof was built without OTF2: install libotf2-trace-dev, then rebuild");
}
#endif

/* With --trace: calls and matched messages as an OTF2 archive, DIR/otf2, if built with OTF2. */
const struct export_format export_otf2 = {
    .name = "otf2",
    .file = "otf2",
    .note = "/traces.otf2: for Vampir, otf2-print and other readers; it has calls and matched "
            "messages, but no records of collectives and requests, and no call paths",
    .is_directory = true,
    .events = EVENTS_NEEDED,
    .write = write_otf2};
