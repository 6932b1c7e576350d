"""Stands in for docker where the board's validate.sh calls it: `docker run` starts CONTAINER_PROGRAM, with the mounted files
as options; `docker rm` ends it. What is not needed for that is an error, so that nothing passes unseen."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

STATE = Path(os.environ["CONTAINER_STATE"])

# Where the program is told what the board mounts.
OPTIONS = {
    "/data/dataset.json": lambda place: ["--dataset", place],
    "/data/static": lambda place: ["--static", place],
    "/certs": lambda place: ["--cert", f"{place}/server.crt", "--key", f"{place}/server.key"],
}


def start(arguments):
    options = ["--static", "/none", "--cert", "/none"]
    for flag, value in zip(arguments, arguments[1:]):
        if flag == "-v":
            source, target = value.split(":")[:2]
            options += OPTIONS[target](source)
    log = open(f"{STATE}.log", "ab")
    process = subprocess.Popen([os.environ["CONTAINER_PROGRAM"], *options], stdin=subprocess.DEVNULL, stdout=log,
                               stderr=log)
    STATE.write_text(str(process.pid))
    print(process.pid)


def runs(pid):
    """Whether the process is there, and more than a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def end():
    """Ends the program, as its container's stop would, and waits until it is gone."""
    if not STATE.exists():
        return
    pid = int(STATE.read_text())
    STATE.unlink()
    for number in (signal.SIGTERM, signal.SIGKILL):
        if runs(pid):
            os.kill(pid, number)
        deadline = time.monotonic() + 10
        while runs(pid) and time.monotonic() < deadline:
            time.sleep(0.05)


def main():
    what = sys.argv[1:2]
    if what == ["run"]:
        start(sys.argv[2:])
    elif what == ["rm"]:
        end()
    elif what == ["build"]:
        print("no image is built")
    elif what == ["network"]:
        pass
    else:
        sys.exit(f"container.py stands in for docker run, rm and build, not for: {' '.join(sys.argv[1:])}")


main()
