#!/usr/bin/env python3
"""usage: make.py SEED MOST_RANKS DIRECTORY

Draws one case from SEED: a platform of some kind with random parameters, where its ranks run, and
what is broadcast. Writes DIRECTORY/SEED.xml and SEED.hosts, and prints the case as JSON. Nothing
here was chosen by what any method does well."""
import json
import math
import random
import sys


def us(r, low, high):
    """A time between LOW and HIGH us, even on a logarithmic scale."""
    return "%.4gus" % (low * (high / low) ** r.random())


def rate(r):
    return "%.4gMBps" % (20 * 500 ** r.random())


def cluster(r, n, extra=""):
    return ['<cluster id="c" prefix="h" suffix="" radical="0-%d" speed="1Gf" bw="%s" lat="%s"'
            ' loopback_bw="8GBps" loopback_lat="0.3us" %s/>' % (n - 1, rate(r), us(r, 0.5, 50), extra)]


def fat_tree(r, n):
    down = [r.choice([2, 4]), r.choice([2, 4])]
    while math.prod(down) < n:
        down[0] *= 2
    text = "2;%d,%d;1,%d;1,1" % (down[0], down[1], r.choice([1, 2]))
    return cluster(r, math.prod(down), 'topology="FAT_TREE" topo_parameters="%s"' % text)


def torus(r, n):
    side = [2, 2, 2]
    while math.prod(side) < n:
        side[r.randrange(3)] += 1
    return cluster(r, math.prod(side), 'topology="TORUS" topo_parameters="%d,%d,%d"' % tuple(side))


