/* Reads ledgers. A record may be damaged, forged, or written to while it is read. So this code
 * makes a copy, which no other process can change, and checks that. */
#include "base/clock.h"
#include "base/input.h"
#include "base/text.h"
#include "record/ledger.h"
#include "transport/transport.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 1 << 24 };

static bool read_at(int fd, void *to, uint64_t bytes, uint64_t offset)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t n = pread(fd, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        done += n > 0 ? (uint64_t)n : 0;
    }
    return true;
}

static const char *check_section(const struct ledger_table *t, uint32_t element_size,
                                 uint64_t file_size, uint64_t *all)
{
    const uint64_t bytes = (uint64_t)t->count * element_size;
    *all += bytes;
    if (t->element_size != element_size)
        return "a damaged record: wrong size of a table's elements";
    if (t->offset > file_size || bytes > file_size - t->offset || *all > file_size)
        return "a damaged record: a table lies outside the file";
    return NULL;
}

static bool is_sane(const struct ledger_header *h)
{
    uint64_t mask = h->sample_mask;
    return h->size >= 0 && h->size <= MOST_RANKS && h->rank >= 0 &&
           (h->size == 0 || h->rank < h->size) && h->state < LEDGER_STATES &&
           h->clock <= CLOCK_SOURCE_CNTVCT && h->slice_shift < 64 &&
           h->stack_depth <= LEDGER_MAX_DEPTH && (mask & (mask + 1)) == 0 &&
           isfinite(h->started_unix) && isfinite(h->pair[0].seconds) &&
           isfinite(h->pair[1].seconds) && isfinite(h->ticks_per_second) &&
           isfinite(h->global_offset) && isfinite(h->global_drift) && isfinite(h->global_bound);
}

static const char *check_header(const struct ledger_header *h, uint64_t file_size)
{
    uint64_t all = sizeof *h;
    const char *fault = NULL;
    if (h->magic != LEDGER_MAGIC)
        return "not a record of collprof";
    if (h->version != LEDGER_VERSION)
        return "a record of another version of collprof";
    if (h->header_size != sizeof *h)
        return "a truncated record";
    for (int s = 0; s < LEDGER_SECTIONS && !fault; s++)
        fault = check_section(&h->section[s], ledger_rules[s].element_size, file_size, &all);
    return !fault && !is_sane(h) ? "a damaged record: impossible values in its header" : fault;
}

/* The file's size is read after the header: the writing process may extend the file meanwhile. */
static const char *read_header(int fd, struct ledger_header *h)
{
    struct stat st;
    if (!read_at(fd, &h->magic, sizeof h->magic, 0) || h->magic != LEDGER_MAGIC)
        return "not a record of collprof";
    if (!read_at(fd, h, sizeof *h, 0))
        return "a truncated record";
    return fstat(fd, &st) ? strerror(errno) : check_header(h, (uint64_t)st.st_size);
}

const char *ledger_peek(struct ledger_header *h, const char *path)
{
    const char *fault;
    CLOSED int fd = input_open(path, NULL, &fault);
    return fd < 0 ? fault : read_header(fd, h);
}

static bool is_of_this_host(const struct ledger_header *h)
{
    char host[sizeof h->host] = "";
    gethostname(host, sizeof host - 1);
    return !strncmp(host, h->host, sizeof h->host);
}

/* A pid may be reused, so the process must also run the same program. If another user owns the
 * process, its program is unknown (EACCES) and assumed to be the same. */
bool ledger_is_alive(const struct ledger_header *h)
{
    char link[64], program[sizeof h->program] = "";
    if (h->pid <= 0 || !is_of_this_host(h))
        return false;
    snprintf(link, sizeof link, "/proc/%lld/exe", (long long)h->pid);
    ssize_t length = readlink(link, program, sizeof program - 1);
    if (length < 0 && errno == EACCES)
        return true;
    return length > 0 && !strncmp(program, h->program, sizeof h->program);
}

static bool is_in(const struct ledger *l, enum ledger_section section, uint64_t i)
{
    return i < l->header->section[section].count;
}

/* Whether element I exists. Index 0 means none: it is valid even if the section was not read. */
static bool is_none_or_in(const struct ledger *l, enum ledger_section section, uint64_t i)
{
    return !i || is_in(l, section, i);
}

static bool refers(const struct ledger *l, uint32_t operation, uint32_t site, uint32_t comm)
{
    return is_in(l, LEDGER_OPERATIONS, operation) && is_none_or_in(l, LEDGER_SITES, site) &&
           is_none_or_in(l, LEDGER_COMMS, comm);
}

static bool refers_in_site(const struct ledger *l, const struct ledger_site *site)
{
    bool good = site->depth <= LEDGER_MAX_DEPTH;
    for (uint32_t f = 0; good && f < site->depth; f++)
        good =
            site->frame[f].module == UINT32_MAX || is_in(l, LEDGER_MODULES, site->frame[f].module);
    return good;
}

static bool refers_in_event(const struct ledger *l, const struct ledger_event *e)
{
    return refers(l, EVENT_OPERATION(e), e->site, LEDGER_NO_COMM) &&
           (EVENT_KIND(e) >= LEDGER_TRANSPORT
                ? EVENT_KIND(e) < LEDGER_TRANSPORT + TRANSPORT_KINDS
                : is_none_or_in(l, LEDGER_CHANNELS, EVENT_CHANNEL(e)));
}

