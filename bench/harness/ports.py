"""Curl in endless loops against the counter, with few local ports: the rate over time, and what limits it.

The counter is `dist/bin/counter-native`, or `dist/bin/counter` if that has not been built. Needs curl and ip, and runs in
a network namespace of its own (unshare --net), so that the machine's settings stay as they are; that needs an
administrator.
"""

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from datetime import datetime
from xml.sax.saxutils import escape

import machine
import process
import programs

PORT, FIRST = 8080, 40000
URL = f"http://127.0.0.1:{PORT}/dispatcher"
LOAD = programs.DIST / "needletail-load"
HELD = 60  # seconds in TIME_WAIT, a constant of Linux


def main():
    chosen = argparse.ArgumentParser(prog="bench/ports", description=__doc__)
    chosen.add_argument("--seconds", type=int, default=150, help="of curl in loops (150)")
    chosen.add_argument("--ports", type=int, default=1500, help="local ports (1500)")
    chosen.add_argument("--loops", type=int, default=30, help="loops of curl at the same time (30)")
    chosen.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = chosen.parse_args()
    if options.inside:
        return measure(options, counter())
    programs.need("bench/ports", "curl", "unshare", "ip", LOAD, counter())
    limits = (f"ip link set lo up && echo '{FIRST} {FIRST + options.ports - 1}' > /proc/sys/net/ipv4/ip_local_port_range && "
              "echo 0 > /proc/sys/net/ipv4/tcp_tw_reuse")
    if subprocess.run(["unshare", "--net", "sh", "-c", limits], stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit("bench/ports: a network namespace (unshare --net) is not permitted here")
    again = [sys.executable, os.path.abspath(__file__), *sys.argv[1:], "--inside"]
    os.execvp("unshare", ["unshare", "--net", "sh", "-c", limits + ' && exec "$@"', "sh", *again])


def counter():
    """The server: the native program if it has been built, otherwise that of the JVM."""
    native = programs.DIST / "counter-native"
    return native if native.exists() else programs.DIST / "counter"


def measure(options, program):
    server = process.start([program, "--port", PORT], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(server)
        good, bad, held = curl(options)
        report(options, good, bad, held, generator())
    finally:
        process.stop(server, patience=20)


def wait_for(server):
    for _ in range(300):
        if subprocess.run(["curl", "-s", "-o", os.devnull, "-m", "2", URL]).returncode == 0:
            return
        if server.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("bench/ports: the server does not answer")


def curl(options):
    """By second: requests that were answered, those that were not, and sockets in TIME_WAIT."""
    good, bad, held = Counter(), Counter(), {}
    begin, end = time.monotonic(), time.monotonic() + options.seconds

    def loop():
        while time.monotonic() < end:
            code = subprocess.run(["curl", "-s", "-o", os.devnull, "-m", "10", URL]).returncode
            (bad if code else good)[int(time.monotonic() - begin)] += 1

    threads = [threading.Thread(target=loop) for _ in range(options.loops)]
    for thread in threads:
        thread.start()
    for second in range(options.seconds):
        time.sleep(max(0, begin + second + 1 - time.monotonic()))
        held[second] = time_wait()
        if second % 10 == 9:
            recent = sum(good[s] for s in range(second - 9, second + 1)) / 10
            print(f"{second + 1:4} s: {recent:6.0f} answered/s, {held[second]} of {options.ports} ports held", flush=True)
    for thread in threads:
        thread.join()
    return good, bad, held


def time_wait():
    with open("/proc/net/sockstat") as lines:
        for line in lines:
            if line.startswith("TCP:"):
                return int(line.split()[line.split().index("tw") + 1])
    return 0


def generator():
    """What needletail-load says here, while the ports are still held."""
    command = [str(LOAD), "run", URL, "--no-keep-alive", "--rate", "500", "--duration", "10s"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return f"$ needletail-load {' '.join(command[1:])}\n{done.stdout}"


def report(options, good, bad, held, said):
    folder = machine.RESULTS / f"ports-{datetime.now():%Y%m%d-%H%M%S}"
    folder.mkdir(parents=True)
    seconds = range(options.seconds)
    rows = [f"{s},{good[s]},{bad[s]},{held[s]}" for s in seconds]
    (folder / "seconds.csv").write_text("second,answered,failed,time_wait\n" + "\n".join(rows) + "\n")
    (folder / "chart.svg").write_text(draw(options, good, held))
    (folder / "needletail-load.txt").write_text(said)
    total = sum(good.values())
    print(f"\n{total} answered in {options.seconds} s, {total / options.seconds:.0f}/s; {sum(bad.values())} failed. "
          f"{options.ports} ports, each held for {HELD} s, allow {options.ports / HELD:.0f}/s.\n\n{said}\nin {folder}")


def draw(options, good, held, width=760, height=300, left=56, right=56, top=44, bottom=40):
    inner, tall = width - left - right, height - top - bottom
    highest = max([good[s] for s in range(options.seconds)] + [1]) * 1.1

    def line(values, most, colour):
        points = " ".join(f"{left + inner * s / max(1, options.seconds - 1):.1f},{top + tall * (1 - min(1, v / most)):.1f}"
                          for s, v in enumerate(values))
        return f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='1.6'/>"

    def text(x, y, words, more=""):
        return f"<text x='{x}' y='{y}' {more}>{escape(words)}</text>"

    parts = [text(left, 18, f"{options.loops} endless loops of curl, {options.ports} local ports, each held for {HELD} s after use", "font-weight='bold'"),
             text(left, 34, "answered per second", "fill='#0b6e4f'"),
             text(width - right, 34, "ports held (TIME_WAIT)", "fill='#c0392b' text-anchor='end'")]
    for share in (0, 0.5, 1):
        y = top + tall * (1 - share)
        parts += [f"<line x1='{left}' y1='{y}' x2='{width - right}' y2='{y}' stroke='#ddd'/>",
                  text(left - 6, y + 4, f"{highest * share:.0f}", "text-anchor='end'"),
                  text(width - right + 6, y + 4, f"{options.ports * share:.0f}")]
    for second in range(0, options.seconds + 1, 30):
        x = left + inner * second / options.seconds
        parts += [f"<line x1='{x}' y1='{top}' x2='{x}' y2='{top + tall}' stroke='#eee'/>",
                  text(x, height - bottom + 18, f"{second} s", "text-anchor='middle'")]
    parts += [line([held[s] for s in range(options.seconds)], options.ports, "#c0392b"),
              line([good[s] for s in range(options.seconds)], highest, "#0b6e4f")]
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' font-size='11'>"
            f"<rect width='100%' height='100%' fill='white'/>{''.join(parts)}</svg>\n")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    process.exit_with(main)
