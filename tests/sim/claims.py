#!/usr/bin/env python3
"""usage: claims.py TEMPLATE DOCUMENT [--check [short]]

Makes doc/claims.md of doc/claims.in from a built tree, in simulation: what is in braces there is computed from the runs
that the template names (@NAME PLATFORM RANKS PROGRAM OPTIONS [| SIMULATOR'S OPTIONS [| VARIABLE=VALUE]]; @@NAME: one that takes
long).
A claim's verdict is text whose condition is computed, too, and no document comes out where it does not hold. --check:
compares with DOCUMENT instead; short: only lines that need no long run."""
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

import figures


class Long(Exception):
    """A figure of a run that was not made."""


class Run:
    def __init__(self, line):
        self.long = line.startswith("@@")
        words, smpi, variable = (re.sub(r"\b(FIXED|OVERHEADS|PLAIN|COPIES|ONE_US)\b", lambda m: getattr(figures, m[0]), line) + "||").split("|")[:3]
        self.name, platform, ranks, program, options = words.strip("@ ").split(None, 4)
        self.command = figures.sim(platform, int(ranks), program, options.strip(), smpi.strip(), **dict(v.split("=") for v in variable.split()))
        self.document = None

    def make(self):
        with tempfile.NamedTemporaryFile() as out:
            subprocess.run(["sh", "-c", self.command + " --format=json -o " + out.name], check=True, stdout=subprocess.DEVNULL)
            self.document = json.load(open(out.name))

    def rows(self, table):
        if not self.document:
            raise Long(self.name)
        return self.document["tables"][table]["rows"]

    def __call__(self, table, column="value", **where):
        """COLUMN of the only row of TABLE in which the other columns are as WHERE says."""
        rows = [r for r in self.rows(table) if all(r[k.rstrip("_")] == is_ for k, is_ in where.items())]
        assert len(rows) == 1, (self.name, table, where, len(rows))
        return rows[0][column]


def v(run, algorithm, method, ranks):
    return run("methods", algorithm=algorithm, method=method, ranks=ranks)


def destination(run, algorithm, method, to):
    return run("pairs", algorithm=algorithm, method=method, to=to)


def tree(run, algorithm, ranks):
    return run("schedules", "measured", algorithm=algorithm, ranks=ranks)


def overlap(run, benchmark, size, comp, column="ratio"):
    return run("cells", column, benchmark=benchmark, size=size, comp=comp)


def completion(run, operation, scenario, column="median", **where):
    return run("scenarios", column, operation=operation, scenario=scenario, **where)


def quiet_tests(every, delay, tests=300):
    """A model of stopping at 3 %: a test is 8 means of 100 operations of 1, one of EVERY of which takes DELAY longer on
    average. The share of accepted tests, and their mean relative to that of all operations."""
    draw, kept = random.Random(1), []
    for _ in range(tests):
        means = [1 + sum(draw.expovariate(1 / delay) for _ in range(100) if draw.random() < 1 / every) / 100 for _ in range(8)]
        if statistics.stdev(means) < 0.03 * statistics.mean(means):
            kept.append(statistics.mean(means))
    return len(kept) / tests, statistics.mean(kept) / (1 + delay / every)


def breaks(average, least, most, deviation):
    """Whether no samples have such a deviation."""
    return deviation ** 2 > (most - average) * (average - least)


def verdict(text, condition):
    """TEXT, which is true."""
    if not condition:
        raise ValueError("not so any more: " + text)
    return text


def fill(template, check_short):
    runs = {r.name: r for r in (Run(line) for line in template if line.startswith("@"))}
    for r in runs.values():
        if not (check_short and r.long):
            r.make()
    names = {**globals(), **runs}
    for line in template:
        try:
            if line.startswith("@"):
                r = runs[line.strip("@ ").split()[0]]
                yield "- %s: `%s`" % (r.name, r.command.replace(os.path.relpath(figures.HERE), "tests/sim"))
            else:
                yield re.sub(r"\{(.*?)\}(%[^ %]*[a-z])?", lambda m: (m[2] or "%s") % eval(m[1], dict(names)), line)
        except Long:
            yield None
        except ValueError as error:
            raise SystemExit("claims.py: %s: %s" % (error, line[:200]))


def main(template, document, check=None, short=None):
    lines = open(template).read().splitlines()
    made = list(fill(lines, short is not None))
    if not check:
        with open(document, "w") as out:
            out.write("\n".join(made) + "\n")
        return 0
    there = open(document).read().splitlines()
    wrong = [(a, b) for a, b in zip(made, there) if a is not None and a != b]
    for a, b in wrong:
        print("FAIL: %s says\n  %s\nwhere it is\n  %s" % (document, b, a))
    print("%d lines are right, %d need longer" % (sum(a == b for a, b in zip(made, there)), made.count(None)))
    return len(made) != len(there) or bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
