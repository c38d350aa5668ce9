/* Earlier runs in the directory of a new one: each is moved to a directory of its own in it,
 * before-YYYYMMDD-HHMMSS by the time of its end. All by way of the open directory, whose owner has
 * been checked and which is locked; nothing is followed, and nothing removed that is not ours. */
#include "layer/place.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_FILES = 65536 };

static bool is_ours(int directory, const char *name)
{
    struct ledger_header h;
    return !strcmp(name, "profile.json") ||
           (ledger_is_name(name) && !ledger_peek(&h, directory, name));
}

static bool is_kept_run(int directory, const char *name)
{
    (void)directory;
    return !strncmp(name, "before-", 7) && strspn(name + 7, "0123456789-") == strlen(name) - 7 &&
           strlen(name) >= 22;
}

static int before(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The names in DIRECTORY that WANTED likes, in the order of their numbers; for free_names(). */
static char **names_in(int directory, bool (*wanted)(int directory, const char *name), size_t *n)
{
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    char **name = calloc(MOST_FILES + 1, sizeof *name);
    *n = 0;
    for (struct dirent *e; dir && name && *n < MOST_FILES && (e = readdir(dir));)
        if (wanted(directory, e->d_name) && (name[*n] = strdup(e->d_name)))
            ++*n;
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    if (*n)
        qsort(name, *n, sizeof *name, before);
    return name;
}

static void free_names(char **name, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(name[i]);
    free(name);
}

/* When the run ended: its newest file. False if it may be living, or there is none. */
static bool ended_at(int directory, char *const *name, size_t n, time_t *when)
{
    *when = 0;
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        struct ledger_header h;
        if (fstatat(directory, name[i], &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            return false;
        if (ledger_is_name(name[i]) && !ledger_peek(&h, directory, name[i]) && ledger_is_in_use(&h))
            return false;
        *when = st.st_mtime > *when ? st.st_mtime : *when;
    }
    return n > 0;
}

/* A new directory in DIRECTORY; -1: none could be made. Of runs that ended in the same second it
 * has the highest number, also where one before has been removed: they are in order. */
static int new_directory(int directory, time_t when, char name[PLACE_KEPT])
{
    struct tm t;
    size_t n, length;
    int number = 1;
    *name = '\0';
    if (gmtime_r(&when, &t))
        strftime(name, PLACE_KEPT, "before-%Y%m%d-%H%M%S", &t);
    length = strlen(name);
    char **there = names_in(directory, is_kept_run, &n);
    for (size_t i = 0; i < n; i++)
        if (!strncmp(there[i], name, length))
            number = (there[i][length] ? atoi(there[i] + length + 1) : 1) + 1;
    free_names(there, n);
    if (number > 1)
        snprintf(name + length, PLACE_KEPT - length, "-%d", number);
    if (!length || mkdirat(directory, name, 0777))
        return -1;
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* What a user has put there, pictures say, stays, and its directory with it. */
static void remove_run(int directory, const char *name)
{
    size_t n;
    int fd = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    char **file = fd < 0 ? NULL : names_in(fd, is_ours, &n);
    if (fd < 0)
        return;
    for (size_t i = 0; i < n; i++)
        unlinkat(fd, file[i], 0);
    free_names(file, n);
    close(fd);
    unlinkat(directory, name, AT_REMOVEDIR);
}

/* Those of RUN are not of an earlier one; nor, where only its processes are here, is one in use. */
static void leave_out(int directory, char **name, size_t *n, uint64_t run)
{
    size_t kept = 0;
    struct ledger_header h;
    for (size_t i = 0; i < *n; i++)
        if (run && ledger_is_name(name[i]) && !ledger_peek(&h, directory, name[i]) &&
            (h.run_id == run || ledger_is_in_use(&h)))
            free(name[i]);
        else
            name[kept++] = name[i];
    *n = kept;
}

bool place_keep(const struct place *p, uint64_t run, long most, char name[PLACE_KEPT])
{
    size_t n, n_kept;
    time_t when;
    bool kept = false;
    *name = '\0';
    if (p->claim < 0 || most < 1)
        return false;
    char **file = names_in(p->claim, is_ours, &n);
    leave_out(p->claim, file, &n, run);
    int to = ended_at(p->claim, file, n, &when) ? new_directory(p->claim, when, name) : -1;
    if (to >= 0) {
        kept = true;
        for (size_t i = 0; i < n; i++)
            kept = !renameat(p->claim, file[i], to, file[i]) && kept;
        close(to);
    }
    free_names(file, n);
    char **old = names_in(p->claim, is_kept_run, &n_kept);
    for (size_t i = 0, left = n_kept; i < n_kept && left > (size_t)most; i++)
        if (strcmp(old[i], name) != 0) { /* the last one, whatever it says of its end */
            remove_run(p->claim, old[i]);
            left--;
        }
    free_names(old, n_kept);
    return kept;
}
