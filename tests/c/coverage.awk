# Reads what `gcov --no-output` says of the core; prints a line per file and fails where all of them together fall below `least` per cent.
/^File / { file = $0; gsub(/^File '|'$/, "", file); sub(/.*\//, "", file) }
/^Lines executed:/ && file != "" {
    split($0, part, /[:% ]+/)
    n = $NF
    if (file ~ /\.c$/) {
        lines[file] = n
        share[file] = part[3]
    }
    file = ""
}
END {
    for (file in lines) {
        printf "%7.2f %% of %4d  %s\n", share[file], lines[file], file | "sort -n"
        all += lines[file]
        reached += share[file] * lines[file] / 100
    }
    close("sort -n")
    if (all == 0) {
        print "gcov says nothing"
        exit 1
    }
    printf "%7.2f %% of %d lines in all, at least %s wanted\n", 100 * reached / all, all, least
    exit 100 * reached / all < least
}
