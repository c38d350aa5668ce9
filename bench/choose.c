/* collbench-bcast etc. as the user calls them: this program replaces itself (exec) by the benchmark
 * of the same name that was built for the MPI whose launcher started this process, or, without a
 * launcher, for any MPI. */
#include "base/beside.h"
#include "base/launcher.h"
#include "base/reason.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void refuse(const struct launcher *l)
{
    if (!launcher_speaks())
        return;
    fprintf(stderr,
            "%s: no MPI of this collprof fits %s: its %d processes would run alone or stop: use:",
            program_invocation_short_name, l->name, l->size);
    for (size_t i = 0; i < n_mpis_built; i++)
        fprintf(stderr, "%s %s (%s)", i ? " or" : "", launcher_command(l, &mpis_built[i]),
                mpis_built[i].title);
    fputc('\n', stderr);
}

/* If ARGV has --yield: preloads the library of src/transport, which makes waiting ranks yield. */
static void preload_yield(char **argv)
{
    while (*++argv && !text_has_word("--yield -y", *argv))
        ;
    if (!*argv)
        return;
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
    setenv("COLLPROF_YIELD", "yes", 1); /* COLLPROF_TRACE=transport alone would disable yielding */
    if (!beside_preload("libcollprof-transport.so") && launcher_speaks())
        reason_print_stored(program_invocation_short_name);
}

int main(int argc, char **argv)
{
    char self[4096] = "", name[4200], path[4200];
    struct launcher l = launcher_read(NULL);
    size_t i = 0;
    (void)argc;
    while (i < n_mpis_built && !launcher_serves(&l, &mpis_built[i]))
        i++;
    if (i == n_mpis_built) {
        refuse(&l);
        return 2;
    }
    /* The benchmark's name is not taken from argv[0], since a link may have another name. */
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 127;
    snprintf(name, sizeof name, "%s/%s", mpis_built[i].folder, text_base_of(self));
    preload_yield(argv);
    argv[0] = path; /* by its last component, one program is collbench-bcast or -collective */
    if (beside_find(name, path, sizeof path))
        execv(path, argv);
    if (launcher_speaks())
        fprintf(stderr, "%s: %s: %s: use: make install\n", program_invocation_short_name, path,
                strerror(errno));
    return 127;
}
