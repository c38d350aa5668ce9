
#include "base/format.h"
#include "base/text.h"
#include "base/try.h"
#include "verdict/text.h"

#include <string.h>

enum { LINES = 8 }; /* largest number of findings about messages and requests */

/* Adds a finding on two ranks: the text PROBLEM, then the calls A and B (NULL: none). */
static void add_finding(struct profile *p, enum verdict_kind kind, int32_t one, int32_t other,
                        const struct awaited *a, const struct awaited *b, const char *problem)
{
    char text[VERDICT_TEXT];
    text_copy(text, sizeof text, problem);
    verdict_text_pair(text, p, a, b);
    const char *next = kind != VERDICT_UNMATCHED ? "let the calls of all ranks agree"
                       : strstr(problem, "request")
                           ? "complete each request, by MPI_Wait or MPI_Test"
                           : "receive each message, or do not send it";
    profile_add_finding(p, "verdict",
                        json_pack("{s:s, s:s, s:[i, i], s:s}", "kind", verdict_rules[kind].name,
                                  "text", text, "ranks", one, other, "next", next));
}

static struct awaited awaited_of(const struct profile *p, const struct profile_instance *e)
{
    bool two_groups = e->comm != PROFILE_NONE && p->comms.at[e->comm].flags & LEDGER_COMM_INTER;
    struct awaited a =
        awaited_collective(p->operations.at[e->operation].name, two_groups, e->root, e->bytes);
    a.rank = (int32_t)e->rank;
    a.comm = e->comm;
    a.sequence = e->sequence;
    a.signature = two_groups ? 0 : e->signature;
    a.name = e->operation;
    a.site = e->site;
    return a;
}

/* --- members that disagree --- */

/* Adds a finding for each call site at which a member disagrees with another. */
static void add_mismatches(struct profile *p)
{
    FREED bool *done = memory_alloc(p->sites.n + 1);
    for (size_t i = 0, next; i < p->instances.n; i = next) {
        struct awaited a = awaited_of(p, &p->instances.at[i]);
        const size_t site = a.site < p->sites.n ? a.site : p->sites.n;
        next = instances_next(p, i);
        for (size_t k = i + 1; k < next && !done[site]; k++) {
            struct awaited b = awaited_of(p, &p->instances.at[k]);
            done[site] = !awaited_agree(&a, &b);
            if (a.signature == b.signature && done[site])
                a.signature = b.signature = 0;
            if (done[site])
                add_finding(p, VERDICT_MISMATCH, a.rank, b.rank, &a, &b,
                            verdict_rules[VERDICT_MISMATCH].problem);
        }
    }
}

/* --- collectives that a member has not called --- */

/* Reports a member of COMM that has called fewer collectives than another, and the other's next
 * call. Only if the layer saw COMM's creation: otherwise members may count differently. */
static void add_missing(struct profile *p, uint32_t comm)
{
    const struct profile_comm *c = &p->comms.at[comm];
    const uint32_t ranks = 0xffffff, most = ranks - (c->most & ranks), least = c->least & ranks;
    const uint64_t n = c->least >> 24;
    const struct profile_instance *e = NULL;
    char problem[VERDICT_TEXT];
    if (c->most >> 24 <= n || c->created != 1 ||
        (c->site == PROFILE_NONE && !(c->flags & LEDGER_COMM_WORLD)))
        return;
    for (size_t i = 0; i < p->instances.n && !e; i++)
        if (p->instances.at[i].comm == comm && p->instances.at[i].rank == most &&
            p->instances.at[i].sequence == n)
            e = &p->instances.at[i];
    const struct awaited a = e ? awaited_of(p, e) : (struct awaited){0};
    snprintf(problem, sizeof problem,
             "rank %u has called %s collective%s of %s, but rank %u has called %s%s", least,
             AS_COUNT(n), n == 1 ? "" : "s", comm_is_named(c) ? c->name : "a communicator", most,
             AS_COUNT(c->most >> 24), e ? ": " : " (the next one was not recorded)");
    add_finding(p, VERDICT_MISSING, (int32_t)least, (int32_t)most, e ? &a : NULL, NULL, problem);
}

/* --- messages and requests --- */

static bool is_request(const struct profile_balance *b)
{
    return b->operation != PROFILE_NONE;
}

/* Whether requests B were posted from a C or C++ file: the wrappers see completions of these
 * requests, but not of those posted through mpi_f08. */
static bool is_of_c(const struct profile *p, const struct profile_balance *b)
{
    const struct profile_site *s = b->site < p->sites.n ? &p->sites.at[b->site] : NULL;
    const char *file = s && s->depth ? s->frame[0].file : NULL,
               *end = file ? strrchr(file, '.') : NULL;
    return end && text_has_word(".c .cc .cpp .cxx .c++ .cu .hip .m .mm", end);
}

/* Whether all ranks have finished and every call was recorded: no MPI_Cancel; no channel with more
 * receives than sends; if requests were posted, some completion calls (not seen with mpi_f08). */
