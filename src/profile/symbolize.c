/* Finds names, files and lines of call sites in the modules' files: once, on the merged profile,
 * never while the application runs. */
#include "profile/model.h"

#include "base/beside.h"
#include "base/quote.h"
#include "base/reason.h"
#include "base/text.h"
#include "symbols/symbols.h"

#include <dlfcn.h>
#include <string.h>

/* The library that reads debug information, loaded at the first call; NULL: dlerror() has the
 * reason. */
static const struct symbols_reader *load_reader(void)
{
    static const struct symbols_reader *reader;
    char path[4400];
    if (reader)
        return reader;
    beside_find(SYMBOLS_MODULE, path, sizeof path);
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (module)
        reader = dlsym(module, SYMBOLS_READER);
    return reader;
}

static bool is_program(const struct profile *p, const struct profile_module *m)
{
    for (size_t i = 0; i < p->programs.n; i++)
        if (!strcmp(p->programs.at[i].text, m->path))
            return true;
    return false;
}

static void name_frame(struct profile_frame *f, const struct symbols_reader *reader,
                       struct symbols *file, unsigned level)
{
    struct symbol found;
    reader->find(file, f->address, level, &found);
    f->offset = found.offset;
    f->inlined = found.inlined;
    f->line = found.line;
    if (found.function) {
        f->function = memory_strdup(found.function);
        f->function[strcspn(f->function, "@")] = '\0'; /* remove the symbol's version */
        quote_plain(f->function);
    }
    if (found.file) {
        f->file = memory_strdup(found.file);
        quote_plain(f->file);
    }
}

/* Of Python the layer itself has recorded file, function and line: see struct profile_module. */
static void name_python(struct profile_frame *f, const struct profile_module *m)
{
    f->function = memory_strdup(m->function);
    f->file = memory_strdup(m->path);
    f->line = (uint32_t)f->address;
}

static bool is_python(const char *program)
{
    return !strncmp(text_base_of(program), "python", 6) || strstr(program, " (python");
}

/* Warns if no frame of a Python program was recorded: the advice for other programs, to compile
 * with debug information, would not help. */
static void judge_python(struct profile *p)
{
    bool frames = false, program = false;
    for (size_t i = 0; i < p->modules.n; i++)
        frames = frames || *p->modules.at[i].function;
    for (size_t i = 0; i < p->programs.n; i++)
        program = program || is_python(p->programs.at[i].text);
    if (program && !frames && p->sites.n > 1)
        profile_warn(p, "no call site in Python could be read (supported: CPython 3.11 to 3.13): "
                        "they are shown as machine code");
}

/* If the function of frame AT is inlined, inserts after it a frame for each function into which it
 * is inlined; returns their number. */
static uint32_t name_callers(struct profile_site *s, uint32_t at,
                             const struct symbols_reader *reader, struct symbols *file)
{
    uint32_t n = 0;
    while (s->frame[at + n].inlined && s->depth < LEDGER_MAX_DEPTH) {
        struct profile_frame caller = {.module = s->frame[at].module,
                                       .address = s->frame[at].address};
        name_frame(&caller, reader, file, n + 1);
        if (!caller.function)
            break;
        n++;
        memmove(&s->frame[at + n + 1], &s->frame[at + n], (s->depth - at - n) * sizeof *s->frame);
        s->frame[at + n] = caller;
        s->depth++;
    }
    return n;
}

struct found {
    unsigned frames, with_line;
};

static struct found name_frames_of(struct profile *p, uint32_t module,
                                   const struct symbols_reader *reader, struct symbols *file)
{
    const struct profile_module *m = &p->modules.at[module];
    struct found found = {0, 0};
    for (size_t s = 0; s < p->sites.n; s++) {
        for (uint32_t k = 0; k < p->sites.at[s].depth; k++) {
            struct profile_frame *f = &p->sites.at[s].frame[k];
            if (f->module != module || f->function || f->file)
                continue;
            if (*m->function) {
                name_python(f, m);
                continue;
            }
            f->offset = f->address;
            if (file)
                name_frame(f, reader, file, 0);
            found.frames++;
            found.with_line += f->file != NULL;
            if (file)
                k += name_callers(&p->sites.at[s], k, reader, file);
        }
    }
    return found;
}

static void name_module(struct profile *p, uint32_t i, const struct symbols_reader *reader)
{
    struct profile_module *m = &p->modules.at[i];
    char path[sizeof m->path];
    bool changed = false;
    struct symbols *file = NULL;
    strcpy(path, m->path);
    quote_plain(m->path);
    const char *name = text_base_of(m->path);
    if (reader && *path == '/' && !*m->function)
        file = reader->open(path, m->build_id, symbols_of_c_library(m->path), &changed);
    struct found found = name_frames_of(p, i, reader, file);
    if (changed)
        profile_warn(p, "%s has changed since the run: its call sites cannot be named", name);
    else if (reader && is_program(p, m) && found.frames && !file)
        profile_warn(p, "%s cannot be read here: its call sites cannot be named", m->path);
    else if (reader && is_program(p, m) && found.frames && !found.with_line && !is_python(name))
        profile_warn(p,
                     "no debug information in %s: call sites are shown without file and line "
                     "(compile with -g)",
                     name);
    if (file)
        reader->close(file);
}

void profile_name_sites(struct profile *p)
{
    const struct symbols_reader *reader = p->modules.n > 0 ? load_reader() : NULL;
    if (p->modules.n > 0 && !reader)
        profile_warn(p, "call sites cannot be named: %s", dlerror());
    for (uint32_t i = 0; i < p->modules.n; i++)
        name_module(p, i, reader);
}

void profile_symbolize(struct profile *p)
{
    profile_sort(p);
    profile_name_sites(p);
    judge_python(p);
    arrivals_find(p);
    trace_find(p);
    slices_find(p);
    profile_add_savings(p);
}

json_t *profile_stack(pid_t pid)
{
    char frame[SYMBOLS_FRAMES][SYMBOLS_TEXT];
    unsigned n = 0;
    const struct symbols_reader *reader = load_reader();
    const char *why = reader ? reader->stack(pid, frame, &n) : "call sites cannot be named";
    json_t *list = why ? NULL : json_array();
    if (why)
        reason_give("the stack of process %ld: %s", (long)pid, why);
    for (unsigned i = 0; i < n; i++) {
        quote_plain(frame[i]);
        json_push(list, json_text(frame[i], sizeof frame[i]));
    }
    return list;
}
