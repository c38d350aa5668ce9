#include "verdict/text.h"

#include "base/format.h"
#include "document/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1000 };

/* Adds to TEXT, which has ROOM bytes. */
static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(char *text, const char *format, ...)
{
    size_t n = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + n, ROOM - n, format, arguments);
    va_end(arguments);
}

/* "rank 3", "ranks 0-61, 63": at most a few ranges. */
static void add_ranks(char *text, const int32_t *rank, size_t n)
{
    enum { RANGES = 8 };
    size_t ranges = 0;
    add(text, n == 1 ? "rank " : "ranks ");
    for (size_t i = 0, last; i < n; i = last + 1) {
        for (last = i; last + 1 < n && rank[last + 1] == rank[last] + 1;)
            last++;
        if (++ranges > RANGES) {
            add(text, " and %zu more", n - i);
            return;
        }
        add(text, "%s%d", i ? ", " : "", rank[i]);
        if (last > i)
            add(text, "%s%d", last == i + 1 ? ", " : "-", rank[last]);
    }
}

static void add_time(char *text, double seconds)
{
    char time[32];
    add(text, "%s", format_time(time, seconds * 1e9));
}

static void add_comm(char *text, const struct evidence *e, uint32_t comm)
{
    const char *name = comm < e->comm_names.n ? e->comm_names.at[comm] : NULL;
    add(text, "%s", name ? name : "another communicator");
}

static const char *operation_name(const struct evidence *e, uint32_t operation)
{
    return operation < e->operations.n ? e->operations.at[operation].name : "MPI";
}

static void add_where(char *text, struct evidence *e, uint32_t site)
{
    const char *where = evidence_site(e, site);
    add(text, "%s%s", *where ? " " : "", where);
}

/* "MPI_Allreduce number 1,207 of MPI_COMM_WORLD, root 0" */
static void add_collective(char *text, const struct evidence *e, const struct awaited *a)
{
    char number[32];
    add(text, "%s ", operation_name(e, a->name));
    if (a->sequence != JUDGE_NO_NUMBER)
        add(text, "number %s ", format_count(number, (uint64_t)a->sequence + 1));
    add(text, "of ");
    add_comm(text, e, a->comm);
    if (a->root >= 0)
        add(text, " with root rank %d", a->root);
}

/* " from rank 1 (tag 4, MPI_COMM_WORLD)"; not NAMED: for several, each with a peer of its own. */
static void add_message(char *text, const struct evidence *e, const struct awaited *a, bool named)
{
    add(text, a->what == AWAIT_SEND ? " to " : " from ");
    if (a->peer >= 0 && !named)
        add(text, "another rank each");
    else if (a->peer >= 0)
        add(text, "rank %d", a->peer);
    else
        add(text, a->peer == AWAIT_ANY ? "any rank" : "an unknown rank");
    if (a->tag >= 0)
        add(text, " (tag %d, ", a->tag);
    else
        add(text, " (any tag, ");
    add_comm(text, e, a->comm);
    add(text, ")");
}

/* What one thing that is waited for is, where the call that waits is another. */
static void add_request(char *text, struct evidence *e, const struct awaited *a, bool named)
{
    if (a->what == AWAIT_COLLECTIVE) {
        add_collective(text, e, a);
    } else {
        add(text, "%s", operation_name(e, a->name));
        if (a->what != AWAIT_OTHER)
            add_message(text, e, a, named);
    }
    if (*evidence_site(e, a->site))
        add(text, ", posted%s%s", *evidence_site(e, a->site) ? " " : "", evidence_site(e, a->site));
}

/* What to name of C's parts: FIRST, if it is one of them. */
static const struct awaited *part_of(const struct evidence *e, const struct open_call *c,
                                     const struct awaited *first)
{
    for (size_t i = 0; i < c->n; i++)
        if (&e->s->awaited.at[c->part[i]] == first)
            return first;
    return c->n ? &e->s->awaited.at[c->part[0]] : NULL;
}

