/* What ends a process early: signals, exit without MPI_Finalize. The record is complete in any
 * case, since it is a mapped file; all that is added here is how it ended. The process ends
 * just as it would have without us. */
#include "layer/life.h"
#include "record/entries.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Faults may have a handler already (UCX sets some): it is called after ours. Of the other signals
 * only those are caught that would have ended the process by default. */
static const int watched[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,    SIGABRT, SIGTERM,
                              SIGINT,  SIGHUP,  SIGQUIT, SIGXCPU,   SIGUSR1, SIGUSR2,
                              SIGALRM, SIGPIPE, SIGXFSZ, SIGVTALRM, SIGPROF, SIGSYS};
enum { N_FAULTS = 5, N_WATCHED = sizeof watched / sizeof *watched };
static struct sigaction previous[N_WATCHED];

void ends_mark(enum ledger_state state, int detail)
{
    struct ledger_header *h = layer.ledger.header;
    /* A process that got over a signal and reaches MPI_Finalize has ended well after all. */
    if (layer.phase != LAYER_RUNNING || getpid() != layer.pid ||
        (h->state != LEDGER_RUNNING && !ledger_went_on(h) && state != LEDGER_FINALIZED))
        return;
    h->pair[1] = (typeof(h->pair[1])){clock_ticks(), clock_now()};
    h->state_detail = detail;
    h->state = state;
}

/* Only async-signal-safe calls. With the previous action back in place, raising again gives the
 * same end as if we had never been here. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int i = 0;
    while (i < N_WATCHED && watched[i] != number)
        i++;
    if (i == N_WATCHED)
        return;
    ends_mark(LEDGER_SIGNALLED, number);
    const struct sigaction *before = &previous[i];
    sigaction(number, before, NULL);
    if (before->sa_flags & SA_SIGINFO)
        before->sa_sigaction(number, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(number);
    else
        raise(number);
}

void ends_watch(void)
{
#ifdef COLLPROF_SIMULATED
    return; /* all ranks are one process */
#endif
    for (int i = 0; i < N_WATCHED; i++) {
        if (sigaction(watched[i], NULL, &previous[i]))
            continue;
        bool default_action =
            !(previous[i].sa_flags & SA_SIGINFO) && previous[i].sa_handler == SIG_DFL;
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

__attribute__((destructor)) static void at_exit(void)
{
    ends_mark(LEDGER_EXITED, 0);
}
