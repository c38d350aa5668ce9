# unit/ (Criterion), mpi/ (programs under the launcher), sim/ (the same under SMPI).
# Open MPI asks back where the user is root, and where there are more ranks than processors; its launcher
# tells at length of a status that is not 0.
AM_TESTS_ENVIRONMENT = \
	srcdir='$(srcdir)'; top_builddir='$(top_builddir)'; LAUNCHER='$(MPIEXEC)'; \
	MPIEXEC='$(abs_top_srcdir)/tests/mpi/launch.sh'; SMPIRUN='$(SMPIRUN)'; \
	MPICC='$(MPICC)'; MPIFC='$(MPIFC)'; \
	CHECK_MPI='$(FIRST_LAYER)'; \
	bin_programs='$(bin_PROGRAMS) $(bin_SCRIPTS)'; \
	OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_orte_execute_quiet=1; \
	export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe \
	OMPI_MCA_orte_execute_quiet; \
	export srcdir top_builddir LAUNCHER MPIEXEC SMPIRUN MPICC MPIFC CHECK_MPI bin_programs;

# Every program has a limit (tests/mpi/launch.sh, tests/sim/run.sh), and so has a test as a whole.
LOG_COMPILER = timeout --verbose -k 10 2400

# What takes long is named in THOROUGH_TESTS too: ./check runs it with --thorough; without CHECK_THOROUGH=1
# what takes minutes exits 77 with a line. Tests of simulated clocks and of none run beside each other in
# ./check, and so do BESIDE_TESTS.
THOROUGH_TESTS =
BESIDE_TESTS =

# documented.sh: manual pages of all that is installed. floors.sh: the include graph. recorded.sh: what is given of what was recorded.
TESTS += tests/documented.sh tests/floors.sh tests/format.sh tests/recorded.sh

include tests/unit/local.mk
include tests/mpi/local.mk
include tests/sim/local.mk
include tests/fuzz/local.mk

# Every MPI, language and launcher; several hosts. By hand, in a fresh system: cross.sh (aarch64).
THOROUGH_TESTS += tests/outside/matrix.sh tests/outside/hosts.sh tests/outside/tarball.sh tests/mutate.sh

TESTS += $(THOROUGH_TESTS)
# By their endings, since a build in the source directory puts other files beside them.
EXTRA_DIST += $(wildcard $(addprefix $(srcdir)/tests/,*.sh */*.sh */*.py */*.[ch] */*.cpp */*.F90 */*.awk */*.table \
	profiles/*.json recorded/*.report sim/options sim/platforms/*.*))

# For ./check: the names of all tests, of those that share the machine first. One to a line.
CHOSEN_TESTS = $(if $(CHECK_THOROUGH),$(TESTS),$(filter-out $(THOROUGH_TESTS),$(TESTS)))
list-tests-beside:
	@printf '%s\n' $(filter $(BESIDE_TESTS),$(CHOSEN_TESTS)) $(filter-out tests/mpi/% tests/outside/%,$(CHOSEN_TESTS))
list-tests-alone:
	@printf '%s\n' $(filter-out $(BESIDE_TESTS),$(filter tests/mpi/% tests/outside/%,$(CHOSEN_TESTS)))
.PHONY: list-tests-beside list-tests-alone

# A hundred faults drawn by SEED (a new one if none is given): which does no test notice?
mutate: all
	$(srcdir)/tools/mutate $(if $(SEED),--seed=$(SEED)) --count=$(if $(COUNT),$(COUNT),100)
EXTRA_DIST += tools/mutate tools/rooms
.PHONY: mutate
clean-local: clean-mutate
clean-mutate:
	rm -rf mutate

# Those that ./check runs for a second MPI, and the programs that they need.
list-tests-again-beside:
	@printf '%s\n' $(filter $(BESIDE_TESTS),$(MPI_TESTS))
# disturbed.sh: what other processes do is not the MPI's.
list-tests-again-alone:
	@printf '%s\n' $(filter-out $(BESIDE_TESTS) tests/mpi/disturbed.sh,$(MPI_TESTS) $(MPI_LONG_TESTS))
list-programs-again:
	@printf '%s\n' $(filter tests/mpi/%,$(check_PROGRAMS))

# For tests/mpi/sanitized.sh, which makes them once more: without those whose ranks load copies of a module.
list-unit-programs:
	@printf '%s\n' $(filter-out tests/unit/benches tests/unit/layer,$(unit_programs))
