#include "base/beside.h"

#include "base/memory.h"
#include "base/reason.h"
#include "base/text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets PATH to the shared library that contains this function or, if there is none, the program. */
static void own_path(char *path, size_t size)
{
    Dl_info self;
    *path = '\0';
    if (dladdr((void *)own_path, &self) && self.dli_fname && strstr(self.dli_fname, ".so"))
        snprintf(path, size, "%s", self.dli_fname);
    else {
        ssize_t length = readlink("/proc/self/exe", path, size - 1);
        path[length > 0 ? length : 0] = '\0';
    }
}

bool beside_find(const char *name, char *path, size_t size)
{
    static const char *const folders[] = {".",        "..",          "collprof",  "../lib/collprof",
                                          "../lib",   "layers",      "../layers", ".libs",
                                          "../.libs", "../../.libs", PKGLIBDIR,   LIBDIR};
    char self[4096];
    FREED char *real = NULL;
    own_path(self, sizeof self);
    self[text_base_of(self) - self] = '\0';
    for (size_t i = 0; !real && i < sizeof folders / sizeof *folders; i++) {
        const bool configured = *folders[i] == '/';
        snprintf(path, size, "%s%s/%s", configured ? "" : self, folders[i], name);
        real = configured || *self ? realpath(path, NULL) : NULL;
    }
    if (real)
        snprintf(path, size, "%s", real);
    return real;
}

bool beside_preload_path(const char *path)
{
    FREED char *list = NULL;
    const char *others = getenv("LD_PRELOAD");
    if (asprintf(&list, "%s%s%s", path, others && *others ? ":" : "", others ? others : "") < 0)
        return reason_give("out of memory");
    setenv("LD_PRELOAD", list, 1);
    return true;
}

bool beside_preload(const char *name)
{
    char path[4200];
    if (!beside_find(name, path, sizeof path))
        return reason_give("%s is missing: it is neither beside this program nor in the configured "
                           "directory (%s): use: make install",
                           name, path);
    if (strpbrk(path, " :"))
        return reason_give("%s: a library with a space or colon in its path cannot be preloaded: "
                           "install it elsewhere",
                           path);
    return beside_preload_path(path);
}
