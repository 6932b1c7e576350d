"""The board's load shapes, on one core: what each sends, and what a server's CPU time is for each request of it."""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent

import entries
import machine
import process

WEBSOCKET_LOAD = entries.WORK / "websocket-load"

# The bodies of the profile upload; the board's own files of them are not in every copy of its repository.
BODIES = (500 * 1024, 2 << 20, 10 << 20, 20 << 20)


@dataclass(frozen=True)
class Shape:
    """A profile: the board's files of requests, how many are sent at once, after how many a connection is closed."""
    name: str
    path: str                # of the first request, which has to succeed before anything is measured
    files: tuple = ()
    depth: int = 1
    last: int = 0
    connections: int = 64    # 4,096 over the 64 processors of the board's server
    script: str = ""         # the board's own script for wrk
    url: str = "http://127.0.0.1:8080"


SHAPES = [
    Shape("baseline", "/baseline11?a=13&b=42", ("get", "post_cl", "post_chunked")),
    Shape("pipelined", "/pipeline", ("pipeline",), depth=16),
    Shape("limited-conn", "/baseline11?a=13&b=42", ("get", "post_cl", "post_chunked"), last=10),
    Shape("json", "/json/1?m=3", tuple(f"json-{n}" for n in (1, 5, 10, 15, 25, 40, 50))),
    Shape("json-comp", "/json/25?m=4", tuple(f"json-gzip-{n}" for n in (25, 40, 50))),
    Shape("json-tls", "/json/1?m=3", script="json-tls-rotate.lua", url="https://127.0.0.1:8081"),
    Shape("upload", "/pipeline", tuple(f"upload-{size}" for size in BODIES), connections=4),
    Shape("static", "/static/reset.css", script="static-rotate.lua"),
    Shape("echo-ws", "/ws"),
]


def run(arena, servers, chosen):
    """Measures, prints the table and writes the results. The exit status: 4 if a server failed."""
    wanted = chosen.profiles.split(",") if chosen.profiles else [shape.name for shape in SHAPES]
    unknown = [name for name in wanted if name not in {shape.name for shape in SHAPES}]
    if unknown:
        sys.exit(f"bench/httparena/run: no shape for {', '.join(unknown)}; there are "
                 + ", ".join(shape.name for shape in SHAPES))
    if shutil.which("wrk") is None:
        sys.exit("bench/httparena/run: wrk is needed")
    shapes = [shape for shape in SHAPES if shape.name in wanted]
    entries.WORK.mkdir(parents=True, exist_ok=True)
    prepare(shapes)
    for server in servers:
        entries.build(server)
        if server.problem:
            print(f"LEFT OUT: {server.name}: {server.problem}", flush=True)
    left = [server for server in servers if not server.problem]
    if not left:
        return 4
    conditions, begun, busy = machine.conditions(), time.monotonic(), process.machine_seconds()
    own, samples, failed = 0.0, {}, []
    for number in range(chosen.rounds):
        for server in left:
            try:
                own += one_round(server, arena, shapes, chosen.seconds, samples, failed)
            except RuntimeError as failure:
                failed.append(server.name)
                print(f"FAILED: {server.name}, round {number + 1}: {failure}", flush=True)
        others = (process.machine_seconds() - busy - own) / (time.monotonic() - begun)
        text = table(left, shapes, samples) + (
            f"\nBesides servers and loads, {others:.1f} of {os.cpu_count()} processors were busy with other programs.\n")
        chosen.out.mkdir(parents=True, exist_ok=True)
        (chosen.out / "table.md").write_text(text)
        (chosen.out / "results.json").write_text(
            json.dumps({"conditions": {**conditions, "others_busy": others}, "samples": samples}, indent=1))
    print(text)
    return 4 if failed else 0


def prepare(shapes):
    """Makes the bodies to upload, and builds the load for WebSockets."""
    if any(shape.name == "upload" for shape in shapes):
        for size in BODIES:
            file = entries.WORK / f"upload-{size}.raw"
            if not file.exists():
                head = f"POST /upload HTTP/1.1\r\nHost: localhost:8080\r\nContent-Length: {size}\r\n\r\n"
                file.write_bytes(head.encode() + random.randbytes(size))
    if any(shape.name == "echo-ws" for shape in shapes):
        subprocess.run(["cc", "-O2", "-o", WEBSOCKET_LOAD, machine.BENCH / "websocket" / "load.c"], check=True)


