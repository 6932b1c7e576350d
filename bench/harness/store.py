"""bench/store: measures online stores, healthy and while their search service is down (docs/store.md)."""

import argparse
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import machine
import process
import programs
import servers
import storechart

BIN = machine.ROOT / "dist" / "bin"
SCENARIO = machine.ROOT / "examples" / "store" / "load.yaml"
KINDS = ("index", "search", "payments")
SITUATIONS = ("healthy", "search down")

# Descriptions for the table.
STORES = {
    "needletail-jvm": "Needletail on the JVM, one event loop",
    "needletail-native": "Needletail as a native binary, one event loop",
    "blocking": "servlets on Tomcat, 200 threads, no timeouts: as described in the article",
    "virtual": "the same servlets on virtual threads, with timeouts",
    "async": "asynchronous servlets (startAsync) on Jetty, with timeouts",
}
# Folders of the stores that are not ours.
FOLDERS = {"blocking": "servlets", "virtual": "servlets", "async": "jetty"}
# With search down, index and payments must be within this share of the healthy store's figures.
WITHIN = 0.1


def say(text):
    print(text, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="bench/store", description=__doc__)
    parser.add_argument("stores", nargs="*", metavar="STORE", help=f"stores: {', '.join(STORES)}; default: all")
    parser.add_argument("--seconds", type=int, default=60, help="seconds of load, including the ramp of 10 s; default: 60")
    parser.add_argument("--rounds", type=int, default=1, help="number of rounds; the table has their medians; default: 1")
    parser.add_argument("--output", default=str(machine.RESULTS), help="folder for results; default: bench/results")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.stores if name not in STORES]
    if unknown:
        parser.error(f"no store called {unknown[0]}; there are: {', '.join(STORES)}")
    return chosen


def commands(names):
    """How to start each store, with placeholders {PORT}, {SEARCH} and {PAYMENT}: (command, folder, environment)."""
    programs.need("bench/store", *(BIN / name for name in ("needletail-load", "search-native", "payment-native", "store", "store-native")))
    ours = ["--port", "{PORT}", "--workers", "1", "--search", "{SEARCH}", "--payment", "{PAYMENT}"]
    found = {
        "needletail-jvm": ([BIN / "store", *ours], machine.ROOT, {}),
        "needletail-native": ([BIN / "store-native", *ours], machine.ROOT, {}),
    }
    rivals = [name for name in names if name not in found]
    if rivals:
        jdks = {version: home for version, home in machine.jdks().items() if version >= 21}
        environment = {}
        if jdks:
            home = jdks[max(jdks)]
            environment = {"JAVA_HOME": home, "JAVA": f"{home}/bin/java", "JAVA_OPTIONS": "", "PATH": f"{home}/bin:{os.environ['PATH']}"}
        problems = {}
        for name in rivals:
            folder = machine.BENCH / "stores" / FOLDERS[name]
            if folder not in problems:
                problems[folder] = built(folder, environment) if jdks else "needs a JDK, 21 or later: not found"
            if problems[folder]:
                say(f"NOT MEASURED: {name}: {problems[folder]}")
            else:
                found[name] = ([folder / "start", name, "{PORT}", "{SEARCH}", "{PAYMENT}"], folder, environment)
    return {name: found[name] for name in names if name in found}


def built(folder, environment):
    """Builds the stores in that folder; returns what went wrong, if anything."""
    logs = machine.WORK / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    peer = servers.Server(folder.name, "peer", "Java", "jvm", [], folder, [], environment, folder.name, ["java", "mvn"])
    return servers.build_peer(peer, say, logs, 900)


