/* What is said of a cell of an overlap map: protects that no ratio outside of [0, 1] and none that
 * is not certain stands there without a word. */
#include "measure/overlap/overlap.h"

#include <criterion/criterion.h>
#include <math.h>

static const struct overlap_benchmark plain, late = {.starts_late = true},
                                             threads = {.by_threads = true};

static struct overlap_cell cell(double ratio, double error)
{
    return (struct overlap_cell){
        .ratio = ratio, .error = error, .t_comm = 1e-6, .t_comp = 1e-6, .runs = 10};
}

static void says(const struct overlap_benchmark *b, struct overlap_cell c, const char *what)
{
    cr_expect_str_eq(overlap_note(b, &c), what, "%g +- %g", c.ratio, c.error);
}

Test(overlap_note, ratios)
{
    says(&plain, cell(0, 0), "");
    says(&plain, cell(1, 0), "");
    says(&plain, cell(1.05, 0.1), "");
    says(&plain, cell(1.1, 0.1), "");
    says(&plain, cell(-0.1, 0.1), "");
    says(&plain, cell(0.5, 0.5), "");
    says(&plain, cell(0.5, 0.51), "not certain");
    says(&plain, cell(0.5, NAN), "not certain");
    says(&plain, cell(1.2, 0.1), "slower than one after the other");
    says(&plain, cell(-0.92, 0.1), "faster than the longer of the two alone");
    says(&threads, cell(100, 30), "");
}

Test(overlap_note, no_ratio)
{
    struct overlap_cell none = {.ratio = NAN, .error = NAN}, disturbed = cell(0.5, 0.1);
    says(&plain, none, "not measured");
    says(&late, cell(NAN, NAN), "the computation is over before the message starts");
    says(&plain, cell(NAN, NAN), "a time is missing");
    struct overlap_cell before = cell(NAN, NAN);
    before.t_comm = -1e-3;
    says(&late, before, "the latency that is taken off was disturbed");
    disturbed.runs = 0;
    disturbed.disturbed = 4;
    says(&plain, disturbed, "other processes disturbed every run");
}
