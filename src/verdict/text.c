#include "verdict/text.h"

#include "base/format.h"
#include "base/text.h"
#include "document/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = VERDICT_TEXT };

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
    size_t n = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + n, ROOM - n, format, arguments);
    va_end(arguments);
}

static void add_time(char *text, const char *before, double seconds)
{
    char time[32];
    if (seconds >= 0)
        add(text, "%s%s", before, format_time(time, seconds * 1e9));
}

static void add_comm(char *text, const struct profile *names, uint32_t comm)
{
    const struct profile_comm *c = comm < names->comms.n ? &names->comms.at[comm] : NULL;
    if (c && comm_is_named(c))
        add(text, "%.60s", c->name);
    else if (c && c->size)
        add(text, "a communicator of %u ranks", c->size);
    else
        add(text, "another communicator");
}

/* ", MPI_SUM, 8-byte reals" */
static void add_signature(char *text, uint32_t signature)
{
#define NAME(name) "MPI_" #name,
    static const char *const
        reductions[] = {LEDGER_REDUCTIONS(NAME)},
        *const forms[FORMS] = {[FORM_COMPLEX] = "complex numbers",    [FORM_REAL] = "reals",
                               [FORM_LOGICAL] = "logicals",           [FORM_BYTE] = "bytes",
                               [FORM_UNSIGNED] = "unsigned integers", [FORM_INTEGER] = "integers"};
#undef NAME
    const uint32_t reduction = signature & 0xff, form = signature >> 8 & 0xff;
    if (reduction && reduction <= sizeof reductions / sizeof *reductions)
        add(text, ", %s", reductions[reduction - 1]);
    if (form && form < FORMS)
        add(text, ", %u-byte %s", signature >> 16, forms[form]);
}

/* Appends " from rank 1 (tag 4, MPI_COMM_WORLD)" or " number 1,207 of MPI_COMM_WORLD with root 0, 8
 * B". Without NAMED it is for several ranks with different peers. */
static void add_awaited(char *text, const struct profile *names, const struct awaited *a,
                        bool named)
{
    char number[32];
    if (a->what == AWAIT_COLLECTIVE) {
        if (!a->counted)
            add(text, " number %s", format_count(number, a->sequence + 1));
        add(text, " of ");
        add_comm(text, names, a->comm);
        if (a->root >= 0)
            add(text, " with root %d", a->root);
        if (a->bytes != JUDGE_UNKNOWN_BYTES && a->bytes)
            add(text, ", %s", format_bytes(number, (double)a->bytes));
        add_signature(text, a->signature);
    } else if (a->what < AWAIT_COLLECTIVE) {
        add(text, a->peer >= 0 && !named ? ", each" : "");
        add(text, a->what == AWAIT_SEND ? " to " : " from ");
        if (a->peer >= 0 && named)
            add(text, "rank %d", a->peer);
        else
            add(text, a->peer >= 0               ? "a different rank"
                      : a->peer == AWAIT_ANY     ? "any rank"
                      : a->peer == AWAIT_INVALID ? "a rank that the communicator does not have"
                                                 : "an unknown rank");
        if (a->tag >= 0)
            add(text, " (tag %d, ", a->tag);
        else
            add(text, " (any tag, ");
        add_comm(text, names, a->comm);
        add(text, ")");
    }
}

/* Appends "MPI_Recv from rank 1 (tag 4, MPI_COMM_WORLD), at halo.c:41 exchange". A is NULL if
 * unknown. */
static void add_call(char *text, const struct profile *names, uint32_t operation, uint32_t site,
                     const struct awaited *a, bool named)
{
    const struct profile_site *s = site < names->sites.n ? &names->sites.at[site] : NULL;
    const struct profile_frame *f = s && s->depth ? &s->frame[0] : NULL;
    add(text, "%.40s",
        operation < names->operations.n ? names->operations.at[operation].name : "MPI");
    if (a)
        add_awaited(text, names, a, named);
    if (f && f->file)
        add(text, ", at %.80s:%u%s%.80s", text_base_of(f->file), f->line, f->function ? " " : "",
            f->function ? f->function : "");
    else if (f && (f->function || f->module < names->modules.n))
        add(text, ", at %.80s+0x%llx",
            f->function ? f->function : text_base_of(names->modules.at[f->module].path),
            (unsigned long long)f->offset);
}

