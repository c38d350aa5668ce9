#define UNW_LOCAL_ONLY
#include "record/sites.h"

#include "base/text.h"
#include "record/python.h"

#include <elf.h>
#include <libunwind.h>
#include <link.h>
#include <string.h>

enum { MOST_OWN = 3 };
/* Frames searched for Python's interpreter: up to 5 of mpi4py or 6 of ctypes are nearer to MPI. */
enum { MOST_TO_PYTHON = 16 };

/* The index has a site's number plus one, because the value 0 means that there is none. */
#define SITE_VALUE(site) ((uintptr_t)(site) + 1)
#define SITE_OF(value) ((uint32_t)((value)-1))

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
    read_build_id(&m, info);
    struct ledger_module *at = m.high ? ledger_append(&layer.ledger, LEDGER_MODULES, &m) : NULL;
    if (at) /* dl_iterate_phdr() gives the executable first, without a name */
        at->path = ledger_add_text(&layer.ledger, count ? info->dlpi_name : h->program);
    return 0;
}

static uint32_t module_of(uint64_t address)
{
    uint32_t count = layer.ledger.header->section[LEDGER_MODULES].count;
    for (uint32_t i = 0; i < count; i++)
        if (address >= layer.ledger.modules[i].low && address < layer.ledger.modules[i].high)
            return i;
    return UINT32_MAX;
}

/* The Python interpreter's machine code, if python.h can read its frames; otherwise zeros. */
static struct {
    uint64_t low, high;
} python;

static void find_python(void)
{
    const void *found = python_find();
    uint32_t module = found ? module_of((uint64_t)(uintptr_t)found) : UINT32_MAX;
    if (module != UINT32_MAX) {
        python.high = layer.ledger.modules[module].high;
        python.low = layer.ledger.modules[module].low;
    }
}

void modules_update(void)
{
    uint32_t *count = &layer.ledger.header->section[LEDGER_MODULES].count, before = *count;
    dl_iterate_phdr(add_module, NULL);
    if (*count > before && !python.high)
        find_python();
}

/* Adds a Python function as a module; its addresses are line numbers. */
static uint32_t module_of_python(const struct python_place *place)
{
    struct ledger *l = &layer.ledger;
    const uint32_t *count = &l->header->section[LEDGER_MODULES].count;
    for (uint32_t i = 0; i < *count; i++)
        if (l->modules[i].function &&
            !strcmp(ledger_text(l, l->modules[i].function), place->function) &&
            !strcmp(ledger_text(l, l->modules[i].path), place->file))
            return i;
    struct ledger_module *m = ledger_append(l, LEDGER_MODULES, &(struct ledger_module){0});
    if (!m)
        return UINT32_MAX;
    m->path = ledger_add_text(l, place->file);
    m->function = ledger_add_text(l, place->function);
    return *count - 1;
}

static const char *path_of(uint32_t module)
{
    return module == UINT32_MAX ? ""
                                : ledger_text(&layer.ledger, layer.ledger.modules[module].path);
}

/* The MPI library's frames (its Fortran functions call those in C) are omitted from call sites. */
static bool belongs_to_mpi(uint32_t module)
{
    const char *name = text_base_of(path_of(module));
    return !strncmp(name, "libmpi", 6) || !strncmp(name, "libpmpi", 7);
}

/* The frames between Python and MPI are omitted, too: mpi4py, ctypes, cffi and libffi. */
static bool belongs_to_binding(uint32_t module)
{
    const char *path = path_of(module), *name = text_base_of(path);
    return strstr(path, "/mpi4py/") || !strncmp(name, "libffi.", 7) ||
           !strncmp(name, "_ctypes.", 8) || !strncmp(name, "_cffi_backend.", 14);
}

/* A stack: N return addresses, innermost first, and outside of them N_CALLS calls in Python. */
struct stack {
    void *const *frame;
    unsigned n, n_calls, depth; /* DEPTH: most frames of both kinds for a site */
    struct python_call call[LEDGER_MAX_DEPTH];
};

