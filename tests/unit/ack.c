/* Protects the arithmetic of --ack: who acknowledges, which broadcasts, and what is concluded from
 * it. */
#include "inject/ack_judge.h"
#include "unit.h"

/* With k broadcasts a step one destination must not have always the same of them. */
Test(ack, each_member_once_a_round_in_an_order_of_its_own)
{
    int first[2][6];
    for (int size = 2; size <= 17; size++)
        for (uint64_t round = 0; round < 20; round++) {
            bool had[17] = {false};
            for (uint64_t t = 0; t < (uint64_t)size - 1; t++) {
                int i = ack_destination(77, size, 1, round * ((uint64_t)size - 1) + t);
                cr_assert(i >= 0 && i < size && i != 1 && !had[i]);
                had[i] = true;
                if (size == 7 && round < 2)
                    first[round][t] = i;
            }
        }
    cr_assert(memcmp(first[0], first[1], sizeof first[0]));
}

Test(ack, one_of_every_so_many_at_random)
{
    int at[5] = {0};
    for (uint64_t block = 0; block < 100; block++) {
        int chosen = 0;
        for (uint64_t i = 0; i < 5; i++)
            if (ack_is_chosen(3, 5 * block + i, 5)) {
                chosen++;
                at[i]++;
            }
        cr_assert_eq(chosen, 1);
    }
    for (int i = 0; i < 5; i++)
        cr_assert_gt(at[i], 8);
    cr_assert(ack_is_chosen(3, 17, 1));
}

Test(ack, median_of_bounds_and_values)
{
    double low[] = {10, 5, 30, 20};
    bool first[] = {false, true, false, false};
    struct estimate f = ack_median(low, first, 4);
    cr_assert_float_eq(f.value, 15, 1e-9);
    double high[] = {10, 40, 11, 40, 12}, again[] = {10, 40, 11, 40, 12};
    bool bounds[] = {false, true, false, true, false};
    f = ack_median(high, bounds, 5);
    cr_assert_float_eq(f.value, 11, 1e-9, "bounds above the rest say nothing");
    cr_assert_eq(f.low, 0);
    cr_assert_eq(f.high, 40);
    bool half[] = {false, true, false, true};
    f = ack_median(again, half, 4);
    cr_assert(isnan(f.value) && isnan(f.low) && f.high == 40);
}

enum { N = 20, P = 4 };

/* No rank acknowledged. */
static const struct ack_seen none[N];

static struct ack_stamp stamp[P][N];
static struct ack_verdict v[P];

/* What is concluded, V; it is the same if another rank is the root. */
static bool judge(const struct ack_seen *seen)
{
    struct ack_stamp turned[P][N];
    struct ack_seen other[N];
    struct ack_verdict w[P];
    for (int i = 0; i < P; i++)
        memcpy(turned[(i + 1) % P], stamp[i], sizeof *turned);
    for (int k = 0; k < N; k++) {
        other[k] = seen[k];
        other[k].from = (seen[k].from + 1) % P;
    }
    bool good = ack_judge(stamp[0], N, P, 0, seen, 0, v);
    cr_assert_eq(ack_judge(turned[0], N, P, 1, other, 0, w), good);
    for (int i = 1; i < P; i++) {
        const struct ack_verdict *a = &v[i], *b = &w[(i + 1) % P];
        cr_expect(a->clean == b->clean && a->doubt == b->doubt && a->asked == b->asked);
        cr_expect_arr_eq(&a->direct, &b->direct, sizeof a->direct, "rank %d", i);
    }
    return good;
}

/* 0 sends to 1 and to 2, 2 to 3, each in 10 us; all wait but 2, which is LATE[k % 2]. */
static void play(const double late[2])
{
    for (int k = 0; k < N; k++) {
        double root = k, at2 = fmax(root + 10e-6, root + late[k % 2]);
        for (int j = 0; j < P; j++)
            stamp[j][k] =
                (struct ack_stamp){.entry = root - 1e-4, .hold = NAN, .round_trip = 20e-6};
        stamp[0][k] = (struct ack_stamp){
            .entry = root, .exit = root + 1e-6, .hold = NAN, .round_trip = NAN, .idle = 1};
        stamp[1][k].exit = root + 10e-6;
        stamp[2][k].exit = at2;
        stamp[3][k].exit = at2 + 10e-6;
        if (late[k % 2] > 0)
            stamp[2][k].entry = root + late[k % 2];
    }
}

