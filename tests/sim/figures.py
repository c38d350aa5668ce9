#!/usr/bin/env python3
"""usage: figures.py DIRECTORY [GROUP]...

Measures the figures of the five papers again, from a built tree: in simulation, and overlap on this machine. Leaves a
folder for each paper with data and page of each figure, and index.html with all pictures, captions and commands. What
is there already, by the same command, is kept. QUICK=1: fewer ranks and sizes, in 5 minutes."""
import html
import json
import os
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
QUICK = os.environ.get("QUICK", "0") not in ("", "0")
RANKS, STEPS = (16, "4:16:4") if QUICK else (64, "4:64:4")
PAPERS = {"000": "de Supinski and Karonis, Accurately Measuring MPI Broadcasts in a Computational Grid",
          "001": "PetaSHA, process-to-process latencies",
          "002": "Gracia, Niethammer and Sethi, Microbenchmark Suite (CRESTA D4.5.2)",
          "003": "Mateescu and Taylor, Efficient Broadcast on Computational Grids",
          "004": "Denis and Trahay, MPI Overlap: Benchmark and Analysis"}
# Of a processor's part in a message the simulator knows nothing by itself: 1 us and 0.2 ns for every byte.
OVERHEADS = "".join(" --cfg=smpi/%s:0:1e-6:2e-10" % o for o in ("os", "ois", "or")).strip()
ONE_US = "--cfg=smpi/async-small-thresh:0" + "".join(" --cfg=smpi/%s:0:1e-6:0" % o for o in ("os", "ois", "or"))
# Latencies and bandwidths as the platform says: by default the simulator multiplies them by factors that depend on the
# size, the latency by 2.0 below 257 B and 11.6 from 65,472 B on, the bandwidth by 0.34 to 1.09.
PLAIN = "--cfg=smpi/lat-factor:0:1 --cfg=smpi/bw-factor:0:1"
COPIES = "--cfg=smpi/async-small-thresh:131072 --cfg=smpi/send-is-detached-thresh:131072"
FIXED = "--stop=fixed -i 3 -x 1"  # the simulator repeats itself exactly


def sim(platform, ranks, program, options, smpi="", **environment):
    """The command, as a shell takes it."""
    settings = dict(environment, **({"SMPI_OPTIONS": smpi} if smpi else {}))
    before = "".join("%s=%s " % (k, shlex.quote(v)) for k, v in settings.items())
    return "%s%s/run.sh %s %d sim/%s %s" % (before, os.path.relpath(HERE), platform, ranks, program, options)


class Figure:
    """One page: PATH.json from COMMAND, to which OTHERS (command, line) add their rows of the library's broadcast."""

    def __init__(self, group, paper, name, caption, command, others=(), page=None):
        self.group, self.paper, self.name, self.caption = group, paper, name, caption
        self.command, self.others, self.page = command, others, page


FIGURES = []


def figure(*arguments, **more):
    FIGURES.append(Figure(*arguments, **more))


def broadcast(name, caption, options, platform="cluster", ranks=RANKS, smpi=OVERHEADS, **environment):
    figure("bcast", "000", name, caption,
           sim(platform, ranks, "collbench-bcast", options + " --budget=0 " + FIXED, smpi, **environment))


