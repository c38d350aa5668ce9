/* Turns, time, programs, and the beginning and the end of MPI. */
#pragma GCC visibility push(default) /* modules are bound to what is here */
#include "fake_mpi_inside.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Virtual seconds that a reading of the clock takes. */
static const double READING = 10e-9;

struct fake_world fake_world;
_Thread_local int fake_me;
static _Thread_local bool is_rank;

#pragma weak clock_use_external

/* --- taking turns --- */

static int least(void)
{
    int found = -1;
    for (int i = 0; i < fake_world.n; i++)
        if (fake_world.rank[i].state == READY &&
            (found < 0 || fake_world.rank[i].now < fake_world.rank[found].now))
            found = i;
    return found;
}

/* Gives the turn to the rank whose clock is least; returns when that is this one again. */
static void pass_turn(void)
{
    int next = least();
    if (next < 0)
        for (int i = 0; i < fake_world.n; i++) {
            fake_world.stuck |= fake_world.rank[i].state == WAITING;
            if (fake_world.rank[i].state == WAITING)
                fprintf(stderr, "rank %d waits for ever in %s\n", i, fake_world.rank[i].in);
        }
    fake_world.running = next;
    for (int i = 0; i < fake_world.n; i++)
        if (i == next || fake_world.stuck)
            pthread_cond_signal(&fake_world.rank[i].turn);
    while (fake_world.running != fake_me && !fake_world.stuck &&
           fake_world.rank[fake_me].state != OVER)
        pthread_cond_wait(&fake_world.rank[fake_me].turn, &fake_world.lock);
    if (fake_world.stuck && fake_world.rank[fake_me].state != OVER) {
        fake_world.rank[fake_me].state = OVER;
        pthread_mutex_unlock(&fake_world.lock);
        pthread_exit(NULL);
    }
}

struct rank *fake_self(void)
{
    return &fake_world.rank[fake_me];
}

void fake_enter(const char *in, double cost)
{
    fake_self()->in = in;
    fake_self()->now += cost;
    pass_turn();
}

/* Until REQUEST is matched; then it is at least as late as that is done. */
void fake_wait(struct fake_request *r)
{
    while (!r->matched) {
        fake_self()->state = WAITING;
        pass_turn();
    }
    if (r->done > fake_self()->now) {
        fake_self()->now = r->done;
        pass_turn();
    }
}

void fake_wake(int rank)
{
    if (fake_world.rank[rank].state == WAITING) {
        fake_world.rank[rank].state = READY;
        if (fake_world.rank[rank].now < fake_self()->now)
            fake_world.rank[rank].now = fake_self()->now;
    }
}

double fake_mpi_now(void)
{
    return fake_self()->now;
}

void fake_mpi_compute(double seconds)
{
    fake_self()->now += seconds;
    pass_turn();
}

int fake_mpi_collectives(void)
{
    return fake_self()->collectives;
}

size_t fake_mpi_messages(void)
{
    return fake_world.messages;
}

/* Sleeping and yielding are virtual, too. */
int nanosleep(const struct timespec *time, struct timespec *rest)
{
    if (!is_rank)
        return clock_nanosleep(CLOCK_REALTIME, 0, time, rest);
    fake_mpi_compute((double)time->tv_sec + 1e-9 * (double)time->tv_nsec);
    return 0;
}

int sched_yield(void)
{
    if (is_rank)
        pass_turn();
    return 0;
}

double fake_mpi_clock(void)
{
    fake_self()->now += READING;
    return fake_world.net.clock ? fake_world.net.clock(fake_me, fake_self()->now)
                                : fake_self()->now;
}

static void *run_rank(void *arg)
{
    fake_me = (int)(intptr_t)arg;
    is_rank = true;
    pthread_mutex_lock(&fake_world.lock);
    while (fake_world.running != fake_me)
        pthread_cond_wait(&fake_self()->turn, &fake_world.lock);
    fake_world.main(fake_me, fake_world.arg);
    fake_self()->state = OVER;
    pass_turn();
    pthread_mutex_unlock(&fake_world.lock);
    return NULL;
}

