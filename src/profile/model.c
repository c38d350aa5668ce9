/* Tables of distinct rows: finds, adds, merges and sorts them, as rows.h declares their
 * members. */
#include "profile/model.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdlib.h>

static int compare_keys(const struct fields *fields, const void *a, const void *b);

static int compare_frames(const struct profile_site *x, const struct profile_site *y)
{
    int order = 0;
    for (uint32_t k = 0; !order && k < x->depth && k < y->depth; k++)
        order = compare_keys(profile_frame_fields(), &x->frame[k], &y->frame[k]);
    return order ?: ORDER(x->depth, y->depth);
}

/* The index as a number to sort by; in keys PROFILE_NONE becomes 0, before all rows. */
static uint32_t position_of(const struct field *f, const void *at)
{
    return *(const uint32_t *)at + (f->kind >= FIELD_INDEX && f->merge == MERGE_KEY);
}

static int compare_field(const struct field *f, const void *a, const void *b)
{
    switch (f->kind) {
    case FIELD_TEXT:
        return strcmp(a, b);
    case FIELD_STRING:
        return strcmp(*(char *const *)a, *(char *const *)b);
    case FIELD_FRAMES:
        return compare_frames(a, b);
    case FIELD_REAL:
        return ORDER(*(const double *)a, *(const double *)b);
    case FIELD_I32:
        return ORDER(*(const int32_t *)a, *(const int32_t *)b);
    case FIELD_I64:
        return ORDER(*(const int64_t *)a, *(const int64_t *)b);
    default:
        return f->size == sizeof(uint32_t) ? ORDER(position_of(f, a), position_of(f, b))
                                           : ORDER(*(const uint64_t *)a, *(const uint64_t *)b);
    }
}

static bool is_key(const struct fields *fields, const struct field *f, const void *row)
{
    return f->merge == MERGE_KEY || f->merge == MERGE_KEY_DOWN ||
           (f->merge == MERGE_PATH && !*((const char *)row + fields->at->offset));
}

static int compare_keys(const struct fields *fields, const void *a, const void *b)
{
    int order = 0;
    for (const struct field *f = fields->at; !order && f < fields->at + fields->n; f++)
        if (is_key(fields, f, a))
            order = compare_field(f, (const char *)a + f->offset, (const char *)b + f->offset) *
                    (f->merge == MERGE_KEY_DOWN ? -1 : 1);
    return order;
}

static uint64_t hash_keys(uint64_t hash, const struct fields *fields, const void *row)
{
    const struct profile_site *s = row;
    for (EACH(const struct field, f, *fields)) {
        const char *at = (const char *)row + f->offset;
        const char *text = f->kind == FIELD_STRING ? *(char *const *)at : at;
        bool is_text = f->kind == FIELD_STRING || f->kind == FIELD_TEXT;
        for (uint32_t k = 0; f->kind == FIELD_FRAMES && k < s->depth; k++)
            hash = hash_keys(hash, profile_frame_fields(), &s->frame[k]);
        if (is_key(fields, f, row))
            hash = hash_bytes(hash, text, is_text ? strlen(text) : f->size);
    }
    return hash;
}

static uint64_t hash_of(enum profile_table t, const void *row)
{
    uint64_t hash = hash_keys(HASH_START, profile_tables[t].fields(), row);
    return hash ^ hash >> 29;
}

uint64_t entry_timed_calls(const struct profile_entry *e)
{
    uint64_t n = 0;
    for (unsigned b = 0; e->histogram && b < HISTOGRAM_BUCKETS; b++)
        n += e->histogram[b];
    return n;
}

void spread_add(struct spread *s, uint32_t rank, uint64_t ns)
{
    spread_merge(s, &(struct spread){1, ns, ns, ns, rank, rank});
}

void spread_merge(struct spread *into, const struct spread *from)
{
    if (!from->ranks)
        return;
    if (!into->ranks) {
        *into = *from;
        return;
    }
    if (from->max > into->max || (from->max == into->max && from->worst < into->worst)) {
        into->max = from->max;
        into->worst = from->worst;
    }
    if (from->min < into->min || (from->min == into->min && from->best < into->best)) {
        into->min = from->min;
        into->best = from->best;
    }
    into->sum += from->sum;
    into->ranks += from->ranks;
}

