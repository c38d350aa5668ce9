/* Handles the end of a process by a signal or exit() before MPI_Finalize: stores in its record how
 * it ended, and lets it end as without the layer. The record, a mapped file, survives by itself. */
#include "base/quote.h"
#include "base/status.h"
#include "layer/parts.h"
#include "transport/transport.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Signals that end the process by default. They are handled if the application does not; FAULTS
 * also if MPI, UCX or Fortran's runtime does, whose handlers print and then end the process. */
static const int watched[] = {SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,    SIGABRT, SIGTERM,
                              SIGINT,  SIGHUP,  SIGQUIT, SIGXCPU,   SIGUSR1, SIGUSR2,
                              SIGALRM, SIGPIPE, SIGXFSZ, SIGVTALRM, SIGPROF, SIGSYS};
static const uint64_t faults =
    1u << SIGSEGV | 1u << SIGBUS | 1u << SIGFPE | 1u << SIGILL | 1u << SIGABRT;
static struct sigaction previous[32];

/* Whether this process is recorded; a child of vfork() is not, though it shares the memory. */
static bool has_a_say(void)
{
    return layer.phase == LAYER_RUNNING && getpid() == layer.pid;
}

/* Prints FAREWELL; ends_watch() has formatted it, because a signal handler must not format text. A
 * signal from outside (Ctrl-C, a batch system) reaches all ranks: then only rank 0 prints. */
static char farewell[1200];
static void say_farewell(int number)
{
    bool from_outside =
        number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGXCPU;
    if (has_a_say() && (layer.rank == 0 || !from_outside) &&
        write(STDERR_FILENO, farewell, strlen(farewell)) < 0)
        *farewell = '\0'; /* stderr is closed */
}

void record_mark_end(enum ledger_state state, int detail)
{
    struct ledger_header *h = has_a_say() ? layer.ledger.header : NULL;
    if (!h || h->state != LEDGER_RUNNING)
        return;
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

/* Ends the process, which hangs, at the watchdog's request. Once a rank's connection to MPICH's
 * launcher closes, that kills the others and returns their signal, not this status, unless stdout
 * and stderr of all ranks closed first. So a child process keeps the connection open for 2 s. */
static unsigned launcher_connection; /* descriptor of the connection; 0 if there is none */
static _Noreturn void end_stuck(void)
{
    if (launcher_connection && syscall(SYS_clone, 0, NULL, NULL, NULL, NULL) == 0) {
        close_range(0, launcher_connection - 1, 0);
        close_range(launcher_connection + 1, ~0u, 0);
        nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
    }
    _exit(STATUS_STUCK);
}

/* Makes only async-signal-safe calls. Restores the previous action and raises the signal again, so
 * that the process ends as without the layer. After a fault, its instruction is executed again. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (ending_is_asked(info)) {
        record_mark_end(LEDGER_SIGNALLED, number);
        end_stuck();
    }
    const bool first = has_a_say() && layer.ledger.header->state == LEDGER_RUNNING;
    record_mark_end(LEDGER_SIGNALLED, number);
    if (first)
        say_farewell(number);
    sigaction(number, &previous[number], NULL);
    if (!(faults >> number & 1) || info->si_code <= 0) /* <= 0: a process has sent it */
        raise(number);
}

static bool is_of_runtime(const struct sigaction *a)
{
    Dl_info info;
    void *handler = (void *)a->sa_handler; /* sa_handler and sa_sigaction are a union */
    return dladdr(handler, &info) && info.dli_fname &&
           (transport_is_of_mpi(info.dli_fname) ||
            !strncmp(text_base_of(info.dli_fname), "libgfortran", 11));
}

void ends_watch(void)
{
#ifdef COLLPROF_SIMULATED
    return; /* all simulated ranks are one process, which a signal ends as a whole */
#endif
    at_quick_exit(at_exit);
    launcher_connection = (unsigned)atoi(getenv("PMI_FD") ?: "0");
    snprintf(farewell, sizeof farewell - 1,
             "collprof: rank %d ends before its MPI_Finalize: `collprof report %s` shows what was "
             "recorded",
             layer.rank, run_directory.shown);
    quote_plain(farewell);
    strcat(farewell, "\n");
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
        const struct sigaction mine = {.sa_sigaction = on_signal,
                                       .sa_flags = SA_SIGINFO | SA_ONSTACK};
        const int number = watched[i];
        struct sigaction *before = &previous[number];
        if (!sigaction(number, NULL, before) &&
            (before->sa_handler == SIG_DFL || (faults >> number & 1 && is_of_runtime(before))))
            sigaction(number, &mine, NULL);
    }
}
