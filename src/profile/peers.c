/* The communication matrix: who exchanged how much with whom, and where in the program. Sparse, and
 * bounded by giving up the places first and the lightest pairs then. */
#include "profile/model.h"

#include "base/array.h"
#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
    const struct profile_peer *x = a, *y = b;
    return ORDER(x->rank, y->rank) ?: ORDER(x->peer, y->peer) ?: ORDER(x->received, y->received)
        ?: ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation);
}

static int heaviest_first(const void *a, const void *b)
{
    const struct profile_peer *x = a, *y = b;
    return ORDER(y->bytes, x->bytes) ?: by_place(a, b);
}

/* Rows of one key become one. */
void peers_sort(struct profile *p)
{
    size_t kept = 0;
    if (p->peers.n)
        qsort(p->peers.at, p->peers.n, sizeof *p->peers.at, by_place);
    for (size_t i = 0; i < p->peers.n; i++) {
        struct profile_peer *to = &p->peers.at[kept ? kept - 1 : 0];
        if (kept && !by_place(to, &p->peers.at[i])) {
            to->messages += p->peers.at[i].messages;
            to->bytes += p->peers.at[i].bytes;
        } else {
            p->peers.at[kept++] = p->peers.at[i];
        }
    }
    p->peers.n = kept;
}

void peers_limit(struct profile *p, size_t limit)
{
    if (p->peers.n <= limit)
        return;
    for (size_t i = 0; i < p->peers.n; i++)
        p->peers.at[i].site = p->peers.at[i].operation = PROFILE_NONE;
    peers_sort(p);
    if (p->peers.n <= limit)
        return;
    qsort(p->peers.at, p->peers.n, sizeof *p->peers.at, heaviest_first);
    for (size_t i = limit; i < p->peers.n; i++)
        p->peers_dropped += p->peers.at[i].messages;
    p->peers.n = limit;
    peers_sort(p);
}
