#!/bin/sh
# Programs with strange habits: with the layer they have the same status and output as without, and
# what is recorded of them is right.
. "${srcdir:-.}/tests/mpi/lib.sh"
strange=$built/tests/mpi/strange

# both WAY: bare and with the layer, on 2 ranks.
both()
{
    way=$1
    like_bare 2 $way "$strange" $way || return 1
    test ! -s err || { cat err; fail "$way: something was said"; }
    profile $way ranks 2
}

both longjmp
profile longjmp calls MPI_Barrier=200 MPI_Send=4
profile longjmp errors MPI_Send=4
# What such a call took is not known: its row says no time, and the profile can be read.
"$collprof" report --full longjmp >report || fail "longjmp: no report"
grep -q '^ *MPI_Send  *4 .*  - ' report || { cat report; fail "longjmp: times that nobody measured"; }
tr -s ' \n' ' ' <report | grep -q ' 4 calls returned an error: MPI_Send' || { cat report; fail "longjmp: not said"; }

# A rank that is always late stays so, though another one's first collective was refused.
both failing-collective
profile failing-collective errors MPI_Bcast=1
"$collprof" report --full failing-collective >report || fail "failing-collective: no report"
grep -q '1 call returned an error.*: MPI_Bcast at' report ||
    { cat report; fail "failing-collective: not said"; }
holds failing-collective <<'END' || fail "failing-collective: who is late"
barrier = [o["name"] for o in p["operations"]].index("MPI_Barrier")
late = [a for a in p["arrivals"] if a["operation"] == barrier]
assert sum(a["instances"] for a in late) == 10, late
assert all(a["cost_rank"] == 1 for a in late), late
END

# The 2 s between a receive that failed and the next one belong to neither.
both failing-wait
profile failing-wait errors MPI_Wait=1
profile failing-wait completed MPI_Irecv=1
holds failing-wait <<'END' || fail "failing-wait: times of another request"
window = sum(e.get("post_to_wait_ns", 0) for e in p["entries"])
assert window < 1.5e9, window
END

# Open MPI itself does not survive that.
if test "$CHECK_MPI" != openmpi; then
    both freeing-nothing
    profile freeing-nothing calls MPI_Comm_free=2
fi

# Nor does what a communicator is freed under stop, with what the layer does on it together.
both freeing-pending
profile freeing-pending completed MPI_Ibcast=32 MPI_Isend=32
for mode in ACK=100 BENCHMARK=direct; do
    (
        export  COLLPROF_BENCHMARK_BUDGET=2 "COLLPROF_$mode"
        both freeing-pending
    ) || exit 1
done

# again WAY: the same calls in the same time as an independent counter saw.
again()
{
    counted 2 $1.counted "$strange" $1 >out 2>err || { cat err; fail "$1: counted"; }
    same_counts $1.counted || fail "$1: other counts"
}

# Twice 800 bytes on either side; 10 ms of work at the receiver, 20 ms at the sender.
if both partitioned; then
    profile partitioned bytes MPI_Start=3200
    profile partitioned completed MPI_Start=4
    profile partitioned window-ms MPI_Start=60-60000
    profile partitioned waits MPI_Start=MPI_Wait
    again partitioned
fi

# Collectives of an intercommunicator are one instance each in which both groups take part.
both between
profile between calls MPI_Barrier=6 MPI_Bcast=2 MPI_Send=1 MPI_Recv=1 MPI_Intercomm_create=2
profile between bytes MPI_Bcast=200 MPI_Send=5 MPI_Recv=5
profile between instances MPI_Barrier=3 MPI_Bcast=1
again between

# 4,096 call sites, where there was room for 768.
both many-sites
profile many-sites calls MPI_Barrier=16384
profile many-sites nothing-lost
holds many-sites <<'END' || fail "many-sites: not all call sites"
assert sum(len(s["frames"]) > 0 for s in p["sites"]) >= 4096, len(p["sites"])
END

