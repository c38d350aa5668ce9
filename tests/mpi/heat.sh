#!/bin/sh
# The bundled application: the layer changes no result, and its counts are those of an
# independent counter, for one rank, several, and a number that is no power of two.
. "${srcdir:-.}/tests/mpi/lib.sh"

# edges: between neighbours, in 1x1, 2x1, 3x1, 2x2 parts; a send to MPI_PROC_NULL is no request.
for what in 1:0 2:1 3:2 4:4; do
    n=${what%:*} edges=${what#*:}
    plain $n "$built/examples/heat" -s 60 >plain || fail "$n ranks: status $? without the layer"
    counted $n profile-$n "$built/examples/heat" -s 60 >layered || fail "$n ranks: status $?"
    grep -v ^time plain >want
    grep -v ^time layered | cmp - want || fail "$n ranks: other results"
    same_counts profile-$n || fail "$n ranks: other counts"
    profile profile-$n states finalized=$n
    profile profile-$n nothing-lost
    # 60 steps; the edge is broadcast every 10, the parameters once
    profile profile-$n calls MPI_Bcast=$((n * 7)) MPI_Isend=$((n * 240)) MPI_Allreduce=$((n * 7))
    profile profile-$n completed MPI_Isend=$((edges * 120)) MPI_Irecv=$((edges * 120))
done
exit 0
