#include "base/input.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

int input_open(const char *path, struct stat *st, const char **why)
{
    struct stat own;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *why = NULL;
    st = st ? st : &own;
    if (fd < 0 || fstat(fd, st))
        *why = strerror(errno);
    else if (!S_ISREG(st->st_mode))
        *why = "not a regular file";
    if (!*why)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int input_open_again(const char *path, int flags, dev_t device, ino_t inode)
{
    struct stat st;
    int fd = open(path, flags | O_CLOEXEC);
    if (fd < 0 || (!fstat(fd, &st) && st.st_dev == device && st.st_ino == inode))
        return fd;
    close(fd);
    errno = ENOENT;
    return -1;
}

FILE *input_file(const char *path, const char **why)
{
    enum { TIMES = 20 }; /* parsed JSON takes at most 20 times the memory of its text */
    struct stat st;
    int fd = input_open(path, &st, why);
    bool fits =
        fd >= 0 && (uint64_t)st.st_size <= memory_available("/proc", "/sys/fs/cgroup") / TIMES;
    FILE *file = fits ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !file) {
        *why = fits ? strerror(errno) : "it is too large for the memory that is available";
        close(fd);
    }
    return file;
}

size_t input_read(const char *path, char *text, size_t room)
{
    CLOSED int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, room - 1);
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

const char *input_process(pid_t pid, char text[1024])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    input_read(path, text, 1024);
    const char *end = strrchr(text, ')'); /* the process name may contain any character */
    return end && end[1] ? end + 2 : "";
}

glob_t input_list(const char *directory, const char *pattern)
{
    char all[8800] = "", *to = all;
    glob_t found = {0};
    for (; *directory && to < all + sizeof all - 100; directory++) {
        if (strchr("*?[\\", *directory))
            *to++ = '\\';
        *to++ = *directory;
    }
    while (to > all + 1 && to[-1] == '/')
        to--;
    snprintf(to, 90, "%s", pattern);
    glob(all, 0, NULL, &found);
    return found;
}
