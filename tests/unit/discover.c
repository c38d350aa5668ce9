/* Protects the way from a dependency matrix to a tree: what each kind of broadcast looks like,
 * and that a matrix which is no tree is never drawn as one. */
#include "measure/latency/discover.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MAX = 8 };

static int parent[MAX], depth[MAX];

static enum discover_shape find(const char *const rows[], int root)
{
    unsigned char matrix[MAX * MAX];
    int n = (int)strlen(rows[0]);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            matrix[i * n + j] = rows[i][j] == '1';
    return discover_tree(matrix, n, root, parent, depth);
}

static void expect_parents(const int *wanted, int n)
{
    for (int i = 0; i < n; i++)
        cr_assert_eq(parent[i], wanted[i], "parent of %d: %d", i, parent[i]);
}

Test(discover, binomial)
{
    const char *rows[] = {"1000", "1100", "1010", "1011"};
    cr_assert_eq(find(rows, 0), DISCOVER_TREE);
    expect_parents((int[]){-1, 0, 0, 2}, 4);
    cr_assert_eq(depth[3], 2);
}

Test(discover, a_chain_from_another_root)
{
    const char *rows[] = {"1011", "1111", "0010", "0011"};
    cr_assert_eq(find(rows, 2), DISCOVER_TREE);
    expect_parents((int[]){3, 0, -1, 2}, 4);
}

Test(discover, flat_under_back_pressure)
{
    /* The root waits for all, each task for those served before it. */
    const char *rows[] = {"1111", "1100", "1110", "1111"};
    cr_assert_eq(find(rows, 0), DISCOVER_BACK_PRESSURE);
    expect_parents((int[]){-1, 0, 0, 0}, 4);
}

Test(discover, a_chain_under_back_pressure)
{
    const char *rows[] = {"1100", "1110", "1111", "1111"};
    cr_assert_eq(find(rows, 0), DISCOVER_BACK_PRESSURE);
    expect_parents((int[]){-1, 0, 1, 2}, 4);
    cr_assert_eq(depth[3], 3);
}

Test(discover, two_ranks)
{
    const char *eager[] = {"10", "11"}, *waiting[] = {"11", "11"};
    cr_assert_eq(find(eager, 0), DISCOVER_TREE);
    cr_assert_eq(find(waiting, 0), DISCOVER_BACK_PRESSURE);
    expect_parents((int[]){-1, 0}, 2);
}

Test(discover, scatter_and_allgather)
{
    const char *rows[] = {"1111", "1111", "1111", "1111"};
    cr_assert_eq(find(rows, 0), DISCOVER_ALL_TO_ALL);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(parent[i], -1);
}

Test(discover, two_parents_are_no_tree)
{
    /* 3 needs 1 and 2, which do not need each other. */
    const char *rows[] = {"1000", "1100", "1010", "1111"};
    cr_assert_eq(find(rows, 0), DISCOVER_OTHER);
    cr_assert_eq(parent[3], -1);
    /* 1 and 2 need each other: neither is the other's parent. */
    cr_assert_eq(find((const char *[]){"1000", "1110", "1110", "1001"}, 0), DISCOVER_OTHER);
    /* The root needs 2, as it would under back-pressure, but not 1. */
    cr_assert_eq(find((const char *[]){"101", "110", "101"}, 0), DISCOVER_OTHER);
}
