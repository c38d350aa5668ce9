/* What the library below MPI tells of a transport: by system calls of our own, over a pair of
 * sockets, and by starts of UCX that are none. */
#include "transport/watch.h"

#include "config.h"
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/uio.h>

static struct transport_event told[16];
static int n_told;
static uint64_t ticks;

static uint64_t next_tick(void)
{
    return ++ticks;
}

static int pair[2];

/* What is called from here is the layer's, and no event: with one there would be no end of them. */
static void take(const struct transport_event *event)
{
    if (n_told == 16)
        return;
    told[n_told++] = *event;
    if (pair[1])
        cr_expect_eq(send(pair[1], "own", 3, MSG_DONTWAIT), 3);
}

static void listen_now(void)
{
    collprof_transport_3.now = next_tick;
    collprof_transport_3.event = take;
    n_told = 0;
}

Test(transport, system_calls)
{
    char byte[100] = {0};
    struct iovec two[] = {{byte, 60}, {byte, 40}};
    struct msghdr message = {.msg_iov = two, .msg_iovlen = 2};
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    cr_assert_eq(send(pair[0], byte, 7, 0), 7); /* nobody listens */
    cr_assert_eq(recv(pair[1], byte, 7, 0), 7);
    listen_now();
    cr_assert_eq(recv(pair[1], byte, 7, MSG_DONTWAIT), -1); /* nothing there: moves nothing */
    cr_assert_eq(n_told, 0);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(send(pair[0], byte, 100, 0), 100);
    cr_assert_eq(writev(pair[0], two, 2), 100);
    cr_assert_eq(sendmsg(pair[0], &message, 0), 100);
    cr_assert_eq(recv(pair[1], byte, 50, 0), 50);
    cr_assert_eq(readv(pair[1], two, 1), 60);
    cr_assert_eq(recvmsg(pair[1], &message, 0), 100);
    static const struct {
        enum transport_kind kind;
        uint64_t bytes;
    } right[] = {{TRANSPORT_WROTE, 100}, {TRANSPORT_WROTE, 100}, {TRANSPORT_WROTE, 100},
                 {TRANSPORT_WROTE, 100}, {TRANSPORT_READ, 50},   {TRANSPORT_READ, 60},
                 {TRANSPORT_READ, 100}};
    cr_assert_eq(n_told, 7);
    for (int i = 0; i < n_told; i++) {
        cr_expect_eq(told[i].kind, right[i].kind, "%d", i);
        cr_expect_eq(told[i].bytes, right[i].bytes, "%d", i);
        cr_expect_eq(told[i].to - told[i].from, 1, "%d", i);
        cr_expect(!told[i].ours, "%d is the application's", i);
    }
}

Test(transport, who_is_of_mpi)
{
    static const char *const yes[] = {"/usr/lib/libmpi.so.40", "/a/libucp.so.0", "mca_pml_ob1.so",
                                      "/b/libopen-pal.so"},
                             *const no[] = {"/home/libmpi/application", "libc.so.6",
                                            "/usr/bin/libu"};
    for (int i = 0; i < 4; i++)
        cr_expect(transport_is_of_mpi(yes[i]), "%s", yes[i]);
    for (int i = 0; i < 3; i++)
        cr_expect(!transport_is_of_mpi(no[i]), "%s", no[i]);
}

enum { EACH = 1000, THREADS = 65 };
static uint32_t number[THREADS * EACH];

static void *take_numbers(void *arg)
{
    int me = *(const int *)arg;
    for (int i = 0; i < EACH; i++)
        number[me * EACH + i] = transport_number();
    return NULL;
}

static int by_size(const void *x, const void *y)
{
    return (*(const uint32_t *)x > *(const uint32_t *)y) -
           (*(const uint32_t *)x < *(const uint32_t *)y);
}

/* All starts have numbers of their own. */
Test(transport, threads)
{
    static int me[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        me[i] = i;
        cr_assert_eq(pthread_create(&thread[i], NULL, take_numbers, &me[i]), 0);
        if (i % 2)
            pthread_join(thread[i - 1], NULL), pthread_join(thread[i], NULL);
    }
    pthread_join(thread[THREADS - 1], NULL);
    qsort(number, THREADS * EACH, sizeof *number, by_size);
    cr_expect_gt(number[0], 0);
    for (int i = 1; i < THREADS * EACH; i++)
        cr_assert_neq(number[i], number[i - 1]);
}

/* The first thing that is seen in a poll is its beginning. */
Test(transport, first_of_a_poll)
{
    listen_now();
    watcher.first = 0;
    transport_record(&(struct transport_event){.from = 5});
    transport_record(&(struct transport_event){.from = 9});
    cr_expect_eq(n_told, 2);
    cr_expect_eq(watcher.first, 5);
    cr_expect(transport_listens());
}

#ifdef HAVE_UCX
#include "transport/ucx.h"

static const int mine;
static int called;

static void be_called(void *request, ucs_status_t status, void *user_data)
{
    (void)request;
    called += status == UCS_OK && user_data == &mine;
}

/* Of a start that is under way the end is told, and the callback that was given is called; what was
 * complete at once calls nobody; what was refused is none. */
Test(transport, starts_of_ucx)
{
    static char place[64]; /* what UCX returns for a start under way */
    ucp_request_param_t given = {.op_attr_mask =
                                     UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = be_called,
                                 .user_data = (void *)&mine},
                        own;
    listen_now();
    for (int k = 0; k < 3; k++) {
        const ucp_request_param_t *param = &given;
        struct start s = ucx_start_with_callback(TRANSPORT_SEND, COMPLETES_SEND, 8, &param, &own);
        cr_assert_eq(param, &own);
        cr_expect(!ucx_listens());
        ucx_started(&s, k == 0 ? place : k == 1 ? NULL : UCS_STATUS_PTR(UCS_ERR_NO_MEMORY));
        cr_expect(ucx_listens());
        if (k == 0)
            own.cb.send(place, UCS_OK, own.user_data);
    }
    cr_expect_eq(called, 1);
    cr_assert_eq(n_told, 3);
    cr_expect_eq(told[0].kind, TRANSPORT_SEND);
    cr_expect_eq(told[0].bytes, 8);
    cr_expect(!told[0].at_once && told[2].at_once);
    cr_expect_eq(told[1].kind, TRANSPORT_COMPLETED);
    cr_expect(told[1].number == told[0].number && told[2].number != told[0].number &&
              told[0].number);
}
#endif
