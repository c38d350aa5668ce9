/* Files whose names anybody can guess, in directories where others may write. */
#ifndef COLLPROF_BASE_OWN_FILE_H
#define COLLPROF_BASE_OWN_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* As open(), of a plain file of this user that has no other name: no link leads to it, nor to what
 * else the user has. Otherwise -1 and EEXIST. */
static inline int own_file_open(const char *path, int flags, mode_t mode)
{
    struct stat st;
    int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, mode);
    if (fd < 0)
        errno = errno == ELOOP ? EEXIST : errno;
    else if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_nlink > 1) {
        close(fd);
        fd = -1;
        errno = EEXIST;
    }
    return fd;
}

#endif
