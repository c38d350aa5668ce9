/* What ranks that do not talk leave with their launcher: the words that are sent, and what is made
 * of the answers. */
#include "layer/store.h"
#include "unit.h"

#include <pthread.h>
#include <sys/socket.h>

/* A launcher of the words of version 1 of PMI, with room for one value. */
struct service {
    int fd;
    const char *refuses; /* what it is asked with this in it */
    char asked[2048];    /* all of it */
};

static void *serve(void *arg)
{
    struct service *s = arg;
    char line[512], value[64] = "", answer[256];
    for (ssize_t n; (n = recv(s->fd, line, sizeof line - 1, 0)) > 0;) {
        line[n] = '\0';
        strcat(s->asked, line);
        int rc = s->refuses && strstr(line, s->refuses) ? -1 : 0;
        const char *put = strstr(line, " value=");
        if (put)
            sscanf(put, " value=%63s", value);
        if (strstr(line, "kvsname\n"))
            snprintf(answer, sizeof answer, "cmd=my_kvsname kvsname=kvs_12_0\n");
        else
            snprintf(answer, sizeof answer, "cmd=done rc=%d msg=ok value=%s\n", rc, value);
        for (const char *c = answer; *c; c++) /* answers may come in parts */
            send(s->fd, c, 1, MSG_NOSIGNAL);
    }
    return NULL;
}

static void serves(struct service *s, pthread_t *server)
{
    int pair[2];
    char number[16];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    s->fd = pair[1];
    snprintf(number, sizeof number, "%d", pair[0]);
    setenv("PMI_FD", number, 1);
    setenv("MPI_LOCALNRANKS", "2", 1);
    cr_assert_eq(pthread_create(server, NULL, serve, s), 0);
}

static void ends(struct service *s, pthread_t server)
{
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(server, NULL);
}

Test(store, there_and_back)
{
    struct service s = {0};
    pthread_t server;
    serves(&s, &server);
    cr_expect(pmi_store_open() && pmi_store_put(3));
    cr_expect(pmi_store_has(3));
    ends(&s, server);
    cr_expect_str_eq(s.asked, "cmd=init pmi_version=1 pmi_subversion=1\n"
                              "cmd=get_my_kvsname\n"
                              "cmd=put kvsname=kvs_12_0 key=collprof-3 value=1\n"
                              "cmd=get kvsname=kvs_12_0 key=collprof-3\n");
}

Test(store, refusals)
{
    static const char *const refused[] = {"cmd=init", "cmd=put"}; /* in this order */
    for (int i = 0; i < 2; i++) {
        struct service s = {.refuses = refused[i]};
        pthread_t server;
        serves(&s, &server);
        cr_expect_not(pmi_store_open() && pmi_store_put(3), "%s", refused[i]);
        ends(&s, server);
    }
}

Test(store, a_launcher_that_has_gone)
{
    struct service s = {.refuses = "cmd=get kvs"};
    pthread_t server;
    serves(&s, &server);
    cr_expect(pmi_store_open() && pmi_store_put(3));
    cr_expect_not(pmi_store_has(3));
    ends(&s, server);
    cr_expect_not(pmi_store_has(3));
}

Test(store, another_launchers_number)
{
    struct service s = {0};
    pthread_t server;
    serves(&s, &server);
    unsetenv("MPI_LOCALNRANKS");
    cr_expect_eq(pmi_store_open(), 0);
    ends(&s, server);
    cr_expect_str_empty(s.asked);
}
