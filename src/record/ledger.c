/* Creates and grows ledgers; ledger_read.c reads them. */
#include "record/ledger.h"
#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

const struct ledger_rule ledger_rules[LEDGER_SECTIONS] = {
#define X(name, array, element, least, share, growth, most)                                        \
    {offsetof(struct ledger, array), sizeof(element), least, share, growth, most},
    LEDGER_SECTION_LIST(X)
#undef X
};

static uint64_t whole_pages(uint64_t n)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (n + page - 1) / page * page;
}

static uint64_t bytes_of(const struct ledger_table *t, uint32_t elements)
{
    return whole_pages((uint64_t)elements * t->element_size);
}

/* Sets capacity, limit and offset of each section, with room for those before it at their limits.
 * PART: divides the growth of sections. Returns the file's size in bytes. */
static uint64_t lay_out(struct ledger_header *h, size_t bytes, uint32_t operations, unsigned part)
{
    uint64_t at = whole_pages(sizeof *h);
    for (int s = 0; s < LEDGER_SECTIONS; s++) {
        const struct ledger_rule *r = &ledger_rules[s];
        struct ledger_table *t = &h->section[s];
        const uint64_t most = r->most ? r->most : UINT32_MAX;
        uint64_t least =
                     (uint64_t)(s == LEDGER_OPERATIONS ? operations : r->least) * r->element_size,
                 share = bytes / 1000 * r->share,
                 first = whole_pages(share > least ? share : least) / r->element_size;
        uint64_t limit = first * (r->growth > part ? r->growth / part : 1);
        t->element_size = r->element_size;
        t->capacity = (uint32_t)(first < most ? first : most);
        t->limit = (uint32_t)(limit < most ? limit : most);
        t->offset = at;
        at += bytes_of(t, t->limit);
    }
    return at;
}

/* Allocates disk space. Signals are blocked, because on tmpfs a signal (the application may have a
 * timer) ends posix_fallocate() with EINTR. */
static int allocate(int fd, uint64_t offset, uint64_t bytes)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = posix_fallocate(fd, (off_t)offset, (off_t)bytes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* Makes BYTES at OFFSET of the mapped file writable. Returns 0 or an errno. It checks RLIMIT_FSIZE
 * first, because a file that exceeds it raises SIGXFSZ. */
static int provide(const struct ledger *l, int fd, uint64_t offset, uint64_t bytes)
{
    struct rlimit limit;
    int error = 0;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + bytes > limit.rlim_cur)
        return EFBIG;
    if (bytes)
        error = allocate(fd, offset, bytes);
    if (!error && mprotect((char *)l->header + offset, bytes, PROT_READ | PROT_WRITE))
        error = errno;
    return error;
}

static const char *name_in(int directory, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && directory != AT_FDCWD ? slash + 1 : path;
}

static int create_file(struct ledger *l, int directory, const char *path, int *fd)
{
    const char *name = name_in(directory, path);
    struct stat st;
    if (strlen(path) >= sizeof l->path)
        return ENAMETOOLONG;
    *fd = openat(directory, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (*fd < 0)
        return errno;
    if (fstat(*fd, &st))
        return errno;
    strcpy(l->path, path);
    l->device = st.st_dev;
    l->inode = st.st_ino;
    return 0;
}

/* Maps a file of BYTES with the layout in MADE. Makes only the header and each section's capacity
 * writable, for which it allocates disk space. Returns 0 or an errno. */
static int map(struct ledger *l, const struct ledger_header *made, uint64_t bytes, int fd)
{
    void *all = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, fd, 0);
    if (all == MAP_FAILED)
        return errno;
    l->header = all;
    l->mapped = bytes;
    int error = provide(l, fd, 0, whole_pages(sizeof *made));
    for (int s = 0; s < LEDGER_SECTIONS && !error; s++) {
        const struct ledger_table *t = &made->section[s];
        *ledger_array(l, s) = (char *)all + t->offset;
        error = provide(l, fd, t->offset, bytes_of(t, t->capacity));
    }
    if (!error)
        *l->header = *made;
    return error;
}

static void unmap(struct ledger *l)
{
    if (l->header)
        munmap(l->header, l->mapped);
    l->header = NULL;
}

