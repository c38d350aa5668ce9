/* The flat form: all tables one after the other, integers as they are in memory (all ranks of a
 * run are of one kind), a sum over everything at the end. */
#include "profile/model.h"

#include <stdlib.h>
#include <string.h>

#define PACK_MAGIC 0x316b636170666c63ull /* "clfpack1" */

struct out {
    unsigned char *at;
    size_t n, room;
};

static void put(struct out *o, const void *data, size_t size)
{
    if (o->n + size > o->room) {
        size_t room = 2 * (o->n + size) + 4096;
        unsigned char *larger = profile_alloc(room);
        if (o->n)
            memcpy(larger, o->at, o->n);
        free(o->at);
        o->at = larger;
        o->room = room;
    }
    if (size)
        memcpy(o->at + o->n, data, size);
    o->n += size;
}

static void put_count(struct out *o, uint64_t n)
{
    put(o, &n, sizeof n);
}

static void put_text(struct out *o, const char *text)
{
    put_count(o, strlen(text));
    put(o, text, strlen(text));
}

static void put_histogram(struct out *o, const uint64_t *histogram)
{
    uint64_t used = 0;
    for (unsigned b = 0; b < HISTOGRAM_BUCKETS; b++)
        used += histogram[b] > 0;
    put_count(o, used);
    for (uint64_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
        if (histogram[b]) {
            put_count(o, b);
            put_count(o, histogram[b]);
        }
    }
}

/* Elements that hold no pointers go as they are. */
#define PUT_PLAIN(o, array)                                                                        \
    do {                                                                                           \
        put_count(o, (array)->n);                                                                  \
        put(o, (array)->at, (array)->n * sizeof *(array)->at);                                     \
    } while (0)

static void put_texts(struct out *o, char *const *text, size_t n)
{
    put_count(o, n);
    for (size_t i = 0; i < n; i++)
        put_text(o, text[i]);
}

/* The part of a profile that is neither table nor pointer. */
struct head {
    uint64_t magic, run_id, events_dropped;
    double started_unix, clock_bound;
    int32_t size, thread_level;
    uint32_t clock, stack_depth, sample_mask;
    uint8_t synchronized, crashed, yields, unused;
};

void *profile_pack(const struct profile *p, size_t *size)
{
    struct out o = {0};
    struct head head;
    memset(&head, 0, sizeof head);
    head.magic = PACK_MAGIC;
    head.run_id = p->run_id;
    head.events_dropped = p->events_dropped;
    head.started_unix = p->started_unix;
    head.clock_bound = p->clock_bound;
    head.size = p->size;
    head.thread_level = p->thread_level;
    head.clock = p->clock;
    head.stack_depth = p->stack_depth;
    head.sample_mask = p->sample_mask;
    head.synchronized = p->synchronized;
    head.crashed = p->crashed;
    head.yields = p->yields;
    put(&o, &head, sizeof head);
    put_texts(&o, p->programs.at, p->programs.n);
    put_texts(&o, p->libraries.at, p->libraries.n);
    put_texts(&o, p->warnings.at, p->warnings.n);
    PUT_PLAIN(&o, &p->hosts);
    PUT_PLAIN(&o, &p->ranks);
    PUT_PLAIN(&o, &p->modules);
    PUT_PLAIN(&o, &p->operations);
    PUT_PLAIN(&o, &p->comms);
    PUT_PLAIN(&o, &p->regions);
    put_count(&o, p->sites.n);
    for (size_t i = 0; i < p->sites.n; i++) {
        const struct profile_site *s = &p->sites.at[i];
        put_count(&o, s->depth);
        for (uint32_t f = 0; f < s->depth; f++) {
            put_count(&o, s->frame[f].module);
            put_count(&o, s->frame[f].address);
        }
    }
    put_count(&o, p->entries.n);
    for (size_t i = 0; i < p->entries.n; i++) {
        put(&o, &p->entries.at[i], offsetof(struct profile_entry, histogram));
        put_histogram(&o, p->entries.at[i].histogram);
    }
    PUT_PLAIN(&o, &p->groups);
    PUT_PLAIN(&o, &p->events);
    put_count(&o, p->findings.n);
    for (size_t i = 0; i < p->findings.n; i++) {
        char *text = json_dumps(p->findings.at[i].value, JSON_COMPACT | JSON_ENCODE_ANY);
        put_text(&o, p->findings.at[i].kind);
        put_text(&o, text ? text : "null");
        free(text);
    }
    put_count(&o, profile_hash(o.at, o.n));
    *size = o.n;
    return o.at;
}

struct in {
    const unsigned char *at;
    size_t left;
    bool bad;
};

static void get(struct in *i, void *data, size_t size)
{
    if (i->bad || size > i->left) {
        i->bad = true;
        memset(data, 0, size);
        return;
    }
    if (size)
        memcpy(data, i->at, size);
    i->at += size;
    i->left -= size;
}

