# unit/ (Criterion), mpi/ (programs under the launcher), sim/ (the same under SMPI).
AM_TESTS_ENVIRONMENT = \
	srcdir='$(srcdir)'; top_builddir='$(top_builddir)'; LAUNCHER='$(MPIEXEC)'; \
	MPIEXEC='$(abs_top_srcdir)/tests/mpi/launch.sh'; SMPIRUN='$(SMPIRUN)'; \
	GNUPLOT='$(GNUPLOT)'; MPICC='$(MPICC)'; MPIFC='$(MPIFC)'; \
	bin_programs='$(bin_PROGRAMS)'; \
	export srcdir top_builddir LAUNCHER MPIEXEC SMPIRUN GNUPLOT MPICC MPIFC bin_programs;

# Every program has a limit (tests/mpi/launch.sh, tests/sim/run.sh), and so has a test as a whole.
LOG_COMPILER = timeout --verbose -k 10 1200

# What takes long is named in THOROUGH_TESTS too: it runs where CHECK_THOROUGH is 1, and exits 77
# with a line where it is not. Tests of simulated clocks and of none run beside each other in ./check.
THOROUGH_TESTS = tests/mutants.sh

# documented.sh: manual pages of all that is installed. floors.sh: the include graph.
TESTS += tests/documented.sh tests/floors.sh tests/format.sh
EXTRA_DIST += tests/documented.sh tests/floors.sh tests/format.sh

include tests/unit/local.mk
include tests/mpi/local.mk
include tests/sim/local.mk
include tests/fuzz/local.mk

TESTS += $(THOROUGH_TESTS)
EXTRA_DIST += $(THOROUGH_TESTS)

# For ./check: the names of all tests, of those that share the machine first. One to a line.
CHOSEN_TESTS = $(if $(CHECK_THOROUGH),$(TESTS),$(filter-out $(THOROUGH_TESTS),$(TESTS)))
list-tests-beside:
	@printf '%s\n' $(filter-out tests/mpi/% tests/outside/%,$(CHOSEN_TESTS))
list-tests-alone:
	@printf '%s\n' $(filter tests/mpi/% tests/outside/%,$(CHOSEN_TESTS))
.PHONY: list-tests-beside list-tests-alone

# Every fault of tools/mutants, one at a time: about an hour.
mutants: all
	MUTANTS_DIR='$(abs_top_builddir)/mutants' $(srcdir)/tools/mutate
EXTRA_DIST += tools/mutate tools/mutants
clean-local: clean-mutants
clean-mutants:
	rm -rf mutants mutants-unit
.PHONY: mutants clean-mutants
