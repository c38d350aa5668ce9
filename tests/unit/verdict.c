/* Situations with known answers, on drawn ranks; nothing of the judge is used to know the answer.
 */
#include "unit.h"
#include "verdict/judge.h"

#include <ctype.h>
#include <time.h>

/* Communicators: all ranks, in the same order, in another, and the same again. The members have
 * entered 7 collectives of the first, 8 of the second, 9 of the third. */
enum { WORLD, OTHER, SUB };
/* The ranks at fault: all, those of 'o', or those of 'x' or 'y', whichever are fewer. */
enum { ALL = 100, ANY = 101, FEW = 102 };
/* Call sites: FAULT + its number for a rank, FAULT + 1 for those of 'y', WAITER for those that
 * wait. */
enum { FAULT = 1000, WAITER = 2000 };

/* SITUATION consists of words. A digit is a rank, which is drawn; o are the first ranks, a drawn
 * number of them; x is a drawn part of all ranks, y are the others, * all without a digit; $ is the
 * last one.
 *
 *   0:PARTS    what it is in; after '~' it polls; parts are joined by '&', or by '/' if one of them
 *              is enough
 *   0=WORD     its state, or: threads, young or undated (its call)
 *   0<1.5:2/1  to 0 from 1 with tag 5, two messages were sent and one was received; << on OTHER
 *   0#9        how many collectives of WORLD it has entered ('?': unknown)
 *   ageless    the age of no call is known
 *   uncounted  not all messages are counted
 *
 * Parts: r1.4 receive from 1 with tag 4 (r* from any; > is the next rank of o; tag 4 if none is
 * given, * any), s1 send; R and S on OTHER. b a c1 d barrier, allreduce, broadcast by 1,
 * duplication of a communicator, p scan; b8 with number 8; B on OTHER. i MPI_Init, f fence of a
 * window, u unknown, n nothing. After it '+' posted, '-' left, '=' of another size, '!' of an
 * unknown size.
 *
 * All ranks without a word wait in a collective for all, or in a chain for the last that is in
 * a call. */
