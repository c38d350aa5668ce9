#include "verdict/text.h"

#include "base/format.h"
#include "base/text.h"
#include "document/json.h"
#include "document/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define add(text, ...) text_add(text, VERDICT_TEXT, __VA_ARGS__)

/* Appends a communicator's name. Unnamed communicators of equal size are numbered. */
static void add_comm(char *text, const struct profile *names, uint32_t comm)
{
    const struct profile_comm *c = comm < names->comms.n ? &names->comms.at[comm] : NULL;
    uint32_t alike = 0, number = 1;
    if (!c || !c->size || comm_is_named(c)) {
        add(text, "%.60s", c && comm_is_named(c) ? c->name : "another communicator");
        return;
    }
    for (EACH(const struct profile_comm, o, names->comms))
        if (o->size == c->size && !comm_is_named(o)) {
            alike++;
            number += o < c;
        }
    add(text, "a communicator of %u ranks", c->size);
    if (alike > 1)
        add(text, " (#%u)", number);
}

/* Appends "8-byte reals", or nothing if the datatype of SIGNATURE is unknown. */
static void add_type(char *text, uint32_t signature)
{
    static const char *const forms[FORMS] = {
        [FORM_COMPLEX] = "complex numbers",    [FORM_REAL] = "reals",
        [FORM_LOGICAL] = "logicals",           [FORM_BYTE] = "bytes",
        [FORM_UNSIGNED] = "unsigned integers", [FORM_INTEGER] = "integers"};
    const uint32_t form = signature >> 8 & 0xff;
    if (form && form < FORMS)
        add(text, "%u-byte %s", signature >> 16, forms[form]);
}

/* Appends ", MPI_SUM, 8-byte reals", as far as reduction and datatype are known. */
static void add_signature(char *text, uint32_t signature)
{
#define NAME(name) "MPI_" #name,
    static const char *const reductions[] = {LEDGER_REDUCTIONS(NAME)};
#undef NAME
    const uint32_t reduction = signature & 0xff;
    if (reduction && reduction <= sizeof reductions / sizeof *reductions)
        add(text, ", %s", reductions[reduction - 1]);
    add(text, "%s", signature >> 8 & 0xff ? ", " : "");
    add_type(text, signature);
}

/* Appends " from rank 1 (tag 4, MPI_COMM_WORLD)" or " number 1,207 of MPI_COMM_WORLD with root 0, 8
 * B". Without NAMED, peers are left out: they differ among the ranks of a group. */
static void add_awaited(char *text, const struct profile *names, const struct awaited *a,
                        bool named)
{
    static const char *const peers[] = {[-AWAIT_ANY] = "any rank",
                                        [-AWAIT_UNKNOWN] = "an unknown rank",
                                        [-AWAIT_INVALID] =
                                            "a rank that the communicator does not have"};
    if (a->what == AWAIT_COLLECTIVE) {
        add(text, " number %s of ", AS_COUNT(a->sequence + 1));
        add_comm(text, names, a->comm);
        if (a->root >= 0)
            add(text, " with root %d", a->root);
        if (a->bytes != JUDGE_UNKNOWN_BYTES && a->bytes)
            add(text, ", %s", AS_BYTES((double)a->bytes));
        add_signature(text, a->signature);
    } else if (a->what < AWAIT_COLLECTIVE) {
        add(text, "%s%s", a->peer >= 0 && !named ? ", each" : "",
            a->what == AWAIT_SEND ? " to " : " from ");
        if (a->peer >= 0 && named)
            add(text, "rank %d", a->peer);
        else
            add(text, "%s", a->peer >= 0 ? "a different rank" : peers[-a->peer]);
        if (a->tag >= 0)
            add(text, " (tag %d, ", a->tag);
        else
            add(text, " (any tag, ");
        add_comm(text, names, a->comm);
        add(text, ")");
        add_signature(text, a->signature);
    }
}

/* Appends "MPI_Recv from rank 1 (tag 4, MPI_COMM_WORLD), at halo.c:41 exchange". A may be NULL. */
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
        const bool received = a->what == AWAIT_RECEIVE && a->name == PROFILE_NONE;
        add(text, "rank %d %s ", a->rank, received ? "received" : "in");
        if (received)
            add_type(text, a->signature);
        else
            add_call(text, names, a->name, a->site, a, true);
        add(text, b ? ", but " : "");
    }
}

