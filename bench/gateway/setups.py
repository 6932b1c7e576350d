"""The setups: the processes that each starts, their order, and how to tell when they are ready."""

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import process  # bench/harness
import programs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BIN = ROOT / "dist" / "bin"
os.environ["PATH"] += ":/usr/sbin:/usr/local/sbin"

# prefork, 250 workers
PREFORK = "StartServers 250\nMinSpareServers 250\nMaxSpareServers 250\nMaxRequestWorkers 250\nServerLimit 250\n"
ROOTLY = os.geteuid() == 0


@dataclass
class Setup:
    name: str
    title: str
    needs: list               # commands and files it needs
    start: object             # (folder) -> (processes, URL)

    def problem(self):
        for need in self.needs:
            if not (Path(need).exists() if "/" in str(need) else shutil.which(need)):
                return programs.message(need)
        return ""


def setups():
    apache, front = shutil.which("apache2") or "apache2", BIN / "cgihost-native"
    rows = [
        Setup("apache-cgi-python", "Apache prefork, Python by CGI", [apache], lambda f: apache_cgi(f, "python")),
        Setup("apache-cgi-native", "Apache prefork, native by CGI", [apache, BIN / "reference-native"],
              lambda f: apache_cgi(f, "native")),
        Setup("apache-cgi-c", "Apache prefork, C by CGI", [apache, "cc"], lambda f: apache_cgi(f, "c")),
    ]
    # Needletail behind each server, in each way in which that server can hold connections.
    for name, title in ("native", "native"), ("jvm", "JVM"):
        program = BIN / ("reference-native" if name == "native" else "reference")
        for server, label, needs, start in (
                ("apache", "Apache", apache, apache_fastcgi), ("nginx", "nginx", "nginx", nginx_fastcgi)):
            for end, how, kept in ("", "kept connections", True), ("-each", "a connection each", False):
                rows.append(Setup(f"{server}-fastcgi-{name}{end}", f"{label}, {title} by FastCGI, {how}", [needs, program],
                                  lambda f, start=start, program=program, kept=kept: start(f, ours(program), kept)))
        rows.append(Setup(f"needletail-fastcgi-{name}-multiplexed", f"Needletail, {title} by FastCGI, multiplexed",
                          [front, program], lambda f, program=program: needletail_fastcgi(f, front, program)))
    return rows + [
        Setup("nginx-fastcgi-go", "nginx, Go by FastCGI, a connection each", ["nginx", "go"],
              lambda f: nginx_fastcgi(f, golang, False)),
        Setup("nginx-fastcgi-go-kept", "nginx, Go by FastCGI, kept connections", ["nginx", "go"],
              lambda f: nginx_fastcgi(f, golang, True)),
        Setup("functions-each", "Functions, a process for each request", [front, BIN / "reference-native"],
              lambda f: functions(f, front, "/cgi-bin")),
        Setup("functions-kept", "Functions, kept processes", [front, BIN / "reference-native"],
              lambda f: functions(f, front, "/functions")),
        Setup("native", "Needletail alone, native", [BIN / "reference-native"], lambda f: alone(f, BIN / "reference-native")),
        Setup("jvm", "Needletail alone, JVM", [BIN / "reference"], lambda f: alone(f, BIN / "reference")),
        Setup("node", "Node.js", ["node"], node),
        Setup("go", "Go net/http", ["go"], go_alone),
    ]


# programs

def ours(program):
    return lambda folder, port: spawn(
        folder, [program, "--fastcgi", f"127.0.0.1:{port}", "--no-overload-control"], port)


def golang(folder, port):
    binary = folder / "go-fastcgi"
    subprocess.run(["go", "build", "-o", binary, "."], cwd=HERE / "programs" / "go", check=True)
    return spawn(folder, [binary], port, PORT=str(port))


def alone(folder, program):
    port = process.free_port()
    return [spawn(folder, [program, "--port", port, "--no-overload-control"], port)], f"http://127.0.0.1:{port}/plaintext"


def node(folder):
    port = process.free_port()
    script = ROOT / "bench" / "peers" / "node" / "server.js"
    started = spawn(folder, ["node", script], port, PORT=str(port), NODE_ENV="production")
    return [started], f"http://127.0.0.1:{port}/plaintext"


def go_alone(folder):
    port, source = process.free_port(), ROOT / "bench" / "peers" / "go"
    subprocess.run(["go", "build", "-o", folder / "nethttp", "./nethttp"], cwd=source, check=True)
    started = spawn(folder, [folder / "nethttp"], port, PORT=str(port), GOMAXPROCS="1")
    return [started], f"http://127.0.0.1:{port}/plaintext"


# servers in front

