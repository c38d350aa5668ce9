# libFuzzer on every reader of files, each for FUZZ_SECONDS: `make fuzz FUZZ_SECONDS=3600' by hand. What
# it begins with are files that the programs have just written.
FUZZERS = record profile pairs scenario launches document
FUZZ_SECONDS = 30
# 0: another one each time.
FUZZ_SEED = 0
FUZZ_CC = clang
FUZZ_FILES = tests/fuzz/fuzz.c $(filter %.c,$(libbase_la_SOURCES) $(libprofile_la_SOURCES) \
	$(libreport_la_SOURCES) $(libverdict_la_SOURCES) $(libcompare_la_SOURCES) $(libresults_la_SOURCES) $(libdocument_la_SOURCES) \
	$(libpage_la_SOURCES) $(filter-out %/otf2.c,$(libexport_la_SOURCES))) \
	$(filter src/trees/%.c,$(libmeasure_la_SOURCES)) src/measure/collective/operation.c \
	src/measure/scenario/scenario.c bench/scenario_file.c
FUZZ_OBJS = $(FUZZ_FILES:%.c=fuzz/obj/%.o) page_files.o

fuzz/obj/%.o: $(srcdir)/%.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(FUZZ_CC) $(DEFS) $(AM_CPPFLAGS) -I$(top_srcdir)/bench $(MPI_CFLAGS) \
		-DLIBDIR='"$(libdir)"' -DPKGLIBDIR='"$(pkglibdir)"' \
		-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -MMD -MP -c -o $@ $<
-include $(FUZZ_FILES:%.c=fuzz/obj/%.d)

fuzz/all: $(FUZZ_OBJS)
	$(AM_V_CCLD)$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $@ $^ \
		$(MPI_LIBS) $(JANSSON_LIBS) $(HWLOC_LIBS) -lm
	@for name in $(FUZZERS); do ln -sf all fuzz/$$name || exit; done

fuzz: all examples/heat$(EXEEXT)
	@if echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' | \
		$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o /dev/null -x c - >/dev/null 2>&1; then \
		$(MAKE) $(AM_MAKEFLAGS) fuzz/all && \
		$(AM_TESTS_ENVIRONMENT) FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_SEED='$(FUZZ_SEED)' $(srcdir)/tests/fuzz/run.sh $(FUZZERS); \
	else echo 'fuzz: skipped: no $(FUZZ_CC) with libFuzzer (packages clang, libclang-rt-dev)'; fi
clean-local: clean-fuzz
clean-fuzz:
	rm -rf fuzz
.PHONY: fuzz clean-fuzz

THOROUGH_TESTS += tests/fuzz.sh