class Shop:
    """A store and its two services, each listening."""

    def __init__(self, command, folder, environment, down, log):
        core, other = machine.cores()
        self.port, search, payment = process.free_port(), process.free_port(), process.free_port()
        values = {"{PORT}": str(self.port), "{SEARCH}": f"http://127.0.0.1:{search}", "{PAYMENT}": f"http://127.0.0.1:{payment}"}
        self.running = []
        try:
            self.start([BIN / "search-native", "--port", search, "--workers", "1"] + (["--down"] if down else []), other, log, search)
            self.start([BIN / "payment-native", "--port", payment, "--workers", "1"], other, log, payment)
            filled = [values.get(str(part), part) for part in command]
            self.store = self.start(filled, core, log, self.port, cwd=folder, env={**os.environ, **environment})
        except BaseException:
            self.stop()
            raise

    def start(self, command, core, log, port, **options):
        started = process.start(command, core, log, **options)
        self.running.append(started)
        end = time.monotonic() + 30
        while True:
            try:
                with socket.create_connection(("127.0.0.1", port), 1):
                    return started
            except OSError:
                if time.monotonic() > end or started.poll() is not None:
                    raise RuntimeError(f"{Path(str(command[0])).name} did not start") from None
                time.sleep(0.02)

    def cpu(self):
        return sum(process.cpu_seconds(process.tree(self.store.pid)))

    def stop(self):
        for started in reversed(self.running):
            process.stop(started)


def scenario(port, seconds):
    """The store's load as a scenario for this port, with this duration and timeout."""
    text = SCENARIO.read_text()
    for old, new in (("target: http://127.0.0.1:8080", f"target: http://127.0.0.1:{port}"), ("duration: 60 s", f"duration: {seconds} s")):
        if old not in text:
            raise SystemExit(f"bench/store: {SCENARIO.name} has no '{old}'")
        text = text.replace(old, new)
    path = machine.WORK / "store" / "load.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    (path.parent / "queries.csv").write_text((SCENARIO.parent / "queries.csv").read_text())
    return path


def measure(start, down, seconds, log):
    """Measures one store in one situation: figures of each kind of request."""
    shop = Shop(*start, down, log)
    try:
        results = machine.WORK / "store" / "result.json"
        command = [BIN / "needletail-load", "run", scenario(shop.port, seconds), "--json", results]
        before, machine_before, began = shop.cpu(), process.machine_seconds(), time.monotonic()
        status, out, err = process.run(command, seconds + 120, machine.cores()[1])
        elapsed = time.monotonic() - began
        if status != 0:
            raise RuntimeError((err or out).strip()[-300:])
        cpu, busy = shop.cpu() - before, process.machine_seconds() - machine_before
        told = json.loads(results.read_text())["parts"][0]["summary"]
        resident = process.resident_kib(process.tree(shop.store.pid)) / 1024
    finally:
        shop.stop()
    kinds = {}
    for kind in told["kinds"]:
        good, bad = kind["latencyMillis"], kind["failedMillis"]
        kinds[kind["name"]] = {
            "rate": kind["rate"], "requests": kind["requests"], "errors": kind["errors"],
            "p50": good.get("p50"), "p90": good.get("p90"), "p99": good.get("p99"), "bad_p50": bad.get("p50"), "bad_p99": bad.get("p99"),
        }
    return {"kinds": kinds, "outcomes": told["outcomes"], "statuses": told["statuses"], "verdict": told["verdict"],
            "store_cores": cpu / elapsed, "machine_cores": busy / elapsed, "resident_mib": resident}


