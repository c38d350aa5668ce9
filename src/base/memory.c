#include "base/memory.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local jmp_buf *way_out;

void memory_exhausted(void)
{
    if (way_out)
        longjmp(*way_out, 1);
    abort();
}

bool memory_try(void (*function)(void *arg), void *arg)
{
    jmp_buf here, *outer = way_out;
    if (setjmp(here)) {
        way_out = outer;
        return false;
    }
    way_out = &here;
    function(arg);
    way_out = outer;
    return true;
}

void *memory_alloc(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        memory_exhausted();
    return memory;
}

char *memory_strdup(const char *text)
{
    return strcpy(memory_alloc(strlen(text) + 1), text);
}

FILE *memory_open_text(char **text, size_t *size)
{
    FILE *out = open_memstream(text, size);
    if (!out)
        memory_exhausted();
    return out;
}

/* The number after KEY in the first line of FILE that begins with KEY; UINT64_MAX if there is no
 * such line, or no number, as for "max" (no limit). */
static uint64_t number_in(const char *directory, const char *file, const char *key)
{
    char path[4400], line[256];
    uint64_t number = UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", directory, file);
    FILE *in = fopen(path, "re");
    while (in && number == UINT64_MAX && fgets(line, sizeof line, in))
        if (!strncmp(line, key, strlen(key)) &&
            sscanf(line + strlen(key), "%" SCNu64, &number) != 1)
            break;
    if (in)
        fclose(in);
    return number;
}

/* Bytes left of the memory limit of the control group DIRECTORY; UINT64_MAX if it has none. Cached
 * pages of files count as free, since the kernel can reclaim them. SECOND: version 2 of cgroups. */
static uint64_t group_left(const char *directory, bool second)
{
    uint64_t limit = number_in(directory, second ? "memory.max" : "memory.limit_in_bytes", "");
    uint64_t used = number_in(directory, second ? "memory.current" : "memory.usage_in_bytes", "");
    if (limit == UINT64_MAX || used == UINT64_MAX)
        return UINT64_MAX;
    const char *const files[] = {second ? "inactive_file " : "total_inactive_file ",
                                 second ? "active_file " : "total_active_file "};
    for (int i = 0; i < 2; i++) {
        uint64_t bytes = number_in(directory, "memory.stat", files[i]);
        used -= bytes < used ? bytes : 0;
    }
    return limit > used ? limit - used : 0;
}

/* The minimum of group_left() over group NAME below BASE and its parents. In a container NAME may
 * be the host's path of the group, which does not exist here: then only BASE has a limit. */
static uint64_t groups_left(const char *base, const char *name, bool second)
{
    char path[4200];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof path, "%s%s", base, name);
    while (strlen(path) >= strlen(base)) {
        uint64_t left = group_left(path, second);
        least = left < least ? left : least;
        *strrchr(path, '/') = '\0';
    }
    return least;
}

uint64_t memory_available(const char *proc, const char *cgroup)
{
    char path[300], base[300], line[4200];
    uint64_t least = number_in(proc, "meminfo", "MemAvailable:");
    least = least < UINT64_MAX / 1024 ? 1024 * least : UINT64_MAX;
    snprintf(path, sizeof path, "%s/self/cgroup", proc);
    FILE *in = fopen(path, "re");
    while (in && fgets(line, sizeof line, in)) { /* "0::/name", "4:memory:/name" */
        bool second = !strncmp(line, "0::", 3);
        const char *name = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (!name || (!second && !strstr(line, "memory:")))
            continue;
        snprintf(base, sizeof base, "%s%s", cgroup, second ? "" : "/memory");
        uint64_t left = groups_left(base, strcmp(name, "/") ? name : "", second);
        least = left < least ? left : least;
    }
    if (in)
        fclose(in);
    return least;
}