static void add_histogram(uint64_t **to, const uint64_t *from)
{
    if (!*to)
        *to = memory_alloc(HISTOGRAM_BUCKETS * sizeof **to);
    for (unsigned b = 0; from && b < HISTOGRAM_BUCKETS; b++)
        (*to)[b] += from[b];
}

static void add(const struct field *f, void *to, const void *from)
{
    if (f->kind == FIELD_SPREAD)
        spread_merge(to, from);
    else if (f->kind == FIELD_HISTOGRAM)
        add_histogram(to, *(uint64_t *const *)from);
    else if (f->size == sizeof(uint32_t))
        *(uint32_t *)to += *(const uint32_t *)from;
    else
        *(uint64_t *)to += *(const uint64_t *)from;
}

static bool is_empty(const struct field *f, const void *at)
{
    const char *byte = at;
    for (size_t i = 0; i < f->size; i++)
        if (byte[i])
            return f->kind == FIELD_REAL && !(*(const double *)at > 0);
    return true;
}

/* Whether merging replaces the value at TO by that at FROM, by F's enum field_merge. */
static bool is_better(const struct field *f, const void *to, const void *from)
{
    bool empty = is_empty(f, to);
    switch (f->merge) {
    case MERGE_FIRST:
        return empty;
    case MERGE_PATH:
    case MERGE_LEAST:
        return !is_empty(f, from) && (empty || compare_field(f, from, to) < 0);
    case MERGE_MIN:
        return compare_field(f, from, to) < 0;
    case MERGE_MAX:
        return compare_field(f, from, to) > 0;
    case MERGE_AND:
        return !*(const bool *)from;
    default:
        return false;
    }
}

static void fields_merge(const struct fields *fields, void *to, const void *from)
{
    for (EACH(const struct field, f, *fields)) {
        char *x = (char *)to + f->offset;
        const char *y = (const char *)from + f->offset;
        if (f->merge == MERGE_SUM)
            add(f, x, y);
        else if (f->merge == MERGE_OR)
            for (size_t i = 0; i < f->size; i++)
                x[i] = (char)(x[i] | y[i]);
        else if (is_better(f, x, y))
            memcpy(x, y, f->size);
    }
}

static void row_free(const struct fields *fields, void *row)
{
    struct profile_site *s = row;
    for (EACH(const struct field, f, *fields)) {
        void *at = (char *)row + f->offset;
        if (f->kind == FIELD_STRING || f->kind == FIELD_HISTOGRAM)
            free(*(void **)at);
        else if (f->kind == FIELD_JSON)
            json_decref(*(json_t **)at);
        for (uint32_t k = 0; f->kind == FIELD_FRAMES && k < s->depth; k++)
            row_free(profile_frame_fields(), &s->frame[k]);
    }
}

struct profile *profile_new(void)
{
    struct profile *p = memory_alloc(sizeof *p);
    p->index = memory_alloc(sizeof *p->index);
    p->synchronized = true;
    return p;
}

void table_clear(struct profile *p, enum profile_table t)
{
    for (size_t i = 0; i < rows_in(p, t)->n; i++)
        row_free(profile_tables[t].fields(), row_at(p, t, i));
    rows_in(p, t)->n = 0;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    for (enum profile_table t = 0; t < TABLES; t++) {
        table_clear(p, t);
        free(rows_in(p, t)->at);
        free(p->index->of[t].table);
    }
    free(p->index);
    free(p);
}

