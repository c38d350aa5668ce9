/* collprof info: describes this build and this machine. */
#include "cli/cli.h"
#include "config.h"

#include "base/beside.h"
#include "base/launcher.h"
#include "export/export.h"
#include "symbols/symbols.h"

#include <stdio.h>

static void library_line(const char *name, const char *what)
{
    char path[4200];
    const bool found = beside_find(name, path, sizeof path);
    printf("  %-19s%s%s\n", what, found ? "" : "not found: neither beside this program nor at ",
           path);
}

static const char languages[] = "C, C++, Fortran (mpif.h, mpi, mpi_f08), Python (mpi4py)";

static const struct option_program program = {
    .does = "Shows what this installation can do, and where its libraries are."};

int cli_info(int argc, char **argv)
{
    cli_parse(&program, NULL, argc, argv);
    puts(PACKAGE_STRING);
    for (size_t i = 0; i < n_mpis_built; i++) {
        const struct mpi_built *m = &mpis_built[i];
        char layer[256], what[256];
        snprintf(layer, sizeof layer, "%s/libcollprof-layer.so", m->folder);
        snprintf(what, sizeof what, "%s (%s; %s)", m->title, m->libraries, m->launcher);
        printf("  %-19s%s\n", i ? "" : "MPI", what);
        library_line(layer, "  its layer");
    }
    printf("  %-19s%s\n", "languages", languages);
    printf("  %-19s", "formats");
    for (size_t i = 0; i < n_export_formats; i++)
        printf("%s%s", i ? ", " : "", export_formats[i]->name);
    puts(HAVE_OTF2 ? "" : " (not otf2: built without OTF2)");
    printf("  %-19s%s\n", "compiler", __VERSION__);
    library_line("libcollprof.so", "library");
    library_line("libcollprof-transport.so", "transport library");
    library_line(SYMBOLS_MODULE, "symbols, stacks");
    return cli_flush() ? STATUS_GOOD : STATUS_FAILED;
}