static bool is_all_known(const struct profile *p)
{
    bool known = p->size > 0 && p->ranks.n == (size_t)p->size && !p->unbalanced, completes = false;
    for (EACH(const struct profile_rank, r, p->ranks))
        known = known && r->state == LEDGER_FINALIZED && !r->untracked_requests &&
                !r->failed_collectives && !r->started_late && !r->messages_lost;
    for (size_t i = 0; i < p->entries.n; i++) {
        const struct profile_operation *o = &p->operations.at[p->entries.at[i].operation];
        completes = completes || o->family == FAMILY_COMPLETION;
        known = known && strcmp(o->name, "MPI_Cancel") != 0;
    }
    for (EACH(const struct profile_balance, b, p->balances))
        known =
            known && (is_request(b) ? completes || is_of_c(p, b)
                                    : b->received <= b->sent && b->tag >= 0 &&
                                          b->from < (uint32_t)p->size && b->to < (uint32_t)p->size);
    return known;
}

/* The number of row B's requests that were not completed, or messages that were not received.
 * Messages that may match a posted but never completed receive are not counted. */
static uint64_t open_of(const struct profile *p, const struct profile_balance *b)
{
    uint64_t n = b->sent - b->received;
    for (size_t i = 0; i < p->balances.n && n && !is_request(b); i++) {
        const struct profile_balance *r = &p->balances.at[i];
        if (is_request(r) && r->comm_id == b->comm_id && r->from == b->to &&
            (r->tag < 0 || r->tag == b->tag) && strstr(p->operations.at[r->operation].name, "ecv"))
            n -= r->sent < n ? r->sent : n;
    }
    return n;
}

/* The call that posted the requests of row B, or that sent the first message of row B. */
static struct awaited call_of(const struct profile *p, const struct profile_balance *b)
{
    struct awaited a = {.what = AWAIT_SEND,
                        .rank = (int32_t)b->from,
                        .comm = b->comm,
                        .peer = (int32_t)b->to,
                        .tag = b->tag,
                        .name = b->operation,
                        .site = is_request(b) ? b->site : b->sender};
    const bool world = b->comm != PROFILE_NONE && p->comms.at[b->comm].flags & LEDGER_COMM_WORLD;
    for (size_t i = 0; i < p->peers.n && !is_request(b); i++) {
        const struct profile_peer *m = &p->peers.at[i];
        if (m->rank == b->from && m->peer == b->to && !m->received && m->site == b->sender)
            a.name = m->operation;
    }
    if (!is_request(b))
        return a;
    if (!world || a.peer < 0) /* b->to is a rank of the communicator, not of MPI_COMM_WORLD */
        a.what = AWAIT_OTHER;
    else if (strstr(p->operations.at[b->operation].name, "ecv"))
        a.what = AWAIT_RECEIVE;
    return a;
}

static bool is_of_same_call(const struct profile_balance *a, const struct profile_balance *b)
{
    return a->comm == b->comm && a->operation == b->operation && a->site == b->site &&
           a->sender == b->sender;
}

/* Adds a finding for each call site and communicator with open requests or unreceived messages. */
static void add_unmatched(struct profile *p)
{
    FREED bool *done = memory_alloc(p->balances.n + 1);
    char problem[VERDICT_TEXT];
    for (size_t i = 0, lines = 0; i < p->balances.n && lines < LINES; i++) {
        const struct profile_balance *b = &p->balances.at[i];
        const bool request = is_request(b);
        const struct awaited a = call_of(p, b);
        uint64_t n = 0, others = 0;
        if (done[i] || !open_of(p, b))
            continue;
        for (size_t k = i; k < p->balances.n; k++)
            if (is_of_same_call(b, &p->balances.at[k])) {
                done[k] = true;
                n += open_of(p, &p->balances.at[k]);
                others += p->balances.at[k].from != b->from ? open_of(p, &p->balances.at[k]) : 0;
            }
        snprintf(problem, sizeof problem, "%s %s%s never %s%s%s%s: ", AS_COUNT(n),
                 request ? "request" : "message", n == 1 ? " was" : "s were",
                 request ? "completed" : "received", others ? ", " : "",
                 others ? AS_COUNT(others) : "", others ? " of them of other ranks" : "");
        add_finding(p, VERDICT_UNMATCHED, a.rank, a.rank, &a, NULL, problem);
        lines++;
    }
}

/* Adds a finding for each call site whose messages were received with another datatype. */
static void add_wrong_types(struct profile *p)
{
    FREED bool *done = memory_alloc(p->sites.n + 1);
    for (EACH(const struct profile_balance, b, p->balances)) {
        const uint32_t wrong = profile_wrong_types(b), sent = (uint32_t)b->types;
        const size_t site = b->sender < p->sites.n ? b->sender : p->sites.n;
        if (!wrong || done[site])
            continue;
        done[site] = true;
        struct awaited a = call_of(p, b);
        a.signature = sent & (sent - 1) ? 0 : ledger_type_of(sent); /* 0: several types */
        const struct awaited received = {.what = AWAIT_RECEIVE,
                                         .rank = (int32_t)b->to,
                                         .name = PROFILE_NONE,
                                         .signature = ledger_type_of(wrong)};
        add_finding(p, VERDICT_MISMATCH, a.rank, received.rank, &a, &received,
                    "a message was sent with one datatype and received with another: ");
    }
}

void verdict_of_ended(struct profile *p)
{
    const size_t before = p->findings.n;
    add_mismatches(p);
    if (!is_all_known(p))
        return;
    /* After a member's extra collective, its next calls mismatch, and its number of calls differs,
     * too. The mismatch says more, so numbers of calls are compared only if no calls mismatch. */
    for (uint32_t i = 0; i < p->comms.n && p->findings.n == before; i++)
        add_missing(p, i);
    add_unmatched(p);
    add_wrong_types(p);
}
