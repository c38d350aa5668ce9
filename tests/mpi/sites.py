"""Calls MPI_Barrier from everywhere that Python has, and leaves in sites.RANK what Python itself says
of where it was: sites.py mpi4py or sites.py LIBRARY [EXTENSION]

sites.py --compare PROFILE DIRECTORY: whether profile.json has the same calls at the same places."""
import atexit
import collections
import ctypes
import functools
import gc
import glob
import json
import os
import sys
import threading

seen = collections.Counter()


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def here(*in_c):
    """Counts the four innermost calls, as they are in this line, after those IN_C; True."""
    frame, stack = sys._getframe(1), list(in_c)
    while frame and len(stack) < 4:
        code = frame.f_code
        if not code.co_filename.startswith("<frozen "):
            stack.append((os.path.basename(code.co_filename), frame.f_lineno, name_of(code)))
        frame = frame.f_back
    seen[json.dumps(stack)] += 1
    return True


def compare(path, directory):
    profile, truth, found = json.load(open(path)), collections.Counter(), collections.Counter()
    for part in glob.glob(os.path.join(directory, "sites.*")):
        truth.update(json.load(open(part)))
    for e in profile["entries"]:
        if profile["operations"][e["operation"]]["name"] == "MPI_Barrier":
            stack = [(os.path.basename(f.get("file") or ""), f.get("line"), f.get("function"))
                     for f in profile["sites"][e["site"]]["frames"] if f.get("file")]
            found[json.dumps(stack)] += e["calls"]
    for stack in sorted(set(truth) | set(found)):
        if truth[stack] != found[stack]:
            print(f"{truth[stack]} calls in truth, {found[stack]} in the profile: {stack}")
    print(f"{len(truth)} places, {sum(truth.values())} calls")
    return not truth or truth != found


if sys.argv[1] == "--compare":
    sys.exit(compare(*sys.argv[2:]))

if sys.argv[1] == "mpi4py":
    from mpi4py import MPI
    barrier, rank = MPI.COMM_WORLD.Barrier, MPI.COMM_WORLD.rank
else:
    ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL)
    mpi = ctypes.CDLL(None)  # the functions that all see are those of a preloaded library
    try:  # the handle of MPI_COMM_WORLD is a number in MPICH and an address in Open MPI
        world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
    except ValueError:
        world = ctypes.c_int(0x44000000)
    mpi.MPI_Init_thread(None, None, 3, ctypes.byref(ctypes.c_int()))
    barrier, number = functools.partial(mpi.MPI_Barrier, world), ctypes.c_int()
    mpi.MPI_Comm_rank(world, ctypes.byref(number))
    rank = number.value


def plain():
    here(); barrier()


class Solver:
    def step(self, n):
        for i in range(n):
            here(); barrier()
            plain()
        return self

    @property
    def value(self):
        here(); barrier()
        return 1

    def __del__(self):
        here(); barrier()


def fall(depth):
    here(); barrier()
    if depth:
        fall(depth - 1)
    else:
        raise KeyError(depth)


def caught():
    try:
        fall(6)
    except KeyError:
        here(); barrier()
    finally:
        here(); barrier()


def generate(n):
    for i in range(n):
        here(); barrier()
        yield i
    yield from generate(n - 1) if n else ()


async def coroutine(n):
    here(); barrier()
    if n:
        await coroutine(n - 1)


def decorated(function):
    @functools.wraps(function)
    def around(*arguments):
        here(); barrier()
        return function(*arguments)
    return around


@decorated
def größer(a):
    here(); barrier()


def in_made_code():
    # Code that is freed and followed by other code at its place: its name, file and line differ.
    for i in range(40):
        source = "\n" * (i % 3) + "here() and barrier()"
        exec(compile(source, f"made{i % 5}.py", "exec"), {"here": here, "barrier": barrier})


Solver().step(20).value
caught()
sum(generate(4))
try:
    coroutine(3).send(None)
except StopIteration:
    pass
größer(1)
in_made_code()
[(here(), barrier()) for i in range(5)]
sorted(range(6), key=lambda i: (here(), barrier(), i)[2])
with open(f"imported_{rank}.py", "w") as module:
    module.write("import __main__\n\n__main__.here(); __main__.barrier()\n")
sys.path.insert(0, os.getcwd())
__import__(f"imported_{rank}")
thread = threading.Thread(target=Solver().step, args=(10,))
thread.start()
thread.join()
del thread
if len(sys.argv) > 2:
    extension = ctypes.CDLL(sys.argv[2])
    for i in range(7):
        here(("extension.c", 4, "in_c")); extension.in_c(world)
gc.collect()


@atexit.register
def leave():
    here(); barrier()
    with open(f"sites.{rank}", "w") as out:
        json.dump(seen, out)
    if sys.argv[1] != "mpi4py":
        mpi.MPI_Finalize()
