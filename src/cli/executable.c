#include "cli/executable.h"

#include "base/text.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool is_launcher(const char *program)
{
    static const char *const launchers[] = {"mpiexec",         "mpirun",         "mpiexec.mpich",
                                            "mpirun.mpich",    "mpiexec.hydra",  "mpirun.hydra",
                                            "mpiexec.openmpi", "mpirun.openmpi", "orterun",
                                            "prterun",         "srun",           NULL};
    return text_is_one_of(text_base_of(program), launchers);
}

static bool is_shell(const char *program)
{
    static const char *const shells[] = {"sh",  "bash", "dash", "ksh",  "mksh",
                                         "zsh", "csh",  "tcsh", "fish", NULL};
    return text_is_one_of(text_base_of(program), shells);
}

/* As execvp() searches. */
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

/* "#!/usr/bin/env bash" is bash. */
static bool is_shell_script(int fd)
{
    char line[256] = "", *save = NULL;
    ssize_t n = pread(fd, line, sizeof line - 1, 0);
    if (n < 2 || line[0] != '#' || line[1] != '!')
        return false;
    line[strcspn(line, "\n")] = '\0';
    const char *interpreter = strtok_r(line + 2, " \t", &save);
    if (interpreter && !strcmp(text_base_of(interpreter), "env"))
        interpreter = strtok_r(NULL, " \t", &save);
    return interpreter && is_shell(interpreter);
}

static bool is_c_library_of_mpi(const char *name)
{
    return !strncmp(name, "libmpi.so", 9) || !strncmp(name, "libmpich.so", 11);
}

/* The needed libraries, from the dynamic section. */
static void find_mpi(Elf *elf, char *mpi, size_t size)
{
    GElf_Shdr header;
    GElf_Dyn entry;
    for (Elf_Scn *s = elf_nextscn(elf, NULL); s; s = elf_nextscn(elf, s)) {
        if (!gelf_getshdr(s, &header) || header.sh_type != SHT_DYNAMIC || !header.sh_entsize)
            continue;
        Elf_Data *data = elf_getdata(s, NULL);
        for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
            const char *name =
                entry.d_tag == DT_NEEDED ? elf_strptr(elf, header.sh_link, entry.d_un.d_val) : NULL;
            if (name && is_c_library_of_mpi(name))
                snprintf(mpi, size, "%s", name);
        }
    }
}

static bool has_loader(Elf *elf)
{
    size_t n = 0;
    GElf_Phdr header;
    elf_getphdrnum(elf, &n);
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_INTERP)
            return true;
    return false;
}

bool executable_look(struct executable *x, const char *program)
{
    char path[4200];
    struct stat st;
    *x = (struct executable){0};
    if (!find_program(program, path, sizeof path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st)) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    x->is_shell = is_shell(path) || is_shell_script(fd);
    x->is_privileged = st.st_mode & (S_ISUID | S_ISGID) && geteuid() != st.st_uid;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF) {
        x->is_static = !has_loader(elf);
        find_mpi(elf, x->mpi, sizeof x->mpi);
    }
    elf_end(elf);
    close(fd);
    return true;
}

const char *executable_mpi(const char *path)
{
    static char mpi[64];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *mpi = '\0';
    if (fd < 0)
        return NULL;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf && elf_kind(elf) == ELF_K_ELF)
        find_mpi(elf, mpi, sizeof mpi);
    elf_end(elf);
    close(fd);
    return *mpi ? mpi : NULL;
}
