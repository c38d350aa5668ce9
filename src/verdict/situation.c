#include "verdict/situation.h"

#include "base/hash.h"
#include "base/names.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct situation *situation_new(size_t n)
{
    struct situation *s = memory_alloc(sizeof *s);
    s->n_ranks = n;
    s->state = memory_alloc((n + 1) * sizeof *s->state);
    s->threads = memory_alloc((n + 1) * sizeof *s->threads);
    s->locks = memory_alloc((n + 1) * sizeof *s->locks);
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
    for (size_t i = 0; i < s->calls.n; i++)
        free(s->calls.at[i].parts.at);
    free(s->state);
    free(s->threads);
    free(s->locks);
    free(s->comms.at);
    free(s->awaited.at);
    free(s->left.at);
    free(s->calls.at);
    free(s->counts.at);
    free(s);
}

struct open_call *situation_call(struct situation *s, int32_t rank, const struct awaited *awaited,
                                 size_t n)
{
    struct open_call *c = PUSH(&s->calls);
    c->rank = rank;
    for (size_t i = 0; i < n; i++) {
        *PUSH(&c->parts) = s->awaited.n;
        *PUSH(&s->awaited) = awaited[i];
        s->awaited.at[s->awaited.n - 1].rank = rank;
    }
    return c;
}

const struct open_call *situation_find(const struct situation *s, int32_t rank)
{
    for (size_t i = 0; i < s->calls.n; i++)
        if (s->calls.at[i].rank == rank)
            return &s->calls.at[i];
    return NULL;
}

struct awaited awaited_collective(const char *name, bool two_groups, int32_t root, uint64_t bytes)
{
    static const enum collective_shape shapes[] = {
        [COLLECTIVE_ALL] = SHAPE_ALL,         [COLLECTIVE_FROM_ROOT] = SHAPE_FROM_ROOT,
        [COLLECTIVE_TO_ROOT] = SHAPE_TO_ROOT, [COLLECTIVE_PREFIX] = SHAPE_SCAN,
        [COLLECTIVE_NEIGHBOURS] = SHAPE_SOME, [COLLECTIVE_OTHER] = SHAPE_ALL};
    char word[64];
    size_t n = strlen(name), from = !strncmp(name, "MPI_I", 5) ? 5 : n < 4 ? n : 4;
    n -= n > 2 && !strcmp(name + n - 2, "_c") ? 2 : 0;
    snprintf(word, sizeof word, "%.*s", (int)(n - from), name + from);
    bool one_size =
        !two_groups && text_has_word("Bcast Reduce Allreduce Scan Exscan Reduce_scatter_block "
                                     "Alltoall Allgather",
                                     word);
    return (struct awaited){.what = AWAIT_COLLECTIVE,
                            .operation = (uint32_t)hash_bytes(HASH_START, name, n),
                            .root = two_groups ? -1 : root,
                            .bytes = one_size ? bytes : JUDGE_UNKNOWN_BYTES,
                            .shape = two_groups ? SHAPE_SOME : shapes[collective_kind(name)]};
}

bool awaited_agree_in_kind(const struct awaited *a, const struct awaited *b)
{
    return a->operation == b->operation && (a->root == b->root || a->root < 0 || b->root < 0);
}

/* Reductions and datatypes agree unless both are known. */
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
