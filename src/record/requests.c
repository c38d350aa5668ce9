#include "record/requests.h"

#include <errno.h>
#include <stdlib.h>

/* Most open requests. LONGEST: a queue of that length holds requests whose completion is never seen
 * (the Fortran 2008 binding may complete them unnoticed); it is dropped and counted. */
enum { POOL = 262144, LEAST_POOL = 4096, BUCKETS = 16384, LONGEST = 4096, NONE = 0 };

struct bucket {
    uint32_t lock, first, last, length;
};

static struct request *pool; /* [0] is never used: it is NONE */
static uint32_t pool_size;
static struct bucket *buckets;
static uint32_t free_lock, free_first, fresh;

int requests_start(void)
{
    /* Untouched pages cost nothing, so the size is only an upper bound; if addresses are scarce
     * (ulimit -v), it is reduced. */
    for (pool_size = POOL; !pool && pool_size >= LEAST_POOL; pool_size /= pool ? 1 : 2)
        pool = calloc(1, pool_size * sizeof *pool + BUCKETS * sizeof *buckets);
    buckets = (struct bucket *)(pool + pool_size);
    fresh = 1;
    return pool ? 0 : ENOMEM;
}

/* Neighbouring handles, which may be numbers or addresses, have neighbouring buckets, so that a
 * program with few requests touches few pages. */
static struct bucket *bucket_of(uint64_t handle)
{
    return &buckets[(handle ^ handle >> 5 ^ handle >> 14 ^ handle >> 28) % BUCKETS];
}

static struct request *allocate(void)
{
    spin_lock(&free_lock);
    uint32_t i = free_first;
    if (i != NONE)
        free_first = pool[i].next;
    else if (fresh < pool_size)
        i = fresh++;
    spin_unlock(&free_lock);
    return i == NONE ? NULL : &pool[i];
}

static bool has_row(uint32_t i)
{
    return i <
           __atomic_load_n(&layer.ledger.header->section[LEDGER_REQUESTS].count, __ATOMIC_ACQUIRE);
}

/* Makes a row in the ledger for slot I of the table. */
static bool make_row(uint32_t i)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_REQUESTS];
    pthread_mutex_lock(&layer.lock);
    while (t->count <= i && ledger_grow(&layer.ledger, LEDGER_REQUESTS))
        __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    bool room = t->count > i;
    __atomic_store_n(&t->dropped, t->dropped + !room, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&layer.lock);
    return room;
}

void request_show(const struct request *r)
{
    uint32_t i = (uint32_t)(r - pool);
    if (UNLIKELY(!has_row(i)) &&
        (__atomic_load_n(&layer.ledger.header->section[LEDGER_REQUESTS].dropped,
                         __ATOMIC_RELAXED) ||
         !make_row(i)))
        return;
    layer.ledger.requests[i] =
        (struct ledger_request){.handle = r->handle,
                                .posted = r->post_entry,
                                .comm_id = r->kind & REQUEST_COLLECTIVE ? r->comm_id : r->id,
                                .bytes = r->bytes,
                                .site = r->site,
                                .sequence = r->sequence,
                                .peer = r->peer,
                                .tag = r->tag,
                                .root = r->root,
                                .operation = r->operation,
                                .comm = r->comm_index,
                                .active = r->active};
}

static void hide(const struct request *r)
{
    uint32_t i = (uint32_t)(r - pool);
    if (LIKELY(has_row(i)))
        layer.ledger.requests[i].posted = 0;
}

static void give_back(struct request *r)
{
    hide(r);
    spin_lock(&free_lock);
    r->next = free_first;
    free_first = (uint32_t)(r - pool);
    spin_unlock(&free_lock);
}

static void untracked(uint64_t n)
{
    __atomic_fetch_add(&layer.ledger.header->untracked_requests, n, __ATOMIC_RELAXED);
}

static void append(struct bucket *b, struct request *r)
{
    uint32_t i = (uint32_t)(r - pool);
    r->next = NONE;
    if (b->first == NONE)
        b->first = i;
    else
        pool[b->last].next = i;
    b->last = i;
    b->length++;
}

/* Drops requests that are not persistent; the bucket is locked. */
static void clear(struct bucket *b)
{
    uint32_t i = b->first;
    b->first = b->last = NONE;
    b->length = 0;
    while (i != NONE) {
        struct request *r = &pool[i];
        i = r->next;
        if (r->kind & REQUEST_PERSISTENT) {
            append(b, r);
        } else {
            give_back(r);
            untracked(1);
        }
    }
}

void request_add(const struct request *r)
{
    struct bucket *b = bucket_of(r->handle);
    struct request *kept = allocate();
    if (!kept) {
        untracked(1);
        return;
    }
    *kept = *r;
    request_show(kept);
    spin_lock(&b->lock);
    if (UNLIKELY(b->length >= LONGEST))
        clear(b);
    append(b, kept);
    spin_unlock(&b->lock);
}

/* The first request with HANDLE in B, and its predecessor. */
static struct request *find(const struct bucket *b, uint64_t handle, uint32_t *before)
{
    *before = NONE;
    for (uint32_t i = b->first; i != NONE; *before = i, i = pool[i].next)
        if (pool[i].handle == handle)
            return &pool[i];
    return NULL;
}

static void take_out(struct bucket *b, struct request *r, uint32_t before)
{
    if (before == NONE)
        b->first = r->next;
    else
        pool[before].next = r->next;
    if (b->last == (uint32_t)(r - pool))
        b->last = before;
    b->length--;
}

struct request *request_take(uint64_t handle)
{
    struct bucket *b = bucket_of(handle);
    uint32_t before;
    spin_lock(&b->lock);
    struct request *r = find(b, handle, &before);
    if (r && !(r->kind & REQUEST_PERSISTENT))
        take_out(b, r, before);
    spin_unlock(&b->lock);
    return r;
}

void request_return(struct request *r)
{
    if (r->kind & REQUEST_PERSISTENT)
        return;
    struct bucket *b = bucket_of(r->handle);
    spin_lock(&b->lock);
    r->next = b->first;
    b->first = (uint32_t)(r - pool);
    if (b->last == NONE)
        b->last = b->first;
    b->length++;
    spin_unlock(&b->lock);
}

void request_release(struct request *r)
{
    if (r->kind & REQUEST_PERSISTENT) {
        r->active = false;
        request_show(r);
    } else
        give_back(r);
}

bool request_forget(uint64_t handle, struct request *r)
{
    struct bucket *b = bucket_of(handle);
    uint32_t before;
    spin_lock(&b->lock);
    struct request *found = find(b, handle, &before);
    if (found)
        take_out(b, found, before);
    spin_unlock(&b->lock);
    if (found) {
        *r = *found;
        give_back(found);
    }
    return found;
}

void requests_clear(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        if (!buckets[i].length)
            continue; /* a page that was never written has none */
        spin_lock(&buckets[i].lock);
        clear(&buckets[i]);
        spin_unlock(&buckets[i].lock);
    }
}
