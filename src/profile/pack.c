/* The packed form: all tables one after the other, integers as they are in memory (all ranks of a
 * run are of one kind), a sum over everything at the end. */
#include "profile/model.h"

#include <stdlib.h>

#define PACK_MAGIC 0x326b636170666c63ull /* "clfpack2" */

typedef ARRAY(unsigned char) bytes;

static void put(bytes *o, const void *data, size_t size)
{
    if (o->n + size > o->room) {
        size_t room = 2 * (o->n + size) + 4096;
        void *larger = realloc(o->at, room);
        if (!larger)
            memory_out();
        o->at = larger;
        o->room = room;
    }
    if (size)
        memcpy(o->at + o->n, data, size);
    o->n += size;
}

static void put_count(bytes *o, uint64_t n)
{
    put(o, &n, sizeof n);
}

static void put_text(bytes *o, const char *text)
{
    put_count(o, strlen(text));
    put(o, text, strlen(text));
}

static void put_histogram(bytes *o, const uint64_t *histogram)
{
    uint64_t used = 0;
    for (unsigned b = 0; histogram && b < HISTOGRAM_BUCKETS; b++)
        used += histogram[b] > 0;
    put_count(o, used);
    for (uint64_t b = 0; used && b < HISTOGRAM_BUCKETS; b++) {
        if (histogram[b]) {
            put_count(o, b);
            put_count(o, histogram[b]);
        }
    }
}

static void put_frames(bytes *o, const struct profile_site *s)
{
    put_count(o, s->depth);
    for (uint32_t f = 0; f < s->depth; f++) {
        put_count(o, s->frame[f].module);
        put_count(o, s->frame[f].address);
    }
}

static void put_json(bytes *o, const json_t *value)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    put_text(o, text ? text : "null");
    free(text);
}

static void put_fields(bytes *o, const struct fields *fields, const void *row)
{
    for (const struct field *f = fields->at; f < fields->at + fields->n; f++) {
        const void *at = (const char *)row + f->offset;
        if (f->kind == FIELD_TEXT)
            put_text(o, at);
        else if (f->kind == FIELD_STRING)
            put_text(o, *(char *const *)at);
        else if (f->kind == FIELD_HISTOGRAM)
            put_histogram(o, *(uint64_t *const *)at);
        else if (f->kind == FIELD_FRAMES)
            put_frames(o, at);
        else if (f->kind == FIELD_JSON)
            put_json(o, *(json_t *const *)at);
        else
            put(o, at, f->size);
    }
}

void *profile_pack(const struct profile *p, size_t *size)
{
    bytes o = {0};
    put_count(&o, PACK_MAGIC);
    put_fields(&o, &fields_run, p);
    put_fields(&o, &fields_trace, &p->trace);
    for (enum profile_table t = 0; t < TABLES; t++) {
        size_t n = profile_tables[t].how & TABLE_MERGED ? rows_in(p, t)->n : 0;
        put_count(&o, n);
        for (size_t i = 0; i < n; i++)
            put_fields(&o, &profile_tables[t].fields, row_at(p, t, i));
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

static char *get_string(struct in *i)
{
    uint64_t n = get_count(i, 1);
    char *text = memory_alloc(n + 1);
    get(i, text, n);
    return text;
}

/* A text that is too long for its member is damage. */
static void get_text(struct in *i, char *text, size_t size)
{
    uint64_t n = get_count(i, 1);
    i->bad = i->bad || n >= size;
    get(i, text, i->bad ? 0 : n);
}

static uint64_t *get_histogram(struct in *i)
{
    uint64_t *histogram = memory_alloc(HISTOGRAM_BUCKETS * sizeof *histogram);
    for (uint64_t used = get_count(i, 16); used > 0; used--) {
        uint64_t bucket = get_count(i, 0), count = get_count(i, 0);
        if (bucket < HISTOGRAM_BUCKETS)
            histogram[bucket] = count;
    }
    return histogram;
}

static void get_frames(struct in *i, struct profile_site *s)
{
    uint64_t depth = get_count(i, 16);
    i->bad = i->bad || depth > LEDGER_MAX_DEPTH;
    s->depth = i->bad ? 0 : (uint32_t)depth;
    for (uint32_t f = 0; f < s->depth; f++) {
        s->frame[f].module = (uint32_t)get_count(i, 0);
        s->frame[f].address = get_count(i, 0);
    }
}

static json_t *get_json(struct in *i)
{
    char *text = get_string(i);
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    free(text);
    return value ? value : json_null();
}

static void get_fields(struct in *i, const struct fields *fields, void *row)
{
    for (const struct field *f = fields->at; f < fields->at + fields->n; f++) {
        void *at = (char *)row + f->offset;
        if (f->kind == FIELD_TEXT)
            get_text(i, at, f->size);
        else if (f->kind == FIELD_STRING)
            *(char **)at = get_string(i);
        else if (f->kind == FIELD_HISTOGRAM)
            *(uint64_t **)at = get_histogram(i);
        else if (f->kind == FIELD_FRAMES)
            get_frames(i, at);
        else if (f->kind == FIELD_JSON)
            *(json_t **)at = get_json(i);
        else
            get(i, at, f->size);
        i->bad = i->bad || (f->kind == FIELD_BOOL && *(const unsigned char *)at > 1);
    }
}

struct profile *profile_unpack(const void *packed, size_t size)
{
    uint64_t magic, sum;
    if (size < sizeof magic + sizeof sum)
        return NULL;
    memcpy(&magic, packed, sizeof magic);
    memcpy(&sum, (const char *)packed + size - sizeof sum, sizeof sum);
    if (magic != PACK_MAGIC || sum != profile_hash(packed, size - sizeof sum))
        return NULL;
    struct in i = {(const unsigned char *)packed + sizeof magic, size - sizeof magic - sizeof sum,
                   false};
    struct profile *p = profile_new();
    get_fields(&i, &fields_run, p);
    get_fields(&i, &fields_trace, &p->trace);
    for (enum profile_table t = 0; t < TABLES; t++)
        for (uint64_t n = get_count(&i, 1); n > 0 && !i.bad; n--)
            get_fields(&i, &profile_tables[t].fields,
                       array_push(rows_in(p, t), profile_tables[t].size));
    if (i.bad || !positions_valid(p)) {
        profile_free(p);
        return NULL;
    }
    profile_reindex(p);
    return p;
}
