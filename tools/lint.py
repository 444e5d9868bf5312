#!/usr/bin/env python3
"""House rules that neither the compilers nor clang-tidy know (docs/style.md)."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINES_MAX = 800
RULES = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "an unfinished mark: finish it or file an issue"),
    (re.compile(r"\b(strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|atof|strtok)\("),
     "an unchecked C call: use snprintf, strtol and their kind"),
    (re.compile(r"\bassert_true\s*\(\s*(1|true)\s*\)"), "a test that asserts nothing"),
    (re.compile(r"/(home|root|Users)/\w"), "a path of one machine"),
    (re.compile(r"[ \t]+$"), "blanks at the end of the line"),
]
TEST_RULES = [(re.compile(r"\b(usleep|sleep|nanosleep)\s*\("), "a test that waits on the clock")]


def main():
    names = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True).splitlines()
    names = [n for n in names if os.path.isfile(os.path.join(ROOT, n))]
    problems = []
    for name in names:
        if not name.endswith((".c", ".h", ".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile")):
            continue
        if name == "tools/lint.py":
            continue
        with open(os.path.join(ROOT, name), encoding="utf-8") as file:
            lines = file.read().split("\n")
        rules = RULES + (TEST_RULES if name.endswith("_test.c") else [])
        for number, line in enumerate(lines, 1):
            problems += [f"{name}:{number}: {why}" for rule, why in rules if rule.search(line)]
        if name.endswith((".c", ".h")) and len(lines) > LINES_MAX:
            problems.append(f"{name}: {len(lines)} lines; split it (at most {LINES_MAX})")
    modules = {n.split("/")[1] for n in names if n.startswith("src/") and n.count("/") >= 2}
    problems += [f"src/{m}: has no README.md" for m in sorted(modules)
                 if f"src/{m}/README.md" not in names]
    print("\n".join(problems + [f"lint: {len(names)} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
