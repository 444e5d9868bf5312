#!/bin/sh
# make soak: simulated jobs with seed after seed until the time is over. A failing seed is printed
# and reproduces the run: make sim SEED=n.
# usage: soak.sh BUILD_DIR SECONDS
set -eu
program=$1/tests/rask-sim
end=$(($(date +%s) + $2))
seed=$(date +%s)
runs=0
while [ "$(date +%s)" -lt "$end" ]; do
    "$program" "$seed" >/dev/null || {
        echo "seed $seed fails; make sim SEED=$seed shows it" >&2
        exit 1
    }
    seed=$((seed + 1))
    runs=$((runs + 1))
done
echo "$runs seeds passed"
