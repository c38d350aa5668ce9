#include "layer/place.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BESIDE = 99, HIGH_DESCRIPTOR = 200, SETTLING = 400, SETTLING_US = 5000 };

/* --- making and opening --- */

/* All directories on the way, and whether the last one is new. */
static int make(const char *path, bool *is_new)
{
    char part[PATH_MAX];
    for (const char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", slash ? (int)(slash - path) : (int)strlen(path), path);
        *is_new = mkdir(part, 0777) == 0;
        if (!*is_new && errno != EEXIST) {
            int error = errno; /* a directory that is there may lie in one that is read-only */
            struct stat st;
            if (stat(part, &st))
                return error;
        }
        if (!slash)
            return 0;
    }
}

void place_make_parents(const char *path)
{
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    bool is_new;
    snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) : 0, path);
    if (*parent)
        make(parent, &is_new);
}

/* Whoever owns a directory, or a link to one, can put something else in its place at any time. */
static bool is_trusted(const struct stat *st)
{
    return st->st_uid == geteuid() || st->st_uid == 0;
}

static const char *open_checked(const char *path, bool is_new, int *fd)
{
    struct stat link, st;
    *fd = -1;
    if (lstat(path, &link))
        return strerror(errno);
    if (S_ISLNK(link.st_mode) && !is_trusted(&link))
        return "it is a link of another user: -o with a directory of your own would be right";
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*fd < 0)
        return strerror(errno);
    const char *fault = NULL;
    if (fstat(*fd, &st))
        fault = strerror(errno);
    else if (!is_new && !is_trusted(&st))
        fault = "it belongs to another user: -o with a directory of your own would be right";
    else if ((st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX))
        fault = "everybody may write there: -o with a directory of your own would be right";
    else if (faccessat(*fd, ".", W_OK | X_OK, AT_EACCESS))
        fault = strerror(errno);
    if (fault) {
        close(*fd);
        *fd = -1;
    }
    return fault;
}

static bool ends_in_dots(const char *path)
{
    const char *last = text_base_of(path);
    return !strcmp(last, ".") || !strcmp(last, "..");
}

/* Beside "." is not ".-2": that would be a hidden directory in it. */
static void show(struct place *p, const char *wanted, unsigned number)
{
    char real[PATH_MAX];
    if (number && ends_in_dots(wanted) && realpath(wanted, real))
        wanted = real;
    size_t length = strlen(wanted);
    while (length > 1 && wanted[length - 1] == '/')
        length--;
    p->number = number;
    if (number)
        snprintf(p->shown, sizeof p->shown, "%.*s-%u", (int)length, wanted, number);
    else
        snprintf(p->shown, sizeof p->shown, "%.*s", (int)length, wanted);
}

static const char *settle(struct place *p, const char *wanted, unsigned number, int *fd)
{
    struct stat st;
    bool is_new;
    show(p, wanted, number);
    *p->path = '\0';
    int error = make(p->shown, &is_new);
    const char *fault = error ? strerror(error) : open_checked(p->shown, is_new, fd);
    if (!fault && (!realpath(p->shown, p->path) || fstat(*fd, &st))) {
        fault = strerror(errno);
        close(*fd);
    }
    if (fault) {
        *p->path = '\0';
        return fault;
    }
    p->device = st.st_dev;
    p->inode = st.st_ino;
    return NULL;
}

