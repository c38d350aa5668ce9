/* libcollprof-audit.so: for programs that load MPI themselves (dlopen) and look up its functions
 * (dlsym), as Python's ctypes and Julia do, which bypasses preloaded libraries. The dynamic loader
 * asks an auditor (LD_AUDIT, see rtld-audit(7)) for the address of such a name; the answer is the
 * function in libcollprof.so. Nothing else changes, and no call becomes slower. */
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static struct link_map *stubs, *linked; /* libcollprof.so; the MPI library that the program loads */
static bool started; /* all libraries that the program is linked with are loaded */

EXPORT unsigned la_version(unsigned version);
EXPORT unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
EXPORT void la_preinit(uintptr_t *cookie);
EXPORT uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *in,
                              unsigned *flags, const char *name);

unsigned la_version(unsigned version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* Lookups from one of MPI's own libraries are not redirected. */
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    const char *slash = strrchr(map->l_name, '/'), *name = slash ? slash + 1 : map->l_name;
    (void)cookie;
    if (space != LM_ID_BASE)
        return 0;
    if (!strcmp(name, "libcollprof.so"))
        stubs = map;
    if (!strncmp(name, "libcollprof", 11))
        return 0;
    if (!started && (!strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpich.so", 11)))
        linked = map;
    return strncmp(name, "libmpi", 6) ? LA_FLG_BINDFROM : LA_FLG_BINDTO;
}

/* Searches the GNU hash table, as the loader does: its own dlsym() must not be called from here. */
static uintptr_t stub_at(const char *name)
{
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    const uint32_t *table = NULL;
    uint32_t hash = 5381;
    for (const ElfW(Dyn) *d = stubs->l_ld; d->d_tag != DT_NULL; d++) {
        if (d->d_tag == DT_SYMTAB)
            symbols = (const void *)d->d_un.d_ptr;
        else if (d->d_tag == DT_STRTAB)
            names = (const void *)d->d_un.d_ptr;
        else if (d->d_tag == DT_GNU_HASH)
            table = (const void *)d->d_un.d_ptr;
    }
    if (!symbols || !names || !table)
        return 0;
    for (const char *c = name; *c; c++)
        hash = hash * 33 + (uint8_t)*c;
    /* Header: number of buckets, first symbol, words of the filter, a shift. Then the three
     * tables. */
    const uint32_t *buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof *table);
    const uint32_t *chains = buckets + table[0];
    uint32_t i = buckets[hash % table[0]];
    for (bool last = i < table[1]; !last; last = chains[i++ - table[1]] & 1)
        if ((chains[i - table[1]] | 1) == (hash | 1) && !strcmp(names + symbols[i].st_name, name))
            return stubs->l_addr + symbols[i].st_value;
    return 0;
}

void la_preinit(uintptr_t *cookie)
{
    (void)cookie;
    started = true;
}

/* All stubs lead to one MPI: the program's, or else the first one that is looked up. Functions of a
 * second MPI are not profiled. */
static bool is_profiled(const struct link_map *mpi)
{
    const char **asked = (const char **)stub_at("collprof_asked");
    if (asked && !*asked)
        *asked = (linked ? linked : mpi)->l_name;
    return asked && !strcmp(*asked, mpi->l_name);
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *in,
                       unsigned *flags, const char *name)
{
    (void)index;
    /* The loader's default cookie is the library's link_map. Only MPI's own functions are
     * answered. */
    bool asked =
        *flags & LA_SYMB_DLSYM && stubs && *from != (uintptr_t)stubs && !strncmp(name, "MPI_", 4);
    uintptr_t stub = asked && is_profiled((const struct link_map *)*in) ? stub_at(name) : 0;
    *flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
    return stub ? stub : symbol->st_value;
}