static const struct known {
    const char *name, *situation;
    enum verdict_kind kind;
    bool proven;
    int core; /* so many of the first ranks are at fault, ALL, FEW, or ANY that are not judged */
    int idle; /* so many others do not wait for them; below 0: all but -IDLE; ALL: all */
} known[] = {
    {"cycle of receives", "o:R>", VERDICT_CYCLE, true, 0, 0},
    {"cycle of sends", "o:S>", VERDICT_CYCLE, true, 0, 0},
    {"cycle after messages", "0:R1 1:R0 0<<1.4:3/3 1<<0.4:3/3", VERDICT_CYCLE, true, 2, 0},
    {"cycle beside a message", "0:R1 1:R0 0<<2.4:1/0 2=run", VERDICT_CYCLE, true, 2, 1},
    {"cycle with threads", "o:R> 0=threads", VERDICT_CYCLE, false, 0, 0},
    {"cycle of unknown age", "o:R> ageless", VERDICT_CYCLE, true, 0, 0},
    {"cycle, messages unknown", "o:R> ageless uncounted", VERDICT_CYCLE, false, 0, 0},
    {"cycle that opens", "o:R> 0<<>.4:1/0", VERDICT_UNKNOWN, false, ANY, ALL},
    {"pair that matches", "0:r1.* 1:s0", VERDICT_UNKNOWN, false, ANY, ALL},
    {"pair, another undated", "0:r1.* 1:s0 2:r1.8 2=undated", VERDICT_UNKNOWN, false, ANY, ALL},
    {"young", "o:R> 0=young", VERDICT_MOVING, false, ANY, ALL},
    {"another tag", "0:r1 1:r0.9 0<1.5:2/1", VERDICT_UNMATCHED, true, 2, 0},
    {"another communicator", "0:r1 1:b 0<<1.4:2/1", VERDICT_UNMATCHED, true, 2, 0},
    {"send of another tag", "0:r1 1:s0.5", VERDICT_UNMATCHED, true, 2, 0},
    {"partner finished", "0=done 1:r0", VERDICT_UNMATCHED, true, 1, 0},
    {"receive from itself", "0:r0", VERDICT_UNMATCHED, true, 1, 0},
    {"receive from any", "0:r*.* *:b", VERDICT_UNMATCHED, true, 1, 0},
    {"finished early", "0=done *:b", VERDICT_MISSING, true, 1, 0},
    {"other collectives", "x:b y:a", VERDICT_MISMATCH, true, FEW, 0},
    {"other roots", "x:c0 y:c$", VERDICT_MISMATCH, true, FEW, 0},
    {"other sizes", "x:a y:a=", VERDICT_MISMATCH, false, FEW, 0},
    {"another root, others went on", "0:c0 1:c1 *:c1- *:b8", VERDICT_MISMATCH, true, 1, 0},
    {"another size, others went on",
     "0:a=- 0:b8 1:a! 2:a- 2:b8 *:a- *:b8 0=young 1=young 2=young *=young", VERDICT_MISMATCH, false,
     1, ALL},
    {"unknown sizes", "x:a y:a!", VERDICT_UNKNOWN, false, ANY, ALL},
    {"disagree, others compute", "0=run 1:b 2:c0 *=run", VERDICT_MISMATCH, false, ANY, ALL},
    {"collective beside a duplication", "x:b y:d", VERDICT_MISMATCH, true, FEW, 0},
    {"fence left out by others", "0:f *:b", VERDICT_MISSING, false, ALL, 0},
    {"fence of all", "0:r*.* 1:b *:f", VERDICT_MISSING, false, ANY, ALL},
    {"receive from any, one finished", "0:r*.* 1=done *:r0", VERDICT_CYCLE, true, ANY, ALL},
    {"fence, one gone", "0=gone *:f", VERDICT_GONE, true, 1, 0},
    {"gone in a fence", "0=gone o:f *=run", VERDICT_GONE, true, ANY, ALL},
    {"fence, one stopped", "0=stop *:f", VERDICT_STOPPED, true, 1, 0},
    {"fence beside one that is stopped", "0=stop 1:f *=run", VERDICT_STOPPED, false, 1, -1},
    {"cycle beside a fence", "0=stop 1:R2 2:R1 *:f", VERDICT_CYCLE, true, ANY, ALL},
    {"fence not reached", "0=run *:f", VERDICT_COMPUTES, false, 1, 0},
    {"several outside", "0=run 1=run 2=run *:b", VERDICT_COMPUTES, false, 3, 0},
    {"not begun", "0=none *:i", VERDICT_MISSING, false, 1, 0},
    {"crossed requests", "x:a&b8+ y:b&a8+", VERDICT_MISMATCH, true, FEW, 0},
    {"crossed communicators", "x:b y:B", VERDICT_CROSSED, true, ALL, 0},
    {"root went on", "0#8 0:b8 *:c0", VERDICT_UNKNOWN, false, ANY, ALL},
    {"has just left MPI", "0=run 0=young", VERDICT_MOVING, false, ANY, 0},
    {"in a system call", "0=io", VERDICT_COMPUTES, false, 1, 0},
    {"gone in a call", "0=gone *:b 0:b", VERDICT_GONE, true, 1, 0},
    {"stopped", "0=stop", VERDICT_STOPPED, true, 1, 0},
    {"cycle beside a poll", "0=done 1:~r0 2:R3 3:R2 *=run", VERDICT_CYCLE, true, ANY, ALL},
    {"stopped and not missed", "0=stop 1:R2 2:R1 *=run", VERDICT_CYCLE, true, ANY, ALL},
    {"stopped, nobody waits", "0=stop *=run", VERDICT_STOPPED, false, 1, ALL},
    {"gone and not missed", "0=gone *=run", VERDICT_GONE, false, 1, ALL},
    {"two gone", "0=gone 1=gone", VERDICT_GONE, true, 2, 0},
    {"one send for two", "0=run 1:r0+&r0 1<0.4:1/0", VERDICT_COMPUTES, false, 1, 0},
    {"root computes", "0=run 1=done *:c0", VERDICT_COMPUTES, false, 1, 1},
    {"root only", "0=done 1#8 1=run 2#? 2=run *:c1", VERDICT_MISSING, false, 1, 2},
    {"cycle and a mismatch", "0:R1 1:R0 2:b 3:c3- 3#8 3=run *:r0", VERDICT_CYCLE, true, 2, 1},
    {"unseen", "0=none", VERDICT_MISSING, false, 1, 0},
    {"in an unknown call", "0:u", VERDICT_MISSING, false, 1, 0},
    {"polls", "0:~n", VERDICT_POLLING, false, 1, 0},
    {"polls in a cycle", "0:~r1 1:r0", VERDICT_POLLING, false, 2, 0},
    {"several requests", "0:r1.1+&s1.1+&r1.2+ 1:r0.1+&s0.1+&r0.2+ 0<1.1:6/5 1<0.1:6/5",
     VERDICT_CYCLE, true, 2, 0},
    {"send that may be complete", "0=run 1:r0+&s2+ 2=done *:r1", VERDICT_COMPUTES, false, 1, 1},
    {"one of several", "0=run 1:r2/r3/r0 2:r1/r0 3=done *:r1", VERDICT_COMPUTES, false, 1, 1},
    {"any that computes", "0=run 1:r*.1 *=done", VERDICT_COMPUTES, false, 1, -1},
    {"cycle beside one that is stopped", "0:r*.*+&r1+ 1:r0 2=stop *=run", VERDICT_CYCLE, true, 2,
     ALL},
    {"other sizes and another call", "2:a= x:a y:b", VERDICT_MISMATCH, true, ANY, ALL},
    {"left with another size", "0:a= 1:a- 1#8 1=run *=run", VERDICT_MISMATCH, false, ANY, ALL},
    {"ended at once: sizes", "0:a 1:a= 2:a! *=run 0=young 1=young 2=young *=young",
     VERDICT_MISMATCH, false, 2, ALL},
    {"lower rank of a scan", "0:r1 1:p *=run", VERDICT_UNMATCHED, true, 2, ALL},
};
enum { KINDS = sizeof known / sizeof *known, CASES = 8 * KINDS };