void verdict_text_pair(char text[VERDICT_TEXT], const struct profile *names,
                       const struct awaited *a, const struct awaited *b)
{
    for (; a; a = b, b = NULL) {
        add(text, "rank %d in ", a->rank);
        add_call(text, names, a->name, a->site, a, true);
        add(text, b ? ", but " : "");
    }
}

/* IN_CALL: MPI itself ends a process after an error that is fatal. */
static void add_end(char *text, const struct evidence_rank *r, bool in_call)
{
    if (r->state == LEDGER_EXITED && in_call)
        add(text, "ended by MPI after an error (MPI_ERRORS_ARE_FATAL), ");
    else if (r->state == LEDGER_EXITED)
        add(text, "exited without MPI_Finalize, ");
    else if (r->state == LEDGER_ABORTED)
        add(text, "called MPI_Abort with error code %d, ", r->state_detail);
    else if (r->state == LEDGER_SIGNALLED || r->state == LEDGER_HANDLED)
        add(text, "ended by signal %d (%s), ", r->state_detail, strsignal(r->state_detail));
    else
        add(text, "gone without a last word (killed, by SIGKILL for example), ");
}

/* Appends "in MPI_Wait, at x.c:12 main, for MPI_Irecv from rank 1 (...), at x.c:11 main, and 2
 * more". */
static void add_open(char *text, const struct evidence *e, const struct open_call *c,
                     const struct awaited *first, bool named)
{
    const struct awaited *a = c->parts.n ? &e->s->awaited.at[c->parts.at[0]] : NULL;
    for (size_t i = 0; i < c->parts.n; i++)
        a = &e->s->awaited.at[c->parts.at[i]] == first ? first : a;
    add(text, c->polls ? "polling with " : "in ");
    add_call(text, e->names, c->name, c->site, a && !a->posted ? a : NULL, named);
    if (!a || !a->posted)
        return;
    add(text, ", for ");
    add_call(text, e->names, a->name, a->site, a, named);
    if (c->parts.n > 1)
        add(text, ", %s %zu more", c->any ? "or one of" : "and", c->parts.n - 1);
}

/* Appends the call of RANK; without NAMED, omits what differs among ranks of one group. */
static void add_rank(char *text, const struct evidence *e, const struct verdict *v, int32_t rank,
                     bool named)
{
    static const char *const doing[] = {[RANK_RUNNING] = "computing",
                                        [RANK_SLEEPING] = "sleeping",
                                        [RANK_SYSTEM_CALL] = "in a system call (files, usually)"};
    const struct evidence_rank *r = &e->rank[rank];
    const struct open_call *c = situation_find(e->s, rank);
    const bool fault = verdict_blames(v, rank);
    enum rank_state state = e->s->state[rank];
    if (state == RANK_UNSEEN || state == RANK_FINISHED) {
        add(text, state == RANK_UNSEEN ? "no record" : "in or after MPI_Finalize");
        return;
    }
    if (state == RANK_GONE)
        add_end(text, r, c);
    if (state == RANK_STOPPED)
        add(text, "stopped (by SIGSTOP, or a debugger), ");
    if (c)
        add_open(text, e, c, v->first, named);
    else
        add(text, "%s",
            r->moving                               ? "on a host where no rank waits for long"
            : r->alive && state <= RANK_SYSTEM_CALL ? doing[state]
                                                    : "outside of MPI");
    if (!c && named && fault && v->kind == VERDICT_COMPUTES)
        add_time(text, " for ", r->seconds);
    if (!c && r->operation != PROFILE_NONE) {
        add(text, ", since ");
        add_call(text, e->names, r->operation, r->site, NULL, named);
    }
    if (r->failed != PROFILE_NONE) {
        add(text, ", after an error in ");
        add_call(text, e->names, r->failed, r->failed_site, NULL, named);
    }
}