static void add_call(char *text, struct evidence *e, const struct open_call *c,
                     const struct awaited *a, bool named)
{
    add(text, "in ");
    if (a && !a->posted && a->what == AWAIT_COLLECTIVE)
        add_collective(text, e, a);
    else
        add(text, "%s", operation_name(e, c->name));
    if (a && !a->posted && (a->what == AWAIT_SEND || a->what == AWAIT_RECEIVE))
        add_message(text, e, a, named);
    if (*evidence_site(e, c->site))
        add(text, ",");
    add_where(text, e, c->site);
    if (a && a->posted) {
        add(text, ", for ");
        add_request(text, e, a, named);
        if (c->n > 1)
            add(text, ", %s %zu more request%s", c->any ? "or one of" : "and", c->n - 1,
                c->n == 2 ? "" : "s");
    }
}

/* --- one rank --- */

static void add_end(char *text, const struct evidence_rank *r)
{
    switch (r->state) {
    case LEDGER_EXITED:
        add(text, "has exited without MPI_Finalize");
        break;
    case LEDGER_ABORTED:
        add(text, "has called MPI_Abort with error code %d", r->state_detail);
        break;
    case LEDGER_SIGNALLED:
    case LEDGER_HANDLED:
        add(text, "was ended by signal %d (%s)", r->state_detail, strsignal(r->state_detail));
        break;
    default:
        add(text, "is gone without a last word (killed, by SIGKILL for example)");
    }
}

static void add_outside(char *text, struct evidence *e, int32_t rank, bool timed)
{
    static const char *const doing[] = {[RANK_RUNNING] = "computing",
                                        [RANK_SLEEPING] = "sleeping",
                                        [RANK_SYSTEM_CALL] = "in a system call (files, usually)"};
    const struct evidence_rank *r = &e->ranks.at[rank];
    enum rank_state state = e->s->state[rank];
    add(text, "%s", r->alive && state <= RANK_SYSTEM_CALL ? doing[state] : "outside of MPI");
    if (timed && r->seconds >= 0) {
        add(text, " for ");
        add_time(text, r->seconds);
        add(text, ",");
    }
    if (r->operation != UINT32_MAX) {
        add(text, " since %s", operation_name(e, r->operation));
        add_where(text, e, r->site);
    }
}

/* What RANK is in. Not NAMED: without what differs among ranks of one group. */
static void describe(char *text, struct evidence *e, const struct verdict *v, int32_t rank,
                     bool named)
{
    const struct evidence_rank *r = &e->ranks.at[rank];
    const struct open_call *c = situation_find(e->s, rank);
    const struct awaited *a = c ? part_of(e, c, v->first) : NULL;
    *text = '\0';
    switch (e->s->state[rank]) {
    case RANK_UNSEEN:
        add(text, "no record");
        return;
    case RANK_FINISHED:
        add(text, "in or after MPI_Finalize");
        return;
    case RANK_GONE:
        add_end(text, r);
        add(text, ", ");
        break;
    case RANK_STOPPED:
        add(text, "stopped, ");
        break;
    default:
        break;
    }
    if (c && c->polls && r->outside) {
        add(text, "polling with %s", operation_name(e, c->name));
        add_where(text, e, c->site);
        if (a) {
            add(text, ", for ");
            add_request(text, e, a, named);
        }
    } else if (c) {
        add_call(text, e, c, a, named);
    } else {
        add_outside(text, e, rank, false);
    }
}

/* --- the sentence --- */

static double longest(const struct evidence *e, const int32_t *rank, size_t n)
{
    double seconds = -1;
    for (size_t i = 0; i < n; i++) {
        const struct open_call *c = situation_find(e->s, rank[i]);
        if (c && c->seconds >= 0 && (seconds < 0 || c->seconds < seconds))
            seconds = c->seconds;
    }
    return seconds;
}

