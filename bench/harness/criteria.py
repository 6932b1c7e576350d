"""The table of docs/comparisons.md: what needletail-load characterise found of several servers, side by side."""

import re

HEAD = ("server", "alone: p50, p99", "highest rate, per second", "rate that meets the objective", "p99 at 50, 80, 100 % of it",
        "offered twice its highest rate")

# How the program's text begins where it found no rate; the figures are 0 then.
NOT_FOUND = ("Not found", "No rate satisfies", "Not searched")
FAILED = {"timeout": "timed out", "connect-timeout": "got no connection in time", "refused": "refused", "reset": "reset",
          "unsent": "not sent"}


def table(found):
    """A row for each of (title, document): the JSON of needletail-load. A ">" marks what the load tester limited."""
    lines = [HEAD, ("---",) * len(HEAD)] + [row(title, document) for title, document in found]
    return "".join("|" + "|".join(cells) + "|\n" if cells[0] == "---" else "| " + " | ".join(cells) + " |\n" for cells in lines)


def row(title, document):
    told = {criterion["name"]: criterion for criterion in document["criteria"]}
    return (title, alone(told.get("Responsiveness")), rate(told.get("Throughput")), rate(told.get("Capacity for latency")),
            tail(told.get("Tail latency"), document["parts"]), overload(told.get("Error handling"), document["parts"]))


def alone(criterion):
    return "" if criterion is None else f"{time(criterion['low'])}, {time(criterion['high'])} ms"


def rate(criterion):
    if criterion is None:
        return ""
    if criterion["text"].startswith(NOT_FOUND):
        return "none"
    low, high = count(criterion["low"]), count(criterion["high"])
    mark = "> " if criterion["verdict"]["limit"] == "CLIENT-LIMITED" else "≥ " if "/s or more" in criterion["text"] else ""
    return mark + (low if low == high else f"{low} to {high}")


def tail(criterion, parts):
    """Of the steps at shares of the capacity, and of the last rate that was held, which is the capacity itself."""
    if criterion is None:
        return ""
    steps = [part for part in parts if part["label"].endswith(" % of the limit")]
    held = [part for part in parts if part["label"].endswith("/s, held")][-1:]
    times = [part["summary"]["latencyMillis"].get("p99") for part in steps + held]
    return ", ".join("-" if each is None else time(each) for each in times) + " ms"


def overload(criterion, parts):
    if criterion is None:
        return ""
    summary = [part for part in parts if part["label"].startswith("overload: ")][-1]["summary"]
    causes = [FAILED.get(name, "failed") for name in summary["outcomes"] if name != "good"]
    share = summary["errors"] * 100
    failed = "none failed" if share == 0 else f"{percent(share)} % {causes[0] if len(causes) == 1 else 'failed'}"
    return f"{count(summary['rate'])}/s good, {failed}"


def time(millis):
    """With two digits, as no more are the same in two runs: 0.06, 6.7, 18, 404."""
    return f"{millis:.3f}" if millis < 0.01 else f"{millis:.2f}" if millis < 0.995 else f"{millis:.1f}" if millis < 9.95 else f"{millis:,.0f}"


def count(number):
    return f"{number:.1f}" if number < 9.95 else f"{number:,.0f}"


def percent(share):
    return "< 0.01" if share < 0.01 else "> 99" if 99.5 <= share < 100 else f"{share:.2f}" if share < 0.995 else f"{share:.1f}" if share < 9.95 else f"{share:.0f}"


def documented(text):
    """The rows of this table in a page."""
    lines = text.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(f"| {HEAD[0]} | {HEAD[1]} |"))
    return re.match(r"(?:\|.*\n)+", "\n".join(lines[at:]) + "\n").group(0)
