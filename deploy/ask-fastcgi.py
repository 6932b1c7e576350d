#!/usr/bin/env python3
"""Sends one request to a FastCGI program and prints the response, as a web server would get it.

    deploy/ask-fastcgi.py PORT-OR-SOCKET /path
"""
import socket
import struct
import sys


def record(kind, content):
    return struct.pack(">BBHHBB", 1, kind, 1, len(content), 0, 0) + content


def pair(name, value):
    return struct.pack(">II", len(name) | 1 << 31, len(value) | 1 << 31) + name.encode() + value.encode()


def main():
    where, path = sys.argv[1:3]
    if where.isdigit():
        connection = socket.create_connection(("127.0.0.1", int(where)), 10)
    else:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(where)
    connection.settimeout(10)
    variables = {
        "REQUEST_METHOD": "GET",
        "REQUEST_URI": path,
        "SCRIPT_NAME": path,
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SERVER_NAME": "localhost",
    }
    params = b"".join(pair(name, value) for name, value in variables.items())
    connection.sendall(
        record(1, struct.pack(">HB5x", 1, 0)) + record(4, params) + record(4, b"") + record(5, b"")
    )
    stream = connection.makefile("rb")
    while True:
        header = stream.read(8)
        if len(header) < 8:
            sys.exit("the connection ended before the response was complete")
        _, kind, _, length, padding, _ = struct.unpack(">BBHHBB", header)
        content = stream.read(length + padding)[:length]
        if kind == 6:
            sys.stdout.buffer.write(content)
        elif kind == 7:
            sys.stderr.buffer.write(content)
        elif kind == 3:
            sys.exit(0 if content[4] == 0 else f"protocol status {content[4]}")


main()
