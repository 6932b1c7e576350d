"""Runs the ladder against a URL: rows of users, requests, p50, p99, max and error rate, with times in milliseconds."""

import csv
import os
import re
import subprocess
from pathlib import Path

import setups

# The ladder: users, with 50 requests each.
ROWS = [10, 25, 50, 75, 100, 150, 200, 250, 300, 350, 400, 450, 500, 750, 1000, 1500, 2000]
QUICK = [10, 25, 50]
REQUESTS = 50  # of each user

# The core that the load runs on.
core = 0


def climb(tool, url, rows, requests, folder):
    if tool == "needletail-load":
        return by_load_tester(url, rows, requests, folder)
    return [by_ab(url, users, requests) for users in rows]


def by_load_tester(url, rows, requests, folder):
    table = Path(folder) / "ladder.csv"
    program = setups.BIN / "needletail-load"
    command = [program, "ladder", url, "--rows", ",".join(map(str, rows)), "--requests", str(requests), "--csv", table]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=on_its_core)
    if not table.is_file():
        raise RuntimeError(f"needletail-load ladder wrote no table: {done.stderr.strip()[-500:]}")
    return read(table)


def read(table):
    """Reads the CSV file of needletail-load's ladder, including the verdicts."""
    with open(table, newline="") as file:
        return [
            {
                "users": int(row["users"]), "requests": int(row["requests"]), "p50": figure(row["p50_ms"]),
                "p99": figure(row["p99_ms"]), "max": figure(row["max_ms"]), "errors": figure(row["error_rate"]) or 0.0,
                "rate": figure(row["rate"]), "verdict": row.get("verdict", ""),
            }
            for row in csv.DictReader(file)
        ]


def on_its_core():
    os.sched_setaffinity(0, {core})


def figure(text):
    return float(text) if text else None


def by_ab(url, users, requests):
    """ApacheBench, for a first impression only: it includes failures in the times, and has one thread."""
    done = subprocess.run(["ab", "-q", "-k", "-r", "-s", "10", "-c", str(users), "-n", str(users * requests), url],
                          capture_output=True, text=True, preexec_fn=on_its_core)
    text = done.stdout

    def find(pattern):
        found = re.search(pattern, text)
        return float(found.group(1)) if found else None

    requests = find(r"Complete requests:\s+(\d+)") or 0
    bad = (find(r"Failed requests:\s+(\d+)") or 0) + (find(r"Non-2xx responses:\s+(\d+)") or 0)
    return {
        "users": users, "requests": int(requests), "p50": find(r"\s50%\s+(\d+)"), "p99": find(r"\s99%\s+(\d+)"),
        "max": find(r"100%\s+(\d+)"), "errors": bad / requests if requests else 1.0,
        "rate": find(r"Requests per second:\s+([\d.]+)"), "verdict": "",
    }
