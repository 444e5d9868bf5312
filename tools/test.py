#!/usr/bin/env python3
"""make test: every check that must hold before a change lands, and a summary at the end.

Steps run one after the other (each uses all cores); a failing step does not stop the independent
ones behind it. Logs are in build/test/. The last line is "N passed, N failed": tests of all
presets plus one for each check that is not a test program.
"""
import argparse
import os
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOGS = os.path.join(ROOT, "build", "test")
JOBS = str(os.cpu_count() or 2)


class Totals:
    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.failures = []

    def check(self, ok, name):
        if ok:
            self.passed += 1
        else:
            self.failed += 1
            self.failures.append(name)


def run(name, command, env=None):
    """Runs a command with its output in build/test/NAME.log; returns success, prints one line."""
    path = os.path.join(LOGS, name.replace(" ", "-") + ".log")
    started = time.monotonic()
    with open(path, "w", encoding="utf-8") as log:
        log.write("$ " + " ".join(command) + "\n")
        log.flush()
        code = subprocess.call(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                               stderr=subprocess.STDOUT, env={**os.environ, **(env or {})})
    seconds = time.monotonic() - started
    print(f"{'ok  ' if code == 0 else 'FAIL'}  {name:<28} {seconds:7.1f} s", flush=True)
    if code != 0:
        show_tail(path)
    return code == 0


def show_tail(path, lines=60):
    with open(path, encoding="utf-8", errors="replace") as log:
        tail = log.read().splitlines()[-lines:]
    print("      " + os.path.relpath(path, ROOT))
    for line in tail:
        print("      | " + line)
    sys.stdout.flush()


def build(preset, totals):
    tree = os.path.join(ROOT, "build", preset)
    if not os.path.exists(os.path.join(tree, "build.ninja")):
        if not run(f"{preset} configure", ["cmake", "--preset", preset]):
            totals.check(False, f"{preset}: configure")
            return False
    ok = run(f"{preset} build", ["ninja", "-C", tree, "-k", "0"])
    totals.check(ok, f"{preset}: build without warnings")
    return ok


def ctest(preset, totals, extra=()):
    tree = os.path.join(ROOT, "build", preset)
    report = os.path.join(LOGS, f"{preset}.xml")
    if os.path.exists(report):
        os.remove(report)
    run(f"{preset} ctest", ["ctest", "--test-dir", tree, "-j", JOBS, "--no-tests=error",
                            "--output-on-failure", "--output-junit", report, *extra])
    if not os.path.exists(report):
        totals.check(False, f"{preset}: ctest")
        return
    for case in xml.parse(report).getroot().iter("testcase"):
        status = case.get("status")
        if status in ("notrun", "disabled"):
            totals.check(status == "disabled", f"{preset}: {case.get('name')} did not run")
        else:
            totals.check(status == "run", f"{preset}: {case.get('name')}")


def golden(totals):
    """Facts of the real Flink; shows the line of each kind (ctest runs them under asan too)."""
    ok = run("golden", ["make", "--no-print-directory", "golden"])
    totals.check(ok, "golden")
    if ok:
        with open(os.path.join(LOGS, "golden.log"), encoding="utf-8") as log:
            print("".join("      " + line for line in log if " passed, " in line), end="")


def steps():
    """Name and body of each step, in order: what fails soonest comes first."""
    return {
        "format": lambda t: t.check(run("format", ["tools/format.sh", "--check"]), "format"),
        "lint": lambda t: t.check(run("lint", ["python3", "tools/lint.py"]), "lint"),
        "layers": lambda t: t.check(run("layers", ["python3", "tools/layers.py"]), "layers"),
        "release": lambda t: build("release", t) and ctest("release", t, ["-E", "^golden$"]),
        "golden": golden,
        "clang": lambda t: build("clang", t),
        "tidy": lambda t: t.check(run("tidy", ["python3", "tools/tidy.py", "build/clang"]), "tidy"),
        "asan": lambda t: build("asan", t) and ctest("asan", t, ["-LE", "release-only"]),
        # fail.* start hundreds of processes, which takes minutes here and shows nothing that e2e.* do not.
        "tsan": lambda t: build("tsan", t) and ctest("tsan", t, ["-LE", "release-only|single-thread", "-E", "^fail[.]"]),
    }


def main():
    parser = argparse.ArgumentParser(description="Runs all checks, or the named ones.")
    parser.add_argument("step", nargs="*", help="of: " + ", ".join(steps()))
    arguments = parser.parse_args()
    unknown = [name for name in arguments.step if name not in steps()]
    if unknown:
        parser.error(f"no step {unknown[0]}; there are {', '.join(steps())}")
    os.makedirs(LOGS, exist_ok=True)
    totals = Totals()
    started = time.monotonic()
    for name, body in steps().items():
        if not arguments.step or name in arguments.step:
            body(totals)
    for name in totals.failures:
        print(f"failed: {name}")
    print(f"{totals.passed} passed, {totals.failed} failed ({time.monotonic() - started:.0f} s)")
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
