/* What --sample shows: the functions that ranks execute between MPI calls. */
#include "base/array.h"
#include "base/format.h"
#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples of one function in one segment (between two MPI calls) on one rank. Frames are NULL if
 * unknown. */
struct sampled_function {
    const struct profile_sample *in;    /* one of the samples: has the rank and the segment */
    const struct profile_frame *called; /* function called by the code between the calls */
    const struct profile_frame *frame;  /* innermost with debug info, at its most frequent line */
    double ns;                          /* processor time */
};

struct sampled {
    struct sampled_function *at; /* sorted by_function(); release by free() */
    size_t n;
};

static const char *name_of(const struct profile_frame *f)
{
    return f && f->function ? f->function : "";
}

static bool is_on_stack(const struct profile *p, uint32_t site, const struct profile_frame *f)
{
    const struct profile_site *s = site == PROFILE_NONE ? NULL : &p->sites.at[site];
    for (uint32_t i = 0; s && i < s->depth; i++)
        if (f->function && !strcmp(name_of(&s->frame[i]), f->function))
            return true;
    return false;
}

/* CALLED is the outermost function that is not on the stack of the MPI calls before and after:
 * functions on these stacks run throughout the segment. FRAME has debugging information: a function
 * without, as of the C library, says less to the user than its caller. */
static struct sampled_function function_of(const struct profile *p, const struct profile_sample *x)
{
    struct sampled_function f = {.in = x, .ns = (double)x->ns};
    const struct profile_site *s = x->stack == PROFILE_NONE ? NULL : &p->sites.at[x->stack];
    uint32_t own = 0, called = 0;
    if (!s || !s->depth)
        return f;
    while (own + 1 < s->depth && !s->frame[own].file)
        own++;
    own = s->frame[own].file ? own : 0;
    while (called < s->depth && !is_on_stack(p, x->from_site, &s->frame[called]) &&
           !is_on_stack(p, x->site, &s->frame[called]))
        called++;
    /* If the recorded stack is too short to contain CALLED, FRAME is used as CALLED. */
    f.frame = &s->frame[own];
    f.called = &s->frame[called < s->depth && called > own ? called - 1 : own];
    return f;
}

static int by_segment(const struct profile_sample *x, const struct profile_sample *y)
{
    return ORDER(x->from_site, y->from_site) ?: ORDER(x->from_operation, y->from_operation)
        ?: ORDER(x->site, y->site) ?: ORDER(x->operation, y->operation);
}

COMPARISON(by_function, struct sampled_function,
           strcmp(name_of(x->called), name_of(y->called)) ?: by_segment(x->in, y->in)
               ?: ORDER(x->in->rank, y->in->rank) ?: strcmp(name_of(x->frame), name_of(y->frame)))

/* Of rows with equal functions the longest comes first, since its line represents the function. */
COMPARISON(longest_first, struct sampled_function,
           by_function(x, y) ?: ORDER(y->ns, x->ns) ?: ORDER(x->in, y->in))

static struct sampled sampled_functions(const struct profile *p)
{
    struct sampled s = {.at = memory_alloc((p->samples.n + 1) * sizeof *s.at)};
    for (size_t i = 0; i < p->samples.n; i++)
        s.at[i] = function_of(p, &p->samples.at[i]);
    qsort(s.at, p->samples.n, sizeof *s.at, longest_first);
    for (size_t i = 0; i < p->samples.n; i++) {
        if (s.n && !by_function(&s.at[s.n - 1], &s.at[i]))
            s.at[s.n - 1].ns += s.at[i].ns;
        else
            s.at[s.n++] = s.at[i];
    }
    return s;
}

struct sample_comparison {
    const struct view *v;
    const bool *slow;
    double ranks[2]; /* [0]: number of ranks that are not slow; [1]: of slow ranks */
};

static bool is_slow(const struct sample_comparison *c, const struct sampled_function *f)
{
    const size_t i = rank_index(c->v->p, f->in->rank);
    return i < c->v->p->ranks.n && c->slow[i];
}

/* How much longer slow ranks execute the functions [F, END) than others, ns per rank; 0 if below
 * three standard deviations, where the number of samples is a Poisson variable. */
static double longer(const struct sample_comparison *c, const struct sampled_function *f,
                     const struct sampled_function *end)
{
    double mean[2] = {0}, variance = 0;
    for (; f < end; f++) {
        const double ranks = c->ranks[is_slow(c, f)];
        mean[is_slow(c, f)] += f->ns / ranks;
        variance += f->ns * LEDGER_SAMPLE_NS / ranks / ranks;
    }
    const double more = mean[1] - mean[0];
    return more > 3 * sqrt(variance) ? more : 0;
}

/* The end of the rows with F's function and segment. */
static const struct sampled_function *next_of(const struct sampled_function *f,
                                              const struct sampled_function *end)
{
    const struct sampled_function *next = f;
    while (next < end && !strcmp(name_of(next->called), name_of(f->called)) &&
           !by_segment(next->in, f->in))
        next++;
    return next;
}

