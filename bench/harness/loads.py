"""The loads: what each sends, and how to run one against a server."""

import json
import resource
import shutil
import time
from dataclasses import dataclass

import machine
import probe
import process

LOAD = machine.WORK / "load"


@dataclass(frozen=True)
class Load:
    name: str
    title: str
    endpoint: str
    tool: str = "wrk"        # wrk, or load (load/load.c)
    connections: int = 64
    depth: int = 1
    body: int = 0
    options: tuple = ()
    mode: str = "closed"
    longer: float = 1.0      # factor on the usual seconds


LOADS = [
    Load("P1", "/plaintext, 64 connections", "plaintext"),
    Load("JSON", "/json, 64 connections", "json"),
    Load("P16", "/plaintext, 75 connections, 16 requests at once", "plaintext", connections=75, depth=16),
    Load("X16", "as P16, by a client so cheap that the server is the limit", "plaintext", "load", 75, 16, options=("--cheap",)),
    Load("C1024", "/plaintext, 1,024 connections", "plaintext", connections=1024),
    Load("J1024", "/json, 1,024 connections", "json", connections=1024),
    Load("ROUTE", "/api/r100/42/item/pear?limit=10, a typed route, 64 connections", "route"),
    Load("ECHO1K", "POST /echo, 1 KiB, 64 connections", "echo", "load", body=1024),
    Load("ECHO1M", "POST /echo, 1 MiB, 16 connections", "echo", "load", connections=16, body=1 << 20),
    Load("RATE", "/plaintext, 20,000 requests/s over 64 connections, latency from the due time", "plaintext", "load",
         options=("--rate", "20000"), mode="rate", longer=2.0),
    Load("RSS10K", "memory with 10,000 connections that made one request each", "plaintext", "load", connections=10000, mode="hold"),
]
# Endpoints whose path is not their name.
PATHS = {"route": "/api/r100/42/item/pear?limit=10"}
BY_NAME = {load.name: load for load in LOADS}
QUICK = ["P1", "JSON", "P16"]
SHORT = ["P16", "P1", "JSON", "C1024", "ECHO1K", "RSS10K"]


def build(say):
    """Builds the load generator and the program that measures a start; without a C compiler there is only wrk. Returns
    why they could not be built, or an empty text."""
    machine.WORK.mkdir(parents=True, exist_ok=True)
    for program, source in ((LOAD, machine.BENCH / "load" / "load.c"), (probe.FIRST, machine.BENCH / "start" / "first.c")):
        newest = max(file.stat().st_mtime for file in source.parent.iterdir())
        if program.exists() and program.stat().st_mtime >= newest:
            continue
        compiler = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
        if compiler is None:
            return "the load generator needs a C compiler"
        say(f"building {source.name}")
        status, _, err = process.run([compiler, "-O2", "-Wall", "-Wextra", "-o", program, source], 60)
        if status != 0:
            return f"{source.name} does not compile: " + err.strip()[:200]
    return ""


def tool_of(load):
    """wrk if the load asks for it and it is installed; otherwise load/load.c, which checks more and costs less."""
    return "wrk" if load.tool == "wrk" and shutil.which("wrk") else "load"


def command(load, port, pids, warm, seconds):
    path = PATHS.get(load.endpoint, "/" + load.endpoint)
    if tool_of(load) == "wrk":
        return ["wrk", "-t1", f"-c{load.connections}", f"-d{max(1, round(seconds))}s", "-s", machine.BENCH / "wrk" / "requests.lua",
                f"http://127.0.0.1:{port}{path}", "--", path, load.depth]
    asked = [LOAD, load.mode, "--port", port, "--path", path, "--connections", possible(load.connections), "--depth", load.depth,
             "--warmup", warm, "--seconds", seconds, *load.options]
    if load.body:
        asked += ["--body", load.body]
    for pid in pids:
        asked += ["--pid", pid]
    return asked


def possible(connections):
    """The number of connections, limited by the number of descriptors."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return min(connections, limit - 100)


def warm_up(load, port, core, seconds):
    """Runs the load without measuring. Errors are ignored: they occur again when it is measured."""
    try:
        process.run(command(load, port, [], 0, max(0.5, round(seconds, 1))), seconds + 30, core)
    except RuntimeError:
        pass


def measure(load, port, server, core, warm, seconds):
    """Measures one load after a warm-up. Per request, in microseconds of the server's CPU time."""
    seconds *= load.longer
    if load.mode == "hold":
        return hold(load, port, server, core)
    if tool_of(load) == "wrk":
        return with_wrk(load, port, server, core, warm, seconds)
    pids = process.tree(server.pid)
    status, out, err = process.run(command(load, port, pids, warm, seconds), warm + seconds + 30, core)
    if status not in (0, 3):
        raise RuntimeError(err.strip()[:200] or f"the load generator ended with status {status}")
    result = json.loads(out)
    return finished(result, result["server_user"], result["server_system"], result["own_cpu"], result["rss_kib"])


def with_wrk(load, port, server, core, warm, seconds):
    if warm > 0:
        process.run(command(load, port, [], 0, warm), warm + 30, core)
    pids = process.tree(server.pid)
    before = process.cpu_seconds(pids)
    times = resource.getrusage(resource.RUSAGE_CHILDREN)
    running = process.start(command(load, port, [], 0, max(1, seconds)), core, stdout=-1, stderr=-2, text=True)
    try:
        time.sleep(max(1, seconds) * 0.9)
        resident = process.resident_kib(process.tree(server.pid))
        out, _ = running.communicate(timeout=seconds + 30)
    finally:
        process.stop(running)
    after = process.cpu_seconds(pids)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    line = next((line for line in out.splitlines() if line.startswith("result ")), None)
    if line is None:
        raise RuntimeError(f"wrk: {out.strip()[-200:]}")
    result = json.loads(line[len("result "):])
    result["wrong"] += result.pop("socket_errors") + result.pop("timeouts")
    own = used.ru_utime + used.ru_stime - times.ru_utime - times.ru_stime
    return finished(result, after[0] - before[0], after[1] - before[1], own, resident)


def finished(result, user, system, own, resident):
    requests, seconds = result["requests"], result["seconds"]
    if requests == 0:
        raise RuntimeError("no request was answered")
    return {
        "cpu_us": (user + system) / requests * 1e6,
        "user_us": user / requests * 1e6,
        "system_us": system / requests * 1e6,
        "rps": requests / seconds,
        "requests": requests,
        "errors": result["wrong"] + result.get("unanswered", 0) + result.get("stalled", 0),
        "closed": result.get("closed", 0),
        "server_busy": (user + system) / seconds,
        "load_busy": own / seconds,
        "rss_mib": resident / 1024,
        "latency_us": result["latency_us"],
        **({"late_us": result["late_us"]} if result.get("late_us", {}).get("max") else {}),
    }


def hold(load, port, server, core):
    pids = process.tree(server.pid)
    before = process.resident_kib(pids)
    status, out, err = process.run(command(load, port, pids, 0, 1), 90, core)
    if status not in (0, 3):
        raise RuntimeError(err.strip()[:200] or f"the load generator ended with status {status}")
    result = json.loads(out)
    return {"rss_mib": result["rss_kib"] / 1024, "rss_before_mib": before / 1024, "connections": possible(load.connections),
            "errors": result["wrong"] + result["unanswered"], "closed": result["closed"]}
