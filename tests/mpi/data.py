# data.py: checks the files that data.sh has written here.
import glob, io, json, re, sys
import pandas

bad = []

# The kinds are what they are named, so that something was checked.
kinds = {name: json.load(open(name + "/profile.json")) for name in ("traced", "transport", "ack", "benchmark")}
assert kinds["traced"]["trace"]["recorded"] and kinds["transport"]["transport"]
assert kinds["ack"]["findings"]["ack"] and kinds["benchmark"]["findings"]["benchmark"]
assert json.load(open("crashed.json"))["findings"]["verdict"]

# pandas: one header line, numbers where figures are.
text = {"operation", "call_site", "communicator", "region", "state", "direction", "ended", "host",
        "created_at", "algorithm", "method", "destinations", "measures", "remarks"}
of_causes = {"kind", "left", "entered"}
seen = 0


def tables_of(path):
    """Each table of a run's CSV, by its name."""
    parts = open(path).read().split("# table: ")[1:]
    return {name: pandas.read_csv(io.StringIO(rows)) for name, rows in (part.split("\n", 1) for part in parts)}


frames = {f"{path}: {name}": frame for path in glob.glob("tra*.csv") + glob.glob("old-*.csv")
          for name, frame in tables_of(path).items()}
for path, frame in frames.items():
    for column in frame.columns if len(frame) else []:
        assert re.fullmatch(r"[a-z0-9_]+", column), (path, column)
        number = pandas.api.types.is_numeric_dtype(frame[column])
        known = frame[column].notna().any()
        if frame[column].isin(["-", "'-"]).any():
            bad.append(f"{path}: {column} has a dash for what there is not")
        seen += number and known
        words = text | of_causes if path.endswith(": causes") else text
        if known and number != (column not in words):
            bad.append(f"{path}: {column} is {frame[column].dtype}")
assert seen > 100, seen
calls = frames["traced.csv: operations"].set_index("operation").calls
assert calls["MPI_Bcast"] == 2 * 3, calls
for table in "operations", "call_sites": # parts of the time in MPI, without MPI_Init
    whole = frames[f"traced.csv: {table}"].share_percent.sum()
    if abs(whole - 100) > 0.1:
        bad.append(f"{table}: all shares together are {whole:.1f} %")

print("\n".join(bad))
sys.exit(bool(bad))
