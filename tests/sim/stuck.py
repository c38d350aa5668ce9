#!/usr/bin/env python3
"""usage: stuck.py [FIRST_SEED CASES MOST_RANKS SECONDS [DONE]]

Protects the verdict on runs that hang, from the wrappers to the sentence: hangs drawn by seeds, which are stuck.c with a
kind, ranks, a communicator and lines, run in simulation until no rank can go on, and what `collprof where` then says.
Of 98 % of them the kind, the ranks at fault and the lines must be right, and "deadlock" is said of none that is none.
Without arguments five cases, and twenty by a new seed with ./check --thorough. DONE: see sweep.py."""
import json, os, random, re, subprocess, sys, time

import sweep

here = os.path.dirname(os.path.abspath(__file__))
lines = {m.group(1): n for n, text in enumerate(open(f"{here}/stuck.c"), 1)
         if (m := re.search(r"/\* ((?:receive|ssend|irecv|together|differently) \d|exchange|late root|test) \*/", text))}

# KIND of stuck.c: the verdict's kind; how many roles there are; which of them are at fault (None: others are, too);
# lines that must be named, with V for the variant; whether none of these ranks can go on.
KINDS = {
    "receives": ("cycle", (2, 5), "all", ["receive V"], True),
    "sends": ("cycle", (2, 5), "all", ["ssend V"], True),
    "mixed": ("cycle", (3, 3), "all", ["receive V", "ssend V", "irecv V"], True),
    "other_tag": ("unmatched", (2, 2), "all", ["receive V"], True),
    "other_comm": ("unmatched", (2, 2), "all", ["receive V"], True),
    "other_receiver": ("unmatched", (3, 3), [0, 1], ["receive V"], True),
    "no_sender": ("unmatched", (1, 1), "all", ["receive V"], True),
    "itself": ("unmatched", (1, 1), "all", ["receive V"], True),
    "finished": ("unmatched", (2, 2), [1], ["receive V"], True),
    "one_of_three": ("unmatched", (2, 2), "all", ["irecv V"], True),
    "any_of_two": ("unmatched", (3, 3), None, ["irecv V"], True),
    "exchange": ("unmatched", (2, 2), "all", ["exchange"], True),
    "missing": ("missing", (1, 1), "all", ["together V"], True),
    "another": ("mismatch", (1, 5), None, ["together V", "differently V"], True),
    "crossed": ("crossed", (1, 5), None, ["together V"], True),
    "computes": ("computes", (1, 1), "all", ["together V"], False),
    "chain": ("computes", (2, 5), [0], ["receive V"], False),
    "late_root": ("computes", (1, 1), "all", ["late root"], False),
    # When the last of its polls was, nobody knows of a process that was killed.
    "polls": ("computes", (2, 2), [0], ["test"], False),
}


def draw(seed, most_ranks):
    r = random.Random(f"stuck {seed}")
    kind = list(KINDS)[seed % len(KINDS)]
    least, most = KINDS[kind][1]
    n = r.randint(max(2, least + (kind in ("another", "crossed"))), r.choice([5, 16, most_ranks]))
    roles = r.sample(range(n), min(r.randint(least, most), n - (kind in ("another", "crossed")) or 1))
    # On a part of the ranks somebody else must be there to be waited for, or to disagree.
    comm = r.choice(["world", "dup", "reversed"] + (["part"] if n > 3 * len(roles) else []))
    return kind, n, roles, comm, r.randrange(3)


def judge(kind, n, roles, variant, verdict):
    want, _, fault, marks, stuck = KINDS[kind]
    wrong = []
    if verdict["kind"] != want:
        wrong.append(f"kind {verdict['kind']}, not {want}")
    ranks = set(roles if fault == "all" else [roles[i] for i in fault or []])
    if fault and set(verdict["ranks"]) != ranks:
        wrong.append(f"ranks {verdict['ranks']}, not {sorted(ranks)}")
    for mark in marks:
        line = lines[mark.replace("V", str(variant))]
        if not re.search(rf"stuck\.c:{line}\b", verdict["text"]):
            wrong.append(f"no line {line} ({mark})")
    if "deadlock" in verdict["text"] and not stuck:
        wrong.append("FALSE DEADLOCK")
    return wrong


def name_lines(text):
    """The simulator has removed the copies of the program that ranks were, before anybody could name call sites."""
    def name(m):
        found = subprocess.run(["addr2line", "-e", "sim/stuck", hex(int(m.group(1), 16) - 1)], capture_output=True, text=True,
                               check=True)
        return os.path.basename(found.stdout.split(" ")[0].strip())
    return re.sub(r"\bstuck_\w+\.so\+0x([0-9a-f]+)", name, text)


def run(seed, most_ranks, directory, seconds):
    kind, n, roles, comm, variant = draw(seed, most_ranks)
    out = f"{directory}/{seed}"
    environment = dict(os.environ, COLLPROF_OUTPUT=out, COLLPROF_REPORT="no", CHECK_LIMIT=str(seconds))
    words = [kind, comm, str(variant)] + [str(r) for r in roles]
    subprocess.run([f"{here}/run.sh", "cluster", str(n), "sim/stuck"] + words, env=environment,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    where = subprocess.run(["./collprof", "where", "--format=json", out], capture_output=True, text=True, check=False)
    what = f"{seed}: {n} ranks, {' '.join(words)}"
    if where.returncode:
        return what, [f"no verdict: {where.stderr.strip()}"], ""
    verdict = json.loads(where.stdout)
    verdict["text"] = name_lines(verdict["text"])
    return what, judge(kind, n, roles, variant, verdict), verdict["text"]


def show(what, wrong, text):
    print(f"{what}: {', '.join(wrong)}\n    {text}" if wrong else f"{what}: right", flush=True)


def summarize(results):
    right = sum(not wrong for _, wrong, _ in results)
    print(f"stuck: {right} of {len(results)} are right")
    return right < 0.98 * len(results) - 1e-9 or any("FALSE DEADLOCK" in wrong for _, wrong, _ in results)


sys.exit(sweep.sweep(run, show, summarize, (0, 5, 64, 60), (int(time.time()), 20, 64, 60)))
