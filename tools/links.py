#!/usr/bin/env python3
"""Finds references of documents and comments that lead nowhere.

Checked are links of Markdown files (files and headings; not the web) and, in all documents and
sources, paths below the folders of this repository, such as docs/style.md or `src/task/task.c`.
"""
import glob
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(
    r"(?<![\w/.$}\-])((?:src|docs|tests|tools|bench|examples|cmake|include)/[\w./*-]*[\w*/])(?![\w<])")
CODE = (".c", ".h", ".py", ".sh", ".def", "CMakeLists.txt", ".cmake", "Makefile")


def anchor(heading):
    """The name by which a heading is linked."""
    text = re.sub(r"[`*]", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors(path):
    with open(path, encoding="utf-8") as file:
        return {anchor(line.lstrip("#")) for line in file if line.startswith("#")}


def exists(path):
    """A path, a pattern, or a path without its suffix (`src/exchange/event`)."""
    full = os.path.join(ROOT, path)
    return os.path.exists(full) or bool(glob.glob(full) or glob.glob(full + ".*"))


def check_links(name, text):
    folder = os.path.dirname(os.path.join(ROOT, name))
    for target in LINK.findall(text):
        if "://" in target or target.startswith("mailto:"):
            continue
        path, _, heading = target.partition("#")
        full = os.path.normpath(os.path.join(folder, path)) if path else os.path.join(ROOT, name)
        if not os.path.exists(full):
            yield f"{target}: there is no such file"
        elif heading and full.endswith(".md") and heading not in anchors(full):
            yield f"{target}: there is no such heading"


def check_paths(text):
    for path in PATH.findall(text):
        if not exists(path):
            yield f"{path}: there is no such file"


def main():
    names = subprocess.check_output(
        ["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, text=True).splitlines()
    problems = []
    looked = 0
    for name in names:
        path = os.path.join(ROOT, name)
        is_document = name.endswith((".md", ".1"))
        if not os.path.isfile(path) or not (is_document or name.endswith(CODE)):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        looked += 1
        found = list(check_links(name, text)) if name.endswith(".md") else []
        if is_document or name.endswith((".c", ".h", ".def")):
            found += check_paths(text)
        problems += [f"{name}: {problem}" for problem in dict.fromkeys(found)]
    print("\n".join(problems + [f"links: {looked} files, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
