#!/bin/sh
# The page of rask plan in a browser, by keyboard: details, following edges, search, zoom. Where
# there is no Chromium it is left out, with a message.
# usage: plan_page_test.sh SOURCE_DIR BUILD_DIR
set -eu
rask=$2/rask
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$chromium" ]; then
    echo "no chromium here: the page was not tried"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >job.json <<'J'
{"job": "Orders", "steps": [
  {"op": "source", "name": "Orders", "uid": "orders"}, {"op": "rebalance"},
  {"op": "map", "name": "<b>Parse</b>"}, {"op": "keyBy"}, {"op": "process", "name": "Count"},
  {"op": "sink", "name": "Warehouse", "committer": true}]}
J
"$rask" plan --format=html job.json >page.html

# what is seen is told by a script of the test that stands behind the page's own
python3 - <<'P'
script = """
const seen = [], panel = document.getElementById('details'), search = document.getElementById('search');
const title = () => panel.hidden ? '-' : panel.querySelector('h2').textContent;
const view = () => document.getElementById('view').getAttribute('transform');
const key = (name, target) => (target || document.activeElement)
  .dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true, cancelable: true }));
document.querySelector('.row').focus();
key('Enter'); seen.push(title());
key('ArrowRight'); seen.push(title());
key('ArrowRight'); seen.push(title());
key('ArrowDown'); seen.push(title());
key('ArrowLeft'); key('Escape'); seen.push(title());
key('/', document.body); seen.push(document.activeElement.id);
search.value = 'warehouse'; search.dispatchEvent(new Event('input'));
seen.push(document.getElementById('found').textContent);
search.form.requestSubmit(); seen.push(title());
search.blur();
const before = view(); key('+', document.body); seen.push(String(view() !== before));
seen.push(String(document.querySelectorAll('svg b, aside b').length));
document.body.dataset.seen = seen.join('|');
"""
page = open("page.html", encoding="utf-8").read()
open("tried.html", "w", encoding="utf-8").write(
    page.replace("</body>", f"<script>{script}</script></body>"))
P

timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
    --disable-background-networking --disable-component-update --disable-sync \
    --user-data-dir="$work/profile" --virtual-time-budget=2000 --dump-dom "file://$work/tried.html" \
    >dom 2>log || { cat log >&2; exit 1; }
expected='Source: Orders|&lt;b&gt;Parse&lt;/b&gt;|Count|Warehouse: Writer|-|search|2 found|Warehouse: Writer|true|0'
grep -qF "data-seen=\"$expected\"" dom || {
    echo "expected: $expected" >&2
    grep -o 'data-seen="[^"]*"' dom >&2 || echo "the script did not run to its end" >&2
    exit 1
}
