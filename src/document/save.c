#include "document/save.h"

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

/* Also by a link of the system's, as /dev/stdout: where it leads to a file, no link is followed,
 * and what is there already would be lost. */
static bool is_standard_output(const char *path)
{
    struct stat link, there, out;
    return !path || strcmp(path, "-") == 0 ||
           (lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && link.st_uid == 0 &&
            stat(path, &there) == 0 && fstat(STDOUT_FILENO, &out) == 0 &&
            there.st_dev == out.st_dev && there.st_ino == out.st_ino);
}

/* A device or a pipe cannot be renamed over. */
static bool is_special(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

bool save_is_safe(const char *path)
{
    struct stat s;
    if (lstat(path, &s) || S_ISREG(s.st_mode))
        return true;
    if (s.st_uid != geteuid() && s.st_uid != 0)
        return reason_give(
            "cannot write %s: there is a %s of another user: remove it, or write elsewhere", path,
            S_ISLNK(s.st_mode)   ? "link"
            : S_ISDIR(s.st_mode) ? "directory"
                                 : "pipe or device");
    return !S_ISLNK(s.st_mode) || is_special(path) /* such as /dev/stdout */ ||
           reason_give("cannot write %s: it is a link, and none is followed: remove it, or name "
                       "what it leads to",
                       path);
}

/* mkstemp makes private files; give what open() would have given. */
static void ordinary_mode(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
}

static bool open_temporary(struct save *s)
{
    struct stat there;
    if (stat(s->path, &there) == 0 && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return false;
    }
    if (asprintf(&s->temporary, "%s.XXXXXX", s->path) < 0) {
        s->temporary = NULL;
        return false;
    }
    int fd = mkostemp(s->temporary, O_CLOEXEC);
    if (fd < 0) {
        free(s->temporary);
        s->temporary = NULL;
        return false;
    }
    ordinary_mode(fd);
    s->out = fdopen(fd, "w");
    return s->out != NULL;
}

/* Neither made nor emptied: it may have become a file meanwhile. */
static bool open_special(struct save *s)
{
    struct stat there;
    int fd = open(s->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &there) && !S_ISREG(there.st_mode))
        s->out = fdopen(fd, "w");
    else if (fd >= 0)
        close(fd);
    return s->out != NULL;
}

bool save_is_file(const char *path)
{
    return !is_standard_output(path) && !is_special(path);
}

bool save_open(struct save *s, const char *path)
{
    *s = (struct save){0};
    if (is_standard_output(path)) {
        s->out = stdout;
        return true;
    }
    if (!save_is_safe(path))
        return false;
    s->path = strdup(path);
    bool opened = is_special(path) ? open_special(s) : open_temporary(s);
    if (!opened) {
        cannot(path);
        save_abandon(s);
    }
    return opened;
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

bool save_json(json_t *json, const char *path, size_t flags)
{
    struct save save;
    bool opened = save_open(&save, path);
    if (opened) {
        json_dumpf(json, save.out, flags);
        fputc('\n', save.out);
    }
    json_decref(json);
    return opened && save_commit(&save);
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
    if (is_standard_output(path))
        return true;
    if (is_special(path)) /* a pipe may have no reader yet */
        return save_is_safe(path) && (access(path, W_OK) == 0 || cannot(path));
    if (!save_open(&s, path))
        return false;
    save_abandon(&s);
    return true;
}
