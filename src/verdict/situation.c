#include "verdict/situation.h"

#include "base/hash.h"
#include "base/text.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct situation *situation_new(size_t n)
{
    struct situation *s = memory_alloc(sizeof *s);
    s->n_ranks = n;
    s->rank = memory_alloc((n + 1) * sizeof *s->rank);
    return s;
}

void situation_free(struct situation *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->comms.n; i++) {
        free(s->comms.at[i].member);
        free(s->comms.at[i].entered);
    }
    for (size_t i = 0; i < s->n_ranks; i++)
        free(s->rank[i].call.parts.at);
    profile_free(s->names);
    json_decref(s->kept);
    free(s->rank);
    free(s->comms.at);
    free(s->awaited.at);
    free(s->sent.at);
    free(s);
}

struct open_call *situation_call(struct situation *s, int32_t rank, const struct awaited *awaited,
                                 size_t n)
{
    struct open_call *c = &s->rank[rank].call;
    c->open = true;
    for (size_t i = 0; i < n; i++) {
        *PUSH(&c->parts) = s->awaited.n;
        *PUSH(&s->awaited) = awaited[i];
        s->awaited.at[s->awaited.n - 1].rank = rank;
    }
    return c;
}

struct awaited awaited_collective(const char *name, bool two_groups, int32_t root, uint64_t bytes)
{
    char word[64];
    size_t n = strlen(name), from = !strncmp(name, "MPI_I", 5) ? 5 : n < 4 ? n : 4;
    n -= n > 2 && !strcmp(name + n - 2, "_c") ? 2 : 0;
    snprintf(word, sizeof word, "%.*s", (int)(n - from), name + from);
    bool one_size =
        !two_groups && text_has_word("Bcast Reduce Allreduce Scan Exscan Reduce_scatter_block "
                                     "Alltoall Allgather Gather Scatter",
                                     word);
    return (struct awaited){.what = AWAIT_COLLECTIVE,
                            .operation = (uint32_t)hash_bytes(HASH_START, name, n),
                            .root = two_groups ? -1 : root,
                            .bytes = one_size ? bytes : JUDGE_UNKNOWN_BYTES,
                            .kind = two_groups ? COLLECTIVE_NEIGHBOURS : collective_kind(name)};
}

bool awaited_agree_in_kind(const struct awaited *a, const struct awaited *b)
{
    return a->operation == b->operation && (a->root == b->root || a->root < 0 || b->root < 0);
}

/* Reductions, or datatypes, differ only if both are known. */
static bool signatures_agree(uint32_t a, uint32_t b)
{
    const uint32_t reduction = 0xff, form = 0xff00, differ = a ^ b;
    return !(a & reduction && b & reduction && differ & reduction) &&
           !(a & form && b & form && differ & ~reduction);
}

bool awaited_agree(const struct awaited *a, const struct awaited *b)
{
    return awaited_agree_in_kind(a, b) && signatures_agree(a->signature, b->signature) &&
           (a->bytes == b->bytes || a->bytes == JUDGE_UNKNOWN_BYTES ||
            b->bytes == JUDGE_UNKNOWN_BYTES);
}

uint32_t situation_find_comm(const struct situation *s, uint64_t id)
{
    uint32_t i = 0;
    while (i < s->comms.n && s->comms.at[i].id != id)
        i++;
    return i;
}
