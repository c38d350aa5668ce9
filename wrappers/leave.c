/* How a process leaves without a handler of its own being asked: _exit() and the exec family. The
 * layer is told, so that its record says which it was; nothing else is added. A forked child comes
 * by here, too, and is told apart below (layer/ends.c). What calls the kernel directly does not. */
#include "wrappers/choose.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

leaves_fn *leaves;

#define FUNCTIONS(X) X(_exit) X(execve) X(execvpe) X(fexecve) X(execveat)
#define MEMBER(name) __typeof__(name) *name;
static struct {
    FUNCTIONS(MEMBER)
} next;

/* Before main(): a forked child may not look anything up. Other constructors may come first. */
__attribute__((constructor)) static void find_next(void)
{
#define FIND(name) next.name = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);
    FUNCTIONS(FIND)
}

static void tell(enum leaving how)
{
    if (!next._exit)
        find_next();
    if (leaves)
        leaves(how);
}

EXPORT void _exit(int status)
{
    tell(LEAVES_BY_EXIT);
    for (;;)
        next._exit(status);
}

EXPORT void _Exit(int status)
{
    _exit(status);
}

/* It comes back only where it has failed. */
#define EXEC(name, ...)                                                                            \
    tell(LEAVES_BY_EXEC);                                                                          \
    int result = next.name(__VA_ARGS__);                                                           \
    tell(STAYS_AFTER_ALL);                                                                         \
    return result

EXPORT int execve(const char *path, char *const argv[], char *const env[])
{
    EXEC(execve, path, argv, env);
}

EXPORT int execvpe(const char *file, char *const argv[], char *const env[])
{
    EXEC(execvpe, file, argv, env);
}

EXPORT int fexecve(int fd, char *const argv[], char *const env[])
{
    EXEC(fexecve, fd, argv, env);
}

EXPORT int execveat(int fd, const char *path, char *const argv[], char *const env[], int flags)
{
    EXEC(execveat, fd, path, argv, env, flags);
}

EXPORT int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

EXPORT int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

/* The arguments of the forms with a list, up to their NULL, as an array on the stack: there may be
 * no heap to speak of in a forked child. AFTER is what stands behind the NULL. */
#define EXEC_LIST(first, after, call)                                                              \
    va_list list;                                                                                  \
    size_t n = 1;                                                                                  \
    va_start(list, first);                                                                         \
    for (const char *a = first; a; a = va_arg(list, const char *))                                 \
        n++;                                                                                       \
    va_end(list);                                                                                  \
    char *argv[n];                                                                                 \
    va_start(list, first);                                                                         \
    argv[0] = (char *)(size_t)first;                                                               \
    for (size_t i = 1; i < n; i++)                                                                 \
        argv[i] = va_arg(list, char *);                                                            \
    after;                                                                                         \
    va_end(list);                                                                                  \
    return call

EXPORT int execl(const char *path, const char *first, ...)
{
    EXEC_LIST(first, (void)0, execve(path, argv, environ));
}

EXPORT int execlp(const char *file, const char *first, ...)
{
    EXEC_LIST(first, (void)0, execvpe(file, argv, environ));
}

EXPORT int execle(const char *path, const char *first, ...)
{
    EXEC_LIST(first, char *const *env = va_arg(list, char *const *), execve(path, argv, env));
}
