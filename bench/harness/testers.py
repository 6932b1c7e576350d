"""The load testers of bench/load/compare: how each is started, and how its output is read.

A reader returns the number of good responses, and p50, p99 and p99.9 in milliseconds if the tester reports them."""

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Callable, NamedTuple, Optional

ROOT = Path(__file__).resolve().parent.parent.parent
WORK = Path(os.environ.get("NEEDLETAIL_TESTERS", ROOT / "bench/work/testers"))  # bin/, gatling/: testers that are not on the path
LOAD = ROOT / "bench/load"


class Load(NamedTuple):
    """The load: `rate` requests per second, or as many as possible if that is None."""
    url: str
    seconds: float
    connections: int
    rate: Optional[float] = None
    uneven: bool = False  # random intervals between arrivals, for testers that support it


class Result(NamedTuple):
    good: float
    p50: Optional[float] = None
    p99: Optional[float] = None
    p999: Optional[float] = None
    warm: Optional[float] = None  # good responses per second of CPU time in the second half


@dataclass
class Tester:
    """`command` gets the load and an empty folder for files; `read` gets the output and that folder."""
    name: str
    command: Callable
    read: Callable
    get: str  # how to install it
    keeps_rate: bool = True
    only_rate: bool = False
    missing: Callable = None  # why it cannot be used, if more than its program is needed

    def absent(self):
        """Why it cannot be used on this machine; None if it can."""
        if self.missing:
            return self.missing()
        return None if program(self.name) else "not installed"

    def does(self, load):
        return self.keeps_rate if load.rate else not self.only_rate


def program(name):
    """The path of a program: in bin/ if it is there, otherwise on the path."""
    return which(name, path=str(WORK / "bin")) or which(name)


class Unreadable(RuntimeError):
    """A tester's output does not have the expected format."""


def found(pattern, text):
    match = re.search(pattern, text)
    if match is None:
        raise Unreadable(f"its output has no {pattern}:\n{text[-1000:]}")
    return match.group(1)


# needletail-load

def ours(load, folder):
    how = ["--rate", f"{load.rate:g}", "--connections", load.connections] if load.rate else ["--users", load.connections]
    if load.uneven:
        how.append("--poisson")
    return [our_program(), "run", load.url, "--duration", f"{load.seconds:g}s", "--loops", "1", "--json", folder / "run.json",
            *how]


def our_program():
    return os.environ.get("NEEDLETAIL_LOAD", ROOT / "dist/bin/needletail-load")


def read_ours(_, folder):
    part = json.loads((folder / "run.json").read_text())["parts"][0]
    latency = part["summary"]["latencyMillis"]
    return Result(part["summary"]["good"], latency["p50"], latency["p99"], latency["p99.9"], steady(part["run"]["intervals"]))