/* Adds the stack's frames of machine code to SITE, until SITE has MOST frames. */
static void describe_native(struct ledger_site *site, const struct stack *s, unsigned most)
{
    for (unsigned i = 0; i < s->n && site->depth < most; i++) {
        uint64_t address = (uint64_t)(uintptr_t)s->frame[i];
        uint32_t module = module_of(address);
        if (module == UINT32_MAX) {
            modules_update();
            module = module_of(address);
        }
        if (s->n_calls && belongs_to_binding(module))
            continue;
        if (site->depth == 0 && i + 1 < s->n + s->n_calls && belongs_to_mpi(module))
            continue;
        site->frame[site->depth].module = module;
        site->frame[site->depth].address =
            module == UINT32_MAX ? address : address - layer.ledger.modules[module].bias;
        site->depth++;
    }
}

static void describe_python(struct ledger_site *site, const struct stack *s)
{
    static struct python_place place; /* too large for the stack; the caller holds layer.lock */
    for (unsigned i = 0; i < s->n_calls && site->depth < s->depth; i++) {
        if (!python_locate(&s->call[i], &place))
            continue;
        site->frame[site->depth].module = module_of_python(&place);
        site->frame[site->depth].address = place.line;
        site->depth++;
    }
}

/* Adds a site for a new stack. If there is no room, the index has LEDGER_NO_SITE for this stack, so
 * that the loss is counted once. */
static __attribute__((noinline)) uint32_t add_site(uint64_t hash, const struct stack *s)
{
    pthread_mutex_lock(&layer.lock);
    uintptr_t known = index_find(&layer.sites, hash);
    if (!known) {
        struct ledger_site site = {0};
        if (ledger_grow(&layer.ledger, LEDGER_SITES)) {
            describe_native(&site, s, s->n_calls ? (s->depth + 1) / 2 : s->depth);
            describe_python(&site, s);
        }
        const struct ledger_site *row = ledger_append(&layer.ledger, LEDGER_SITES, &site);
        known = SITE_VALUE(row ? row - layer.ledger.sites : LEDGER_NO_SITE);
        index_put(&layer.sites, hash, known, layer.threaded);
    }
    pthread_mutex_unlock(&layer.lock);
    return SITE_OF(known);
}

static bool is_in_python(const void *address)
{
    uint64_t a = (uint64_t)(uintptr_t)address;
    return a >= python.low && a < python.high;
}

/* Replaces the interpreter's frames and all outer ones by Python's calls. If the innermost frame is
 * the interpreter's, a program in which it is linked calls MPI in C: nothing is replaced. */
static void add_python(struct stack *s)
{
    unsigned n = 0;
    while (n < s->n && !is_in_python(s->frame[n]))
        n++;
    if (n > 0 && n < s->n)
        s->n_calls = python_stack_read(s->call, layer.stack_depth);
    if (s->n_calls)
        s->n = n;
    else if (s->n > layer.stack_depth)
        s->n = layer.stack_depth;
}

static inline uint64_t add_to_hash(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9e3779b97f4a7c15ull;
}

static inline uint32_t site_of(const struct stack *s)
{
    uint64_t hash = 1;
    for (unsigned i = 0; i < s->n; i++)
        hash = add_to_hash(hash, (uint64_t)(uintptr_t)s->frame[i]);
    for (unsigned i = 0; i < s->n_calls; i++)
        hash = add_to_hash(hash, s->call[i].mark);
    hash ^= hash >> 29;
    hash |= INDEX_LEAST_KEY;
    uintptr_t known = index_find(&layer.sites, hash);
    return LIKELY(known != 0) ? SITE_OF(known) : add_site(hash, s);
}

uint32_t site_of_stack(void *const *frame, unsigned n, const struct python_call *call,
                       unsigned n_calls)
{
    struct stack s = {.frame = frame, .n = n, .depth = LEDGER_MAX_DEPTH};
    while (s.n_calls < n_calls && python_call_is_valid(&call[s.n_calls])) {
        s.call[s.n_calls] = call[s.n_calls];
        s.n_calls++;
    }
    for (unsigned i = 0; i < s.n && s.n_calls; i++)
        if (is_in_python(s.frame[i]))
            s.n = i;
    return site_of(&s);
}

__attribute__((noinline)) uint32_t site_here(unsigned own)
{
    void *frame[MOST_OWN + MOST_TO_PYTHON];
    const unsigned most = LIKELY(!python.high) ? layer.stack_depth : MOST_TO_PYTHON;
    const int n = unw_backtrace(frame, (int)(own + most));
    struct stack s = {.frame = frame + own, .depth = layer.stack_depth};
    s.n = n > (int)own ? (unsigned)n - own : 0;
    if (UNLIKELY(python.high))
        add_python(&s);
    return site_of(&s);
}
