"""bench/run: builds what is missing, measures servers in interleaved rounds, and writes results.json, a table and a chart."""

import argparse
import json
import os
import signal
import subprocess
import sys
import time

import inspection
import loads
import machine
import merging
import probe
import process
import report
import secured
import servers as catalogue

QUICK_BUDGET = 270.0  # seconds for everything measured by --quick
QUICK_SERVERS = ["needletail-jvm", "needletail-native", "netty-nio", "netty-epoll", "rapidoid", "hyper", "floor-epoll", "floor-nio"]
STARTS, STARTING_MS = 5, 1500.0  # a server is started in a round until one of these is reached
SHORT_SECONDS, SHORT_PAUSE = 2.0, 0.0  # --short: counted and uncounted seconds of each load


def say(text):
    print(text, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="bench/run", description="Measures HTTP servers side by side on this machine.")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="a server (netty-nio), a folder of peers/ (netty), or ours, floors, peers; default: all")
    parser.add_argument("--quick", action="store_true", help="one round of P1, JSON and P16 on a few servers; under 5 minutes")
    parser.add_argument("--short", action="store_true",
                        help="every server, three rounds of " + ",".join(loads.SHORT) + ", 2 s each; about 40 minutes")
    parser.add_argument("--rounds", type=int, help="number of rounds; default: 3, with --quick 1")
    parser.add_argument("--loads", help="loads, measured in the given order: " + ",".join(load.name for load in loads.LOADS) + "; default: all")
    parser.add_argument("--seconds", type=float, help="counted seconds of each load; default: 5, with --short 2")
    parser.add_argument("--warm", type=float, help="factor on the usual warm-up; default: 1")
    parser.add_argument("--java-options", default="", help="options for every JVM server; default: none")
    parser.add_argument("--inspect", action="store_true",
                        help="instead: count system calls per request, and bytes allocated per request by JVMs")
    parser.add_argument("--tls", action="store_true",
                        help="instead: over TLS, handshakes and requests, beside a C loop over OpenSSL, nginx, Netty and Vert.x")
    parser.add_argument("--list", action="store_true", help="list the servers, and what they need")
    parser.add_argument("--merge", nargs="+", metavar="FOLDER",
                        help="instead: make one table from several runs; of two equal measurements the last one named counts")
    parser.add_argument("--output", default=str(machine.RESULTS), help="folder for results; default: bench/results")
    return parser.parse_args()


def main():
    options = arguments()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # even if started in the background, where it is ignored
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    signal.signal(signal.SIGHUP, lambda *_: sys.exit(129))
    if options.merge:
        return show(merging.merged(options.merge), options)
    found = catalogue.find()
    if options.list:
        for server in found:
            print(f"{server.name:24} {server.language:14} {server.problem or server.configuration or 'ours'}")
        return 0
    if options.tls:
        return secured.run(found, options, say)
    names = options.names or (QUICK_SERVERS if options.quick else [])
    chosen = catalogue.select(found, names)
    if options.short and not options.names:
        chosen = [server for server in chosen if "route" not in server.endpoints]  # only for ROUTE
    machine.raise_descriptor_limit()
    unavailable = loads.build(say)
    catalogue.build(chosen, say)
    lost = [server for server in chosen if server.problem]
    for server in lost:
        say(f"NOT MEASURED: {server.name}: {server.problem}")
    ready = [server for server in chosen if not server.problem]
    if not ready:
        say("bench/run: none of the servers can be measured")
        return 1
    if options.inspect:
        return inspection.run(ready, options, say)
    wanted = chosen_loads(options, unavailable)
    return measure(chosen, ready, wanted, options)


def chosen_loads(options, unavailable):
    usual = loads.QUICK if options.quick else loads.SHORT if options.short else list(loads.BY_NAME)
    names = [name.strip().upper() for name in options.loads.split(",")] if options.loads else usual
    unknown = [n for n in names if n not in loads.BY_NAME]
    if unknown:
        raise SystemExit(f"bench/run: unknown load {', '.join(unknown)}; loads are {', '.join(loads.BY_NAME)}")
    wanted = [loads.BY_NAME[name] for name in dict.fromkeys(names)]
    if unavailable:
        left_out = [load.name for load in wanted if loads.tool_of(load) == "load"]
        if left_out:
            say(f"NOT MEASURED: {', '.join(left_out)}: {unavailable}")
        wanted = [load for load in wanted if load.name not in left_out]
    return wanted


def plan(ready, wanted, options):
    """(rounds, counted seconds of each load, factor on the warm-up, uncounted seconds before each load)."""
    rounds = options.rounds or (1 if options.quick else 3)
    seconds, warm = options.seconds or (SHORT_SECONDS if options.short else 5.0), options.warm or 1.0
    if options.quick and not (options.seconds or options.warm):
        while needed(ready, wanted, rounds, seconds, warm, 2 * warm) > QUICK_BUDGET and seconds > 2:
            seconds -= 1
        while needed(ready, wanted, rounds, seconds, warm, 2 * warm) > QUICK_BUDGET and warm > 0.5:
            warm -= 0.1
    return rounds, seconds, warm, (SHORT_PAUSE if options.short else 2.0) * warm