def one_round(server, arena, shapes, seconds, samples, failed):
    """Starts a server, measures each shape that it serves once, and stops it. Returns the CPU time of server and loads."""
    served = [shape for shape in shapes if shape.name in server.tests]
    core, load_core = machine.cores()
    command, folder = entries.command(server, arena)
    used = 0.0
    with open(entries.WORK / f"{server.name}-server.log", "w") as log:
        started = process.start(command, core, log, cwd=folder, env={**os.environ, **server.environment})
        try:
            await_reply(started)
            warm = 4 if server.on_jvm else 0.5
            for shape in served:
                try:
                    used += sample(shape, arena, started, warm, load_core)["cpu"]
                    sample(shape, arena, started, max(0.5, warm / 4), load_core)
                    taken = sample(shape, arena, started, seconds, load_core)
                except RuntimeError as failure:
                    failed.append(f"{server.name}, {shape.name}")
                    print(f"FAILED: {server.name}, {shape.name}: {failure}", flush=True)
                    continue
                used += taken["cpu"] + taken["load_cpu"]
                samples.setdefault(server.name, {}).setdefault(shape.name, []).append(taken)
                print(f"{server.name} {shape.name}: {taken['cpu_us']:.2f} us, {taken['rps']:.0f}/s, "
                      f"{taken['errors']} errors, {taken['rss_mib']:.0f} MiB", flush=True)
        finally:
            process.stop(started)
    return used


def await_reply(started):
    """Waits until the first endpoint answers."""
    for _ in range(600):
        if started.poll() is not None:
            raise RuntimeError(f"it ended with status {started.returncode}")
        done = subprocess.run(["curl", "-s", "-o", "/dev/null", "-f", "--max-time", "2", "http://127.0.0.1:8080/pipeline"])
        if done.returncode == 0:
            return
        time.sleep(0.1)
    raise RuntimeError("it does not answer")


def sample(shape, arena, started, seconds, core):
    """One run of a shape. Times are of all processes of the server."""
    pids = process.tree(started.pid)
    whole = max(1, round(seconds))
    before, times = sum(process.cpu_seconds(pids)), os.times()
    if shape.name == "echo-ws":
        command = [WEBSOCKET_LOAD, "8080", shape.connections, 1, 16, seconds]
    else:
        command = ["wrk", "-t1", f"-c{shape.connections}", f"-d{whole}s", "-s"]
        if shape.script:
            command += [arena / "requests" / shape.script, shape.url]
        else:
            command += [HERE / "requests.lua", shape.url, "--", shape.depth, shape.last,
                        *(find(arena, name) for name in shape.files)]
    status, out, err = process.run(command, whole + 60, core)
    after = os.times()
    cpu = sum(process.cpu_seconds(pids)) - before
    count, took, errors = (websockets if shape.name == "echo-ws" else of_wrk)(status, out, err)
    return {"cpu": cpu, "cpu_us": cpu / count * 1e6, "rps": count / took, "requests": count, "errors": errors,
            "load_cpu": after.children_user + after.children_system - times.children_user - times.children_system,
            "server_busy": cpu / took, "rss_mib": process.resident_kib(pids) / 1024,
            "bytes": of_bytes(out) / count if count else 0}


def find(arena, name):
    own = entries.WORK / f"{name}.raw"
    return own if own.exists() else arena / "requests" / f"{name}.raw"


def websockets(status, out, err):
    if status != 0:
        raise RuntimeError(err.strip()[:200] or f"the load for WebSockets ended with status {status}")
    count, took = out.split()[:2]
    return int(count), float(took), 0


def of_wrk(status, out, err):
    """Requests, seconds, and how many of the requests failed, of wrk's report."""
    found = re.search(r"(\d+) requests in ([\d.]+)(ms|s|m),", out)
    if status != 0 or not found or found.group(1) == "0":
        raise RuntimeError(f"wrk: {(err or out).strip()[-200:]}")
    took = float(found.group(2)) * {"ms": 0.001, "s": 1, "m": 60}[found.group(3)]
    errors = sum(int(n) for n in re.findall(r"Non-2xx or 3xx responses: (\d+)", out))
    for line in re.findall(r"Socket errors: (.*)", out):
        errors += sum(int(n) for n in re.findall(r"\d+", line))
    return int(found.group(1)), took, errors


def of_bytes(out):
    """Bytes read, of wrk's report."""
    found = re.search(r"([\d.]+)(B|KB|MB|GB) read", out)
    return float(found.group(1)) * 1024 ** ["B", "KB", "MB", "GB"].index(found.group(2)) if found else 0


def table(servers, shapes, samples):
    """CPU time for each request in µs: the median, the least and the greatest of the rounds."""
    lines = ["| profile | " + " | ".join(server.name for server in servers) + " |",
             "|---|" + "---|" * len(servers)]
    for shape in shapes:
        cells = []
        for server in servers:
            taken = samples.get(server.name, {}).get(shape.name, [])
            if not taken:
                cells.append("–")
                continue
            values = [one["cpu_us"] for one in taken]
            text = f"{figure(statistics.median(values))} ({figure(min(values))}–{figure(max(values))})"
            text += f", {statistics.median(one['rps'] for one in taken):,.0f}/s"
            if shape.name in ("json-comp", "static"):
                text += f", {statistics.median(one['bytes'] for one in taken):,.0f} bytes"
            errors = sum(one["errors"] for one in taken)
            cells.append(text + (f", **{errors} errors**" if errors else ""))
        lines.append(f"| {shape.name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
