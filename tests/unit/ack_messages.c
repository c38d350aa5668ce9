/* Protects what --ack makes of its messages, whatever order they come in: whose acknowledgement is
 * whose, who is answered, and what is kept of many broadcasts. Messages here are sent to nobody. */
#include "inject/ack_inner.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MANY = 100 };

static struct ack_message *awaited[MANY]; /* where a message is received */
static int from[MANY], n_awaited;
static bool come[MANY], all_come;
static struct ack_message sent[MANY];
static int to[MANY], tags[MANY], n_sent;

int PMPI_Comm_get_attr(MPI_Comm comm, int key, void *value, int *known)
{
    (void)comm, (void)key, (void)value;
    *known = 0;
    return MPI_SUCCESS;
}

int PMPI_Irecv(void *data, int n, MPI_Datatype type, int source, int tag, MPI_Comm comm,
               MPI_Request *request)
{
    (void)n, (void)type, (void)tag, (void)comm;
    int at = n_awaited++ % MANY;
    awaited[at] = data;
    from[at] = source;
    memcpy(request, &at, sizeof at);
    return MPI_SUCCESS;
}

int PMPI_Send(const void *data, int n, MPI_Datatype type, int receiver, int tag, MPI_Comm comm)
{
    (void)n, (void)type, (void)comm;
    sent[n_sent % MANY] = *(const struct ack_message *)data;
    tags[n_sent % MANY] = tag;
    to[n_sent++ % MANY] = receiver;
    return MPI_SUCCESS;
}

/* Where ALL_COME, each message is of the broadcast that it is awaited of. */
int PMPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    int at;
    (void)status;
    memcpy(&at, request, sizeof at);
    *flag = all_come || come[at];
    if (all_come) {
        char *pending = (char *)awaited[at] - offsetof(struct ack_pending, message);
        awaited[at]->number = ((struct ack_pending *)(void *)pending)->number;
    }
    return MPI_SUCCESS;
}

static int world[] = {30, 20, 10}, streams;

static struct ack_stream stream(int size, int rank)
{
    return (struct ack_stream){.id = 7,
                               .size = size,
                               .rank = rank,
                               .world = world,
                               .streams = &streams,
                               .plan = {ACK_WORTH, 0, 0},
                               .began = clock_now()};
}

static void comes(int at, uint64_t number)
{
    awaited[at]->number = number;
    come[at] = true;
}

/* What was completed last is acknowledged first. */
Test(ack_messages, change_places_where_they_come_in_another_order)
{
    struct ack_stream a = stream(3, 0);
    struct ack_open first = {.number = 5, .broadcast = 0},
                    second = {.number = 6, .broadcast = 1, .next = &first};
    struct ack_pending *p[] = {ack_expect(&a, 1, ACK_TAG_ACK, &first),
                               ack_expect(&a, 2, ACK_TAG_ACK, &second),
                               ack_expect(&a, 1, ACK_TAG_ACK, &second)};
    a.open = &second;
    cr_assert(from[0] == 20 && from[1] == 10 && from[2] == 20);
    p[2]->waited_for = true;
    cr_assert_not(ack_has_come(&a, p[0]));
    comes(0, 6);
    cr_assert(ack_has_come(&a, p[0]));
    cr_expect(p[0]->number == 6 && p[0]->broadcast == 1 && p[0]->waited_for);
    cr_expect(p[2]->number == 5 && p[2]->broadcast == 0 && !p[2]->waited_for && !p[2]->done);
    cr_expect(p[1]->number == 6 && p[1]->broadcast == 1, "of another destination");
    ack_echo(&a, p[0], true);
    cr_assert_eq(n_sent, 1);
    cr_expect(to[0] == 20 && tags[0] == ack_tag(&a, ACK_TAG_ECHO));
    cr_expect(sent[0].number == 6 && sent[0].prompt);
}

/* Nobody looks any more for what comes when its broadcast is over: its sender waits for an answer.
 */
Test(ack_messages, late_ones_are_answered_and_forgotten)
{
    struct ack_stream a = stream(3, 0);
    struct ack_open over = {.number = 5}, open = {.number = 6};
    ack_expect(&a, 2, ACK_TAG_ACK, &over);
    ack_expect(&a, 1, ACK_TAG_ECHO, &over);
    ack_expect(&a, 1, ACK_TAG_ACK, &open);
    a.open = &open;
    comes(1, 5);
    comes(2, 6);
    ack_sweep(&a);
    cr_expect_eq(n_sent, 0, "an echo needs no answer, and one that is looked for gets it then");
    comes(0, 5);
    ack_sweep(&a);
    cr_assert_eq(n_sent, 1);
    cr_expect(to[0] == 10 && sent[0].number == 5 && !sent[0].prompt);
    cr_assert(a.pending && a.pending->number == 6 && !a.pending->next);
}

/* Every second one is forgotten when there are many, with its acknowledgement. */
Test(ack_messages, of_many_broadcasts_every_second_one_is_kept)
{
    static double number[2 * ACK_KEPT_MAX];
    struct ack_stream a = stream(2, 0);
    size_t n = 0;
    layer.settings.ack_share = 1e9;
    all_come = true;
    for (int k = 0; k < 10000 && n < ACK_KEPT_MAX + 50; k++) {
        struct ack_open o;
        ack_begin(&a, &o, 8, false);
        if (o.kind == ACK_NOW)
            number[n++] = k;
        ack_complete(&o, &(struct ack_end){k, k, true, true, 0.01}, false);
    }
    cr_assert(a.thinned == 1 && a.n == ACK_KEPT_MAX / 2 + 50 && a.n_seen == a.n);
    for (size_t k = 0; k < a.n; k++) {
        size_t was = k < ACK_KEPT_MAX / 2 ? 2 * k : k + ACK_KEPT_MAX / 2;
        cr_assert_eq(a.stamp[k].entry, number[was], "%zu", k);
        cr_assert_eq(a.seen[k].broadcast, k);
    }
    cr_expect(a.acknowledged == n && a.given_up == 0);
}
