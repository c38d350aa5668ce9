/* Protects the application from what the layer takes at its end: what is left of memory, as control
 * groups of both kinds and the host state it. */
#include "base/array.h"
#include "scratch.h"

#include <sys/stat.h>

TestSuite(memory, .init = scratch_make, .fini = scratch_remove);

static void put(const char *path, const char *text)
{
    char command[300];
    snprintf(command, sizeof command, "mkdir -p \"$(dirname %s/%s)\" && printf '%s' >%s/%s",
             scratch, path, text, scratch, path);
    cr_assert_eq(system(command), 0);
}

static uint64_t left(void)
{
    char groups[100];
    snprintf(groups, sizeof groups, "%s/groups", scratch);
    return memory_available(scratch, groups);
}

/* The narrowest of a host, a group and those around it counts; pages of files can be given back. */
Test(memory, of_a_host_and_of_groups_of_the_second_kind)
{
    cr_assert_eq(left(), UINT64_MAX);
    put("meminfo", "MemTotal: 9000 kB\nMemAvailable:   2000 kB\n");
    cr_assert_eq(left(), 2000 * 1024);
    put("self/cgroup", "0::/job/step\n");
    put("groups/job/memory.max", "1000000\n");
    put("groups/job/memory.current", "400000\n");
    put("groups/job/memory.stat", "anon 5\ninactive_file 50000\nactive_file 25000\n");
    put("groups/job/step/memory.max", "max\n");
    put("groups/job/step/memory.current", "300000\n");
    cr_assert_eq(left(), 675000);
    put("groups/job/step/memory.max", "350000\n");
    cr_assert_eq(left(), 50000);
}

/* In a container the group's own name may not be there: the outermost one is. */
Test(memory, of_groups_of_the_first_kind)
{
    put("self/cgroup", "5:cpu:/\n4:memory:/outside/name\n");
    put("groups/memory/memory.limit_in_bytes", "1000000\n");
    put("groups/memory/memory.usage_in_bytes", "1200000\n");
    put("groups/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 500000\n");
    cr_assert_eq(left(), 300000);
}

static void takes_too_much(void *arg)
{
    *(int *)arg = 1;
    memory_alloc(SIZE_MAX / 2);
    *(int *)arg = 2;
}

Test(memory, that_runs_out_ends_the_work)
{
    int reached = 0;
    cr_assert(!memory_try(takes_too_much, &reached));
    cr_assert_eq(reached, 1);
}

/* Each hash is found, also where many begin at one slot, and none that was not put there. */
Test(memory, look_ups)
{
    struct index l = {0};
    cr_assert_eq(lookup_find(&l, 5), UINT32_MAX);
    for (uint64_t i = 0; i < 1000; i++)
        lookup_add(&l, i << 32 | i % 7, i);
    for (uint64_t i = 0; i < 1000; i++) {
        cr_assert_eq(lookup_find(&l, i << 32 | i % 7), i);
        cr_assert_eq(lookup_find(&l, i << 32 | (i + 1) % 7), UINT32_MAX);
    }
    free(l.table);
}
