"""bench/run --inspect: counts that do not depend on the clock. System calls per request (strace), and bytes that a JVM allocates
per request (the growth of its young generation, which is so large that nothing is collected meanwhile)."""

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import loads
import machine
import probe
import process
import servers as catalogue

# A young generation that holds everything allocated; small allocation buffers of one size, since eden grows by whole buffers.
JVM_OPTIONS = "-XX:+UseSerialGC -Xms1500m -Xmx1500m -Xmn1200m -XX:TLABSize=16k -XX:-ResizeTLAB"
SHAPES = [("P16", 75, 16), ("P1", 64, 1)]


def run(ready, options, say):
    if not loads.LOAD.exists():
        say("bench/run: --inspect needs the load generator, which needs a C compiler")
        return 1
    strace = shutil.which("strace")
    if not strace:
        say("NOT COUNTED: system calls: strace not found")
    lines = ["| server | load | system calls per request | of these | bytes allocated per request |", "|---|---|---|---|---|"]
    failed = False
    for server in ready:
        say(f"inspecting {server.name}")
        try:
            lines += inspect(server, strace, options)
        except (probe.Wrong, RuntimeError, OSError, subprocess.SubprocessError) as reason:
            say(f"NOT COUNTED: {server.name}: {reason}")
            failed = True
    print("\n".join(lines))
    return 4 if failed else 0


def inspect(server, strace, options):
    server_core, load_core = machine.cores()
    on_jvm = server.runtime == "jvm"
    java_options = f"{JVM_OPTIONS} {options.java_options}".strip() if on_jvm else options.java_options
    with open(machine.WORK / "logs" / f"{server.name}.run.log", "w") as log:
        port = process.free_port()
        running, _ = catalogue.await_first_reply(server, port, server_core, log, java_options)
        try:
            rows = []
            for name, connections, depth in SHAPES:
                shape = ["--port", port, "--connections", connections, "--depth", depth]
                warm = catalogue.WARM[server.runtime] * (options.warm or 1.0)
                generate(["closed", *shape, "--seconds", warm], load_core, warm + 30)
                allocated = allocation(server, running.pid, shape, load_core) if on_jvm else "–"
                total, calls = system_calls(strace, running.pid, shape, load_core) if strace else ("–", "–")
                rows.append(f"| {server.name} | {name} | {total} | {calls} | {allocated} |")
            return rows
        finally:
            process.stop(running)


def generate(arguments, core, timeout):
    status, _, err = process.run([loads.LOAD, *arguments], timeout, core)
    if status != 0:
        raise RuntimeError(f"load: {err.strip()[:200]}")


def allocation(server, pid, shape, core):
    """The smaller of two counts: a compiler thread that ends, or rendering the date, also allocates."""
    jcmd = Path(server.environment["JAVA_HOME"]) / "bin" / "jcmd"

    def count(requests):
        before = young(jcmd, pid, collect=True)
        generate(["closed", *shape, "--requests", requests, "--seconds", 120], core, 150)
        return (young(jcmd, pid) - before) / requests

    # As many as fill at most a third of the young generation, by a first, rough count.
    rough = max(count(10_000), 1.0)
    requests = int(min(400_000, 400e6 / rough))
    return f"{min(count(requests), count(requests)):,.1f}"


def young(jcmd, pid, collect=False):
    """Bytes in use in the young generation; with `collect` it is emptied first."""
    def ask(what):
        return subprocess.run([jcmd, str(pid), what], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=60, check=True).stdout
    if collect:
        ask("GC.run")
    return int(re.search(r"total \d+K, used (\d+)K", ask("GC.heap_info")).group(1)) * 1024


def system_calls(strace, pid, shape, core):
    requests = 32_000
    table = machine.WORK / "strace.txt"
    table.unlink(missing_ok=True)
    attach = [part for each in process.tree(pid) for part in ("-p", each)]
    tracer = process.start([strace, "-c", "-f", "-o", table, *attach], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        tracer.stderr.readline()  # "Process N attached"
        time.sleep(0.5)
        generate(["closed", *shape, "--requests", requests, "--seconds", 120], core, 150)
        tracer.send_signal(signal.SIGINT)
        tracer.communicate(timeout=20)
    finally:
        process.stop(tracer)
    calls = {}
    for line in table.read_text().splitlines():
        match = re.match(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", line)
        if match and match.group(2) != "total":
            calls[match.group(2)] = int(match.group(1))
    most = sorted(calls.items(), key=lambda entry: -entry[1])[:5]
    shown = ", ".join(f"{name} {count / requests:.3f}" for name, count in most if count / requests >= 0.0005)
    return f"{sum(calls.values()) / requests:.3f}", shown
