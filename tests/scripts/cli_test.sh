#!/bin/sh
# The program rask as a user types it, against small programs that stand for jobs.
# usage: cli_test.sh SOURCE_DIR BUILD_DIR
set -eu
. "$1/tests/scripts/check.sh"

same() { # NAME FILE EXPECTED
    if [ "$(cat "$2")" != "$3" ]; then
        echo "$1: $2 is not as expected:" >&2
        cat "$2" >&2
        failed=1
    fi
}

# A program that shows how it was started, and prints a plan among other things when asked for one.
cat >job.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    const char *client = getenv("RASK_CLIENT");
    const char *last = argv[argc - 1];
    if (client == NULL || strcmp(last, "early") == 0) return 0;
    if (strcmp(last, "fail") == 0) return 3;
    if (strcmp(last, "crash") == 0) return raise(SIGSEGV);
    if (strcmp(client, "info") == 0) {
        printf("before {\n{\n  \"nodes\" : [ {\n    \"id\" : 1\n  } ]\n}\nbehind\n");
        return 0;
    }
    printf("%s:", client);
    for (int i = 1; i < argc; i++) printf(" %s", argv[i]);
    printf("\n");
    return strcmp(last, "seven") == 0 ? 7 : 0;
}
C
cc -o job job.c
plan=$(printf '{\n  "nodes" : [ {\n    "id" : 1\n  } ]\n}')
frame=" The program finished with the following exception:"
hint="Use the help option (-h or --help) to get help on the command."

check "no action" 1 "Please specify an action." "$rask"
check "help" 0 'Action "info" shows the plan' "$rask" --help
check "-h" 0 'Action "run" runs a program.' "$rask" -h
check "help of a verb" 0 "Syntax: run [OPTIONS] <program> <arguments>" "$rask" help run
check "verb --help" 0 "Syntax: info [OPTIONS] <program> <arguments>" "$rask" info --help
same "verb --help says nothing else" err ""
check "help of nothing" 1 '"nothing" is not a valid action.' "$rask" help nothing
check "version" 0 "Flink 2.2.0 semantics" "$rask" --version
check "version form" 0 "Version: " "$rask" -v
check "version for machines" 0 '"flink-version": "2.2.0"' "$rask" --version --json
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' out || failed=1
check "unknown verb" 1 '"bogus" is not a valid action.' "$rask" bogus
check "unknown verb lists" 1 'Valid actions are "run", "info", or "plan".' "$rask" bogus
check "nearest verb" 1 'Did you mean "run"?' "$rask" rnu
check "full disk" 1 "cannot write to standard output" sh -c "'$rask' --help >/dev/full"

check "run" 0 "run: a b" "$rask" run ./job a b
check "run with options" 0 "run: -p 2 -Dpipeline.name=x=y --config c.yaml in -p 3" \
    sh -c "echo 'parallelism.default: 4' >c.yaml &&
        '$rask' run -p 2 -Dpipeline.name=x=y --config c.yaml ./job in -p 3"
check "exit code of the program" 7 "run: seven" "$rask" run ./job seven
check "signal of the program" 139 "" sh -c "'$rask' run ./job crash"
check "program without a folder" 0 "run: a" "$rask" run job a
check "no program" 1 "The program to run is missing" "$rask" run
check "absent program" 1 "Program file does not exist: ./jbo (did you mean ./job?)" \
    "$rask" run ./jbo
check "hint" 1 "$hint" "$rask" run ./jbo
check "absent folder" 1 "Program file does not exist: no/such/job" "$rask" run no/such/job
check "a folder" 1 "Program file is a directory: $work" "$rask" run "$work"
check "source code" 1 "job.c is source code; compile it first: cc" "$rask" run job.c
touch data job.jar broken
check "not executable" 1 "Program file is not executable: data" "$rask" run data
check "Java program" 1 "job.jar is a Java program" "$rask" run job.jar
printf '\177ELF' >broken
chmod +x broken
check "not a program" 1 "cannot run \"broken\"" "$rask" run broken
check "wrong option" 1 "Unrecognized option: --nonsense" "$rask" run --nonsense ./job
check "Flink's option" 1 "rask run has no option -s: starting from a savepoint" \
    "$rask" run -s path ./job
check "wrong key" 1 'did you mean "parallelism.default"?' "$rask" run -D paralelism.default=2 ./job
check "wrong value" 1 'cannot be "x" (from -p): expected a whole number' "$rask" run -p x ./job
check "wrong file" 1 "cannot open the configuration file none.yaml" \
    "$rask" run --config none.yaml ./job

check "info" 0 "No description provided." "$rask" info ./job
same "info" out "$plan"
same "what is not the plan" err "before {
----------------------- Execution Plan -----------------------
--------------------------------------------------------------

No description provided."
check "info --json" 0 '"nodes"' "$rask" info -p 2 --json ./job
same "info --json" out "$plan"
same "info --json without a frame" err "before {"
check "info of no job" 1 "./job ended without reaching rask_execute, so there is no plan." \
    "$rask" info ./job early
check "frame" 1 "$frame" "$rask" info ./job early
check "info of a failure" 1 "./job failed with exit code 3 before it executed a job" \
    "$rask" info ./job fail
check "info of a crash" 1 "./job was ended by signal 11" "$rask" info ./job crash
check "info of nothing" 1 "The program to info is missing" "$rask" info

# Real jobs: in every way to execute one, info stops there.
printf 'to be or not to be\n' >text
check "run of a job" 0 "(or,1)" "$rask" run -p 1 "$2/examples/wordcount" text
check "info of a job" 0 '"type" : "Flat Map"' "$rask" info --json -p 3 "$2/examples/wordcount" text
check "parallelism of a job" 0 '"parallelism" : 3' "$rask" info -p 3 "$2/examples/wordcount" text
python3 -c 'import json, sys; json.load(sys.stdin)' <out || failed=1
cat >kept.c <<'C'
#include <rask/rask.h>
int main(int argc, char **argv) {
    rask_env *env = rask_env_create(&argc, &argv);
    rask_print(rask_sequence(env, 1, 3));
    return rask_execute_job(env, "kept", NULL) == 0 ? 5 : 6;
}
C
cc kept.c -I "$1/include" -L "$2" -Wl,-rpath,"$2" -lrask -o kept
check "rask_execute_job" 5 "3" "$rask" run ./kept
check "info of rask_execute_job" 0 '"contents" : "Source:' "$rask" info ./kept

[ $failed -eq 0 ] && echo "all as expected"
exit $failed