Test(ack, constant_lateness_is_not_latency)
{
    play((double[]){1e-3, 1e-3});
    cr_assert(judge(none));
    cr_assert_float_eq(v[1].direct.value, 10e-6, 1e-9, "1 has returned before 2 came");
    cr_assert(v[1].doubt == ACK_MISSING && v[1].missing_rank == 2, "and may have been quicker");
    cr_assert(isnan(v[2].direct.value) && v[2].doubt == ACK_DELAYED);
    cr_assert(isnan(v[3].direct.value) && v[3].doubt == ACK_DELAYED);
}

Test(ack, inherited_lateness_is_told_with_the_latency)
{
    play((double[]){0, 1e-3});
    cr_assert(judge(none));
    cr_assert_float_eq(v[2].direct.value, 10e-6, 1e-9);
    cr_assert_float_eq(v[3].direct.value, 20e-6, 1e-9);
    cr_assert_eq(v[1].doubt, ACK_NO_DOUBT, "there were some with 2 in time");
    cr_assert_eq(v[1].clean, N / 2);
    cr_assert_eq(v[3].clean, N / 2, "not those that 2 has delayed");
}

/* What the root sent just before may be in the way. */
Test(ack, broadcasts_in_a_row)
{
    play((double[]){0, 0});
    for (int k = 0; k < N; k++)
        stamp[0][k].idle = k % 2 ? 12e-6 : 1;
    for (int k = 1; k < N; k += 2)
        stamp[3][k].exit += 5e-6;
    cr_assert(judge(none));
    cr_assert(v[1].clean == N && !v[1].doubt, "it was done by then");
    cr_assert(v[3].clean == N / 2 && !v[3].doubt);
    cr_assert_float_eq(v[3].direct.value, 20e-6, 1e-9);
    for (int k = 0; k < N; k++)
        stamp[0][k].idle = 12e-6;
    cr_assert(judge(none));
    cr_assert(v[3].clean == N && v[3].doubt == ACK_CROWDED && !v[1].doubt);
}

/* Where a receiver's readiness is told to the sender, entering together with the root costs a way.
 */
Test(ack, readiness_is_asked_for_where_there_is_any)
{
    play((double[]){0, 0});
    for (int k = N - 1; k >= 0; k--) {
        if (k == 1) {
            cr_assert(judge(none));
            cr_assert_float_eq(v[1].direct.value, 10e-6, 1e-9, "the two that all were ready for");
            cr_assert(v[1].clean == 2 && !v[1].doubt);
        }
        for (int j = 1; j < P; j++) {
            stamp[j][k].entry = stamp[0][k].entry;
            stamp[j][k].exit += 10e-6;
        }
    }
    cr_assert(judge(none));
    cr_assert_float_eq(v[1].direct.value, 20e-6, 1e-9);
    cr_assert(v[1].doubt == ACK_UNREADY);
}

/* E_i - hold - RTL/2; what was given up counts for nothing, and less than nothing is not known. */
Test(ack, acknowledged_latency)
{
    struct ack_seen seen[N];
    play((double[]){0, 0});
    for (int k = 0; k < N; k++) {
        stamp[3][k].hold = 2e-6;
        seen[k] = (struct ack_seen){3, k % 4 ? ACK_SEEN : ACK_GIVEN_UP, 32e-6};
    }
    cr_assert(judge(seen));
    cr_assert_float_eq(v[3].acknowledged.value, 20e-6, 1e-9);
    cr_assert_eq(v[3].given_up, N / 4);
    cr_assert(isnan(v[1].acknowledged.value));
    for (int k = 0; k < N; k++)
        seen[k] = (struct ack_seen){3, k < 5 ? ACK_EARLY : ACK_SEEN, 9e-6};
    cr_assert(judge(seen));
    cr_assert(isnan(v[3].acknowledged.value));
    cr_assert(v[3].asked == N && v[3].given_up == 0);
    for (int k = 0; k < N; k++)
        seen[k] = (struct ack_seen){3, ACK_SEEN, k % 5 < 3 ? 9e-6 : 40e-6};
    cr_assert(judge(seen));
    cr_assert(isnan(v[3].acknowledged.value), "the median is negative, its interval is not");
}
