/* Protects the names of call sites: function, file and line of an address in this very program, of
 * functions that were inlined, from separate files, and that none is taken from a file that is not
 * the one that ran. */
#include "symbols/symbols.h"
#include "base/text.h"
#include "made_profile.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/wait.h>

extern const struct symbols_reader collprof_symbols_4;
static const struct symbols_reader *const reader = &collprof_symbols_4;

/* A call in a function that is inlined in another, and where both are. */
static struct {
    uint64_t address; /* in the file */
    unsigned line, inlined_at;
} call;

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    call.address = (uint64_t)(uintptr_t)arg - info->dlpi_addr;
    return 1; /* the first is the program */
}

static __attribute__((noinline)) void callee(void)
{
    dl_iterate_phdr(look, __builtin_return_address(0));
}

static inline __attribute__((always_inline)) void is_inlined(void)
{
    call.line = __LINE__ + 1;
    callee(); /* and returns to another line */
}

__attribute__((noinline)) void its_caller(void);
void its_caller(void)
{
    call.inlined_at = __LINE__ + 1;
    is_inlined();
    __asm__ volatile("" ::: "memory");
}

static char own[4096];

static void start(void)
{
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    its_caller();
}
TestSuite(symbols, .init = start);

static void both_levels(struct symbols *file)
{
    struct symbol found;
    reader->find(file, call.address, 0, &found);
    cr_assert(found.function && !strcmp(found.function, "is_inlined"), "%s", found.function);
    cr_assert(found.inlined && found.line == call.line, "%u, not %u", found.line, call.line);
    cr_assert(found.file && !strcmp(text_base_of(found.file), "symbols.c"), "%s", found.file);
    reader->find(file, call.address, 1, &found);
    cr_assert(found.function && !strcmp(found.function, "its_caller"), "%s", found.function);
    cr_assert(!found.inlined && found.line == call.inlined_at, "%u", found.line);
    cr_assert(found.file && !strcmp(text_base_of(found.file), "symbols.c"), "%s", found.file);
    cr_assert(found.offset > 0 && found.offset < 200, "%u", (unsigned)found.offset);
    reader->find(file, call.address, 2, &found);
    cr_assert_null(found.function);
}

Test(symbols, function_file_and_line)
{
    bool changed;
    struct symbol found;
    struct symbols *file = reader->open(own, "", false, &changed);
    cr_assert(file && !changed);
    both_levels(file);
    reader->find(file, 4, 0, &found); /* the file's head */
    cr_assert(!found.function && !found.file && found.offset == 4);
    reader->close(file);
}

Test(symbols, names_only)
{
    bool changed;
    struct symbol found;
    struct symbols *file = reader->open(own, "", true, &changed);
    cr_assert(file && !changed);
    reader->find(file, call.address, 0, &found);
    cr_assert(found.function && !strcmp(found.function, "its_caller") && !found.file &&
              !found.line);
    uint64_t entry = call.address - found.offset;
    reader->find(file, entry + 1, 0, &found); /* a call of no byte at its very beginning */
    cr_assert(found.function && !strcmp(found.function, "its_caller") && found.offset == 1);
    reader->find(file, entry, 0, &found); /* ends the function before */
    cr_assert(!found.function || strcmp(found.function, "its_caller"));
    reader->close(file);
}

void in_cplusplus(void) __asm__("_ZN4halo8exchangeEv");
__attribute__((noinline)) void in_cplusplus(void)
{
    __asm__ volatile("nop");
}
void in_fortran(void) __asm__("__halo_MOD_fill");
__attribute__((noinline)) void in_fortran(void)
{
    __asm__ volatile("nop");
}
void long_name(void) __asm__("__m_MOD_begin_0123456789_0123456789_0123456789_0123456789_"
                             "0123456789_0123456789_0123456789_end");
__attribute__((noinline)) void long_name(void)
{
    __asm__ volatile("nop");
}

