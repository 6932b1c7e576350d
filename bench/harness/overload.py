"""bench/overload: finds the capacity of a server, offers it twice and five times as much, and reports the result."""

import argparse
import json
import os
import signal
import socket
import sys
import time
from pathlib import Path

import curves
import disturbed
import loads
import machine
import process

OPEN = machine.WORK / "open"
CALM, PEAKS = 0.8, (2.0, 5.0)
GOODPUT, SLOWER, RECOVERY = 0.9, 5.0, 2.0

# For each handler: description, connections for finding the capacity, connections of the open load.
HANDLERS = {
    "cpu": ("2 ms of the processor", 8, 2000),
    "wait": ("20 ms of a service that does 50 at once", 200, 6000),
}


def say(text):
    print(text, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="bench/overload", description=__doc__)
    parser.add_argument("--platforms", default="jvm,native", help="jvm, native; default: both, if built")
    parser.add_argument("--handlers", default="cpu,wait", help="cpu (2 ms of CPU time), wait (20 ms of a service); default: both")
    parser.add_argument("--seconds", type=float, default=8.0, help="length of each peak; default: 8. Calm phases last 6")
    parser.add_argument("--rows", default="peaks,disturbed",
                        help="peaks (more than the capacity), disturbed (other programs use the CPU, or all clients send at once); default: both")
    parser.add_argument("--warm-up", type=float, default=4.0, help="seconds of calm load before the peaks; default: 4")
    parser.add_argument("--rehearsals", type=int, default=0, help="peaks of twice the capacity before those that count; default: 0")
    parser.add_argument("--only", choices=("on", "off"), help="only with overload control, or only without")
    parser.add_argument("--output", default=str(machine.RESULTS), help="folder for results; default: bench/results")
    return parser.parse_args()


def build():
    machine.WORK.mkdir(parents=True, exist_ok=True)
    problem = loads.build(say)
    if problem:
        raise SystemExit(f"bench/overload: {problem}")
    source = machine.BENCH / "load"
    if not OPEN.exists() or OPEN.stat().st_mtime < max(file.stat().st_mtime for file in source.iterdir()):
        status, _, err = process.run(["cc", "-O2", "-Wall", "-Wextra", "-o", OPEN, source / "open.c"], 60)
        if status != 0:
            raise SystemExit(f"bench/overload: load/open.c does not compile: {err.strip()[:300]}")


def programs(names):
    folder = machine.ROOT / "dist" / "bin"
    found = {"jvm": folder / "overload", "native": folder / "overload-native"}
    there = {name: found[name] for name in names if name in found and found[name].exists()}
    for name in names:
        if name not in there:
            say(f"NOT MEASURED: {name}: run ./sbt dist first")
    if not there:
        raise SystemExit("bench/overload: nothing to measure")
    return there


class Serving:
    """A server on a core of its own, with or without overload control."""

    def __init__(self, program, limited, log):
        self.port = process.free_port()
        self.core, self.load_core = machine.cores()
        command = [program, "--port", self.port] + ([] if limited else ["--unlimited"])
        self.running = process.start(command, self.core, log)
        end = time.monotonic() + 15
        while True:
            try:

                with socket.create_connection(("127.0.0.1", self.port), 1):
                    return
            except OSError:
                if time.monotonic() > end or self.running.poll() is not None:
                    raise RuntimeError("the server did not start")
                time.sleep(0.02)

    def capacity(self, path, connections, seconds):
        """Responses per second in a closed loop, and per second of CPU time."""
        command = [loads.LOAD, "closed", "--port", self.port, "--path", path, "--connections", connections, "--warmup", 3,
                   "--seconds", seconds]
        for pid in process.tree(self.running.pid):
            command += ["--pid", pid]
        status, out, err = process.run(command, seconds + 30, self.load_core)
        if status not in (0, 3):
            raise RuntimeError(err.strip()[:200])
        result = json.loads(out)
        return result["requests"] / result["seconds"], result["requests"] / (result["server_user"] + result["server_system"])

    def offered(self, path, connections, phases):
        command = [OPEN, "--port", self.port, "--path", path, "--high", path + "/high", "--connections", loads.possible(connections)]
        for rate, seconds in phases:
            command += ["--phase", f"{rate:.1f}:{seconds:.1f}"]
        for pid in process.tree(self.running.pid):
            command += ["--pid", pid]
        total = sum(seconds for _, seconds in phases)
        before, began = process.machine_seconds(), time.monotonic()
        status, out, err = process.run(command, total + 60, self.load_core)
        elapsed, busy = time.monotonic() - began, process.machine_seconds() - before
        if status != 0:
            raise RuntimeError(err.strip()[:300] or f"the load generator ended with status {status}")
        result = json.loads(out)
        ours = sum(phase["server_cpu"] + phase["own_cpu"] for phase in result["phases"])
        return {**result, "others_busy": max(0.0, busy - ours) / elapsed}

    def stop(self):
        process.stop(self.running)