def middle(values):
    known = sorted(value for value in values if value is not None)
    return known[len(known) // 2] if known else None


def summary(run):
    """Medians over the rounds: store, situation, kind, figure."""
    told = {}
    for name in run["stores"]:
        told[name] = {}
        for situation in SITUATIONS:
            samples = [m for m in run["measurements"] if m["store"] == name and m["situation"] == situation]
            if samples:
                told[name][situation] = {
                    kind: {figure: middle([s["kinds"][kind][figure] for s in samples]) for figure in samples[0]["kinds"][kind]} for kind in KINDS
                }
    return told


def unharmed(told):
    """Whether index and payments keep the rate and p90 of the healthy store while search is down."""
    reasons = []
    if set(SITUATIONS) - set(told):
        return ["not measured in both situations"]
    for kind in ("index", "payments"):
        well, down = (told[situation][kind] for situation in SITUATIONS)
        if down["rate"] < well["rate"] * (1 - WITHIN):
            reasons.append(f"{kind}: {down['rate']:.0f}/s instead of {well['rate']:.0f}/s")
        # a difference below half a millisecond is not noticeable
        if down["p90"] is None or down["p90"] > max(well["p90"] * (1 + WITHIN), well["p90"] + 0.5):
            reasons.append(f"{kind}: p90 {millis(down['p90'])} ms instead of {millis(well['p90'])} ms")
        if down["errors"] > 0.001:
            reasons.append(f"{kind}: {down['errors']:.1%} errors")
    return reasons


def millis(value):
    return "" if value is None else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def table(run):
    lines = ["| store | situation | kind | good/s | median, ms | 90 % | 99 % | errors | median of errors, ms |", "|---|---|---|---|---|---|---|---|---|"]
    for name, situations in run["summary"].items():
        for situation, kinds in situations.items():
            for kind, f in kinds.items():
                first = kind == KINDS[0]
                lines.append(f"| {name if first and situation == SITUATIONS[0] else ''} | {situation if first else ''} | {kind} | {f['rate']:.0f} | "
                             f"{millis(f['p50'])} | {millis(f['p90'])} | {millis(f['p99'])} | {f['errors']:.1%} | {millis(f['bad_p50'])} |")
    lines.append("")
    for name in run["summary"]:
        reasons = run["unharmed"][name]
        lines.append(f"- {name}, {STORES[name]}: " + (f"harmed by a search service that is down: {'; '.join(reasons)}" if reasons else
                     "index and payments do not notice that the search service is down"))
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    machine.raise_descriptor_limit()
    found = commands(options.stores or list(STORES))
    if not found:
        say("bench/store: there is nothing to measure")
        return 1
    logs = machine.WORK / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    run = {"began": time.strftime("%Y-%m-%d %H:%M:%S %z"), "conditions": machine.conditions(), "seconds": options.seconds, "stores": list(found),
           "measurements": []}
    failed = False
    try:
        for number in range(options.rounds):
            for situation in SITUATIONS:
                for name, start in found.items():
                    say(f"round {number + 1}, {situation}: {name}")
                    with open(logs / f"store-{name}.log", "a") as log:
                        try:
                            result = measure(start, situation == SITUATIONS[1], options.seconds, log)
                        except RuntimeError as e:
                            say(f"  FAILED: {e}")
                            failed = True
                            continue
                    run["measurements"].append({"store": name, "situation": situation, "round": number, **result})
                    for kind in KINDS:
                        f = result["kinds"][kind]
                        say(f"  {kind:8} {f['rate']:6.0f}/s  p50 {millis(f['p50']):>6}  p90 {millis(f['p90']):>6}  p99 {millis(f['p99']):>6} ms  "
                            f"errors {f['errors']:.1%}")
    finally:
        process.stop_all()
    if not run["measurements"]:
        say("bench/store: nothing was measured")
        return 1
    run["summary"] = summary(run)
    run["unharmed"] = {name: unharmed(told) for name, told in run["summary"].items()}
    folder = Path(options.output) / time.strftime("store-%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(run, indent=1))
    (folder / "table.md").write_text(table(run))
    (folder / "chart.svg").write_text(storechart.draw(run["summary"], KINDS, SITUATIONS))
    print((folder / "table.md").read_text())
    say(f"in {folder}: results.json, table.md, chart.svg")
    ours = [reasons for name, reasons in run["unharmed"].items() if name.startswith("needletail")]
    return 4 if failed or any(ours) else 0


if __name__ == "__main__":
    process.exit_with(main)