uint32_t profile_add(struct profile *p, enum profile_table t, const void *row)
{
    bool sought = profile_tables[t].how & SOUGHT;
    uint64_t hash = sought ? hash_of(t, row) : 0;
    uint32_t i = sought ? lookup_find(&p->index->of[t], hash) : PROFILE_NONE;
    if (i != PROFILE_NONE) {
        fields_merge(profile_tables[t].fields(), row_at(p, t, i), row);
        row_free(profile_tables[t].fields(), (void *)row);
        return i;
    }
    i = (uint32_t)rows_in(p, t)->n;
    memcpy(array_push(rows_in(p, t), profile_tables[t].size), row, profile_tables[t].size);
    if (sought)
        lookup_add(&p->index->of[t], hash, i);
    return i;
}

uint32_t profile_add_operation(struct profile *p, const char *name, uint32_t family)
{
    struct profile_operation o = {.family = family};
    snprintf(o.name, sizeof o.name, "%s", name);
    return profile_add(p, TABLE_OPERATIONS, &o);
}

bool profile_operation_polls(const char *name)
{
    return text_has_word("MPI_Test MPI_Testall MPI_Testany MPI_Testsome MPI_Iprobe MPI_Improbe "
                         "MPI_Request_get_status MPI_Request_get_status_all "
                         "MPI_Request_get_status_any MPI_Request_get_status_some MPI_Parrived",
                         name);
}

void profile_add_text(struct profile *p, enum profile_table t, const char *text)
{
    if (*text)
        profile_add(p, t, &(struct profile_text){memory_strdup(text)});
}

void profile_add_entry(struct profile *p, const struct profile_entry *entry)
{
    struct profile_entry e = *entry;
    e.histogram = NULL;
    add_histogram(&e.histogram, entry->histogram);
    profile_add(p, TABLE_ENTRIES, &e);
}

struct profile_group *profile_group(struct profile *p, uint32_t site, uint32_t operation)
{
    struct profile_group g = {.site = site, .operation = operation};
    uint32_t i = profile_add(p, TABLE_GROUPS, &g);
    return &p->groups.at[i];
}

const struct profile_group *profile_group_find(const struct profile *p, uint32_t site,
                                               uint32_t operation)
{
    struct profile_group g = {.site = site, .operation = operation};
    uint32_t i = lookup_find(&p->index->of[TABLE_GROUPS], hash_of(TABLE_GROUPS, &g));
    return i == PROFILE_NONE ? NULL : &p->groups.at[i];
}

void profile_warn(struct profile *p, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    profile_add_text(p, TABLE_WARNINGS, text);
}

void profile_add_finding(struct profile *p, const char *kind, json_t *finding)
{
    static const char key[] = "communicator_index";
    json_t *index = json_object_get(finding, key);
    struct profile_finding f = {memory_strdup(kind), PROFILE_NONE, finding};
    if (json_is_integer(index)) {
        json_int_t at = json_integer_value(index);
        f.comm = at >= 0 && at < UINT32_MAX ? (uint32_t)at : PROFILE_NONE;
    }
    if (index)
        json_object_del(finding, key);
    profile_add(p, TABLE_FINDINGS, &f);
}

void profile_reindex(struct profile *p)
{
    for (enum profile_table t = 0; t < TABLES; t++) {
        free(p->index->of[t].table);
        p->index->of[t] = (struct index){0};
        for (size_t i = 0; profile_tables[t].how & SOUGHT && i < rows_in(p, t)->n; i++)
            lookup_add(&p->index->of[t], hash_of(t, row_at(p, t, i)), i);
    }
}

static void follow(uint32_t *position, const uint32_t *to)
{
    if (to && *position != PROFILE_NONE)
        *position = to[*position];
}

/* For each table the new index of a row by its old index; NULL: unchanged. */
struct moves {
    uint32_t *to[TABLES];
};

static void positions_follow(const struct fields *fields, void *row, const struct moves *moves)
{
    struct profile_site *s = row;
    for (EACH(const struct field, f, *fields)) {
        if (f->kind == FIELD_ROW)
            follow((uint32_t *)((char *)row + f->offset), moves->to[f->table]);
        for (uint32_t k = 0; f->kind == FIELD_FRAMES && k < s->depth; k++)
            positions_follow(profile_frame_fields(), &s->frame[k], moves);
    }
}

