/* How call sites and communicators are called. */
#include "base/array.h"
#include "base/text.h"
#include "report/rows.h"

#include <stdlib.h>
#include <string.h>

/* The module of machine code that F is in, "" if there is none. */
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

/* Frames that are MPI's own (its Fortran interface) or the layer's say nothing. */
static bool is_inner(const struct profile *p, const struct profile_frame *f)
{
    return begins(module_name(p, f), "libmpi") || begins(module_name(p, f), "libcollprof");
}

/* What comes before main says nothing about the application: the C library and _start. */
static bool is_startup(const struct profile *p, const struct profile_frame *f)
{
    return begins(module_name(p, f), "libc.so") || begins(module_name(p, f), "ld-linux") ||
           (f->function && !strcmp(f->function, "_start"));
}

/* The application's own frames of S: from *FIRST to below the result. */
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

static int frame_label(const struct profile *p, const struct profile_frame *f, char *text,
                       size_t room)
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

/* All own frames, innermost first; "": none is known. */
static void path_of(const struct profile *p, const struct profile_site *s, char text[PATH_LABEL])
{
    uint32_t f, end = own_frames(p, s, &f);
    *text = '\0';
    for (uint32_t first = f; f < end; f++) {
        text += f > first ? sprintf(text, "%s", caller) : 0;
        text += frame_label(p, &s->frame[f], text, FRAME_LABEL);
    }
}

struct path {
    char *text;
    uint32_t site;
};

static int by_text(const void *a, const void *b)
{
    const struct path *x = a, *y = b;
    return strcmp(x->text, y->text) ?: ORDER(x->site, y->site);
}

static size_t common_length(const char *a, const char *b)
{
    size_t n = 0;
    while (a[n] && a[n] == b[n])
        n++;
    return n;
}

/* As much of PATH as it takes to differ from paths that have COMMON characters in common with it:
 * whole frames, at least one. */
static size_t telling_length(const char *path, size_t common)
{
    size_t length = strlen(path);
    const char *end = common < length ? strstr(path + common + (common > 0), caller) : NULL;
    return end ? (size_t)(end - path) : length;
}

/* Of paths in order those that have most in common stand beside each other. */
static char *label_of(const struct path *path, size_t n, size_t i)
{
    const char *text = path[i].text;
    char *label;
    size_t before = i, after = i, common = 0;
    while (before > 0 && !strcmp(path[before].text, text))
        before--;
    while (after + 1 < n && !strcmp(path[after].text, text))
        after++;
    if (strcmp(path[before].text, text) != 0)
        common = common_length(path[before].text, text);
    if (strcmp(path[after].text, text) != 0 && common_length(path[after].text, text) > common)
        common = common_length(path[after].text, text);
    if (asprintf(&label, "%.*s", (int)telling_length(text, common), text) < 0)
        memory_out();
    return label;
}

char **site_labels(const struct profile *p)
{
    size_t n = p->sites.n;
    char **label = memory_alloc((n + 1) * sizeof *label), *text = memory_alloc(PATH_LABEL);
    struct path *path = memory_alloc((n + 1) * sizeof *path);
    for (uint32_t i = 0; i < n; i++) {
        path_of(p, &p->sites.at[i], text);
        path[i] = (struct path){memory_strdup(text), i};
    }
    qsort(path, n, sizeof *path, by_text);
    for (size_t i = 0; i < n; i++)
        label[path[i].site] = *path[i].text ? label_of(path, n, i) : memory_strdup("-");
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

void measured_name(struct profile *p)
{
    char label[COMM_LABEL];
    for (size_t i = 0; i < p->findings.n; i++) {
        if (p->findings.at[i].comm == PROFILE_NONE)
            continue;
        comm_label(p, p->findings.at[i].comm, label);
        json_object_set_new(p->findings.at[i].value, "communicator", json_text(label, COMM_LABEL));
    }
}

void site_functions(const struct profile *p, uint32_t site, char *text, size_t room)
{
    size_t at = 0;
    uint32_t f, end = own_frames(p, &p->sites.at[site], &f);
    *text = '\0';
    for (; f < end && at < room; f++) {
        const struct profile_frame *frame = &p->sites.at[site].frame[f];
        char place[FRAME_LABEL];
        frame_label(p, frame, place, sizeof place);
        at += (size_t)snprintf(text + at, room - at, "%s%s",
                               frame->function ? frame->function : place, caller);
    }
}
