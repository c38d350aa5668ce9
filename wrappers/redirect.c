/* Fortran programs call the libraries of MPI's Fortran binding. Many of these libraries call C's
 * PMPI_ functions directly, so that a profiler sees nothing. Such calls are redirected to our MPI_
 * functions, in the library's global offset table. So each call is recorded once, with arguments
 * that the binding has converted to C. */
#include "wrappers/choose.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, ADDRESS = R_X86_64_GLOB_DAT };
#elif defined(__aarch64__)
enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, ADDRESS = R_AARCH64_GLOB_DAT };
#endif

/* The value of entry TAG in the module's dynamic section, an address or a size; 0 if absent. */
static ElfW(Addr) dynamic(const struct link_map *module, ElfW(Sxword) tag)
{
    const ElfW(Dyn) *d = module->l_ld;
    while (d->d_tag != DT_NULL && d->d_tag != tag)
        d++;
    return d->d_tag == tag ? d->d_un.d_ptr : 0;
}

static void *stub_for(const char *name)
{
    for (unsigned i = 0; !strncmp(name, "PMPI_", 5) && i < n_stubs; i++)
        if (!strcmp(stubs[i].name, name + 1))
            return (void *)stubs[i].function;
    return NULL;
}

/* Makes the page of SLOT writable, since it is read-only if all symbols were bound at the start. */
static void write_slot(void **slot, void *value)
{
    uintptr_t page = (uintptr_t)slot & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    size_t length = (uintptr_t)(slot + 1) - page;
    if (!mprotect((void *)page, length, PROT_READ | PROT_WRITE))
        *slot = value;
}

/* Redirects each address of a PMPI_ function that the module's relocation table (dynamic entry TAG,
 * its bytes in entry SIZE) has set. */
static void redirect(const struct link_map *module, ElfW(Sxword) tag, ElfW(Sxword) size)
{
    const ElfW(Sym) *symbols = (const void *)dynamic(module, DT_SYMTAB);
    const char *names = (const char *)dynamic(module, DT_STRTAB);
    const ElfW(Rela) *r = (const void *)dynamic(module, tag);
    for (size_t n = dynamic(module, size) / sizeof *r; n > 0; n--, r++) {
        if (ELF64_R_TYPE(r->r_info) != JUMP_SLOT && ELF64_R_TYPE(r->r_info) != ADDRESS)
            continue;
        void *to = stub_for(names + symbols[ELF64_R_SYM(r->r_info)].st_name);
        if (to)
            write_slot((void **)(module->l_addr + r->r_offset), to);
    }
}

/* The library that defines NAME; NULL if there is none, or if it also defines MPI (PMPI_Init). */
static struct link_map *binding_with(const char *name, void *mpi)
{
    Dl_info info;
    struct link_map *module, *own;
    void *function = dlsym(RTLD_NEXT, name);
    if (!function || !mpi || !dladdr1(function, &info, (void **)&module, RTLD_DL_LINKMAP) ||
        !dladdr1(mpi, &info, (void **)&own, RTLD_DL_LINKMAP) || module == own)
        return NULL;
    return module;
}

/* A constructor is early enough: it runs when all libraries of the program have been loaded. */
__attribute__((constructor)) static void redirect_bindings(void)
{
    static const char *const of_bindings[] = {"mpi_init_", "mpi_init_f08_"};
    void *mpi = dlsym(RTLD_NEXT, "PMPI_Init");
    struct link_map *before = NULL;
    for (int i = 0; i < 2; i++) {
        struct link_map *module = binding_with(of_bindings[i], mpi);
        if (module && module != before) {
            redirect(module, DT_JMPREL, DT_PLTRELSZ);
            redirect(module, DT_RELA, DT_RELASZ);
        }
        before = module;
    }
}