struct drawn {
    struct situation *s;
    size_t n;
    int32_t *rank; /* a permutation */
    bool *worded;
    size_t ring, part; /* sizes of o and x */
    double age;
};

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 11) % below);
}

static void shuffle(int32_t *a, size_t n)
{
    for (size_t i = n; i-- > 1;) {
        size_t k = draw((uint32_t)i + 1);
        int32_t x = a[i];
        a[i] = a[k];
        a[k] = x;
    }
}

static void add_comm(struct drawn *d, bool shuffled, uint64_t id, int64_t entered)
{
    struct member_list *c = PUSH(&d->s->comms);
    c->n = d->n;
    c->id = id;
    c->member = memory_alloc(d->n * sizeof *c->member);
    c->entered = memory_alloc(d->n * sizeof *c->entered);
    for (size_t i = 0; i < d->n; i++) {
        c->member[i] = (int32_t)i;
        c->entered[i] = entered;
    }
    if (shuffled)
        shuffle(c->member, d->n);
}

/* On at least LEAST ranks. */
static void begin(struct drawn *d, size_t least)
{
    *d = (struct drawn){.n = least + draw(65 - (uint32_t)least), .age = 5 + draw(1000)};
    d->s = situation_new(d->n);
    d->s->settled = 2;
    d->s->counted = true;
    d->rank = memory_alloc(d->n * sizeof *d->rank);
    d->worded = memory_alloc(d->n);
    for (size_t i = 0; i < d->n; i++) {
        d->rank[i] = (int32_t)i;
        d->s->rank[i].seconds = d->age;
    }
    shuffle(d->rank, d->n);
    d->ring = 2 + draw(d->n < 8 ? (uint32_t)d->n - 1 : 7);
    d->part = 1 + draw((uint32_t)d->n - 1);
    for (int i = 0; i < 3; i++)
        add_comm(d, i == OTHER, 1 + (uint64_t)i, 7 + i);
}

/* A rank in a word, seen from I, both as positions in D->rank; -1: any. */
static int32_t position(const struct drawn *d, char name, size_t i)
{
    return name == '>'     ? (int32_t)((i + 1) % d->ring)
           : name == '$'   ? (int32_t)d->n - 1
           : isdigit(name) ? name - '0'
                           : -1;
}

static int32_t rank_at(const struct drawn *d, int32_t position)
{
    return position < 0 ? AWAIT_ANY : d->rank[position];
}

static long number(const char **word, long otherwise)
{
    char *end;
    long n = strtol(*word, &end, 10);
    n = end == *word ? otherwise : n;
    *word = end;
    return n;
}

