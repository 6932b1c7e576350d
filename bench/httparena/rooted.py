"""Replaces itself by a program for which /data and /certs are those of a checkout of HttpArena: HTTPARENA COMMAND...

The program gets a mount namespace and a root directory of its own, in which everything else is where it was; for other
programs nothing changes. Needs root."""

import ctypes
import os
import sys
from pathlib import Path

CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE = 0x20000, 0x1000, 0x4000, 0x40000
libc = ctypes.CDLL(None, use_errno=True)


def check(result, what):
    if result != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind, flags):
    check(libc.mount(os.fsencode(source), os.fsencode(target), kind, ctypes.c_ulong(flags), None), f"mounting {target}")


def main():
    arena, command = Path(sys.argv[1]), sys.argv[2:]
    check(libc.unshare(CLONE_NEWNS), "a mount namespace")
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    root, folder = Path("/mnt"), os.getcwd()
    places = [place for place in Path("/").iterdir() if place.name not in ("mnt", "data", "certs")]
    mount("none", root, b"tmpfs", 0)
    for place in places:
        target = root / place.name
        if place.is_symlink():
            target.symlink_to(os.readlink(place))
        elif place.is_dir():
            target.mkdir()
            mount(place, target, None, MS_BIND | MS_REC)
    for name in ("data", "certs"):
        (root / name).mkdir()
        mount(arena / name, root / name, None, MS_BIND)
    os.chroot(root)
    os.chdir(folder)
    os.execvp(command[0], command)


main()
