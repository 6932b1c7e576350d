"""Starts, watches and stops processes. Only processes started here are ever stopped: each leads a session of its own, and its
group is signalled by the id it got at its start."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)
_alive = []


def free_port():
    """A port that was free just before."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command, core=None, log=None, **options):
    """Starts a process, pinned to one core or to several. It is killed when this process exits, for whatever reason."""
    def prepare():
        if core is not None:
            os.sched_setaffinity(0, core if isinstance(core, set) else {core})
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if log is not None:
        options.update(stdout=log, stderr=subprocess.STDOUT)
    process = subprocess.Popen([str(part) for part in command], preexec_fn=prepare, start_new_session=True,
                               stdin=subprocess.DEVNULL, **options)
    _alive.append(process)
    return process


def stop(process, patience=5.0):
    """Sends SIGTERM to the process group, and SIGKILL after `patience` seconds."""
    try:
        for number, wait in ((signal.SIGTERM, patience), (signal.SIGKILL, 5.0)):
            if process.poll() is None:
                os.killpg(process.pid, number)
                try:
                    process.wait(wait)
                except subprocess.TimeoutExpired:
                    continue
        # The leader has been waited for; other processes of its group may still run.
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    if process in _alive:
        _alive.remove(process)


def stop_all():
    for process in list(_alive):
        stop(process, patience=1.0)


def exit_with(main):
    """Runs a program's `main`, stops every process that it left, also after Ctrl-C, and exits with its status."""
    try:
        status = main()
    except KeyboardInterrupt:
        status = 130
    finally:
        stop_all()
    sys.exit(status)


def run(command, timeout, core=None, heard=None, **options):
    """Runs a command. Returns (exit status, standard output, standard error). RuntimeError after `timeout` seconds. `heard` is
    called with each line of standard error when it comes, on another thread."""
    process = start(command, core, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    listener, lines = None, []
    if heard is not None:
        listener = threading.Thread(target=_listen, args=(process.stderr, lines, heard), daemon=True)
        process.stderr = None  # so that communicate leaves it to the listener
        listener.start()
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{Path(str(command[0])).name} did not finish within {timeout:.0f} s") from None
    finally:
        stop(process, patience=0.5)
    if listener is not None:
        listener.join()
    return process.returncode, out, err if listener is None else "".join(lines)


def _listen(source, lines, heard):
    with source:
        for line in source:
            lines.append(line)
            heard(line.rstrip("\n"))


def tree(pid):
    """The process and all its descendants."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found.extend(int(child) for child in task.read_text().split())
            except OSError:
                pass
    return found


def cpu_seconds(pids):
    """(user, system) of all threads, including those that have ended. The sum is exact to a tick; the kernel samples the split."""
    user = system = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        user += int(fields[11]) / _TICK
        system += int(fields[12]) / _TICK
    return user, system


def machine_seconds():
    """CPU time of all programs on all cores since the machine started."""
    fields = [int(value) for value in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts = fields[:7]
    return (user + nice + system + interrupts + soft_interrupts) / _TICK


def resident_kib(pids):
    total = 0
    for pid in pids:
        try:
            for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                if line.startswith("VmRSS:"):
                    total += int(line.split()[1])
        except OSError:
            continue
    return total
