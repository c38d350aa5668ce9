#include "report/labels.h"
#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The module of machine code that contains F; "" if there is none. */
static const char *module_name(const struct profile *p, const struct profile_frame *f)
{
    if (f->module == PROFILE_NONE || *p->modules.at[f->module].function)
        return "";
    return text_base_of(p->modules.at[f->module].path);
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* Whether F is a frame of MPI (its Fortran interface) or the layer: such frames are not shown. */
static bool is_inner(const struct profile *p, const struct profile_frame *f)
{
    return begins(module_name(p, f), "libmpi") || begins(module_name(p, f), "libcollprof");
}

/* Whether F is a frame outside of main(): of the C library or _start. */
static bool is_startup(const struct profile *p, const struct profile_frame *f)
{
    return begins(module_name(p, f), "libc.so") || begins(module_name(p, f), "ld-linux") ||
           (f->function && !strcmp(f->function, "_start"));
}

/* The application's own frames of S: index FIRST up to the result, exclusive. */
static uint32_t own_frames(const struct profile *p, const struct profile_site *s, uint32_t *first)
{
    uint32_t end = s->depth;
    for (*first = 0; *first < s->depth && is_inner(p, &s->frame[*first]);)
        ++*first;
    *first = *first < s->depth ? *first : 0;
    while (end > *first + 1 && is_startup(p, &s->frame[end - 1]))
        end--;
    return end;
}

const char *hosts_text(const struct profile *p, char text[HOSTS_TEXT])
{
    if (p->hosts.n == 1)
        snprintf(text, HOSTS_TEXT, "%.60s", p->hosts.at[0].name);
    else
        snprintf(text, HOSTS_TEXT, "%zu hosts", p->hosts.n);
    return text;
}

int frame_label(const struct profile *p, const struct profile_frame *f, char *text, size_t room)
{
    const char *module = module_name(p, f);
    if (f->file)
        return snprintf(text, room, "%.200s:%u%s%.300s", text_base_of(f->file), f->line,
                        f->function ? " " : "", f->function ? f->function : "");
    if (f->function)
        return snprintf(text, room, "%.300s+0x%llx", f->function, (unsigned long long)f->offset);
    return snprintf(text, room, "%.255s%s0x%llx", module, *module ? "+" : "",
                    (unsigned long long)f->address);
}

enum { FRAME_LABEL = 540, PATH_LABEL = LEDGER_MAX_DEPTH * (FRAME_LABEL + 3) + 1 };
static const char caller[] = " < ";

void site_path(const struct profile *p, uint32_t site, bool functions, char *text, size_t room)
{
    const struct profile_site *s = &p->sites.at[site];
    size_t at = 0;
    uint32_t first, end = own_frames(p, s, &first);
    *text = '\0';
    for (uint32_t f = first; f < end && at < room; f++) {
        char label[FRAME_LABEL];
        frame_label(p, &s->frame[f], label, sizeof label);
        at += (size_t)snprintf(text + at, room - at, "%s%s", f > first ? caller : "",
                               functions && s->frame[f].function ? s->frame[f].function : label);
    }
}

struct path {
    char *text;
    uint32_t site;
};

COMPARISON(by_text, struct path, strcmp(x->text, y->text) ?: ORDER(x->site, y->site))

static size_t common_length(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* The fewest first frames of PATH that differ from the frames of another path, with which PATH has
 * the first COMMON characters in common. Release by free(). */
static char *shortest(const char *path, size_t common)
{
    const char *end = common < strlen(path) ? strstr(path + common + (common > 0), caller) : NULL;
    return end ? strndup(path, (size_t)(end - path)) : strdup(path);
}

/* PATH is sorted: each path has most characters in common with one of its neighbours. */
static void put_labels(const struct path *path, size_t n, char **label)
{
    for (size_t first = 0, end; first < n; first = end) {
        const char *text = path[first].text;
        size_t before = first ? common_length(path[first - 1].text, text) : 0, after = 0;
        for (end = first + 1; end < n && !strcmp(path[end].text, text);)
            end++;
        if (end < n)
            after = common_length(path[end].text, text);
        for (size_t i = first; i < end; i++) {
            label[path[i].site] =
                *text ? shortest(text, before > after ? before : after) : strdup("-");
            if (!label[path[i].site])
                memory_exhausted();
        }
    }
}

char **site_labels(const struct profile *p)
{
    size_t n = p->sites.n;
    char **label = memory_alloc((n + 1) * sizeof *label), *text = memory_alloc(PATH_LABEL);
    struct path *path = memory_alloc((n + 1) * sizeof *path);
    for (uint32_t i = 0; i < n; i++) {
        site_path(p, i, false, text, PATH_LABEL);
        path[i] = (struct path){memory_strdup(text), i};
    }
    qsort(path, n, sizeof *path, by_text);
    put_labels(path, n, label);
    for (size_t i = 0; i < n; i++)
        free(path[i].text);
    free(path);
    free(text);
    return label;
}

void site_labels_free(const struct profile *p, char **label)
{
    for (size_t i = 0; label && i < p->sites.n; i++)
        free(label[i]);
    free(label);
}

void comm_label(const struct profile *p, uint32_t comm, char text[COMM_LABEL])
{
    const struct profile_comm *c = comm == PROFILE_NONE ? NULL : &p->comms.at[comm];
    const struct profile_site *s = c && c->site != PROFILE_NONE ? &p->sites.at[c->site] : NULL;
    char from[40] = "";
    uint32_t first;
    if (!c || comm_is_named(c)) {
        snprintf(text, COMM_LABEL, "%s", c ? c->name : "-");
        return;
    }
    if (c->root_world_rank != UINT32_MAX)
        snprintf(from, sizeof from, " from %u", c->root_world_rank);
    int at = snprintf(text, COMM_LABEL, "%u ranks%s%s%s", c->size, from,
                      *c->name ? ", several names" : "", s && s->depth ? ", made at " : "");
    if (s && own_frames(p, s, &first))
        frame_label(p, &s->frame[first], text + at, COMM_LABEL - (size_t)at);
}
