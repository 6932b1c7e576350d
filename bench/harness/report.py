"""Makes results.json, a Markdown table and a chart from samples."""

import json
import time
from pathlib import Path
from statistics import median

import chart
import loads
import ratios


def spread(values):
    return {"median": median(values), "min": min(values), "max": max(values)} if values else None


def summarise(samples):
    """server -> load -> quantity -> median, min and max over the rounds; and errors."""
    by = {}
    for sample in samples:
        by.setdefault(sample["server"], {}).setdefault(sample["load"], []).append(sample)
    summary = {}
    for server, of_server in by.items():
        for load, rounds in of_server.items():
            good = [flat(sample) for sample in rounds if "failed" not in sample]
            keys = [key for key in (good[0] if good else {}) if all(key in g for g in good)]
            entry = {key: spread([g[key] for g in good]) for key in keys}
            failed = [sample["failed"] for sample in rounds if "failed" in sample]
            if failed:
                entry["failed"] = failed
            summary.setdefault(server, {})[load] = entry
    return summary


def flat(sample):
    """The numbers of a sample, including nested ones: latency_us.p99."""
    numbers = {}
    for key, value in sample.items():
        if isinstance(value, dict):
            numbers.update({f"{key}.{inner}": number for inner, number in value.items()})
        elif isinstance(value, (int, float)) and key != "round":
            numbers[key] = value
    return numbers


def in_short(sample):
    if "failed" in sample:
        return f"{sample['load']}: FAILED: {sample['failed']}"
    if "cpu_us" not in sample:
        return f"{sample['load']}: {sample['rss_mib']:.1f} MiB"
    text = f"{sample['load']}: {sample['cpu_us']:.2f} us/request ({sample['user_us']:.2f} user), {sample['rps']:,.0f} requests/s"
    if sample["load"] == "RATE":
        text += ", p50/p99/p99.9/max us " + " / ".join(f"{v:,.0f}" for v in sample["latency_us"].values())
    if sample["errors"]:
        text += f", {sample['errors']} ERRORS"
    return text


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def ranged(entry, key):
    """The median, with min to max in brackets if there was more than one round."""
    if entry is None or key not in entry:
        return "failed" if entry and entry.get("failed") else "–"
    s = entry[key]
    text = number(s["median"])
    if s["min"] != s["max"]:
        text += f" ({number(s['min'])}–{number(s['max'])})"
    if entry.get("errors", {}).get("max"):
        text += " ⚠"
    return text


