/* The end of a program that plays one of its SITUATIONS, named by the argument, REPEATS times. */
#include <string.h>

#define PLAY(name)                                                                                 \
    if (!strcmp(argv[1], #name))                                                                   \
        name();

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int k = 0; k < REPEATS; k++) {
        SITUATIONS(PLAY)
    }
    MPI_Finalize();
    return 0;
}
