/* Where ranks stood that did not come to an end: the calls that they had entered and not left. */
#include "base/array.h"
#include "base/format.h"
#include "base/text.h"
#include "profile/model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

int place_of_call(const struct profile *p, uint32_t operation, uint32_t of, char *text, size_t room)
{
    const struct profile_site *site = of == PROFILE_NONE ? NULL : &p->sites.at[of];
    const struct profile_frame *f = site && site->depth ? &site->frame[0] : NULL;
    const char *name = p->operations.at[operation].name;
    if (f && f->file)
        return snprintf(text, room, "%.40s at %.80s:%u%s%.80s", name, text_base_of(f->file),
                        f->line, f->function ? " " : "", f->function ? f->function : "");
    if (f && f->function)
        return snprintf(text, room, "%.40s at %.80s+0x%llx", name, f->function,
                        (unsigned long long)f->offset);
    return snprintf(text, room, "%.40s", name);
}

/* " (with rank 1, tag 5, 8 B)": what the arguments said; nothing where they said nothing. */
static void arguments(const struct profile *p, const struct profile_stand *s, char *text,
                      size_t room)
{
    char bytes[32];
    size_t n = 0;
    *text = '\0';
#define SAY(...) n += (size_t)snprintf(text + n, room - n, __VA_ARGS__)
    if (s->peer >= 0)
        SAY(", with rank %d", s->peer);
    else if (s->peer != INT32_MIN)
        SAY(", with any or no rank");
    if (s->tag >= 0)
        SAY(", tag %d", s->tag);
    if (s->root >= 0)
        SAY(", root %d", s->root);
    if (s->bytes && s->bytes != LEDGER_UNKNOWN_BYTES)
        SAY(", %s", format_bytes(bytes, (double)s->bytes));
    if (s->comm != PROFILE_NONE && comm_is_named(&p->comms.at[s->comm]))
        SAY(", on %.64s", p->comms.at[s->comm].name);
    else if (s->comm != PROFILE_NONE)
        SAY(", on a communicator of %u ranks", p->comms.at[s->comm].size);
    if (s->collective && s->comm_id)
        SAY(", collective number %" PRIu64 " there", (uint64_t)s->sequence + 1);
#undef SAY
}

static bool stand_together(const struct profile_stand *a, const struct profile_stand *b)
{
    return a->outside == b->outside && a->operation == b->operation && a->site == b->site &&
           a->comm == b->comm && a->sequence == b->sequence && a->peer == b->peer &&
           a->tag == b->tag && a->root == b->root;
}

static void say(struct profile *p, const struct profile_stand *s, size_t n)
{
    char where[260], what[260], ranks[200] = "", since[160], time[32];
    int32_t *rank = memory_alloc(n * sizeof *rank);
    double longest = 0;
    bool known = true;
    int at = 0;
    for (size_t i = 0; i < n; i++) {
        rank[i] = s[i].rank;
        known = known && s[i].seconds >= 0;
        longest = fmax(longest, s[i].seconds);
    }
    rank_list(ranks, sizeof ranks, rank, n);
    bool several = rank[0] != rank[n - 1];
    free(rank);
    place_of_call(p, s->operation, s->site, where, sizeof where);
    arguments(p, s, what, sizeof what);
    if (known)
        snprintf(since, sizeof since, "for %s%s", n > 1 ? "up to " : "",
                 format_time(time, longest * 1e9));
    else
        at = snprintf(since, sizeof since, "from %s after the start on; for how long is not known",
                      format_time(time, s->entered * 1e9));
    if (!known && s->witnessed > 0)
        snprintf(since + at, sizeof since - (size_t)at,
                 "; the record of rank %d ends %s after that", s->witness,
                 format_time(time, s->witnessed * 1e9));
    if (s->outside)
        profile_warn(p, "rank%s %s: outside of MPI %s; the last call was %s", several ? "s" : "",
                     ranks, since, where);
    else
        profile_warn(p, "rank%s %s stood in %s%s, %s", several ? "s" : "", ranks, where, what,
                     since);
}

void stands_judge(struct profile *p)
{
    const struct profile_stand *s = p->stands.at;
    for (size_t i = 0, end; i < p->stands.n; i = end) {
        for (end = i + 1; end < p->stands.n && stand_together(&s[i], &s[end]);)
            end++;
        say(p, &s[i], end - i);
    }
}