def declare_000():
    lines, sizes = "--algorithm=binomial,linear,backward --ranks=" + STEPS, ("256",) if QUICK else ("256", "64K")
    figure("bcast", "000", "figure-01", "Figure 1: a broadcast of 16 ranks along a binomial tree, 5 us to send and to receive.",
           "%s/figure-01.sh @" % os.path.relpath(HERE), page="figure-01.html")
    broadcast("figures-03-06-08-10-11", "Figures 3, 6, 8, 10 and 11: 256 B by every method.", lines + " --sizes=256"
              " --method=send-latency,rounds,ring-barrier,acknowledge,ol,held,direct")
    broadcast("figure-08-busy-root", "Figure 8 where a receive costs 10 us: acknowledgements keep the root busy.",
              lines + " --sizes=256 --method=acknowledge,direct", smpi="--cfg=smpi/os:0:1e-6:2e-10 --cfg=smpi/or:0:1e-5:0")
    for size in sizes:
        broadcast("figure-07-" + size, "Figure 7: the ring barrier; and figure 10, %s B." % size,
                  lines + " --method=ring-barrier,held --sizes=" + size)
        broadcast("figure-07-ring-of-64K-" + size, "Figure 7 with 64 KiB in the barrier's messages, %s B." % size,
                  lines + " --method=ring-barrier --ring-size=64K --sizes=" + size)
        broadcast("figure-07-hypercube-" + size, "Figure 7: binomial broadcast and hypercube barrier of the library, %s B." % size,
                  "--algorithm=native --method=barrier --ranks=%s --sizes=%s" % (STEPS, size),
                  smpi=OVERHEADS + " --cfg=smpi/bcast:binomial_tree --cfg=smpi/barrier:ompi_recursivedoubling")
    broadcast("figure-10-4-ranks-a-host", "Figure 10 with four ranks on each host, as the paper ran.",
              lines + " --sizes=256 --method=ol", SIM_WAYS="4")
    broadcast("flat", "Not in the paper: a flat broadcast, where its assumption fails.",
              "--algorithm=flat --sizes=64K --method=ol,held,direct --destinations", ranks=16)
    broadcast("two-sites", "Not in the paper: two sites.", "--algorithm=binomial,flat,linear --sizes=4K --destinations"
              " --method=rounds,barrier,acknowledge,ol,held,direct", "grid", 16)
    for part, cases in (("", 300), ("_collective", 200)):
        figure("sweep", "000", "sweep" + part, "Not in the paper: how far the methods are off on platforms drawn at random.",
               "python3 %s/sweep%s.py 1000 %d %d 600 >@.txt" % (os.path.relpath(HERE), part, 10 if QUICK else cases,
                                                               16 if QUICK else 128 if not part else 40), page="sweep%s.txt" % part)


def declare_001():
    for net in ("sites2", "sites8", "workstations"):
        ranks = 16 if QUICK else 32
        figure("pairs", "001", "figures-" + net, "Figures 1 to 8: round trips of 64 B between %d ranks on %s, mean and deviation." % (ranks, net),
               sim(net, ranks, "collbench-pairs", "-i 10 --log-file=@.log >@.txt && ./collprof report --format=html -o @.html @.log"),
               page="figures-%s.html" % net)


def declare_002():
    figure("scenario", "002", "figure-1", "Figure 1: T_sc of a broadcast of 512 B against the number of participants.",
           sim("cluster", RANKS, "collbench-scenario", "--operation=broadcast --sizes=512:512 --ranks=2:%d" % RANKS))
    figure("scenario", "002", "scenario-2", "Scenario 2: the last participant is late.",
           sim("cluster", 16, "collbench-scenario", "-s 2 --operation=broadcast,barrier --delay=4:1024"))
    figure("scenario", "002", "scenario-3", "Scenario 3: what is overlapped with computation.",
           sim("cluster", 16, "collbench-scenario", "-s 3 --operation=broadcast,ibroadcast --sizes=64K:64K --comp=4:1024"))


def trees(name, caption, platform, ranks, options, smpi, placing="blocks"):
    """The library's broadcast three times, the binomial tree, the paper's to the letter, and ours."""
    def run(selector, algorithms):
        more = " --cfg=smpi/coll-selector:" + selector if selector else ""
        return sim(platform, ranks, "collbench-tree", "%s --algorithm=%s %s" % (options, algorithms, FIXED), smpi + more,
                   **({"SIM_PLACING": placing} if placing != "blocks" else {}))
    figure("workstations" if platform == "figure4" else "tree", "003", name, caption,
           run("", "binomial,grid-paper,grid"), others=[(run(s, "flat"), s) for s in ("mpich", "ompi")])


def declare_003():
    for factors, smpi in (("", PLAIN), ("-with-factors", "")):
        said = "with the simulator's factors" if factors else "latencies as the platform says"
        trees("figure-4" + factors, "Figure 4: five workstations on two networks, 100,000 B, whole messages; %s." % said,
              "figure4", 9, "--ranks=%s --sizes=100000 --segment=0" % ("5:9:2" if QUICK else "2:9:1"), (COPIES + " " + smpi).strip())
        for ranks in (8,) if QUICK else (8, 32, 128):
            for platform, placing in (("sites2", "blocks"), ("sites2", "scattered"), ("sites8", "blocks"),
                                      ("sites8", "scattered"), ("slowhost", "blocks")):
                if (factors == "" or ranks < 128) and not (QUICK and (factors or placing == "scattered")):
                    trees("%s-%s-%d%s" % (platform, placing, ranks, factors), "Not in the paper: %d ranks on %s, %s; %s."
                          % (ranks, platform, placing, said), platform, ranks, "--sizes=256:%s --step=4" % ("64K" if QUICK else "1M"), ONE_US + " " + smpi, placing)


