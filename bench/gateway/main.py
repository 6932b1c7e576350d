"""Starts each setup by itself, runs the ladder against it and stops it; prints the table and draws the chart."""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))

import drawing  # noqa: E402
import ladder  # noqa: E402
import machine  # noqa: E402
import process  # noqa: E402
import setups  # noqa: E402


def main():
    known = {setup.name: setup for setup in setups.setups()}
    options = argparse.ArgumentParser(prog="bench/gateway/run", description=__doc__)
    options.add_argument("names", nargs="*", metavar="SETUP", help=", ".join(known))
    options.add_argument("--rows", help="users of each row, separated by commas; default: 10 to 2,000")
    options.add_argument("--requests", type=int, default=ladder.REQUESTS, help="requests of each user; default: %(default)s")
    options.add_argument("--quick", action="store_true", help="three small rows, to see that everything works")
    options.add_argument("--tool", choices=["needletail-load", "ab"],
                         default="needletail-load" if (setups.BIN / "needletail-load").exists() else "ab")
    options.add_argument("--out", type=Path, default=HERE.parent / "results" / "gateway")
    options.add_argument("--add", action="store_true", help="keep the results of other setups in --out, which may have other rows")
    chosen = options.parse_args()
    unknown = [name for name in chosen.names if name not in known]
    if unknown:
        options.error(f"no setup is named {', '.join(unknown)}")
    rows = ladder.QUICK if chosen.quick else ladder.ROWS
    if chosen.rows:
        rows = [int(users) for users in chosen.rows.split(",")]

    # The servers have one core, inherited by all their processes, and the load the other.
    server_core, ladder.core = machine.cores()
    os.sched_setaffinity(0, {server_core})
    machine.raise_descriptor_limit()

    results = {}
    for setup in [known[name] for name in chosen.names] or known.values():
        problem = setup.problem()
        if problem:
            print(f"{setup.title}: left out: {problem}", flush=True)
            continue
        try:
            results[setup.name] = {"title": setup.title, "rows": measure(setup, chosen.tool, rows, chosen.requests)}
        except (RuntimeError, OSError) as failure:
            print(f"{setup.title}: failed: {failure}", flush=True)
    if not results:
        sys.exit(1)
    earlier = chosen.out / "gateway.json"
    if chosen.add and earlier.is_file():
        results = {**json.loads(earlier.read_text())["setups"], **results}
    chosen.out.mkdir(parents=True, exist_ok=True)
    (chosen.out / "gateway.json").write_text(json.dumps({"tool": chosen.tool, "conditions": machine.conditions(), "setups": results}, indent=1))
    (chosen.out / "gateway.svg").write_text(drawing.draw(results))
    print(f"{chosen.out}/gateway.json, {chosen.out}/gateway.svg")


def measure(setup, tool, rows, requests):
    folder = Path(tempfile.mkdtemp(prefix="needletail-gateway-"))
    folder.chmod(0o777)
    started = []
    try:
        started, url = setup.start(folder)
        print(f"\n{setup.title}: {url}\n users requests   req/s   p50 ms   p99 ms   max ms  errors", flush=True)
        ladder.climb(tool, url, rows[:1], requests, folder)  # warm-up, not counted
        climbed = ladder.climb(tool, url, rows, requests, folder)
        for row in climbed:
            print(f"{row['users']:6} {row['requests']:8} " + " ".join(
                f"{row[name]:8.1f}" if row[name] is not None else "       -" for name in ("rate", "p50", "p99", "max")
            ) + f" {row['errors']:7.2%} {row['verdict']}", flush=True)
        return climbed
    finally:
        for one in started:
            process.stop(one)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # otherwise Apache's children would keep running
    try:
        main()
    finally:
        process.stop_all()
