#!/bin/sh
# Drawings of rask plan: well-formed, with all operators in them, and without a reference to
# anything outside.
# usage: plan_drawing_test.sh SOURCE_DIR BUILD_DIR
set -eu
rask=$2/rask
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 - <<'P'
import json
steps = [{"op": "source", "name": "<script>alert(1)</script> & \"more\"", "as": "s0"}]
for i in range(1, 200):
    if i % 3 == 0:
        steps.append({"op": "keyBy", "of": f"s{i // 2}"})
        steps.append({"op": "process", "name": f"Count {i}", "as": f"s{i}"})
    else:
        steps.append({"op": "map", "of": f"s{i // 2}", "name": f"Map {i}", "as": f"s{i}",
                      "parallelism": 1 + i % 2, "slotSharingGroup": f"group {i % 5}"})
steps.append({"op": "discard"})
json.dump({"job": "Two <hundred>", "steps": steps}, open("big.json", "w"))
json.dump({"steps": [{"op": "source", "name": "S"}, {"op": "discard"}]}, open("small.json", "w"))
P

for graph in stream job execution; do
    for topology in small big; do
        for format in svg html; do
            "$rask" plan --graph=$graph --format=$format $topology.json >$topology-$graph.$format
        done
    done
done

python3 - <<'P'
import json, re, sys
import xml.etree.ElementTree as ET

SVG = "{http://www.w3.org/2000/svg}"
failed = []

def check(condition, what):
    if not condition:
        failed.append(what)

def check_svg(root, name, operators):
    for element in root.iter():
        for key, value in element.attrib.items():
            check("href" not in key and "url(" not in value and not key.startswith("on"),
                  f"{name}: {element.tag} {key}={value}")
        check(element.tag != SVG + "script", f"{name}: a script")
    texts = [e.text or "" for e in root.iter(SVG + "title")]
    for operator in operators:
        check(any(operator in text for text in texts), f"{name}: '{operator}' is not there")
    check(all(float(e.get("width", "1").rstrip("%")) >= 0 for e in root.iter(SVG + "rect")),
          f"{name}: a rectangle of negative width")

all_operators = [s["name"] for s in json.load(open("big.json"))["steps"] if "name" in s]
for graph in ["stream", "job", "execution"]:
    for topology in ["small", "big"]:
        operators = all_operators if topology == "big" and graph != "execution" else []
        name = f"{topology}-{graph}.svg"
        check_svg(ET.parse(name).getroot(), name, operators)
        name = f"{topology}-{graph}.html"
        page = open(name, encoding="utf-8").read()
        drawing = page[page.index("<svg id="):page.index("</svg>\n<aside") + 6]
        check_svg(ET.fromstring(drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)),
                  name, operators)
        check("://" not in page and "@import" not in page and "url(" not in page,
              f"{name}: refers to something outside")
        check("default-src 'none'" in page, f"{name}: has no policy")
        check(len(re.findall(r"<script\b", page)) == 2, f"{name}: other scripts than its own")
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
        entries = json.loads(data.group(1))
        places = sorted(int(k) for k in re.findall(r'data-k="(\d+)"', page))
        check(places == list(range(len(entries))), f"{name}: details and parts differ")
print("\n".join(failed[:20]), file=sys.stderr)
sys.exit(1 if failed else 0)
P
