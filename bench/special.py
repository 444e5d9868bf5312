"""The workloads that are not a rate: what sliding windows cost as they overlap more and more, latency
of a keyed exchange, and start-up."""
import os
import statistics

from systems import WORK, RunError, measured
from workloads import (BUFFER_TIMEOUTS_MS, BY_NAME, FIRST_RESULT_GOAL_MS, LATENCY_P99_GOAL, RATES,
                       SLIDING_GOAL, SLIDING_RATIOS, TINY_RSS_GOAL_KB)

SECONDS = 6
SKIPPED_SECONDS = 3   # of Flink's run: its code is compiled meanwhile
STARTS = 21


def sliding(bench):
    """Counts of 100 keys in windows that start each 100 ms and are longer and longer."""
    program = os.path.join(bench.build, "bench", "rask_micro")
    if not os.path.exists(program):
        return []
    n = max(1_000_000, int(BY_NAME["sliding"].records * bench.scale))
    costs = []
    try:
        for ratio in SLIDING_RATIOS:
            runs = []
            for _ in range(bench.runs):
                _, cost, _ = measured(bench.build, [
                    program, "--w", "sliding", "--p", "1", "--n", str(n), "--keys", "100",
                    "--slides", str(ratio)])
                runs.append((cost["user_ms"] + cost["system_ms"]) * 1e6 / n)
                bench.write("rask", "sliding", 1, {"records": n, "slides": ratio,
                                                   "cpu_ns_per_record": runs[-1]})
            costs.append(statistics.median(runs))
    except RunError as e:
        bench.fail(f"sliding: {e}")
        return []
    figure = ", ".join(f"{r}: {c:.1f} ns" for r, c in zip(SLIDING_RATIOS, costs))
    row = {"name": "sliding windows, CPU per record by size / slide", "figure": figure,
           "goal": f"within {SLIDING_GOAL} times the first",
           "met": max(costs) <= SLIDING_GOAL * costs[0]}
    row["text"] = f"{row['name']}: {figure}" + met_text(row["met"])
    print(row["text"], flush=True)
    return [row]


def latency(bench):
    """One source, keyed exchange, record stamped when made and read when it arrives."""
    rows = []
    program = os.path.join(bench.build, "bench", "rask_micro")
    seconds = max(4, round(SECONDS * min(1.0, bench.scale)))
    for rate in RATES:
        for timeout_ms in BUFFER_TIMEOUTS_MS:
            row = {"name": f"latency, {rate:,} records/s, buffer timeout {timeout_ms} ms"}
            try:
                if os.path.exists(program):
                    lines, _, _ = measured(bench.build, [
                        program, "--w", "latency", "--p", "1", "--rate", str(rate), "--n",
                        str(rate * (seconds - 1)), "-D",
                        f"execution.buffer-timeout.interval={timeout_ms} ms"])
                    row["rask"] = lines[-1]
                if bench.flink:
                    row["flink"] = bench.flink.latency(rate, timeout_ms, seconds, SKIPPED_SECONDS)
            except RunError as e:
                bench.fail(f"{row['name']}: {e}")
            for system in ("rask", "flink"):
                if system in row:
                    bench.write(system, "latency", 1, {
                        "rate": rate, "buffer_timeout_ms": timeout_ms,
                        **{k: row[system][k] for k in ("p50_us", "p99_us", "max_us")}})
            rows.append(finish_latency(row))
            print(rows[-1]["text"], flush=True)
    return rows


def finish_latency(row):
    parts = []
    for system in ("rask", "flink"):
        if system in row:
            x = row[system]
            parts.append(f"{system} p50 {x['p50_us']:.0f} p99 {x['p99_us']:.0f} "
                         f"max {x['max_us']:.0f} us")
    row["figure"] = "; ".join(parts)
    row["goal"] = "p99 at most a third of Flink's, p50 no worse"
    row["met"] = None
    if "rask" in row and "flink" in row:
        row["met"] = (row["rask"]["p99_us"] <= row["flink"]["p99_us"] / LATENCY_P99_GOAL and
                      row["rask"]["p50_us"] <= row["flink"]["p50_us"])
    row["text"] = f"{row['name']}: {row['figure']}" + met_text(row["met"])
    return row


def startup(bench):
    """From the start of the process to the first result of a tiny word count, and its memory."""
    rows = []
    program = os.path.join(bench.build, "examples", "wordcount")
    text = os.path.join(WORK, "tiny.txt")
    with open(text, "w", encoding="utf-8") as file:
        file.write("to be or not to be that is the question\n")
    first, memory = [], []
    try:
        if os.path.exists(program):
            for _ in range(STARTS):
                _, cost, _ = measured(bench.build, [program, text])
                first.append(cost["first_output_ms"])
                memory.append(cost["rss_peak_kb"])
                bench.write("rask", "startup", 1, {"records": 10, "first_result_ms": first[-1],
                                                   "rss_peak_kb": memory[-1]})
        flink = [bench.flink.startup() for _ in range(3)] if bench.flink else []
    except RunError as e:
        bench.fail(f"startup: {e}")
        return rows
    for ms, kb in flink:
        bench.write("flink", "startup", 1, {"records": 10, "first_result_ms": ms, "rss_peak_kb": kb})
    if not first:
        return rows
    flink_ms = f"; flink {statistics.median(f[0] for f in flink):.0f} ms" if flink else ""
    flink_mb = f"; flink {statistics.median(f[1] for f in flink) / 1024:.0f} MB" if flink else ""
    ms, kb = statistics.median(first), statistics.median(memory)
    rows.append({"name": "process start to first result of a tiny job",
                 "figure": f"rask {ms:.2f} ms{flink_ms}",
                 "goal": f"under {FIRST_RESULT_GOAL_MS} ms", "met": ms < FIRST_RESULT_GOAL_MS})
    rows.append({"name": "peak memory of a tiny job", "figure": f"rask {kb / 1024:.1f} MB{flink_mb}",
                 "goal": f"under {TINY_RSS_GOAL_KB // 1024} MB", "met": kb < TINY_RSS_GOAL_KB})
    for row in rows:
        row["text"] = f"{row['name']}: {row['figure']}" + met_text(row["met"])
        print(row["text"], flush=True)
    return rows


def met_text(met):
    return "" if met is None else " (goal met)" if met else " (goal NOT met)"