/* The sentence about two members of a communicator that disagree. */
static const char *const of_two[VERDICT_KINDS] = {
    [VERDICT_MISMATCH] = "members of a communicator disagree about a collective: ",
    [VERDICT_CROSSED] = "collectives of two communicators in opposite order: "};

/* For other ranks at fault: text between their numbers and the call of the first of them, and text
 * after it. */
static const char *const before[VERDICT_KINDS] =
    {[VERDICT_UNMATCHED] = " waits ", [VERDICT_CYCLE] = " wait for each other "},
                         *const after[VERDICT_KINDS] = {
                             [VERDICT_POLLING] = ", and nothing has completed",
                             [VERDICT_UNKNOWN] = ", for a reason that is unknown"};

static void add_ranks(char *text, const int32_t *rank, size_t n)
{
    char list[200] = "";
    int32_t *copy = memory_alloc((n + 1) * sizeof *copy);
    memcpy(copy, rank, n * sizeof *copy);
    rank_list(list, sizeof list, copy, n);
    free(copy);
    add(text, "rank%s %s", n == 1 ? "" : "s", list);
}

/* The shortest time in seconds that all of them, or otherwise the ranks waiting for them, have been
 * in their calls; negative if unknown. */
static double shortest(const struct evidence *e, const struct verdict *v)
{
    const struct open_call *waiting = v->first ? situation_find(e->s, v->first->rank) : NULL;
    double seconds = -1;
    for (size_t i = 0; i < v->n; i++) {
        const struct open_call *c = situation_find(e->s, v->core[i]);
        if (c && c->seconds >= 0 && (seconds < 0 || c->seconds < seconds))
            seconds = c->seconds;
    }
    return seconds < 0 && waiting ? waiting->seconds : seconds;
}

/* The rank whose call is named: if nothing matches a receive or send, the rank that waits; if ranks
 * poll, one that does. */
static int32_t named_rank(const struct evidence *e, const struct verdict *v)
{
    if (v->kind == VERDICT_UNMATCHED)
        return v->first->rank;
    for (size_t i = 0; i < v->n && v->kind == VERDICT_POLLING; i++) {
        const struct open_call *c = situation_find(e->s, v->core[i]);
        if (c && c->polls)
            return v->core[i];
    }
    return v->core[0];
}

/* Appends the message that never arrives, what its peer does instead, and similar messages that
 * were sent. */
static void add_unmatched(char *text, const struct evidence *e, const struct verdict *v)
{
    const struct awaited *a = v->first;
    char count[32];
    add(text, a->what == AWAIT_SEND ? ", and no call receives that" : ", and no call sends that");
    if (a->peer >= 0 && a->peer != a->rank) {
        add(text, "; rank %d: ", a->peer);
        add_rank(text, e, v, a->peer, true);
    }
    uint64_t n = v->near.sent;
    if (!n)
        return;
    add(text, "; rank %d has %s message%s of tag %d from rank %d (", v->near.to,
        format_count(count, n), n == 1 ? "" : "s", v->near.tag, v->near.from);
    add_comm(text, e->names, v->near.comm);
    add(text, ") that no call has received");
}

void verdict_text_group(char text[VERDICT_TEXT], const json_t *group)
{
    const json_t *ranks = json_object_get(group, "ranks"), *rank;
    size_t i;
    int32_t *list = memory_alloc((json_array_size(ranks) + 1) * sizeof *list);
    json_array_foreach(ranks, i, rank) list[i] = (int32_t)json_integer_value(rank);
    add_ranks(text, list, i);
    free(list);
    add(text, ": %s", json_string_value(json_object_get(group, "text")));
}

