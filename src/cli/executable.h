/* What a program's file shows about preloading a library into it. */
#pragma once

#include <stdbool.h>

struct executable {
    bool is_static; /* no dynamic loader: LD_PRELOAD has no effect */
    bool is_shell;  /* a shell or a shell script */
    char mpi[64];   /* the first MPI library that it needs, directly or not; "" if none */
    /* The runtime library of gcc's address sanitizer, which must come first among all libraries; ""
     * if the program does not need it. */
    char sanitizer[4200];
};

/* Examines PROGRAM, found as the shell would. False if it cannot be read. */
bool executable_examine(struct executable *x, const char *program);

/* Whether PROGRAM is mpiexec or the like. */
bool is_launcher(const char *program);
