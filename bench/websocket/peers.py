#!/usr/bin/env python3
"""Many WebSockets of one program: what each costs in memory, and what a broadcast costs. See README.md."""

import argparse
import os
import re
import resource
import select
import socket
import struct
import subprocess
import sys
import time

TICK = os.sysconf("SC_CLK_TCK")


class Program:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        line = self.process.stdout.readline()
        found = re.search(r"http://[^ ]*:(\d+)", line)
        if not found:
            raise SystemExit(f"{command[0]} says: {line}")
        self.port = int(found.group(1))

    def rss(self):
        with open(f"/proc/{self.process.pid}/smaps_rollup") as file:
            return int(re.search(r"^Rss:\s+(\d+)", file.read(), re.M).group(1)) * 1024

    def processor_seconds(self):
        """(all, in user mode)"""
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK, int(fields[11]) / TICK

    def live_heap(self):
        """Bytes after a full collection; None unless it is a virtual machine."""
        if "java" not in os.path.basename(os.readlink(f"/proc/{self.process.pid}/exe")):
            return None
        text = subprocess.run(["jcmd", str(self.process.pid), "GC.class_histogram"], capture_output=True, text=True)
        total = re.search(r"^Total\s+\d+\s+(\d+)", text.stdout, re.M)
        return int(total.group(1)) if total else None

    def open(self, path, deflate):
        peer = socket.create_connection(("127.0.0.1", self.port))
        fields = [f"GET {path} HTTP/1.1", f"Host: localhost:{self.port}", "Upgrade: websocket", "Connection: Upgrade",
                  "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]
        if deflate:
            fields.append("Sec-WebSocket-Extensions: permessage-deflate")
        peer.sendall(("\r\n".join(fields) + "\r\n\r\n").encode())
        answer = b""
        while b"\r\n\r\n" not in answer:
            piece = peer.recv(4096)
            if not piece:
                raise SystemExit(f"refused: {answer.decode()}")
            answer += piece
        if b" 101 " not in answer:
            raise SystemExit(f"refused: {answer.decode()}")
        return peer

    def end(self):
        self.process.terminate()
        self.process.wait()


def hold(program, args):
    """Each has echoed a message, then is idle."""

    def one():
        peer = program.open("/ws", args.deflate)
        peer.sendall(b"\x81\x85\0\0\0\0hello")
        if not peer.recv(100):
            raise SystemExit("no echo")
        return peer

    peers = [one() for _ in range(200)]
    time.sleep(2)
    before, heap = program.rss(), program.live_heap()
    peers += [one() for _ in range(args.count)]
    time.sleep(3)
    each = (program.rss() - before) / args.count
    live = "" if heap is None else f", live heap {(program.live_heap() - heap) / args.count:.0f} bytes each"
    print(f"{args.count} idle: RSS {each:.0f} bytes each{live}")


def broadcast(program, args):
    peers = [program.open("/news", False) for _ in range(args.count)]
    poll, by_number = select.epoll(), {}
    for peer in peers[1:]:
        peer.setblocking(False)
    for peer in peers:
        poll.register(peer.fileno(), select.EPOLLIN)
        by_number[peer.fileno()] = peer
    frame = b"\x82\xfe" + struct.pack(">H", args.size) + b"\0\0\0\0" + b"x" * args.size

    def one():
        peers[0].sendall(frame)
        left = args.count * (args.size + 4)
        while left > 0:
            for number, _ in poll.poll(20):
                left -= len(by_number[number].recv(65536))

    for _ in range(args.messages // 3):
        one()
    before, user_before = program.processor_seconds()
    for _ in range(args.messages):
        one()
    after, user_after = program.processor_seconds()
    sent = args.messages * args.count
    print(f"{args.count} members, {args.size} bytes: {(after - before) * 1e6 / sent:.2f} us of CPU each, "
          f"{(user_after - user_before) * 1e6 / sent:.2f} of them in user mode")


def main():
    parser = argparse.ArgumentParser(description=__doc__, usage="peers.py WHAT [options] -- PROGRAM [options]")
    parser.add_argument("what", choices=["hold", "broadcast"])
    parser.add_argument("--count", type=int, default=10000, help="WebSockets (10000)")
    parser.add_argument("--size", type=int, default=1024, help="bytes of a message, 126 to 60000 (1024)")
    parser.add_argument("--messages", type=int, default=30, help="that are broadcast (30)")
    parser.add_argument("--deflate", action="store_true", help="agree on permessage-deflate")
    own, _, command = " ".join(sys.argv[1:]).partition(" -- ")
    args, command = parser.parse_args(own.split()), command.split()
    if not command:
        parser.error("which program? Give it after --")
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    if limit < args.count + 300:
        raise SystemExit(f"{limit} descriptors are too few (ulimit -n)")
    program = Program(command)
    try:
        (hold if args.what == "hold" else broadcast)(program, args)
    finally:
        program.end()


main()
