#include "record/requests.h"

/* A hash table by handle. If a bucket has LONGEST requests, they are dropped and counted: wrappers
 * do not see their completions (for example those by mpi_f08 in a static program). */
enum { BUCKETS = 16384, LONGEST = 4096, NONE = 0 };

static struct bucket {
    uint32_t lock, first, last, length;
} buckets[BUCKETS]; /* pages of this array that are never written take no memory */
static uint32_t free_lock, free_first;

static struct ledger_request *at(uint32_t i)
{
    return &layer.ledger.requests[i];
}

static uint32_t index_of(const struct ledger_request *r)
{
    return (uint32_t)(r - layer.ledger.requests);
}

/* Handles may be small numbers or addresses. Similar handles have buckets in the same page of
 * memory, so that a program with few requests uses little memory. */
static struct bucket *bucket_of(uint64_t handle)
{
    return &buckets[(handle ^ handle >> 5 ^ handle >> 14 ^ handle >> 28) % BUCKETS];
}

static struct ledger_request *allocate(void)
{
    spin_lock(&free_lock);
    struct ledger_request *r = free_first == NONE ? NULL : at(free_first);
    if (r)
        free_first = r->next;
    spin_unlock(&free_lock);
    if (r)
        return r;
    pthread_mutex_lock(&layer.lock);
    r = ledger_append(&layer.ledger, LEDGER_REQUESTS, &(struct ledger_request){0});
    pthread_mutex_unlock(&layer.lock);
    return r;
}

static void give_back(struct ledger_request *r)
{
    r->posted = 0;
    spin_lock(&free_lock);
    r->next = free_first;
    free_first = index_of(r);
    spin_unlock(&free_lock);
}

static void count_untracked(void)
{
    __atomic_fetch_add(&layer.ledger.header->untracked_requests, 1, __ATOMIC_RELAXED);
}

static void append(struct bucket *b, struct ledger_request *r)
{
    uint32_t i = index_of(r);
    r->next = NONE;
    if (b->first == NONE)
        b->first = i;
    else
        at(b->last)->next = i;
    b->last = i;
    b->length++;
}

/* Drops and counts the requests in a locked bucket, except persistent ones. Not inlined: otherwise
 * the compiler does not inline frequent functions. */
static __attribute__((noinline)) void clear(struct bucket *b)
{
    uint32_t i = b->first;
    b->first = b->last = NONE;
    b->length = 0;
    while (i != NONE) {
        struct ledger_request *r = at(i);
        i = r->next;
        if (r->kind & REQUEST_PERSISTENT) {
            append(b, r);
        } else {
            give_back(r);
            count_untracked();
        }
    }
}

void request_add(const struct ledger_request *r)
{
    struct bucket *b = bucket_of(r->handle);
    struct ledger_request *kept = allocate();
    if (!kept) {
        count_untracked();
        return;
    }
    *kept = *r;
    spin_lock(&b->lock);
    if (UNLIKELY(b->length >= LONGEST))
        clear(b);
    append(b, kept);
    spin_unlock(&b->lock);
}

/* Removes R from B. BEFORE: index of its predecessor, or NONE. */
static void take_out(struct bucket *b, struct ledger_request *r, uint32_t before)
{
    if (before == NONE)
        b->first = r->next;
    else
        at(before)->next = r->next;
    if (b->last == index_of(r))
        b->last = before;
    b->length--;
}

struct ledger_request *request_claim(uint64_t handle, bool freed)
{
    struct bucket *b = bucket_of(handle);
    uint32_t before = NONE;
    spin_lock(&b->lock);
    uint32_t i = b->first;
    for (; i != NONE && at(i)->handle != handle; i = at(i)->next)
        before = i;
    struct ledger_request *r = i == NONE ? NULL : at(i);
    if (r && (freed || !(r->kind & REQUEST_PERSISTENT)))
        take_out(b, r, before);
    spin_unlock(&b->lock);
    return r;
}

void request_return(struct ledger_request *r)
{
    if (r->kind & REQUEST_PERSISTENT)
        return;
    struct bucket *b = bucket_of(r->handle);
    spin_lock(&b->lock);
    r->next = b->first;
    b->first = index_of(r);
    if (b->last == NONE)
        b->last = b->first;
    b->length++;
    spin_unlock(&b->lock);
}

void request_release(struct ledger_request *r)
{
    if (r->kind & REQUEST_PERSISTENT)
        r->active = false;
    else
        give_back(r);
}

void requests_clear(void)
{
    for (int i = 0; i < BUCKETS; i++) {
        if (buckets[i].first == NONE)
            continue; /* not locked: that would write to an untouched page */
        spin_lock(&buckets[i].lock);
        clear(&buckets[i]);
        spin_unlock(&buckets[i].lock);
    }
}
