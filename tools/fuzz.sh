#!/bin/sh
# make fuzz: every fuzz target under libFuzzer for a while each; new inputs of interest are kept in
# build/fuzz/corpus, a crash stops the run and leaves its input there.
# usage: fuzz.sh SECONDS
set -eu
seconds=$1
[ -f build/fuzz/build.ninja ] || cmake --preset fuzz
ninja -C build/fuzz --quiet
for program in build/fuzz/tests/fuzz-*; do
    [ -x "$program" ] || continue
    name=$(basename "$program" | sed 's/^fuzz-//')
    found=build/fuzz/corpus/$name
    mkdir -p "$found"
    seeds=tests/fuzz/corpus/$name
    echo "fuzz $name for $seconds s"
    "$program" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=20 -print_final_stats=0 \
        -artifact_prefix="$found/" "$found" $([ -d "$seeds" ] && echo "$seeds") 2>"$found.log" || {
        tail -n 40 "$found.log" >&2
        exit 1
    }
    tail -n 1 "$found.log"
done
