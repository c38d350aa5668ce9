#include "verdict/ended.h"

#include "base/array.h"
#include "base/format.h"
#include "base/text.h"
#include "verdict/judge.h"

#include <stdlib.h>

static struct awaited awaited_of(const struct profile *p, const struct profile_event *e)
{
    bool two_groups = e->comm != PROFILE_NONE && p->comms.at[e->comm].flags & LEDGER_COMM_INTER;
    struct awaited a =
        awaited_collective(p->operations.at[e->operation].name, two_groups, e->root, e->bytes);
    a.rank = (int32_t)e->rank;
    return a;
}

/* "rank 2 in MPI_Bcast with root 1, 8 B, at x.c:12 main" */
static int add_member(const struct profile *p, const struct profile_event *e,
                      const struct awaited *a, char *text, size_t room)
{
    const struct profile_site *site = e->site == PROFILE_NONE ? NULL : &p->sites.at[e->site];
    const struct profile_frame *f = site && site->depth ? &site->frame[0] : NULL;
    char root[40] = "", bytes[40] = "", where[200] = "", size[32];
    if (a->root >= 0)
        snprintf(root, sizeof root, " with root %d", a->root);
    if (a->bytes != JUDGE_UNKNOWN_BYTES)
        snprintf(bytes, sizeof bytes, ", %s", format_bytes(size, (double)a->bytes));
    if (f && f->file)
        snprintf(where, sizeof where, ", at %.80s:%u %.80s", text_base_of(f->file), f->line,
                 f->function ? f->function : "");
    else if (f && f->function)
        snprintf(where, sizeof where, ", at %.80s+0x%llx", f->function,
                 (unsigned long long)f->offset);
    return snprintf(text, room, "rank %u in %.40s%s%s%s", e->rank,
                    p->operations.at[e->operation].name, root, bytes, where);
}

/* Once for each pair of lines, with the sizes of the first time. */
static void add_mismatch(struct profile *p, const struct profile_event *a,
                         const struct profile_event *b)
{
    struct awaited one = awaited_of(p, a), other = awaited_of(p, b);
    char text[1000];
    int n = snprintf(text, sizeof text, "members of a communicator disagree about a collective: ");
    n += add_member(p, a, &one, text + n, sizeof text - (size_t)n);
    n += snprintf(text + n, sizeof text - (size_t)n, ", but ");
    add_member(p, b, &other, text + n, sizeof text - (size_t)n);
    profile_add_finding(p, "verdict",
                        json_pack("{s:s, s:s, s:[i, i]}", "kind", verdict_names[VERDICT_MISMATCH],
                                  "text", text, "ranks", one.rank, other.rank));
}

struct site_pair {
    uint32_t one, other;
};

void verdict_of_ended(struct profile *p)
{
    ARRAY(struct site_pair) named = {0};
    for (size_t i = 0, next; i < p->events.n; i = next) {
        const struct profile_event *first = &p->events.at[i];
        const struct awaited a = awaited_of(p, first);
        next = events_next(p, i);
        for (size_t k = i + 1; k < next; k++) {
            const struct profile_event *e = &p->events.at[k];
            const struct awaited b = awaited_of(p, e);
            bool known = awaited_agree(&a, &b);
            for (size_t n = 0; n < named.n && !known; n++)
                known = named.at[n].one == first->site && named.at[n].other == e->site;
            if (known)
                continue;
            *PUSH(&named) = (struct site_pair){first->site, e->site};
            add_mismatch(p, first, e);
        }
    }
    free(named.at);
}
