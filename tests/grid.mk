# One clock for all ranks; trees from measured latencies.
if HAVE_CRITERION
check_PROGRAMS += tests/unit/sync
tests_unit_sync_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_sync_SOURCES = tests/unit/sync.c
tests_unit_sync_LDADD = libmeasure.la libbase.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/sync

check_PROGRAMS += tests/unit/schedule
tests_unit_schedule_CPPFLAGS = $(UNIT_CPPFLAGS)
tests_unit_schedule_SOURCES = tests/unit/schedule.c
tests_unit_schedule_LDADD = libmeasure.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/schedule
endif

# In time namespaces, where clocks truly differ.
check_PROGRAMS += tests/mpi/sync
tests_mpi_sync_CPPFLAGS = $(AM_CPPFLAGS) $(MPI_CFLAGS)
tests_mpi_sync_SOURCES = tests/mpi/sync.c
tests_mpi_sync_LDADD = libmeasure.la libbase.la libbase.la
TESTS += tests/mpi/sync.sh
EXTRA_DIST += tests/mpi/sync.sh
