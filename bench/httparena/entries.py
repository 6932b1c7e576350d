"""The servers: Needletail's program on both platforms, and entries of the board that are built from its sources."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import machine

HERE = Path(__file__).resolve().parent
WORK = machine.WORK / "httparena"

# What its Dockerfile gives the virtual machine.
QUARKUS = ["-server", "-XX:+UseParallelGC", "-XX:+UseNUMA", "-XX:-StackTraceInThrowable",
           *(f"-D{name}" for name in ("io.netty.buffer.checkBounds=false", "io.netty.buffer.checkAccessible=false",
                                      "vertx.disableURIValidation=true", "vertx.disableHttpHeadersValidation=true",
                                      "vertx.disableMetrics=true", "vertx.disableH2c=true", "vertx.disableWebsockets=true",
                                      "vertx.threadChecks=false", "vertx.disableContextTimings=true"))]

# How an entry's Dockerfile builds and starts it, without the image.
BOARD = {
    "actix": {
        "build": ["cargo", "build", "--release", "--quiet"],
        "environment": {"RUSTFLAGS": "-C target-cpu=native"},
        "start": ["target/release/httparena-actix"],
    },
    "quarkus-jvm": {
        "build": ["mvn", "-q", "-B", "package", "-DskipTests"],
        "java": 25,
        "start": ["{JAVA}", *QUARKUS, "-jar", "target/quarkus-app/quarkus-run.jar"],
    },
    "spring-boot": {
        "build": ["mvn", "-q", "-B", "package", "-DskipTests"],
        "java": 25,
        "start": ["{JAVA}", "-jar", "target/spring-boot-0.0.1-SNAPSHOT.jar"],
    },
    "helidon-production": {
        "build": ["mvn", "-q", "-B", "package", "-DskipTests"],
        "java": 25,
        "start": ["{JAVA}", "-jar", "target/helidon-httparena-production.jar"],
    },
}


@dataclass
class Server:
    name: str
    entry: Path              # the folder with its meta.json
    command: list            # without the options that say where the board's files are
    is_ours: bool
    on_jvm: bool = False
    build: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    problem: str = ""

    @property
    def tests(self):
        return json.loads((self.entry / "meta.json").read_text())["tests"]


def ours():
    """Needletail's program as `./sbt httparenaJVM/dist httparenaNative/dist` leaves it."""
    found = {}
    jdks = machine.jdks()
    newest = max(jdks) if jdks else 0
    for name, program in (("jvm", "httparena"), ("native", "httparena-native")):
        path = machine.ROOT / "dist" / "bin" / program
        task = f"httparena{'JVM' if name == 'jvm' else 'Native'}/dist"
        server = Server(name, HERE / "entry" / f"needletail{'' if name == 'jvm' else '-native'}", [str(path)], True,
                        name == "jvm", environment={"JAVA_HOME": jdks[newest]} if name == "jvm" and newest else {})
        if not path.exists():
            server.problem = f"there is no dist/bin/{program}: ./sbt {task}"
        found[name] = server
    return found


def of_board(arena):
    """Entries of the board. They read the board's files at their places in a container: see `rooted`."""
    found = {}
    jdks = machine.jdks()
    for name, recipe in BOARD.items():
        folder = WORK / name
        java = f"{jdks[max(jdks)]}/bin/java" if jdks else "java"
        server = Server(name, arena / "frameworks" / name, [part.replace("{JAVA}", java) for part in recipe["start"]], False,
                        "java" in recipe, recipe["build"], dict(recipe.get("environment", {})))
        if server.on_jvm and jdks:
            server.environment["JAVA_HOME"] = jdks[max(jdks)]
        server.command[0] = server.command[0] if server.on_jvm else str(folder / server.command[0])
        if not server.entry.is_dir():
            server.problem = "the checkout has no such entry"
        elif shutil.which(server.build[0]) is None:
            server.problem = f"{server.build[0]} is not installed"
        elif server.on_jvm and max(jdks, default=0) < recipe["java"]:
            server.problem = f"needs a JDK, {recipe['java']} or later"
        found[name] = server
    return found


def build(server):
    """Builds an entry of the board in a copy of its folder, once."""
    if server.is_ours or server.problem:
        return
    folder, stamp = WORK / server.name, WORK / f"{server.name}.built"
    if stamp.exists():
        return
    print(f"building {server.name}", flush=True)
    shutil.copytree(server.entry, folder, dirs_exist_ok=True)
    with open(WORK / f"{server.name}.log", "w") as log:
        done = subprocess.run(server.build, cwd=folder, stdout=log, stderr=subprocess.STDOUT,
                              env={**os.environ, **server.environment})
    if done.returncode == 0:
        stamp.touch()
    else:
        server.problem = f"cannot be built: see {log.name}"


def command(server, arena, workers=None):
    """The command that starts a server with the board's files, and its folder."""
    if server.is_ours:
        files = ["--dataset", arena / "data" / "dataset.json", "--static", arena / "data" / "static",
                 "--cert", arena / "certs" / "server.crt", "--key", arena / "certs" / "server.key"]
        return [*server.command, *files, *(["--workers", str(workers)] if workers else [])], machine.ROOT
    return [sys.executable, HERE / "rooted.py", arena, *server.command], WORK / server.name
