"""The table of the comparison, for the terminal and for docs/benchmarks.md."""
import math
import os
import platform
import re
import subprocess
import time

from workloads import NEXMARK_MEAN_GOAL, NEXMARK_MEMORY_GOAL, WORDCOUNT_RSS_GOAL_KB

COLUMNS = (("workload", 16), ("P", 2), ("limit ns", 9), ("rask ns", 9), ("flink ns", 9),
           ("x limit", 8), ("goal", 7), ("flink x", 8), ("goal", 7), ("net x", 7), ("goal", 7),
           ("rask M/s", 9), ("flink M/s", 10), ("rask MB", 8), ("flink MB", 9))


def head():
    return (f"CPU nanoseconds per record; {machine()}\n" +
            " ".join(name.rjust(width) if i else name.ljust(width)
                     for i, (name, width) in enumerate(COLUMNS)))


def ratios(row):
    """Rask's CPU over the limit's, and Flink's over Rask's; None where one is missing."""
    cpu = {s: row[s]["cpu_ns_per_record"] for s in ("limit", "rask", "flink") if s in row}
    over_limit = cpu["rask"] / cpu["limit"] if "rask" in cpu and "limit" in cpu else None
    under_flink = cpu["flink"] / cpu["rask"] if "rask" in cpu and cpu.get("flink", 0) > 0 else None
    return over_limit, under_flink


def net_ratio(row):
    """Flink's CPU over Rask's, the generator's taken out on both sides; None where one is missing
    or Flink's query costs no more than its generator."""
    generator = row.get("generator") or {}
    if not row["spec"].net_goal or not all(s in r for s in ("rask", "flink")
                                           for r in (row, generator)):
        return None
    net = {s: row[s]["cpu_ns_per_record"] - generator[s]["cpu_ns_per_record"]
           for s in ("rask", "flink")}
    # A difference of two figures that each vary by a few per cent: less than this is noise.
    return net["flink"] / max(net["rask"], 0.1) if net["flink"] > 1 else None


def memory_ratio(row):
    """Flink's peak memory over Rask's, of a query."""
    if row["spec"].kind != "nexmark" or not all(s in row for s in ("rask", "flink")):
        return None
    return row["flink"]["rss_peak_kb"] / row["rask"]["rss_peak_kb"]


def goal_text(ratio, goal, at_most):
    if not goal:
        return "-"
    if ratio is None:
        return "?"
    met = ratio <= goal if at_most else ratio >= goal
    return f"{'<=' if at_most else '>='}{goal:g} {'ok' if met else 'NO'}"


def cells(row):
    def figure(system, key, form, scale=1.0):
        return form.format(row[system][key] * scale) if system in row else "-"

    over_limit, under_flink = ratios(row)
    net = net_ratio(row)
    spec = row["spec"]
    return [row["workload"], str(row["parallelism"]),
            figure("limit", "cpu_ns_per_record", "{:.2f}"),
            figure("rask", "cpu_ns_per_record", "{:.2f}"),
            figure("flink", "cpu_ns_per_record", "{:.1f}"),
            f"{over_limit:.2f}" if over_limit else "-", goal_text(over_limit, spec.limit_goal, True),
            f"{under_flink:.1f}" if under_flink else "-",
            goal_text(under_flink, spec.flink_goal, False),
            f"{net:.1f}" if net else "-", goal_text(net, spec.net_goal, False),
            figure("rask", "records_per_s", "{:.1f}", 1e-6),
            figure("flink", "records_per_s", "{:.2f}", 1e-6),
            figure("rask", "rss_peak_kb", "{:.1f}", 1 / 1024),
            figure("flink", "rss_peak_kb", "{:.0f}", 1 / 1024)]


def line(row):
    return " ".join(cell.rjust(width) if i else cell.ljust(width)
                    for i, (cell, (_, width)) in enumerate(zip(cells(row), COLUMNS)))