/* Reads a part of the call of the rank at I. */
static struct awaited part_of(const struct drawn *d, const char **word, size_t i, uint32_t site)
{
    const char letter = *(*word)++, kind = (char)tolower(letter);
    struct awaited a = {.what = AWAIT_COLLECTIVE, .rank = d->rank[i], .root = -1, .bytes = 8};
    a.comm = isupper(letter) ? OTHER : WORLD;
    a.name = a.site = site;
    a.operation = (uint32_t)kind;
    if (kind == 'p')
        a.kind = COLLECTIVE_PREFIX;
    if (kind == 'r' || kind == 's') {
        a.what = kind == 'r' ? AWAIT_RECEIVE : AWAIT_SEND;
        a.peer = rank_at(d, position(d, *(*word)++, i));
        a.tag = 4;
        if (**word == '.' && ++*word)
            a.tag = (int32_t)number(word, AWAIT_ANY);
        *word += **word == '*';
    } else if (strchr("ifu", kind)) {
        a.what = kind == 'i' ? AWAIT_INIT : kind == 'f' ? AWAIT_ALL : AWAIT_OTHER;
    } else if (kind == 'c') {
        a.root = rank_at(d, position(d, *(*word)++, i));
        a.kind = COLLECTIVE_FROM_ROOT;
    }
    a.sequence = 7 + a.comm;
    if (a.what == AWAIT_COLLECTIVE)
        a.sequence = (uint64_t)number(word, (long)a.sequence);
    for (; **word && strchr("+-=!", **word); ++*word) {
        a.posted = **word == '+' ? 1 : a.posted;
        a.left = a.left || **word == '-';
        a.bytes = **word == '=' ? 16 : **word == '!' ? JUDGE_UNKNOWN_BYTES : a.bytes;
    }
    return a;
}

static void add_call(struct drawn *d, const char *word, size_t i, uint32_t site)
{
    struct awaited part[4];
    size_t n = 0;
    const bool polls = *word == '~', any = strchr(word, '/');
    word += polls;
    for (; *word && *word != 'n'; word += *word == '&' || *word == '/') {
        part[n] = part_of(d, &word, i, site + 10 * (uint32_t)n);
        if (part[n++].left) {
            *PUSH(&d->s->awaited) = part[0];
            return;
        }
    }
    struct open_call *c = situation_call(d->s, d->rank[i], part, n);
    c->polls = polls;
    c->any = any;
    c->seconds = d->age;
}

static void set_state(struct drawn *d, const char *word, size_t i)
{
    static const char *const names[] = {"run", "sleep", "io", "stop", "gone", "done", "none"};
    struct rank_view *r = &d->s->rank[d->rank[i]];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(word, names[k]))
            r->state = (enum rank_state)k;
    r->threads = r->threads || !strcmp(word, "threads");
    if (!strcmp(word, "young"))
        r->seconds = r->call.seconds = 1.9;
    if (!strcmp(word, "undated"))
        r->call.seconds = -1;
}

static void set_entered(struct drawn *d, const char *word, size_t i)
{
    struct member_list *c = &d->s->comms.at[WORLD];
    for (size_t m = 0; m < c->n; m++)
        if (c->member[m] == d->rank[i])
            c->entered[m] = number(&word, -1);
}

static void add_count(struct drawn *d, const char *word, size_t i)
{
    const bool other = word[1] == '<';
    struct message_count *m = PUSH(&d->s->sent);
    word += 1 + other;
    m->comm = other ? OTHER : WORLD;
    m->from = rank_at(d, position(d, *word++, i));
    m->to = d->rank[i];
    m->tag = (int32_t)number((word++, &word), 4);
    m->n = (uint64_t)number((word++, &word), 0);
    m->n -= (uint64_t)number((word++, &word), 0);
}

static bool is_named(const struct drawn *d, char name, size_t i, size_t digits)
{
    return name == 'o'   ? i < d->ring
           : name == 'x' ? i < d->part
           : name == 'y' ? i >= d->part
           : name == '*' ? i >= digits
                         : i == (size_t)(name - '0');
}

static void add_word(struct drawn *d, const char *word, size_t digits)
{
    for (size_t i = 0; i < d->n; i++) {
        if (!is_named(d, *word, i, digits))
            continue;
        d->worded[i] = d->worded[i] || word[1] == ':' || word[1] == '=';
        if (word[1] == ':')
            add_call(d, word + 2, i,
                     *word == '*'
                         ? WAITER
                         : FAULT + (isdigit(*word) ? (uint32_t)(*word - '0') : *word == 'y'));
        else if (word[1] == '=')
            set_state(d, word + 2, i);
        else if (word[1] == '<')
            add_count(d, word + 1, i);
        else
            set_entered(d, word + 2, i);
    }
}

