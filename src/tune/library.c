#include "tune/library.h"

#include "base/text.h"
#include "base/try.h"
#include "tune/cvar.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool write_number(const char *variable, long long number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    return !cvar_write(variable, text);
}

/* --- MPICH --- */

/* Whether the device's algorithms come before the general ones, and what happens where a chosen one
 * is impossible. */
static const char devices[] = "MPIR_CVAR_DEVICE_COLLECTIVES",
                  fallback[] = "MPIR_CVAR_COLLECTIVE_FALLBACK";

static void mpich_name(const struct tuned_operation *o, const char *what, char name[80])
{
    int n = snprintf(name, 80, "MPIR_CVAR_%s_%s", o->stem, what);
    for (int i = 0; i < n && i < 79; i++)
        name[i] = (char)toupper(name[i]);
}

/* MPICH's description lists the values of a variable as "NAME - meaning", in the order of their
 * numbers, sometimes without line breaks. The text before " - " may then contain the previous
 * meaning, too. The name is the longest entry of this list with which that text ends. */
static const char known[] =
    "auto binomial brucks dissemination error k_brucks k_dissemination linear nb noncommutative "
    "pairwise pairwise_sendrecv_replace percoll recexch recexch_doubling recexch_halving "
    "recursive_doubling recursive_halving reduce_scatter_allgather reduce_scatter_gather ring "
    "scatter_recursive_doubling_allgather scatter_ring_allgather scattered smp tree";

/* The length of the name before END in TEXT; 0 if it is not known. */
static int known_before(const char *text, const char *end)
{
    int best = 0;
    for (const char *word = known; *word; word += strspn(word, " ")) {
        int n = (int)strcspn(word, " ");
        if (end - text >= n && !strncmp(end - n, word, (size_t)n) && n > best)
            best = n;
        word += n;
    }
    return best;
}

/* Puts the name of value NUMBER of a variable with that description into NAME, "" if it is not
 * known. False if there are not so many. */
static bool described_value(const char *about, int number, char *name, size_t room)
{
    const char *end = about;
    for (int i = 0; (end = strstr(end, " - ")); i++, end += 3)
        if (i == number) {
            while (end > about && end[-1] == ' ')
                end--;
            int n = known_before(about, end);
            text_copy_part(name, room, end - n, (size_t)n);
            return true;
        }
    return false;
}

/* The number of the value NAME; -1 if there is none. */
static int number_of(const char *variable, const char *name)
{
    char about[4096], value[64];
    cvar_description(variable, about, sizeof about);
    for (int i = 0; described_value(about, i, value, sizeof value); i++)
        if (!strcmp(value, name))
            return i;
    return -1;
}

static int mpich_list(const struct tuned_operation *o, size_t bytes, struct algorithm *list,
                      int room)
{
    char variable[80], about[4096];
    long long now = -1;
    int n = 0;
    (void)bytes;
    mpich_name(o, "intra_algorithm", variable);
    cvar_description(variable, about, sizeof about);
    if (!cvar_read(variable, &now))
        return 0;
    /* "auto" is a candidate only where another value is forced. */
    struct algorithm a = {.segment = 0};
    for (a.number = now == 0; n < room; a.number++) {
        if (!described_value(about, a.number, a.name, sizeof a.name))
            break;
        if (*a.name && a.number != now)
            list[n++] = a;
    }
    return n;
}

static bool mpich_choose(const struct tuned_operation *o, const struct algorithm *a, bool strict)
{
    static long long first[TUNED_NUMBERS][3], first_devices, first_fallback;
    static bool read[TUNED_NUMBERS];
    char variable[80], device[80];
    long long *was = first[o->openmpi];
    mpich_name(o, "intra_algorithm", variable);
    mpich_name(o, "device_collective", device);
    if (!read[o->openmpi])
        read[o->openmpi] = cvar_read(variable, &was[0]) && cvar_read(device, &was[1]) &&
                           cvar_read(devices, &first_devices) &&
                           cvar_read(fallback, &first_fallback);
    if (!read[o->openmpi])
        return false;
    const bool own = write_number(variable, a ? a->number : was[0]),
               general = write_number(device, a ? 0 : was[1]),
               by_call = write_number(devices, a ? number_of(devices, "percoll") : first_devices),
               checked =
                   write_number(fallback, strict ? number_of(fallback, "error") : first_fallback);
    return own && general && by_call && checked;
}

