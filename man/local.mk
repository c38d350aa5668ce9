# The manual: pages/NAME is man/NAME with the lists that the source has.
nodist_man_MANS = pages/collprof.1 pages/collprof-run.1 pages/collprof-report.1 pages/collprof-compare.1 \
	pages/collprof-repeat.1 pages/collprof-experiments.7 pages/collprof-scale.1 pages/collprof-info.1 \
	pages/collprof-where.1 pages/collprof-top.1 pages/collprof-profile.5 pages/libcollprof.3 \
	pages/collbench-bcast.1 pages/collbench-collective.1 pages/collbench-overlap.1 pages/collbench-pairs.1 \
	pages/collbench-scenario.1 pages/collbench-tree.1
NAMED = $(srcdir)/src/base/names.h $(libexport_la_SOURCES:%=$(srcdir)/%)
$(nodist_man_MANS): pages/%: $(srcdir)/man/% $(srcdir)/man/names.awk $(NAMED)
	$(AM_V_GEN)$(MKDIR_P) pages && $(AWK) -v names=$(srcdir)/src/base/names.h -v formats='$(filter %.c,$(NAMED))' \
		-f $(srcdir)/man/names.awk $< > $@.new && mv $@.new $@
EXTRA_DIST += $(nodist_man_MANS:pages/%=man/%) man/names.awk
CLEANFILES += $(nodist_man_MANS)
