#!/bin/sh
# rask plan as a user types it. usage: plan_test.sh SOURCE_DIR BUILD_DIR
set -eu
. "$1/tests/scripts/check.sh"

# bad NAME POSITION-AND-TEXT JSON: a file that is refused
bad() {
    printf '%s' "$3" >bad.json
    check "$1" 2 "rask: bad.json:$2" "$rask" plan bad.json
    [ ! -s out ] || { echo "$1: standard output is not empty" >&2; failed=1; }
}

cat >count.json <<'J'
{ "job": "WordCount",
  "env": { "parallelism": 2 },
  "steps": [
    { "op": "source", "name": "Source", "type": "string" },
    { "op": "flatMap", "out": "record" },
    { "op": "keyBy" },
    { "op": "sum" },
    { "op": "print" } ] }
J

# --- forms and graphs
check text 0 "[0] Source: Source -> Flat Map" "$rask" plan count.json
grep -q "not chained: records are redistributed: HASH, not FORWARD" out || { echo "why" >&2; failed=1; }
grep -q "4  Keyed Aggregation (keyed state and timers)" out || { echo "warning" >&2; failed=1; }
if grep -q "$(printf '\033')" out; then echo "colours in a pipe" >&2; failed=1; fi
check colors 0 "$(printf '\033[1m')" "$rask" plan --color=always count.json
check stream-text 0 "-> 2  Flat Map  FORWARD, chained" "$rask" plan --graph=stream count.json
check execution-text 0 "4 subtasks, 1 pipelined region" "$rask" plan --graph execution count.json
check stream-json 0 '"ship_strategy" : "HASH"' "$rask" plan --graph=stream --format=json count.json
check job-json 0 '{"jid":"00000000000000000000000000000000","name":"WordCount"' \
    "$rask" plan --format=json count.json
check execution-json 0 '"firstTask": 2' "$rask" plan --graph=execution --format=json count.json
for graph in stream job execution; do
    check "dot of $graph" 0 'digraph "WordCount" {' "$rask" plan --graph=$graph --format=dot count.json
done
check facts 0 '"operatorHashes": [' "$rask" plan --format=facts count.json
check standard-input 0 "2 vertices" "$rask" plan - <count.json
mkfifo pipe
cat count.json >pipe &
check pipe 0 "2 vertices" "$rask" plan pipe
"$rask" plan --format=facts count.json >first
"$rask" plan --format=facts count.json >second
cmp -s first second || { echo "facts differ from run to run" >&2; failed=1; }

# --- lines
{
    tr -d '\n' <count.json
    echo
    echo '{"steps": [{"op": "fromData"}, {"op": "sum"}]}'
    echo '{'
    tr -d '\n' <count.json
} >lines
check lines 0 "" "$rask" plan --jsonl --format=facts <lines
[ "$(wc -l <out)" -eq 4 ] || { echo "lines: not 4" >&2; failed=1; }
[ "$(sed -n 2p out)" = '{"error":{"stage":"topology","exception":"Bad","message":"step 1 (sum): input is not a keyed stream"}}' ] ||
    { echo "lines: error of line 2" >&2; failed=1; }
[ "$(sed -n 1p out)" = "$(sed -n 4p out)" ] || { echo "lines: 1 and 4 differ" >&2; failed=1; }
check lines-of-another-form 2 "prints facts only" "$rask" plan --jsonl --format=dot

# --- what Flink refuses
cat >forward.json <<'J'
{ "steps": [
    { "op": "fromData" },
    { "op": "forward" },
    { "op": "map", "parallelism": 2 },
    { "op": "print" } ] }
J
check refused 1 "rask: forward.json:4:5: step 2 (map): UnsupportedOperationException: Forward" \
    "$rask" plan forward.json
check refused-facts 1 '"exception": "UnsupportedOperationException"' "$rask" plan --format=facts forward.json
echo '{"steps": [{"op": "fromData"}, {"op": "keyBy"}, {"op": "sum", "parallelism": 3, "maxParallelism": 2}]}' >late.json
check refused-late 1 "is higher than the max parallelism" "$rask" plan --graph=stream late.json

# --- files that are wrong
bad unknown-op '1:39: step 1 (mapp): unknown op (did you mean "map"?)' \
    '{"steps": [{"op": "fromData"}, {"op": "mapp"}]}'
bad unknown-label '3:35: step 1 (map): unknown label' '{"steps": [
{"op": "fromData", "as": "a"},
{"op": "map", "comment": 1, "of": "elsewhere"}]}'
bad later-label '1:20: step 0 (map): unknown label' \
    '{"steps": [{"of": ["b"], "op": "map", "as": "a"}, {"op": "map", "of": "a", "as": "b"}]}'
