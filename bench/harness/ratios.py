"""Ratios of two rows, computed within each round, where both were measured minutes apart; then their median."""

from statistics import median

# (one, other). The last part of a name can be omitted: needletail-jvm stands for all its versions.
ROWS = [
    *(("needletail-jvm", other) for other in ("floor-epoll", "floor-nio", "netty-epoll", "netty-nio", "rapidoid")),
    *(("needletail-native", other) for other in ("floor-epoll", "floor-io-uring", "floor-scala-native", "hyper")),
    ("needletail-jvm-25-two-loops", "needletail-jvm-25"),
    ("needletail-native-two-loops", "needletail-native"),
    ("floor-epoll-two-loops", "floor-epoll"),
    ("needletail-native-io-uring", "needletail-native"),
    ("needletail-native-commix", "needletail-native"),
    ("needletail-jvm-25-routes-200", "needletail-jvm-25-routes-1"),
    ("needletail-native-routes-200", "needletail-native-routes-1"),
]
# Of one server: 1,024 connections compared to 64.
GROWTH = [("C1024", "P1"), ("J1024", "JSON")]


def of(run):
    """[(one, other, load, CPU, user, p99.9)], each quantity as (median, least, greatest) or None."""
    at = {(s["server"], s["load"], s["round"]): s for s in run["samples"] if "failed" not in s}
    servers = [server["name"] for server in run["servers"]]
    loads = [load["name"] for load in run["loads"]]
    found = []
    for one, other in ROWS:
        for name in versions(one, servers):
            for load in loads:
                found.append((name, other, load, *quantities(at, (name, load), (other, load), load == "RATE")))
    for name in (server["name"] for server in run["servers"] if server["kind"] == "ours"):
        for many, few in GROWTH:
            found.append((f"{name} at {many}", f"itself at {few}", "–", *quantities(at, (name, many), (name, few), False)))
    return [row for row in found if any(row[3:6])]


def versions(name, servers):
    if name in servers:
        return [name]
    return [s for s in servers if s.startswith(name + "-") and s[len(name) + 1:].isdigit()]


def quantities(at, one, other, with_latency):
    rounds = sorted({number for server, load, number in at if (server, load) == one} & {n for server, load, n in at if (server, load) == other})

    def of(pick):
        values = []
        for number in rounds:
            above, below = pick(at[(*one, number)]), pick(at[(*other, number)])
            if above and below:
                values.append(above / below)
        return (median(values), min(values), max(values)) if values else None
    latency = of(lambda sample: sample.get("latency_us", {}).get("p999")) if with_latency else None
    return of(lambda sample: sample.get("cpu_us")), of(lambda sample: sample.get("user_us")), latency