/* A number of things of which each takes at least LEAST bytes. */
static uint64_t get_count(struct in *i, size_t least)
{
    uint64_t n;
    get(i, &n, sizeof n);
    if (least && n > i->left / least) {
        i->bad = true;
        return 0;
    }
    return n;
}

static uint64_t get_number(struct in *i)
{
    return get_count(i, 0);
}

static char *get_text(struct in *i)
{
    uint64_t n = get_count(i, 1);
    char *text = profile_alloc(n + 1);
    get(i, text, n);
    return text;
}

#define GET_PLAIN(i, array)                                                                        \
    for (uint64_t n = get_count(i, sizeof *(array)->at); n > 0; n--)                               \
    get(i, PUSH(array), sizeof *(array)->at)

#define GET_TEXTS(i, array)                                                                        \
    for (uint64_t n = get_count(i, 8); n > 0; n--)                                                 \
    *PUSH(array) = get_text(i)

static void get_entries(struct in *i, struct profile *p)
{
    uint64_t histogram[HISTOGRAM_BUCKETS];
    for (uint64_t n = get_count(i, offsetof(struct profile_entry, histogram)); n > 0; n--) {
        struct profile_entry e = {0};
        get(i, &e, offsetof(struct profile_entry, histogram));
        memset(histogram, 0, sizeof histogram);
        for (uint64_t used = get_count(i, 16); used > 0; used--) {
            uint64_t bucket = get_number(i), count = get_number(i);
            if (bucket < HISTOGRAM_BUCKETS)
                histogram[bucket] = count;
        }
        e.histogram = histogram;
        profile_add_entry(p, &e);
    }
}

static void get_findings(struct in *i, struct profile *p)
{
    for (uint64_t n = get_count(i, 16); n > 0; n--) {
        char *kind = get_text(i), *text = get_text(i);
        json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
        if (value)
            profile_add_finding(p, kind, value);
        free(kind);
        free(text);
    }
}

static void get_head(struct profile *p, const struct head *head)
{
    p->run_id = head->run_id;
    p->events_dropped = head->events_dropped;
    p->started_unix = head->started_unix;
    p->clock_bound = head->clock_bound;
    p->size = head->size;
    p->thread_level = head->thread_level;
    p->clock = head->clock;
    p->stack_depth = head->stack_depth;
    p->sample_mask = head->sample_mask;
    p->synchronized = head->synchronized;
    p->crashed = head->crashed;
    p->yields = head->yields;
}

static void get_sites(struct in *i, struct profile *p)
{
    for (uint64_t n = get_count(i, 8); n > 0; n--) {
        struct profile_site s = {0};
        uint64_t depth = get_count(i, 16);
        s.depth = depth <= LEDGER_MAX_DEPTH ? (uint32_t)depth : 0;
        i->bad = i->bad || depth > LEDGER_MAX_DEPTH;
        for (uint32_t f = 0; f < s.depth; f++) {
            s.frame[f].module = (uint32_t)get_number(i);
            s.frame[f].address = get_number(i);
        }
        profile_add_site(p, &s);
    }
}

struct profile *profile_unpack(const void *packed, size_t size)
{
    struct head head;
    uint64_t sum;
    if (size < sizeof head + sizeof sum)
        return NULL;
    memcpy(&head, packed, sizeof head);
    memcpy(&sum, (const char *)packed + size - sizeof sum, sizeof sum);
    if (head.magic != PACK_MAGIC || sum != profile_hash(packed, size - sizeof sum))
        return NULL;
    struct in i = {(const unsigned char *)packed + sizeof head, size - sizeof head - sizeof sum,
                   false};
    struct profile *p = profile_new();
    get_head(p, &head);
    GET_TEXTS(&i, &p->programs);
    GET_TEXTS(&i, &p->libraries);
    GET_TEXTS(&i, &p->warnings);
    GET_PLAIN(&i, &p->hosts);
    GET_PLAIN(&i, &p->ranks);
    GET_PLAIN(&i, &p->modules);
    GET_PLAIN(&i, &p->operations);
    for (uint64_t n = get_count(&i, sizeof(struct profile_comm)); n > 0; n--) {
        struct profile_comm c;
        get(&i, &c, sizeof c);
        profile_add_comm(p, &c);
    }
    GET_PLAIN(&i, &p->regions);
    get_sites(&i, p);
    get_entries(&i, p);
    for (uint64_t n = get_count(&i, sizeof(struct profile_group)); n > 0; n--) {
        struct profile_group g;
        get(&i, &g, sizeof g);
        profile_group(p, g.site, g.operation)->spread = g.spread;
    }
    GET_PLAIN(&i, &p->events);
    get_findings(&i, p);
    if (i.bad) {
        profile_free(p);
        return NULL;
    }
    return p;
}
