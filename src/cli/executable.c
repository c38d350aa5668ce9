#include "cli/cli.h"

#include "base/input.h"
#include "base/text.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool is_launcher(const char *program)
{
    const char *base = text_base_of(program);
    char name[16]; /* the name up to a dot, as "mpiexec" of mpiexec.mpich */
    text_copy_part(name, sizeof name, base, strcspn(base, "."));
    return text_has_word("mpiexec mpirun orterun prterun srun", name);
}

static bool is_shell(const char *program)
{
    return text_has_word("sh bash dash ksh mksh zsh csh tcsh fish", text_base_of(program));
}

/* Sets PATH to the file that execvp() would execute as PROGRAM; false if there is none. */
static bool find_program(const char *program, char *path, size_t size)
{
    const char *list = getenv("PATH");
    if (strchr(program, '/')) {
        snprintf(path, size, "%s", program);
        return access(path, X_OK) == 0;
    }
    while (list && *list) {
        size_t length = strcspn(list, ":");
        snprintf(path, size, "%.*s%s%s", (int)length, list, length ? "/" : "", program);
        if (access(path, X_OK) == 0)
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

/* Whether the first line of a script names a shell, as in "#!/usr/bin/env -S A=1 bash -e". */
static bool is_shell_script(const char *path)
{
    char line[256], *rest = line + 2;
    bool is = false;
    input_read(path, line, sizeof line);
    if (strncmp(line, "#!", 2))
        return false;
    line[strcspn(line, "\n")] = '\0';
    for (const char *word; !is && (word = strsep(&rest, " \t"));)
        is = !strchr(word, '=') && is_shell(word);
    return is;
}

static void note_library(struct executable *x, const char *name, const char *path)
{
    if (!strncmp(name, "libasan.so", 10))
        text_copy(x->sanitizer, sizeof x->sanitizer, path);
    if (!*x->mpi && (!strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpich.so", 11) ||
                     !strncmp(name, "libmpi_abi.so", 13))) /* MPI 5's standard ABI, of any MPI */
        snprintf(x->mpi, sizeof x->mpi, "%s", name);
}

/* Sets LOADER to the path of the program's dynamic loader; "" if the program has none. */
static void find_loader(Elf *elf, int fd, char *loader, size_t size)
{
    size_t n = 0;
    GElf_Phdr header;
    elf_getphdrnum(elf, &n);
    *loader = '\0';
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP) {
            size_t length = header.p_filesz < size ? header.p_filesz : size - 1;
            ssize_t got = pread(fd, loader, length, (off_t)header.p_offset);
            loader[got > 0 ? got : 0] = '\0';
        }
}

/* Lets the dynamic loader list all libraries that the program needs, without starting the program.
 * The shell gets both paths in variables, since a path may contain any character. */
static void ask_loader(struct executable *x, const char *loader, const char *path)
{
    char line[4400], name[64], file[4200];
    if (strncmp(text_base_of(loader), "ld-linux", 8))
        return;
    setenv("_COLLPROF_LOADER", loader, 1);
    setenv("_COLLPROF_PROGRAM", path, 1);
    FILE *list =
        popen("exec \"$_COLLPROF_LOADER\" --list \"$_COLLPROF_PROGRAM\" 2>/dev/null", "re");
    while (list && fgets(line, sizeof line, list))
        if (sscanf(line, " %63s => %4199s", name, file) == 2)
            note_library(x, name, file);
    if (list)
        pclose(list);
    unsetenv("_COLLPROF_LOADER");
    unsetenv("_COLLPROF_PROGRAM");
}

bool executable_examine(struct executable *x, const char *program)
{
    char path[4200];
    *x = (struct executable){0};
    CLOSED int fd =
        find_program(program, path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return false;
    x->is_shell = is_shell(path) || is_shell_script(path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        char loader[256];
        find_loader(elf, fd, loader, sizeof loader);
        x->is_static = !*loader;
        ask_loader(x, loader, path);
    }
    elf_end(elf);
    return true;
}
