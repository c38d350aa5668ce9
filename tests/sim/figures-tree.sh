#!/bin/sh
# usage: tests/sim/figures-tree.sh DIRECTORY [RANKS]...
#
# Trees from measured latencies against the library's broadcast, in simulation: two sites 10 km
# apart, eight sites 0.1 to 50 ms apart, and a cluster with one slow host; 8, 32 and 128 ranks;
# 256 B to 1 MiB. Compared are the simulator's own broadcast, its MPICH and Open MPI selectors,
# the binomial tree and the paper's to the letter. Leaves DIRECTORY/trees.txt (the table), trees.csv and a plot each.
#
# Every message costs its sender and its receiver 1 us (the simulator's default is nothing).
set -eu
here=$(dirname "$0")
directory=$1
shift
[ $# -gt 0 ] || set -- 8 32 128
sizes=256:1M step=2
mkdir -p "$directory"
export SMPI_OPTIONS SIM_PLACING
overhead="--cfg=smpi/async-small-thresh:0 --cfg=smpi/os:0:1e-6:0 --cfg=smpi/ois:0:1e-6:0 --cfg=smpi/or:0:1e-6:0"
csv=$directory/trees.csv
echo "platform,placing,ranks,bytes,who,chosen,segment,predicted,measured" >"$csv"

# One run: SELECTOR, what of the rows to keep, then collbench-tree's options.
run() {
    SMPI_OPTIONS=$overhead
    [ "$1" = default ] || SMPI_OPTIONS="$overhead --cfg=smpi/coll-selector:$1"
    sh "$here/run.sh" "$platform" "$ranks" sim/collbench-tree --format=csv --sizes=$sizes \
        --step=$step --stop=fixed -i 3 -x 1 "$2" |
        awk -F, -v OFS=, -v at="$platform,$SIM_PLACING,$ranks" -v selector="$1" '
            /^[0-9]/ {
                who = $3
                gsub(/"/, "", who)
                chosen = who
                if (who == "MPI_Bcast") who = selector == "default" ? "library" : selector
                else if (who ~ /^(binomial|grid-paper)$/) who = who
                else who = "grid"
                print at, $2, who, chosen, $4, $7, $10
            }' >>"$csv"
}

for ranks; do
    for platform in sites2 sites8 slowhost; do
        for SIM_PLACING in blocks scattered; do
            [ "$platform.$SIM_PLACING" = slowhost.scattered ] && continue
            run default --algorithm=binomial,grid-paper,grid
            run mpich --algorithm=none
            run ompi --algorithm=none
        done
    done
done
awk -F, -f "$here/figures-tree.awk" "$csv" >"$directory/trees.txt"
cat "$directory/trees.txt"

# A picture for each network, placing and number of ranks.
[ -n "${GNUPLOT:-}" ] || exit 0
awk -F, 'NR > 1 { print $1 "," $2 "," $3 }' "$csv" | sort -u | while IFS=, read -r p how n; do
    "$GNUPLOT" <<END
set terminal pngcairo size 900,600 noenhanced font 'sans,11' background '#ffffff'
set output '$directory/trees-$p-$how-$n.png'
set datafile separator ','
set title 'Broadcast on $p, $n ranks, $how'
set xlabel 'message (B)'
set ylabel 'last arrival (us)'
set logscale x 2
set logscale y 10
set grid
set format x '%.0b%B'
set format y '%.0f'
set rmargin 5
set key top left
pick(who) = sprintf("< awk -F, '\$1 == \"$p\" && \$2 == \"$how\" && \$3 == $n && \$5 == \"%s\"' $csv", who)
plot for [who in "library mpich ompi binomial grid-paper grid"] pick(who) using 4:9 \
    with linespoints lw 2 lc rgb word("#0072b2 #009e73 #56b4e9 #808080 #cc79a7 #d55e00", \
    (who eq "library") + 2 * (who eq "mpich") + 3 * (who eq "ompi") + 4 * (who eq "binomial") + \
    5 * (who eq "grid-paper") + 6 * (who eq "grid")) \
    title who, \
    pick("grid") using 4:8 with lines dashtype 2 lw 2 lc rgb '#d55e00' title 'grid, predicted'
END
done
