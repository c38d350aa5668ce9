/* The flat form: all tables one after the other, integers as they are in memory (all ranks of a
 * run are of one kind), a sum over everything at the end. */
#include "profile/fields.h"

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
        unsigned char *larger = memory_alloc(room);
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

/* Member by member, as fields.c describes them. */
static void put_fields(struct out *o, const struct fields *fields, const void *data)
{
    for (size_t i = 0; i < fields->n; i++) {
        const struct field *f = &fields->at[i];
        const char *at = (const char *)data + f->offset;
        if (f->kind == FIELD_TEXT)
            put_text(o, at);
        else if (f->kind == FIELD_HISTOGRAM)
            put_histogram(o, *(uint64_t *const *)at);
        else
            put(o, at, f->size);
    }
}

static void put_list(struct out *o, const struct profile *p, const struct list *l)
{
    put_count(o, list_in(p, l)->n);
    for (size_t i = 0; i < list_in(p, l)->n; i++)
        put_fields(o, l->fields, list_at(p, l, i));
}

static void put_texts(struct out *o, char *const *text, size_t n)
{
    put_count(o, n);
    for (size_t i = 0; i < n; i++)
        put_text(o, text[i]);
}

void *profile_pack(const struct profile *p, size_t *size)
{
    struct out o = {0};
    put_count(&o, PACK_MAGIC);
    put_fields(&o, &fields_run, p);
    put_texts(&o, p->programs.at, p->programs.n);
    put_texts(&o, p->libraries.at, p->libraries.n);
    put_texts(&o, p->warnings.at, p->warnings.n);
    put_count(&o, p->sites.n);
    for (size_t i = 0; i < p->sites.n; i++) {
        const struct profile_site *s = &p->sites.at[i];
        put_count(&o, s->depth);
        put_count(&o, s->in_part);
        for (uint32_t f = 0; f < s->depth; f++) {
            put_count(&o, s->frame[f].module);
            put_count(&o, s->frame[f].address);
        }
    }
    put_fields(&o, &fields_trace, &p->trace);
    for (size_t i = 0; i < n_profile_lists; i++)
        if (profile_lists[i].how & LIST_PACKED)
            put_list(&o, p, &profile_lists[i]);
    put_count(&o, p->findings.n);
    for (size_t i = 0; i < p->findings.n; i++) {
        json_t *finding = finding_json(&p->findings.at[i]);
        char *text = json_dumps(finding, JSON_COMPACT | JSON_ENCODE_ANY);
        json_decref(finding);
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
    char *text = memory_alloc(n + 1);
    get(i, text, n);
    return text;
}

static void get_histogram(struct in *i, uint64_t **histogram)
{
    *histogram = memory_alloc(HISTOGRAM_BUCKETS * sizeof **histogram);
    for (uint64_t used = get_count(i, 16); used > 0; used--) {
        uint64_t bucket = get_number(i), count = get_number(i);
        if (bucket < HISTOGRAM_BUCKETS)
            (*histogram)[bucket] = count;
    }
}

/* A text that is too long for its member is damage, and so is what is neither true nor false. */
static void get_fields(struct in *i, const struct fields *fields, void *data)
{
    for (size_t k = 0; k < fields->n; k++) {
        const struct field *f = &fields->at[k];
        void *at = (char *)data + f->offset;
        if (f->kind == FIELD_HISTOGRAM) {
            get_histogram(i, at);
            continue;
        }
        size_t size = f->kind == FIELD_TEXT ? get_count(i, 1) : f->size;
        i->bad = i->bad || size > f->size || (f->kind == FIELD_TEXT && size == f->size);
        get(i, at, i->bad ? 0 : size);
        i->bad = i->bad || (f->kind == FIELD_BOOL && *(const unsigned char *)at > 1);
    }
}

static void get_texts(struct in *i, void *list)
{
    for (uint64_t left = get_count(i, 8); left > 0; left--) {
        char *text = get_text(i);
        *(char **)array_push(list, sizeof text) = text;
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

static void get_sites(struct in *i, struct profile *p)
{
    for (uint64_t n = get_count(i, 16); n > 0; n--) {
        uint64_t depth = get_count(i, 16);
        struct profile_site s = {.in_part = get_number(i) != 0,
                                 .depth = depth <= LEDGER_MAX_DEPTH ? (uint32_t)depth : 0};
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
    get_texts(&i, &p->programs);
    get_texts(&i, &p->libraries);
    get_texts(&i, &p->warnings);
    get_sites(&i, p);
    get_fields(&i, &fields_trace, &p->trace);
    for (const struct list *l = profile_lists; l < profile_lists + n_profile_lists; l++)
        for (uint64_t n = l->how & LIST_PACKED ? get_count(&i, 1) : 0; n > 0 && !i.bad; n--)
            get_fields(&i, l->fields, list_push(p, l));
    get_findings(&i, p);
    if (i.bad || !positions_valid(p)) {
        profile_free(p);
        return NULL;
    }
    profile_reindex(p);
    return p;
}