static void add_others(char *text, const struct evidence *e, const struct verdict *v)
{
    size_t others = v->n_waiting;
    bool all = others + v->n == (size_t)e->size;
    if (others == 1)
        add(text, "; %s rank waits for %s", all ? "the other" : "one other",
            v->n == 1 ? "it" : "them");
    else if (others)
        add(text, "; %s%zu%s ranks wait for %s", all ? "the other " : "", others,
            all ? "" : " other", v->n == 1 ? "it" : "them");
}

static void add_cycle(char *text, const struct evidence *e, const struct verdict *v)
{
    const struct awaited *a = v->first;
    add_ranks(text, v->core, v->n);
    add(text, v->n == 2 ? " wait for each other in %s" : " wait in a circle in %s",
        a ? operation_name(e, a->name) : "MPI");
    add(text, a && a->what == AWAIT_SEND ? ", and none of them receives"
                                         : ", and none of them has sent what is awaited");
}

static void add_unmatched(char *text, struct evidence *e, const struct verdict *v)
{
    const struct awaited *a = v->first;
    const bool send = a->what == AWAIT_SEND;
    const struct open_call *c = situation_find(e->s, a->rank);
    add(text, "rank %d waits in %s", a->rank, operation_name(e, c ? c->name : a->name));
    add_where(text, e, c ? c->site : a->site);
    add(text, send ? " to send a message" : " for a message");
    add_message(text, e, a, true);
    if (a->peer == a->rank)
        add(text, ", which is itself");
    else if (a->peer >= 0 && e->s->state[a->peer] == RANK_FINISHED)
        add(text, ", which is in or after MPI_Finalize");
    else if (a->peer >= 0)
        add(text, send ? ", which does not receive it" : ", which has not sent it");
    else
        add(text, send ? ", and none receives it" : ", and none has sent one");
    if (v->near) {
        char count[32];
        uint64_t n = v->near->sent - v->near->received;
        add(text, "; %s message%s from rank %d with tag %d on ", format_count(count, n),
            n == 1 ? "" : "s", v->near->from, v->near->tag);
        if (v->near->comm == a->comm)
            add(text, "the same communicator");
        else
            add_comm(text, e, v->near->comm);
        add(text, n == 1 ? " is received by no call" : " are received by no call");
    } else if (v->second) {
        add(text, "; that rank sends it a message with tag %d on ", v->second->tag);
        if (v->second->comm == a->comm)
            add(text, "the same communicator");
        else
            add_comm(text, e, v->second->comm);
        add_where(text, e, v->second->site);
    }
}

static void add_one(char *text, struct evidence *e, const struct awaited *a)
{
    char bytes[32];
    add(text, "rank %d in ", a->rank);
    add_collective(text, e, a);
    if (a->bytes != JUDGE_UNKNOWN_BYTES)
        add(text, ", %s,", format_bytes(bytes, (double)a->bytes));
    add_where(text, e, a->site);
}

static void add_disagreement(char *text, struct evidence *e, const struct verdict *v,
                             const char *what)
{
    add(text, "%s: ", what);
    add_one(text, e, v->first);
    if (v->second) {
        add(text, ", but ");
        add_one(text, e, v->second);
    }
}

static void add_missing(char *text, struct evidence *e, const struct verdict *v)
{
    const int32_t rank = v->core[0];
    const struct open_call *c = situation_find(e->s, rank);
    if (e->s->state[rank] == RANK_FINISHED) {
        add(text, "rank %d is in or after MPI_Finalize and has not entered ", rank);
        add_collective(text, e, v->first);
        add_where(text, e, v->first->site);
    } else if (e->s->state[rank] == RANK_UNSEEN) {
        add(text, "what is awaited is rank %d, of which there is no record", rank);
    } else {
        add(text, "what is awaited is rank %d, which is in %s", rank,
            operation_name(e, c ? c->name : 0));
        add_where(text, e, c ? c->site : UINT32_MAX);
        add(text, "; what that waits for is unknown");
    }
}

