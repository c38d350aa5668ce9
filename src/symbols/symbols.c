/* Function names, files and lines by elfutils' libdw. A profile's modules (executable and
 * libraries) are opened as files, without a process; for a stack libdw opens the process's modules.
 * Separate debug files are found by build-id only: libdw's own search may use the network. */
#include "symbols/symbols.h"
#include "base/array.h"
#include "base/input.h"
#include "base/text.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Addresses LOW to HIGH - 1 of a function, or of a function that is inlined into another. */
struct span {
    uint64_t low, high;
    uint64_t order; /* of two spans with equal limits, the larger ORDER is that of the inner span */
    uint64_t what;  /* of debug information: the DIE's offset; of a symbol: pointer to its name */
};

/* The spans of a file or compilation unit, sorted by outer_first(). */
struct spans {
    struct span *at;
    size_t n, room;
};

struct symbols {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr bias;
    bool names_only, has_functions;
    struct spans functions; /* functions in the symbol table; read if HAS_FUNCTIONS */
    void *units;            /* the compilation units read so far: a tsearch() tree of struct unit */
    char *readable;         /* the demangled name that find() gave last; or NULL */
};

/* The functions of a compilation unit, whose debug entry (DIE) is at OFFSET. */
struct unit {
    Dwarf_Off offset;
    struct spans scopes;
};

static void add_span(struct spans *s, uint64_t low, uint64_t high, uint64_t order, uint64_t what)
{
    if (low < high && HAS_ROOM(s))
        s->at[s->n++] = (struct span){low, high, order, what};
}

COMPARISON(outer_first, struct span,
           ORDER(x->low, y->low) ?: ORDER(y->high, x->high) ?: ORDER(x->order, y->order))

static void sort_spans(struct spans *s)
{
    if (s->n)
        qsort(s->at, s->n, sizeof *s->at, outer_first);
}

/* The number of spans that begin at ADDRESS or before it. */
static size_t spans_until(const struct spans *s, uint64_t address)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->at[middle].low <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The innermost span that contains ADDRESS: the last one among the first *N spans, outer before
 * inner. *N becomes its index. NULL if there is none. */
static const struct span *innermost(const struct spans *s, uint64_t address, size_t *n)
{
    while (*n && address >= s->at[*n - 1].high)
        --*n;
    return *n ? &s->at[--*n] : NULL;
}

static void free_unit(void *unit)
{
    free(((struct unit *)unit)->scopes.at);
    free(unit);
}

static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_linux_proc_find_elf,
                                         .find_debuginfo = dwfl_build_id_find_debuginfo,
                                         .section_address = dwfl_offline_section_address};

/* Adds functions and inlined functions below PARENT in the tree of debug information. */
static void add_scopes(struct spans *spans, Dwarf_Die *parent)
{
    Dwarf_Die die;
    if (dwarf_child(parent, &die))
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
            Dwarf_Addr base, low, high;
            ptrdiff_t next = 0;
            while ((next = dwarf_ranges(&die, next, &base, &low, &high)) > 0)
                add_span(spans, low, high, dwarf_dieoffset(&die), dwarf_dieoffset(&die));
        }
        add_scopes(spans, &die);
    } while (!dwarf_siblingof(&die, &die));
}

COMPARISON(compare_units, struct unit, ORDER(x->offset, y->offset))

/* The functions of the compilation unit DIE; NULL if there is no memory. */
static const struct spans *scopes_of(struct symbols *s, Dwarf_Die *die)
{
    struct unit key = {.offset = dwarf_dieoffset(die)};
    struct unit **known = tfind(&key, &s->units, compare_units);
    struct unit *unit = known ? *known : calloc(1, sizeof *unit);
    if (known || !unit)
        return unit ? &unit->scopes : NULL;
    unit->offset = key.offset;
    add_scopes(&unit->scopes, die);
    sort_spans(&unit->scopes);
    if (tsearch(unit, &s->units, compare_units))
        return &unit->scopes;
    free_unit(unit);
    return NULL;
}

/* Sets FOUND's file and line to the call that the compiler replaced by the inlined function DIE. */
static void place_of_inlined(struct symbol *found, Dwarf_Die *unit, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0, file = 0;
    Dwarf_Files *files;
    size_t n;
    if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &line) &&
        !dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &file) &&
        !dwarf_getsrcfiles(unit, &files, &n) && file < n) {
        found->line = (uint32_t)line;
        found->file = dwarf_filesrc(files, file, NULL, NULL);
    }
}