/* profile.json: of ours, or somebody's own? */
static bool is_foreign(int directory)
{
    char start[256] = "";
    int fd = openat(directory, "profile.json", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT;
    struct stat st;
    bool plain = !fstat(fd, &st) && S_ISREG(st.st_mode);
    ssize_t n = plain ? read(fd, start, sizeof start - 1) : 0;
    close(fd);
    return !plain || (n > 0 && !strstr(start, "collprof-profile/"));
}

static const char FOREIGN[] = "holds a profile.json that collprof has not written",
                  IN_USE[] = "is in use by another run";

/* Whose records living processes have in a directory. */
struct users {
    uint64_t run;
    bool mine, others;
};

static void find_user(int directory, const char *name, const struct ledger_header *h, void *arg)
{
    (void)directory, (void)name;
    struct users *users = arg;
    if (h->pid > 0 && h->run_id && ledger_is_in_use(h))
        *(h->run_id == users->run ? &users->mine : &users->others) = true;
}

/* Whose ranks do not talk: the first has the directory for itself until its record names the run
 * (place_settled). Others wait for that, and are of that run, or go. */
static bool is_of_run(struct place *p, int fd, uint64_t run)
{
    for (int i = 0; i < SETTLING; i++) {
        struct users users = {.run = run};
        bool first = !flock(fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK;
        bool joined = !first && !flock(fd, LOCK_SH | LOCK_NB);
        place_each(p, find_user, &users);
        if (users.others || first || (joined && users.mine))
            return !users.others;
        if (joined) /* that was somebody who only looked, or has gone */
            flock(fd, LOCK_UN);
        usleep(SETTLING_US);
    }
    return false;
}

/* The lock goes with the process, however that ends. Out of the way of applications that know their
 * descriptors by number. Where a file system has no locks, nobody is kept away. */
static bool take(struct place *p, int fd, uint64_t run)
{
    bool foreign = is_foreign(fd);
    if (foreign ||
        (run ? !is_of_run(p, fd, run) : flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)) {
        p->why = p->why ? p->why : foreign ? FOREIGN : IN_USE;
        return false;
    }
    int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    p->claim = high >= 0 ? high : fd;
    if (high >= 0)
        close(fd);
    return true;
}

void place_settled(const struct place *p)
{
    if (p->claim >= 0)
        flock(p->claim, LOCK_SH | LOCK_NB);
}

const char *place_claim(struct place *p, const char *wanted, uint64_t run)
{
    p->why = NULL;
    for (unsigned number = 0; number <= MOST_BESIDE; number += number ? 1 : 2) {
        int fd;
        p->claim = -1;
        const char *fault = settle(p, wanted, number, &fd);
        if (fault && !number)
            return fault;
        if (!fault && take(p, fd, run))
            return NULL;
        if (!fault)
            close(fd);
    }
    *p->path = '\0';
    show(p, wanted, 0);
    return "it and all beside it are in use by other runs, or hold what is not ours";
}

const char *place_join(struct place *p, const char *wanted, unsigned number)
{
    int fd;
    p->claim = -1;
    const char *fault = settle(p, wanted, number, &fd);
    if (!fault)
        close(fd);
    return fault;
}

int place_open(const struct place *p)
{
    struct stat st;
    int fd = *p->path ? open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && st.st_dev == p->device && st.st_ino == p->inode)
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

/* --- records --- */

void place_record(const struct place *p, char path[PLACE_RECORD], int rank, uint64_t tag)
{
    snprintf(path, PLACE_RECORD, "%s/rank-%06d-%08x.ledger", p->path, rank,
             (unsigned)(tag ^ tag >> 32));
}

void place_each(const struct place *p,
                void (*each)(int directory, const char *name, const struct ledger_header *h,
                             void *arg),
                void *arg)
{
    int fd = place_open(p);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory && fd >= 0)
        close(fd);
    for (struct dirent *e; directory && (e = readdir(directory));) {
        struct ledger_header h;
        if (ledger_is_name(e->d_name) && !ledger_peek(&h, dirfd(directory), e->d_name))
            each(dirfd(directory), e->d_name, &h, arg);
    }
    if (directory)
        closedir(directory);
}

struct clearing {
    int rank, beyond;
};

static void clear_record(int directory, const char *name, const struct ledger_header *h, void *arg)
{
    const struct clearing *c = arg;
    if ((h->rank == c->rank || h->rank >= c->beyond) && !ledger_is_in_use(h))
        unlinkat(directory, name, 0);
}

void place_clear(const struct place *p, int rank, int size, bool first)
{
    place_each(p, clear_record, &(struct clearing){rank, first ? size : INT_MAX});
    int fd = first ? place_open(p) : -1;
    if (fd < 0)
        return;
    if (!is_foreign(fd))
        unlinkat(fd, "profile.json", 0);
    close(fd);
}

/* --- other runs --- */

bool place_others(const struct place *p, double since, char *list, size_t room)
{
    size_t at = 0, base = strlen(p->shown);
    *list = '\0';
    if (p->number) /* beside another one itself */
        return false;
    for (unsigned n = 2; n <= MOST_BESIDE && at < room; n++) {
        char path[sizeof p->path + 16];
        struct stat st;
        snprintf(path, sizeof path, "%s-%u", p->path, n);
        if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && (double)st.st_mtime >= since - 1)
            at += (size_t)snprintf(list + at, room - at, "%s%.*s-%u", at ? ", " : "", (int)base,
                                   p->shown, n);
    }
    return at > 0;
}