/* GROUPS begins with those at fault. */
static void add_body(char *text, const struct evidence *e, const struct verdict *v,
                     const json_t *groups)
{
    const bool one = v->kind == VERDICT_UNMATCHED || v->kind == VERDICT_POLLING;
    const int32_t rank = named_rank(e, v);
    if (of_two[v->kind]) {
        add(text, "%s", of_two[v->kind]);
        verdict_text_pair(text, e->names, v->first, v->second);
        return;
    }
    add_ranks(text, one ? &rank : v->core, one ? 1 : v->n);
    if (v->first && (v->kind == VERDICT_MISSING || v->kind == VERDICT_COMPUTES)) {
        add(text, ", awaited in ");
        add_call(text, e->names, v->first->name, v->first->site, v->first, v->n == 1);
    }
    const json_t *next = json_array_get(groups, 1);
    const bool several = !one && json_is_true(json_object_get(next, "at_fault"));
    add(text, "%s%s", before[v->kind] ? before[v->kind] : ": ",
        several && before[v->kind] ? "(" : "");
    if (one)
        add_rank(text, e, v, rank, true);
    else if (!several)
        add(text, "%s", json_string_value(json_object_get(json_array_get(groups, 0), "text")));
    for (size_t i = 0;
         several && json_is_true(json_object_get(json_array_get(groups, i), "at_fault")); i++) {
        add(text, i ? "; " : "");
        verdict_text_group(text, json_array_get(groups, i));
    }
    add(text, several && before[v->kind] ? ")" : "");
    add(text, "%s", after[v->kind] ? after[v->kind] : "");
    if (v->kind == VERDICT_UNMATCHED)
        add_unmatched(text, e, v);
}

static bool is_stuck(const struct verdict *v)
{
    return v->kind >= VERDICT_MISMATCH && v->kind <= VERDICT_MISSING;
}

static void add_sentence(char *text, const struct evidence *e, const struct verdict *v,
                         const json_t *groups)
{
    const size_t others = v->n_waiting;
    if (v->kind == VERDICT_MOVING && e->live) {
        add_time(text, "moving: no rank waits for one that has not moved for ", e->s->settled);
        return;
    }
    if (!e->live)
        add(text, "when the run ended, ");
    if (v->kind == VERDICT_MOVING) {
        add(text, "no rank is known to wait for what cannot come");
        return;
    }
    if (e->live && is_stuck(v) && shortest(e, v) >= 0) {
        add_time(text, "nothing has moved for ", shortest(e, v));
        add(text, ": ");
    }
    if (is_stuck(v) && v->proven)
        add(text, "a deadlock of %zu of %zu ranks: ", v->n, e->s->n_ranks);
    add_body(text, e, v, groups);
    if (others)
        add(text, "; %zu other rank%s for %s", others, others == 1 ? " waits" : "s wait",
            v->n == 1 ? "it" : "them");
}

struct group {
    json_t *ranks;
    int32_t first;
    bool at_fault;
    char text[ROOM], alike[ROOM]; /* ALIKE: without what differs among ranks, so that equal texts
                                     form a group */
};

static int by_fault(const void *a, const void *b)
{
    const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
    return ORDER(y->at_fault, x->at_fault)
               ?: ORDER(json_array_size(y->ranks), json_array_size(x->ranks))
               ?: ORDER(x->first, y->first);
}

static json_t *groups_json(const struct evidence *e, const struct verdict *v)
{
    ARRAY(struct group *) groups = {0};
    json_t *list = json_array();
    for (int32_t rank = 0; rank < (int32_t)e->s->n_ranks; rank++) {
        struct group new = {.first = rank}, *g = NULL;
        new.at_fault = verdict_blames(v, rank);
        add_rank(new.text, e, v, rank, true);
        add_rank(new.alike, e, v, rank, false);
        for (size_t i = 0; i < groups.n && !g; i++)
            if (groups.at[i]->at_fault == new.at_fault && !strcmp(groups.at[i]->alike, new.alike))
                g = groups.at[i];
        if (!g) {
            g = *PUSH(&groups) = memory_alloc(sizeof *g);
            *g = new;
            g->ranks = json_array();
        }
        if (strcmp(g->text, new.text) != 0)
            strcpy(g->text, g->alike);
        json_push(g->ranks, json_integer(rank));
    }
    if (groups.n)
        qsort(groups.at, groups.n, sizeof *groups.at, by_fault);
    for (size_t i = 0; i < groups.n; i++) {
        struct group *g = groups.at[i];
        json_push(list, json_pack("{s:o, s:b, s:s}", "ranks", g->ranks, "at_fault", g->at_fault,
                                  "text", g->text));
        free(g);
    }
    free(groups.at);
    return list;
}

