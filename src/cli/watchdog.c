/* The watchdog of `collprof run --watchdog`: a process on each host that reads the records of the
 * running ranks, and reports why they do not progress (verdict/text.h).
 *
 * It lives until the last rank on its host ends, in a session of its own, and writes to the
 * launcher's standard error. It is no rank's child, so no application's wait() can find it. */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/input.h"
#include "document/json.h"
#include "document/save.h"
#include "verdict/hosts.h"
#include "verdict/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Identifies a verdict: two verdicts with equal KIND, FIRST and N count as the same verdict. */
struct alarm {
    enum verdict_kind kind;
    int32_t first; /* lowest rank at fault; -1 if none */
    size_t n;
    double since; /* clock_now() when this verdict was new; it has not changed since then */
};

struct watchdog {
    const char *output;
    double seconds;
    bool abort;
    int door;                    /* socket to which ranks send their process number */
    ARRAY(struct pollfd) ends;   /* pidfds of the running ranks */
    ARRAY(pid_t) ranks;          /* process numbers of the running ranks, in the order of ENDS */
    struct alarm seen, reported; /* the previous verdict; the verdict reported last */
    char host[64];
    char *summary; /* directory of the run, if it has this host's summary for other hosts
                      (verdict/hosts.h); otherwise NULL */
};

/* Sets A to the address of RUN's socket, and returns its length. The address is abstract (Linux):
 * it is no file and vanishes with the socket. */
static socklen_t address_of(uint64_t run, struct sockaddr_un *a)
{
    *a = (struct sockaddr_un){.sun_family = AF_UNIX};
    int n = snprintf(a->sun_path + 1, sizeof a->sun_path - 1, "collprof-watchdog-%u-%016llx",
                     (unsigned)geteuid(), (unsigned long long)run);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

static void add_rank(struct watchdog *w, pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return; /* the process has already ended */
    *PUSH(&w->ends) = (struct pollfd){.fd = fd, .events = POLLIN};
    *PUSH(&w->ranks) = pid;
}

/* Registers the processes whose numbers were sent to DOOR. Any user can send there, so kill()
 * checks that a process belongs to this user. */
static void admit(struct watchdog *w)
{
    pid_t pid;
    while (recv(w->door, &pid, sizeof pid, MSG_DONTWAIT) >= 0)
        if (pid > 1 && kill(pid, 0) == 0)
            add_rank(w, pid);
}

static void forget_ended(struct watchdog *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->ends.n; i++) {
        if (w->ends.at[i].revents) {
            close(w->ends.at[i].fd);
            continue;
        }
        w->ends.at[kept] = w->ends.at[i];
        w->ranks.at[kept++] = w->ranks.at[i];
    }
    w->ends.n = w->ranks.n = kept;
}

static pid_t parent_of(pid_t pid)
{
    char text[1024];
    int parent = 0;
    return sscanf(input_process(pid, text), "%*c %d", &parent) == 1 ? parent : 0;
}

/* Whether PID is a registered process or its descendant (a registered process may be a shell). */
static bool is_ours(const void *watchdog, pid_t pid)
{
    const struct watchdog *w = watchdog;
    for (; pid > 1; pid = parent_of(pid))
        for (size_t i = 0; i < w->ranks.n; i++)
            if (w->ranks.at[i] == pid)
                return true;
    return false;
}

/* Sets an open call's age to 0 while it is below 20 times the longest earlier call at its call site
 * (at least SECONDS, at most 10 times SECONDS): some call sites always have long calls. */
static void allow_for_waits(struct situation *s, double seconds)
{
    for (size_t i = 0; i < s->n_ranks; i++) {
        struct open_call *c = &s->rank[i].call;
        if (c->seconds < fmin(fmax(seconds, 20 * c->longest), 10 * seconds))
            c->seconds = 0;
    }
}

static bool is_of_several_hosts(const struct situation *s)
{
    bool several = false;
    for (size_t i = 0; i < s->n_ranks; i++)
        several = several || s->rank[i].other_host;
    return several;
}

