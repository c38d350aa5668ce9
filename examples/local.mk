# The bundled applications. heat: profiled by ./quickstart and by the tests, never installed. It knows
# nothing of collprof; debug information gives the report its files and lines.
noinst_PROGRAMS += examples/heat
examples_heat_CPPFLAGS = $(MPI_CFLAGS) -D_GNU_SOURCE
examples_heat_SOURCES = examples/heat.c
examples_heat_LDADD = $(MPI_LIBS) -lm
# Programs that hang, by number: collprof where says why.
noinst_PROGRAMS += examples/stuck
examples_stuck_CPPFLAGS = $(MPI_CFLAGS) -D_GNU_SOURCE
# A last call stays in its function, so that its line is shown.
examples_stuck_CFLAGS = $(AM_CFLAGS) -fno-optimize-sibling-calls
examples_stuck_SOURCES = examples/stuck.c
examples_stuck_LDADD = $(MPI_LIBS)
# Communication beside computation, to look at in a timeline (make figures).
noinst_PROGRAMS += examples/overlap
examples_overlap_CPPFLAGS = $(MPI_CFLAGS)
examples_overlap_SOURCES = examples/overlap.c
examples_overlap_LDADD = $(MPI_LIBS)
# Many small allreduces, to be tuned.
noinst_PROGRAMS += examples/sums
examples_sums_CPPFLAGS = $(MPI_CFLAGS)
examples_sums_SOURCES = examples/sums.c
examples_sums_LDADD = $(MPI_LIBS)
