/* Where ranks are: what the header of every result, and "more ranks than processors", rest on. */
#include "base/topology.h"
#include "unit.h"

#include <sched.h>

Test(topology, a_process_bound_to_one_processor_says_so)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all))
        cpu++;
    CPU_SET(cpu, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    struct place place;
    char number[16];
    snprintf(number, sizeof number, "%d", cpu);
    place_here(&place);
    cr_assert_geq(place.core, 0);
    cr_assert_str_eq(place.allowed, number);
}

/* It shares a core with nobody for certain, whatever core its first processor is in. */
Test(topology, a_process_that_may_move_is_in_no_core)
{
    struct place place;
    cpu_set_t two, all;
    CPU_ZERO(&two); /* the first and the last: not of one core where there are several */
    cr_assert_eq(sched_getaffinity(0, sizeof all, &all), 0);
    if (CPU_COUNT(&all) < 2)
        cr_skip_test("one processor");
    int first = -1, last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all)) {
            first = first < 0 ? cpu : first;
            last = cpu;
        }
    CPU_SET(first, &two);
    cr_assert_eq(sched_setaffinity(0, sizeof two, &two), 0);
    place_here(&place);
    int core = place.core;
    CPU_ZERO(&two);
    CPU_SET(last, &two);
    cr_assert_eq(sched_setaffinity(0, sizeof two, &two), 0);
    place_here(&place);
    if (core == place.core)
        cr_skip_test("one core");
    CPU_SET(first, &two);
    cr_assert_eq(sched_setaffinity(0, sizeof two, &two), 0);
    place_here(&place);
    cr_assert_eq(place.core, -1);
}

static struct place at(const char *host, int core, int complex, int package, const char *allowed)
{
    struct place p;
    place_set_host(&p, host);
    p.core = core, p.complex = complex, p.package = package;
    snprintf(p.allowed, sizeof p.allowed, "%s", allowed);
    return p;
}

Test(topology, relations_from_close_to_far)
{
    struct place a = at("x", 0, 0, 0, "0"), same_core = at("x", 0, 0, 0, "1"),
                 complex = at("x", 1, 0, 0, "2"), package = at("x", 2, 1, 0, "3"),
                 node = at("x", 3, 2, 1, "4"), other = at("y", 0, 0, 0, "0"),
                 unbound = at("x", -1, -1, -1, "0-4");
    cr_assert_eq(place_relation(&a, &same_core), SAME_CORE);
    cr_assert_eq(place_relation(&a, &complex), SAME_COMPLEX);
    cr_assert_eq(place_relation(&a, &package), SAME_PACKAGE);
    cr_assert_eq(place_relation(&a, &node), SAME_NODE);
    cr_assert_eq(place_relation(&a, &other), OTHER_NODE);
    cr_assert_eq(place_relation(&unbound, &unbound), SAME_NODE);
}

/* Ranks bound on top of each other are more than the processors that they may use, however
 * many the machine has; the fullest host counts. */
Test(topology, load_is_that_of_the_fullest_host)
{
    struct place ranks[] = {at("x", 0, 0, 0, "0"), at("x", 1, 0, 0, "1"), at("y", 0, 0, 0, "0"),
                            at("y", 0, 0, 0, "0"), at("y", 0, 0, 0, "0")};
    cr_assert_float_eq(place_oversubscription(ranks, 2), 1, 1e-12);
    cr_assert_float_eq(place_oversubscription(ranks, 5), 3, 1e-12);
    struct place unknown;
    place_set_host(&unknown, "z");
    cr_assert_eq(place_oversubscription(&unknown, 1), 0);
}
