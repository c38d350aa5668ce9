#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

int input_open(int directory, const char *path, struct stat *st, const char **why)
{
    struct stat own;
    int fd = openat(directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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

FILE *input_file(int directory, const char *path, const char **why)
{
    int fd = input_open(directory, path, NULL, why);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (fd >= 0 && !file) {
        *why = strerror(errno);
        close(fd);
    }
    return file;
}

const char *input_process(pid_t pid, char text[1024])
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "re");
    bool is_read = f && fgets(text, 1024, f);
    if (f)
        fclose(f);
    const char *end = is_read ? strrchr(text, ')') : NULL; /* a name may have any character */
    return end && end[1] ? end + 2 : "";
}