/* Appends "in MPI_Wait, at x.c:12 main, for MPI_Irecv from rank 1 (...), at x.c:11 main, and 2
 * more". Shows the request FIRST if it is among those of the call. */
static void add_open(char *text, const struct situation *s, const struct rank_view *r,
                     const struct awaited *first, bool named)
{
    const struct open_call *c = &r->call;
    const struct awaited *a = c->parts.n ? &s->awaited.at[c->parts.at[0]] : NULL;
    for (size_t i = 0; i < c->parts.n; i++)
        a = &s->awaited.at[c->parts.at[i]] == first ? first : a;
    add(text, c->polls ? "polling with " : "in ");
    add_call(text, s->names, r->operation, r->site, a && !a->posted ? a : NULL, named);
    if (!a || !a->posted)
        return;
    add(text, ", for ");
    add_call(text, s->names, a->name, a->site, a, named);
    if (c->parts.n > 1)
        add(text, ", %s %zu more", c->any ? "or one of" : "and", c->parts.n - 1);
}

/* Appends state and call of RANK; without NAMED, omits what differs among ranks of a group. */
static void add_rank(char *text, const struct situation *s, const struct verdict *v, int32_t rank,
                     bool named)
{
    static const char *const doing[] = {[RANK_RUNNING] = "computing",
                                        [RANK_SLEEPING] = "sleeping",
                                        [RANK_SYSTEM_CALL] = "in a system call (mostly files)"};
    const struct rank_view *r = &s->rank[rank];
    const struct open_call *c = r->call.open ? &r->call : NULL;
    enum rank_state state = r->state;
    char end[160];
    if (state == RANK_UNSEEN || state == RANK_FINISHED) {
        add(text, state == RANK_UNSEEN ? "no record" : "in or after MPI_Finalize");
        return;
    }
    if (state == RANK_GONE && r->ended == LEDGER_EXITED && c) {
        add(text, "ended by MPI after an error (MPI_ERRORS_ARE_FATAL), ");
    } else if (state == RANK_GONE) {
        end_text(r->ended == LEDGER_RUNNING ? PROFILE_CUT_OFF : r->ended, r->detail, end,
                 sizeof end);
        add(text, "%s, ", end);
    }
    if (state == RANK_STOPPED)
        add(text, "stopped (by SIGSTOP, or a debugger), ");
    if (c)
        add_open(text, s, r, v->first && v->first->rank == rank ? v->first : v->why[rank], named);
    else
        add(text, "%s",
            r->moving   ? "on a host whose watchdog sees no blocked rank"
            : r->killed ? "outside of MPI when it was killed (it is "
                          "unknown whether before the other ranks)"
            : r->alive && state <= RANK_SYSTEM_CALL ? doing[state]
                                                    : "outside of MPI");
    if (!c && named && v->at_fault[rank] && v->kind == VERDICT_COMPUTES && r->seconds >= 0)
        add(text, " for %s", AS_TIME(r->seconds * 1e9));
    if (!c && r->operation != PROFILE_NONE) {
        add(text, ", since ");
        add_call(text, s->names, r->operation, r->site, NULL, named);
    }
}

/* The shortest time (s) for which ranks at fault, or the rank that waits for them in V->first, are
 * in calls other than MPI_Finalize; INFINITY: unknown. */
static double shortest(const struct situation *s, const struct verdict *v)
{
    double seconds = INFINITY;
    for (int32_t i = 0; i < (int32_t)s->n_ranks; i++) {
        const struct open_call *c = &s->rank[i].call;
        if (c->open && c->seconds >= 0 && s->rank[i].state != RANK_FINISHED &&
            (v->at_fault[i] || (v->first && v->first->rank == i)))
            seconds = fmin(seconds, c->seconds);
    }
    return seconds;
}

