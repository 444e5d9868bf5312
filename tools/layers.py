#!/usr/bin/env python3
"""Checks that includes point one way only (docs/architecture.md, "folder map").

- A file of src/MODULE includes "MODULE2/x.h" only when MODULE2 is MODULE or stands before it in the
  list RASK_MODULES of CMakeLists.txt, which is the order from ground to roof.
- src/connectors, src/formats, examples/ and bench/ see the public headers (rask/...) and their own.
- Public headers include public headers and the C library only.
- Headers of the operating system are for src/platform (and for connectors and formats, which cannot
  see it, and for tests, examples and bench).
- A project header is always included by its path from src/ or include/.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
C_LIBRARY = {
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h",
    "limits.h", "locale.h", "math.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h",
    "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "stdnoreturn.h",
    "string.h", "strings.h", "tgmath.h", "threads.h", "time.h", "uchar.h", "wchar.h", "wctype.h",
}
# The compiler's own headers of vector instructions.
INTRINSICS = {"emmintrin.h", "immintrin.h", "nmmintrin.h", "smmintrin.h", "arm_neon.h", "cpuid.h"}
# Libraries and the modules that may use them; docs/dependencies.md says why each is there.
LIBRARIES = {
    "uv.h": {"platform", "actor"},
    "yaml.h": {"config"},
    "jansson.h": {"graph", "executiongraph", "plan", "scheduler", "cluster", "metrics", "api", "cli"},
    "zlib.h": {"platform", "state", "connectors", "formats"},
    "zstd.h": {"platform", "connectors", "formats"},
    "rocksdb/c.h": {"state"},
    "cmocka.h": set(),
}
PUBLIC_ONLY = {"connectors", "formats"}
# The doors to what stands beside the order: the API finds the built-in connectors, those the formats.
DOORS = {("api", "connectors/connectors.h")}
# Measures the planner alone, which has no public door.
INSIDERS = {"bench/rask_planner.c"}


def module_order():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        found = re.search(r"set\(RASK_MODULES\s+([^)]*)\)", file.read())
    if not found:
        sys.exit("layers: CMakeLists.txt has no set(RASK_MODULES ...)")
    return found.group(1).split()


def tracked_files():
    names = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard", "include", "src", "examples", "bench",
         "tests"], cwd=ROOT, text=True).splitlines()
    return [n for n in names if n.endswith((".c", ".h")) and os.path.exists(os.path.join(ROOT, n))]


def violation(path, bracket, header, order):
    """Why this include is not allowed, or None."""
    parts = path.split("/")
    top = parts[0]
    module = parts[1] if top == "src" else None
    is_test = "_test" in os.path.basename(path) or top == "tests"
    if bracket == "<":
        if header in C_LIBRARY | INTRINSICS or header.startswith("rask/"):
            return None
        if header in LIBRARIES:
            if is_test or (module and module in LIBRARIES[header]):
                return None
            return f"<{header}> is for {', '.join(sorted(LIBRARIES[header])) or 'tests'}"
        if top == "include":
            return f"<{header}>: public headers use the C library only"
        # Connectors and formats are programs of strangers: they cannot see src/platform.
        if is_test or top in ("examples", "bench") or module in PUBLIC_ONLY | {"platform"}:
            return None
        return f"<{header}>: only src/platform includes headers of the operating system"
    if "/" not in header:
        if top in ("tests", "examples"):
            return None  # programs and helpers of one folder
        return f'"{header}": write its path from src/ or include/'
    if header.startswith("rask/"):
        return None
    target = header.split("/")[0]
    if top == "bench" and header == "examples/nexmark/generator.h":
        return None  # the same events, bit for bit, for every system
    if top in ("include", "examples") or (
            top == "bench" and target != "bench" and path not in INSIDERS):
        return f'"{header}": only public headers (rask/...) are allowed here'
    if top in ("bench", "tests"):
        return None
    if (module, header) in DOORS or (module, target) == ("connectors", "formats"):
        return None
    if module in PUBLIC_ONLY:
        return None if target == module else f'"{header}": {module} sees public headers only'
    if target not in order:
        return f'"{header}": {target} is no module that others may include'
    if module not in order:
        return f"{module} is not in RASK_MODULES"
    if order.index(target) > order.index(module):
        return f'"{header}": {target} stands above {module}'
    return None


def main():
    order = module_order()
    count = 0
    files = tracked_files()
    for path in files:
        with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                found = INCLUDE.match(line)
                why = found and violation(path, found.group(1), found.group(2), order)
                if why:
                    print(f"{path}:{number}: {why}")
                    count += 1
    print(f"layers: {len(files)} files, {count} violations")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
