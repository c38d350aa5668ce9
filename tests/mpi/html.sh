#!/bin/sh
# The report as a page for a browser: of 1,024 ranks, with names that try to break out of it; complete
# without a script, sorted and filtered with it, at three widths, in headless Chromium where it is.
collprof=$top_builddir/collprof
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset $(env | sed -n 's/^\(COLLPROF_[A-Z_]*\)=.*/\1/p')
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
timeout 60 $MPIEXEC -n 2 $collprof run --report=no -o "$work/a" $top_builddir/tests/mpi/sites \
    > "$work/out" 2>&1 < /dev/null || { cat "$work/out"; exit 1; }
python3 - "$work" <<'PY' || exit 1
import copy, json, os, sys
work = sys.argv[1]
p = json.load(open(work + "/a/profile.json"))
evil = "</td><script>window.hostile=1</script><img src=x onerror='window.hostile=2'>\"'&lt;"
p["regions"].append({"name": evil[:63], "entered": 1, "time_ns": 5})
p["hosts"][0]["name"] = evil[:63]
p["warnings"].append(evil)
for site in p["sites"][:1]:
    for frame in site["frames"]:
        frame["function"] = evil
for r in range(1, 1024):
    one = copy.deepcopy(p["ranks"][0])
    one.update(rank=r, mpi_ns=one["mpi_ns"] + r)
    p["ranks"][r:] = [one]
os.mkdir(work + "/b")
json.dump(p, open(work + "/b/profile.json", "w"))
PY
timeout 20 $collprof report --html="$work/page.html" "$work/b" > "$work/out" || fail "--html: status $?"
python3 - "$work/page.html" "$work/probe.html" <<'PY' || fail "the page without a script"
import html.parser, sys
text = open(sys.argv[1], encoding="utf-8").read()


class Page(html.parser.HTMLParser):
    VOID = {"meta", "input", "br", "img"}
    tags, rows, section = [], {}, None

    def handle_starttag(self, tag, attributes):
        a = dict(attributes)
        self.tags.append(tag)
        assert tag not in ("img", "link", "iframe"), tag
        assert not any(k.startswith("on") or k in ("src", "href") for k in a), (tag, a)
        if tag == "section":
            self.section = a["id"]
        elif tag == "tr" and self.section:
            self.rows[self.section] = self.rows.get(self.section, 0) + 1


page = Page()
page.feed(text)
assert ">nan" not in text and ">-nan" not in text
assert page.tags.count("script") == 1, "a name became a script"
assert page.rows["ranks"] == 1025, page.rows
assert page.rows["operations"] >= 2 and page.rows["call_sites"] >= 3, page.rows
assert text.count("window.hostile") > 0 and "&lt;script&gt;window.hostile" in text
probe = """<script>addEventListener('load',()=>{const c=[...document.querySelectorAll(
'#ranks tbody tr:not([hidden])')];document.title=JSON.stringify({hostile:window.hostile||0,
wide:document.documentElement.scrollWidth-innerWidth,rows:c.length,first:c[0].cells[0].textContent,
last:c[c.length-1].cells[0].textContent,ms:performance.now(),
sorted:document.querySelectorAll('[aria-sort]').length})})</script></body>"""
open(sys.argv[2], "w").write(text.replace("</body>", probe))
PY
[ $failed = 0 ] || exit 1
if ! command -v chromium > /dev/null; then
    echo "without Chromium: only the page's text was looked at"
    exit 0
fi
browse() { # WIDTH FRAGMENT
    timeout 60 chromium --headless --no-sandbox --disable-gpu --no-first-run --disable-sync \
        --disable-background-networking --disable-component-update --enable-logging=stderr \
        --user-data-dir="$work/user" --window-size="$1,900" --dump-dom \
        "file://$work/probe.html#$2" 2> "$work/log" | sed -n 's/.*<title>\(.*\)<\/title>.*/\1/p' |
        sed 's/&quot;/"/g' | head -n 1 > "$work/title"
    grep -E 'CONSOLE' "$work/log" && fail "the console says something at width $1"
    # Rows as asked for, nothing ran that should not, the page itself does not scroll sideways.
    python3 - "$work/title" "$1" "$3" <<'PY' || fail "width $1, #$2: $(cat "$work/title")"
import json, sys
got, width, right = json.load(open(sys.argv[1])), int(sys.argv[2]), json.loads(sys.argv[3])
assert got["hostile"] == 0
assert got["wide"] <= 0 or width < 500  # headless Chromium has a least width of its own
assert all(got[k] == v for k, v in right.items()), (got, right)
PY
}
browse 1000 '' '{"rows": 1024, "sorted": 0}'
browse 1600 'ranks/mpi' '{"rows": 1024, "first": "1023", "sorted": 1}'
browse 400 'ranks/rank/1023' '{"rows": 1, "first": "1023", "sorted": 1}'
exit $failed
