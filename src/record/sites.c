#define UNW_LOCAL_ONLY
#include "record/sites.h"
#include "base/text.h"

#include <elf.h>
#include <errno.h>
#include <libunwind.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* site_here() and the wrapper stand above the application's frames. */
enum { OWN_FRAMES = 2 };

struct site_slot {
    uint64_t hash; /* 0: empty */
    uint32_t site;
};

static struct site_slot *slots;
static uint64_t slot_mask;

int sites_start(void)
{
    struct ledger_header *h = layer.ledger.header;
    uint64_t n = 64;
    while (n < 4ull * h->section[LEDGER_SITES].capacity)
        n *= 2;
    slots = calloc(n, sizeof *slots);
    slot_mask = n - 1;
    h->section[LEDGER_SITES].count = 1; /* LEDGER_NO_SITE */
    return slots ? 0 : ENOMEM;
}

/* --- modules --- */

static void read_build_id(struct ledger_module *m, const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_NOTE)
            continue;
        const char *note = (const char *)(info->dlpi_addr + p->p_vaddr);
        const char *end = note + p->p_memsz;
        while (note + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *n = (const void *)note;
            const char *name = note + sizeof *n;
            const char *value = name + ((n->n_namesz + 3) & ~3u);
            if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
                m->build_id_size =
                    n->n_descsz < sizeof m->build_id ? n->n_descsz : sizeof m->build_id;
                memcpy(m->build_id, value, m->build_id_size);
                return;
            }
            note = value + ((n->n_descsz + 3) & ~3u);
        }
    }
}

static int add_module(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    struct ledger_header *h = layer.ledger.header;
    uint32_t count = h->section[LEDGER_MODULES].count;
    struct ledger_module m = {.bias = info->dlpi_addr, .low = UINT64_MAX};
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        uint64_t low = info->dlpi_addr + p->p_vaddr, high = low + p->p_memsz;
        m.low = low < m.low ? low : m.low;
        m.high = high > m.high ? high : m.high;
    }
    for (uint32_t i = 0; i < count; i++)
        if (layer.ledger.modules[i].low == m.low && layer.ledger.modules[i].high == m.high)
            return 0;
    if (!m.high)
        return 0;
    if (count == h->section[LEDGER_MODULES].capacity) {
        h->section[LEDGER_MODULES].dropped++;
        return 0;
    }
    if (info->dlpi_name && *info->dlpi_name)
        text_copy(m.path, sizeof m.path, info->dlpi_name);
    else if (count == 0) /* the executable comes first and has no name */
        text_copy(m.path, sizeof m.path, h->program);
    read_build_id(&m, info);
    layer.ledger.modules[count] = m;
    h->section[LEDGER_MODULES].count = count + 1;
    return 0;
}

void modules_update(void)
{
    dl_iterate_phdr(add_module, NULL);
}

static uint32_t module_of(uint64_t address)
{
    uint32_t count = layer.ledger.header->section[LEDGER_MODULES].count;
    for (uint32_t i = 0; i < count; i++)
        if (address >= layer.ledger.modules[i].low && address < layer.ledger.modules[i].high)
            return i;
    return UINT32_MAX;
}

/* --- sites --- */

/* The MPI library's own frames (its Fortran binding calls the C one) say nothing to a user. */
static bool belongs_to_mpi(uint32_t module)
{
    if (module == UINT32_MAX)
        return false;
    const char *name = strrchr(layer.ledger.modules[module].path, '/');
    name = name ? name + 1 : layer.ledger.modules[module].path;
    return !strncmp(name, "libmpi", 6) || !strncmp(name, "libpmpi", 7);
}

static void describe(struct ledger_site *site, uint64_t hash, void *const *frame, int n)
{
    *site = (struct ledger_site){.hash = hash};
    for (int i = 0; i < n && site->depth < layer.stack_depth; i++) {
        uint64_t address = (uint64_t)(uintptr_t)frame[i];
        uint32_t module = module_of(address);
        if (module == UINT32_MAX) {
            modules_update();
            module = module_of(address);
        }
        if (site->depth == 0 && i + 1 < n && belongs_to_mpi(module))
            continue;
        site->frame[site->depth].module = module;
        site->frame[site->depth].address =
            module == UINT32_MAX ? address : address - layer.ledger.modules[module].bias;
        site->depth++;
    }
}

static __attribute__((noinline)) uint32_t add_site(uint64_t hash, void *const *frame, int n)
{
    pthread_mutex_lock(&layer.lock);
    struct ledger_header *h = layer.ledger.header;
    uint64_t i = hash;
    while (slots[i & slot_mask].hash && slots[i & slot_mask].hash != hash)
        i++;
    struct site_slot *slot = &slots[i & slot_mask];
    uint32_t site = slot->hash ? slot->site : LEDGER_NO_SITE;
    uint32_t count = h->section[LEDGER_SITES].count;
    if (!slot->hash && count < h->section[LEDGER_SITES].capacity) {
        site = count;
        describe(&layer.ledger.sites[site], hash, frame, n);
        h->section[LEDGER_SITES].count = count + 1;
        slot->site = site;
        __atomic_store_n(&slot->hash, hash, __ATOMIC_RELEASE);
    } else if (!slot->hash) {
        h->section[LEDGER_SITES].dropped++;
    }
    pthread_mutex_unlock(&layer.lock);
    return site;
}

__attribute__((noinline)) uint32_t site_here(void)
{
    void *frame[OWN_FRAMES + LEDGER_MAX_DEPTH];
    int n = unw_backtrace(frame, OWN_FRAMES + (int)layer.stack_depth);
    uint64_t hash = 1;
    for (int i = OWN_FRAMES; i < n; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)frame[i]) * 0x9e3779b97f4a7c15ull;
    hash ^= hash >> 29;
    hash |= 1; /* never 0 */
    for (uint64_t i = hash;; i++) {
        struct site_slot *slot = &slots[i & slot_mask];
        uint64_t there = __atomic_load_n(&slot->hash, __ATOMIC_ACQUIRE);
        if (LIKELY(there == hash))
            return slot->site;
        if (there == 0)
            return add_site(hash, frame + OWN_FRAMES, n - OWN_FRAMES);
    }
}
