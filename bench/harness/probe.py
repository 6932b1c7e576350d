"""Sends requests over a plain socket, to find when a server first answers, and whether it answers correctly."""

import json
import socket
import time

import machine

FIRST = machine.WORK / "first"  # start/first.c, which measures a start


class Wrong(Exception):
    """The server's response is not the one that the benchmark expects."""


def exchange(port, method="GET", path="/plaintext", body=b"", timeout=5.0):
    """Sends one request on a new connection. Returns (status, headers with names in lower case, body)."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n"
        if body:
            head += f"Content-Type: application/octet-stream\r\nContent-Length: {len(body)}\r\n"
        connection.sendall(head.encode() + b"\r\n")
        received = bytearray()
        connection.setblocking(False)
        deadline, at = time.monotonic() + timeout, 0
        # Write and read in turn: a streaming echo would otherwise wait for this client while this client waits for it.
        while True:
            if time.monotonic() > deadline:
                raise Wrong(f"no complete reply to {method} {path} within {timeout} s")
            idle = True
            if at < len(body):
                try:
                    at += connection.send(body[at:at + 65536])
                    idle = False
                except BlockingIOError:
                    pass
            try:
                piece = connection.recv(65536)
                if not piece:
                    break
                received += piece
                idle = False
            except BlockingIOError:
                pass
            reply = parse(received)
            if reply is not None:
                return reply
            if idle:
                time.sleep(0.0002)
    reply = parse(received, ended=True)
    if reply is None:
        raise Wrong(f"{method} {path}: the connection ended inside the reply")
    return reply


def parse(received, ended=False):
    head, separator, rest = bytes(received).partition(b"\r\n\r\n")
    if not separator:
        return None
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    status = int(lines[0].split()[1])
    if headers.get("transfer-encoding", "").lower() == "chunked":
        body = bytearray()
        while True:
            size, found, rest = rest.partition(b"\r\n")
            if not found:
                return None
            length = int(size.split(b";")[0], 16)
            if len(rest) < length + 2:
                return None
            if length == 0:
                return status, headers, bytes(body)
            body += rest[:length]
            rest = rest[length + 2:]
    if "content-length" in headers:
        length = int(headers["content-length"])
        return (status, headers, rest[:length]) if len(rest) >= length else None
    return (status, headers, rest) if ended else None


def first_reply(port, process, figures=None, timeout=60.0):
    """Waits until the server answers. Returns what FIRST wrote to the file `figures`: times in milliseconds, and page faults;
    nothing if there is no such file."""
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise Wrong(f"it exited with status {process.returncode} before it answered")
        if figures is None:
            try:
                exchange(port, timeout=5.0)
                return {}
            except (ConnectionError, Wrong, OSError):
                pass
        elif figures.exists() and figures.read_text().endswith("\n"):
            start_ms, cpu_ms, faults = figures.read_text().split()
            return {"start_ms": float(start_ms), "start_cpu_ms": float(cpu_ms), "start_faults": int(faults)}
        time.sleep(0.01)  # rarely: this may share the server's core
    raise Wrong(f"no reply within {timeout:.0f} s")


def check(port, endpoints):
    """What is wrong with each endpoint: name -> reason. Missing headers that would make a reply cheaper than those of others
    are errors."""
    wrong = {}
    for name in endpoints:
        try:
            if name == "plaintext":
                status, headers, body = exchange(port)
                expect(status == 200, f"status {status}")
                expect(body == b"Hello, World!", f"body {body[:40]!r}")
                expect(headers.get("content-type", "").startswith("text/plain"), "Content-Type is not text/plain")
                expect("date" in headers, "no Date")
            elif name == "json":
                status, headers, body = exchange(port, path="/json")
                expect(status == 200, f"status {status}")
                expect(json.loads(body) == {"message": "Hello, World!"}, f"body {body[:60]!r}")
                expect(headers.get("content-type", "").startswith("application/json"), "Content-Type is not application/json")
            elif name == "route":
                status, headers, body = exchange(port, path="/api/r100/42/item/pear?limit=10")
                expect(status == 200 and body == b"42 pear 10", f"status {status}, body {body[:40]!r}")
            elif name == "echo":
                for size in (1, 1024, 1 << 20):
                    sent = bytes(i * 31 % 251 for i in range(1024)) * (size // 1024) or b"x"
                    status, headers, body = exchange(port, "POST", "/echo", sent, timeout=10.0)
                    expect(status == 200, f"status {status} for {size} bytes")
                    expect(body == sent, f"echo of {len(sent)} bytes differs: {len(body)} bytes received")
        except (Wrong, OSError, ValueError) as reason:
            wrong[name] = str(reason) or type(reason).__name__
    return wrong


def expect(condition, reason):
    if not condition:
        raise Wrong(reason)