/* Maps the file with as much room for sections to grow as limits of the process allow: ulimit -v,
 * -f, or -l if the application has called mlockall(). */
static int map_most(struct ledger *l, size_t bytes, uint32_t operations, int fd)
{
    enum { NO_GROWTH = 1024 };
    struct ledger_header made = {.version = LEDGER_VERSION, .header_size = sizeof made};
    int error = 0;
    for (unsigned part = 1; part <= NO_GROWTH; part *= 4) {
        error = map(l, &made, lay_out(&made, bytes, operations, part), fd);
        if (error != ENOMEM && error != EFBIG && error != EAGAIN)
            break;
        unmap(l);
        if (ftruncate(fd, 0))
            break;
    }
    return error;
}

int ledger_create(struct ledger *l, int directory, const char *path, size_t bytes,
                  uint32_t operations)
{
    CLOSED int fd = -1;
    *l = (struct ledger){.writable = true};
    int error = create_file(l, directory, path, &fd) ?: map_most(l, bytes, operations, fd);
    if (error && fd >= 0)
        unlinkat(directory, name_in(directory, path), 0);
    if (error) {
        ledger_close(l);
        return error;
    }
    /* Element 0 of these sections is not used, because index 0 means none. */
    static const int with_none[] = {LEDGER_TEXTS, LEDGER_REGIONS,  LEDGER_SITES,
                                    LEDGER_COMMS, LEDGER_REQUESTS, LEDGER_CHANNELS};
    for (size_t i = 0; i < sizeof with_none / sizeof *with_none; i++)
        l->header->section[with_none[i]].count = 1;
    l->header->magic = LEDGER_MAGIC;
    return 0;
}

bool ledger_extend(struct ledger *l, enum ledger_section section)
{
    struct ledger_table *t = &l->header->section[section];
    const int before = errno;
    if (t->capacity >= t->limit)
        return false;
    uint32_t capacity = t->limit / 2 > t->capacity ? 2 * t->capacity : t->limit;
    uint64_t from = bytes_of(t, t->capacity), to = bytes_of(t, capacity);
    int fd = input_open_again(l->path, O_RDWR | O_NOFOLLOW, l->device, l->inode),
        error = fd < 0 ? errno : provide(l, fd, t->offset + from, to - from);
    if (fd >= 0)
        close(fd);
    errno = before;
    if (error) {
        l->header->grow_error = (uint32_t)error;
        t->limit = t->capacity; /* so that later calls do not try again */
        return false;
    }
    t->capacity = capacity;
    return true;
}

bool ledger_grow(struct ledger *l, enum ledger_section section)
{
    struct ledger_table *t = &l->header->section[section];
    return t->count < t->capacity || ledger_extend(l, section);
}

void *ledger_append(struct ledger *l, enum ledger_section section, const void *element)
{
    struct ledger_table *t = &l->header->section[section];
    if (!ledger_grow(l, section)) {
        t->dropped++;
        return NULL;
    }
    void *at = *ledger_array(l, section) + (size_t)t->count * t->element_size;
    memcpy(at, element, t->element_size);
    __atomic_store_n(&t->count, t->count + 1, __ATOMIC_RELEASE);
    return at;
}

uint32_t ledger_add_text(struct ledger *l, const char *text)
{
    struct ledger_table *t = &l->header->section[LEDGER_TEXTS];
    size_t length = strlen(text) + 1;
    if (length > UINT32_MAX - t->count)
        return 0;
    while (t->count + length > t->capacity)
        if (!ledger_extend(l, LEDGER_TEXTS))
            return 0;
    uint32_t at = t->count;
    memcpy(l->texts + at, text, length);
    t->count += (uint32_t)length;
    return at;
}

const char *ledger_text(const struct ledger *l, uint32_t position)
{
    return position ? l->texts + position : "";
}

void ledger_close(struct ledger *l)
{
    for (int s = 0; s < LEDGER_SECTIONS && !l->writable; s++)
        free(*ledger_array(l, s));
    if (l->writable)
        unmap(l);
    else
        free(l->header);
    *l = (struct ledger){0};
}
