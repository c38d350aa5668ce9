/* What a program's file says about whether a library can be preloaded into it. */
#ifndef COLLPROF_CLI_EXECUTABLE_H
#define COLLPROF_CLI_EXECUTABLE_H

#include <stdbool.h>

struct executable {
    bool is_static; /* no dynamic loader: LD_PRELOAD does nothing */
    bool is_shell;  /* a shell, or a script for one */
    bool is_mixed;  /* it needs several MPIs: which it uses is not known before */
    char mpi[64];   /* the MPI library that it needs, itself or by others, "" if none */
    /* The runtime library of gcc's address sanitizer, which has to be the first of all libraries;
     * "" if the program needs none. */
    char sanitizer[4200];
};

/* Looks at PROGRAM where the shell would find it. False if it cannot be read. */
bool executable_look(struct executable *x, const char *program);

/* mpiexec and its like. */
bool is_launcher(const char *program);

#endif
