"""bench/run --tls: handshakes, requests and replies over TLS, and memory of idle connections."""

import json
import os
import ssl
import socket
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

import machine
import process
import report
import servers as catalogue

FLOOR, CLIENT = machine.WORK / "tls-floor", machine.WORK / "tls-client"
WARM = {"jvm": 12.0, "native": 1.5}
USUAL = ["nginx", "needletail-native", "needletail-jvm", "netty-nio", "vertx"]


@dataclass(frozen=True)
class Load:
    name: str
    title: str
    what: str
    connections: int
    path: str = "/plaintext"
    key: str = "ec"


LOADS = [
    Load("FULL", "full TLS 1.3 handshakes, ECDSA P-256, each with one request; 16 at once", "handshakes", 16),
    Load("RSA", "the same with an RSA key of 2,048 bits", "handshakes", 16, key="rsa"),
    Load("RESUMED", "the same, resumed (ECDSA)", "resumed", 16),
    Load("P1", "/plaintext, 64 connections, one request at a time on each", "requests", 64),
    Load("C1024", "/plaintext, 1,024 connections", "requests", 1024),
    Load("1M", "replies of 1 MiB, 4 connections", "requests", 4, "/big?bytes=1048576"),
]
HOLD = "IDLE"
BY_NAME = {load.name: load for load in LOADS}


def run(found, options, say):
    machine.raise_descriptor_limit()
    problem = build()
    if problem:
        raise SystemExit(f"bench/run: {problem}")
    chosen = [floor()] + [secured(s) for s in choose(found, options.names)]
    catalogue.build([s for s in chosen if s.kind != "floor"], say)
    for server in chosen:
        if server.problem:
            say(f"NOT MEASURED: {server.name}: {server.problem}")
    ready = [s for s in chosen if not s.problem]
    names = [n.strip().upper() for n in options.loads.split(",")] if options.loads else [*BY_NAME, HOLD]
    unknown = [n for n in names if n not in BY_NAME and n != HOLD]
    if unknown:
        raise SystemExit(f"bench/run: unknown load {', '.join(unknown)}; with --tls they are {', '.join([*BY_NAME, HOLD])}")
    rounds, seconds = options.rounds or 3, options.seconds or 3.0
    certificates = issue()
    taken = {"began": time.strftime("%Y-%m-%d %H:%M:%S %z"), "conditions": machine.conditions(), "openssl": ssl.OPENSSL_VERSION,
             "settings": {"rounds": rounds, "seconds": seconds}, "samples": [],
             "loads": [{"name": load.name, "title": load.title} for load in LOADS if load.name in names],
             "servers": [{"name": s.name, "kind": s.kind, "problem": s.problem} for s in chosen]}
    try:
        for number in range(1, rounds + 1):
            for server in ready:
                for key in ("ec", "rsa"):
                    wanted = [BY_NAME[n] for n in names if n in BY_NAME and BY_NAME[n].key == key]
                    hold = HOLD in names and key == "ec" and number == rounds
                    if wanted or hold:
                        one_start(taken, server, number, certificates[key], wanted, hold, seconds, options.warm or 1.0, say)
    finally:
        process.stop_all()
        if taken["samples"]:
            folder = write(taken, options.output)
            print((folder / "table.md").read_text())
            say(f"in {folder}: results.json, table.md")
    return 0 if all(not s.problem for s in chosen) else 4


def build():
    machine.WORK.mkdir(parents=True, exist_ok=True)
    for program, source in ((FLOOR, "server.c"), (CLIENT, "client.c")):
        status, _, err = process.run([os.environ.get("CC", "cc"), "-O2", "-Wall", "-Wextra", "-o", program,
                                      machine.BENCH / "tls" / source, "-lssl", "-lcrypto"], 60)
        if status != 0:
            return f"bench/tls/{source} does not compile (it needs libssl-dev): " + err.strip()[:200]
    return ""