/* Whether this host's watchdog reports V. Only one host's does: that of the lowest living rank.
 * None does if a rank at fault is on a host that reported progress of all its ranks. */
static bool reports_here(const struct situation *s, const struct verdict *v)
{
    size_t lowest = 0;
    bool moving = false;
    while (lowest < s->n_ranks && !s->rank[lowest].alive)
        lowest++;
    for (size_t i = 0; i < s->n_ranks; i++)
        moving = moving || (v->at_fault[i] && s->rank[i].moving);
    return !moving && (lowest == s->n_ranks || !s->rank[lowest].other_host);
}

/* Writes V to VERDICT_FILE before the ranks are ended: afterwards their records do not show it. */
static void verdict_save(const char *directory, struct situation *s, const struct verdict *v)
{
    char path[4400];
    struct save save;
    snprintf(path, sizeof path, "%s/" VERDICT_FILE, directory);
    s->live = false; /* the verdict's text is for readers after the end of the run */
    bool good = save_open(&save, path);
    if (good) {
        json_write(verdict_json(s, v), save.out, true);
        good = save_commit(&save);
    }
    if (!good)
        reason_print_stored("collprof watchdog");
}

/* Prints V by one write(), since ranks also write to standard error. ENDS: the run is ended. */
static void report(const struct situation *s, const struct verdict *v, bool ends)
{
    FREED char *text = NULL;
    size_t size = 0;
    FILE *out = memory_open_text(&text, &size);
    json_auto_t *value = verdict_json(s, v);
    verdict_write(value, out, "collprof watchdog: ", 80);
    if (ends)
        fprintf(out, "collprof watchdog: the run is ended with status %d (--watchdog-abort)\n",
                STATUS_STUCK);
    fclose(out);
    if (write(STDERR_FILENO, text, size) < 0)
        close(STDERR_FILENO); /* the reader of standard error is gone */
}

static void signal_ranks(const struct situation *s, int number)
{
    union sigval value = {.sival_int = ENDING_VALUE};
    for (const struct rank_view *r = s->rank; r < s->rank + s->n_ranks; r++) {
        if (!r->alive || r->other_host)
            continue;
        sigqueue((pid_t)r->pid, number, value);
        kill((pid_t)r->pid, SIGCONT); /* a stopped process handles NUMBER only after this */
    }
}

/* Ends this host's ranks by SIGTERM, at which the layer exits with STATUS_STUCK. Ranks that still
 * run after 3 seconds, since the application handles SIGTERM, are ended by SIGKILL. */
static void end_ranks(struct watchdog *w, const struct situation *s)
{
    enum { TURN = 100, GRACE = 3000 }; /* ms */
    signal_ranks(s, SIGTERM);
    for (int i = 0; i < GRACE / TURN && w->ends.n; i++)
        if (poll(w->ends.at, w->ends.n, TURN) > 0)
            forget_ended(w);
    if (w->ends.n)
        signal_ranks(s, SIGKILL);
}

static bool is_same(const struct alarm *a, const struct alarm *b)
{
    return a->kind == b->kind && a->first == b->first && a->n == b->n;
}

/* Whether each living rank is stopped, or has been in one MPI call for SECONDS. */
static bool is_still(const struct situation *s, double seconds)
{
    bool still = true;
    for (const struct rank_view *r = s->rank; r < s->rank + s->n_ranks; r++) {
        const bool waits = r->call.open && (r->call.seconds < 0 || r->call.seconds >= seconds);
        still = still && (!r->alive || r->state == RANK_STOPPED || (waits && !r->moving));
    }
    return still;
}

/* Whether V can be reported: it must equal the previous verdict. If V is about a stopped or ended
 * process, V must have held for w->seconds; open calls in other verdicts are that old anyway. With
 * several hosts V must have held for 3 seconds, the greatest age of other hosts' data. */
