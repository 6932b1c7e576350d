"""Runs HttpArena's validation, or its load shapes, against Needletail's program for the board, without containers."""

import argparse
import socket
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))

import entries  # noqa: E402
import shapes  # noqa: E402
import machine  # noqa: E402
import process  # noqa: E402
import validation  # noqa: E402

PORTS = (8080, 8081)


def main():
    parser = argparse.ArgumentParser(prog="bench/httparena/run", description=__doc__)
    parser.add_argument("arena", type=Path, metavar="HTTPARENA", help="a checkout of the repository MDA2AV/HttpArena")
    parser.add_argument("what", choices=["validate", "load"], metavar="validate|load", help="what to make of it")
    # without a default of its own argparse would call it required
    parser.add_argument("names", nargs="*", metavar="SERVER", default=[],
                        help="jvm, native; for load also entries of the board: " + ", ".join(entries.BOARD) + ". Default: all")
    parser.add_argument("--profiles", help="load: only these, separated by commas")
    parser.add_argument("--rounds", type=int, default=3, help="load: default %(default)s")
    parser.add_argument("--seconds", type=int, default=2, help="load: for each sample; default %(default)s")
    parser.add_argument("--warm", type=float, default=10,
                        help="load: seconds of each shape that a JVM is given before it counts; default %(default)s")
    parser.add_argument("--out", type=Path, default=machine.RESULTS / "httparena", help="load: folder of the results")
    chosen = parser.parse_args()
    arena = chosen.arena.resolve()
    if not (arena / "scripts" / "validate.sh").is_file():
        parser.error(f"{chosen.arena} is no checkout of HttpArena: it has no scripts/validate.sh")
    for port in PORTS:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                parser.error(f"port {port}, which the board's scripts need, is in use")
    known = {**entries.ours(), **(entries.of_board(arena) if chosen.what == "load" else {})}
    unknown = [name for name in chosen.names if name not in known]
    if unknown:
        parser.error(f"no server is named {', '.join(unknown)}; there are {', '.join(known)}")
    servers = [known[name] for name in chosen.names or known]
    machine.raise_descriptor_limit()
    try:
        if chosen.what == "validate":
            sys.exit(validation.run(arena, servers))
        sys.exit(shapes.run(arena, servers, chosen))
    finally:
        process.stop_all()


main()
