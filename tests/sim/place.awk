# Hosts of simulated ranks, one a line: awk -f place.awk -v ranks=N -v platform=NAME -v placing=HOW
#
# sites2, sites8: hosts sS-I. "blocks": rank by rank, one site after the other. "scattered": as a
# batch system hands out what is free, by a fixed pseudo-random order. slowhost: rank N/2, the
# first that a binomial tree sends to, is the slow one. workstations, figure4: in turn. Else: node-I.
function next_random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
BEGIN {
    seed = 20030704
    sites = platform == "sites8" ? 8 : platform == "sites2" ? 2 : 1
    for (i = 0; i < ranks; i++) site[i] = int(i * sites / ranks)
    if (placing == "scattered")
        for (i = ranks - 1; i > 1; i--) { # rank 0 stays where it is
            j = 1 + int(next_random() * i)
            t = site[i]; site[i] = site[j]; site[j] = t
        }
    for (i = 0; i < ranks; i++) {
        if (platform == "workstations" || platform == "figure4")
            print substr("a-0a-1b-0b-1b-2", 1 + 3 * (i % 5), 3)
        else if (platform == "slowhost")
            print i == int(ranks / 2) ? "s1-0" : "s0-" i
        else if (sites > 1)
            print "s" site[i] "-" (n[site[i]]++ + 0)
        else
            print "node-" i
    }
}
