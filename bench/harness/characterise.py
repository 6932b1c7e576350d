"""bench/characterise: servers by the five criteria of needletail-load, side by side (docs/comparisons.md)."""

import argparse
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

import criteria
import machine
import merging
import process
import programs

sys.path.insert(0, str(machine.BENCH / "gateway"))
import setups  # noqa: E402

LOAD = machine.ROOT / "dist" / "bin" / "needletail-load"
DEFAULT = ("native", "jvm", "go", "node", "apache-cgi-native", "apache-cgi-python")  # the order of the table, too
LIMIT = 1200  # seconds for one server, with steps of the usual length
STEP, HOLD = 5, 20  # seconds of a step, and of one that is held, unless they are chosen
SERVERS = "servers.json"  # of a folder of results: of each server how it was measured

# Options of needletail-load characterise, which are passed on to it: the defaults are its own.
PASSED = {"step": "TIME", "hold": "TIME", "most-users": "N", "most-rate": "N", "connections": "N", "pause": "TIME", "method": "NAME",
          "header": "NAME: VALUE", "body": "TEXT", "size": "BYTES", "timeout": "TIME", "connect-timeout": "TIME", "pipelining": "N",
          "good-statuses": "N,N,...", "loops": "N", "poisson": None, "no-keep-alive": None}


def arguments(known):
    parser = argparse.ArgumentParser(prog="bench/characterise", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="SERVER", help=f"{', '.join(known)}; default: {' '.join(DEFAULT)}")
    parser.add_argument("--objective", default="p99 < 100 ms, errors < 0.1 %", help="default: %(default)s")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the results; default: bench/results/characterise-DATE-TIME")
    parser.add_argument("--add", action="store_true", help="keep the results of other servers in --out, so that all are in its table")
    passed = parser.add_argument_group("passed on to needletail-load characterise")
    for name, value in PASSED.items():
        more = {"action": "store_const", "const": []} if value is None else {"action": "append", "metavar": value}
        passed.add_argument(f"--{name}", **more)
    chosen = parser.parse_args()
    chosen.passed = [word for name in PASSED for word in words(name, getattr(chosen, name.replace("-", "_")))]
    unknown = [name for name in chosen.names if name not in known]
    if unknown:
        parser.error(f"no server is named {unknown[0]}")
    if chosen.add and not chosen.out:
        parser.error("--add needs --out DIR, the folder with the results of other servers")
    programs.need("bench/characterise", LOAD)
    return chosen


def words(name, values):
    """An option as it was given: None if not at all, no values for one that has none."""
    return [] if values is None else [word for value in values for word in (f"--{name}", value)] or [f"--{name}"]


