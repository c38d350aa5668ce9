"""Holds pictures to the result that was written with them: plotted.py RESULT.json SCRIPT...

SCRIPTs are what gnuplot was given (tests/mpi/plotter keeps it). Lines must be the columns of the first
table by size; of an overlap map every cell must be its ratio, within the scale of colours, or be
crossed out because its ratio is not certain. Says how many pictures of each kind were right."""
import collections
import json
import math
import re
import sys

CERTAIN = 0.5


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


def wrong_cells(script, rows):
    low, high = map(float, re.search(r"^set cbrange \[(.*):(.*)\]", script, re.M).groups())
    value, *overlays = blocks(script)
    crossed = {(int(x), int(y)) for x, y in overlays[-2]} if len(overlays) > 1 else set()
    sizes = sorted({row["size"] for row in rows})
    other = "comp" if rows[0]["threads"] is None else "threads"
    times = sorted({row[other] for row in rows})
    at = {(sizes.index(row["size"]), times.index(row[other])): row for row in rows}
    if len(value) != len(at):
        yield f"{len(value)} cells, not {len(at)}"
    for i, j, v in value:
        row = at[int(i), int(j)]
        doubted = (int(i), int(j)) in crossed
        if row["ratio"] is None or math.isnan(float(v)) or doubted:
            if row["ratio"] is None and math.isnan(float(v)):
                continue
            if not (doubted and (row["error"] is None or row["error"] > CERTAIN)):
                yield f"cell {i} {j} is not drawn, though it is certain: {row}"
        elif not near(float(v), min(max(row["ratio"], low), high)):
            yield f"cell {i} {j} is drawn as {v}: {row}"


def main(result, *scripts):
    tables = json.load(open(result))["tables"]
    right, bad = collections.Counter(), []
    for path in scripts:
        script = open(path).read()
        picture = script.split("\n", 1)[0]
        if "multiplot" in script:
            right["sheets"] += 1  # of the maps that are drawn one by one, too
            continue
        if "cells" in tables:
            of = re.search(r"-([a-z-]+)\.png", picture)[1]
            bad += wrong_cells(script, [row for row in tables["cells"]["rows"] if row["benchmark"] == of])
            right["maps"] += 1
        else:
            bad += wrong_lines(script, next(iter(tables.values()))["rows"])
            right["lines"] += 1
    print("\n".join(bad) or " ".join(f"{n} {kind}" for kind, n in sorted(right.items())))
    return bool(bad)


sys.exit(main(*sys.argv[1:]))
