// A C++ program: MPI begins in a constructor before main, an error handler throws through MPI, and MPI is
// used and ended by a destructor after main.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>

namespace
{
struct whole_run {
    whole_run()
    {
        MPI_Init(nullptr, nullptr);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~whole_run()
    {
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Finalize();
    }
} whole_run;

void complain(MPI_Comm *, int *, ...)
{
    throw std::runtime_error("an error of MPI");
}

void send_wrongly(int to)
{
    int number = 0;
    MPI_Send(&number, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}
} // namespace

int main()
{
    int rank, size, caught = 0, sum = 0;
    MPI_Errhandler handler;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(complain, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (int i = 0; i < 3; i++) {
        try {
            send_wrongly(size + 1);
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        std::printf("caught %d, sum %d\n", caught, sum);
    MPI_Errhandler_free(&handler);
    return 0;
}
