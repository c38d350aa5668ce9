! A little of everything, by one of Fortran's three bindings: -DBINDING_MPIFH, -DBINDING_MPI or
! -DBINDING_F08. Prints a result that the layer must not change.
program little_of_everything
#ifdef BINDING_MPI
    use mpi
#endif
#ifdef BINDING_F08
    use mpi_f08
#endif
    implicit none
#ifdef BINDING_MPIFH
    include 'mpif.h'
#endif
#ifdef BINDING_F08
    type(MPI_Request) :: requests(2)
    type(MPI_Comm) :: half
    type(MPI_Status) :: statuses(2)
#else
    integer :: requests(2), half, statuses(MPI_STATUS_SIZE, 2)
#endif
    integer :: rank, ranks, other, i, sum, total, ierr
    integer :: parameters(4), outbox(100), inbox(100)
    integer, allocatable :: table(:)
    logical :: done

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
    allocate (table(ranks))
    total = 0
    do i = 1, 50
        parameters = i * [1, 2, 3, 4]
        call MPI_Bcast(parameters, 4, MPI_INTEGER, mod(i, ranks), MPI_COMM_WORLD, ierr)
        outbox = rank + parameters(3)
        other = mod(rank + 1, ranks)
        call MPI_Isend(outbox, 100, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(1), ierr)
        other = mod(rank + ranks - 1, ranks)
        call MPI_Irecv(inbox, 100, MPI_INTEGER, other, 5, MPI_COMM_WORLD, requests(2), ierr)
        if (mod(i, 2) == 0) then
            call MPI_Waitall(2, requests, statuses, ierr)
        else
            call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
            call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
        end if
        call MPI_Allreduce(inbox(100), sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
        call MPI_Allgather(rank, 1, MPI_INTEGER, table, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
        total = total + sum + table(ranks)
        call MPI_Barrier(half, ierr)
    end do
    call MPI_Reduce(total, sum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) print '(a, i0)', 'total ', sum
    call MPI_Irecv(inbox, 100, MPI_INTEGER, other, 6, MPI_COMM_WORLD, requests(1), ierr)
    call MPI_Cancel(requests(1), ierr)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Test(requests(1), done, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_free(half, ierr)
    call MPI_Finalize(ierr)
end program
