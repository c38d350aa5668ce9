/* Wrappers that start, stop or end recording. src/layer does the work. */
#include "layer/life.h"
#include "wrappers/prologue.h"

/* Calls the next MPI_Init_thread or, if PROVIDED is NULL, MPI_Init. */
static int init(int *argc, char ***argv, int required, int *provided)
{
    return provided ? NEXT(Init_thread)(argc, argv, required, provided) : NEXT(Init)(argc, argv);
}

/* Initializes MPI and starts recording. MPI_Init is itself recorded, after the ledger exists. */
static int begin(int *argc, char ***argv, int required, int *provided)
{
    if (thread.inside || layer.phase != LAYER_ASLEEP)
        return init(argc, argv, required, provided);
    struct call call = {.operation = provided ? OP_Init_thread : OP_Init};
    int level = MPI_THREAD_SINGLE;
    thread_enter();
    life_prepare(true);
    call.entry = clock_ticks();
    int rc = init(argc, argv, required, provided);
    call.exit = clock_ticks();
    if (rc == MPI_SUCCESS && !PMPI_Query_thread(&level))
        recording_start(level);
    if (layer.on) {
        thread_call_slot()->operation = call.operation;
        call_leave(&call, rc, MPI_COMM_NULL, 0);
        thread.left = clock_ticks();
        thread.outside = 0; /* the application's time between MPI calls is counted from now on */
    }
    thread_leave();
    return rc;
}

int MPI_Init(int *argc, char ***argv)
{
    return begin(argc, argv, 0, NULL);
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return begin(argc, argv, required, provided);
}

/* Recorded as a call that is open while recording_end() waits for all ranks and ends recording. */
int MPI_Finalize(void)
{
    struct call call;
    bool outer = layer.phase == LAYER_RUNNING && call_enter(&call, OP_Finalize, CALL_ABOUT_NOTHING);
    recording_end();
    bool was_inside = thread.inside && !outer;
    thread_enter();
    int rc = NEXT(Finalize)();
    thread.inside = was_inside;
    return rc;
}

/* Recorded as a call that never ends, so that a report of the aborted run names its call site. */
int MPI_Abort(MPI_Comm comm, int code)
{
    struct call call;
    if (layer.phase == LAYER_RUNNING)
        call_enter(&call, OP_Abort, CALL_ABOUT_NOTHING);
    life_record_abort(code);
    return NEXT(Abort)(comm, code);
}

/* Records the communicator's name; if the communicator is unused so far, its first use does so. */
int MPI_Comm_set_name(MPI_Comm comm, const char *name)
{
    int rc = NEXT(Comm_set_name)(comm, name);
    struct comm *c = rc == MPI_SUCCESS && layer.phase == LAYER_RUNNING ? comm_find(comm) : NULL;
    if (c)
        comm_record_name(c);
    return rc;
}

int MPI_Pcontrol(const int level, ...)
{
    life_switch(level);
    return NEXT(Pcontrol)(level);
}

#ifdef HAVE_MPI_Session_init
int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    bool outer = !thread.inside;
    thread_enter();
    if (outer && layer.phase == LAYER_ASLEEP)
        life_prepare(true);
    int rc = NEXT(Session_init)(info, errhandler, session);
    if (outer && rc == MPI_SUCCESS)
        life_session_begun(*session);
    thread.inside = !outer;
    return rc;
}

int MPI_Session_finalize(MPI_Session *session)
{
    if (!thread.inside)
        life_session_ends();
    return NEXT(Session_finalize)(session);
}
#endif
