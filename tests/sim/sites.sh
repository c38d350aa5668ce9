#!/bin/sh
# Latencies of which one pair of each two sites, and one within each, stands for all: see sites.c. Inside of
# the second site everything takes half as long again as in the first.
set -u
test -n "$SMPIRUN" || exit 77
sed 's/bw="250MBps" lat="30us"/bw="1GBps" lat="7.5us"/' "$srcdir/tests/sim/platforms/grid.xml" >sim/sites.xml
"$srcdir/tests/sim/run.sh" sim/sites.xml 8 sim/sites sim/sites.log || { echo "FAIL: status $?"; exit 1; }
