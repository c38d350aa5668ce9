#include "verdict/ended.h"

#include "verdict/text.h"

#include <stdlib.h>

static struct awaited awaited_of(const struct profile *p, const struct profile_event *e)
{
    bool two_groups = e->comm != PROFILE_NONE && p->comms.at[e->comm].flags & LEDGER_COMM_INTER;
    struct awaited a =
        awaited_collective(p->operations.at[e->operation].name, two_groups, e->root, e->bytes);
    a.rank = (int32_t)e->rank;
    a.comm = e->comm;
    a.sequence = e->sequence;
    a.name = e->operation;
    a.site = e->site;
    return a;
}

static void add_mismatch(struct profile *p, const struct awaited *a, const struct awaited *b)
{
    char text[VERDICT_TEXT] = "members of a communicator disagree about a collective: ";
    verdict_text_pair(text, p, a, b);
    profile_add_finding(p, "verdict",
                        json_pack("{s:s, s:s, s:[i, i]}", "kind", verdict_names[VERDICT_MISMATCH],
                                  "text", text, "ranks", a->rank, b->rank));
}

void verdict_of_ended(struct profile *p)
{
    ARRAY(struct awaited) named = {0}; /* pairs: each pair of call sites is reported once */
    for (size_t i = 0, next; i < p->events.n; i = next) {
        const struct awaited a = awaited_of(p, &p->events.at[i]);
        next = events_next(p, i);
        for (size_t k = i + 1; k < next; k++) {
            const struct awaited b = awaited_of(p, &p->events.at[k]);
            bool known = awaited_agree(&a, &b);
            for (size_t n = 0; n < named.n && !known; n += 2)
                known = named.at[n].site == a.site && named.at[n + 1].site == b.site;
            if (known)
                continue;
            *PUSH(&named) = a;
            *PUSH(&named) = b;
            add_mismatch(p, &a, &b);
        }
    }
    free(named.at);
}
