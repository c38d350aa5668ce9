# The library that applications see, and a layer for each MPI that it chooses from.
WRAPPERS_GENERATE = $(AWK) -f $(srcdir)/wrappers/generate.awk
EXTRA_DIST += wrappers/functions.table wrappers/generate.awk wrappers/exports.map wrappers/layers.mk
include_HEADERS = src/collprof.h

# libcollprof.so: the names of all MPIs' functions, each a jump to where the process's MPI wants it.
lib_LTLIBRARIES = libcollprof.la
libcollprof_la_CPPFLAGS = -I$(top_srcdir) $(AM_CPPFLAGS)
libcollprof_la_SOURCES = wrappers/choose.c wrappers/choose.h wrappers/redirect.c wrappers/stubs.c
libcollprof_la_LIBADD = libbase.la
libcollprof_la_LDFLAGS = -avoid-version -shared -Wl,-z,defs \
	-Wl,--version-script=$(srcdir)/wrappers/exports.map
libcollprof_la_DEPENDENCIES = libbase.la wrappers/exports.map

# For programs that ask for MPI's functions by name: no other library of ours.
pkglib_LTLIBRARIES += libcollprof-audit.la
libcollprof_audit_la_SOURCES = wrappers/audit.c
libcollprof_audit_la_LDFLAGS = -module -avoid-version -shared

wrappers/stubs.h: $(LAYERS:%=layers/%/record/operations.h)
	$(AM_V_GEN)$(MKDIR_P) wrappers && sed -n 's/^ *OP_\(.*\),$$/STUB(MPI_\1)/p' $^ | sort -u > $@
BUILT_SOURCES += wrappers/stubs.h
CLEANFILES += wrappers/stubs.h

# What a layer is made of, besides libmeasure_la_SOURCES and what is generated.
LAYER_FILES = \
	wrappers/prologue.h wrappers/chain.c wrappers/lifecycle.c wrappers/completion.c wrappers/completion.h \
	src/record/layer.c src/record/layer.h \
	src/record/entries.c src/record/entries.h \
	src/record/index.c src/record/index.h \
	src/record/python.c src/record/python.h \
	src/record/sites.c src/record/sites.h \
	src/record/comms.c src/record/comms.h \
	src/record/requests.c src/record/requests.h \
	src/record/peers.c src/record/peers.h \
	src/record/channels.c src/record/channels.h \
	src/record/trace.c src/record/trace.h \
	src/record/instances.c src/record/instances.h \
	src/record/call.c src/record/call.h \
	src/inject/inject.c src/inject/inject.h src/inject/injection.h \
	src/inject/handshake.c src/inject/handshake.h src/inject/internal_comm.c \
	src/inject/ack.c src/inject/ack_judge.c src/inject/ack_judge.h \
	src/inject/replica.c src/inject/replica.h src/inject/benchmark.c src/inject/replace.c \
	src/layer/life.c src/layer/life.h src/layer/parts.h \
	src/layer/agree.c src/layer/cost.c src/layer/ends.c src/layer/members.c src/layer/members.h src/layer/store.c src/layer/store.h \
	src/layer/merge.c src/layer/rank_record.c src/layer/regions.c src/layer/report.c \
	src/layer/run_directory.c src/layer/run_directory.h
EXTRA_DIST += $(LAYER_FILES)
@LAYERS_MK@
-include $(srcdir)/wrappers/layers.mk
all-local: $(LAYERS:%=layers/%/libcollprof-layer.so) $(LAYERS:%=layers/%/libcollprof.a) \
	$(foreach mpi,$(LAYERS),$(BENCHES:%=layers/$(mpi)/collbench-%))
install-exec-local: install-layers
install-layers: all-local
	for mpi in $(LAYERS); do $(MKDIR_P) "$(DESTDIR)$(pkglibdir)/$$mpi" && \
		$(INSTALL_DATA) layers/$$mpi/libcollprof-layer.so layers/$$mpi/libcollprof.a \
			"$(DESTDIR)$(pkglibdir)/$$mpi/" && \
		$(INSTALL_PROGRAM) layers/$$mpi/collbench-* "$(DESTDIR)$(pkglibdir)/$$mpi/" || exit 1; done
uninstall-local: uninstall-layers uninstall-modulefile
uninstall-layers:
	for mpi in $(LAYERS); do rm -rf "$(DESTDIR)$(pkglibdir)/$$mpi"; done
clean-local: clean-layers
clean-layers:
	rm -rf layers
.PHONY: install-layers uninstall-layers clean-layers