/* Names the hosts of ranks of which nothing recent is known; the number of these ranks. */
static size_t add_unseen(char *text, const struct evidence *e)
{
    size_t n = 0;
    for (size_t h = 0; h < e->names->hosts.n; h++) {
        size_t here = 0;
        for (size_t i = 0; i < e->s->n_ranks; i++)
            here += e->rank[i].unseen && e->rank[i].host == h;
        if (here)
            add(text, "%s%s", n ? ", " : "", e->names->hosts.at[h].name);
        n += here;
    }
    return n;
}

static json_t *notes_json(const struct evidence *e, const struct verdict *v)
{
    json_t *notes = json_array();
    size_t threads = 0, killed = 0;
    char hosts[ROOM] = "";
    const size_t unseen = add_unseen(hosts, e);
    for (size_t i = 0; i < e->names->warnings.n; i++)
        json_push(notes, json_string(e->names->warnings.at[i]));
    for (size_t i = 0; i < v->n; i++) {
        const struct open_call *c = situation_find(e->s, v->core[i]);
        threads += e->s->threads[v->core[i]] && !e->rank[v->core[i]].unseen;
        killed += c && c->seconds < 0;
    }
    if (unseen)
        json_push(notes, json_sprintf("%zu ranks are on hosts that cannot be seen from here (%s): "
                                      "their records may be out of date, and it is unknown whether "
                                      "they still run",
                                      unseen, hosts));
    if (killed && is_stuck(v) && !v->proven)
        json_push(notes,
                  json_string("these ranks were killed without recording their end: how long they "
                              "waited, and whether they would have continued, is unknown"));
    if (threads && is_stuck(v))
        json_push(notes, json_string("this is not called a deadlock: another thread of these ranks "
                                     "may call MPI (MPI_THREAD_MULTIPLE)"));
    return notes;
}

json_t *verdict_json(const struct evidence *e, const struct verdict *v)
{
    char text[ROOM] = "";
    json_t *ranks = json_array();
    profile_name_sites(e->names); /* only when it is written: a watchdog reads more often */
    json_t *groups = groups_json(e, v);
    add_sentence(text, e, v, groups);
    for (size_t i = 0; i < v->n; i++)
        json_push(ranks, json_integer(v->core[i]));
    return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o}", "kind", verdict_names[v->kind], "proven",
                     v->proven, "text", text, "ranks", ranks, "groups", groups, "notes",
                     notes_json(e, v));
}

json_t *verdict_json_of(const struct evidence *e)
{
    struct verdict *v = verdict_of(e->s);
    json_t *value = verdict_json(e, v);
    verdict_free(v);
    return value;
}

void verdict_summary(char text[VERDICT_TEXT], const struct verdict *v)
{
    snprintf(text, VERDICT_TEXT, "%s%s%s", is_stuck(v) && v->proven ? "deadlock, " : "",
             verdict_names[v->kind], v->n ? ": " : "");
    if (v->n)
        add_ranks(text, v->core, v->n);
}

void verdict_write(const json_t *value, FILE *out, const char *mark, size_t width)
{
    enum { GROUPS = 12 };
    const json_t *groups = json_object_get(value, "groups"), *g, *note;
    char line[2 * ROOM];
    size_t i, n = json_array_size(groups);
    text_paragraph_write(out, mark, json_string_value(json_object_get(value, "text")), width);
    json_array_foreach(groups, i, g)
    {
        *line = '\0';
        verdict_text_group(line, g);
        if (i < GROUPS)
            text_paragraph_write(out, json_is_true(json_object_get(g, "at_fault")) ? "* " : "  ",
                                 line, width);
    }
    snprintf(line, sizeof line, "%zu more groups", n - GROUPS);
    if (n > GROUPS)
        text_paragraph_write(out, "  ", line, width);
    json_array_foreach(json_object_get(value, "notes"), i, note)
        text_paragraph_write(out, "! ", json_string_value(note), width);
}
