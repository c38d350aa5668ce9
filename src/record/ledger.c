/* Writes ledgers; ledger_read.c reads them. */
#include "record/ledger.h"

#include <errno.h>
#include <fcntl.h>
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

static uint64_t size_of(const struct ledger_table *t)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < LEDGER_MAX_SEGMENTS; i++)
        bytes += t->segment[i].bytes;
    return bytes;
}

static void set_capacity(struct ledger_table *t, uint32_t most)
{
    uint64_t room = size_of(t) / t->element_size;
    t->capacity = (uint32_t)(most && room > most ? most : room);
}

/* Places the first segment of every section, one after the other. */
static void lay_out(struct ledger_header *h, size_t bytes, uint32_t operations)
{
    uint64_t at = whole_pages(sizeof *h);
    for (int s = 0; s < LEDGER_SECTIONS; s++) {
        const struct ledger_rule *r = &ledger_rules[s];
        struct ledger_table *t = &h->section[s];
        uint64_t least = s == LEDGER_OPERATIONS ? operations : r->least;
        uint64_t share = bytes / 1000 * r->share;
        t->element_size = r->element_size;
        t->segment[0].offset = at;
        t->segment[0].bytes =
            whole_pages(share > least * t->element_size ? share : least * t->element_size);
        set_capacity(t, r->most);
        uint64_t limit = (uint64_t)t->capacity * r->growth;
        t->limit = (uint32_t)(r->most && limit > r->most ? r->most : limit);
        at += t->segment[0].bytes;
    }
    h->file_size = at;
}

/* Writing a file beyond RLIMIT_FSIZE would raise SIGXFSZ instead of returning an error. */
static int reserve(int fd, uint64_t from, uint64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && from + bytes > limit.rlim_cur)
        return EFBIG;
    return posix_fallocate(fd, (off_t)from, (off_t)bytes);
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

/* The application may have closed every descriptor and changed its directory: the file is opened
 * again by its full name, and must be the same file. */
static int open_again(const struct ledger *l)
{
    struct stat st;
    int fd = open(l->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0 && st.st_dev == l->device && st.st_ino == l->inode)
        return fd;
    close(fd);
    errno = ESTALE;
    return -1;
}

/* Maps BYTES at OFFSET of the file (FD -1: new memory) into reserved addresses. */
static bool place(void *where, uint64_t bytes, int fd, uint64_t offset)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    return mmap(where, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, fd,
                fd < 0 ? 0 : (off_t)offset) != MAP_FAILED;
}

/* Reserves addresses for the section's largest size; if these are scarce (ulimit -v), for its
 * present size. */
static bool place_section(struct ledger *l, int s, int fd)
{
    struct ledger_table *t = &l->header->section[s];
    uint64_t first = t->segment[0].bytes;
    uint64_t most = whole_pages((uint64_t)t->limit * t->element_size);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    l->reserved[s] = most > first ? most : first;
    void *where = mmap(NULL, l->reserved[s], PROT_NONE, flags, -1, 0);
    if (where == MAP_FAILED) {
        t->limit = t->capacity;
        l->reserved[s] = first;
        where = mmap(NULL, first, PROT_NONE, flags, -1, 0);
    }
    if (where == MAP_FAILED)
        return false;
    *ledger_array(l, s) = where;
    return place(where, first, fd, t->segment[0].offset);
}

static bool place_all(struct ledger *l, const struct ledger_header *made, int fd)
{
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *header = mmap(NULL, whole_pages(sizeof *made), PROT_READ | PROT_WRITE, flags, fd, 0);
    if (header == MAP_FAILED)
        return false;
    l->header = header;
    *l->header = *made;
    for (int s = 0; s < LEDGER_SECTIONS; s++)
        if (!place_section(l, s, fd))
            return false;
    return true;
}

int ledger_create(struct ledger *l, int directory, const char *path, size_t bytes,
                  uint32_t operations)
{
    struct ledger_header made = {.version = LEDGER_VERSION, .header_size = sizeof made};
    int fd = -1, error = 0;
    *l = (struct ledger){.writable = true, .in_file = path != NULL};
    lay_out(&made, bytes, operations);
    if (path)
        error = create_file(l, directory, path, &fd);
    if (!error && path)
        error = reserve(fd, 0, made.file_size);
    if (!error && !place_all(l, &made, fd))
        error = errno;
    if (error && fd >= 0)
        unlinkat(directory, name_in(directory, path), 0);
    if (fd >= 0)
        close(fd);
    if (error) {
        ledger_close(l);
        return error;
    }
    static const int with_none[] = {LEDGER_TEXTS, LEDGER_REGIONS,  LEDGER_SITES,
                                    LEDGER_COMMS, LEDGER_REQUESTS, LEDGER_CHANNELS}; /* element 0 */
    for (size_t i = 0; i < sizeof with_none / sizeof *with_none; i++)
        l->header->section[with_none[i]].count = 1;
    l->header->magic = LEDGER_MAGIC;
    return 0;
}

/* Every further segment is as large as all earlier ones together. */
static bool add_segment(struct ledger *l, int s)
{
    struct ledger_table *t = &l->header->section[s];
    uint64_t there = size_of(t), room = l->reserved[s], bytes = there;
    uint64_t offset = l->header->file_size;
    unsigned i = 0;
    while (i < LEDGER_MAX_SEGMENTS && t->segment[i].bytes)
        i++;
    if (i == LEDGER_MAX_SEGMENTS || there >= room)
        return false;
    if (bytes > room - there)
        bytes = room - there;
    int fd = l->in_file ? open_again(l) : -1, error = 0;
    if (l->in_file)
        error = fd < 0 ? errno : reserve(fd, offset, bytes);
    if (!error && !place(*ledger_array(l, s) + there, bytes, fd, offset))
        error = errno;
    if (fd >= 0)
        close(fd);
    if (error) {
        l->header->grow_error = (uint32_t)error;
        return false;
    }
    l->header->file_size = offset + bytes;
    t->segment[i].offset = offset;
    t->segment[i].bytes = bytes;
    set_capacity(t, t->limit);
    return true;
}

bool ledger_extend(struct ledger *l, enum ledger_section section)
{
    struct ledger_table *t = &l->header->section[section];
    if (t->capacity >= t->limit)
        return false;
    int before = errno;
    bool good = add_segment(l, section);
    if (!good)
        t->limit = t->capacity; /* do not try again at every call */
    errno = before;
    return good;
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

bool ledger_went_on(const struct ledger_header *h)
{
    return (h->state == LEDGER_SIGNALLED || h->state == LEDGER_HANDLED) &&
           h->last_ticks > h->pair[1].ticks;
}

const char *ledger_text(const struct ledger *l, uint32_t position)
{
    return position ? l->texts + position : "";
}

void ledger_close(struct ledger *l)
{
    for (int s = 0; s < LEDGER_SECTIONS; s++) {
        if (!l->writable)
            free(*ledger_array(l, s));
        else if (*ledger_array(l, s))
            munmap(*ledger_array(l, s), l->reserved[s]);
    }
    if (!l->writable)
        free(l->header);
    else if (l->header)
        munmap(l->header, whole_pages(sizeof *l->header));
    *l = (struct ledger){0};
}
