#include "record/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint32_t element_size[LEDGER_SECTIONS] = {
    [LEDGER_OPERATIONS] = sizeof(struct ledger_operation),
    [LEDGER_MODULES] = sizeof(struct ledger_module),
    [LEDGER_REGIONS] = sizeof(struct ledger_region),
    [LEDGER_COMMS] = sizeof(struct ledger_comm),
    [LEDGER_SITES] = sizeof(struct ledger_site),
    [LEDGER_ENTRIES] = sizeof(struct ledger_entry),
    [LEDGER_INSTANCES] = sizeof(struct ledger_instance),
};

static size_t align(size_t n)
{
    return (n + 63) & ~(size_t)63;
}

/* Small tables get a fixed part; of the rest, entries get 70 % and instances what remains. */
static void lay_out(struct ledger_header *h, size_t bytes, uint32_t operations)
{
    size_t scale = bytes / LEDGER_MIN_BYTES;
    uint32_t capacity[LEDGER_SECTIONS] = {
        [LEDGER_OPERATIONS] = operations,
        [LEDGER_MODULES] = 96,
        [LEDGER_REGIONS] = 64,
        [LEDGER_COMMS] = (uint32_t)(scale < 16 ? 64 * scale : 1024),
        [LEDGER_SITES] = (uint32_t)(scale < 64 ? 192 * scale : 12288),
    };
    size_t fixed = align(sizeof *h);
    for (int s = LEDGER_OPERATIONS; s <= LEDGER_SITES; s++)
        fixed += align((size_t)capacity[s] * element_size[s]);
    size_t rest = bytes - fixed - 128;
    capacity[LEDGER_ENTRIES] = (uint32_t)(rest / 10 * 7 / element_size[LEDGER_ENTRIES]);
    rest -= align((size_t)capacity[LEDGER_ENTRIES] * element_size[LEDGER_ENTRIES]);
    capacity[LEDGER_INSTANCES] = (uint32_t)(rest / element_size[LEDGER_INSTANCES]);

    size_t at = align(sizeof *h);
    for (int s = 0; s < LEDGER_SECTIONS; s++) {
        h->section[s].offset = at;
        h->section[s].element_size = element_size[s];
        h->section[s].capacity = capacity[s];
        at += align((size_t)capacity[s] * element_size[s]);
    }
}

static void point(struct ledger *l)
{
    char *base = (char *)l->header;
    l->operations = (void *)(base + l->header->section[LEDGER_OPERATIONS].offset);
    l->modules = (void *)(base + l->header->section[LEDGER_MODULES].offset);
    l->regions = (void *)(base + l->header->section[LEDGER_REGIONS].offset);
    l->comms = (void *)(base + l->header->section[LEDGER_COMMS].offset);
    l->sites = (void *)(base + l->header->section[LEDGER_SITES].offset);
    l->entries = (void *)(base + l->header->section[LEDGER_ENTRIES].offset);
    l->instances = (void *)(base + l->header->section[LEDGER_INSTANCES].offset);
}

static int map_file(const char *path, size_t bytes, void **memory)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return errno;
    int error = posix_fallocate(fd, 0, (off_t)bytes);
    if (!error) {
        *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (*memory == MAP_FAILED)
            error = errno;
    }
    close(fd);
    if (error)
        unlink(path);
    return error;
}

int ledger_create(struct ledger *l, const char *path, size_t bytes, uint32_t operations)
{
    void *memory = NULL;
    *l = (struct ledger){0};
    if (path) {
        int error = map_file(path, bytes, &memory);
        if (error)
            return error;
    } else {
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return errno;
    }
    l->header = memory;
    l->writable = true;
    l->in_file = path != NULL;
    lay_out(l->header, bytes, operations);
    l->header->file_size = bytes;
    l->header->header_size = sizeof *l->header;
    l->header->version = LEDGER_VERSION;
    l->header->magic = LEDGER_MAGIC;
    point(l);
    return 0;
}

static const char *fault_of(const struct ledger_header *h, size_t bytes)
{
    if (bytes < sizeof *h || h->magic != LEDGER_MAGIC)
        return "no collprof record";
    if (h->version != LEDGER_VERSION)
        return "a record of another version of collprof";
    if (h->file_size != bytes || h->header_size != sizeof *h)
        return "a truncated record";
    for (int s = 0; s < LEDGER_SECTIONS; s++) {
        uint64_t size = (uint64_t)h->section[s].capacity * element_size[s];
        if (h->section[s].element_size != element_size[s] ||
            h->section[s].count > h->section[s].capacity || h->section[s].offset > bytes ||
            size > bytes - h->section[s].offset)
            return "a damaged record: a table lies outside the file";
    }
    return NULL;
}

const char *ledger_open(struct ledger *l, const char *path)
{
    *l = (struct ledger){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return strerror(error);
    }
    size_t bytes = (size_t)st.st_size;
    void *memory = bytes ? mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (memory == MAP_FAILED)
        return "no collprof record";
    const char *fault = fault_of(memory, bytes);
    if (fault) {
        munmap(memory, bytes);
        return fault;
    }
    l->header = memory;
    l->in_file = true;
    point(l);
    return NULL;
}

void ledger_close(struct ledger *l)
{
    if (l->header)
        munmap(l->header, l->header->file_size);
    *l = (struct ledger){0};
}
