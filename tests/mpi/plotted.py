"""Holds pictures to the result that was written with them: plotted.py RESULT.json SCRIPT...

SCRIPTs are what gnuplot was given (tests/mpi/plotter keeps it). Lines must be the columns of the first
table by size. Says how many pictures were right."""
import collections
import json
import math
import re
import sys

def blocks(script):
    """The data behind the last plot command of a picture, lists of rows of words."""
    data = script[script.rindex("\nplot "):].split("\n", 2)[2]
    return [[line.split() for line in block.splitlines() if line.strip()] for block in data.split("\ne\n")]


def near(drawn, value):
    """What is not known, None, is a gap."""
    return math.isnan(drawn) if value is None else abs(drawn - value) <= 1e-8 * abs(value)


def wrong_lines(script, rows):
    titles = re.findall(r"title '([^']*)'", script[script.rindex("\nplot "):])
    for title, block in zip(titles, blocks(script)):
        wanted = [(row["size"], row[title]) for row in rows]
        drawn = [tuple(map(float, row)) for row in block]
        if len(drawn) != len(wanted) or not all(near(*pair) for d, w in zip(drawn, wanted) for pair in zip(d, w)):
            yield f"{title}: {drawn}, not {wanted}"


def main(result, *scripts):
    tables = json.load(open(result))["tables"]
    right, bad = collections.Counter(), []
    for path in scripts:
        script = open(path).read()
        bad += wrong_lines(script, next(iter(tables.values()))["rows"])
        right["lines"] += 1
    print("\n".join(bad) or " ".join(f"{n} {kind}" for kind, n in sorted(right.items())))
    return bool(bad)


sys.exit(main(*sys.argv[1:]))
