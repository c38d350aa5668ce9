# unit/ (Criterion), mpi/ (programs under the launcher), sim/ (the same under SMPI).
AM_TESTS_ENVIRONMENT = \
	srcdir='$(srcdir)'; top_builddir='$(top_builddir)'; MPIEXEC='$(MPIEXEC)'; \
	SMPIRUN='$(SMPIRUN)'; GNUPLOT='$(GNUPLOT)'; MPICC='$(MPICC)'; MPIFC='$(MPIFC)'; \
	bin_programs='$(bin_PROGRAMS)'; \
	export srcdir top_builddir MPIEXEC SMPIRUN GNUPLOT MPICC MPIFC bin_programs;

# documented.sh: manual pages of all that is installed. floors.sh: the include graph.
TESTS += tests/documented.sh tests/floors.sh
EXTRA_DIST += tests/documented.sh tests/floors.sh

include tests/unit/local.mk
include tests/mpi/local.mk
include tests/sim/local.mk