static void add_polling(char *text, struct evidence *e, const struct verdict *v)
{
    int32_t *rank = memory_alloc((v->n + 1) * sizeof *rank);
    const struct open_call *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct open_call *c = situation_find(e->s, v->core[i]);
        if (c && c->polls) {
            first = first ? first : c;
            rank[n++] = c->rank;
        }
    }
    add_ranks(text, rank, n);
    free(rank);
    add(text, n == 1 ? " polls" : " poll");
    if (!first)
        return;
    add(text, " with %s", operation_name(e, first->name));
    add_where(text, e, first->site);
    if (first->n && n == 1) {
        add(text, " for ");
        add_request(text, e, &e->s->awaited.at[first->part[0]], true);
    }
    if (first->seconds >= 0) {
        add(text, ", and nothing has completed for ");
        add_time(text, first->seconds);
    }
}

static char *sentence_of(struct evidence *e, const struct verdict *v)
{
    char text[ROOM] = "";
    const bool stuck = v->kind >= VERDICT_MISMATCH && v->kind <= VERDICT_MISSING;
    double seconds = longest(e, v->core, v->n);
    if (!e->live)
        add(text, "when the run ended, ");
    else if (stuck && seconds >= 0) {
        add(text, "nothing has moved there for ");
        add_time(text, seconds);
        add(text, ": ");
    }
    if (stuck && v->proven && v->n == (size_t)e->size)
        add(text, "a deadlock of all ranks: ");
    else if (stuck && v->proven && v->n > 1)
        add(text, "a deadlock of %zu of %d ranks: ", v->n, e->size);
    else if (stuck && v->proven)
        add(text, "a deadlock: ");
    switch (v->kind) {
    case VERDICT_GONE:
        add_ranks(text, v->core, v->n);
        add(text, " ");
        add_end(text, &e->ranks.at[v->core[0]]);
        break;
    case VERDICT_STOPPED:
        add_ranks(text, v->core, v->n);
        add(text, v->n == 1 ? " is stopped (SIGSTOP, or a debugger)"
                            : " are stopped (SIGSTOP, or a debugger)");
        break;
    case VERDICT_MISMATCH:
        add_disagreement(text, e, v, "members of a communicator disagree about a collective");
        break;
    case VERDICT_UNMATCHED:
        add_unmatched(text, e, v);
        break;
    case VERDICT_CROSSED:
        add_disagreement(text, e, v, "collectives of two communicators in crossed order");
        break;
    case VERDICT_CYCLE:
        add_cycle(text, e, v);
        break;
    case VERDICT_MISSING:
        add_missing(text, e, v);
        break;
    case VERDICT_COMPUTES:
        add(text, e->live ? "rank %d has been " : "rank %d was ", v->core[0]);
        add_outside(text, e, v->core[0], true);
        break;
    case VERDICT_POLLING:
        add_polling(text, e, v);
        break;
    case VERDICT_UNKNOWN:
        add(text, "the cause is unknown: ");
        add_ranks(text, v->core, v->n);
        add(text, v->n == 1 ? " has been in its call for " : " have been in their calls for ");
        add_time(text, seconds);
        add(text, " and more, and nothing is known to lack");
        break;
    default:
        if (!e->live) {
            add(text, "no rank is known to wait for what cannot come");
            break;
        }
        add(text, "moving: no rank waits for one that has not moved for ");
        add_time(text, e->s->settled);
    }
    add_others(text, e, v);
    return memory_strdup(text);
}

/* --- the groups --- */

static bool is_core(const struct verdict *v, int32_t rank)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->core[i] == rank)
            return true;
    return false;
}

static int by_fault(const void *a, const void *b)
{
    const struct verdict_group *x = a, *y = b;
    return ORDER(y->at_fault, x->at_fault) ?: ORDER(y->n, x->n) ?: ORDER(x->rank[0], y->rank[0]);
}

