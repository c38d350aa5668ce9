#include "tune/library.h"

#include "base/text.h"
#include "tune/cvar.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 80 };

/* --- changed settings --- */

/* The control variables that were changed, with their former values. */
static struct setting {
    char name[NAME_ROOM];
    long long value;
} changed[4];
static size_t n_changed;

static bool change(const char *name, long long value)
{
    struct setting *s = &changed[n_changed];
    text_copy(s->name, sizeof s->name, name);
    if (!cvar_read(name, &s->value))
        return false;
    n_changed++;
    return !cvar_write(name, value);
}

static void restore(void)
{
    for (; n_changed > 0; n_changed--)
        cvar_write(changed[n_changed - 1].name, changed[n_changed - 1].value);
}

/* --- MPICH --- */

/* Whether the device's algorithms come before the general ones, and what happens where a chosen one
 * is impossible. */
static const char devices[] = "MPIR_CVAR_DEVICE_COLLECTIVES",
                  fallback[] = "MPIR_CVAR_COLLECTIVE_FALLBACK";

static int mpich_list(const struct tuned_operation *o, size_t bytes, struct algorithm *list,
                      int room)
{
    char variable[NAME_ROOM];
    struct algorithm a = {.segment = 0};
    long long now = 0;
    int n = 0;
    (void)bytes;
    snprintf(variable, sizeof variable, "MPIR_CVAR_%s_INTRA_ALGORITHM", o->mpich);
    if (!cvar_read(variable, &now))
        return 0;
    for (int i = 0; n < room && cvar_possible(variable, i, &a.number, a.name, sizeof a.name); i++)
        if (*a.name && a.number != now)
            list[n++] = a;
    return n;
}

static bool change_to(const char *variable, const char *name)
{
    char possible[NAME_ROOM];
    int value;
    for (int i = 0; cvar_possible(variable, i, &value, possible, sizeof possible); i++)
        if (!strcmp(possible, name))
            return change(variable, value);
    return false;
}

static bool mpich_choose(const struct tuned_operation *o, const struct algorithm *a, bool strict)
{
    char variable[NAME_ROOM], device[NAME_ROOM];
    snprintf(variable, sizeof variable, "MPIR_CVAR_%s_INTRA_ALGORITHM", o->mpich);
    snprintf(device, sizeof device, "MPIR_CVAR_%s_DEVICE_COLLECTIVE", o->mpich);
    restore();
    return !a || (change(variable, a->number) && change(device, 0) &&
                  change_to(devices, "percoll") && (!strict || change_to(fallback, "error")));
}

static const struct tuning_library mpich = {.list = mpich_list, .choose = mpich_choose};

/* --- Open MPI --- */

/* Algorithms that cut messages into segments, and the sizes of segments that are measured (0: the
 * message is not cut): the first segment arrives early, and there are not too many of them. */
static const char segmented[] = "chain pipeline split_binary_tree binary_tree binary binomial "
                                "knomial segmented_ring in-order_binary";
static const int segments[] = {0, 8 << 10, 64 << 10};

static void openmpi_names(const struct tuned_operation *o, char *variable, char *segment)
{
    snprintf(variable, NAME_ROOM, "coll_tuned_%s_algorithm", o->stem);
    snprintf(segment, NAME_ROOM, "coll_tuned_%s_algorithm_segmentsize", o->stem);
}

static int openmpi_list(const struct tuned_operation *o, size_t bytes, struct algorithm *list,
                        int room)
{
    char variable[NAME_ROOM], segment[NAME_ROOM];
    struct algorithm a = {0};
    long long now = 0;
    int n = 0;
    openmpi_names(o, variable, segment);
    bool cuts = cvar_read(segment, &now) && !o->by_ranks;
    if (!cvar_read(variable, &now))
        return 0;
    for (int i = 0; cvar_possible(variable, i, &a.number, a.name, sizeof a.name); i++)
        for (size_t s = 0; s < sizeof segments / sizeof *segments && n < room; s++) {
            bool fits =
                s == 0 || (cuts && text_has_word(segmented, a.name) && (size_t)segments[s] < bytes);
            if (a.number == 0 || a.number == now || !fits)
                continue;
            a.segment = segments[s];
            list[n++] = a;
        }
    return n;
}

static bool openmpi_choose(const struct tuned_operation *o, const struct algorithm *a, bool strict)
{
    char variable[NAME_ROOM], segment[NAME_ROOM];
    (void)strict;
    openmpi_names(o, variable, segment);
    restore();
    return !a || (change(variable, a->number) && (change(segment, a->segment) || !a->segment));
}

static const struct tuning_library openmpi = {
    .list = openmpi_list, .choose = openmpi_choose, .start_seconds = 0.25};

/* Asks the functions below Open MPI's tool interface (the same in versions 1.7 to 5.0), since that
 * takes 0.2 s to start; only where these are hidden the tool interface itself. */
static bool openmpi_reads_rules(void)
{
    long long value = 0;
    const bool *set = NULL;
    int (*find)(const char *project, const char *framework, const char *component,
                const char *name);
    int (*get)(int index, const void *value, void *source, const char **file);
    *(void **)&find = dlsym(RTLD_DEFAULT, "mca_base_var_find");
    *(void **)&get = dlsym(RTLD_DEFAULT, "mca_base_var_get_value");
    if (!find || !get)
        return cvar_read("coll_tuned_use_dynamic_rules", &value) && value;
    const int index = find("ompi", "coll", "tuned", "use_dynamic_rules");
    return index >= 0 && get(index, &set, NULL, NULL) == 0 && set && *set;
}

/* --- this process's --- */

const struct tuning_library *tuning_library(void)
{
    long long value;
    char name[NAME_ROOM];
    if (tuning_of_test)
        return tuning_of_test();
    tuning_library_name(name, sizeof name);
    if (strncmp(name, "Open MPI", 8) && cvar_read(devices, &value) && cvar_read(fallback, &value))
        return &mpich;
    return openmpi_reads_rules() ? &openmpi : NULL;
}

void tuning_library_name(char *name, size_t room)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    PMPI_Get_library_version(text, &length);
    /* MPICH writes "MPICH Version:<tab>4.0.2<line>...", Open MPI "Open MPI v4.1.4, package: ...".
     */
    text[strcspn(text, ",\n")] = '\0';
    text[strstr(text, ". ") ? strstr(text, ". ") - text : (long)strlen(text)] = '\0';
    char *version = strstr(text, " Version:");
    if (version)
        memmove(version + 1, version + 9 + strspn(version + 9, " \t"),
                strlen(version + 9 + strspn(version + 9, " \t")) + 1);
    text_copy(name, room, text);
}
