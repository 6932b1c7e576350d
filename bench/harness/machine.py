"""The machine: paths, installed JDKs and tools, and the conditions of a run."""

import glob
import os
import platform
import re
import resource
import shutil
import subprocess
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
WORK = BENCH / "work"
RESULTS = BENCH / "results"

JDK_PLACES = ["/usr/lib/jvm/*", "/opt/java/*", "/opt/jdk*", "/Library/Java/JavaVirtualMachines/*/Contents/Home",
              "~/.sdkman/candidates/java/*", "~/.jdks/*", "~/.cache/coursier/jvm/*"]


def jdks():
    """The JDKs found: feature version -> home. JAVA17_HOME, JAVA25_HOME and JAVA_HOME take precedence over the usual
    places."""
    found = {}
    named = [os.environ.get(name) for name in ("JAVA17_HOME", "JAVA25_HOME", "JAVA_HOME")]
    java = shutil.which("java")
    if java:
        named.append(str(Path(java).resolve().parent.parent))
    looked = [home for place in JDK_PLACES for home in sorted(glob.glob(os.path.expanduser(place)))]
    for home in [n for n in named if n] + looked:
        try:
            release = (Path(home) / "release").read_text(errors="replace")
        except OSError:
            continue
        version = re.search(r'JAVA_VERSION="(\d+)', release)
        if version and os.access(Path(home) / "bin" / "javac", os.X_OK):
            found.setdefault(int(version.group(1)), home)
    return found


def raise_descriptor_limit():
    """Ten thousand connections need as many descriptors, in this process and in the servers it starts."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def cores():
    """(server's core, load's core); the same core twice if there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[0], allowed[1] if len(allowed) > 1 else allowed[0]


def first_line(*command):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20, text=True)
        return done.stdout.strip().splitlines()[0]
    except (OSError, subprocess.TimeoutExpired, IndexError):
        return None


def conditions():
    cpu = None
    try:
        match = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
        cpu = match.group(1) if match else None
    except OSError:
        pass
    commit = first_line("git", "-C", str(ROOT), "rev-parse", "--short", "HEAD")
    return {
        "kernel": platform.release(),
        "cpu": cpu or platform.machine(),
        "cores": os.cpu_count(),
        "memory_mib": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20,
        "load_average_before": os.getloadavg(),
        "commit": commit,
        "jdks": {str(version): first_line(home + "/bin/java", "-version") for version, home in sorted(jdks().items())},
        "wrk": first_line("wrk", "-v"),
        "cc": first_line("cc", "--version"),
    }
