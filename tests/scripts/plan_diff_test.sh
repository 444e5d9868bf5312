#!/bin/sh
# rask plan --diff and --check as a user types them, on topologies and programs.
# usage: plan_diff_test.sh SOURCE_DIR BUILD_DIR
set -eu
. "$1/tests/scripts/check.sh"

json() { # NAME: standard output of the last command is one JSON value
    python3 -c 'import json, sys; json.load(sys.stdin)' <out || { echo "$1: no JSON" >&2; failed=1; }
}

cat >old.json <<'J'
{"steps":[{"op":"source","name":"S","uid":"s"},{"op":"keyBy"},{"op":"process","name":"Count"},
          {"op":"discard"}]}
J
cat >new.json <<'J'
{"steps":[{"op":"source","name":"S","uid":"s"},{"op":"filter"},{"op":"keyBy"},
          {"op":"process","name":"Count"},{"op":"discard"}]}
J
cat >refused.json <<'J'
{"steps":[{"op":"source","name":"S","uid":"x"},{"op":"map","uid":"x"},{"op":"discard"}]}
J
cat >unbuilt.json <<'J'
{"steps":[{"op":"fromData"},{"op":"keyBy"},{"op":"rebalance"},{"op":"discard"}]}
J
cat >hostile.json <<'J'
{"steps":[{"op":"source","name":"\u001b[31m<script>"},{"op":"discard"}]}
J
echo '{"steps":' >broken.json

check 'the same' 0 'A savepoint of OLD fits NEW.' "$rask" plan --diff old.json old.json
check 'another id' 1 "'Filter' was inserted before it" "$rask" plan --diff old.json new.json
check 'remedy' 1 'set uidHash("' "$rask" plan --diff old.json new.json
check 'as JSON' 1 '"fits": false' "$rask" plan --diff --json old.json new.json
json 'as JSON'
check 'unreadable' 2 'broken.json:' "$rask" plan --diff old.json broken.json
check 'not there' 2 'nowhere.json' "$rask" plan --diff nowhere.json old.json
check 'one operand' 2 '--diff compares two' "$rask" plan --diff old.json
check 'both' 2 'exclude each other' "$rask" plan --diff --check old.json old.json
check 'refused' 2 'Hash collision' "$rask" plan --diff old.json refused.json

check 'checked' 0 '[id-depends-on-topology]' "$rask" plan --check old.json
check 'as JSON' 0 '"code": "id-depends-on-topology"' "$rask" plan --check --json old.json
json 'as JSON'
check 'collision' 1 "'Map' and 'Source: S' (step 0, source)" "$rask" plan --check refused.json
check 'unbuilt' 1 '[keyby-repartitioned]' "$rask" plan --check unbuilt.json
check 'where' 1 'error: step 2, rebalance: ' "$rask" plan --check unbuilt.json
check 'unreadable' 2 'broken.json:' "$rask" plan --check broken.json
check 'stray --json' 2 '--format=json' "$rask" plan --json old.json
check 'escapes' 0 '\x1b[31m<script>' "$rask" plan --check hostile.json
check 'escapes' 0 '\x1b[31m<script>' "$rask" plan --diff hostile.json hostile.json

# programs say the same of themselves
cat >program.c <<'C'
#include <rask/rask.h>

int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    rask_print(rask_sequence(env, 1, 3));
    return rask_execute(env, "three");
}
C
if "${CC:-cc}" -I"$1/include" program.c -o program "$2/librask.so" -Wl,-rpath,"$2" 2>compile; then
    check 'a program' 0 'A savepoint of OLD fits NEW.' "$rask" plan --diff ./program ./program
    check 'parallelism' 0 '[slots]' "$rask" plan --check -p 3 ./program
    check 'both kinds' 1 'Sequence' "$rask" plan --diff ./program old.json
    check 'a program that fails' 2 'true' "$rask" plan --diff old.json /bin/true
else
    cat compile >&2
    failed=1
fi
exit $failed
