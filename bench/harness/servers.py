"""Finds, builds and starts the servers: Needletail from dist/bin, peers and floors from peers/*/peer.json."""

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

import machine
import probe
import process

# Seconds of load before anything is counted; runtimes with a JIT compiler need longest.
WARM = {"jvm": 10.0, "node": 5.0, "native": 2.0}


@dataclass
class Server:
    name: str
    kind: str                 # ours, peer or floor
    language: str
    runtime: str              # jvm, node or native: determines the warm-up
    endpoints: list
    folder: Path              # working directory
    command: list
    environment: dict = field(default_factory=dict)
    peer: str = ""            # the folder in peers/ that builds it
    needs: list = field(default_factory=list)
    configuration: str = ""
    problem: str = ""         # why it cannot be measured
    loops: int = 1            # with two loops, server and load share both cores
    tls: bool = False         # speaks TLS where TLS_CERT and TLS_KEY are in the environment
    variant: bool = False     # another configuration of a listed server; measured only if its name or kind is given
    recipe: tuple = ()        # ours: environment variables, and the sbt task that builds it

    def start(self, port, core, log, java_options=""):
        values = dict(os.environ, PORT=str(port), OUT=str(machine.WORK / self.peer), **self.environment)
        # Environment variables for other programs must not favour one server.
        values.pop("JAVA_TOOL_OPTIONS", None)
        values["JAVA_OPTIONS" if self.kind != "ours" else "JAVA_OPTS"] = java_options
        if self.kind != "ours":
            values.pop("JAVA_OPTS", None)
        command = [str(part).replace("{PORT}", str(port)) for part in self.command]
        figures = None
        if probe.FIRST.exists():
            figures = machine.WORK / f"first-{port}.txt"
            figures.unlink(missing_ok=True)
            command = [probe.FIRST, machine.cores()[1], port, figures, *command]
        return process.start(command, core, log, cwd=self.folder, env=values), figures


def find():
    """All servers, including those that lack a tool on this machine (`problem` names it)."""
    jdks = machine.jdks()
    found = ours(jdks)
    for description in sorted((machine.BENCH / "peers").glob("*/peer.json")):
        found.extend(peers(description, jdks))
    return found


def ours(jdks):
    folder = machine.ROOT / "dist" / "bin"
    arguments = ["--host", "127.0.0.1", "--port", "{PORT}", "--workers", "1"]
    endpoints = ["plaintext", "json", "echo"]
    found = []
    versions = [v for v in (17, 25) if v in jdks] or sorted(jdks)[-1:]
    for version in versions:
        home = jdks[version]
        found.append(Server(f"needletail-jvm-{version}", "ours", "Scala", "jvm", endpoints, machine.ROOT,
                            [folder / "reference", *arguments],
                            {"JAVA_HOME": home, "PATH": f"{home}/bin:{os.environ['PATH']}"}, needs=["java"]))
    if not versions:
        found.append(Server("needletail-jvm", "ours", "Scala", "jvm", endpoints, machine.ROOT, [], problem="no JDK found"))
    found.append(Server("needletail-native", "ours", "Scala Native", "native", endpoints, machine.ROOT,
                        [folder / "reference-native", *arguments]))
    native = found[-1]
    # Two loops on two cores compared to one: is anything shared on the request path?
    for one in (found[-2], found[-1]):
        found.append(replace(one, name=one.name + "-two-loops", command=[*one.command[:-1], "2"], loops=2, variant=True,
                             configuration="Ours with two loops; server and load share both cores."))
        # Does a request pay for other routes?
        for count in (1, 200):
            found.append(replace(one, name=f"{one.name}-routes-{count}", command=[*one.command, "--routes", str(count)],
                                 endpoints=["plaintext", "route"], variant=True,
                                 configuration=f"Ours with {count} typed routes more."))
    found.append(replace(native, name="needletail-native-io-uring", command=[*native.command, "--poller", "io_uring"],
                         variant=True, configuration="Ours waiting with io_uring instead of epoll."))
    found.append(replace(native, name="needletail-native-commix", command=[folder / "reference-native-commix", *arguments],
                         variant=True, recipe=({"SCALANATIVE_GC": "commix"}, "referenceNative/dist"),
                         configuration="Ours with the collector that marks and sweeps in threads of its own, instead of immix."))
    return found