/* Appends "ranks 0-3, 7". */
static void add_ranks(char *text, const json_t *ranks)
{
    const size_t n = json_array_size(ranks);
    char list[200] = "";
    FREED int32_t *copy = memory_alloc((n + 1) * sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = (int32_t)json_integer_value(json_array_get(ranks, i));
    rank_list(list, sizeof list, copy, n);
    add(text, "rank%s %s", n == 1 ? "" : "s", list);
}

/* Whether another rank waits in V->first for the ranks at fault. */
static bool is_awaited(const struct verdict *v)
{
    return v->first && v->kind > VERDICT_STOPPED && !v->at_fault[v->first->rank];
}

/* Appends the groups at fault, which GROUPS begins with: "rank 1, awaited in MPI_Barrier number 2
 * of MPI_COMM_WORLD, at x.c:12 main: computing; rank 2: sleeping". */
static void add_groups(char *text, const struct situation *s, const struct verdict *v,
                       const json_t *groups)
{
    const struct awaited *a = v->first;
    const json_t *g;
    size_t i;
    json_array_foreach(groups, i, g) {
        if (!json_is_true(json_object_get(g, "at_fault")))
            break;
        add(text, "%s", i ? "; " : "");
        add_ranks(text, json_object_get(g, "ranks"));
        if (is_awaited(v) && !i) {
            add(text, ", awaited in ");
            add_call(text, s->names, a->name, a->site, a, v->n == 1);
        }
        add(text, ": %s", json_text_at(g, "text"));
    }
}

/* Appends the start of the sentence: how long nothing has moved, and the kind of problem. */
static void add_problem(char *text, const struct situation *s, const struct verdict *v)
{
    const bool alone = v->n == 1 && v->kind != VERDICT_MISMATCH,
               in_calls = v->kind >= VERDICT_MISMATCH && v->kind <= VERDICT_MISSING;
    const size_t n = v->n + (alone || v->kind == VERDICT_MISMATCH ? v->n_waiting : 0);
    const double age = shortest(s, v);
    if (s->live && in_calls && isfinite(age))
        add(text, "nothing has moved for %s: ", AS_TIME(age * 1e9));
    if (in_calls && v->proven)
        add(text, "%s%zu of %zu ranks%s: ", alone ? "" : "a deadlock of ", n, s->n_ranks,
            alone ? " can never continue" : "");
    if (v->kind == VERDICT_UNMATCHED && v->first->peer == v->first->rank)
        add(text, "a rank waits for itself: ");
    else if (v->kind == VERDICT_UNMATCHED && v->first->what == AWAIT_SEND)
        add(text, "an awaited receive is not posted: ");
    else if (!is_awaited(v) || v->kind < VERDICT_MISSING || v->kind == VERDICT_POLLING)
        add(text, "%s", verdict_rules[v->kind].problem);
}

static void add_sentence(char *text, const struct situation *s, const struct verdict *v,
                         const json_t *groups)
{
    const struct message_count *near = &v->near;
    if (v->kind == VERDICT_MOVING && s->live && !s->unseen) {
        add(text, "moving: every awaited rank entered or left a call within the last %s",
            AS_TIME(s->settled * 1e9));
        return;
    }
    add(text, "%s", s->live || s->unseen ? "" : "when the run ended, ");
    add_problem(text, s, v);
    if (v->second)
        verdict_text_pair(text, s->names, v->first, v->second);
    else
        add_groups(text, s, v, groups);
    if (near->n) {
        add(text, "; rank %d has %s message%s of tag %d from rank %d (", near->to,
            AS_COUNT(near->n), near->n == 1 ? "" : "s", near->tag, near->from);
        add_comm(text, s->names, near->comm);
        add(text, ") that no call has received");
    }
    if (v->n_waiting)
        add(text, "; %zu other rank%s for %s", v->n_waiting,
            v->n_waiting == 1 ? " waits" : "s wait", v->n == 1 ? "it" : "them");
}

/* Appends where to look: in the first rank at fault or, if that has finished, the one waiting. */
static void add_next(char *text, const struct situation *s, const struct verdict *v)
{
    const bool *one = memchr(v->at_fault, true, s->n_ranks);
    const struct rank_view *r = one ? &s->rank[one - v->at_fault] : NULL;
    const bool own = r && !v->second && r->state < RANK_FINISHED && r->operation != PROFILE_NONE;
    const struct awaited *a = own || !r ? NULL : v->first;
    if (!own && !a)
        return;
    add(text, "rank %d: look at %s", a ? a->rank : (int)(one - v->at_fault),
        a || r->call.open ? "" : "the code after ");
    add_call(text, s->names, a ? a->name : r->operation, a ? a->site : r->site, NULL, true);
    if (s->live && v->kind == VERDICT_COMPUTES)
        add(text, "; `collprof where --stack` shows its functions");
}

/* The groups of ranks as JSON, those at fault first. Ranks form a group if their texts are equal
 * except for what differs among ranks, such as the peer. */
static json_t *groups_json(const struct situation *s, const struct verdict *v)
{
    json_t *list = json_array(), *g = NULL;
    size_t k;
    for (int32_t i = 0, n = (int32_t)s->n_ranks; i < 2 * n; i++) {
        const int32_t rank = i % n;
        char text[VERDICT_TEXT] = "", alike[VERDICT_TEXT] = "";
        if (v->at_fault[rank] != (i < n))
            continue;
        add_rank(text, s, v, rank, true);
        add_rank(alike, s, v, rank, false);
        json_array_foreach(list, k, g)
            if (json_is_true(json_object_get(g, "at_fault")) == (i < n) &&
                !strcmp(json_text_at(g, "alike"), alike))
                break;
        if (k == json_array_size(list))
            json_push(list, g = json_pack("{s:[], s:b, s:s, s:s}", "ranks", "at_fault", i < n,
                                          "text", text, "alike", alike));
        else if (strcmp(json_text_at(g, "text"), text) != 0)
            json_put(g, "text", json_string(alike));
        json_push(json_object_get(g, "ranks"), json_integer(rank));
    }
    json_array_foreach(list, k, g)
        json_object_del(g, "alike");
    return list;
}

static json_t *notes_json(const struct situation *s, const struct verdict *v)
{
    json_t *notes = json_array();
    size_t threads = 0, unseen = 0;
    char hosts[VERDICT_TEXT] = "";
    for (size_t i = 0; i < s->names->hosts.n; i++) {
        const struct profile_host *h = &s->names->hosts.at[i];
        add(hosts, "%s%s", i ? ", " : "", h->name);
        unseen += h->ranks;
    }
    for (size_t i = 0; i < s->names->warnings.n; i++)
        json_push(notes, json_string(s->names->warnings.at[i].text));
    for (size_t i = 0; i < s->n_ranks; i++)
        threads += v->at_fault[i] && s->rank[i].threads && !s->rank[i].unseen;
    if (unseen)
        json_push(notes, json_sprintf("%zu ranks are on hosts whose watchdogs report nothing (%s): "
                                      "their records may be out of date, and it is unknown whether "
                                      "they still run",
                                      unseen, hosts));
    if (threads && v->kind >= VERDICT_MISMATCH && v->kind <= VERDICT_MISSING)
        json_push(notes, json_string("not reported as a deadlock: another thread of these ranks "
                                     "may release them (MPI_THREAD_MULTIPLE)"));
    return notes;
}

json_t *verdict_json(const struct situation *s, const struct verdict *v)
{
    char text[VERDICT_TEXT] = "", next[VERDICT_TEXT] = "";
    json_t *ranks = json_array();
    profile_name_sites(s->names); /* slow, so only for a verdict that is shown */
    json_t *groups = groups_json(s, v);
    add_sentence(text, s, v, groups);
    add_next(next, s, v);
    for (size_t i = 0; i < s->n_ranks; i++)
        if (v->at_fault[i])
            json_push(ranks, json_integer((json_int_t)i));
    return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o, s:s*}", "kind", verdict_rules[v->kind].name,
                     "proven", v->proven, "text", text, "ranks", ranks, "groups", groups, "notes",
                     notes_json(s, v), "next", *next ? next : NULL);
}