def seconds(text):
    """A time as needletail-load takes it; 0 if it is none, which it says itself."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h)", text)
    return float(found.group(1)) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[found.group(2)] if found else 0


def limit(passed):
    """Seconds for one server: more where its steps are longer."""
    given = dict(zip(passed, passed[1:]))
    return LIMIT * max(1, seconds(given.get("--step", "")) / STEP, seconds(given.get("--hold", "")) / HOLD)


class Steps:
    """Says of each step what it was, how long it took and how it went, when it has ended."""
    LINE = re.compile(r"(.+?) +(\d+\.\d) s  (.+?)  .*")  # what needletail-load says after each second, and later less often

    def __init__(self):
        self.last = None

    def hear(self, line):
        found = self.LINE.fullmatch(line)
        step = found.groups() if found else None
        if self.last and (not step or step[0] != self.last[0]):
            self.end()
        self.last = step
        if line and not found:
            print(f"  {line}", file=sys.stderr, flush=True)

    def end(self):
        if self.last:
            label, lasted, rate = self.last
            print(f"  {label}: {float(lasted):.0f} s, {rate}", file=sys.stderr, flush=True)
        self.last = None


def measure(setup, options, folder, core):
    """The document of needletail-load about one server, which has a core of its own, goes to `folder`."""
    work = Path(tempfile.mkdtemp(prefix="needletail-characterise-"))
    work.chmod(0o777)
    started = []
    try:
        started, url = setup.start(work)
        found = folder / f"{setup.name}.json"
        steps = Steps()
        command = [LOAD, "characterise", url, *options, "--json", found, "--html", folder / f"{setup.name}.html"]
        status, out, err = process.run(command, limit(options), core, heard=steps.hear)
        steps.end()
        if status != 0:
            raise RuntimeError((err or out).strip()[-300:])
        (folder / f"{setup.name}.txt").write_text(out)
    finally:
        for one in started:
            process.stop(one)
        shutil.rmtree(work, ignore_errors=True)


def title(setup):
    """In the table, where it is alone."""
    return {"native": "Needletail, native", "jvm": f"Needletail, JVM{java()}", "go": "Go, net/http"}.get(setup.name, setup.title)


def java():
    """The version of the Java that dist/bin/reference starts on, after a space; nothing if it is not known."""
    home = os.environ.get("JAVA_HOME")
    said = machine.first_line(f"{home}/bin/java" if home else "java", "-version")
    version = re.search(r'version "(\d+)', said or "")
    return f" {version.group(1)}" if version else ""


def results(folder, chosen):
    """What is known of the servers that were measured before; exits if the new results cannot stand beside it."""
    path = folder / SERVERS
    if not path.is_file():
        return {}
    if not chosen.add:
        sys.exit(f"bench/characterise: {folder} has results already; --add keeps them")
    known, here = json.loads(path.read_text()), machine.conditions()
    for name, one in known.items():
        differs = [key for key in merging.SAME if one["conditions"][key] != here[key]]
        if differs:
            sys.exit(f"bench/characterise: cannot add to {folder}: {name} was measured with another {differs[0]}")
        if one["objective"] != chosen.objective:
            sys.exit(f"bench/characterise: cannot add to {folder}: {name} was measured with the objective {one['objective']}")
        if one.get("options", []) != chosen.passed:
            given = " ".join(one.get("options", [])) or "no options"
            sys.exit(f"bench/characterise: cannot add to {folder}: {name} was measured with {given}")
    return known


def write(folder, known):
    """The list of the servers, and the table, which is also returned."""
    order = [name for name in DEFAULT if name in known] + [name for name in known if name not in DEFAULT]
    (folder / SERVERS).write_text(json.dumps({name: known[name] for name in order}, indent=1) + "\n")
    text = criteria.table([(known[name]["title"], json.loads((folder / f"{name}.json").read_text())) for name in order])
    (folder / "table.md").write_text(text)
    return text


def main():
    known = {setup.name: setup for setup in setups.setups()}
    chosen = arguments(known)
    folder = chosen.out or machine.RESULTS / time.strftime("characterise-%Y%m%d-%H%M%S")
    earlier = results(folder, chosen)
    server, load = machine.cores()
    os.sched_setaffinity(0, {server})  # inherited by the servers' processes
    machine.raise_descriptor_limit()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        return characterise([known[name] for name in chosen.names or DEFAULT], chosen, folder, earlier, load)
    finally:
        if not any(folder.iterdir()):
            folder.rmdir()


def characterise(all_setups, chosen, folder, earlier, load):
    """Measures them one after the other, and adds what was found to `folder`; the exit status."""
    found, failed, text = dict(earlier), False, ""
    for setup in all_setups:
        problem = setup.problem()
        if problem:
            print(f"{setup.title}: left out: {problem}", file=sys.stderr, flush=True)
            continue
        print(f"{setup.title}: some minutes, with a line after each step", file=sys.stderr, flush=True)
        began, conditions = time.strftime("%Y-%m-%d %H:%M:%S %z"), machine.conditions()
        try:
            measure(setup, ["--objective", chosen.objective, *chosen.passed], folder, load)
        except (RuntimeError, OSError) as failure:
            print(f"  FAILED: {failure}", file=sys.stderr, flush=True)
            failed = True
        else:
            found[setup.name] = {"title": title(setup), "objective": chosen.objective, "options": chosen.passed, "began": began,
                                 "conditions": conditions}
            text = write(folder, found)
    if not text:
        return 1
    print(text)
    print(f"in {folder}: table.md, and each server's text, page and JSON", file=sys.stderr)
    return 4 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    process.exit_with(main)
