#!/bin/sh
# Runs the fuzzers: libFuzzer on the C core, one after the other, then atheris on the readers and the command, two at a time.
#   tests/fuzz/run.sh [SECONDS [NAME ...]]
# SECONDS for each (default 600); NAMEs: c/rows, python/csv, ...; default: all. CC_FUZZ is a clang with libFuzzer, FUZZ_PYTHON a Python
# with atheris, numpy, scipy and ugt; without one of them its half is skipped, with a word. New inputs go to build/fuzz/found,
# findings (crash-*, timeout-*, oom-*) to build/fuzz/findings; executions of each fuzzer to build/fuzz/summary.txt.
# Exit code 1 if there is a finding.
set -u
cd "$(dirname "$0")/../.."
seconds=${1:-600}
[ $# -gt 0 ] && shift
wanted=" $* "
cc=${CC_FUZZ:-clang}
python=${FUZZ_PYTHON:-python3}
out=build/fuzz
flags="-std=c11 -Wall -Wextra -Wconversion -O1 -g -fno-omit-frame-pointer -Iugt/_core -fno-sanitize-recover=all"
mkdir -p "$out/core" "$out/findings"
rm -f "$out/failed"
: >"$out/summary.txt"

chosen() {
    [ "$wanted" = "  " ] && return 0
    case "$wanted" in *" $1 "*) return 0 ;; esac
    return 1
}

# $1: name; the rest: the fuzzer. Its seeds are read, what it finds goes elsewhere.
run() {
    name=$1
    shift
    mkdir -p "$out/found/$name" "$out/findings/$name"
    log=$out/$(echo "$name" | tr / -).log
    seeds=tests/fuzz/corpus/${name#*/}
    [ -d "$seeds" ] || seeds=
    OPENBLAS_NUM_THREADS=1 nice "$@" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -print_final_stats=1 \
        -artifact_prefix="$out/findings/$name/" "$out/found/$name" $seeds >"$log" 2>&1
    code=$?
    said=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    if [ $code -eq 0 ]; then
        echo "$name: ${said:-0} executions, nothing found"
    else
        echo "$name: ${said:-?} executions, A FINDING (code $code): $out/findings/$name"
        tail -n 40 "$log"
    fi | tee -a "$out/summary.txt"
    [ $code -eq 0 ] || touch "$out/failed"
}

if ! echo 'int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n) { (void)d; return n > 9; }' |
    "$cc" -x c -fsanitize=fuzzer,address - -o "$out/probe" 2>/dev/null; then
    echo "no $cc with libFuzzer: the fuzzers of the C core are skipped"
else
    for file in tests/fuzz/c/fuzz_*.c; do
        name=$(basename "$file" .c)
        name=c/${name#fuzz_}
        chosen "$name" || continue
        for core in ugt/_core/[a-z]*.c; do # once
            object=$out/core/$(basename "$core" .c).o
            [ -n "$(find "$core" ugt/_core/*.h -newer "$object" 2>/dev/null)" ] || [ ! -f "$object" ] || continue
            "$cc" $flags -fsanitize=fuzzer-no-link,address,undefined -c "$core" -o "$object" || exit 1
        done
        "$cc" $flags -fsanitize=fuzzer,address,undefined "$file" "$out"/core/*.o -lm -o "$out/program" || exit 1
        run "$name" "$out/program" -max_len=300
    done
fi

# Asked for in another folder: the tree itself, whose core need not be compiled, must not stand before an installed ugt.
case $python in */*) python=$(cd "$(dirname "$python")" && pwd)/$(basename "$python") ;; esac
here=$PWD
imports() { (cd "$out" && "$python" -c "import atheris, numpy, scipy, ugt._core._rows" 2>/dev/null); }
imports || export PYTHONPATH="$here"
if ! imports; then
    echo "no atheris (or no ugt) in $python: the fuzzers of the readers and of the command are skipped"
else
    started=0
    for name in $("$python" tests/fuzz/python/under_atheris.py); do
        chosen "python/$name" || continue
        most=4096
        [ "$name" = cli ] && most=48
        run "python/$name" "$python" tests/fuzz/python/under_atheris.py "$name" -max_len=$most &
        started=$((started + 1))
        [ $((started % 2)) -eq 1 ] || wait
    done
    wait
fi
[ ! -f "$out/failed" ]
