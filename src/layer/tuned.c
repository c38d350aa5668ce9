/* The files that --tune wrote for an MPI library, and whether it is the one of this run. */
#include "layer/parts.h"

#include "base/input.h"
#include "base/launcher.h"
#include "profile/profile.h"
#include "sync/yielding.h"
#include "tune/found.h"
#include "tune/library.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* Sets the variable of a line "export NAME=VALUE", if it is one that tuning writes. The directory
 * may have been moved since then, so the path of the rules is made from its present name. */
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

char tuned_refused[2 * PATH_MAX];
static const char votes[] = "rules-votes";

/* Whether all RANKS have the rules with the hash SUM; "": this one has none. Ranks that used
 * different rules would wait for each other for ever, and before MPI_Init they have only the run's
 * directory in common. Each appends its vote to a file there, and one against the rules after ten
 * seconds. The first votes, as many as there are ranks, decide. The lock makes votes visible on a
 * network file system. The file stays until the end, since other hosts may still read it. */
static bool agree(int ranks, const char *sum)
{
    enum { SIZE = TUNED_SUM - 1 };
    static const char against[] = "against, against";
    const double end = clock_now() + 10;
    int equal = 0, directory = run_directory_open(&run_directory),
        file = openat(directory, votes, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    flock(file, LOCK_EX);
    bool good = write(file, *sum ? sum : against, SIZE) == SIZE && *sum;
    flock(file, LOCK_UN);
    while (good && equal < ranks) {
        char vote[TUNED_SUM] = "";
        flock(file, LOCK_EX);
        if (pread(file, vote, SIZE, equal * SIZE) == SIZE)
            good = !strcmp(vote, sum);
        else if (clock_now() > end)
            good = write(file, against, SIZE) == SIZE;
        flock(file, LOCK_UN);
        equal += *vote != '\0';
        if (!*vote)
            give_way(1);
    }
    close(file);
    close(directory);
    return good;
}

void tuned_use(int ranks)
{
    static const char library[] = "# library: ";
    char path[PATH_MAX], text[16384] = "", name[128], sum[TUNED_SUM], *rest = text, *line;
    snprintf(path, sizeof path, "%s/env.sh", layer.settings.tuned);
    const bool whole = input_read(path, text, sizeof text) + 1 < sizeof text &&
                       tuned_is_whole(layer.settings.tuned, sum);
    tuning_library_name(name, sizeof name);
    line = strsep(&rest, "\n");
    const char *of = line + (strncmp(line, library, strlen(library)) ? 0 : strlen(library));
    const bool other = whole && strcmp(of, name);
    const char *why = !whole ? "its files are missing, damaged or edited (if you have edited them, "
                               "write \"" TUNED_EDITED "\" into tuned.sum)"
                      : other ? "another library or version"
                              : NULL;
    if (ranks > 1 && !agree(ranks, why ? "" : sum) && !why)
        why = "not all ranks have read the same files within 10 s";
    if (why)
        snprintf(tuned_refused, sizeof tuned_refused,
                 PROFILE_NOT_CHANGED "%s %s%s%s not used for %s: %s", layer.settings.tuned,
                 other ? "was written for " : "is", other ? of : "", other ? ", and is" : "", name,
                 why);
    if (why && launcher_speaks())
        layer_say("%s", tuned_refused);
    while (!why && (line = strsep(&rest, "\n")))
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
    run_directory_remove_file(&run_directory, votes);
    free(all.list.at);
}
