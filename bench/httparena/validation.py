"""Runs the board's own validate.sh, with a stand-in for docker that starts the program itself (container.py)."""

import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import entries
import process

HERE = Path(__file__).resolve().parent

# Why a profile is not in our meta.json.
MISSING = {
    "async-db": "needs an asynchronous client of Postgres",
    "crud": "needs an asynchronous client of Postgres",
    "api-4": "needs an asynchronous client of Postgres",
    "api-16": "needs an asynchronous client of Postgres",
    "baseline-h2": "needs HTTP/2",
    "static-h2": "needs HTTP/2",
    "baseline-h2c": "needs HTTP/2",
    "json-h2c": "needs HTTP/2",
    "baseline-h3": "needs HTTP/3",
    "static-h3": "needs HTTP/3",
    "gateway-64": "needs Postgres, and a proxy with HTTP/2",
    "gateway-h3": "needs Postgres, and a proxy with HTTP/3",
    "production-stack": "needs Postgres, Redis, and a proxy with HTTP/2",
    "unary-grpc": "needs gRPC",
    "unary-grpc-tls": "needs gRPC",
    "stream-grpc": "needs gRPC",
    "stream-grpc-tls": "needs gRPC",
}


def run(arena, servers):
    """The exit status: 0 if each check of each server that could be made has passed."""
    failures = 0
    for server in servers:
        print(f"=== {server.name} ===", flush=True)
        print("SKIPPED: building the image (docker build) and starting it: there is no container; "
              "the program that was built here is started instead")
        for profile in profiles(arena):
            if profile not in server.tests:
                print(f"SKIPPED: {profile}: {MISSING.get(profile, 'not in meta.json, for no known reason')}")
        if server.problem:
            print(f"FAILED: {server.name}: {server.problem}")
            failures += 1
        elif validate(arena, server) != 0:
            print(f"FAILED: {server.name}")
            failures += 1
        sys.stdout.flush()
    return 1 if failures else 0


def profiles(arena):
    """The names of the board's profiles, in its order."""
    text = (arena / "scripts" / "lib" / "profiles.sh").read_text()
    return re.search(r"PROFILE_ORDER=\(([^)]*)\)", text).group(1).split()


def validate(arena, server):
    """Runs validate.sh in a folder that looks like a checkout with our entry in it."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        for folder in ("scripts", "frameworks", "bin"):
            (place / folder).mkdir()
        for script in (arena / "scripts").iterdir():
            (place / "scripts" / script.name).symlink_to(script)
        for folder in ("data", "certs"):
            (place / folder).symlink_to(arena / folder)
        entry = server.entry.name
        (place / "frameworks" / entry).symlink_to(server.entry)
        stand_in = place / "bin" / "docker"
        stand_in.write_text(f"#!/bin/sh\nexec {sys.executable} {HERE / 'container.py'} \"$@\"\n")
        stand_in.chmod(0o755)
        environment = {**os.environ, **server.environment, "PATH": f"{place / 'bin'}:{os.environ['PATH']}",
                       "CONTAINER_STATE": str(place / "state"), "CONTAINER_PROGRAM": server.command[0]}
        status = shown(["bash", place / "scripts" / "validate.sh", entry], place, environment)
        log = place / "state.log"
        if status != 0 and log.exists():
            print("--- what the program printed\n" + log.read_text(errors="replace")[-4000:])
        return status


def shown(command, folder, environment):
    """Runs a command and prints what it prints. Ends what it leaves behind: validate.sh has a watchdog that sleeps on."""
    running = process.start(command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def show():
        for line in running.stdout:
            print(line, end="", flush=True)

    reader = threading.Thread(target=show)
    reader.start()
    try:
        return running.wait()
    finally:
        process.stop(running)
        reader.join()