bool fake_mpi_run(int ranks, void (*main)(int rank, void *arg), void *arg,
                  const struct fake_network *network)
{
    for (struct gathering *g; (g = fake_world.gatherings); free(g))
        fake_world.gatherings = g->next;
    memset(fake_world.comm, 0, (size_t)fake_world.n_comms * sizeof *fake_world.comm);
    memset(&fake_world, 0, offsetof(struct fake_world, comm));
    pthread_mutex_init(&fake_world.lock, NULL);
    fake_world.n = ranks;
    fake_world.net = *network;
    fake_world.main = main;
    fake_world.arg = arg;
    fake_world.n_comms = 2; /* MPI_COMM_WORLD, MPI_COMM_SELF */
    fake_world.comm[0].n = ranks;
    fake_world.comm[1].n = 1;
    for (int i = 0; i < ranks; i++)
        fake_world.comm[0].world[i] = i;
    if (clock_use_external) /* not where each rank has a copy of the program: fake_mpi_program() */
        clock_use_external(fake_mpi_clock, fake_mpi_compute);
    for (int i = 0; i < ranks; i++)
        pthread_cond_init(&fake_world.rank[i].turn, NULL);
    for (int i = 0; i < ranks; i++)
        pthread_create(&fake_world.rank[i].thread, NULL, run_rank, (void *)(intptr_t)i);
    for (int i = 0; i < ranks; i++)
        pthread_join(fake_world.rank[i].thread, NULL);
    return !fake_world.stuck;
}

int fake_mpi_unreceived(void)
{
    int n = 0;
    for (int i = 0; i < fake_world.n; i++)
        for (const struct message *m = fake_world.rank[i].first; m; m = m->next)
            n++;
    return n;
}

/* --- whole programs, of which each rank has a copy with variables of its own --- */

/* A program ends its rank alone. */
void exit(int status)
{
    void (*end)(int) = (void (*)(int))dlsym(RTLD_NEXT, "exit");
    if (!is_rank)
        end(status);
    fake_world.worst = status > fake_world.worst ? status : fake_world.worst;
    fake_self()->state = OVER;
    pass_turn();
    pthread_mutex_unlock(&fake_world.lock);
    pthread_exit(NULL);
}

static void load_and_run(int rank, void *program)
{
    const struct fake_program *p = program;
    static int copies; /* a name that was loaded before is not loaded again */
    char copy[200], command[500];
    (void)rank;
    snprintf(copy, sizeof copy, "/tmp/fake-mpi-%d-%d.so", (int)getpid(), copies++);
    snprintf(command, sizeof command, "cp %s %s", p->module, copy);
    void *module = system(command) ? NULL : dlopen(copy, RTLD_LAZY | RTLD_LOCAL);
    unlink(copy);
    if (!module) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    int (*enter_main)(double (*)(void), void (*)(double), int, char **) =
        (int (*)(double (*)(void), void (*)(double), int, char **))dlsym(module, "fake_mpi_entry");
    char *argv[p->argc + 1]; /* a program may change it */
    memcpy(argv, p->argv, sizeof argv);
    exit(enter_main(fake_mpi_clock, fake_mpi_compute, p->argc, argv));
}

int fake_mpi_program(int ranks, const struct fake_program *program,
                     const struct fake_network *network)
{
    return fake_mpi_run(ranks, load_and_run, (void *)program, network) ? fake_world.worst : -1;
}

ANSWER(Get_processor_name, (char *name, int *length),
       *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "node-%d", fake_me))

/* --- the beginning and the end --- */

int PMPI_Init_thread(int *argc, char ***argv, int wanted, int *provided)
{
    (void)argc, (void)argv;
    fake_mpi_compute(0.001);
    *provided = wanted;
    return MPI_SUCCESS;
}

int PMPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}

ANSWER(Initialized, (int *flag), *flag = is_rank)
ANSWER(Finalized, (int *flag), *flag = !is_rank)
ANSWER(Query_thread, (int *level), *level = MPI_THREAD_SINGLE)

int PMPI_Finalize(void)
{
    return PMPI_Barrier(MPI_COMM_WORLD);
}

int PMPI_Abort(MPI_Comm comm, int status)
{
    (void)comm;
    exit(status);
}

ANSWER(Get_library_version, (char *text, int *length),
       *length = sprintf(text, "%s", getenv("FAKE_LIBRARY") ?: "MPICH Version:\t0.1\nfake"))
ANSWER(Error_class, (int error, int *class), *class = error)
ANSWER(Error_string, (int error, char *text, int *length),
       *length = sprintf(text, "error %d", error))

/* What programs call. */
ALSO(Init_thread);
ALSO(Finalize);
ALSO(Abort);
ALSO(Error_string);