/* Sets FOUND to the function at ADDRESS, an ELF virtual address. LEVEL is that of find(). */
static void name_by_debuginfo(struct symbols *s, struct symbol *found, Dwarf_Die *unit,
                              Dwarf_Addr address, unsigned level)
{
    const struct spans *scopes = scopes_of(s, unit);
    const struct span *scope;
    size_t n = scopes ? spans_until(scopes, address) : 0;
    while (n && !found->function && (scope = innermost(scopes, address, &n))) {
        Dwarf_Addr bias, entry;
        Dwarf_Die die;
        if (!dwarf_offdie(dwfl_module_getdwarf(s->module, &bias), scope->what, &die))
            continue;
        const char *name = dwarf_diename(&die);
        if (name && level) {
            level--;
            place_of_inlined(found, unit, &die);
            continue;
        }
        found->function = name;
        found->inlined = dwarf_tag(&die) == DW_TAG_inlined_subroutine;
        found->offset = dwarf_entrypc(&die, &entry) || entry > address ? 0 : address + 1 - entry;
    }
}

/* Reads the symbol table's functions, with sizes because code without a symbol may follow a
 * function. PREFERRED: of several symbols for one function, a global one is found before a weak
 * one, and a weak one before a local one. */
static void add_functions(struct symbols *s)
{
    static const unsigned char preferred[16] = {[STB_LOCAL] = 0, [STB_WEAK] = 1, [STB_GLOBAL] = 2};
    int n = dwfl_module_getsymtab(s->module);
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name =
            dwfl_module_getsym_info(s->module, i, &symbol, &address, NULL, NULL, NULL);
        int type = GELF_ST_TYPE(symbol.st_info);
        if (name && *name && symbol.st_shndx != SHN_UNDEF && type != STT_SECTION &&
            type != STT_FILE && type != STT_TLS && type != STT_OBJECT)
            add_span(&s->functions, address, address + symbol.st_size,
                     preferred[GELF_ST_BIND(symbol.st_info)], (uintptr_t)name);
    }
    sort_spans(&s->functions);
}

static void name_by_symbol(struct symbols *s, struct symbol *found, GElf_Addr address)
{
    if (!s->has_functions)
        add_functions(s);
    s->has_functions = true;
    size_t n = spans_until(&s->functions, address);
    const struct span *function = innermost(&s->functions, address, &n);
    if (function) {
        found->function = (const char *)(uintptr_t)function->what;
        found->offset = address + 1 - function->low;
    }
}

static void look_up(struct symbols *s, uint64_t return_address, unsigned level,
                    struct symbol *found)
{
    /* The byte before the return address is the call instruction's last byte. */
    GElf_Addr address = return_address - 1 + s->bias;
    Dwarf_Addr debug_bias;
    *found = (struct symbol){.offset = return_address};
    if (s->names_only) {
        name_by_symbol(s, found, address);
        return;
    }
    Dwarf_Die *unit = dwfl_module_addrdie(s->module, address, &debug_bias);
    if (unit)
        name_by_debuginfo(s, found, unit, address - debug_bias, level);
    if (level)
        return;
    if (!found->function)
        name_by_symbol(s, found, address);
    Dwfl_Line *line = dwfl_module_getsrc(s->module, address);
    int number = 0;
    const char *file = line ? dwfl_lineinfo(line, NULL, &number, NULL, NULL, NULL) : NULL;
    if (file && number > 0) {
        found->file = file;
        found->line = (uint32_t)number;
    }
}

/* The demangled name of a symbol of C++ or a Fortran module, which the caller frees; NULL if NAME
 * is not mangled. */
