/* Handles early ends of a process: signals, exit without MPI_Finalize. The record is always
 * complete, since it is a mapped file; only the kind of end is added. The process ends just as it
 * would without the layer. */
#include "base/ending.h"
#include "base/quote.h"
#include "base/status.h"
#include "layer/parts.h"
#include "transport/transport.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Faults may already have a handler (UCX sets some), which is called after ours. Other signals are
 * caught only if they would end the process by default. */
static const int watched[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,    SIGABRT, SIGTERM,
                              SIGINT,  SIGHUP,  SIGQUIT, SIGXCPU,   SIGUSR1, SIGUSR2,
                              SIGALRM, SIGPIPE, SIGXFSZ, SIGVTALRM, SIGPROF, SIGSYS};
enum { N_FAULTS = 5, N_WATCHED = sizeof watched / sizeof *watched };
static struct sigaction previous[N_WATCHED];
static bool own[N_WATCHED]; /* the handler belongs to the application, not to MPI, whose handler
                               ends the process by the same signal */

/* A child that shares our memory (vfork) is not this process. */
static bool has_a_say(void)
{
    return layer.phase == LAYER_RUNNING && getpid() == layer.pid;
}

static bool is_about_a_signal(uint32_t state)
{
    return state == LEDGER_SIGNALLED || state == LEDGER_HANDLED;
}

/* The message of a rank that ends before MPI_Finalize. If the signal came from outside (Ctrl-C, a
 * batch system), only rank 0 prints it. */
static char farewell[1200];
static void say_farewell(int number)
{
    bool from_outside =
        number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGXCPU;
    if (has_a_say() && (layer.rank == 0 || !from_outside) &&
        write(STDERR_FILENO, farewell, strlen(farewell)) < 0)
        *farewell = '\0'; /* the reader is gone */
}

/* Records how the process ended. The first recorded end is kept, except after a signal that the
 * process survived: then a later end replaces it. */
void record_mark_end(enum ledger_state state, int detail)
{
    struct ledger_header *h = has_a_say() ? layer.ledger.header : NULL;
    if (!h)
        return;
    bool over = ledger_went_on(h), after_signal = !over && is_about_a_signal(h->state);
    if (state != LEDGER_FINALIZED) {
        if (h->state != LEDGER_RUNNING && !over && !after_signal)
            return;
        if (after_signal && !is_about_a_signal(state))
            detail = h->state_detail;
    }
    h->pair[1] = (struct clock_pair){clock_ticks(), clock_now()};
    h->state_detail = detail;
    h->state = state;
}

__attribute__((destructor)) static void at_exit(void)
{
    if (has_a_say() && layer.ledger.header->state == LEDGER_RUNNING)
        say_farewell(0);
    record_mark_end(LEDGER_EXITED, 0);
}

/* Whether the process survives signal NUMBER after its handler has returned. It does not if the
 * handler raised the signal again, or left a fault to the default action. */
static bool got_over(int number)
{
    sigset_t pending;
    struct sigaction now;
    return !sigpending(&pending) && !sigismember(&pending, number) &&
           !sigaction(number, NULL, &now) &&
           ((now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL);
}

/* Only async-signal-safe calls. Restores the previous action and raises the signal again, so that
 * the process ends as it would without the layer. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int i = 0;
    while (i < N_WATCHED && watched[i] != number)
        i++;
    if (i == N_WATCHED)
        return;
    struct ledger_header *h = has_a_say() ? layer.ledger.header : NULL;
    if (ending_is_due(info)) {
        record_mark_end(LEDGER_SIGNALLED, number);
        _exit(STATUS_STUCK);
    }
    const uint32_t state = h ? h->state : LEDGER_RUNNING;
    const int32_t detail = h ? h->state_detail : 0;
    record_mark_end(own[i] ? LEDGER_HANDLED : LEDGER_SIGNALLED, number);
    if (!own[i] && state == LEDGER_RUNNING)
        say_farewell(number);
    const struct sigaction *before = &previous[i];
    struct sigaction now = *before;
    if (now.sa_flags &
        (int)SA_RESETHAND) /* the kernel also resets such a handler before calling it */
        now = (struct sigaction){.sa_handler = SIG_DFL};
    sigaction(number, &now, NULL);
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
    else
        raise(number);
    if (h && got_over(number)) { /* the process survived */
        h->state_detail = detail;
        h->state = state;
    }
}

static bool is_mpis(const struct sigaction *a)
{
    Dl_info info;
    void *handler = a->sa_flags & SA_SIGINFO ? (void *)a->sa_sigaction : (void *)a->sa_handler;
    return dladdr(handler, &info) && info.dli_fname && transport_is_of_mpi(info.dli_fname);
}

void ends_watch(void)
{
#ifdef COLLPROF_SIMULATED
    return; /* in the simulator all ranks are one process */
#endif
    at_quick_exit(at_exit);
    if (layer.ledger.in_file) {
        snprintf(farewell, sizeof farewell - 1,
                 "collprof: rank %d ends before its MPI_Finalize: `collprof report %s` shows what "
                 "was recorded",
                 layer.rank, run_directory.shown);
        quote_plain(farewell);
        strcat(farewell, "\n");
    }
    for (int i = 0; i < N_WATCHED; i++) {
        if (sigaction(watched[i], NULL, &previous[i]))
            continue;
        bool default_action =
            !(previous[i].sa_flags & SA_SIGINFO) && previous[i].sa_handler == SIG_DFL;
        own[i] = !default_action && !is_mpis(&previous[i]);
        bool ignored = !(previous[i].sa_flags & SA_SIGINFO) && previous[i].sa_handler == SIG_IGN;
        if (ignored || (i >= N_FAULTS && !default_action))
            continue;
        struct sigaction mine = {.sa_sigaction = on_signal,
                                 .sa_mask = previous[i].sa_mask,
                                 .sa_flags = previous[i].sa_flags | SA_SIGINFO | SA_ONSTACK};
        mine.sa_flags &= ~(int)SA_RESETHAND;
        sigaction(watched[i], &mine, NULL);
    }
}
