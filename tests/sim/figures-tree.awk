# The table of figures-tree.sh: completion in us, and what the tree gains.
NR > 1 {
    key = $1 FS $2 FS $3 FS $4
    if (!(key in seen)) { order[++rows] = key; seen[key] = 1 }
    time[key, $5] = $9
    if ($5 == "grid") { chosen[key] = $6 ($7 == "" ? "" : ", " $7 " B"); predicted[key] = $8 }
}
BEGIN {
    format = "%-9s %-9s %5s %8s %11s %11s %11s %11s %11s %11s %11s %6s %6s  %s\n"
    printf format, "platform", "placing", "ranks", "bytes", "library", "mpich", "ompi", \
        "binomial", "grid-paper", "grid", "predicted", "error", "gain", "tree"
    printf format, "", "", "", "", "(us)", "(us)", "(us)", "(us)", "(us)", "(us)", "(us)", "(%)", "", ""
}
END {
    for (i = 1; i <= rows; i++) {
        key = order[i]
        split(key, f, FS)
        g = time[key, "grid"]
        printf "%-9s %-9s %5d %8d %11.1f %11.1f %11.1f %11.1f %11.1f %11.1f %11s %6s %6.2f  %s\n", \
            f[1], f[2], f[3], f[4], time[key, "library"], time[key, "mpich"], time[key, "ompi"], \
            time[key, "binomial"], time[key, "grid-paper"], g, \
            predicted[key] == "" ? "-" : sprintf("%.1f", predicted[key]), \
            g && predicted[key] != "" ? sprintf("%.1f", 100 * (predicted[key] / g - 1)) : "-", \
            (g ? time[key, "library"] / g : 0), chosen[key]
    }
}
