/* What --tune has found, as files that the MPI library reads, and whether they are for this one. */
#include "layer/parts.h"

#include "base/input.h"
#include "base/launcher.h"
#include "profile/profile.h"
#include "tune/found.h"
#include "tune/library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void tuned_check(void)
{
    static const char library[] = "# library: ", export[] = "export ",
                      mpich[] = "export MPIR_CVAR_", openmpi[] = "export OMPI_MCA_coll_tuned_";
    char path[PATH_MAX], text[16384] = "", name[128], *rest = text, *line;
    snprintf(path, sizeof path, "%s/env.sh", layer.settings.tuned);
    input_read(path, text, sizeof text);
    tuning_library_name(name, sizeof name);
    line = strsep(&rest, "\n");
    const char *of =
        strncmp(line, library, strlen(library)) ? "no library" : line + strlen(library);
    if (!strcmp(of, name))
        return;
    while ((line = strsep(&rest, "\n")))
        if (!strncmp(line, mpich, strlen(mpich)) || !strncmp(line, openmpi, strlen(openmpi))) {
            line[strcspn(line, "=")] = '\0';
            unsetenv(line + strlen(export));
        }
    if (launcher_speaks())
        layer_say("--tuned=%s was written for %s, and is not used for %s", layer.settings.tuned, of,
                  name);
}

void tuned_save(const struct profile *p)
{
    struct tuned_set all = {.complete = true};
    for (size_t i = 0; i < p->findings.n; i++)
        if (!strcmp(p->findings.at[i].kind, "tune") &&
            !tuned_read(p->findings.at[i].value, PUSH(&all.list)))
            all.list.n--;
    tuning_library_name(all.library, sizeof all.library);
    if (all.list.n)
        tuned_set_save(&all, run_directory.path);
    free(all.list.at);
}
