#include "layer/run_directory.h"

#include "base/input.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOB_DIGITS = 8, HIGH_DESCRIPTOR = 200 };

/* Makes all missing directories above PATH. Returns 0 or an errno. */
static int make_parents(const char *path)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat st;
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0777) && errno != EEXIST) {
            int error = errno; /* in a read-only file system even if PART exists */
            if (stat(part, &st))
                return error;
        }
    }
    return 0;
}

/* Sets PATH to the absolute path of NAME, so that -JOB can be appended: "." and ".." are replaced
 * by the directory's name. Makes missing parents. Returns 0 or an errno. */
static int resolve(const char *name, char path[PATH_MAX])
{
    const char *last = text_base_of(name);
    size_t length = 0;
    if (!strcmp(last, ".") || !strcmp(last, ".."))
        return realpath(name, path) ? 0 : errno;
    if (*name != '/' && !getcwd(path, PATH_MAX - 1))
        return errno;
    if (*name != '/')
        length = strlen(strcat(path, "/"));
    if (length + strlen(name) + JOB_DIGITS + 8 > PATH_MAX)
        return ENAMETOOLONG;
    strcpy(path + length, name);
    for (length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
        path[length - 1] = '\0';
    return make_parents(path);
}

/* Sets D->shown to PATH, relative if it is below the current directory. */
static void show(struct run_directory *d, const char *path)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = length > 1 && !strncmp(path, here, length) && path[length] == '/';
    text_copy(d->shown, sizeof d->shown, below ? path + length + 1 : path);
}

/* Whether FILE is BASE-JOB, the name of a run's directory, for any JOB (8 hexadecimal digits). */
static bool is_run_name(const char *file, const char *base)
{
    size_t length = strlen(base);
    const char *job = file + length + 1;
    return !strncmp(file, base, length) && file[length] == '-' &&
           strspn(job, "0123456789abcdef") == JOB_DIGITS && !job[JOB_DIGITS];
}

/* NULL, or why a directory is refused: another user could replace its content at any time. */
static const char *fault_of(const struct stat *st, int fd)
{
    if (st->st_uid != geteuid())
        return "it belongs to another user: use -o with a directory of your own";
    if ((st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX))
        return "all users may write to it: use -o with a directory of your own";
    return faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) ? strerror(errno) : NULL;
}

static const char *make(struct run_directory *d, const char *path)
{
    struct stat st;
    if ((mkdir(path, 0755) && errno != EEXIST) ||
        (d->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
        fstat(d->fd, &st))
        return strerror(errno);
    const char *fault = fault_of(&st, d->fd);
    if (fault)
        return fault;
    /* Moves the descriptor to 200 or more, since applications may expect low ones to be free. If
     * the limit (ulimit -n) is lower, FD becomes -1: MPI_Init needs the remaining descriptors. */
    int high = fcntl(d->fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    close(d->fd);
    d->fd = high;
    d->device = st.st_dev;
    d->inode = st.st_ino;
    strcpy(d->path, path);
    return NULL;
}

const char *run_directory_make(struct run_directory *d, const char *name, uint64_t job)
{
    char path[PATH_MAX];
    *d = (struct run_directory){.fd = -1};
    text_copy(d->shown, sizeof d->shown, name);
    int error = resolve(name, path);
    if (error)
        return strerror(error);
    size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "-%08x", (unsigned)(job ^ job >> 32));
    show(d, path);
    const char *fault = make(d, path);
    if (fault)
        run_directory_close(d);
    return fault;
}

int run_directory_open(const struct run_directory *d)
{
    return input_open_again(d->path, O_RDONLY | O_DIRECTORY, d->device, d->inode);
}

void run_directory_close(struct run_directory *d)
{
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
}

void run_directory_remove_file(const struct run_directory *d, const char *name)
{
    CLOSED int fd = run_directory_open(d);
    if (fd < 0)
        return;
    if (*name)
        unlinkat(fd, name, 0);
    rmdir(d->path);
}

/* Whether PATH does not exist, or is a link of this user to a run's directory. */
static bool may_be_replaced(const char *path)
{
    char target[PATH_MAX];
    struct stat st;
    if (lstat(path, &st))
        return errno == ENOENT;
    ssize_t n = S_ISLNK(st.st_mode) && st.st_uid == geteuid()
                    ? readlink(path, target, sizeof target - 1)
                    : -1;
    target[n > 0 ? n : 0] = '\0';
    return n > 0 && is_run_name(target, text_base_of(path));
}

bool run_directory_link(const struct run_directory *d, const char *name)
{
    char path[PATH_MAX], made[PATH_MAX + 16];
    if (!*d->path || resolve(name, path) || !may_be_replaced(path))
        return false;
    snprintf(made, sizeof made, "%s.link", d->path);
    if (symlink(text_base_of(d->path), made))
        return false;
    if (rename(made, path)) {
        unlink(made);
        return false;
    }
    return true;
}

void run_directory_follow(struct run_directory *d, const char *name)
{
    char path[PATH_MAX];
    struct stat st;
    if (*d->path && !resolve(name, path) && !stat(path, &st) && st.st_dev == d->device &&
        st.st_ino == d->inode)
        show(d, path);
}

int run_directory_ranks(const struct run_directory *d, int size, int *first)
{
    char entries[8192] __attribute__((aligned(8)));
    uint64_t seen[size / 64 + 1];
    ssize_t bytes;
    int n = 0;
    memset(seen, 0, sizeof seen);
    int fd = d->fd >= 0 ? d->fd : run_directory_open(d);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return 0;
    while ((bytes = getdents64(fd, entries, sizeof entries)) > 0)
        for (ssize_t at = 0; at < bytes;) {
            const struct dirent64 *e = (const struct dirent64 *)(entries + at);
            long rank = fnmatch(LEDGER_NAMES, e->d_name, 0) ? -1 : strtol(e->d_name + 5, NULL, 10);
            if (rank >= 0 && rank < size && !(seen[rank / 64] >> rank % 64 & 1)) {
                seen[rank / 64] |= 1ull << rank % 64;
                *first = n++ && *first < rank ? *first : (int)rank;
            }
            at += e->d_reclen;
        }
    if (fd != d->fd)
        close(fd);
    return n;
}
