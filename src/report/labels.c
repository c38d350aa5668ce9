#include "report/rows.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* The module of machine code that F is in, "" if there is none. */
static const char *module_name(const struct profile *p, const struct profile_frame *f)
{
    if (f->module == PROFILE_NONE || *p->modules.at[f->module].function)
        return "";
    return text_base_of(p->modules.at[f->module].path);
}

/* Frames that are MPI's own (its Fortran interface) or the layer's say nothing. */
static bool is_inner(const struct profile *p, const struct profile_frame *f)
{
    const char *name = module_name(p, f);
    return !strncmp(name, "libmpi", 6) || !strncmp(name, "libcollprof", 11);
}

static uint32_t first_frame(const struct profile *p, const struct profile_site *s)
{
    for (uint32_t f = 0; f < s->depth; f++)
        if (!is_inner(p, &s->frame[f]))
            return f;
    return 0;
}

/* What comes before main says nothing about the application: the C library and _start. */
static bool is_startup(const struct profile *p, const struct profile_frame *f)
{
    const char *name = module_name(p, f);
    return !strncmp(name, "libc.so", 7) || !strncmp(name, "ld-linux", 8) ||
           (f->function && !strcmp(f->function, "_start"));
}

static uint32_t end_frame(const struct profile *p, const struct profile_site *s)
{
    uint32_t end = s->depth;
    while (end > 1 && is_startup(p, &s->frame[end - 1]))
        end--;
    return end;
}

static size_t append(char *text, size_t room, size_t at, const char *piece)
{
    size_t length = strlen(piece);
    if (at + 1 >= room)
        return at;
    if (length >= room - at)
        length = room - at - 1;
    memcpy(text + at, piece, length);
    text[at + length] = '\0';
    return at + length;
}

static void frame_label(const struct profile *p, const struct profile_frame *f, char *text,
                        size_t room)
{
    const char *module = module_name(p, f);
    if (f->file)
        snprintf(text, room, "%s:%u%s%s", text_base_of(f->file), f->line, f->function ? " " : "",
                 f->function ? f->function : "");
    else if (f->function)
        snprintf(text, room, "%s+0x%llx", f->function, (unsigned long long)f->offset);
    else
        snprintf(text, room, "%.255s%s0x%llx", module, *module ? "+" : "",
                 (unsigned long long)f->address);
}

/* The N innermost frames of the application's own. IS_SHORT: only the first and the last of these;
 * by the last this site differs from others of the same first. */
static void label_of(const struct profile *p, const struct profile_site *s, uint32_t n,
                     bool is_short, char *text, size_t room)
{
    uint32_t first = first_frame(p, s), end = end_frame(p, s);
    if (end > first + n)
        end = first + n;
    size_t at = 0;
    *text = '\0';
    for (uint32_t f = first; f < end; f++) {
        char piece[600];
        bool left_out = is_short && f > first && f + 1 < end;
        if (left_out && f > first + 1)
            continue;
        frame_label(p, &s->frame[f], piece, sizeof piece);
        if (f > first)
            at = append(text, room, at, " < ");
        at = append(text, room, at, left_out ? ".." : piece);
    }
}

struct labelled {
    char *label;
    uint32_t site;
};

static int compare_labels(const void *a, const void *b)
{
    return strcmp(((const struct labelled *)a)->label, ((const struct labelled *)b)->label);
}

static int compare_calls(const void *a, const void *b, void *profile)
{
    const struct labelled *x = a, *y = b;
    const struct profile *p = profile;
    uint64_t from = p->sites.at[x->site].frame[0].address,
             to = p->sites.at[y->site].frame[0].address;
    return strcmp(x->label, y->label) ?: ORDER(from, to) ?: ORDER(x->site, y->site);
}

/* Labels with N frames for all sites, of which those that no other site shares are kept. */
static void label_with(const struct profile *p, uint32_t n, struct labelled *all, char **kept)
{
    for (uint32_t i = 0; i < p->sites.n; i++) {
        char text[512];
        label_of(p, &p->sites.at[i], n, true, text, sizeof text);
        all[i] = (struct labelled){memory_strdup(text), i};
    }
    qsort(all, p->sites.n, sizeof *all, compare_labels);
    for (size_t i = 0; i < p->sites.n; i++) {
        uint32_t site = all[i].site;
        bool shared = (i > 0 && !strcmp(all[i].label, all[i - 1].label)) ||
                      (i + 1 < p->sites.n && !strcmp(all[i].label, all[i + 1].label));
        if (!shared && !kept[site] && n <= p->sites.at[site].depth)
            kept[site] = memory_strdup(all[i].label);
    }
    for (size_t i = 0; i < p->sites.n; i++)
        free(all[i].label);
}