def conclusion(rows, extra, seconds, failures):
    met = missed = 0
    for row in rows:
        over_limit, under_flink = ratios(row)
        for ratio, goal, ok in ((over_limit, row["spec"].limit_goal, lambda r, g: r <= g),
                                (under_flink, row["spec"].flink_goal, lambda r, g: r >= g),
                                (net_ratio(row), row["spec"].net_goal, lambda r, g: r >= g)):
            if goal and ratio is not None:
                met, missed = (met + 1, missed) if ok(ratio, goal) else (met, missed + 1)
    text = []
    memory = [r["rask"]["rss_peak_kb"] for r in rows if r["workload"] == "wordcount" and "rask" in r]
    if memory:
        good = max(memory) < WORDCOUNT_RSS_GOAL_KB
        met, missed = (met + 1, missed) if good else (met, missed + 1)
        text.append(f"peak memory of wordcount: rask {max(memory) / 1024:.1f} MB "
                    f"(goal: under {WORDCOUNT_RSS_GOAL_KB // 1024} MB, {'met' if good else 'NOT met'})")
    for row in extra + nexmark(rows):
        if row["met"] is not None:
            met, missed = (met + 1, missed) if row["met"] else (met, missed + 1)
    text += [f"{r['name']}: {r['figure']} ({r['goal']}, {'met' if r['met'] else 'NOT met'})"
             for r in nexmark(rows)]
    text.append(f"{met} goals met, {missed} not; {seconds:.0f} s")
    text += [f"FAILED: {f}" for f in failures]
    return "\n".join(text)


def nexmark(rows):
    """What holds for all queries together: rows for the second table."""
    nets = [n for n in map(net_ratio, rows) if n]
    memory = [(m, r["workload"]) for r in rows if (m := memory_ratio(r))]
    extra = []
    if nets:
        mean = math.exp(sum(map(math.log, nets)) / len(nets))
        extra.append({"name": f"{len(nets)} Nexmark queries, generator taken out: Flink's CPU "
                              "over Rask's, geometric mean",
                      "figure": f"{mean:.1f} (least {min(nets):.1f})",
                      "goal": f"at least {NEXMARK_MEAN_GOAL}", "met": mean >= NEXMARK_MEAN_GOAL})
    if memory:
        least, name = min(memory)
        extra.append({"name": f"{len(memory)} Nexmark queries: Flink's peak memory over Rask's, least",
                      "figure": f"{least:.1f} ({name})", "goal": f"at least {NEXMARK_MEMORY_GOAL}",
                      "met": least >= NEXMARK_MEMORY_GOAL})
    return extra


def machine():
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*:\s*(.*)", file.read()).group(1)
    except (OSError, AttributeError):
        pass
    return f"{os.cpu_count()} cores, {model}, load {os.getloadavg()[0]:.1f}"


def markdown(rows, extra, command):
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], text=True, capture_output=True,
                            cwd=os.path.dirname(os.path.abspath(__file__)), check=False)
    text = [f"`{command}`, {time.strftime('%Y-%m-%d')}, commit {commit.stdout.strip() or '?'}; "
            f"{machine()}. CPU in nanoseconds per record.", "",
            "| workload | P | limit | Rask | Flink | Rask / limit | goal | Flink / Rask | goal | "
            "net Flink / Rask | goal | Rask M records/s | Flink M records/s | Rask MB | Flink MB |",
            "|" + "---|" * len(COLUMNS)]
    text += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    extra = extra + nexmark(rows)
    if extra:
        text += ["", "| | measured | goal | met |", "|---|---|---|---|"]
        text += [f"| {r['name']} | {r['figure']} | {r['goal']} | "
                 f"{'-' if r['met'] is None else 'yes' if r['met'] else 'no'} |" for r in extra]
    return "\n".join(text)


def write_docs(path, rows, extra, command):
    with open(path, encoding="utf-8") as file:
        old = file.read()
    begin, end = "<!-- figures -->", "<!-- /figures -->"
    before, rest = old.split(begin)
    after = rest.split(end)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{before}{begin}\n{markdown(rows, extra, command)}\n{end}{after}")
