#!/usr/bin/env python3
"""clang-tidy over the project's sources, in parallel, remembering what was clean.

usage: tidy.py BUILD_DIR [FILE...]     (BUILD_DIR: a clang build tree that has been built)

A file is checked again only when it, a header it includes (as the build recorded), .clang-tidy or
clang-tidy's version changed. What was clean is kept in build/tidy-cache, one empty file a hash.
"""
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CACHE = os.path.join(ROOT, "build", "tidy-cache")


def dependencies(build):
    """Object file -> files it was made of, from ninja's own records."""
    result, current = {}, None
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, text=True,
                             capture_output=True).stdout
    for line in listing.splitlines():
        if line and not line.startswith(" ") and ": #deps" in line:
            current = result.setdefault(line.split(": #deps")[0], [])
        elif line.startswith(" ") and current is not None:
            current.append(line.strip())
    return result


def file_hash(path, memory={}):
    if path not in memory:
        with open(path, "rb") as file:
            memory[path] = hashlib.sha256(file.read()).digest()
    return memory[path]


def key_of(entry, deps, base):
    h = hashlib.sha256(base)
    h.update(entry["command"].encode())
    output = entry.get("output") or entry["command"].split(" -o ")[1].split()[0]
    for path in sorted({entry["file"], *deps.get(output, [])}):
        full = os.path.join(entry["directory"], path)
        if os.path.abspath(full).startswith(ROOT + os.sep) and os.path.exists(full):
            h.update(file_hash(full))
    return h.hexdigest()


def check(path, build):
    # The path-sensitive analysis takes most of the time; in tests it mostly finds that an assertion
    # could fail, which is what it is there for.
    is_test = "_test" in os.path.basename(path) or "/tests/" in path
    fewer = ["--checks=-clang-analyzer-*"] if is_test else []
    done = subprocess.run(["clang-tidy", "-p", build, "--quiet", "--warnings-as-errors=*", *fewer,
                           path], text=True, capture_output=True)
    return done.returncode == 0, done.stdout + ("" if done.returncode == 0 else done.stderr)


def main():
    build = os.path.abspath(sys.argv[1])
    only = {os.path.abspath(f) for f in sys.argv[2:]}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    deps = dependencies(build)
    version = subprocess.check_output(["clang-tidy", "--version"])
    base = version + file_hash(os.path.join(ROOT, ".clang-tidy"))
    os.makedirs(CACHE, exist_ok=True)
    work, seen = [], set()
    for entry in entries:
        path = os.path.abspath(os.path.join(entry["directory"], entry["file"]))
        if path in seen or not path.startswith(ROOT + os.sep) or (only and path not in only):
            continue
        seen.add(path)
        mark = os.path.join(CACHE, key_of(entry, deps, base))
        if not os.path.exists(mark):
            work.append((path, mark))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for (path, mark), (ok, text) in zip(work, pool.map(lambda w: check(w[0], build), work)):
            if ok:
                open(mark, "w").close()
            else:
                failed += 1
                print(f"{os.path.relpath(path, ROOT)}:\n{text}", flush=True)
    print(f"tidy: {len(seen)} files, {len(work)} checked now, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
