"""An HTTP client for the rows of bench/overload that count refusals: batches of requests, in an open or a closed loop, or all at
once. It counts statuses and reasons, at rates that one Python thread can drive."""

import re
import select
import socket
import time
from collections import Counter

_STATUS = re.compile(rb"HTTP/1\.1 (\d{3}) ")
_REASON = re.compile(rb"Overload-Reason: ([a-z_]+)")
_LENGTH = re.compile(rb"\r\nContent-Length: (\d+)\r\n", re.I)


class Asker:
    """A number of connections to one server, each with at most one batch of requests in flight."""

    def __init__(self, port, path, connections, depth=1):
        self.batch = (f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n" * depth).encode()
        self.depth = depth
        self.whole = 0  # length of a batch of answers of which each has status 200
        self.epoll = select.epoll()
        self.sockets, self.left, self.unread, self.asked_at = {}, {}, {}, {}
        self.statuses, self.reasons, self.took = Counter(), Counter(), []
        for _ in range(connections):
            s = socket.create_connection(("127.0.0.1", port), 10)
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            s.setblocking(False)
            self.epoll.register(s.fileno(), select.EPOLLIN)
            self.sockets[s.fileno()] = s
        self.free = list(self.sockets)

    def ask(self, fd, due):
        self.left[fd], self.unread[fd], self.asked_at[fd] = self.depth, b"", due
        self.sockets[fd].send(self.batch)

    def take(self, timeout, answered):
        """Reads available input and calls `answered` with each connection whose batch is complete."""
        for fd, _ in self.epoll.poll(max(0.0, timeout)):
            data = self.sockets[fd].recv(1 << 18)
            if not data:
                raise RuntimeError("the server closed a connection")
            data = self.unread[fd] + data
            size = len(data) if self.left[fd] == self.depth and data.count(b"HTTP/1.1 200 ") == self.depth else 0
            if size > 0 and size == self.whole:
                self.statuses[200] += self.depth
                self.left[fd], data = 0, b""
            while self.left[fd] > 0:
                end = data.find(b"\r\n\r\n") + 4
                if end < 4:
                    break
                head = data[:end]
                end += int(_LENGTH.search(head).group(1))
                if len(data) < end:
                    break
                status = int(_STATUS.match(head).group(1))
                self.statuses[status] += 1
                if status == 503:
                    reason = _REASON.search(head)
                    self.reasons[reason.group(1).decode() if reason else "unknown"] += 1
                self.left[fd] -= 1
                data = data[end:]
            self.unread[fd] = data
            if self.left[fd] == 0 and not data and size > 0:
                self.whole = size
            if self.left[fd] == 0:
                self.took.append(time.monotonic() - self.asked_at[fd])
                answered(fd)

    def open(self, rate, seconds):
        """Batches are due at fixed times. A batch that finds no free connection waits for one, and the wait counts."""
        began, number, waiting, step = time.monotonic(), 0, [], self.depth / rate

        def answered(fd):
            if waiting:
                self.ask(fd, waiting.pop(0))
            else:
                self.free.append(fd)

        while True:
            now = time.monotonic()
            if now - began >= seconds:
                break
            while (due := began + number * step) <= now:
                number += 1
                if self.free:
                    self.ask(self.free.pop(), due)
                else:
                    waiting.append(due)
            self.take(began + number * step - now, answered)
        self.drain(answered, lambda: waiting or len(self.free) < len(self.sockets))
        return self.result(time.monotonic() - began)

    def closed(self, rate, seconds):
        """Each connection sends a batch, waits for it, and sends the next at its own fixed times, or at once if that time is past."""
        began, every, under_way = time.monotonic(), self.depth * len(self.sockets) / rate, set()
        due = sorted((began + every * i / len(self.sockets), fd) for i, fd in enumerate(self.sockets))

        def answered(fd):
            under_way.discard(fd)
            due.append((max(time.monotonic(), self.asked_at[fd] + every), fd))
            due.sort()

        while (now := time.monotonic()) - began < seconds:
            while due and due[0][0] <= now:
                at, fd = due.pop(0)
                under_way.add(fd)
                self.ask(fd, now)
            self.take(min(due[0][0] if due else now + 1, began + seconds) - now, answered)
        self.drain(answered, lambda: under_way)
        return self.result(time.monotonic() - began)

    def burst(self):
        """Every connection sends one batch, all at the same time."""
        began, under_way = time.monotonic(), set(self.sockets)
        for fd in self.sockets:
            self.ask(fd, time.monotonic())
        self.drain(under_way.discard, lambda: under_way)
        return self.result(time.monotonic() - began)

    def drain(self, answered, more):
        end = time.monotonic() + 20
        while more():
            if time.monotonic() > end:
                raise RuntimeError("responses are missing after 20 s")
            self.take(0.1, answered)

    def result(self, seconds):
        took = sorted(self.took)
        return {"answered": sum(self.statuses.values()), "refused": self.statuses[503], "reasons": dict(self.reasons),
                "other": sum(n for s, n in self.statuses.items() if s not in (200, 503)), "seconds": seconds,
                "p50_ms": took[len(took) // 2] * 1000, "p99_ms": took[len(took) * 99 // 100] * 1000, "max_ms": took[-1] * 1000}

    def close(self):
        for s in self.sockets.values():
            s.close()
        self.epoll.close()
