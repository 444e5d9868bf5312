"""How long planning takes: cold Rask against Flink after warm-up (golden/plan/timing.json)."""
import json
import os
import statistics

from special import met_text
from systems import ROOT, RunError, measured
from workloads import (DEPLOYMENT_GOAL_MS, EXECUTION_GRAPH_GOAL_KB, EXECUTION_GRAPH_GOAL_MS,
                       PLAN_FLINK_GOAL, PLAN_GROWTH_GOAL)

SHAPES = ("linear", "linear-unchained", "wide", "diamond")
SIZES = (10_000, 100_000, 1_000_000)
RUNS = 5
TIMING = os.path.join(ROOT, "tests", "golden", "facts", "plan", "timing.json")


def flink_times():
    """Shape -> (milliseconds, CPU milliseconds) of 10,000 operators, program to job graph."""
    if not os.path.exists(TIMING):
        return {}
    with open(TIMING, encoding="utf-8") as file:
        rows = json.load(file)["streamToJobGraph"]
    steps = ("buildProgram", "streamGraph", "jobGraph")
    return {r["shape"]: (sum(r[s]["median"] for s in steps), r["cpu"]["median"])
            for r in rows if r["operators"] > SIZES[0] * 0.9}


def run(bench, shape, n, runs):
    """The best of several cold runs: others use the machine too."""
    program = os.path.join(bench.build, "bench", "rask_planner")
    results = []
    for _ in range(runs):
        lines, _, _ = measured(bench.build, [program, "--shape", shape, "--n", str(n)])
        results.append(lines[-1])
        bench.write("rask", "plan", 1, lines[-1])
    best = min(results, key=lambda r: r.get("total_ms", r.get("build_ms")))
    if "cpu_ms" in best:
        best["cpu_ms"] = statistics.median(r["cpu_ms"] for r in results)
    return best


def plan(bench):
    rows = []
    if not os.path.exists(os.path.join(bench.build, "bench", "rask_planner")):
        return rows
    flink = flink_times()
    sizes = [n for n in SIZES if n <= SIZES[-1] * max(bench.scale, 0.1)]
    try:
        for shape in SHAPES:
            best = {n: run(bench, shape, n, RUNS if n <= 10_000 else 2) for n in sizes}
            rows += rows_of(shape, best, flink.get(shape))
        rows += execution(run(bench, "all-to-all", 10_000, RUNS))
    except RunError as e:
        bench.fail(f"plan: {e}")
    for row in rows:
        row["text"] = f"{row['name']}: {row['figure']}" + met_text(row["met"])
        print(row["text"], flush=True)
    return rows


def rows_of(shape, best, flink):
    small, large = min(best), max(best)
    ms = best[small]["total_ms"]
    row = {"name": f"plan of {small:,} operators, {shape}", "figure": f"rask {ms:.1f} ms",
           "goal": f"at least {PLAN_FLINK_GOAL} times faster than Flink", "met": None}
    if flink:
        row["figure"] += f"; flink {flink[0]:.0f} ms, {flink[0] / ms:.0f} times"
        row["met"] = flink[0] / ms >= PLAN_FLINK_GOAL
    growth = best[large]["cpu_ms"] / large / (best[small]["cpu_ms"] / small)
    return [row, {
        "name": f"plan of {large:,} operators, {shape}",
        "figure": f"rask {best[large]['total_ms']:.0f} ms, {best[large]['rss_peak_kb'] >> 10} MB; "
                  f"CPU per operator {growth:.2f} times that at {small:,}",
        "goal": f"growth at most {PLAN_GROWTH_GOAL} times", "met": growth <= PLAN_GROWTH_GOAL}]


def execution(best):
    ms, kb = best["build_ms"], best["rss_peak_kb"]
    return [{
        "name": "execution graph of 2 vertices at parallelism 10,000, all to all, with regions",
        "figure": f"rask {ms:.2f} ms, {kb / 1024:.1f} MB (the process)",
        "goal": f"under {EXECUTION_GRAPH_GOAL_MS} ms and {EXECUTION_GRAPH_GOAL_KB >> 10} MB",
        "met": ms < EXECUTION_GRAPH_GOAL_MS and kb < EXECUTION_GRAPH_GOAL_KB
    }, {
        "name": f"deployment decisions for its {best['deployed']:,} tasks",
        "figure": f"rask {best['deploy_ms']:.2f} ms",
        "goal": f"under {DEPLOYMENT_GOAL_MS} ms", "met": best["deploy_ms"] < DEPLOYMENT_GOAL_MS}]
