/* The public functions of collprof.h. */
#include "base/text.h"
#include "base/try.h"
#include "config.h"
#include "layer/parts.h"
#include "sync/harmonize.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void collprof_region_begin(const char *name);
EXPORT void collprof_region_end(void);
EXPORT double collprof_harmonize(MPI_Comm comm);
EXPORT const char *collprof_version(void);

enum { DEEPEST = sizeof thread.region_stack };

void regions_start(void)
{
    layer.ledger.header->section[LEDGER_REGIONS].count = 1;
}

static uint8_t region_of(const char *name)
{
    struct ledger_header *h = layer.ledger.header;
    pthread_mutex_lock(&layer.lock);
    uint32_t count = h->section[LEDGER_REGIONS].count, i = 1;
    while (i < count &&
           strncmp(layer.ledger.regions[i].name, name, sizeof layer.ledger.regions[i].name - 1))
        i++;
    if (i == count && count < h->section[LEDGER_REGIONS].capacity) {
        text_copy(layer.ledger.regions[i].name, sizeof layer.ledger.regions[i].name, name);
        h->section[LEDGER_REGIONS].count = count + 1;
    } else if (i == count) {
        h->section[LEDGER_REGIONS].dropped++;
        i = 0;
    }
    pthread_mutex_unlock(&layer.lock);
    return (uint8_t)i;
}

/* The time since the last change is the innermost region's, as its calls are. */
void regions_count(void)
{
    uint64_t now = clock_ticks(), since = thread.region_since;
    if (thread.region)
        __atomic_fetch_add(&layer.ledger.regions[thread.region].time_ns, ticks_to_ns(now - since),
                           __ATOMIC_RELAXED);
    thread.region_since = now;
}

void regions_forget(void)
{
    regions_count();
    for (uint32_t i = 0; i < layer.ledger.header->section[LEDGER_REGIONS].count; i++)
        layer.ledger.regions[i].entered = layer.ledger.regions[i].time_ns = 0;
}

void collprof_region_begin(const char *name)
{
    if (layer.phase != LAYER_RUNNING)
        return;
    if (thread.region_depth < DEEPEST) {
        regions_count();
        thread.region_stack[thread.region_depth] = thread.region;
        thread.region = region_of(name ? name : "");
        __atomic_fetch_add(&layer.ledger.regions[thread.region].entered, 1, __ATOMIC_RELAXED);
    }
    thread.region_depth++;
}

void collprof_region_end(void)
{
    if (layer.phase != LAYER_RUNNING || thread.region_depth == 0)
        return;
    if (--thread.region_depth >= DEEPEST)
        return;
    regions_count();
    thread.region = thread.region_stack[thread.region_depth];
}

/* A communicator's, kept as its attribute. */
struct kept {
    struct sync_clock clock;
    struct harmony start;
};
static int kept_key = MPI_KEYVAL_INVALID;

static int kept_free(MPI_Comm comm, int key, void *kept, void *extra)
{
    (void)comm, (void)key, (void)extra;
    free(kept);
    return MPI_SUCCESS;
}

static int kept_open(struct kept *k, MPI_Comm comm)
{
    TRY(sync_all_have(comm, k != NULL));
    TRY(sync_start(&k->clock, comm, 0));
    TRY(harmony_open(&k->start, &k->clock, comm, 0));
    k->start.follows = true;
    return PMPI_Comm_set_attr(comm, kept_key, k);
}

static struct kept *kept_of(MPI_Comm comm)
{
    struct kept *k = NULL;
    int found = 0;
    pthread_mutex_lock(&layer.lock);
    if (kept_key == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, kept_free, &kept_key, NULL);
    pthread_mutex_unlock(&layer.lock);
    if (PMPI_Comm_get_attr(comm, kept_key, &k, &found) || found)
        return k;
    k = calloc(1, sizeof *k);
    if (kept_open(k, comm) == MPI_SUCCESS)
        return k;
    free(k);
    return NULL;
}

/* Needs no record, and works where there is none. */
double collprof_harmonize(MPI_Comm comm)
{
    int between_groups = 0;
    if (PMPI_Comm_test_inter(comm, &between_groups) || between_groups)
        return -1;
    struct kept *k = kept_of(comm);
    return k && harmonize(&k->start) == MPI_SUCCESS ? k->start.off : -1;
}

const char *collprof_version(void)
{
    return PACKAGE_VERSION;
}