/* Of the calls of one operation that have the same label, being in one line: which it is, in the
 * order of their addresses. */
static void number_calls(const struct profile *p, char **label)
{
    uint32_t *operation = memory_alloc((p->sites.n + 1) * sizeof *operation);
    struct labelled *all = memory_alloc((p->sites.n + 1) * sizeof *all);
    for (size_t i = 0; i < p->entries.n; i++)
        if (p->entries.at[i].site != PROFILE_NONE)
            operation[p->entries.at[i].site] = p->entries.at[i].operation + 1;
    for (uint32_t i = 0; i < p->sites.n; i++)
        all[i] = (struct labelled){label[i], i};
    if (p->sites.n)
        qsort_r(all, p->sites.n, sizeof *all, compare_calls, (void *)p);
    for (size_t i = 0, end; i < p->sites.n; i = end) {
        for (end = i + 1; end < p->sites.n && !strcmp(all[i].label, all[end].label);)
            end++;
        for (size_t k = i; k < end; k++) {
            unsigned which = 1, n = 0;
            for (size_t m = i; m < end; m++) {
                bool same = operation[all[m].site] == operation[all[k].site];
                n += same;
                which += same && m < k;
            }
            if (n > 1 && p->sites.at[all[k].site].depth &&
                asprintf(&label[all[k].site], "%s, call %u", all[k].label, which) < 0)
                memory_out();
        }
        for (size_t k = i; k < end; k++)
            if (label[all[k].site] != all[k].label)
                free(all[k].label);
    }
    free(operation);
    free(all);
}

char **site_labels(const struct profile *p)
{
    char **label = memory_alloc((p->sites.n + 1) * sizeof *label);
    struct labelled *all = memory_alloc((p->sites.n + 1) * sizeof *all);
    for (uint32_t n = 1; n <= LEDGER_MAX_DEPTH && p->sites.n; n++)
        label_with(p, n, all, label);
    for (size_t i = 0; i < p->sites.n; i++) {
        char text[512];
        label_of(p, &p->sites.at[i], 1, true, text, sizeof text);
        if (!p->sites.at[i].depth || !label[i]) { /* two calls in one line: callers do not help */
            free(label[i]);
            label[i] = memory_strdup(p->sites.at[i].depth ? text : "-");
        }
    }
    free(all);
    number_calls(p, label);
    return label;
}

void site_labels_free(const struct profile *p, char **label)
{
    for (size_t i = 0; label && i < p->sites.n; i++)
        free(label[i]);
    free(label);
}

void site_path(const struct profile *p, uint32_t site, char *text, size_t room)
{
    if (site == PROFILE_NONE || !p->sites.at[site].depth)
        snprintf(text, room, "(place not recorded)");
    else
        label_of(p, &p->sites.at[site], LEDGER_MAX_DEPTH, false, text, room);
}

void comm_label(const struct profile *p, uint32_t comm, char *text, size_t room)
{
    if (comm == PROFILE_NONE) {
        snprintf(text, room, "-");
        return;
    }
    const struct profile_comm *c = &p->comms.at[comm];
    if (comm_is_named(c))
        snprintf(text, room, "%s", c->name);
    else {
        char place[300] = "", from[40] = "";
        if (c->root_world_rank != UINT32_MAX)
            snprintf(from, sizeof from, " from %u", c->root_world_rank);
        if (c->site != PROFILE_NONE)
            label_of(p, &p->sites.at[c->site], 1, true, place, sizeof place);
        snprintf(text, room, "%u ranks%s%s%s%s", c->size, from, *c->name ? ", several names" : "",
                 *place ? ", made at " : "", place);
    }
}

void site_functions(const struct profile *p, uint32_t site, char *text, size_t room)
{
    size_t at = 0;
    *text = '\0';
    if (site == PROFILE_NONE)
        return;
    const struct profile_site *s = &p->sites.at[site];
    for (uint32_t f = first_frame(p, s); f < end_frame(p, s); f++) {
        char place[300];
        frame_label(p, &s->frame[f], place, sizeof place);
        at = append(text, room, at, s->frame[f].function ? s->frame[f].function : place);
        at = append(text, room, at, " < ");
    }
}
