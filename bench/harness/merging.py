"""Merges several runs, for instance the loads of a short run and the latency of a few servers over a minute each."""

import json
from pathlib import Path

SAME = ("cpu", "cores", "kernel", "memory_mib")  # must be equal for runs to be comparable


def read(folder):
    path = Path(folder)
    path = path / "results.json" if path.is_dir() else path
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as reason:
        raise SystemExit(f"bench/run: {path}: {reason}") from None


def merged(folders):
    """One run made of several. Measurements of one server under one load are never mixed: they come from the run with more
    successful rounds, or from the one named last if they are equal."""
    runs = [read(folder) for folder in folders]
    first = runs[0]
    for run in runs[1:]:
        for key in SAME:
            if run["conditions"][key] != first["conditions"][key]:
                raise SystemExit(f"bench/run: cannot merge runs with different {key}: {first['conditions'][key]}, {run['conditions'][key]}")
    best = {}
    for run in runs:
        by = {}
        for sample in run["samples"]:
            by.setdefault((sample["server"], sample["load"]), []).append(sample)
        for key, samples in by.items():
            if key not in best or good(samples) >= good(best[key]):
                best[key] = samples
    loads, servers = {}, {}
    for run in runs:
        loads.update((load["name"], load) for load in run["loads"])
        for server in run["servers"]:
            known = servers.get(server["name"])
            if known is None or known["problem"] or not server["problem"]:
                servers[server["name"]] = server
    parts = [part for run in runs for part in run.get("parts", [{key: run[key] for key in ("began", "settings", "loads", "conditions")}])]
    return {**first, "loads": list(loads.values()), "servers": list(servers.values()), "parts": parts,
            "took_seconds": round(sum(run["took_seconds"] for run in runs), 1),
            "samples": [sample for samples in best.values() for sample in samples]}


def good(samples):
    return sum(1 for sample in samples if "failed" not in sample)
