/* Members of one collective that do not mean the same: another operation, root or number of bytes.
 * MPI need not find that, and may stand still. */
#include "base/array.h"
#include "base/format.h"
#include "profile/model.h"

#include <string.h>
#include <strings.h>

/* "rank 2 in MPI_Bcast at x.c:12 main (root 1)" */
static void member(const struct profile *p, const struct profile_event *e, char *text, size_t room)
{
    int n = snprintf(text, room, "rank %u in ", e->rank);
    n += place_of_call(p, e->operation, e->site, text + n, room - (size_t)n);
    if (e->root >= 0)
        snprintf(text + n, room - (size_t)n, " (root %d)", e->root);
}

/* A large-count function is the plain one. */
static size_t plain_length(const char *name)
{
    size_t n = strlen(name);
    return n - (n > 2 && !strcmp(name + n - 2, "_c") ? 2 : 0);
}

static bool same_operation(const char *a, const char *b)
{
    return plain_length(a) == plain_length(b) && !memcmp(a, b, plain_length(a));
}

/* Of these MPI wants as much of every member, and each says how much that is. */
static bool has_one_size(const char *name)
{
    static const char *const list[] = {"bcast",    "reduce",   "allreduce",
                                       "scan",     "exscan",   "reduce_scatter_block",
                                       "alltoall", "allgather"};
    size_t prefix = !strncmp(name, "MPI_I", 5) ? 5 : 4, n = plain_length(name);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (n == prefix + strlen(list[i]) && !strncasecmp(name + prefix, list[i], n - prefix))
            return true;
    return false;
}

static bool same_size(const struct profile *p, const struct profile_event *a,
                      const struct profile_event *b)
{
    return a->bytes == b->bytes || a->bytes == LEDGER_UNKNOWN_BYTES ||
           b->bytes == LEDGER_UNKNOWN_BYTES || !has_one_size(p->operations.at[a->operation].name);
}

/* Between two groups the members of one name the root by MPI_ROOT, and what they send may differ.
 */
static bool has_two_groups(const struct profile *p, const struct profile_event *e)
{
    return e->comm != PROFILE_NONE && p->comms.at[e->comm].flags & LEDGER_COMM_INTER;
}

/* Once for each pair of lines, with the sizes of the first time. */
static void name(struct profile *p, const char *what, bool by_size, const struct profile_event *a,
                 const struct profile_event *b)
{
    char one[300], other[300], text[800], sizes[2][32];
    member(p, a, one, sizeof one);
    member(p, b, other, sizeof other);
    int n = snprintf(text, sizeof text, "%s: %s, and %s", what, one, other);
    for (size_t i = 0; i < p->warnings.n; i++)
        if (!strncmp(p->warnings.at[i], text, (size_t)n))
            return;
    if (by_size)
        snprintf(text + n, sizeof text - (size_t)n, ": %s and %s",
                 format_bytes(sizes[0], (double)a->bytes),
                 format_bytes(sizes[1], (double)b->bytes));
    profile_warn(p, "%s", text);
}

/* True if A and B, of the same collective, do not fit, which is then said. */
static bool compare(struct profile *p, const struct profile_event *a, const struct profile_event *b,
                    bool both_stand)
{
    bool meet =
        same_operation(p->operations.at[a->operation].name, p->operations.at[b->operation].name) &&
        (a->root == b->root || has_two_groups(p, a));
    if (meet && (same_size(p, a, b) || has_two_groups(p, a)))
        return false;
    name(p,
         both_stand && !meet ? "these wait for each other in vain"
                             : "ranks disagree about a collective operation",
         meet, a, b);
    return true;
}

static int order(const struct profile_event *a, const struct profile_event *b)
{
    return ORDER(a->comm_id, b->comm_id) ?: ORDER(a->sequence, b->sequence);
}

static struct profile_event as_event(const struct profile_stand *s)
{
    return (struct profile_event){.comm_id = s->comm_id,
                                  .sequence = s->sequence,
                                  .rank = (uint32_t)s->rank,
                                  .operation = s->operation,
                                  .site = s->site,
                                  .comm = s->comm,
                                  .root = s->root,
                                  .bytes = s->bytes};
}

/* Both are in order: who stands in a call is compared with who stands there, too, and with who has
 * left it. */
void misfits_judge(struct profile *p)
{
    const struct profile_event *e = p->events.at;
    for (size_t i = 1, first = 0; i < p->events.n; i++) {
        if (order(&e[first], &e[i]))
            first = i;
        else if (compare(p, &e[first], &e[i], false))
            while (i + 1 < p->events.n && !order(&e[first], &e[i + 1]))
                i++;
    }
    struct profile_event before = {0};
    for (size_t i = 0, k = 0; i < p->stands.n; i++) {
        struct profile_event now = as_event(&p->stands.at[i]);
        if (!p->stands.at[i].collective || !now.comm_id)
            continue;
        while (k < p->events.n && order(&e[k], &now) < 0)
            k++;
        if (!order(&before, &now))
            compare(p, &before, &now, true);
        else if (k < p->events.n && !order(&e[k], &now))
            compare(p, &e[k], &now, false);
        before = now;
    }
}
