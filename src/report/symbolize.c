/* Names, files and lines of call sites, from the files of the modules on disk: once, on the merged
 * profile, never while the application runs. Each file is opened for itself ("offline"), so that
 * addresses need no process. Nothing is asked from a network: elfutils' own look-up for debug
 * files would (debuginfod), so the usual places are looked at here. */
#include "report/model.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_build_id(int fd, const void *wanted, size_t size)
{
    const void *id;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    bool same =
        elf && dwelf_elf_gnu_build_id(elf, &id) == (ssize_t)size && !memcmp(id, wanted, size);
    elf_end(elf);
    return same;
}

/* Opens PATH if it belongs to the build-id (or that is not known). */
static int try_open(const char *path, const unsigned char *id, int size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && size > 0 && !has_build_id(fd, id, (size_t)size)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* A separate file of debug information: by build-id, then beside the module, by its debug link. */
static int find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                          const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)userdata, (void)name, (void)base, (void)crc;
    static const char root[] = "/usr/lib/debug";
    const unsigned char *id = NULL;
    GElf_Addr where;
    int size = dwfl_module_build_id(module, &id, &where), fd = -1;
    char path[4400];
    if (size > 2 && size <= 64) {
        int at = snprintf(path, sizeof path, "%s/.build-id/%02x/", root, id[0]);
        for (int i = 1; i < size; i++)
            at += snprintf(path + at, sizeof path - (size_t)at, "%02x", id[i]);
        snprintf(path + at, sizeof path - (size_t)at, ".debug");
        fd = try_open(path, id, size);
    }
    if (fd < 0 && file && link) {
        static const char *const pattern[] = {"%.0s%s/%s", "%.0s%s/.debug/%s", "%s%s/%s"};
        char directory[2048];
        snprintf(directory, sizeof directory, "%s", file);
        dirname(directory);
        for (size_t i = 0; fd < 0 && i < sizeof pattern / sizeof *pattern; i++) {
            snprintf(path, sizeof path, pattern[i], root, directory, link);
            fd = try_open(path, id, size);
        }
    }
    if (fd >= 0)
        *found = strdup(path);
    return fd;
}

/* Never needed: every module is reported with its file. */
static int find_no_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
                       char **file, Elf **elf)
{
    (void)module, (void)userdata, (void)name, (void)base, (void)file, (void)elf;
    return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = find_no_elf,
                                         .find_debuginfo = find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

/* The innermost function around ADDRESS (in the file's own terms), inlined or not. */
static void name_by_debuginfo(struct profile_frame *f, Dwarf_Die *unit, Dwarf_Addr address)
{
    Dwarf_Die *scope = NULL;
    int n = dwarf_getscopes(unit, address, &scope);
    for (int i = 0; i < n; i++) {
        int tag = dwarf_tag(&scope[i]);
        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
            continue;
        Dwarf_Addr entry;
        const char *name = dwarf_diename(&scope[i]);
        if (!name)
            continue;
        f->function = profile_strdup(name);
        f->inlined = tag == DW_TAG_inlined_subroutine;
        f->offset = dwarf_entrypc(&scope[i], &entry) || entry > address ? 0 : address + 1 - entry;
        break;
    }
    free(scope);
}

static void name_by_symbol(struct profile_frame *f, Dwfl_Module *module, GElf_Addr address)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    /* The nearest symbol before is not the function unless its size says so. */
    if (name && *name && offset < symbol.st_size) {
        f->function = profile_strdup(name);
        f->function[strcspn(f->function, "@")] = '\0'; /* without the symbol's version */
        f->offset = offset + 1;
    }
}

/* The C library is on every stack, below main, and its debug information (where it is installed)
 * takes 70 ms to unpack: its symbols are enough. */
static bool is_c_library(const struct profile_module *m)
{
    const char *slash = strrchr(m->path, '/');
    return !strncmp(slash ? slash + 1 : m->path, "libc.so.", 8);
}

static void name_frame(struct profile_frame *f, Dwfl_Module *module, GElf_Addr bias,
                       bool symbols_only)
{
    /* The call ends where the return address begins: one before is inside of it. */
    GElf_Addr address = f->address - 1 + bias;
    Dwarf_Addr debug_bias;
    if (symbols_only) {
        name_by_symbol(f, module, address);
        return;
    }
    Dwarf_Die *unit = dwfl_module_addrdie(module, address, &debug_bias);
    f->offset = f->address;
    if (unit)
        name_by_debuginfo(f, unit, address - debug_bias);
    if (!f->function)
        name_by_symbol(f, module, address);
    Dwfl_Line *line = dwfl_module_getsrc(module, address);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (file && number > 0) {
        f->file = profile_strdup(file);
        f->line = (uint32_t)number;
    }
}

/* Whether the file is still the one that ran. */
static bool is_same_build(const struct profile_module *m, Dwfl_Module *module)
{
    const unsigned char *id;
    GElf_Addr where;
    char text[2 * 64 + 1] = "";
    int size = dwfl_module_build_id(module, &id, &where);
    for (int i = 0; i < size && i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return !*m->build_id || !strcmp(m->build_id, text);
}

static bool is_program(const struct profile *p, const struct profile_module *m)
{
    for (size_t i = 0; i < p->programs.n; i++)
        if (!strcmp(p->programs.at[i], m->path))
            return true;
    return false;
}

struct found {
    unsigned frames, with_line;
};

static struct found name_frames_of(struct profile *p, uint32_t module, Dwfl_Module *opened,
                                   GElf_Addr bias)
{
    struct found found = {0, 0};
    for (size_t s = 0; s < p->sites.n; s++) {
        for (uint32_t k = 0; k < p->sites.at[s].depth; k++) {
            struct profile_frame *f = &p->sites.at[s].frame[k];
            if (f->module != module || f->function || f->file)
                continue;
            f->offset = f->address;
            if (opened)
                name_frame(f, opened, bias, is_c_library(&p->modules.at[module]));
            found.frames++;
            found.with_line += f->file != NULL;
        }
    }
    return found;
}

static void name_module(struct profile *p, uint32_t i)
{
    const struct profile_module *m = &p->modules.at[i];
    const char *name = strrchr(m->path, '/') ? strrchr(m->path, '/') + 1 : m->path;
    Dwfl *dwfl = *m->path == '/' ? dwfl_begin(&callbacks) : NULL;
    Dwfl_Module *module = dwfl ? dwfl_report_offline(dwfl, "", m->path, -1) : NULL;
    GElf_Addr bias = 0;
    bool changed = false;
    if (dwfl)
        dwfl_report_end(dwfl, NULL, NULL);
    if (module && (!dwfl_module_getelf(module, &bias) || !is_same_build(m, module))) {
        changed = true;
        module = NULL;
    }
    struct found found = name_frames_of(p, i, module, bias);
    if (changed)
        profile_warn(p, "%s has changed since the run: its call sites cannot be named", name);
    else if (is_program(p, m) && found.frames && !module)
        profile_warn(p, "%s cannot be read here: its call sites cannot be named", m->path);
    else if (is_program(p, m) && found.frames && !found.with_line)
        profile_warn(p,
                     "no debug information in %s: call sites are shown without file and line "
                     "(compile with -g)",
                     name);
    if (dwfl)
        dwfl_end(dwfl);
}

void profile_symbolize(struct profile *p)
{
    profile_sort(p);
    for (uint32_t i = 0; i < p->modules.n; i++)
        name_module(p, i);
    if (!p->has_arrivals)
        arrivals_find(p);
    profile_judge(p);
}