/* Returns D with the situation of K. */
static struct drawn make(const struct known *k)
{
    struct drawn d;
    char text[200], *rest = text;
    size_t digits = 0;
    int32_t last;
    strcpy(text, k->situation);
    for (const char *at = text; *at; at++)
        if (isdigit(*at) && (at == text || at[-1] == ' ') && (size_t)(*at - '0') >= digits)
            digits = (size_t)(*at - '0') + 1;
    begin(&d, digits < 2 ? 2 : digits + 1);
    if (strstr(text, ":p") && d.rank[0] > d.rank[1]) {
        last = d.rank[0];
        d.rank[0] = d.rank[1];
        d.rank[1] = last;
    }
    last = d.rank[0];
    for (char *word; (word = strsep(&rest, " "));)
        if (*word && word[1] != 'g' && word[1] != 'n') {
            add_word(&d, word, digits);
            last = isdigit(*word) && word[1] == ':' ? d.rank[*word - '0'] : last;
        }
    const bool chain = draw(3) == 0;
    for (size_t i = 0; i < d.n; i++) {
        if (d.worded[i])
            continue;
        struct awaited a = {.what = chain ? AWAIT_RECEIVE : AWAIT_COLLECTIVE,
                            .comm = chain ? WORLD : SUB,
                            .peer = last,
                            .tag = 77,
                            .sequence = 9,
                            .root = -1,
                            .bytes = 8,
                            .site = WAITER};
        situation_call(d.s, last = d.rank[i], &a, 1)->seconds = d.age;
    }
    d.s->counted = !strstr(k->situation, "uncounted");
    for (size_t i = 0; i < d.n && strstr(k->situation, "ageless"); i++)
        d.s->rank[i].call.seconds = -1;
    return d;
}

static bool right(const struct known *k, const struct drawn *d, const struct verdict *v)
{
    const bool few = k->core == FEW && 2 * d->part != d->n, ys = few && 2 * d->part > d->n;
    const size_t core = k->core >= ALL ? few ? ys ? d->n - d->part : d->part : d->n
                        : k->core      ? (size_t)k->core
                                       : d->ring,
                 others = d->n - core,
                 waiting = k->idle < 0      ? (size_t)-k->idle
                           : k->idle == ALL ? 0
                                            : others - (size_t)k->idle;
    bool good = v->kind == k->kind && v->proven == k->proven;
    if (k->kind == VERDICT_MISMATCH)
        good = good && v->first && v->second && v->first->site != v->second->site &&
               v->first->site / FAULT == 1 && v->at_fault[v->first->rank];
    if (k->kind == VERDICT_UNMATCHED)
        good = good && v->first && v->first->site / FAULT == 1;
    if (k->core == ANY)
        return good;
    for (size_t i = 0; i < core; i++)
        good = good && v->at_fault[d->rank[ys ? d->n - 1 - i : i]];
    return good && v->n == core && v->n_waiting == waiting;
}

Test(verdict, drawn)
{
    const char *given = getenv("VERDICT_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    size_t wrong = 0;
    printf("verdict: seed %llu\n", (unsigned long long)seed);
    for (unsigned i = 0; i < CASES; i++) {
        const struct known *k = &known[i % KINDS];
        state = (seed * 1000003 + i) * 0x9e3779b97f4a7c15ull | 1;
        for (int w = 0; w < 8; w++)
            draw(2);
        struct drawn d = make(k);
        struct verdict *v = verdict_of(d.s);
        if (!right(k, &d, v)) {
            wrong++;
            printf("case %u, %s, %zu ranks: %s%s of %zu ranks, %zu waiting; expected %s%s\n", i,
                   k->name, d.n, v->proven ? "proven " : "", verdict_rules[v->kind].name, v->n,
                   v->n_waiting, k->proven ? "proven " : "", verdict_rules[k->kind].name);
        }
        verdict_free(v);
        situation_free(d.s);
        free(d.rank);
        free(d.worded);
    }
    fflush(stdout);
    cr_expect(wrong == 0, "%zu of %d cases are judged wrongly", wrong, CASES);
}
