#!/usr/bin/env python3
"""The queries of examples/nexmark: their digests are the real Flink's, however they are run.

usage: digests_test.py BUILD-FOLDER QUERY [EVENTS]     parallelism 1, 2, 5; both backends and modes
       digests_test.py BUILD-FOLDER arguments          the command line, good and bad
"""
import json
import os
import subprocess
import sys
import tempfile

PARALLELISMS = (1, 2, 5)
# The thread sanitizer knows nothing of what librocksdb does, which is built without it.
BACKENDS = os.environ.get("NEXMARK_BACKENDS", "hashmap rocksdb").split()
PREFIX = os.environ.get("NEXMARK_PREFIX", "").split()  # of the command
MODES = ("STREAMING", "BATCH")


def program(build):
    return os.path.join(build, "examples", "nexmark")


def run(build, *arguments):
    return subprocess.run([*PREFIX, program(build), *arguments], text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=300, check=False)


def known(query, events):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "known.txt")
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if words[:2] == [query, str(events)]:
                return int(words[2]), words[3]
    sys.exit(f"known.txt has no digest of {query} with {events} events")


def check_digests(build, query, events):
    expected = known(query, events)
    failures = 0
    for backend in BACKENDS:
        for mode in MODES:
            for p in PARALLELISMS:
                options = ["-p", str(p), "-D", f"state.backend.type={backend}",
                           "-D", f"execution.runtime-mode={mode}", "--events", str(events)]
                done = run(build, query, *options)
                what = f"{query} {' '.join(options)}"
                if done.returncode != 0:
                    print(f"{what}: exit {done.returncode}: {done.stderr.strip()}")
                    failures += 1
                    continue
                got = json.loads(done.stdout)
                if (got["count"], got["digest"]) != expected:
                    print(f"{what}: {got['count']} {got['digest']}, not "
                          f"{expected[0]} {expected[1]}")
                    failures += 1
    return failures


def check_refused(build, message, *arguments):
    done = run(build, *arguments)
    if done.returncode == 2 and message in done.stderr:
        return 0
    print(f"nexmark {' '.join(arguments)}: exit {done.returncode}, \"{done.stderr}\" does not have "
          f"\"{message}\"")
    return 1


def check_output(build):
    """The lines of a change log, added up, are the results that the digest counts."""
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        target = os.path.join(folder, "new")
        for p in (1, 3):
            done = run(build, "q18", "-p", str(p), "--events", "20000", "--output", target)
            got = json.loads(done.stdout)
            with open(os.path.join(target, "q18.csv"), encoding="utf-8") as file:
                lines = file.read().splitlines()
            signs = [1 if line[0] == "+" else -1 for line in lines]
            if sum(signs) != got["count"]:
                print(f"q18 at {p}: lines that add up to {sum(signs)}, but {got}")
                failures += 1
            held = {}
            for line, sign in zip(lines, signs):
                held[line[1:]] = held.get(line[1:], 0) + sign
            if set(held.values()) - {0, 1}:
                print(f"q18 at {p}: a line is taken back that did not hold")
                failures += 1
    return failures


def check_arguments(build):
    failures = check_refused(build, "which query?")
    failures += check_refused(build, "there is no query \"q99\"", "q99")
    failures += check_refused(build, "one query at a time", "q0", "q1")
    failures += check_refused(build, "--events wants a number", "q0", "--events", "-5")
    failures += check_refused(build, "--events wants a number behind it", "q0", "--events")
    failures += check_refused(build, "--seed wants a number", "q0", "--seed", "1x")
    failures += check_refused(build, "--output wants a folder", "q0", "--output")
    failures += check_refused(build, "unknown option --frobnicate", "q0", "--frobnicate")
    if "usage: nexmark QUERY" not in run(build, "--help").stdout:
        print("--help does not help")
        failures += 1
    first, second = (json.loads(run(build, "q0", "--events", "500", "--seed", seed).stdout)
                     for seed in ("1", "2"))
    if first["digest"] == second["digest"]:
        print("another seed gives the same events")
        failures += 1
    return failures + check_output(build)


def main():
    build, query = sys.argv[1:3]
    events = int(sys.argv[3]) if len(sys.argv) > 3 else 1000000
    failures = check_arguments(build) if query == "arguments" else check_digests(build, query, events)
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