def peers(description, jdks):
    about = json.loads(description.read_text())
    folder = description.parent
    on_jvm = "java" in about["needs"]
    environment, problem = {}, ""
    if on_jvm:
        at_least = about.get("java", 17)
        usable = [version for version in jdks if version >= at_least and version <= about.get("java_at_most", version)]
        if usable:
            home = jdks[max(usable)]
            environment = {"JAVA_HOME": home, "JAVA": f"{home}/bin/java"}
        else:
            problem = f"needs a JDK, {at_least} or later: not found"
    missing = [tool for tool in about["needs"] if tool != "java" and shutil.which(tool) is None]
    if missing:
        problem = "not found: " + ", ".join(missing)
    runtime = "jvm" if on_jvm else about.get("runtime", "native")
    for name, server in about["servers"].items():
        yield Server(name, about["kind"], about["language"], runtime, about["endpoints"], folder,
                     [folder / "start", *server.get("arguments", [])], environment, folder.name, about["needs"],
                     about["configuration"], problem, server.get("loops", 1), about.get("tls", False), server.get("variant", False))


def select(servers, names):
    """The servers selected by name, by the folder that builds them, or by kind (ours, floors, peers, all)."""
    if not names:
        return servers
    chosen = []
    for name in names:
        hits = [s for s in servers if name == "all" or name in (s.name, s.peer) or name.rstrip("s") == s.kind.rstrip("s")]
        hits = hits or [s for s in servers if s.name.startswith(name + "-") and not s.variant]
        hits = hits or [s for s in servers if s.name.startswith(name + "-")]
        if not hits:
            known = ", ".join(s.name for s in servers)
            raise SystemExit(f"bench/run: unknown server {name}; servers are {known}")
        chosen.extend(s for s in hits if s not in chosen)
    return chosen


def build(servers, say, patience=1500):
    """Builds each folder that has changed since its last build. A failed build keeps its reason and its log."""
    logs = machine.WORK / "logs"
    logs.mkdir(parents=True, exist_ok=True)
    build_ours([s for s in servers if s.kind == "ours"], say, logs, patience)
    outcome = {}
    for server in servers:
        if server.problem or not server.peer:
            continue
        if server.peer not in outcome:
            outcome[server.peer] = build_peer(server, say, logs, patience)
        server.problem = outcome[server.peer]


def build_ours(servers, say, logs, patience):
    recipes = {}
    for server in servers:
        if not server.problem and not Path(server.command[0]).exists():
            settings, task = server.recipe or ({}, "dist")
            command = " ".join([*(f"{key}={value}" for key, value in settings.items()), "./sbt", task])
            recipes.setdefault(command, (settings, task, []))[2].append(server)
    for command, (settings, task, absent) in recipes.items():
        say(f"building Needletail: {command}")
        failed = attempt(["./sbt", task], machine.ROOT, dict(os.environ, **settings), logs / "needletail.log", patience)
        for server in absent:
            if not Path(server.command[0]).exists():
                server.problem = f"{command} made no {Path(server.command[0]).name} ({failed or 'but exited with status 0'})"


def build_peer(server, say, logs, patience):
    out = machine.WORK / server.peer
    out.mkdir(parents=True, exist_ok=True)
    stamp, state = out / "built", fingerprint(server.folder)
    if stamp.exists() and stamp.read_text() == state:
        return ""
    say(f"building {server.peer}")
    failed = attempt(["./build"], server.folder, dict(os.environ, OUT=str(out), **server.environment),
                     logs / f"{server.peer}.log", patience)
    if failed:
        return f"failed to build: {failed}"
    stamp.write_text(state)
    return ""


def attempt(command, folder, environment, log, patience):
    """Runs a build. Returns the reason if it failed, or nothing."""
    with open(log, "w") as file:
        builder = process.start(command, None, file, cwd=folder, env=environment)
        try:
            status = builder.wait(patience)
        except subprocess.TimeoutExpired:
            return f"not done after {patience} s; see {log.relative_to(machine.ROOT)}"
        finally:
            process.stop(builder)
    if status == 0:
        return ""
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower()] or lines[-1:] or [f"status {status}"]
    return f"{telling[0].strip()[:160]}; see {log.relative_to(machine.ROOT)}"


def fingerprint(folder):
    """A hash of the folder's source files and of the files shared by all Maven peers."""
    digest = hashlib.sha256()
    parent = machine.BENCH / "peers" / "pom.xml"
    files = [f for f in sorted(folder.rglob("*")) if f.is_file() and not {"target", "node_modules"} & set(f.relative_to(folder).parts)]
    for file in files + ([parent] if (folder / "pom.xml").exists() else []):
        if file.suffix == ".lock" or file.name in ("go.sum", "package-lock.json", "peer.json"):
            continue
        digest.update(str(file.relative_to(machine.BENCH)).encode() + file.read_bytes())
    return digest.hexdigest()


def await_first_reply(server, port, core, log, java_options=""):
    """Starts the server. Returns (process, figures of its start)."""
    started, figures = server.start(port, core, log, java_options)
    try:
        return started, probe.first_reply(port, started, figures)
    except BaseException:
        process.stop(started)
        raise
    finally:
        if figures is not None:
            figures.unlink(missing_ok=True)
