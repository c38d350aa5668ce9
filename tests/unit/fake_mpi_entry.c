/* In a module that fake_mpi_program() runs: the program's main(), by the calling rank's clock. */
#include "base/clock.h"

int main(int argc, char **argv);

__attribute__((visibility("default"))) int
fake_mpi_entry(double (*now)(void), void (*hold)(double seconds), int argc, char **argv);

int fake_mpi_entry(double (*now)(void), void (*hold)(double seconds), int argc, char **argv)
{
    clock_use_external(now, hold);
    return main(argc, argv);
}
