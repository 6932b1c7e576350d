"""bench/characterise: servers by the five criteria of needletail-load, side by side (docs/comparisons.md)."""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import machine
import process
import programs

sys.path.insert(0, str(machine.BENCH / "gateway"))
import setups  # noqa: E402

LOAD = machine.ROOT / "dist" / "bin" / "needletail-load"
DEFAULT = ("native", "jvm", "go", "node", "apache-cgi-native", "apache-cgi-python")
LIMIT = 1200  # seconds for one server


def arguments(known):
    parser = argparse.ArgumentParser(prog="bench/characterise", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SERVER", help=f"{', '.join(known)}; default: {' '.join(DEFAULT)}")
    parser.add_argument("--objective", default="p99 < 100 ms, errors < 0.1 %", help="default: %(default)s")
    parser.add_argument("--output", type=Path, default=machine.RESULTS, help="folder for results; default: bench/results")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in known]
    if unknown:
        parser.error(f"no server is named {unknown[0]}")
    programs.need("bench/characterise", LOAD)
    return chosen


def measure(setup, objective, folder, core):
    """The document of needletail-load about one server, which has a core of its own; also written to `folder`."""
    work = Path(tempfile.mkdtemp(prefix="needletail-characterise-"))
    work.chmod(0o777)
    started = []
    try:
        started, url = setup.start(work)
        found = folder / f"{setup.name}.json"
        command = [LOAD, "characterise", url, "--objective", objective, "--json", found, "--html", folder / f"{setup.name}.html"]
        status, out, err = process.run(command, LIMIT, core)
        if status != 0:
            raise RuntimeError((err or out).strip()[-300:])
        (folder / f"{setup.name}.txt").write_text(out)
        return json.loads(found.read_text())
    finally:
        for one in started:
            process.stop(one)
        shutil.rmtree(work, ignore_errors=True)


def table(found):
    """A row for each server, a column for each criterion; CLIENT-LIMITED and UNCERTAIN figures are marked."""
    names = []
    for _, document in found:
        names += [c["name"] for c in document["criteria"] if c["name"] not in names]
    lines = ["| server | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for title, document in found:
        told = {c["name"]: c for c in document["criteria"]}
        lines.append(f"| {title} | " + " | ".join(cell(told.get(name)) for name in names) + " |")
    return "\n".join(lines) + "\n"


NOT_FOUND = ("Not found", "No rate satisfies")  # how needletail-load begins; its figures are 0 then


def cell(criterion):
    if criterion is None:
        return ""
    low, high = number(criterion["low"]), number(criterion["high"])
    doubt = "" if criterion["verdict"]["limit"] in ("SERVER-LIMITED", "LOAD-LIMITED") else f" ({criterion['verdict']['limit']})"
    if criterion["text"].startswith(NOT_FOUND):
        return f"not found{doubt}"
    least = "≥ " if " or more " in criterion["text"] and low == high else ""
    return f"{least}{low if low == high else f'{low} to {high}'} {criterion['unit']}{doubt}"


def number(value):
    return "-" if value is None else f"{value:,.2f}" if value < 10 else f"{value:,.0f}"


def main():
    known = {setup.name: setup for setup in setups.setups()}
    chosen = arguments(known)
    server, load = machine.cores()
    os.sched_setaffinity(0, {server})  # inherited by the servers' processes
    machine.raise_descriptor_limit()
    folder = chosen.output / time.strftime("characterise-%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return characterise([known[name] for name in chosen.names or DEFAULT], chosen.objective, folder, load)
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


def characterise(all_setups, objective, folder, load):
    """Measures them one after the other, and writes what was found to `folder`; the exit status."""
    found, failed = [], False
    for setup in all_setups:
        problem = setup.problem()
        if problem:
            print(f"{setup.title}: left out: {problem}", file=sys.stderr, flush=True)
            continue
        print(setup.title, file=sys.stderr, flush=True)
        try:
            found.append((setup.title, measure(setup, objective, folder, load)))
        except (RuntimeError, OSError) as failure:
            print(f"  FAILED: {failure}", file=sys.stderr, flush=True)
            failed = True
    if not found:
        return 1
    (folder / "conditions.json").write_text(json.dumps(machine.conditions(), indent=1))
    (folder / "table.md").write_text(table(found))
    print((folder / "table.md").read_text())
    print(f"in {folder}: table.md, and each server's text, page and JSON", file=sys.stderr)
    return 4 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    process.exit_with(main)
