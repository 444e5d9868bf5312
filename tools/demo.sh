#!/bin/sh
# make demo: counts the words of a real English text and says how long that took.
# usage: demo.sh BUILD_DIR
set -eu
export LC_ALL=C
build=$1
here=$(dirname "$0")
work=build/demo
mkdir -p "$work"
sh "$here/make-corpus.sh" "$work/text" book
text=$work/text/corpus.txt

printf '\nWordCount on %s MB of English text (%s)\n\n' \
    "$(awk "BEGIN {printf \"%.1f\", $(wc -c <"$text") / 1e6}")" "$text"
rm -rf "$work/counts.csv"
[ -t 2 ] || export RASK_PROGRESS=lines # into a file or a pipe: a line a second
"$build/bench/measured" "$work/cost.json" "$build/examples/wordcount" \
    -D execution.runtime-mode=BATCH --output "$work/counts.csv" "$text"
cost() {
    sed -n "s/.*\"$1\": \([-0-9.]*\).*/\1/p" "$work/cost.json"
}
code=$(cost exit)
[ "$code" = 0 ] || {
    echo "wordcount ended with exit code $code" >&2
    exit 1
}

counts=$work/counts.csv
[ -d "$counts" ] && counts=$counts/*
echo 'The most frequent words'
cat $counts | sort -t, -k2,2nr -k1,1 | head -n 15 | awk -F, '
    NR == 1 {most = $2}
    {bar = ""; for (i = 0; i < 40 * $2 / most; i++) bar = bar "#"; printf "  %-8s %9d  %s\n", $1, $2, bar}'
cat $counts | awk -F, -v ms="$(cost wall_ms)" -v user="$(cost user_ms)" -v sys="$(cost system_ms)" \
    -v kb="$(cost rss_peak_kb)" '
    {words += $2}
    END {
        printf "\n%d words, %d different\n", words, NR
        printf "%.1f million records per second\n", words / ms / 1e3
        printf "wall time %.0f ms, CPU time %.0f ms, peak memory %.1f MB (from process start to end)\n",
            ms, user + sys, kb / 1024
    }'
echo
echo 'The program is examples/wordcount.c. Try it on a text of yours:'
echo "  $build/examples/wordcount FILE..."