/* The row of a slow rank that takes longest. */
static const struct sampled_function *longest_row(const struct sample_comparison *c,
                                                  const struct sampled_function *f,
                                                  const struct sampled_function *end)
{
    const struct sampled_function *found = f;
    for (; f < end; f++)
        found = is_slow(c, f) && (!is_slow(c, found) || f->ns > found->ns) ? f : found;
    return found;
}

/* Sets TEXT to, for example, "work at w.c:8, most often in w.c:5 spin, between A and B". */
static void put_text(const struct sample_comparison *c, const struct sampled_function *f,
                     const struct sampled_function *end, bool with_calls, double ns, char *text)
{
    const struct profile *p = c->v->p;
    char called[CALL_LABEL], inner[CALL_LABEL + 30] = "";
    char between[2 * CALL_LABEL + 30] = "";
    f = longest_row(c, f, end);
    const struct profile_sample *s = f->in;
    frame_label(p, f->called, called, sizeof called);
    if (strcmp(name_of(f->called), name_of(f->frame)) != 0) {
        const int n = snprintf(inner, sizeof inner, ", most often in ");
        frame_label(p, f->frame, inner + n, sizeof inner - (size_t)n);
    }
    if (with_calls)
        snprintf(between, sizeof between, ", between %s and %s",
                 AS_CALL(c->v, s->from_operation, s->from_site, "MPI_Init"),
                 AS_CALL(c->v, s->operation, s->site, "MPI_Finalize"));
    snprintf(text, SAMPLED_TEXT, " Samples attribute %s more than on other ranks to %s%s%s.",
             AS_TIME(ns), called, inner, between);
}

static bool is_between(const struct profile_sample *s, const struct root_cause *c)
{
    return !c || (s->from_site == c->from_site && s->from_operation == c->from_operation &&
                  s->site == c->site && s->operation == c->operation);
}

/* Whether every rank has samples: a rank without samples would seem to execute nothing. */
static bool all_sampled(const struct profile *p)
{
    bool all = true;
    for (size_t i = 0; i < p->warnings.n; i++)
        all = all &&
              strncmp(p->warnings.at[i].text, PROFILE_NOT_SAMPLED, strlen(PROFILE_NOT_SAMPLED));
    return all;
}

void sampled_excess(const struct view *v, const bool *slow, const struct root_cause *between,
                    double excess, char text[SAMPLED_TEXT])
{
    struct sampled list = sampled_functions(v->p);
    struct sample_comparison c = {.v = v, .slow = slow};
    const struct sampled_function *found = NULL, *found_end = NULL, *next;
    double most = 0;
    size_t n = 0;
    const bool all_are = all_sampled(v->p);
    for (size_t i = 0; all_are && i < list.n; i++)
        if (is_between(list.at[i].in, between) && list.at[i].called)
            list.at[n++] = list.at[i];
    for (size_t i = 0; i < v->p->ranks.n; i++)
        c.ranks[slow[i]]++;
    for (const struct sampled_function *f = list.at; f < list.at + n; f = next) {
        next = next_of(f, list.at + n);
        const double more = longer(&c, f, next);
        if (more > most) {
            most = more;
            found = f;
            found_end = next;
        }
    }
    *text = '\0';
    if (found && most >= 1e9 * excess / 3)
        put_text(&c, found, found_end, !between, most, text);
    free(list.at);
}

const struct column sample_columns[] = {
    COLUMN("rank", RANK, NULL, "the rank that executed the function"),
    COLUMN("time", TIME, NULL, "processor time in the function, by samples"),
    COLUMN("share", SHARE, "of rank", "that time as a share of the rank's sampled time"),
    NAME("called", NULL, "the function that the code between the two MPI calls has called"),
    NAME("function", NULL,
         "the innermost function with debugging information, at its most frequent line"),
    NAME("left", NULL, "the MPI call before"),
    NAME("entered", NULL, "the MPI call after"),
};

void fill_samples(struct table *t, const struct view *v)
{
    struct sampled list = sampled_functions(v->p);
    for (EACH(const struct sampled_function, f, list)) {
        const struct profile_sample *s = f->in;
        const struct profile_frame *const frame[] = {f->called, f->frame};
        char text[CALL_LABEL];
        double all = 0;
        for (size_t k = 0; k < list.n; k++)
            all += list.at[k].in->rank == s->rank ? list.at[k].ns : 0;
        table_reals(t, s->rank, 1e-9 * f->ns, 100 * f->ns / all);
        for (int k = 0; k < 2; k++) {
            if (frame[k])
                frame_label(v->p, frame[k], text, sizeof text);
            table_text(t, frame[k] ? text : NULL);
        }
        table_text(t, AS_CALL(v, s->from_operation, s->from_site, "MPI_Init"));
        table_text(t, AS_CALL(v, s->operation, s->site, "MPI_Finalize"));
    }
    free(list.at);
}