def steady(intervals):
    """Good responses per second of CPU time in the second half of a run, as counted by the tester itself."""
    half = [i for i in intervals if i["lengthMillis"] == 1000][len(intervals) // 2:]
    good = sum(kind["outcomes"].get("good", 0) for i in half for kind in i["kinds"])
    cpu = sum(i["self"]["cpu"] for i in half)
    return good / cpu if cpu > 0 else None


# wrk, wrk2

def wrk(load, _):
    return [program("wrk"), "-t1", f"-c{load.connections}", f"-d{load.seconds:g}s", "--latency", load.url]


def wrk2(load, _):
    return [program("wrk2"), "-t1", f"-c{load.connections}", f"-d{load.seconds:g}s", f"-R{load.rate:g}", "--latency",
            load.url]


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[unit]


def read_wrk(out, _):
    def at(percent):
        match = re.search(rf"\n\s*{percent}%\s+(\S+)", out)
        return milliseconds(match.group(1)) if match else None
    wrong = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    good = int(found(r"(\d+) requests in", out)) - (int(wrong.group(1)) if wrong else 0)
    return Result(good, at(r"50(?:\.000)?"), at(r"99(?:\.000)?"), at(r"99\.900"))


# ab, h2load, hey

def ab(load, _):
    return [program("ab"), "-q", "-k", "-c", load.connections, "-t", f"{load.seconds:g}", "-n", 100_000_000, load.url]


def read_ab(out, _):
    good = int(found(r"Complete requests:\s+(\d+)", out)) - int(found(r"Failed requests:\s+(\d+)", out))
    return Result(good, float(found(r"\n\s+50%\s+(\d+)", out)), float(found(r"\n\s+99%\s+(\d+)", out)))


def h2load(load, _):
    return [program("h2load"), "--h1", "-t1", f"-c{load.connections}", "-D", f"{load.seconds:g}", load.url]


def read_h2load(out, _):
    return Result(int(found(r"(\d+) succeeded", out)))


def hey(load, _):
    # -q is per connection, and late requests are not made up for
    rate = ["-q", f"{load.rate / load.connections:g}"] if load.rate else []
    return [program("hey"), "-cpus", "1", "-c", load.connections, "-z", f"{load.seconds:g}s", *rate, load.url]


def read_hey(out, _):
    def at(percent):  # some versions print an additional sign
        return 1e3 * float(found(rf"\n\s+{percent}%+ in ([\d.]+) secs", out))
    return Result(int(found(r"\[200\]\s+(\d+) responses", out)), at(50), at(99))


# oha, vegeta, k6

def oha(load, _):
    rate = ["-q", f"{load.rate:g}", "--latency-correction"] if load.rate else []
    return [program("oha"), "--no-tui", "--output-format", "json", "-c", load.connections, "-z", f"{load.seconds:g}s", *rate,
            load.url]


def read_oha(out, _):
    answer = json.loads(out)
    latency = answer["latencyPercentiles"]
    return Result(answer["statusCodeDistribution"].get("200", 0), *(1e3 * latency[p] for p in ("p50", "p99", "p99.9")))


def vegeta(load, folder):
    (folder / "targets").write_text(f"GET {load.url}\n")
    # rate 0: as fast as this many workers can
    attack = [program("vegeta"), "attack", "-targets", "targets", "-rate", f"{load.rate or 0:g}", "-duration",
              f"{load.seconds:g}s", "-workers", load.connections, "-max-workers", load.connections, "-connections",
              load.connections]
    # The attack is piped to the report, as in vegeta's documentation; both are counted.
    return ["sh", "-c", 'cd "$1" && shift && "$@" | "$0" report -type json', program("vegeta"), folder, *attack]


def read_vegeta(out, _):
    answer = json.loads(out)
    latency = answer["latencies"]
    return Result(answer["status_codes"].get("200", 0), latency["50th"] / 1e6, latency["99th"] / 1e6)


def k6(load, folder):
    return [program("k6"), "run", "--quiet", "--summary-export", folder / "k6.json", "--summary-trend-stats",
            "p(50),p(99),p(99.9)", "-e", f"URL={load.url}", "-e", f"USERS={load.connections}", "-e",
            f"SECONDS={load.seconds:g}", "-e", f"RATE={load.rate or 0:g}", LOAD / "k6.js"]


def read_k6(_, folder):
    metrics = json.loads((folder / "k6.json").read_text())["metrics"]
    latency = metrics["http_req_duration"]
    failed = metrics["http_req_failed"]["passes"]  # passes of the metric "failed" are failures
    return Result(metrics["http_reqs"]["count"] - failed, *(latency[f"p({p})"] for p in ("50", "99", "99.9")))


# Gatling

GATLING = "io.gatling.highcharts:gatling-charts-highcharts:3.13.5"


def gatling(load, folder):
    classes = gatling_classes()
    # The report has the percentiles but costs CPU time; if only speed is measured, it is left out.
    # With one core Gatling hangs, so it is told there are two; it stays pinned to one.
    return ["java", "-XX:ActiveProcessorCount=2", "--add-opens=java.base/java.lang=ALL-UNNAMED", f"-Durl={load.url}", f"-Dseconds={load.seconds:g}",
            f"-Dusers={load.connections}", f"-Drate={load.rate or 0:g}", "-cp", f"{classes}:{WORK}/gatling/lib/*",
            "io.gatling.app.Gatling", "-s", "Plaintext", "-rf", folder, *([] if load.rate else ["-nr"])]


def gatling_classes():
    """The simulation, compiled if it is newer than its classes, without Gatling's debug logging."""
    source, classes = LOAD / "gatling/Plaintext.java", WORK / "gatling/classes"
    made = classes / "Plaintext.class"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["javac", "-cp", f"{WORK}/gatling/lib/*", "-d", classes, source], check=True)
        (classes / "logback.xml").write_text('<configuration><root level="OFF"/></configuration>\n')
    return classes


def read_gatling(out, _):
    def ok(name):  # the columns are total, OK and KO
        return found(rf"> {name}\s+\|\s+[\d,.-]+\s+\|\s+([\d,.]+)\s+\|(?![\s\S]*> {name})", out).replace(",", "")
    if "Global Information" not in out:
        return Result(int(ok("Global")))
    return Result(int(ok("Global")), *(float(ok(rf"response time {nth} percentile \(ms\)")) for nth in ("50th", "99th")))


def gatling_absent():
    if not which("javac"):
        return "needs a JDK on the path"
    return None if list(WORK.glob("gatling/lib/gatling-app-*.jar")) else "not installed"


def ours_absent():
    return None if which(str(our_program())) else "not built"


# In `get`, BIN stands for bench/work/testers/bin.
TESTERS = [
    Tester("needletail-load", ours, read_ours, "./sbt dist", missing=ours_absent),
    Tester("wrk", wrk, read_wrk, "apt-get install wrk", keeps_rate=False),
    Tester("wrk2", wrk2, read_wrk, "git clone https://github.com/giltene/wrk2, make, and copy wrk to BIN/wrk2",
           only_rate=True),
    Tester("ab", ab, read_ab, "apt-get install apache2-utils", keeps_rate=False),
    Tester("h2load", h2load, read_h2load, "apt-get install nghttp2-client", keeps_rate=False),
    Tester("hey", hey, read_hey, "GOBIN=BIN go install github.com/rakyll/hey@latest"),
    Tester("oha", oha, read_oha, "cargo install oha --locked --root BIN/.."),
    Tester("vegeta", vegeta, read_vegeta, "GOBIN=BIN go install github.com/tsenart/vegeta/v12@v12.12.0"),
    Tester("k6", k6, read_k6, "GOBIN=BIN go install go.k6.io/k6@latest"),
    Tester("gatling", gatling, read_gatling, f"bench/load/gatling/get ({GATLING}, with Maven)", missing=gatling_absent),
]
