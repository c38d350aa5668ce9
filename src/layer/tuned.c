/* The files that --tune wrote for an MPI library, and whether it is the one of this run. */
#include "layer/parts.h"

#include "base/input.h"
#include "base/launcher.h"
#include "profile/profile.h"
#include "tune/found.h"
#include "tune/library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Only what tuning writes is taken from the file. The rules' path is made anew, since the directory
 * may have been moved. */
static void set_variable(char *line)
{
    static const char export[] = "export ", rules[] = "OMPI_MCA_coll_tuned_dynamic_rules_filename";
    char *name = line + strlen(export), *value = strchr(line, '='), path[PATH_MAX + 32];
    if (strncmp(line, export, strlen(export)) || !value)
        return;
    *value++ = '\0';
    snprintf(path, sizeof path, "%s/openmpi.rules", layer.settings.tuned);
    if (!strncmp(name, "MPIR_CVAR_", 10) || !strncmp(name, "OMPI_MCA_coll_tuned_", 20))
        setenv(name, strcmp(name, rules) ? value : path, 1);
}

void tuned_use(void)
{
    static const char library[] = "# library: ";
    char path[PATH_MAX], text[16384] = "", name[128], *rest = text, *line;
    snprintf(path, sizeof path, "%s/env.sh", layer.settings.tuned);
    input_read(path, text, sizeof text);
    tuning_library_name(name, sizeof name);
    line = strsep(&rest, "\n");
    const char *of =
        strncmp(line, library, strlen(library)) ? "no library" : line + strlen(library);
    if (strcmp(of, name) != 0 && launcher_speaks())
        layer_say("--tuned=%s was written for %s, and is not used for %s", layer.settings.tuned, of,
                  name);
    while (!strcmp(of, name) && (line = strsep(&rest, "\n")))
        set_variable(line);
}

void tuned_save(const struct profile *p)
{
    struct tuned_set all = {.complete = true};
    for (size_t i = 0; i < p->findings.n; i++)
        if (!strcmp(p->findings.at[i].kind, "tune") &&
            !tuned_read(p->findings.at[i].value, PUSH(&all.list)))
            all.list.n--;
    tuning_library_name(all.library, sizeof all.library);
    if (*layer.settings.tune)
        tuned_set_save(&all, run_directory.path);
    free(all.list.at);
}
