"""The programs that are measured: whether they have been built."""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DIST = ROOT / "dist/bin"


def need(script, *paths):
    """Ends `script` with an error that names the first of these programs that is missing, and how to build those of dist/bin."""
    for path in paths:
        if not has(path):
            sys.exit(f"{script}: {message(path)}")


def has(path):
    """Whether the program can be executed; a name without a folder is looked for on the PATH."""
    return shutil.which(str(path)) is not None


def message(path):
    """What is said of a program that is missing."""
    if "/" not in str(path):
        return f"{path} is missing: it is not on the PATH"
    path = Path(os.path.abspath(path))
    if path.parent != DIST:
        return f"{path} is missing, or cannot be executed"
    name = path.name
    native = name.endswith("-native")
    words = (name[:-len("-native")] if native else name).split("-")
    project = words[0] + "".join(word.capitalize() for word in words[1:])
    task = "load/dist" if name == "needletail-load" else project + ("Native/dist" if native else "JVM/dist")
    return f"dist/bin/{name} is missing: run ./sbt {task} first"