static char *readable(const char *name)
{
    static char *(*demangle)(const char *, char *, size_t *, int *);
    const char *in_module = strncmp(name, "__", 2) ? NULL : strstr(name, "_MOD_");
    char *text = NULL;
    int status;
    if (in_module &&
        asprintf(&text, "%.*s::%s", (int)(in_module - name - 2), name + 2, in_module + 5) < 0)
        return NULL;
    if (strncmp(name, "_Z", 2))
        return text;
    if (!demangle) { /* libstdc++ is loaded only at the first C++ name: most programs have none */
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        *(void **)&demangle = library ? dlsym(library, "__cxa_demangle") : NULL;
    }
    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

/* Replaces the middle of a long name (as of C++ templates) by "...". */
static void shorten(char *name)
{
    enum { BEGINNING = 48, END = 32 };
    size_t length = strlen(name);
    if (length <= BEGINNING + END + 3)
        return;
    memcpy(name + BEGINNING, "...", 3);
    memmove(name + BEGINNING + 3, name + length - END, END + 1);
}

static void find(struct symbols *s, uint64_t return_address, unsigned level, struct symbol *found)
{
    look_up(s, return_address, level, found);
    free(s->readable);
    s->readable = found->function ? readable(found->function) : NULL;
    if (!s->readable)
        return;
    shorten(s->readable);
    found->function = s->readable;
}

/* Whether the file has this build-id; true if BUILD_ID is "" (unknown). */
static bool is_same_build(Dwfl_Module *module, const char *build_id)
{
    const unsigned char *id;
    GElf_Addr where;
    char text[2 * 64 + 1] = "";
    int size = dwfl_module_build_id(module, &id, &where);
    for (int i = 0; i < size && i < 64; i++)
        snprintf(text + 2 * i, 3, "%02x", id[i]);
    return !*build_id || !strcmp(build_id, text);
}

static void release(struct symbols *s)
{
    tdestroy(s->units, free_unit);
    free(s->functions.at);
    free(s->readable);
}

static void close_symbols(struct symbols *s)
{
    release(s);
    dwfl_end(s->dwfl);
    free(s);
}

static struct symbols *open_symbols(const char *path, const char *build_id, bool names_only,
                                    bool *changed)
{
    struct symbols *s = calloc(1, sizeof *s);
    *changed = false;
    if (!s)
        return NULL;
    s->names_only = names_only;
    s->dwfl = dwfl_begin(&callbacks);
    const char *why;
    int fd = s->dwfl ? input_open(path, NULL, &why) : -1;
    if (fd >= 0) {
        s->module = dwfl_report_offline(s->dwfl, "", path, fd);
        if (!s->module) /* otherwise libdw will close the descriptor */
            close(fd);
        dwfl_report_end(s->dwfl, NULL, NULL);
        *changed = s->module && (!dwfl_module_getelf(s->module, &s->bias) ||
                                 !is_same_build(s->module, build_id));
    }
    if (s->module && !*changed)
        return s;
    close_symbols(s);
    return NULL;
}

struct walk {
    struct {
        Dwarf_Addr pc;
        bool is_first; /* PC is no return address: the innermost frame, or one left by a signal */
    } at[SYMBOLS_FRAMES];
    unsigned n;
};

/* Stores only a frame's address: names take long, and the process is stopped during this walk. */
static int add_frame(Dwfl_Frame *state, void *arg)
{
    struct walk *w = arg;
    if (!dwfl_frame_pc(state, &w->at[w->n].pc, &w->at[w->n].is_first))
        return DWARF_CB_ABORT;
    return ++w->n < SYMBOLS_FRAMES ? DWARF_CB_OK : DWARF_CB_ABORT;
}

static void put_text(char text[SYMBOLS_TEXT], const struct symbol *found, const char *path)
{
    const char *function = found->function ? found->function : "?";
    char line[16] = "";
    if (found->file)
        snprintf(line, sizeof line, ":%u", found->line);
    snprintf(text, SYMBOLS_TEXT, "%.*s at %s%s", (int)strcspn(function, "@"), function,
             text_base_of(found->file ? found->file : path), line);
}

/* Adds a frame for the function at PC and, if it is inlined, for each function around it. */
static void name_frame(Dwfl *dwfl, Dwarf_Addr pc, bool is_first,
                       char text[SYMBOLS_FRAMES][SYMBOLS_TEXT], unsigned *n)
{
    struct symbols s = {.module = dwfl_addrmodule(dwfl, pc - !is_first)};
    struct symbol found = {0};
    unsigned level = 0;
    const char *path =
        s.module ? dwfl_module_info(s.module, NULL, NULL, NULL, NULL, NULL, NULL, NULL) : "?";
    s.names_only = symbols_of_c_library(path);
    do {
        if (s.module)
            find(&s, pc + is_first, level, &found);
        if (!level++ || found.function)
            put_text(text[(*n)++], &found, path);
    } while (found.inlined && *n < SYMBOLS_FRAMES);
    release(&s);
}

static const char *read_stack(pid_t pid, char frame[SYMBOLS_FRAMES][SYMBOLS_TEXT], unsigned *n)
{
    struct walk w = {.n = 0};
    Dwfl *dwfl = dwfl_begin(&callbacks);
    bool good = dwfl && !dwfl_linux_proc_report(dwfl, pid) && !dwfl_report_end(dwfl, NULL, NULL) &&
                !dwfl_linux_proc_attach(dwfl, pid, false);
    if (good)
        dwfl_getthread_frames(dwfl, pid, add_frame, &w);
    const char *why = w.n ? NULL : dwfl_errmsg(-1);
    *n = 0;
    for (unsigned i = 0; i < w.n && *n < SYMBOLS_FRAMES; i++)
        name_frame(dwfl, w.at[i].pc, w.at[i].is_first, frame, n);
    dwfl_end(dwfl);
    return w.n ? NULL : why ? why : "unknown error";
}

__attribute__((visibility("default")))
const struct symbols_reader collprof_symbols_4 = {open_symbols, find, close_symbols, read_stack};