static const struct tuning_library mpich = {.list = mpich_list, .choose = mpich_choose};

/* --- Open MPI --- */

static void openmpi_name(const struct tuned_operation *o, const char *what, char name[80])
{
    snprintf(name, 80, "coll_tuned_%s_algorithm%s", o->stem, what);
}

/* Algorithms that cut messages into segments. Those that are measured: none, and sizes that let
 * the first segment arrive early without a high cost for each. */
static const char *const segmented[] = {
    "chain",    "pipeline", "split_binary_tree", "binary_tree",     "binary",
    "binomial", "knomial",  "segmented_ring",    "in-order_binary", NULL};
static const int segments[] = {0, 8 << 10, 64 << 10};

static int openmpi_list(const struct tuned_operation *o, size_t bytes, struct algorithm *list,
                        int room)
{
    char variable[80], segment[80];
    struct algorithm a = {0};
    long long now = 0;
    int n = 0;
    openmpi_name(o, "", variable);
    openmpi_name(o, "_segmentsize", segment);
    bool cuts = cvar_read(segment, &now) && !o->by_ranks;
    if (!cvar_read(variable, &now))
        return 0;
    for (int i = 0; cvar_enum_name(variable, i, &a.number, a.name, sizeof a.name); i++)
        for (size_t s = 0; s < sizeof segments / sizeof *segments && n < room; s++) {
            bool fits = s == 0 ||
                        (cuts && text_is_one_of(a.name, segmented) && (size_t)segments[s] < bytes);
            if (a.number == 0 || a.number == now || !fits)
                continue;
            a.segment = segments[s];
            list[n++] = a;
        }
    return n;
}

static bool openmpi_choose(const struct tuned_operation *o, const struct algorithm *a, bool strict)
{
    (void)strict;
    static long long first[TUNED_NUMBERS][2];
    static bool read[TUNED_NUMBERS];
    char variable[80], segment[80];
    long long *was = first[o->openmpi];
    openmpi_name(o, "", variable);
    openmpi_name(o, "_segmentsize", segment);
    bool cuts = read[o->openmpi] || cvar_read(segment, &was[1]);
    if (!read[o->openmpi])
        read[o->openmpi] = cvar_read(variable, &was[0]);
    return read[o->openmpi] && write_number(variable, a ? a->number : was[0]) &&
           (!cuts || write_number(segment, a ? a->segment : was[1]));
}

static const struct tuning_library openmpi = {
    .list = openmpi_list, .choose = openmpi_choose, .at_creation = true};

/* --- this process's --- */

const struct tuning_library *tuning_library(void)
{
    long long value;
    if (tuning_of_test)
        return tuning_of_test();
    if (cvar_read(devices, &value) && cvar_read(fallback, &value))
        return &mpich;
    return cvar_read("coll_tuned_use_dynamic_rules", &value) && value ? &openmpi : NULL;
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

/* --- selections --- */

int selection_open(struct selection *s, MPI_Comm comm)
{
    bool now = s->library->at_creation;
    s->comm = MPI_COMM_NULL;
    int good = !now || s->library->choose(s->operation, s->algorithm, true), all = 0;
    int error = PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, comm);
    if (!error && all)
        error = PMPI_Comm_dup(comm, &s->comm);
    if (now)
        s->library->choose(s->operation, NULL, false);
    return error ? error : all ? MPI_SUCCESS : MPI_ERR_OTHER;
}

void selection_close(struct selection *s)
{
    if (s->comm != MPI_COMM_NULL)
        PMPI_Comm_free(&s->comm);
}

bool selection_begin(const struct selection *s, bool strict)
{
    return s->library->at_creation || s->library->choose(s->operation, s->algorithm, strict);
}

void selection_end(const struct selection *s)
{
    if (!s->library->at_creation)
        s->library->choose(s->operation, NULL, false);
}