grep -q "expected no cycles" err || { echo "later-label: no reason" >&2; failed=1; }
bad wrong-type "1:47: parallelism is a text (expected a whole number" \
    '{"steps": [{"op": "fromData", "parallelism":  "2"}]}'
bad out-of-range "1:46: parallelism is 2147483648 (expected a whole number" \
    '{"steps": [{"op": "fromData", "parallelism": 2147483648}]}'
bad too-big "1:" '{"steps": [{"op": "fromData", "parallelism": 99999999999999999999999}]}'
bad duplicate-label "1:63: step 1 (map): label 'x' is taken" \
    '{"steps": [{"op": "fromData", "as": "x"}, {"op": "map", "as": "x"}]}'
bad duplicate-key "1:" '{"steps": [], "steps": []}'
bad utf-8 "1:" "$(printf '{"job": "\377"}')"
bad truncated "2:" '{"steps": [
{"op": "fromData"'
bad steps-of-numbers "1:12: a step is a number" '{"steps": [5]}'
bad no-object "1:1: the topology is a list" '[]'
bad unknown-field '1:32: step 0 (fromData): unknown field' '{"steps": [{"op": "fromData",  "paralelism": 1}]}'
bad unknown-in-group '1:36: slot sharing group: unknown field' '{"slotSharingGroups": [{"cpu": 1.5,"gpu": 1}], "steps": []}'
bad empty "1:1:" ' '
printf '{"steps": [' >bad.json
head -c 100000 /dev/zero | tr '\0' '[' >>bad.json
check nested 2 "expected less nesting" "$rask" plan bad.json
check missing 2 "cannot open" "$rask" plan nowhere.json
check directory 2 "is a directory" "$rask" plan .

# 100,000 steps are no reason to refuse a file
awk 'BEGIN { printf "{\"steps\": [{\"op\": \"fromData\"}"
    for (i = 0; i < 99998; i++) printf ", {\"op\": \"map\", \"disableChaining\": true}"
    print ", {\"op\": \"print\"}]}" }' >long.json
check long 0 "100000 vertices" "$rask" plan long.json

# nor is a file of few steps let take all memory
awk 'BEGIN { printf "{\"env\": {\"parallelism\": 30000, \"maxParallelism\": 32768}, \"steps\": [{\"op\": \"fromSequence\"}"
    for (i = 0; i < 600; i++) printf ", {\"op\": \"map\", \"disableChaining\": true}"
    print ", {\"op\": \"print\"}]}" }' >wide.json
check wide 1 "subtasks (expected at most" "$rask" plan wide.json

# --- the command line
check no-operand 2 "The topology or program is missing" "$rask" plan
check bad-format 2 'there is no "pdf" (expected text, json' "$rask" plan --format=pdf count.json
check bad-graph 2 'there is no "jobs"' "$rask" plan --graph=jobs count.json
check bad-option 2 "Unrecognized option: --frmat" "$rask" plan --frmat=text count.json
check options-of-programs 2 "are for programs" "$rask" plan -p 2 count.json
check help 0 "--graph=<graph>" "$rask" plan --help

# --- programs
job=$2/examples/wordcount
if [ -x "$job" ]; then
    check program 0 "[0] Source: text source -> Flat Map" "$rask" plan "$job" x.txt
    check program-options 0 "parallelism     3" "$rask" plan -p 3 "$job" x.txt
    check program-json 0 '"pact" : "Data Source"' "$rask" plan --graph=stream --format=json "$job" x.txt
    check program-facts 0 '"executionGraph": {' "$rask" plan --format=facts "$job" x.txt
    check program-refused 1 "rask: IllegalStateException: Batch state backend requires" "$rask" plan \
        -D execution.runtime-mode=BATCH -D execution.sorted-inputs.enabled=false "$job" x.txt
    check program-bad-option 2 'unknown option "bogus"' "$rask" plan -D bogus=1 "$job" x.txt
    check program-alone 0 "Job graph of WordCount" env RASK_CLIENT=plan "$job" x.txt
fi
cat >quiet.sh <<'S'
#!/bin/sh
echo hello
S
chmod +x quiet.sh
check no-plan 2 "ended without reaching rask_execute" "$rask" plan ./quiet.sh
check no-program 2 "Program file does not exist: ./nowhere" "$rask" plan ./nowhere

exit $failed