json_t *verdict_json_of(const struct situation *s)
{
    if (s->kept)
        return json_incref(s->kept);
    struct verdict *v = verdict_of(s);
    json_t *value = verdict_json(s, v);
    verdict_free(v);
    return value;
}

void verdict_write(const json_t *value, FILE *out, const char *mark, size_t width)
{
    enum { GROUPS = 12 };
    const json_t *groups = json_object_get(value, "groups"), *g, *note;
    size_t i, n = json_array_size(groups);
    text_paragraph_write(out, mark, json_text_at(value, "text"), width);
    json_array_foreach(groups, i, g) {
        const char *start = json_is_true(json_object_get(g, "at_fault")) ? "* " : "  ";
        char line[VERDICT_TEXT] = "";
        if (i == GROUPS)
            break;
        add_ranks(line, json_object_get(g, "ranks"));
        add(line, ": %s", json_text_at(g, "text"));
        start = json_string_value(json_object_get(g, "mark")) ?: start;
        text_paragraph_write(out, start, line, width);
    }
    if (n > GROUPS)
        fprintf(out, "  %zu more groups\n", n - GROUPS);
    json_array_foreach(json_object_get(value, "notes"), i, note)
        text_paragraph_write(out, "! ", json_string_value(note) ?: "", width);
    if (*mark && *json_text_at(value, "next"))
        text_paragraph_write(out, "Next: ", json_text_at(value, "next"), width);
}
