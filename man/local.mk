dist_man_MANS += man/collbench-pairs.1 man/collbench-tree.1
dist_man_MANS += man/collbench-collective.1
dist_man_MANS += man/collbench-bcast.1
dist_man_MANS += man/collprof.1 man/collprof-run.1 man/collprof-report.1 man/collprof-compare.1 man/collprof-repeat.1 man/collprof-experiments.7 \
	man/collprof-scale.1 man/collprof-info.1 man/collprof-where.1 man/collprof-top.1 man/collprof-profile.5
dist_man_MANS += man/libcollprof.3
dist_man_MANS += man/collbench-scenario.1 man/collbench-overlap.1