/* As they were written, however often they are asked for; long ones without their middle. */
Test(symbols, names_are_readable)
{
    static const struct {
        void (*function)(void);
        const char *name;
    } known[] = {{in_cplusplus, "halo::exchange()"}, {in_fortran, "halo::fill"}, {long_name, NULL}};
    bool changed;
    struct symbol found;
    struct symbols *file = reader->open(own, "", true, &changed);
    for (size_t i = 0; i < 2 * sizeof known / sizeof *known; i++) {
        dl_iterate_phdr(look, (char *)(uintptr_t)known[i / 2].function + 1);
        reader->find(file, call.address, 0, &found);
        cr_expect(found.function &&
                      (i < 4 ? !strcmp(found.function, known[i / 2].name)
                             : strstr(found.function, "...") && strlen(found.function) == 83),
                  "%s", found.function);
        cr_expect_eq(found.offset, 1);
    }
    reader->close(file);
}

Test(symbols, another_file_than_the_one_that_ran)
{
    bool changed;
    cr_assert(!reader->open(own, "0123456789abcdef", false, &changed) && changed);
    cr_assert(!reader->open("/nowhere/program", "", false, &changed) && !changed);
    cr_assert(!reader->open("/etc/passwd", "", false, &changed) && !changed);
}

/* --- a whole profile --- */

static struct profile *of_program(const char *path, const char *build_id, const char *function)
{
    struct profile_module m = {.path = ""};
    struct profile_site site = {.depth = 1};
    struct profile *p = profile_new();
    snprintf(m.path, sizeof m.path, "%s", path);
    snprintf(m.build_id, sizeof m.build_id, "%s", build_id);
    snprintf(m.function, sizeof m.function, "%s", function);
    PUSH(&p->programs)->text = memory_strdup(path);
    profile_add_site(p, &(struct profile_site){0});
    site.frame[0] =
        (struct profile_frame){.module = profile_add_module(p, &m), .address = call.address};
    profile_add_site(p, &site);
    profile_symbolize(p);
    return p;
}

static const struct profile_site *site_of(const struct profile *p)
{
    return &p->sites.at[p->sites.at[0].depth ? 0 : 1];
}

Test(symbols, of_a_profile)
{
    struct profile *p = of_program(own, "", "");
    const struct profile_site *s = site_of(p);
    cr_assert_eq(s->depth, 2);
    cr_assert_str_eq(s->frame[0].function, "is_inlined");
    cr_assert_str_eq(s->frame[1].function, "its_caller");
    cr_assert(s->frame[0].line == call.line && s->frame[1].line == call.inlined_at);
    cr_assert(s->frame[1].offset > 0 && s->frame[1].offset < 200);
    cr_assert(!made_warns(p, "call sites"));
    profile_free(p);

    p = of_program(own, "0123", "");
    cr_assert(made_warns(p, "has changed since the run: its call sites cannot be named"));
    cr_assert(!site_of(p)->frame[0].function && site_of(p)->frame[0].offset == call.address);
    profile_free(p);

    p = of_program("/nowhere/program", "", "");
    cr_assert(made_warns(p, "/nowhere/program cannot be read here"));
    profile_free(p);

    /* A script's function and line, which the layer has read. */
    call.address = 12;
    p = of_program("/home/user/solve.py", "", "iterate");
    s = site_of(p);
    cr_assert(!strcmp(s->frame[0].function, "iterate") && s->frame[0].line == 12);
    cr_assert_str_eq(s->frame[0].file, "/home/user/solve.py");
    cr_assert(!made_warns(p, "call sites") && !made_warns(p, "call site"));
    profile_free(p);

    p = of_program("/usr/bin/python3.11", "", "");
    cr_assert(made_warns(p, "no call site in Python could be read"));
    cr_assert(!made_warns(p, "compile with -g"));
    profile_free(p);
}

/* A process that waits here is shown to. */
__attribute__((noinline)) void waits_here(int pipe);
void waits_here(int pipe)
{
    char end;
    while (read(pipe, &end, 1) != 1)
        ;
    _exit(0);
}

Test(symbols, the_stack_of_another_process)
{
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        waits_here(ends[0]);
    bool found = false;
    for (int i = 0; i < 100 && !found; i++) { /* it may not be there yet */
        json_t *stack = profile_stack(child), *frame;
        size_t k;
        json_array_foreach(stack, k, frame)
            found = found || !strncmp(json_string_value(frame), "waits_here at symbols.c:", 24);
        json_decref(stack);
        usleep(10000);
    }
    cr_assert_eq(write(ends[1], "", 1), 1);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    cr_assert(found);
    cr_assert_null(profile_stack(child));
}