static bool holds(const struct watchdog *w, const struct alarm *now, const struct situation *s,
                  const struct verdict *v)
{
    enum { HOSTS = 3 /* s */ };
    const bool process = v->kind <= VERDICT_STOPPED;
    return v->kind != VERDICT_MOVING && (!process || v->n_waiting || is_still(s, w->seconds)) &&
           is_same(now, &w->seen) &&
           clock_now() - now->since >=
               fmax(process ? w->seconds : 0, is_of_several_hosts(s) ? HOSTS : 0);
}

/* Makes a verdict from the records, and reports it unless the previous report was the same. */
static void judge(struct watchdog *w)
{
    FREED char *directory = runs_newest(w->output, 0, is_ours, w);
    struct situation *s = directory ? situation_read(directory, w->seconds) : NULL;
    if (s && is_of_several_hosts(s) && hosts_write(directory, w->host, s, w->seconds / 2) &&
        !w->summary)
        w->summary = memory_strdup(directory);
    if (!s)
        return;
    allow_for_waits(s, w->seconds);
    struct verdict *v = verdict_of(s);
    const bool *first = memchr(v->at_fault, true, s->n_ranks);
    struct alarm now = {v->kind, first ? (int32_t)(first - v->at_fault) : -1, v->n, clock_now()};
    if (is_same(&now, &w->seen))
        now.since = w->seen.since;
    const bool reports = holds(w, &now, s, v) && reports_here(s, v),
               ends = reports && w->abort && v->proven;
    if (ends || (reports && !is_same(&now, &w->reported))) {
        report(s, v, ends);
        w->reported = now;
    }
    if (ends) {
        verdict_save(directory, s, v);
        end_ranks(w, s);
    }
    w->seen = now;
    verdict_free(v);
    situation_free(s);
}

static void watch(struct watchdog *w)
{
    double pause = w->seconds < 4 ? w->seconds / 4 : 1, due = clock_now() + pause;
    for (admit(w); w->ends.n; admit(w)) {
        double left = due - clock_now();
        int n = poll(w->ends.at, w->ends.n, left > 0 ? (int)(1000 * left) + 1 : 0);
        if (n > 0)
            forget_ended(w);
        else if (n == 0) {
            judge(w);
            due = clock_now() + pause;
        }
    }
    if (w->summary)
        hosts_remove(w->summary, w->host);
    _exit(0);
}

/* Makes the calling process the watchdog: in its own session, with no descriptors but DOOR and
 * standard error. FIRST: process of the rank that starts the watchdog. */
static void become_watchdog(struct watchdog *w, pid_t first)
{
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    w->door = dup2(w->door, STDERR_FILENO + 1);
    close_range((unsigned)w->door + 1, ~0u, 0);
    add_rank(w, first); /* FIRST is alive: it waits until this process has forked and exits */
    setsid();
    if (fork() != 0)
        _exit(0);
    signal(SIGPIPE, SIG_IGN);
    gethostname(w->host, sizeof w->host - 1);
    if (chdir("/") == 0)
        watch(w);
    _exit(0);
}

int watchdog_register(uint64_t run, const char *output, double seconds, bool abort)
{
    struct sockaddr_un address;
    const socklen_t size = address_of(run, &address);
    const pid_t rank = getpid();
    int error = 0;
    CLOSED int bell = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0),
               door = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    setsockopt(bell, SOL_SOCKET, SO_SNDTIMEO, &(struct timeval){.tv_sec = 2},
               sizeof(struct timeval));
    /* Sends this process's number to the watchdog; if there is none, binds its address and starts
     * it. Both may fail while another process starts or ends a watchdog: then tries again. */
    for (int attempt = 0; attempt < 3; attempt++) {
        error = 0;
        if (sendto(bell, &rank, sizeof rank, MSG_NOSIGNAL, (struct sockaddr *)&address, size) > 0)
            break;
        error = errno;
        if (bind(door, (struct sockaddr *)&address, size))
            continue;
        struct watchdog w = {.output = output, .seconds = seconds, .abort = abort, .door = door};
        pid_t child = fork();
        if (child == 0)
            become_watchdog(&w, rank);
        error = child < 0 ? errno : 0;
        if (child > 0)
            waitpid(child, NULL, 0);
        break;
    }
    return error;
}