def dragonfly(r, n):
    """Two groups of two chassis of two routers: with others this simulator's routes crash."""
    nodes = max(1, (n + 7) // 8)
    return cluster(r, 8 * nodes,
                   'topology="DRAGONFLY" topo_parameters="2,%d;2,1;2,1;%d"' % (r.randint(1, 3), nodes))


def half_duplex(r, n):
    return cluster(r, n, 'sharing_policy="SHARED"')


def flat(r, n):
    return cluster(r, n)


def hosts_of(n):
    return ['<host id="h%d" speed="1Gf"/>' % i for i in range(n)]


def full(r, n, links, way):
    """Routes from every host to every other by WAY(i, j), a list of links."""
    text = ['<zone id="z" routing="Full">'] + hosts_of(n) + links
    for i in range(n):
        for j in range(n):
            if i != j:
                ctn = "".join('<link_ctn id="%s"/>' % k for k in way(i, j))
                text.append('<route src="h%d" dst="h%d" symmetrical="NO">%s</route>' % (i, j, ctn))
    return text + ["</zone>"]


def asymmetric(r, n):
    """Every host has ways in and out of its own: latencies and bandwidths differ by direction."""
    links = []
    for i in range(n):
        for d in "io":
            links.append('<link id="%s%d" bandwidth="%s" latency="%s"/>'
                         % (d, i, rate(r), us(r, 1, 300)))
    return full(r, n, links, lambda i, j: ["o%d" % i, "i%d" % j])


def unlike(r, n):
    links = ['<link id="l%d" bandwidth="%s" latency="%s"/>' % (i, rate(r), us(r, 0.5, 100))
             for i in range(n)]
    return full(r, n, links, lambda i, j: ["l%d" % i, "l%d" % j])


def medium(r, n):
    """One cable for all."""
    links = ['<link id="l%d" bandwidth="10GBps" latency="%s"/>' % (i, us(r, 1, 20)) for i in range(n)]
    links.append('<link id="cable" bandwidth="%s" latency="%s"/>' % (rate(r), us(r, 1, 20)))
    return full(r, n, links, lambda i, j: ["l%d" % i, "cable", "l%d" % j])


def scattered(r, n):
    """A random connected graph; messages go the shortest way."""
    text = ['<zone id="z" routing="Floyd">'] + hosts_of(n)
    edges = {(r.randrange(i), i) for i in range(1, n)}
    edges |= {tuple(sorted(r.sample(range(n), 2))) for _ in range(n)}
    routes = []
    for i, j in sorted(edges):
        text.append('<link id="e%d-%d" bandwidth="%s" latency="%s"/>' % (i, j, rate(r), us(r, 1, 100)))
        routes.append('<route src="h%d" dst="h%d"><link_ctn id="e%d-%d"/></route>' % (i, j, i, j))
    return text + routes + ["</zone>"]


def wide_area(r, n):
    sites = r.randint(2, 4)
    site = [r.randrange(sites) for _ in range(n)]
    links = ['<link id="l%d" bandwidth="%s" latency="%s"/>' % (i, rate(r), us(r, 1, 30))
             for i in range(n)]
    for a in range(sites):
        for b in range(a):
            links.append('<link id="w%d-%d" bandwidth="%s" latency="%s"/>'
                         % (a, b, rate(r), us(r, 200, 30000)))

    def way(i, j):
        a, b = max(site[i], site[j]), min(site[i], site[j])
        return ["l%d" % i] + (["w%d-%d" % (a, b)] if a != b else []) + ["l%d" % j]
    return full(r, n, links, way)


def nested(r, n):
    """Hosts in sites, sites in regions; each has a link of its own to the rest."""
    site = [r.randrange(4) for _ in range(n)]
    links = ['<link id="%s%d" bandwidth="%s" latency="%s"/>' % (level, i, rate(r), us(r, *range_us))
             for level, number, range_us in (("h", n, (0.5, 20)), ("s", 4, (20, 500)), ("r", 2, (500, 20000)))
             for i in range(number)]

    def way(i, j):
        a, b = site[i], site[j]
        up = ["h%d" % i] + (["s%d" % a] if a != b else []) + (["r%d" % (a // 2)] if a // 2 != b // 2 else [])
        down = ["h%d" % j] + (["s%d" % b] if a != b else []) + (["r%d" % (b // 2)] if a // 2 != b // 2 else [])
        return up + down[::-1]
    return full(r, n, links, way)


def adsl(r, n):
    """Homes: each sends at a tenth of the rate at which it receives."""
    links = []
    for i in range(n):
        down = 1 * 20 ** r.random()
        links.append('<link id="i%d" bandwidth="%.4gMBps" latency="%s"/>' % (i, down, us(r, 1000, 20000)))
        links.append('<link id="o%d" bandwidth="%.4gMBps" latency="1us"/>' % (i, down / 10))
    return full(r, n, links, lambda i, j: ["o%d" % i, "i%d" % j])


def slow_rank(r, n):
    """One host far behind all others, which are alike."""
    slow, latency, speed = r.randrange(n), us(r, 0.5, 20), rate(r)
    links = ['<link id="l%d" bandwidth="%s" latency="%s"/>' % (i, "5MBps" if i == slow else speed,
                                                               us(r, 500, 20000) if i == slow else latency)
             for i in range(n)]
    return full(r, n, links, lambda i, j: ["l%d" % i, "l%d" % j])


def coordinates(r, n):
    """Hosts in a plane: the latency is their distance, the rates are each host's own."""
    at, scale = [complex(r.random(), r.random()) for _ in range(n)], 10 * 1000 ** r.random()
    links = ['<link id="%s%d" bandwidth="%s" latency="1us"/>' % (d, i, rate(r)) for d in "io" for i in range(n)]
    links += ['<link id="w%d-%d" bandwidth="100GBps" latency="%.4gus"/>' % (i, j, scale * abs(at[i] - at[j]) + 1)
              for i in range(n) for j in range(i)]
    return full(r, n, links, lambda i, j: ["o%d" % i, "w%d-%d" % (max(i, j), min(i, j)), "i%d" % j])


def wireless(r, n):
    """One access point: all messages share the air, and each host has a rate of its own."""
    links = ['<link id="l%d" bandwidth="%.4gMBps" latency="%s" sharing_policy="FATPIPE"/>'
             % (i, 50 ** r.random(), us(r, 300, 5000)) for i in range(n)]
    links.append('<link id="air" bandwidth="%.4gMBps" latency="1us"/>' % (20 * 5 ** r.random()))
    return full(r, n, links, lambda i, j: ["l%d" % i, "air", "l%d" % j])


def changing(r, n):
    """As flat, but other flows come and go: write() lets each host's rate change."""
    links = ['<link id="l%d" bandwidth="1GBps" latency="%s" bandwidth_file="rates%d"/>' % (i, us(r, 0.5, 50), i)
             for i in range(n)]
    return full(r, n, links, lambda i, j: ["l%d" % i, "l%d" % j])


def ports(r, n):
    """Hosts with several ports: a cable for each pair, two rails, a small torus, or one host with a cable to each."""
    shape = r.choice(["cables", "rails", "torus", "centre"])
    if shape == "torus":
        a = r.choice([2, 3])
        return cluster(r, a * -(-n // a), 'topology="TORUS" topo_parameters="%d,%d"' % (a, -(-n // a)))
    if shape == "cables":
        alike = r.choice([None, (rate(r), us(r, 1, 100))])
        links = ['<link id="c%d-%d" bandwidth="%s" latency="%s"/>' % ((i, j) + (alike or (rate(r), us(r, 1, 100))))
                 for i in range(n) for j in range(i)]
        return full(r, n, links, lambda i, j: ["c%d-%d" % (max(i, j), min(i, j))])
    speed, latency, rails = rate(r), us(r, 1, 100), shape == "rails"
    other = r.choice([speed, rate(r)]) if rails else speed
    links = ['<link id="%d-%d" bandwidth="%s" latency="%s"/>' % (i, k, [speed, other][k % 2], latency)
             for i in range(n) for k in range(2 if rails else 1 if i else n)]
    port = (lambda i, j: (i + j) % 2) if rails else (lambda i, j: 0 if i else j)
    return full(r, n, links, lambda i, j: ["%d-%d" % (i, port(i, j)), "%d-%d" % (j, port(j, i))])


def shared_further(r, n):
    """Two sides with a cable from each host to each of the other side, which pass on messages of others."""
    left, alike = min(r.choice([2, 3]), n - 1), r.choice([None, (rate(r), us(r, 1, 100))])
    links = ['<link id="c%d-%d" bandwidth="%s" latency="%s"/>' % ((i, j) + (alike or (rate(r), us(r, 1, 100))))
             for j in range(left, n) for i in range(left)]
    through = {(i, j): r.randrange(*((left, n) if i < left else (0, left))) for i in range(n) for j in range(i)}

    def way(i, j):
        k = [through[max(i, j), min(i, j)]] * ((i < left) == (j < left))
        return ["c%d-%d" % (min(e), max(e)) for e in zip([i] + k, k + [j])]
    return full(r, n, links, way)


KINDS = [flat, fat_tree, torus, dragonfly, scattered, wide_area, asymmetric, unlike, medium,
         half_duplex]
MORE_KINDS = KINDS + [nested, adsl, slow_rank, coordinates, wireless, changing, ports, shared_further]
ALGORITHMS = ["native", "binomial", "linear", "backward", "flat", "chain"]
# Of tests/sim/options: as they are; with a cost of processors; and where every sender waits.
VARIATIONS = ["", "", "--cfg=smpi/os:0:1e-6:1e-10 --cfg=smpi/or:0:5e-7:1e-10",
              "--cfg=smpi/async-small-thresh:0 --cfg=smpi/send-is-detached-thresh:0"]


def draw(seed, most_ranks, kinds=KINDS, least=4):
    r = random.Random(seed)
    kind = kinds[seed % len(kinds)]
    ranks = max(least, int(4 * (most_ranks / 4) ** r.random()))
    a_host = r.choice([1, 1, 1, 2, 4])
    hosts = max(2, (ranks + a_host - 1) // a_host)
    xml = kind(r, hosts)
    place = ["h%d" % (i // a_host) for i in range(ranks)]
    if r.random() < 0.3:
        r.shuffle(place)
    case = {"seed": seed, "kind": kind.__name__, "ranks": ranks, "ranks_a_host": a_host,
            "bytes": r.choice([1, 64, 256, 4096, 65536, 262144, 1048576]),
            "algorithm": r.choice(ALGORITHMS), "root": r.choice([0, 0, r.randrange(ranks)]),
            "options": r.choice(VARIATIONS)}
    case["drift"] = r.choice([0, 0, 20, 200])  # ppm; every host's clock has a rate of its own
    case["noise"] = r.choice([0, 0, 2])  # of a thousand receives so many are followed by a delay
    if case["algorithm"] == "chain":  # many segments, so slow to simulate
        case["bytes"] = min(case["bytes"], 65536)
    head = ["<?xml version='1.0'?>",
            '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">', '<platform version="4.1">']
    return case, "\n".join(head + xml + ["</platform>", ""]), "\n".join(place + [""])


def write(seed, most_ranks, directory, kinds=KINDS, least=4):
    case, xml, place = draw(seed, most_ranks, kinds, least)
    case["platform"] = "%s/%d.xml" % (directory, seed)
    case["hosts"] = "%s/%d.hosts" % (directory, seed)
    r = random.Random(seed)
    most = 20e6 * 500 ** r.random()
    for i in range(xml.count("bandwidth_file")):  # by up to a third, each within milliseconds to a second
        step = 1e-3 * 1000 ** r.random()
        with open("%s/rates%d" % (directory, i), "w") as f:
            f.writelines("%.6f %.6g\n" % (k * step, most * r.uniform(0.67, 1)) for k in range(40))
            f.write("LOOPAFTER %.6f\n" % step)
    if "bandwidth_file" in xml:  # otherwise this simulator stalls
        case["options"] += " --cfg=network/optim:Full"
    with open(case["platform"], "w") as f:
        f.write(xml)
    with open(case["hosts"], "w") as f:
        f.write(place)
    return case


if __name__ == "__main__":
    print(json.dumps(write(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])))
