#include "document/save.h"

#include "base/memory.h"
#include "base/reason.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool cannot(const char *path)
{
    return reason_give("cannot write %s: %s", path, strerror(errno));
}

enum target { TARGET_OUTPUT, TARGET_FILE, TARGET_DIRECTORY, TARGET_SPECIAL };

/* A device or a pipe is written directly: renaming would replace it. So is /dev/stdout: if the
 * shell has redirected it to a file by >>, renaming would remove the file's earlier content. */
static enum target target_of(const char *path)
{
    struct stat s;
    if (!path || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
        return TARGET_OUTPUT;
    if (stat(path, &s) || S_ISREG(s.st_mode))
        return TARGET_FILE;
    return S_ISDIR(s.st_mode) ? TARGET_DIRECTORY : TARGET_SPECIAL;
}

static bool is_safe(const char *path)
{
    struct stat s;
    if (lstat(path, &s) || S_ISREG(s.st_mode))
        return true;
    if (s.st_uid != geteuid() && s.st_uid != 0)
        return reason_give(
            "cannot write %s: it is a %s of another user: remove it, or write elsewhere", path,
            S_ISLNK(s.st_mode)   ? "link"
            : S_ISDIR(s.st_mode) ? "directory"
                                 : "pipe or device");
    return !S_ISLNK(s.st_mode) || target_of(path) == TARGET_SPECIAL ||
           reason_give("cannot write %s: it is a link, which is not followed: remove it, or name "
                       "its target",
                       path);
}

/* mkostemp() makes private files; fchmod() sets the permissions that open() would have given. */
static FILE *open_temporary(struct save *s)
{
    mode_t mask = umask(0);
    umask(mask);
    if (asprintf(&s->temporary, "%s.XXXXXX", s->path) < 0)
        memory_exhausted();
    int fd = mkostemp(s->temporary, O_CLOEXEC);
    if (fd >= 0)
        fchmod(fd, 0666 & ~mask);
    return fd < 0 ? NULL : fdopen(fd, "w");
}

bool save_is_file(const char *path)
{
    return target_of(path) == TARGET_FILE || target_of(path) == TARGET_DIRECTORY;
}

bool save_open(struct save *s, const char *path)
{
    enum target target = target_of(path);
    *s = (struct save){.out = target == TARGET_OUTPUT ? stdout : NULL};
    if (s->out)
        return true;
    if (!is_safe(path))
        return false;
    s->path = memory_strdup(path);
    errno = EISDIR;
    if (target == TARGET_SPECIAL)
        s->out = fopen(path, "we");
    else if (target == TARGET_FILE)
        s->out = open_temporary(s);
    if (s->out)
        return true;
    cannot(path);
    save_abandon(s);
    return false;
}

static void forget(struct save *s)
{
    free(s->path);
    free(s->temporary);
    *s = (struct save){0};
}

bool save_commit(struct save *s)
{
    bool written = fflush(s->out) == 0 && !ferror(s->out);
    if (s->out != stdout)
        written = fclose(s->out) == 0 && written;
    s->out = NULL;
    if (written && s->temporary)
        written = rename(s->temporary, s->path) == 0;
    if (!written) {
        cannot(s->path ? s->path : "the standard output");
        if (s->temporary)
            unlink(s->temporary);
    }
    forget(s);
    return written;
}

void save_abandon(struct save *s)
{
    if (s->out && s->out != stdout)
        fclose(s->out);
    if (s->temporary)
        unlink(s->temporary);
    forget(s);
}

bool save_possible(const char *path)
{
    struct save s;
    if (target_of(path) == TARGET_SPECIAL) /* opening a pipe would block until it has a reader */
        return is_safe(path) && (access(path, W_OK) == 0 || cannot(path));
    if (!save_open(&s, path))
        return false;
    save_abandon(&s);
    return true;
}
