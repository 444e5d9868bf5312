#!/usr/bin/env python3
"""The flights example against the same computation done record by record in Python.

usage: flights_test.py PROGRAM FOLDER
Exit code 77 (skipped) when FOLDER is not there: tools/data.sh makes it.
"""
import csv
import datetime
import glob
import os
import subprocess
import sys
import tempfile

HOUR_MS = 3600 * 1000
UTC = datetime.timezone.utc


def timestamp_ms(row):
    hour = datetime.datetime.strptime(row["time_hour"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return int(hour.timestamp()) * 1000 + int(row["minute"]) * 60000


class Windows:
    """Delays by key and window. A record is late when the watermark has reached the last
    millisecond of its window before it comes."""

    def __init__(self, size_ms):
        self.size_ms = size_ms
        self.open = {}

    def add(self, key, at, delay, watermark):
        start = at - at % self.size_ms
        if start + self.size_ms - 1 <= watermark:
            return False
        count, delayed, minutes, worst = self.open.get((key, start), (0, 0, 0, -10**9))
        self.open[key, start] = (count + 1, delayed + (delay > 15), minutes + max(delay, 0),
                                 max(worst, delay))
        return True

    def rows(self):
        return sorted((key, start) + values for (key, start), values in self.open.items())


def expected(folder):
    hours, days = Windows(HOUR_MS), Windows(24 * HOUR_MS)
    late, cancelled = [], []
    latest = None
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                who = (row["carrier"], row["origin"], row["dest"], int(row["flight"]))
                if row["dep_delay"] == "NA":
                    cancelled.append(who)
                    continue
                delay = int(row["dep_delay"])
                at = timestamp_ms(row) + delay * 60000
                watermark = latest - 6 * HOUR_MS - 1 if latest is not None else float("-inf")
                if not hours.add(row["origin"], at, delay, watermark):
                    late.append(who + (delay, at))
                days.add(row["carrier"], at, delay, watermark)
                latest = at if latest is None else max(latest, at)
    return {"hours": hours.rows(), "carriers": days.rows(), "late": sorted(late),
            "cancelled": sorted(cancelled)}


def time_of(text):
    text = text.replace("T", " ").rstrip("Z")
    pattern = "%Y-%m-%d %H:%M:%S.%f" if "." in text else "%Y-%m-%d %H:%M:%S"
    return int(datetime.datetime.strptime(text, pattern).replace(tzinfo=UTC).timestamp()) * 1000


def read(path, columns):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return sorted(tuple(convert(row[name]) for name, convert in columns) for row in rows)


WINDOW = [("who", str), ("from", time_of), ("departures", int), ("delayed", int),
          ("minutes", int), ("worst", int)]
FLIGHT = [("carrier", str), ("origin", str), ("dest", str), ("flight", int)]
COLUMNS = {"hours": WINDOW, "carriers": WINDOW, "late": FLIGHT + [("delay", int), ("at", time_of)],
           "cancelled": FLIGHT}


def check(program, folder, wanted, arguments):
    with tempfile.TemporaryDirectory() as out:
        command = [program, *arguments, folder, out]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        for name, rows in wanted.items():
            found = read(os.path.join(out, name + ".csv"), COLUMNS[name])
            if found == rows:
                continue
            missing, extra = set(rows) - set(found), set(found) - set(rows)
            sys.exit(f"{' '.join(command)}: {name}.csv has {len(found)} rows instead of "
                     f"{len(rows)}\n  missing: {sorted(missing)[:5]}\n  extra: {sorted(extra)[:5]}")


def main():
    program, folder = sys.argv[1:]
    if not os.path.isdir(folder):
        print(f"{folder} is not there: run tools/data.sh")
        return 77
    wanted = expected(folder)
    sizes = {name: len(rows) for name, rows in wanted.items()}
    print(sizes)
    # of the data itself: 336,776 flights, of which 328,521 left
    assert sizes["cancelled"] == 336776 - 328521
    assert sizes["late"] > 100
    for arguments in [], ["-p", "3"], ["-p", "2", "-D", "state.backend.type=rocksdb"]:
        check(program, folder, wanted, arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main())