def measure(program, handler, limited, capacity, options, log):
    title, few, many = HANDLERS[handler]
    path = f"/{handler}"
    serving = Serving(program, limited, log)
    try:
        serving.offered(path, 200, [(capacity * CALM, options.warm_up)])
        for _ in range(options.rehearsals):
            serving.offered(path, many, [(capacity * PEAKS[0], options.seconds), (capacity * CALM, 6.0)])
        phases = [(capacity * CALM, 6.0)]
        for peak in PEAKS:
            phases += [(capacity * peak, options.seconds), (capacity * CALM, 6.0)]
        return serving.offered(path, many, phases)
    finally:
        serving.stop()


def undisturbed(platform, program, log):
    """The rows in which no request may be refused, on one server that is warm and has measured its routes."""
    capacity = {}
    serving = Serving(program, True, log)
    try:
        for handler, connections in (("quick", 64), ("wait", 45), ("cpu", 4)):
            capacity[handler], _ = serving.capacity(f"/{handler}", connections, 3)
        say(f"{platform}: capacity " + ", ".join(f"{name} {rate:.0f}/s" for name, rate in capacity.items()))
        os.sched_setaffinity(0, {serving.load_core})
        found = disturbed.rows(serving, capacity, ("cpu", "quick", "wait"), 8, say) + disturbed.bursts(serving, ("cpu", "quick", "wait"), say)
    finally:
        serving.stop()
    counter = machine.ROOT / "dist" / "bin" / program.name.replace("overload", "counter")
    if counter.exists():
        serving = Serving(counter, True, log)
        try:
            found += disturbed.bursts(serving, ("/dispatcher",), say)
        finally:
            serving.stop()
    return [{"platform": platform, **row} for row in found]


def verdict(result, capacity, each_second):
    """The result of each phase; `limit` tells if the load generator or the machine was the limit."""
    calm = result["phases"][0]
    told = []
    begin = calm["seconds"]
    for i, peak in enumerate(PEAKS):
        over, after = result["phases"][1 + 2 * i], result["phases"][2 + 2 * i]
        begin += over["seconds"]
        good = (over["normal"]["timely"] + over["high"]["timely"]) / over["seconds"]
        # Recovered when, within a second, nine tenths have no refusal and nothing slower than allowed.
        first = int(begin * 10)
        windows = result["windows"][first:first + int(after["seconds"] * 10)]
        slow = SLOWER * calm["normal"]["p99_ms"]
        fine = [all(w[k]["refused"] + w[k]["failed"] == 0 and w[k]["p99_ms"] <= slow for k in ("normal", "high")) for w in windows]
        recovered = next((j / 10 for j in range(len(fine) - 9) if sum(fine[j:j + 10]) >= 9), None)
        high = over["high"]
        told.append({
            "peak": peak,
            "goodput": good / capacity,
            "goodput_by_cpu": (over["normal"]["good"] + over["high"]["good"]) / max(over["server_cpu"], 0.01) / each_second,
            "p99_ms": over["normal"]["p99_ms"],
            "slower": over["normal"]["p99_ms"] / max(calm["normal"]["p99_ms"], 0.001),
            "high_served": high["timely"] / max(high["offered"], 1),
            "high_p99_ms": high["p99_ms"],
            "high_slower": high["p99_ms"] / max(calm["high"]["p99_ms"], 0.001),
            "refused": (over["normal"]["refused"] + high["refused"]) / (over["normal"]["offered"] + high["offered"]),
            "failed": over["normal"]["failed"] + high["failed"],
            "recovery_s": recovered,
            "limit": limits(over),
        })
        begin += after["seconds"]
    return {"calm_p99_ms": calm["normal"]["p99_ms"], "calm_high_p99_ms": calm["high"]["p99_ms"], "calm_limit": limits(calm), "peaks": told}


def limits(phase):
    found = []
    if phase["own_cpu"] / phase["seconds"] > 0.8:
        found.append(f"the load generator was {phase['own_cpu'] / phase['seconds']:.0%} busy")
    if phase["late_us"]["p99"] > 5000:
        found.append(f"it sent 1 % more than {phase['late_us']['p99'] / 1000:.0f} ms late")
    return "; ".join(found)