def apache_cgi(folder, kind):
    scripts = folder / "cgi-bin"
    scripts.mkdir()
    script = scripts / "program"
    path = ""
    if kind == "python":
        shutil.copy(HERE / "programs" / "hello.py", script)
    elif kind == "c":
        subprocess.run(["cc", "-O2", "-o", script, HERE / "programs" / "hello.c"], check=True)
    else:
        shutil.copy(BIN / "reference-native", script)
        path = "/plaintext"
    script.chmod(0o755)
    modules = ["mpm_prefork", "authz_core", "alias", "cgi"]
    started, port = apache(folder, modules, PREFORK + f"ScriptAlias /cgi-bin/ {scripts}/\n")
    return [started], f"http://127.0.0.1:{port}/cgi-bin/program{path}"


def apache_fastcgi(folder, program, kept):
    behind = process.free_port()
    app = program(folder, behind)
    reuse = "on" if kept else "off"
    modules = ["mpm_event", "authz_core", "proxy", "proxy_fcgi"]
    started, port = apache(folder, modules, f"ProxyPass / fcgi://127.0.0.1:{behind}/ enablereuse={reuse}\n")
    return [started, app], f"http://127.0.0.1:{port}/plaintext"


def apache(folder, modules, more):
    port = process.free_port()
    load = "".join(f"LoadModule {m}_module /usr/lib/apache2/modules/mod_{m}.so\n" for m in modules)
    user = "User nobody\nGroup nogroup\n" if ROOTLY else ""
    (folder / "apache.conf").write_text(
        f"ServerRoot {folder}\nPidFile {folder}/pid\nDefaultRuntimeDir {folder}\nMutex file:{folder} default\n"
        f"ErrorLog {folder}/error.log\nServerName localhost\nListen 127.0.0.1:{port}\nKeepAlive On\n"
        f"MaxKeepAliveRequests 0\n{load}{user}DocumentRoot {folder}\n"
        f"<Directory />\n Require all granted\n</Directory>\n{more}")
    return spawn(folder, ["apache2", "-DFOREGROUND", "-f", folder / "apache.conf"], port), port


def nginx_fastcgi(folder, program, kept):
    behind, port = process.free_port(), process.free_port()
    app = program(folder, behind)
    temporary = "".join(f" {k}_temp_path {folder}/{k};\n" for k in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"{'user root;' if ROOTLY else ''}\nworker_processes auto;\ndaemon off;\npid {folder}/pid;\n"
        f"error_log {folder}/error.log;\nevents {{ worker_connections 4096; }}\nhttp {{\n access_log off;\n{temporary}"
        f" keepalive_requests 1000000;\n"
        f" upstream program {{ server 127.0.0.1:{behind};{' keepalive 64;' if kept else ''} }}\n"
        f" server {{ listen 127.0.0.1:{port} backlog=4096; location / {{ include /etc/nginx/fastcgi_params;"
        f" fastcgi_pass program;{' fastcgi_keep_conn on;' if kept else ''} }} }}\n}}\n")
    front = spawn(folder, ["nginx", "-e", f"{folder}/error.log", "-c", folder / "nginx.conf"], port)
    return [front, app], f"http://127.0.0.1:{port}/plaintext"


def needletail_fastcgi(folder, front, program):
    """Only needletail.gateway.host puts several requests on one connection: 64, since the other setups keep 64 connections."""
    behind, port = process.free_port(), process.free_port()
    app = ours(program)(folder, behind)
    started = spawn(folder, [front, "--port", port, "--behind", f"127.0.0.1:{behind}", "--multiplex", "64",
                             "--no-overload-control"], port)
    return [started, app], f"http://127.0.0.1:{port}/plaintext"


def functions(folder, front, path):
    """One folder of programs, served in both ways by the host: a process for each request, or two that are kept."""
    programs, port = folder / "functions", process.free_port()
    programs.mkdir()
    shutil.copy(BIN / "reference-native", programs / "function")
    started = spawn(folder, [front, "--port", port, "--programs", programs, "--functions", programs, "--workers", "2",
                             "--processes", "250", "--no-overload-control"], port)
    return [started], f"http://127.0.0.1:{port}{path}/function/plaintext"


def spawn(folder, command, port, **environment):
    """Starts a process in a session of its own, and returns when it listens."""
    log = open(folder / f"{Path(str(command[0])).name}.log", "w")
    started = process.start(command, log=log, cwd=folder, env=dict(os.environ, **environment))
    end = time.monotonic() + 30
    while time.monotonic() < end and started.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", int(port)), 1).close()
            return started
        except OSError:
            time.sleep(0.05)
    process.stop(started)
    raise RuntimeError(f"{command[0]} does not start listening; see {log.name}")
