# Eight sites, 0.1 to 50 ms apart, private links of 1 Gb/s between each two: a computational grid
# from Ottawa to Tokyo. 10 us between nodes of a site. Prints the platform.
BEGIN {
    # Milliseconds from site 0 to 1, 2 ..., from site 1 to 2, 3 ...
    split("0.1 2 6 24 17 34 48  2.1 6.1 24.1 17.1 34.1 48.1  5 23 15 35 47  19 11 39 45  13 50 36  46 43  50", ms)
    print "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">"
    print "<platform version=\"4.1\">\n  <zone id=\"grid\" routing=\"Full\">"
    for (s = 0; s < 8; s++)
        printf "    <cluster id=\"s%d\" prefix=\"s%d-\" suffix=\"\" radical=\"0-127\" speed=\"1Gf\" bw=\"1.25GBps\" lat=\"5us\" router_id=\"s%d-router\"/>\n", s, s, s
    for (a = 0; a < 8; a++)
        for (b = a + 1; b < 8; b++) {
            name = "w" a b
            links = links sprintf("    <link id=\"%s\" bandwidth=\"125MBps\" latency=\"%sms\"/>\n", name, ms[++n])
            routes = routes sprintf("    <zoneRoute src=\"s%d\" dst=\"s%d\" gw_src=\"s%d-router\" gw_dst=\"s%d-router\"><link_ctn id=\"%s\"/></zoneRoute>\n", a, b, a, b, name)
        }
    printf "%s%s  </zone>\n</platform>\n", links, routes
}
