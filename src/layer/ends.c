/* What ends a process early: signals, exit without MPI_Finalize. The record is complete in any
 * case, since it is a mapped file; all that is added here is how it ended. The process ends
 * just as it would have without us. */
#include "layer/life.h"
#include "record/entries.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,  SIGABRT, SIGTERM,
                            SIGINT,  SIGHUP, SIGQUIT, SIGXCPU, SIGUSR1, SIGUSR2};
enum { N_FATAL = sizeof fatal / sizeof *fatal };
static struct sigaction previous[N_FATAL];

void ends_mark(enum ledger_state state, int detail)
{
    struct ledger_header *h = layer.ledger.header;
    if (layer.phase != LAYER_RUNNING || getpid() != layer.pid || h->state != LEDGER_RUNNING)
        return;
    h->pair[1] = (typeof(h->pair[1])){clock_ticks(), clock_now()};
    h->state_detail = detail;
    h->state = state;
}

/* Only async-signal-safe calls. Raising again with the default action gives the same exit
 * status as if we had never been here. */
static void on_signal(int number)
{
    ends_mark(LEDGER_SIGNALLED, number);
    for (int i = 0; i < N_FATAL; i++)
        if (fatal[i] == number)
            sigaction(number, &previous[i], NULL);
    raise(number);
}

/* Handlers that the application or the MPI library has set are left alone, and ignored signals
 * stay ignored: only what would have ended the process by default is caught. */
void ends_watch(void)
{
    struct sigaction mine = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigemptyset(&mine.sa_mask);
    for (int i = 0; i < N_FATAL; i++) {
        if (sigaction(fatal[i], NULL, &previous[i]) == 0 && previous[i].sa_handler == SIG_DFL &&
            !(previous[i].sa_flags & SA_SIGINFO))
            sigaction(fatal[i], &mine, NULL);
    }
}

__attribute__((destructor)) static void at_exit(void)
{
    ends_mark(LEDGER_EXITED, 0);
}