/* What must be true for each element E of a section: its indexes exist. */
#define CHECKS(X)                                                                                  \
    X(OPERATIONS, operations,                                                                      \
      e->family <= FAMILY_LIFECYCLE && text_is_identifier(e->name, sizeof e->name))                \
    X(MODULES, modules,                                                                            \
      e->build_id_size <= sizeof e->build_id && is_in(l, LEDGER_TEXTS, e->path) &&                 \
          is_in(l, LEDGER_TEXTS, e->function))                                                     \
    X(SITES, sites, refers_in_site(l, e))                                                          \
    X(COMMS, comms, is_none_or_in(l, LEDGER_SITES, e->site))                                       \
    X(CALLS, calls, (!e->since && !e->thread) || refers(l, e->operation, e->site, e->comm))        \
    X(ENTRIES, entries,                                                                            \
      refers(l, e->operation, e->site, e->comm) && e->size_class <= 63 &&                          \
          is_none_or_in(l, LEDGER_REGIONS, e->region))                                             \
    X(INSTANCES, instances, refers(l, e->operation, e->site, e->comm))                             \
    X(REQUESTS, requests, !e->posted || refers(l, e->operation, e->site, e->comm))                 \
    X(MESSAGES, messages, refers(l, e->operation, e->site, LEDGER_NO_COMM))                        \
    X(CHANNELS, channels,                                                                          \
      is_none_or_in(l, LEDGER_COMMS, e->comm) &&                                                   \
          (e->kind != LEDGER_CHANNEL_COLLECTIVE || is_in(l, LEDGER_OPERATIONS, (uint32_t)e->tag))) \
    X(EVENTS, events, refers_in_event(l, e))                                                       \
    X(SAMPLES, samples,                                                                            \
      refers(l, e->from_operation == LEDGER_NO_OPERATION ? 0 : e->from_operation, e->from_site,    \
             LEDGER_NO_COMM) &&                                                                    \
          refers(l, e->operation, e->site, LEDGER_NO_COMM) &&                                      \
          is_none_or_in(l, LEDGER_SITES, e->stack))

#define X(name, array, holds)                                                                      \
    static bool check_##array(const struct ledger *l, uint32_t i)                                  \
    {                                                                                              \
        const __typeof__(*l->array) *e = &l->array[i];                                             \
        return holds;                                                                              \
    }
CHECKS(X)
#undef X

static bool (*const checks[LEDGER_SECTIONS])(const struct ledger *l, uint32_t i) = {
#define X(name, array, holds) [LEDGER_##name] = check_##array,
    CHECKS(X)
#undef X
};

static const char *check_tables(const struct ledger *l)
{
    bool good = !l->header->findings || is_in(l, LEDGER_TEXTS, l->header->findings);
    for (int s = 0; s < LEDGER_SECTIONS && good; s++)
        for (uint32_t i = 0; good && checks[s] && i < l->header->section[s].count; i++)
            good = checks[s](l, i);
    return good ? NULL : "a damaged record: an index in it does not exist";
}

/* Allocates COUNT elements and one of zeros, which terminates the last text. */
static bool allocate_section(struct ledger *l, int s, uint32_t count)
{
    return (*ledger_array(l, s) = calloc((size_t)count + 1, ledger_rules[s].element_size));
}

static const char *read_section(int fd, struct ledger *l, int s)
{
    const struct ledger_table *t = &l->header->section[s];
    if (!allocate_section(l, s, t->count))
        return "not enough memory to read this record";
    return read_at(fd, *ledger_array(l, s), (uint64_t)t->count * t->element_size, t->offset)
               ? NULL
               : "a truncated record";
}

/* Reads sections last to first, each after its own copy of the header: the writing process may add
 * elements meanwhile, and elements refer only to earlier sections, which are then read later. */
static const char *read_all(int fd, struct ledger *l, uint32_t sections)
{
    struct ledger_table read[LEDGER_SECTIONS];
    const char *fault = NULL;
    for (int s = LEDGER_SECTIONS - 1; s >= 0 && !fault; s--) {
        fault = read_header(fd, l->header);
        if (!(sections >> s & 1))
            l->header->section[s].count = 0;
        if (!fault)
            fault = read_section(fd, l, s);
        read[s] = l->header->section[s];
    }
    if (fault)
        return fault;
    memcpy(l->header->section, read, sizeof read);
    return check_tables(l);
}

uint64_t ledger_bytes(const struct ledger_table section[LEDGER_SECTIONS])
{
    uint64_t bytes = sizeof(struct ledger_header);
    for (int s = 0; s < LEDGER_SECTIONS; s++)
        bytes += (uint64_t)section[s].count * ledger_rules[s].element_size;
    return bytes;
}

bool ledger_make_room(struct ledger *l, const struct ledger_table section[LEDGER_SECTIONS])
{
    *l = (struct ledger){.header = calloc(1, sizeof *l->header)};
    bool good = l->header;
    for (int s = 0; s < LEDGER_SECTIONS && good; s++)
        good = allocate_section(l, s, section[s].count);
    return good;
}

const char *ledger_check(const struct ledger *l)
{
    return is_sane(l->header) ? check_tables(l) : "a damaged record: impossible values";
}

const char *ledger_open(struct ledger *l, const char *path, uint32_t sections)
{
    const char *fault;
    *l = (struct ledger){0};
    CLOSED int fd = input_open(path, NULL, &fault);
    if (fd < 0)
        return fault;
    l->header = calloc(1, sizeof *l->header);
    fault = l->header ? read_all(fd, l, sections) : "not enough memory to read this record";
    if (fault)
        ledger_close(l);
    return fault;
}
