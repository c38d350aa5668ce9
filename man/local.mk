dist_man_MANS += man/collbench-bcast.1