def passed(told):
    return (told["goodput"] >= GOODPUT and told["slower"] <= SLOWER and told["high_served"] >= 0.99 and told["high_slower"] <= SLOWER
            and told["recovery_s"] is not None and told["recovery_s"] <= RECOVERY)


def by_cpu(measurement, told):
    """For the handler that computes: goodput relative to the CPU time that the server got."""
    return f" ({told['goodput_by_cpu']:.0%})" if measurement["handler"] == "cpu" and measurement["control"] == "on" else ""


def table(run):
    lines = ["| platform, handler | control | offered | goodput (for the processor time it got) | accepted p99, ms (times calm) | high: served, p99 ms (times calm) | refused | "
             "failed | recovered after | |", "|---|---|---|---|---|---|---|---|---|---|"]
    for m in run["measurements"]:
        told = m["verdict"]
        lines.append(f"| {m['platform']}, {m['handler']} ({m['capacity']:.0f}/s) | {m['control']} | 0.8 × | | {told['calm_p99_ms']:.1f} | "
                     f"{told['calm_high_p99_ms']:.1f} | | | | {told['calm_limit']} |")
        for p in told["peaks"]:
            recovery = f"{p['recovery_s']:.1f} s" if p["recovery_s"] is not None else "not in 6 s"
            mark = ("as asked for" if passed(p) else "**not as asked for**") if m["control"] == "on" else ""
            lines.append(f"| | | {p['peak']:.0f} × | {p['goodput']:.0%}{by_cpu(m, p)} | {p['p99_ms']:.1f} ({p['slower']:.1f}) | "
                         f"{p['high_served']:.1%}, {p['high_p99_ms']:.1f} ({p['high_slower']:.1f}) | {p['refused']:.0%} | {p['failed']} | {recovery} | "
                         f"{'; '.join(x for x in (mark, p['limit']) if x)} |")
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    machine.raise_descriptor_limit()
    build()
    found = programs(options.platforms.split(","))
    logs = machine.WORK / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    run = {"began": time.strftime("%Y-%m-%d %H:%M:%S %z"), "conditions": machine.conditions(), "calm": CALM, "measurements": [], "disturbed": []}
    try:
        for platform, program in found.items() if "disturbed" in options.rows else ():
            with open(logs / f"overload-{platform}-disturbed.log", "w") as log:
                run["disturbed"] += undisturbed(platform, program, log)
        for platform, program in found.items() if "peaks" in options.rows else ():
            for handler in options.handlers.split(","):
                with open(logs / f"overload-{platform}-{handler}.log", "w") as log:
                    serving = Serving(program, False, log)
                    try:
                        capacity, each_second = serving.capacity(f"/{handler}", HANDLERS[handler][1], 4)
                    finally:
                        serving.stop()
                    say(f"{platform}, {handler}: {HANDLERS[handler][0]}: capacity {capacity:.0f}/s")
                    for control in ("off", "on"):
                        if options.only in (None, control):
                            result = measure(program, handler, control == "on", capacity, options, log)
                            told = verdict(result, capacity, each_second)
                            run["measurements"].append({"platform": platform, "handler": handler, "title": HANDLERS[handler][0],
                                                        "control": control, "capacity": capacity, "verdict": told, **result})
                            for p in told["peaks"]:
                                say(f"  {control:3} {p['peak']:.0f}×: goodput {p['goodput']:.0%}, p99 {p['p99_ms']:.1f} ms ({p['slower']:.1f} times), "
                                    f"high {p['high_served']:.1%}, {p['high_p99_ms']:.1f} ms, recovered {p['recovery_s']} s; {p['limit'] or 'the load kept up'}; "
                                    f"others {result['others_busy']:.2f} cores")
    finally:
        process.stop_all()
    folder = Path(options.output) / time.strftime("overload-%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(run, indent=1))
    tables = ([table(run)] if run["measurements"] else []) + ([disturbed.table(run["disturbed"])] if run["disturbed"] else [])
    (folder / "table.md").write_text("\n".join(tables))
    if run["measurements"]:
        (folder / "curves.svg").write_text(curves.draw(run))
    print((folder / "table.md").read_text())
    say(f"in {folder}: results.json, table.md, curves.svg")
    if not all(disturbed.fine(row) for row in run["disturbed"]):
        return 4
    return 0 if all(passed(p) for m in run["measurements"] if m["control"] == "on" for p in m["verdict"]["peaks"]) else 4


if __name__ == "__main__":
    process.exit_with(main)
