#!/bin/sh
# usage: tests/sim/figures-tree.sh DIRECTORY [RANKS]...
#
# Trees from measured latencies against the library's broadcast, in simulation: two sites 10 km
# apart, eight sites 0.1 to 50 ms apart, and a cluster with one slow host; 8, 32 and 128 ranks;
# 256 B to 1 MiB. Compared are the simulator's own broadcast, its MPICH and Open MPI selectors,
# the binomial tree and the paper's to the letter. Leaves DIRECTORY/trees.txt (the table), trees.csv and a page of pictures.
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

# A page with a picture for each network, placing and number of ranks.
python3 - "$csv" "$directory/trees.json" <<'END'
import csv, json, sys
rows = [{**r, "bytes": int(r["bytes"]), "time": float(r["measured"])} for r in csv.DictReader(open(sys.argv[1]))]
where = sorted({(r["platform"], r["placing"], r["ranks"]) for r in rows})
names = "platform placing ranks bytes who time".split()
columns = [{"name": n, "unit": {"bytes": "B", "time": "us"}.get(n), "kind": "integer" if n == "bytes" else
            "real" if n == "time" else "text", "decimals": 2, "head": "last arrival" if n == "time" else n} for n in names]
pictures = [{"kind": "lines", "title": f"Broadcast on {p}, {n} ranks, {how}", "table": "trees", "x": "bytes", "y": "time",
             "series": "who", "where": {"platform": p, "placing": how, "ranks": n}, "x_log": True, "y_log": True,
             "order": "library mpich ompi binomial grid-paper grid".split()} for p, how, n in where]
table = {"title": "Broadcasts", "columns": columns, "rows": [{n: r[n] for n in names} for r in rows]}
json.dump({"schema": "collbench-tree/figures", "header": {}, "findings": [], "tables": {"trees": table},
           "pictures": pictures}, open(sys.argv[2], "w"))
END
./collprof report --format=html "$directory/trees.json"
