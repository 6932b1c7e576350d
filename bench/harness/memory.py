"""Clients that each send a body but for its last byte, to `dist/bin/payment` on a JVM with a small heap, or to
`dist/bin/payment-native` with one; and others, which must be served meanwhile.

Fails if the server ends, holds more than it may, or does not answer a small request. Takes about as long as `--seconds`
says.
"""

import argparse
import collections
import os
import resource
import selectors
import signal
import socket
import subprocess
import sys
import time

import machine
import programs

BODY = 1024 * 1024
LIMIT = 20  # seconds that anything may take


def main():
    chosen = argparse.ArgumentParser(prog="bench/memory", description=__doc__)
    chosen.add_argument("--clients", type=int, default=4000, help="clients that send most of a body (4000)")
    chosen.add_argument("--heap", default="64m", help="the most memory for objects (64m)")
    chosen.add_argument("--native", action="store_true", help="the native program, instead of the JVM")
    chosen.add_argument("--workers", type=int, default=2, help="event loops (2)")
    chosen.add_argument("--seconds", type=int, default=30, help="for which others are served beside (30)")
    options = chosen.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < options.clients + 100:
        sys.exit(f"bench/memory: no more than {hard} descriptors are allowed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server, port, admin = start(options)
    try:
        sys.exit(measure(options, server, port, admin))
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGTERM)
            try:
                server.wait(LIMIT)
            except subprocess.TimeoutExpired:
                server.kill()


def start(options):
    program = machine.ROOT / ("dist/bin/payment-native" if options.native else "dist/bin/payment")
    heap = {"GC_MAXIMUM_HEAP_SIZE": options.heap} if options.native else {"JAVA_OPTS": f"-Xmx{options.heap}"}
    programs.need("bench/memory", program)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        admin = free.getsockname()[1]
    server = subprocess.Popen(
        [str(program), "--port", "0", "--workers", str(options.workers), "--admin", str(admin)],
        env=dict(os.environ, **heap), stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()  # listening on http://127.0.0.1:PORT
    if not line.startswith("listening on "):
        server.kill()
        sys.exit(f"bench/memory: the server does not start: {line}")
    return server, int(line.strip().rstrip("/").rsplit(":", 1)[1]), admin


def post(size):
    amount = b'{"amount": 5}'
    head = f"POST /payments HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
    return head.encode() + amount + b" " * (size - len(amount))


class Slow:
    """One of the clients that send all but the last byte."""

    request = memoryview(post(BODY))[:-1]

    def __init__(self, port, selector):
        self.sent, self.status, self.selector = 0, None, selector
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024)
        self.socket.connect_ex(("127.0.0.1", port))
        selector.register(self.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, self)

    def act(self, ready):
        try:
            if ready & selectors.EVENT_READ:
                answer = self.socket.recv(4096)
                self.end(answer[9:12].decode() if answer.startswith(b"HTTP/1.1 ") else "end")
            elif self.sent < len(self.request):
                self.sent += self.socket.send(self.request[self.sent:self.sent + 65536])
            else:
                self.selector.modify(self.socket, selectors.EVENT_READ, self)
        except BlockingIOError:
            pass
        except OSError:
            self.end("reset")

    def end(self, status):
        self.status = status
        self.selector.unregister(self.socket)
        self.socket.close()


def ask(port, request):
    """The status, or why there is none, and how long it took in seconds."""
    began = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), LIMIT) as client:
            client.settimeout(LIMIT)
            try:
                client.sendall(request)
            except OSError:
                pass  # refused before all of it was sent
            answer = client.recv(4096)
        status = answer[9:12].decode() if answer else "end"
    except OSError as e:
        status = type(e).__name__
    return status, time.monotonic() - began


def held(admin):
    """Bytes that are held, and that may be."""
    text = b""
    with socket.create_connection(("127.0.0.1", admin), LIMIT) as client:
        client.settimeout(LIMIT)
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        while more := client.recv(65536):
            text += more
    def total(name):
        return sum(float(line.split()[-1]) for line in text.decode().splitlines() if line.startswith(name + "{"))
    return total("needletail_held_bytes"), total("needletail_held_bytes_max")


OTHERS = {  # and the answers that each may get
    "GET": (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", {"404"}),
    "POST of 1 kB": (post(1000), {"200"}),
    "POST of 200 kB": (post(200000), {"200", "503"}),
}


def measure(options, server, port, admin):
    for request, _ in OTHERS.values():
        ask(port, request)  # its code is loaded
    selector = selectors.DefaultSelector()
    slow = [Slow(port, selector) for _ in range(options.clients)]
    answers = {name: [] for name in OTHERS}
    most, may, end, due = 0, 0, time.monotonic() + options.seconds, 0
    try:
        while time.monotonic() < end and server.poll() is None:
            for key, ready in selector.select(0.01):
                key.data.act(ready)
            if time.monotonic() >= due:
                due = time.monotonic() + 0.1
                for name, (request, allowed) in OTHERS.items():
                    answers[name].append(ask(port, request))
                    if answers[name][-1][0] not in allowed:
                        end = 0
                now, may = held(admin)
                most = max(most, now)
    except OSError as e:
        print(f"the server does not tell what it holds: {e}")
        return 1
    faults = []
    if options.native and server.poll() is None:
        with open(f"/proc/{server.pid}/status") as status:
            print("resident memory: " + next(line.split(":")[1].strip() for line in status if line.startswith("VmHWM")) + " at most")
    if server.poll() is not None:
        faults.append(f"the server has ended with status {server.returncode}")
    if most > may:
        faults.append("more was held than may be")
    sent = sum(client.sent for client in slow)
    statuses = collections.Counter(client.status or "none yet" for client in slow)
    print(f"{options.clients} clients, {'native, ' if options.native else ''}a heap of {options.heap}, {options.workers} loops, {options.seconds} s")
    print(f"held at most {most / 1e6:.1f} of {may / 1e6:.1f} MB; {sent / 1e6:,.0f} MB were sent; answers: "
          + ", ".join(f"{count} × {status}" for status, count in statuses.most_common()))
    for name, (_, allowed) in OTHERS.items():
        found = collections.Counter(status for status, _ in answers[name])
        times = sorted(took for _, took in answers[name]) or [0]
        print(f"{name}: " + ", ".join(f"{count} × {status}" for status, count in found.most_common())
              + f"; {times[len(times) // 2] * 1000:.1f} ms in the median, {times[-1] * 1000:.0f} ms at most")
        if not set(found) <= allowed:
            faults.append(f"{name}: not only {' and '.join(sorted(allowed))}")
    for fault in faults:
        print(f"FAULT: {fault}")
    return 1 if faults else 0


main()
