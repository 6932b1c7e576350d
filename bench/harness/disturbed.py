"""The rows of bench/overload in which no request may be refused: other programs use the CPU, or all clients send at once."""

import os
import signal
import sys
import threading
import time
from contextlib import contextmanager

import asking
import process

SHARE = 0.3
MOST = 14000  # batches per second that this driver can send

# For each handler: (connections, requests per batch).
ASKED = {"cpu": ((64, 1), (16, 4)), "quick": ((64, 1), (75, 16)), "wait": ((200, 1),)}

BURSTS = {"cpu": 400, "wait": 2000, "quick": 2000, "/dispatcher": 2000}


def watched(serving, ours, run):
    """The result of `run`, with the CPU used by the server and by programs that are not part of this measurement."""
    servers = process.tree(serving.running.pid)
    pids = servers + [one.pid for one in ours] + [os.getpid()]
    known, server = sum(process.cpu_seconds(pids)), sum(process.cpu_seconds(servers))
    all_of_it, began = process.machine_seconds(), time.monotonic()
    result = run()
    seconds = time.monotonic() - began
    rest = process.machine_seconds() - all_of_it - (sum(process.cpu_seconds(pids)) - known)
    return {**result, "rest": max(0.0, rest) / seconds, "server": (sum(process.cpu_seconds(servers)) - server) / seconds}


@contextmanager
def calm(_serving):
    yield


@contextmanager
def neighbours(serving):
    """Two programs keep the server's core busy."""
    both = [process.start([sys.executable, "-c", "while True: pass"], serving.core) for _ in range(2)]
    time.sleep(0.3)
    try:
        yield both
    finally:
        for one in both:
            process.stop(one)


@contextmanager
def stopped(serving):
    """The server is stopped for 300 ms in every 2 s."""
    over = threading.Event()
    pids = process.tree(serving.running.pid)

    def all_of_them(number):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def stop_and_go():
        while not over.wait(1.7):
            all_of_them(signal.SIGSTOP)
            time.sleep(0.3)
            all_of_them(signal.SIGCONT)

    thread = threading.Thread(target=stop_and_go, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


DISTURBED = {"nobody": calm, "two busy neighbours": neighbours, "stopped 300 ms in 2 s": stopped}


def rows(serving, capacity, handlers, seconds, say):
    """`capacity`: requests per second of each handler. The server must be warm."""
    found = []
    for name, disturbed in DISTURBED.items():
        for handler in handlers:
            for connections, depth in ASKED[handler]:
                for kind in ("open", "closed"):
                    rate = min(SHARE * capacity[handler], MOST * depth)
                    asker = asking.Asker(serving.port, f"/{handler}", connections, depth)
                    try:
                        with disturbed(serving) as ours:
                            result = watched(serving, ours or [], lambda: getattr(asker, kind)(rate, seconds))
                    finally:
                        asker.close()
                    found.append({"by": name, "handler": handler, "loop": kind, "depth": depth, "rate": rate,
                                  "share": result["answered"] / result["seconds"] / capacity[handler], **result})
                    say(f"  {name}, {handler}, {kind}, {depth} at once: {result['answered']} answered, {result['refused']} refused "
                        f"{result['reasons'] or ''} p99 {result['p99_ms']:.0f} ms; "
                        f"rest of the machine {result['rest']:.2f} cores")
    return found


def bursts(serving, handlers, say, rounds=3):
    found = []
    for handler in handlers:
        count = BURSTS[handler]
        asker = asking.Asker(serving.port, f"/{handler}" if handler in ASKED else handler, count)
        try:
            for _ in range(rounds):
                time.sleep(1.0)
                asker.statuses.clear(), asker.reasons.clear(), asker.took.clear()
                result = watched(serving, [], asker.burst)
                found.append({"by": "a burst", "handler": handler, "loop": f"{count} at once", "depth": 1, "rate": 0, "share": 0, "rest": 0, "server": 0, **result})
                say(f"  {count} at once to {handler}: {result['refused']} refused {result['reasons'] or ''} in {result['seconds']:.2f} s")
        finally:
            asker.close()
    return found


def fine(row):
    return row["refused"] == 0 and row["other"] == 0


def table(found):
    lines = ["| platform | others | handler | loop | pipelined | of the capacity | answered | refused | p50, p99 ms | processors: server, rest of the machine | |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    for r in found:
        why = ", ".join(f"{n} {reason}" for reason, n in r["reasons"].items())
        lines.append(f"| {r['platform']} | {r['by']} | {r['handler']} | {r['loop']} | {r['depth']} | {r['share']:.2f} | {r['answered']} | "
                     f"{r['refused']} {why} | {r['p50_ms']:.1f}, {r['p99_ms']:.1f} | {r['server']:.2f}, {r['rest']:.2f} | {'as asked for' if fine(r) else '**not as asked for**'} |")
    return "\n".join(lines) + "\n"
