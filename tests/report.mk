# The profile, the report and the command.
if HAVE_CRITERION
check_PROGRAMS += tests/unit/profile tests/unit/page
tests_unit_profile_CPPFLAGS = $(UNIT_CPPFLAGS) -I$(top_srcdir)/tests/unit $(JANSSON_CFLAGS)
tests_unit_profile_SOURCES = tests/unit/profile.c tests/unit/made_ledger.c tests/unit/made_ledger.h
tests_unit_profile_LDADD = libreport.la libbase.la $(CRITERION_LIBS)
tests_unit_page_CPPFLAGS = $(tests_unit_profile_CPPFLAGS)
tests_unit_page_SOURCES = tests/unit/page.c tests/unit/made_ledger.c tests/unit/made_ledger.h
tests_unit_page_LDADD = libreport.la libbase.la $(CRITERION_LIBS)
TESTS += tests/unit/profile tests/unit/page
endif

# A program with a call site in an inlined function, in forms that differ in what can be named.
check_PROGRAMS += tests/mpi/sites
tests_mpi_sites_CPPFLAGS = $(MPI_CFLAGS)
tests_mpi_sites_CFLAGS = -g -O2
tests_mpi_sites_SOURCES = tests/mpi/sites.c
tests_mpi_sites_LDADD = $(MPI_LIBS)
TESTS += tests/mpi/command.sh tests/mpi/report.sh
EXTRA_DIST += tests/mpi/command.sh tests/mpi/report.sh
