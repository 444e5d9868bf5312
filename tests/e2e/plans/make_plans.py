#!/usr/bin/env python3
"""make_plans.py FACTS: writes NAME.plan for each FACTS/NAME.json, the harness's answers to the
topologies in this folder (./run.sh THIS_FOLDER FACTS there). Flink prints plans with Jackson's
default pretty printer, so they are printed that way again."""
import json
import pathlib
import sys


def text(value, depth=0):
    if isinstance(value, dict):
        pad = "  " * (depth + 1)
        fields = ",\n".join(f"{pad}{json.dumps(k)} : {text(v, depth + 1)}" for k, v in value.items())
        return "{\n" + fields + "\n" + "  " * depth + "}"
    if isinstance(value, list):
        return "[ " + ", ".join(text(v, depth) for v in value) + " ]" if value else "[ ]"
    return json.dumps(value, ensure_ascii=False)


here = pathlib.Path(__file__).parent
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
    plan = json.loads(path.read_text())["facts"]["streamPlan"]
    (here / (path.stem + ".plan")).write_text(text(plan) + "\n")