/* TEXT, if all of its group have that; otherwise ALIKE, by which ranks are grouped. */
static void add_to_group(struct account *a, int32_t rank, const char *text, const char *alike,
                         bool core)
{
    struct verdict_group *g = NULL;
    for (size_t i = 0; i < a->groups.n && !g; i++)
        if (a->groups.at[i].at_fault == core && !strcmp(a->groups.at[i].alike, alike))
            g = &a->groups.at[i];
    if (!g) {
        g = PUSH(&a->groups);
        g->text = memory_strdup(text);
        g->alike = memory_strdup(alike);
        g->at_fault = core;
    }
    if (strcmp(g->text, text) != 0) {
        free(g->text);
        g->text = memory_strdup(alike);
    }
    int32_t *more = realloc(g->rank, (g->n + 1) * sizeof *more);
    if (!more)
        memory_out();
    g->rank = more;
    g->rank[g->n++] = rank;
}

struct account *account_of(struct evidence *e, const struct verdict *v)
{
    struct account *a = memory_alloc(sizeof *a);
    char text[ROOM], alike[ROOM];
    a->sentence = sentence_of(e, v);
    for (int32_t r = 0; r < e->size; r++) {
        describe(text, e, v, r, true);
        describe(alike, e, v, r, false);
        add_to_group(a, r, text, alike, is_core(v, r));
    }
    qsort(a->groups.at, a->groups.n, sizeof *a->groups.at, by_fault);
    for (size_t i = 0; i < e->remarks.n; i++)
        *PUSH(&a->notes) = memory_strdup(e->remarks.at[i]);
    size_t elsewhere = 0;
    for (size_t i = 0; i < e->ranks.n; i++)
        elsewhere += e->ranks.at[i].other_host && e->ranks.at[i].state == LEDGER_RUNNING;
    if (elsewhere) {
        snprintf(text, sizeof text,
                 "%zu ranks are on other hosts: their records may be older than they are, and "
                 "whether they run is unknown",
                 elsewhere);
        *PUSH(&a->notes) = memory_strdup(text);
    }
    return a;
}

void account_free(struct account *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->groups.n; i++) {
        free(a->groups.at[i].rank);
        free(a->groups.at[i].text);
        free(a->groups.at[i].alike);
    }
    for (size_t i = 0; i < a->notes.n; i++)
        free(a->notes.at[i]);
    free(a->sentence);
    free(a->groups.at);
    free(a->notes.at);
    free(a);
}

void account_write(const struct account *a, FILE *out, const char *mark, size_t width)
{
    enum { GROUPS = 12 };
    char line[2 * ROOM], ranks[ROOM];
    text_paragraph_write(out, mark, a->sentence, width);
    for (size_t i = 0; i < a->groups.n && i < GROUPS; i++) {
        const struct verdict_group *g = &a->groups.at[i];
        *ranks = '\0';
        add_ranks(ranks, g->rank, g->n);
        snprintf(line, sizeof line, "%s: %s", ranks, g->text);
        text_paragraph_write(out, g->at_fault ? "* " : "  ", line, width);
    }
    if (a->groups.n > GROUPS) {
        snprintf(line, sizeof line, "%zu more groups", a->groups.n - GROUPS);
        text_paragraph_write(out, "  ", line, width);
    }
    for (size_t i = 0; i < a->notes.n; i++)
        text_paragraph_write(out, "! ", a->notes.at[i], width);
}

static json_t *ranks_json(const int32_t *rank, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_integer(rank[i]));
    return list;
}

json_t *account_json(const struct account *a, const struct verdict *v)
{
    json_t *groups = json_array(), *notes = json_array();
    for (size_t i = 0; i < a->groups.n; i++) {
        const struct verdict_group *g = &a->groups.at[i];
        json_array_append_new(groups,
                              json_pack("{s:o, s:b, s:s}", "ranks", ranks_json(g->rank, g->n),
                                        "at_fault", g->at_fault, "text", g->text));
    }
    for (size_t i = 0; i < a->notes.n; i++)
        json_array_append_new(notes, json_string(a->notes.at[i]));
    return json_pack("{s:s, s:b, s:s, s:o, s:o, s:o}", "kind", verdict_names[v->kind], "proven",
                     v->proven, "text", a->sentence, "ranks", ranks_json(v->core, v->n), "groups",
                     groups, "notes", notes);
}
