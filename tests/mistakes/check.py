#!/usr/bin/env python3
"""Compiles each mistake with gcc and clang, as a user's program would be (the header is a system
header), and compares what the compilers say with messages.txt. --update rewrites that file.

usage: check.py INCLUDE_DIR [--update]
Only the lines that tell a person what is wrong are kept: "error:" and "warning:", without columns.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "messages.txt")


def diagnose(compiler, name, include):
    command = [compiler, "-std=gnu17", "-Wall", "-Wextra", "-Werror=return-type",
               "-Werror=incompatible-pointer-types", "-isystem", include, "-I", HERE,
               "-c", "-o", os.devnull, "-fdiagnostics-color=never", os.path.join(HERE, name)]
    env = dict(os.environ, LC_ALL="C")
    result = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    lines = []
    for line in result.stderr.splitlines():
        found = re.match(r".*?([^/:]+\.[ch]):(\d+):\d+: ((?:fatal )?error|warning): (.*)", line)
        if found and os.path.exists(os.path.join(HERE, found[1])):
            text = found[4].replace(HERE + os.sep, "")
            lines.append(f"  {found[1]}:{found[2]}: {found[3]}: {text}")
    lines.append("  refused" if result.returncode else "  accepted")
    return lines


def main():
    include = sys.argv[1]
    text = []
    for name in sorted(os.listdir(HERE)):
        if not name.endswith(".c"):
            continue
        for compiler in ("gcc", "clang"):
            text.append(f"{name} {compiler}")
            text += diagnose(compiler, name, include)
    text = "\n".join(text) + "\n"
    if "--update" in sys.argv:
        with open(GOLDEN, "w", encoding="utf-8") as file:
            file.write(text)
        return 0
    with open(GOLDEN, encoding="utf-8") as file:
        expected = file.read()
    if text == expected:
        print(f"{text.count('.c gcc')} mistakes, messages of gcc and clang as expected")
        return 0
    import difflib
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True),
                                               "messages.txt", "the compilers now"))
    print("messages changed; if they are better: tests/mistakes/check.py INCLUDE_DIR --update")
    return 1


if __name__ == "__main__":
    sys.exit(main())
