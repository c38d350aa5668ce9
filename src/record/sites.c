#define UNW_LOCAL_ONLY
#include "record/sites.h"

#include <elf.h>
#include <libunwind.h>
#include <link.h>
#include <string.h>

/* site_here() and the wrapper stand above the application's frames. */
enum { OWN_FRAMES = 2 };
enum { MOST_SITES = 1 << 28 }; /* an entry's key has room for no more */

/* In the index 0 means that there is none, so a site's number plus one stands there. */
#define SITE_VALUE(site) ((uintptr_t)(site) + 1)
#define SITE_OF(value) ((uint32_t)((value)-1))

int sites_start(void)
{
    layer.ledger.header->section[LEDGER_SITES].count = 1; /* LEDGER_NO_SITE */
    return index_start(&layer.sites);
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

/* Where TEXT stands among the texts from now on; 0: there is no room. */
static uint32_t add_text(const char *text)
{
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_TEXTS];
    size_t length = strlen(text) + 1;
    if (length > UINT32_MAX - t->count)
        return 0;
    while (t->count + length > t->capacity)
        if (!ledger_extend(&layer.ledger, LEDGER_TEXTS))
            return 0;
    uint32_t at = t->count;
    memcpy(layer.ledger.texts + at, text, length);
    t->count += (uint32_t)length;
    return at;
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
    if (!ledger_grow(&layer.ledger, LEDGER_MODULES)) {
        h->section[LEDGER_MODULES].dropped++;
        return 0;
    }
    if (info->dlpi_name && *info->dlpi_name)
        m.path = add_text(info->dlpi_name);
    else if (count == 0) /* the executable comes first and has no name */
        m.path = add_text(h->program);
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
    const char *path = ledger_text(&layer.ledger, layer.ledger.modules[module].path);
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
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

/* A stack that finds the table full is remembered too, as the site 0: it is counted once. */
static __attribute__((noinline)) uint32_t add_site(uint64_t hash, void *const *frame, int n)
{
    pthread_mutex_lock(&layer.lock);
    struct ledger_table *t = &layer.ledger.header->section[LEDGER_SITES];
    uintptr_t known = index_find(&layer.sites, hash);
    uint32_t site = t->count;
    if (!known && site < MOST_SITES && ledger_grow(&layer.ledger, LEDGER_SITES)) {
        describe(&layer.ledger.sites[site], hash, frame, n);
        __atomic_store_n(&t->count, site + 1, __ATOMIC_RELEASE);
        index_put(&layer.sites, hash, SITE_VALUE(site), layer.threaded);
    } else if (!known) {
        site = LEDGER_NO_SITE;
        t->dropped++;
        index_put(&layer.sites, hash, SITE_VALUE(site), layer.threaded);
    } else {
        site = SITE_OF(known);
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
    hash |= INDEX_LEAST_KEY;
    uintptr_t known = index_find(&layer.sites, hash);
    return LIKELY(known != 0) ? SITE_OF(known) : add_site(hash, frame + OWN_FRAMES, n - OWN_FRAMES);
}
