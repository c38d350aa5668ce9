#include "layer/run_directory.h"

#include "base/array.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
            int error = errno; /* the directory may exist in a read-only one */
            if (stat(part, &st))
                return error;
        }
    }
    return 0;
}

/* Makes NAME an absolute path, since -JOB is appended to it: for ".", the run's directory must be
 * a sibling of the working directory, not an entry in it. Returns 0 or an errno. */
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

/* PATH for messages: relative if it is below the current directory. */
static void show(struct run_directory *d, const char *path)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = length > 1 && !strncmp(path, here, length) && path[length] == '/';
    text_copy(d->shown, sizeof d->shown, below ? path + length + 1 : path);
}

/* Whether FILE is BASE-JOB, for any job. */
static bool is_run_name(const char *file, const char *base)
{
    size_t length = strlen(base);
    const char *job = file + length + 1;
    return !strncmp(file, base, length) && file[length] == '-' &&
           strspn(job, "0123456789abcdef") == JOB_DIGITS && !job[JOB_DIGITS];
}

/* The owner of a directory can replace its content at any time. */
static const char *fault_of(const struct stat *st, int fd)
{
    if (st->st_uid != geteuid())
        return "it belongs to another user: use -o with a directory of your own";
    if ((st->st_mode & S_IWOTH) && !(st->st_mode & S_ISVTX))
        return "everybody may write there: use -o with a directory of your own";
    return faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) ? strerror(errno) : NULL;
}

static const char *make(struct run_directory *d, const char *path)
{
    struct stat st;
    if ((mkdir(path, 0755) && errno != EEXIST) ||
        (d->fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) < 0 ||
        fstat(d->fd, &st))
        return strerror(d->error = errno);
    const char *fault = fault_of(&st, d->fd);
    if (fault)
        return fault;
    /* A high number, since applications may assume low ones to be free. If descriptors are scarce
     * (ulimit -n), it is closed, because MPI_Init needs them. */
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
    d->error = resolve(name, path);
    if (d->error)
        return strerror(d->error);
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
    struct stat st;
    int fd = *d->path ? open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && st.st_dev == d->device && st.st_ino == d->inode)
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

void run_directory_close(struct run_directory *d)
{
    if (d->fd >= 0)
        close(d->fd);
    d->fd = -1;
}

void run_directory_remove_file(const struct run_directory *d, const char *name)
{
    int fd = run_directory_open(d);
    if (fd < 0)
        return;
    if (*name)
        unlinkat(fd, name, 0);
    close(fd);
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

void run_directory_record(const struct run_directory *d, char path[RUN_DIRECTORY_RECORD], int rank,
                          uint64_t tag)
{
    snprintf(path, RUN_DIRECTORY_RECORD, "%s/rank-%06d-%08x.ledger", d->path, rank,
             (unsigned)(tag ^ tag >> 32));
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
            long rank = ledger_is_name(e->d_name) ? strtol(e->d_name + 5, NULL, 10) : -1;
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

struct content {
    bool run, in_use;
};

static void look(int directory, const char *name, const struct ledger_header *h, const char *fault,
                 void *arg)
{
    (void)directory, (void)name;
    struct content *c = arg;
    c->run = c->run || !fault;
    c->in_use = c->in_use || (!fault && ledger_is_in_use(h));
}

static void remove_record(int directory, const char *name, const struct ledger_header *h,
                          const char *fault, void *arg)
{
    (void)h, (void)arg;
    if (!fault)
        unlinkat(directory, name, 0);
}

static int open_run(int parent, const char *name, struct stat *st)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || (fstat(fd, st) == 0 && st->st_uid == geteuid()))
        return fd;
    close(fd);
    return -1;
}

/* Whether the directory FD holds a run that has ended. The run of an empty one may be about to
 * start. */
static bool has_ended(int fd)
{
    struct stat st;
    struct content c = {.run = !fstatat(fd, "profile.json", &st, AT_SYMLINK_NOFOLLOW)};
    ledger_each(fd, look, &c);
    return c.run && !c.in_use;
}

/* Files of the user are kept, and so is their directory. */
static void remove_run(int parent, const char *name)
{
    struct stat st;
    int fd = open_run(parent, name, &st);
    if (fd < 0)
        return;
    ledger_each(fd, remove_record, NULL);
    unlinkat(fd, "profile.json", 0);
    unlinkat(fd, "verdict.json", 0);
    close(fd);
    unlinkat(parent, name, AT_REMOVEDIR);
}

struct old_run {
    char name[NAME_MAX + 1];
    struct timespec changed;
};

static int newest_first(const void *a, const void *b)
{
    const struct old_run *x = a, *y = b;
    return ORDER(y->changed.tv_sec, x->changed.tv_sec)
               ?: ORDER(y->changed.tv_nsec, x->changed.tv_nsec) ?: strcmp(y->name, x->name);
}

void run_directory_remove_old(const struct run_directory *d, const char *name, long most)
{
    char path[PATH_MAX], parent[PATH_MAX];
    struct old_run *old = NULL, *more;
    size_t n = 0;
    if (!*d->path || resolve(name, path))
        return;
    const char *base = text_base_of(path);
    snprintf(parent, sizeof parent, "%.*s", (int)(base - path), path);
    DIR *directory = opendir(parent);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        struct stat st;
        int fd = is_run_name(e->d_name, base) ? open_run(dirfd(directory), e->d_name, &st) : -1;
        if (fd >= 0 && (st.st_ino != d->inode || st.st_dev != d->device) && has_ended(fd) &&
            (more = realloc(old, (n + 1) * sizeof *old))) {
            old = more;
            old[n].changed = st.st_mtim;
            text_copy(old[n++].name, sizeof old->name, e->d_name);
        }
        if (fd >= 0)
            close(fd);
    }
    if (n)
        qsort(old, n, sizeof *old, newest_first);
    for (size_t i = (size_t)most; i < n; i++)
        remove_run(dirfd(directory), old[i].name);
    free(old);
    if (directory)
        closedir(directory);
}