def choose(found, names):
    able = [s for s in found if s.tls or s.kind == "ours"]
    if names:
        return catalogue.select(able, names)
    usual = [s for s in able if s.name in USUAL]
    ours = [s for s in able if s.name.startswith("needletail-jvm-") and not s.variant]
    return usual + ours[-1:]  # on the newest JDK, as the peers are


def floor():
    return catalogue.Server("floor-openssl", "floor", "C", "native", [], machine.BENCH, [FLOOR, "{PORT}", "{CERT}", "{KEY}"])


def secured(server):
    if server.kind != "ours":
        return server
    return replace(server, command=[*server.command, "--idle-timeout", "10m", "--cert", "{CERT}", "--key", "{KEY}"])


def issue():
    """Certificates of a key each, by their kind: (certificate, key)."""
    made = {}
    for kind, key in (("ec", ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]), ("rsa", ["-newkey", "rsa:2048"])):
        made[kind] = (machine.WORK / f"tls-{kind}.pem", machine.WORK / f"tls-{kind}.key")
        subprocess.run(["openssl", "req", "-x509", *key, "-nodes", "-days", "7", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost", "-out", made[kind][0], "-keyout", made[kind][1]],
                       check=True, capture_output=True)
    return made


def one_start(taken, server, number, certificate, wanted, hold, seconds, warm, say):
    """Starts the server with a certificate, and measures these loads."""
    server_core, load_core = machine.cores()
    port = process.free_port()
    say(f"round {number}: {server.name}")
    cert, key = (str(file) for file in certificate)
    command = [str(part).replace("{CERT}", cert).replace("{KEY}", key) for part in server.command]
    started = replace(server, command=command, environment={**server.environment, "TLS_CERT": cert, "TLS_KEY": key})
    logs = machine.WORK / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    with open(logs / f"{server.name}.tls.log", "w") as log:
        running, _ = started.start(port, server_core, log)
        try:
            answers(port, running)
            for load in wanted:
                ask(running, port, load_core, load.what, load.connections, 0, load.path, WARM[server.runtime] * warm / len(wanted))
            for load in wanted:
                sample = {"server": server.name, "round": number, "load": load.name}
                try:
                    sample.update(measured(ask(running, port, load_core, load.what, load.connections, seconds, load.path, 0.5)))
                    say(f"  {load.name}: {sample['cpu_us']:.1f} us of CPU, {sample['rate']:,.0f}/s")
                except (RuntimeError, ValueError, KeyError) as reason:
                    sample["failed"] = str(reason)[:200]
                    say(f"  {load.name}: FAILED: {reason}")
                taken["samples"].append(sample)
            if hold:
                held = ask(running, port, load_core, "hold", 10000, 1, "/plaintext", 0)
                taken["samples"].append({"server": server.name, "round": number, "load": HOLD, "kib_each": held["kib_each"]})
                say(f"  {HOLD}: {held['kib_each']:.1f} KiB each")
        except (RuntimeError, OSError) as reason:
            taken["samples"].append({"server": server.name, "round": number, "load": wanted[0].name if wanted else HOLD,
                                     "failed": str(reason)[:200]})
            say(f"  FAILED: {reason}")
        finally:
            process.stop(running)


def answers(port, running, patience=30.0):
    """Returns when the server answers over TLS."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    until = time.monotonic() + patience
    while True:
        if running.poll() is not None:
            raise RuntimeError(f"the server ended with status {running.returncode}")
        try:
            with socket.create_connection(("127.0.0.1", port), 2) as plain, trusting.wrap_socket(plain) as secure:
                secure.sendall(b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n")
                if b" 200 " in secure.recv(4096):
                    return
        except OSError:
            pass
        if time.monotonic() > until:
            raise RuntimeError("the server did not answer")
        time.sleep(0.05)


def ask(running, port, core, what, connections, seconds, path, warm):
    pids = ",".join(str(pid) for pid in process.tree(running.pid))
    status, out, err = process.run([CLIENT, port, pids, what, connections, seconds, path, warm], warm + seconds + 120, core)
    if status not in (0, 3):
        raise RuntimeError(err.strip()[:200] or f"the client ended with status {status}")
    result = json.loads(out)
    if status == 3 and seconds > 0:
        raise RuntimeError(f"{result['failed']} connections failed, {result['wrong']} replies were wrong")
    return result


def measured(result):
    if result["done"] == 0:
        raise RuntimeError("nothing was answered")
    return {"cpu_us": 1e6 * result["cpu"] / result["done"], "rate": result["done"] / result["seconds"],
            "for_each_cpu_second": result["done"] / result["cpu"], "load_busy": result["own_cpu"] / result["seconds"],
            "resumed": result["resumed"]}


def write(taken, output):
    taken["summary"] = report.summarise(taken["samples"])
    folder = Path(output).resolve() / time.strftime("tls-%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(taken, indent=1))
    (folder / "table.md").write_text(markdown(taken))
    return folder


def markdown(taken):
    summary, loads = taken["summary"], [load["name"] for load in taken["loads"]]
    servers = [s["name"] for s in taken["servers"] if s["name"] in summary]
    settings, conditions = taken["settings"], taken["conditions"]
    parts = [f"# TLS, {taken['began']}\n",
             f"{settings['rounds']} interleaved rounds of {settings['seconds']:.0f} s; server and load on a core each. {conditions['cpu']}, "
             f"{conditions['cores']} cores, {taken['openssl']}; load average {conditions['load_average_before'][0]:.1f} before. "
             "Medians, in brackets min to max.\n",
             report.table("Server CPU time, us", "For each handshake (FULL, RSA, RESUMED) or request.", ["server"] + loads,
                          [[s] + [report.ranged(summary[s].get(n), "cpu_us") for n in loads] for s in servers]),
             report.table("For each CPU second of the server", "Handshakes or requests.", ["server"] + loads,
                          [[s] + [report.ranged(summary[s].get(n), "for_each_cpu_second") for n in loads] for s in servers]),
             report.table("A second", "Handshakes or requests; the load may be the limit.", ["server"] + loads,
                          [[s] + [report.ranged(summary[s].get(n), "rate") for n in loads] for s in servers])]
    idle = [[s, report.ranged(summary[s].get(HOLD), "kib_each")] for s in servers if HOLD in summary[s]]
    if idle:
        parts.append(report.table("Memory", "KiB resident for each of 10,000 idle connections that made one request.", ["server", "KiB"], idle))
    compared = [[s, other] + [ratio(taken, s, other, n) for n in loads] for s in servers if s.startswith("needletail")
                for other in servers if not other.startswith("needletail") and same_kind(s, other)]
    parts.append(report.table("CPU time, ratios", "Of our server to another one within each round: their median, in brackets min to max.",
                              ["of", "to"] + loads, compared))
    troubles = [f"- {s}, {n}: {reason}" for s in servers for n, entry in summary[s].items() for reason in sorted(set(entry.get("failed", [])))]
    if troubles:
        parts.append("## What failed\n\n" + "\n".join(troubles) + "\n")
    parts.append("## Loads\n\n" + "\n".join(f"- {load['name']}: {load['title']}" for load in taken["loads"]) + "\n")
    return "\n".join(parts)


def same_kind(ours, other):
    return (other in ("floor-openssl", "nginx")) == ("native" in ours)


def ratio(taken, ours, other, load):
    def by_round(server):
        return {s["round"]: s["cpu_us"] for s in taken["samples"] if s["server"] == server and s["load"] == load and "cpu_us" in s}
    mine, theirs = by_round(ours), by_round(other)
    ratios = [mine[n] / theirs[n] for n in mine if n in theirs]
    return report.ratio((median(ratios), min(ratios), max(ratios))) if ratios else "–"