def declare_004(layers):
    for mpi in layers:
        figure("overlap", "004", "figures-2-to-4-" + mpi, "Figures 2 to 4: the maps of %s on this machine." % mpi,
               "mpiexec.%s -n 2 bench/collbench-overlap%s" % (mpi, "" if QUICK else " --sizes=64:8M --comp=1:8192 --step=1.414 -i 50 --budget=1"))
    figure("overlap", "004", "simulated", "Figures 2 to 4 in simulation, where eager and rendezvous are known.",
           sim("cluster", 2, "collbench-overlap", "--benchmark=serial,sender,receiver,both,vector,cpu --step=4 -i 3"
               " --sizes=1K:1M --comp=4:4096"))
    figure("timeline", "004", "figures-5-to-10", "Figures 5 to 10: what MPI and the transport below it did, on this machine.",
           "%s/../mpi/figures-timeline.sh @" % os.path.relpath(HERE), page="figures-5-to-10")


def shell(command, path):
    subprocess.run(["sh", "-c", command.replace("@", path)], check=True, stdout=subprocess.DEVNULL)


def measure(f, path):
    """Makes the figure's files; what is not complete has another name than what is."""
    if f.page:
        shell(f.command, path)
        return
    shell(f.command + " --format=json -o @.json", path)
    for command, line in f.others:
        shell(command + " --format=json -o @.other", path)
        document, other = json.load(open(path + ".json")), json.load(open(path + ".other"))
        rows = other["tables"]["schedules"]["rows"]
        document["tables"]["schedules"]["rows"] += [dict(row, algorithm=line, line=line) for row in rows if row["algorithm"] == "MPI_Bcast"]
        os.remove(path + ".other")
        json.dump(document, open(path + ".json", "w"))
    subprocess.run(["./collprof", "report", "--format=html", "-o", path + ".html", path + ".json"], check=True,
                   stdout=subprocess.DEVNULL)


def pages(f, folder):
    path = os.path.join(folder, f.page or f.name + ".html")
    return [os.path.join(path, p) for p in sorted(os.listdir(path)) if p.endswith(".html")] if os.path.isdir(path) else [path]


def write_index(directory):
    text = ["<!doctype html><meta charset=utf-8><title>Figures of the papers</title><style>body{font:15px sans-serif;max-width:70em;"
            "margin:auto}iframe{width:100%;height:38em;border:1px solid #bbb}code{overflow-wrap:anywhere}</style>"
            "<h1>Figures of the papers, measured again</h1>"]
    for paper, title in PAPERS.items():
        text.append("<h2>%s: %s</h2>" % (paper, html.escape(title)))
        for f in FIGURES:
            folder = os.path.join(directory, f.paper)
            if f.paper != paper or not os.path.exists(os.path.join(folder, f.name + ".command")):
                continue
            text.append("<h3>%s</h3><p><code>%s</code>" % (html.escape(f.caption), html.escape(f.command)))
            for page in pages(f, folder):
                link = os.path.relpath(page, directory)
                text.append('<p><a href="%s">%s</a><br><iframe loading=lazy src="%s#pictures"></iframe>' % (link, link, link))
    with open(os.path.join(directory, "index.html"), "w") as out:
        out.write("\n".join(text) + "\n")


def main(directory, groups):
    declare_000(), declare_001(), declare_002(), declare_003(), declare_004(os.environ.get("LAYERS", "").split())
    os.environ["CHECK_LIMIT"] = "0"  # the tests' limit is none of a figure's
    wanted = [f for f in FIGURES if f.group in groups or not groups and (f.group != "sweep" or not QUICK)]
    failed, begun = [], time.time()
    for i, f in enumerate(wanted):
        path = os.path.join(directory, f.paper, f.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        stamp = "\n".join([f.command] + [command for command, _ in f.others])
        if os.path.exists(path + ".command") and open(path + ".command").read() == stamp:
            print("%3d of %d  %s: kept" % (i + 1, len(wanted), path), flush=True)
            continue
        print("%3d of %d  %s" % (i + 1, len(wanted), path), end="", flush=True)
        start = time.time()
        try:
            measure(f, path)
            with open(path + ".command", "w") as out:
                out.write(stamp)
            print(": %.0f s, %.0f s in all" % (time.time() - start, time.time() - begun), flush=True)
        except subprocess.CalledProcessError as error:
            failed.append(path)
            print(": FAILED, status %d: %s" % (error.returncode, f.command), flush=True)
        write_index(directory)
    write_index(directory)
    print("%s/index.html: %d of %d figures" % (directory, len(wanted) - len(failed), len(wanted)))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