# More than the table can hold: no call is lost, and the table of call sites has the share of the time
# that the calls without a call site have.
both rare-sites
profile rare-sites calls MPI_Allreduce=90200 MPI_Barrier=40000
profile rare-sites completed MPI_Irecv=128
"$collprof" report --format=csv --table=call_sites rare-sites >report || fail "rare-sites: no report"
holds rare-sites <<'END' || { head -n 40 report; fail "rare-sites: what is without a call site is not stated"; }
import csv
time, without, sites = 0, 0, set()
for e in p["entries"]:
    placed = e["site"] is not None and p["sites"][e["site"]]["frames"]
    if p["operations"][e["operation"]]["name"] not in ("MPI_Init", "MPI_Finalize"):
        time += e["time_ns"]
        without += 0 if placed else e["time_ns"]
    if placed:
        sites.add(e["site"])
assert len(sites) > 4096, len(sites)
dropped = [r["dropped_sites"] for r in p["ranks"]]
assert all(n > 20000 for n in dropped), dropped
shown = [float(row["share_percent"]) for row in csv.DictReader(open("report")) if row["call_site"].strip("'-") == ""]
assert abs(sum(shown) - 100 * without / time) < 0.06, (shown, without / time)
END

# Thinned out, but both collectives alike, and none of the rare ones between them.
both in-turn
holds in-turn <<'END' || fail "in-turn: collectives were left out"
assert p["run"]["sample_mask"] > 0
n = sorted((p["operations"][a["operation"]]["name"], a["instances"]) for a in p["arrivals"])
rare, often, barrier, begun = [k for name, k in n]
for a in p["arrivals"]:
    kept_all = a["instances"] in (rare, begun)
    assert a["population"] == a["instances"] if kept_all else 0.7 < a["population"] / 16384 < 1.4, a
    assert a["time_ns"] <= sum(e["time_ns"] for e in p["entries"]) or a["instances"] == begun, a
assert [name for name, k in n] == ["MPI_Allreduce", "MPI_Allreduce", "MPI_Barrier", "MPI_Ibcast"], n
assert 0.7 < often / barrier < 1.4, n
assert rare == 8 and begun == 4, n
END
"$collprof" report --format=csv --table=collectives in-turn | grep -q '^MPI_Barrier,2,[0-9]*,[12][0-9][0-9][0-9][0-9],' || fail "in-turn: the row says nothing of a sample"

both many-requests
profile many-requests completed MPI_Irecv=100000
profile many-requests nothing-lost

both elsewhere # the profile is where it was to be
profile elsewhere calls MPI_Barrier=200

both closing
profile closing calls MPI_Barrier=32768
profile closing nothing-lost

# Too small a limit of file size ends nobody; that there is no profile is said.
like_bare 2 small "$strange" small-files
grep -q 'cannot write small/profile.json: File too large' err || { cat err; fail "small-files: not said"; }
"$collprof" report small >report 2>&1 || { cat report; fail "small-files: the records cannot be read"; }

test "${CHECK_THOROUGH:-${CHECK_AGAIN:-0}}" = 1 || exit 0
both huge # a receive of 2.5 GiB
profile huge bytes MPI_Recv=2684354560 MPI_Send=2684354560

# In every mode: the same status and output, and the record can be read.
nothing=freeing-nothing
test "$CHECK_MPI" != openmpi || nothing=
for mode in TRACE=calls TRACE=transport ACK=100 BENCHMARK=barrier BCAST=binomial BCAST=grid; do
    for way in longjmp failing-collective failing-wait $nothing freeing-pending partitioned between elsewhere; do
        (
            export  "COLLPROF_$mode"
            like_bare 2 $way-$mode "$strange" $way && touch done
        )
        status=$?
        test $status != 77 || continue
        test $status = 0 || exit 1
        "$collprof" report $way-$mode >report 2>&1 || { cat report; fail "$way, $mode: no report"; }
        profile $way-$mode ranks 2
    done
done
test -e done || fail "no program ran in any mode"
exit 0