static bool are_valid(const struct profile *p, const struct fields *fields, const void *row)
{
    const struct profile_site *s = row;
    for (EACH(const struct field, f, *fields)) {
        if (f->kind == FIELD_ROW) {
            uint32_t position = *(const uint32_t *)((const char *)row + f->offset);
            if (position == PROFILE_NONE ? f->needed : position >= rows_in(p, f->table)->n)
                return false;
        }
        for (uint32_t k = 0; f->kind == FIELD_FRAMES && k < s->depth; k++)
            if (!are_valid(p, profile_frame_fields(), &s->frame[k]))
                return false;
    }
    return true;
}

bool positions_valid(const struct profile *p)
{
    for (enum profile_table t = 0; t < TABLES; t++)
        for (size_t i = 0; i < rows_in(p, t)->n; i++)
            if (!are_valid(p, profile_tables[t].fields(), row_at(p, t, i)))
                return false;
    return true;
}

struct sorting {
    const struct profile *p;
    enum profile_table t;
};

static int compare_rows(const void *a, const void *b, void *arg)
{
    const struct sorting *s = arg;
    return compare_keys(profile_tables[s->t].fields(), row_at(s->p, s->t, *(const uint32_t *)a),
                        row_at(s->p, s->t, *(const uint32_t *)b))
               ?: ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* Sorts a table by its keys. Returns the rows' new indices by old index; release by free(). */
static uint32_t *sort(struct profile *p, enum profile_table t)
{
    struct array *rows = rows_in(p, t);
    size_t size = profile_tables[t].size;
    uint32_t *from = memory_alloc((rows->n + 1) * sizeof *from);
    uint32_t *to = memory_alloc((rows->n + 1) * sizeof *to);
    char *sorted = memory_alloc(rows->n * size + 1);
    for (uint32_t i = 0; i < rows->n; i++)
        from[i] = i;
    qsort_r(from, rows->n, sizeof *from, compare_rows, &(struct sorting){p, t});
    for (uint32_t i = 0; i < rows->n; i++) {
        to[from[i]] = i;
        memcpy(sorted + i * size, row_at(p, t, from[i]), size);
    }
    free(rows->at);
    free(from);
    rows->at = sorted;
    rows->room = rows->n;
    return to;
}

void table_sort(struct profile *p, enum profile_table t)
{
    free(sort(p, t));
}

/* A table's keys contain indices of earlier tables, which are updated before sorting by them. */
void profile_sort(struct profile *p)
{
    struct moves m = {0};
    for (enum profile_table t = 0; t < TABLES; t++) {
        for (size_t i = 0; i < rows_in(p, t)->n; i++)
            positions_follow(profile_tables[t].fields(), row_at(p, t, i), &m);
        m.to[t] = profile_tables[t].how & SORTED ? sort(p, t) : NULL;
    }
    for (enum profile_table t = 0; t < TABLES; t++)
        free(m.to[t]);
    profile_reindex(p);
}

/* Moves FROM's rows of T to INTO; returns their new indices, for free(). M: of earlier tables. */
static uint32_t *merge_table(struct profile *into, struct profile *from, enum profile_table t,
                             const struct moves *m)
{
    size_t n = rows_in(from, t)->n;
    uint32_t *to = memory_alloc((n + 1) * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        positions_follow(profile_tables[t].fields(), row_at(from, t, i), m);
        to[i] = profile_add(into, t, row_at(from, t, i));
        memset(row_at(from, t, i), 0, profile_tables[t].size);
    }
    return to;
}

void profile_append(struct profile *into, struct profile *from)
{
    struct moves m = {0};
    fields_merge(profile_fields(), into, from);
    if (from->trace.on && into->trace.on)
        fields_merge(profile_trace_fields(), &into->trace, &from->trace);
    else if (from->trace.on)
        into->trace = from->trace;
    for (enum profile_table t = 0; t < TABLES; t++)
        m.to[t] = merge_table(into, from, t, &m);
    for (enum profile_table t = 0; t < TABLES; t++)
        free(m.to[t]);
}
