#!/usr/bin/env python3
"""make bench: Rask, the hand-written limits and Flink side by side in one run.

usage: run.py [--build DIR] [--runs N] [--flink DIR|none] [--no-verify] [--write-docs] [WORKLOAD...]

First every system computes each workload on a million records and their digests must be equal.
Then the timed runs: system after system, round after round, so that a busy machine meets all of
them; figures are medians. CPU time per record is the steady one. The table goes to standard
output (and with --write-docs to docs/benchmarks.md), every timed run to build/bench/results.jsonl
with the digest that its program had on a million records. BENCH_SCALE multiplies the sizes.
"""
import argparse
import json
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import report  # noqa: E402
import planning  # noqa: E402
import special  # noqa: E402
from systems import (ROOT, WORK, Flink, Native, RunError, corpus_files,  # noqa: E402
                     native_path)
from workloads import BY_NAME, VERIFY_RECORDS, WORKLOADS  # noqa: E402

CORPUS_COPIES = 8


class Bench:
    def __init__(self, arguments):
        self.build = os.path.abspath(arguments.build)
        self.runs = arguments.runs
        self.scale = float(os.environ.get("BENCH_SCALE", "1"))
        self.failures = []
        self.missing = set()
        self.rows = []      # medians, for the table
        self.generator = {}  # the row of gen, which other queries' costs are counted from
        self.results = open(os.path.join(WORK, "results.jsonl"), "w", encoding="utf-8")
        self.native = [Native(name, self.build) for name in ("limit", "rask")]
        self.flink = None

    def write(self, system, workload, parallelism, values):
        line = {"system": system, "workload": workload, "parallelism": parallelism, **values}
        self.results.write(json.dumps(line) + "\n")
        self.results.flush()

    def fail(self, text):
        self.failures.append(text)
        print(f"FAILED: {text}", flush=True)

    def systems_of(self, w):
        systems = [s for s in self.native if self.has_program(s, w) and
                   (w.backend == "hashmap" or s.name != "limit")]
        if self.flink and w.flink_records:
            systems.append(self.flink)
        return systems

    def has_program(self, system, w):
        path = native_path(self.build, system.name, w)
        if not os.path.exists(path) and path not in self.missing:
            self.missing.add(path)
            print(f"{system.name}: left out of {w.name}, {os.path.relpath(path, ROOT)} is not built")
        return os.path.exists(path)

    def verify(self, w, p, corpus):
        """Digest of each system on the small input; they must be equal and the known one."""
        n = min(p, len(corpus)) if w.kind == "wordcount" else VERIFY_RECORDS
        digests = {}
        for system in self.systems_of(w):
            try:
                got = system.run(w, p, n, corpus, True)
                digests[system.name] = (got["digest_count"], got["digest"])
            except RunError as e:
                self.fail(f"{w.name} p={p}: {e}")
        known = w.known.get(p, w.known.get(0))
        if known:
            digests["known"] = known
        if len(set(digests.values())) > 1:
            self.fail(f"{w.name} p={p}: digests differ: {digests}")
        return digests

    def timed(self, w, p, corpus, digests):
        runs = {}
        for round_number in range(self.runs):
            for system in self.systems_of(w):
                # A Flink run takes as long as all others: two must do where three are wanted.
                if system.name == "flink" and round_number >= max(1, self.runs - 1):
                    continue
                if w.kind == "wordcount":
                    n = max(p, min(len(corpus), round(w.records * self.scale)))
                else:
                    size = w.flink_records if system.name == "flink" else w.records
                    # Below this, the fixed cost of a Flink job is larger than what is measured.
                    scale = max(self.scale, 0.5) if system.name == "flink" else self.scale
                    n = max(VERIFY_RECORDS, int(size * scale))
                try:
                    got = system.run(w, p, n, corpus, False)
                except RunError as e:
                    self.fail(f"{w.name} p={p}: {e}")
                    continue
                got["digest_count"], got["digest"] = digests.get(system.name, (None, None))
                self.write(system.name, w.name, p, got)
                runs.setdefault(system.name, []).append(got)
        row = {"workload": w.name, "parallelism": p, "spec": w}
        for name, list_of in runs.items():
            row[name] = {key: statistics.median(r[key] for r in list_of)
                         for key in ("cpu_ns_per_record", "records_per_s", "rss_peak_kb")}
        self.rows.append(row)
        if w.name == "gen":
            self.generator = row
        if w.kind == "nexmark":
            row["generator"] = self.generator
        print(report.line(row), flush=True)


def parse():
    parser = argparse.ArgumentParser(description="Rask, the limits and Flink side by side.")
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"))
    parser.add_argument("--runs", type=int, default=3, help="timed runs of each system (median)")
    parser.add_argument("--flink", help="folder of Flink's programs; none: leave Flink out")
    parser.add_argument("--no-verify", action="store_true", help="trust the results")
    parser.add_argument("--write-docs", action="store_true", help="update docs/benchmarks.md")
    parser.add_argument("workload", nargs="*", help=", ".join(BY_NAME))
    arguments = parser.parse_args()
    for name in arguments.workload:
        if name not in BY_NAME:
            parser.error(f"no workload {name}; there are {', '.join(BY_NAME)}")
    return arguments


def flink_source(choice):
    if choice:
        return None if choice == "none" else choice
    return os.path.join(ROOT, "bench", "flink")


def main():
    arguments = parse()
    os.makedirs(WORK, exist_ok=True)
    bench = Bench(arguments)
    started = time.monotonic()
    if arguments.flink != "none":
        bench.flink = Flink.prepare(bench.build, flink_source(arguments.flink))
    chosen = [w for w in WORKLOADS if not arguments.workload or w.name in arguments.workload]
    # What a query costs is told without the generator's share.
    if any(w.net_goal for w in chosen) and BY_NAME["gen"] not in chosen:
        chosen.insert(0, BY_NAME["gen"])
    corpus = []
    if any(w.kind == "wordcount" for w in chosen):
        copies = max(2, round(CORPUS_COPIES * bench.scale))
        corpus = corpus_files(copies)
        if corpus is None:
            chosen = [w for w in chosen if w.kind != "wordcount"]
    print(report.head(), flush=True)
    for w in chosen:
        if w.kind in ("latency", "sliding", "startup", "plan"):
            continue
        for p in w.parallelisms:
            digests = {} if arguments.no_verify else bench.verify(w, p, corpus)
            bench.timed(w, p, corpus, digests)
    extra = []
    if any(w.kind == "sliding" for w in chosen):
        extra += special.sliding(bench)
    if any(w.kind == "latency" for w in chosen):
        extra += special.latency(bench)
    if any(w.kind == "startup" for w in chosen):
        extra += special.startup(bench)
    if any(w.kind == "plan" for w in chosen):
        extra += planning.plan(bench)
    bench.results.close()
    print(report.conclusion(bench.rows, extra, time.monotonic() - started, bench.failures))
    if arguments.write_docs:
        report.write_docs(os.path.join(ROOT, "docs", "benchmarks.md"), bench.rows, extra,
                          " ".join(["make bench"] + ([f'BENCH="{" ".join(arguments.workload)}"']
                                                     if arguments.workload else [])))
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