def table(title, note, heads, rows):
    lines = [f"## {title}", "", note, "", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def markdown(run):
    summary, names = run["summary"], [load["name"] for load in run["loads"]]
    timed = [n for n in names if n != "RSS10K"]
    order = ranking(run)
    settings, conditions = run["settings"], run["conditions"]
    parts = [f"# Benchmark of {run['began']}\n",
             f"Interleaved rounds, one I/O thread; server on core {settings['server_core']}, load on core {settings['load_core']}. "
             f"{conditions['cpu']}, {conditions['cores']} cores, Linux {conditions['kernel']}. Medians, in brackets min to max.\n",
             *(conduct(part) for part in run.get("parts", [run])), ""]
    others = [sample["others_busy"] for sample in run["samples"] if "others_busy" in sample]
    if others and max(others) > 0.1:
        parts.append(f"**Noisy:** other programs kept {median(others):.2f} cores busy meanwhile (up to {max(others):.2f}). "
                     "These figures do not rank servers.\n")
    label = {s["name"]: f"**{s['name']}**" if s["kind"] == "ours" else f"*{s['name']}*" if s["kind"] == "floor" else s["name"]
             for s in run["servers"]}
    measured = [name for name in order if name in summary]
    if timed:
        parts.append(table("Server CPU time for each request, µs (user and system)", "Lower is better.", ["server"] + timed,
                           [[label[s]] + [ranged(summary[s].get(n), "cpu_us") for n in timed] for s in measured]))
        parts.append(table("of which user time, µs", "The server's own code; the rest is the kernel's.", ["server"] + timed,
                           [[label[s]] + [ranged(summary[s].get(n), "user_us") for n in timed] for s in measured]))
        parts.append(table("Requests per second", "† the load generator was the limit (over 95 % of its core): only a lower bound.",
                           ["server"] + timed,
                           [[label[s]] + [ranged(summary[s].get(n), "rps") + limited(summary[s].get(n)) for n in timed] for s in measured]))
    if "RATE" in names:
        quantiles = ["p50", "p99", "p999", "max"]
        parts.append(table("Latency at 20,000 requests/s, µs", "From the moment each request was due.", ["server", "p50", "p99", "p99.9", "max"],
                           [[label[s]] + [ranged(summary[s].get("RATE"), f"latency_us.{q}") for q in quantiles] for s in measured]))
    parts.append(table("Start and memory", "From the start of the process to its first complete reply, with its CPU time; resident memory after P1 (64 connections) and with "
                       "10,000 connections.", ["server", "start ms", "of which CPU ms", "RSS MiB at 64", "RSS MiB at 10,000"],
                       [[label[s], ranged(summary[s].get("START"), "start_ms"), ranged(summary[s].get("START"), "start_cpu_ms"), ranged(summary[s].get("P1"), "rss_mib"),
                         ranged(summary[s].get("RSS10K"), "rss_mib")] for s in measured]))
    compared = [[one, other, load, *(ratio(quantity) for quantity in (cpu, user, latency))]
                for one, other, load, cpu, user, latency in ratios.of(run)]
    if compared:
        parts.append(table("Ratios", "Of two rows above, within each round: their median, in brackets min to max.",
                           ["of", "to", "load", "CPU time", "user time", "p99.9"], compared))
    troubles = [f"- **{s['name']}** was not measured: {s['problem']}" for s in run["servers"] if s["problem"]]
    troubles += [f"- {s}, {load}: {reason}" for s in measured for load, entry in summary[s].items() for reason in sorted(set(entry.get("failed", [])))]
    troubles += [f"- {s}, {load}: up to {entry['errors']['max']:.0f} wrong or missing replies ⚠" for s in measured
                 for load, entry in summary[s].items() if entry.get("errors", {}).get("max")]
    if troubles:
        parts.append("## What failed\n\n" + "\n".join(troubles) + "\n")
    parts.append("## Loads\n\n" + "\n".join(f"- {load['name']}: {load['title']} ({load['tool']})" for load in run["loads"]) + "\n")
    return "\n".join(parts)


def conduct(run):
    """The conditions of one run."""
    settings, conditions = run["settings"], run["conditions"]
    shares = ", ".join(f"{load['name']} {settings['seconds'] * loads.BY_NAME[load['name']].longer:.0f} s" if load["name"] in loads.BY_NAME
                       and loads.BY_NAME[load["name"]].longer != 1 else load["name"] for load in run["loads"])
    return (f"- {run['began']}, commit {conditions['commit']}: {shares}; rounds: {settings['rounds']}, counted {settings['seconds']:.0f} s "
            f"for each load; load average before {conditions['load_average_before'][0]:.2f}")


def ratio(quantity):
    if quantity is None:
        return "–"
    middle, least, greatest = quantity
    return f"{middle:.2f}" + (f" ({least:.2f}–{greatest:.2f})" if least != greatest else "")


def limited(entry):
    busy = (entry or {}).get("load_busy")
    return " †" if busy and busy["median"] > 0.95 else ""


def ranking(run):
    """Sorted by CPU time at the first of these loads that was measured; otherwise as listed."""
    names = [s["name"] for s in run["servers"]]
    for load in ("P16", "X16", "P1", "JSON", "C1024"):
        cost = {n: run["summary"].get(n, {}).get(load, {}).get("cpu_us") for n in names}
        if any(cost.values()):
            return sorted(names, key=lambda n: cost[n]["median"] if cost[n] else float("inf"))
    return names


def write(run, output):
    """Writes a new folder, and makes `latest` beside it point there."""
    run["summary"] = summarise(run["samples"])
    folder = Path(output).resolve() / time.strftime("%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(run, indent=1))
    (folder / "table.md").write_text(markdown(run))
    (folder / "chart.svg").write_text(chart.draw(run, ranking(run)))
    latest = folder.parent / "latest"
    if latest.is_symlink() or not latest.exists():
        latest.unlink(missing_ok=True)
        latest.symlink_to(folder.name)
    return folder