def needed(ready, wanted, rounds, seconds, warm, pause):
    """The approximate duration of the run in seconds."""
    def of(server):
        own = [load for load in wanted if load.endpoint in server.endpoints]
        timed = [load for load in own if load.mode != "hold"]
        return (max(catalogue.WARM[server.runtime] * warm, len(timed)) + sum(load.longer * seconds + pause + 0.3 for load in timed)
                + 2.0 * (len(own) - len(timed)) + (2.5 if server.runtime == "jvm" else 1.0))
    return rounds * sum(of(server) for server in ready)


def measure(chosen, ready, wanted, options):
    rounds, seconds, warm, pause = plan(ready, wanted, options)
    say(f"{len(ready)} servers, {rounds} rounds of {', '.join(load.name for load in wanted)}: about "
        f"{needed(ready, wanted, rounds, seconds, warm, pause) / 60:.0f} minutes")
    server_core, load_core = machine.cores()
    run = {
        "began": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "conditions": machine.conditions(),
        "settings": {"rounds": rounds, "seconds": seconds, "warm_up_factor": warm, "server_core": server_core, "load_core": load_core,
                     "java_options": options.java_options},
        "loads": [{"name": load.name, "title": load.title, "tool": loads.tool_of(load)} for load in wanted],
        "servers": [describe(server) for server in chosen],
        "samples": [],
    }
    if server_core == load_core:
        say("only one core: server and load share it")
    began = time.monotonic()
    stopped = None
    try:
        for number in range(1, rounds + 1):
            for server in ready:
                if not server.problem:
                    one_round(run, server, wanted, number, seconds, warm, pause, options)
    except (KeyboardInterrupt, SystemExit) as interrupted:
        stopped = interrupted
        say("interrupted; stopping all servers")
    finally:
        process.stop_all()
    run["took_seconds"] = round(time.monotonic() - began, 1)
    run["conditions"]["load_average_after"] = os.getloadavg()
    if run["samples"]:
        run["servers"] = [describe(server) for server in chosen]
        show(run, options)
    if stopped is not None:
        return 130
    return 0 if all(not server.problem for server in chosen) else 4


def show(run, options):
    folder = report.write(run, options.output)
    print((folder / "table.md").read_text())
    say(f"in {folder}: results.json, table.md, chart.svg")
    return 0


def describe(server):
    return {"name": server.name, "kind": server.kind, "language": server.language, "configuration": server.configuration,
            "endpoints": server.endpoints, "problem": server.problem}


def with_others(running, measurement):
    """The sample, with the number of cores that other programs kept busy meanwhile."""
    def own():
        ended, here = os.times(), process.cpu_seconds(process.tree(running.pid))
        return sum(here) + ended.children_user + ended.children_system + ended.user + ended.system
    began, everything, ours = time.monotonic(), process.machine_seconds(), own()
    sample = measurement()
    others = process.machine_seconds() - everything - (own() - ours)
    return {**sample, "others_busy": max(0.0, others / (time.monotonic() - began))}


def one_round(run, server, wanted, number, seconds, warm, pause, options):
    """Measures one newly started server: start to first reply, then every load."""
    server_core, load_core = machine.cores()
    if server.loops > 1:
        server_core = load_core = {server_core, load_core}
    logs = machine.WORK / "logs"
    say(f"round {number}: {server.name}")
    running = None
    with open(logs / f"{server.name}.run.log", "w") as log:
        try:
            took, starts = 0.0, 0
            while True:  # several times if it is quick
                port = process.free_port()
                running, start = catalogue.await_first_reply(server, port, server_core, log, options.java_options)
                took, starts = took + start.get("start_ms", 0.0), starts + 1
                if start:
                    run["samples"].append({"server": server.name, "round": number, "load": "START", **start})
                if starts == STARTS or took > STARTING_MS or not start:
                    break
                process.stop(running)
                running = None
            wrong = probe.check(port, server.endpoints)
            # Warm up with all loads before any is counted: otherwise the first would pay for code that the JVM compiles for the next.
            own = [load for load in wanted if load.mode != "hold" and load.endpoint in server.endpoints and load.endpoint not in wrong]
            for load in own:
                loads.warm_up(load, port, load_core, catalogue.WARM[server.runtime] * warm / len(own))
            for load in wanted:
                if load.endpoint not in server.endpoints:
                    continue
                sample = {"server": server.name, "round": number, "load": load.name}
                if load.endpoint in wrong:
                    sample["failed"] = f"/{load.endpoint}: {wrong[load.endpoint]}"
                else:
                    try:
                        sample.update(with_others(running, lambda: loads.measure(load, port, running, load_core, pause, seconds)))
                    except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as reason:
                        sample["failed"] = str(reason)[:300]
                if running.poll() is not None:
                    sample["failed"] = f"the server ended with status {running.returncode}"
                run["samples"].append(sample)
                say("  " + report.in_short(sample))
                if running.poll() is not None:
                    break
        except (probe.Wrong, OSError) as reason:
            server.problem = f"{reason}; see bench/work/logs/{server.name}.run.log"
            say(f"NOT MEASURED: {server.name}: {server.problem}")
        finally:
            if running is not None:
                process.stop(running)


if __name__ == "__main__":
    process.exit_with(main)
