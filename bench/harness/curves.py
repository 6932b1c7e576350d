"""Curves over time as SVG: requests offered, answered and refused, and latency."""

import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, GAP = 420, 150, 60, 44, 64
RATES = (("offered", "#999999", "offered"), ("timely", "#0b6e4f", "answered within 1 s"), ("refused", "#c0392b", "refused"))
LATENCIES = (("normal", "#2f5d8a", "p99"), ("high", "#e08e0b", "p99, high priority"))


def draw(run):
    parts, y = [], TOP
    for m in run["measurements"]:
        control = "with overload control" if m["control"] == "on" else "without"
        parts.append(text(LEFT, y - 8, f"{m['platform']}, {m['title']}, {control}: capacity {m['capacity']:.0f}/s", "font-weight='bold'"))
        parts.append(rates(m, LEFT, y))
        parts.append(latencies(m, LEFT + WIDTH + 90, y))
        y += HEIGHT + GAP
    width = LEFT + 2 * WIDTH + 90 + 30
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{y}' font-family='sans-serif' font-size='11'>"
            f"<rect width='100%' height='100%' fill='white'/>"
            + text(LEFT, 16, "Each tenth of a second, by the moment a request was due. Left: requests a second; right: milliseconds, logarithmic.")
            + "".join(parts) + "</svg>\n")


def rates(m, x, y):
    series = {name: [10 * sum(w[kind][name] for kind in ("normal", "high")) for w in m["windows"]] for name, _, _ in RATES}
    top = max(max(series["offered"]), 1) * 1.05
    out = frame(x, y, len(m["windows"])) + legend(x, y, RATES)
    for share in (0.0, 0.5, 1.0):
        out += text(x - 6, y + HEIGHT * (1 - share) + 4, f"{top * share:.0f}", "text-anchor='end'")
    level = y + HEIGHT * (1 - m["capacity"] / top)
    out += f"<line x1='{x}' x2='{x + WIDTH}' y1='{level:.1f}' y2='{level:.1f}' stroke='#bbbbbb' stroke-dasharray='3 3'/>"
    for name, colour, _ in RATES:
        out += line(x, y, [value / top for value in series[name]], colour)
    return out


def latencies(m, x, y):
    low, high = 0, 5  # powers of ten: 1 ms to 100 s
    out = frame(x, y, len(m["windows"])) + legend(x, y, LATENCIES)
    for power in range(low, high):
        level = y + HEIGHT * (1 - (power - low) / (high - low))
        out += text(x - 6, level + 4, f"{10 ** power}", "text-anchor='end'")
        out += f"<line x1='{x}' x2='{x + WIDTH}' y1='{level:.1f}' y2='{level:.1f}' stroke='#eeeeee'/>"

    for kind, colour, _ in LATENCIES:
        values = [w[kind]["p99_ms"] for w in m["windows"]]
        out += line(x, y, [min(1.0, max(0.0, (math.log10(v) - low) / (high - low))) if v > 0 else None for v in values], colour)
    return out


def frame(x, y, windows):
    out = f"<rect x='{x}' y='{y}' width='{WIDTH}' height='{HEIGHT}' fill='none' stroke='#888888'/>"
    for second in range(0, windows // 10 + 1, 5):
        out += text(x + WIDTH * second * 10 / windows, y + HEIGHT + 13, f"{second} s", "text-anchor='middle'")
    return out


def legend(x, y, entries):
    out, at = "", x
    for _, colour, name in entries:
        out += f"<rect x='{at}' y='{y + HEIGHT + 20}' width='10' height='3' fill='{colour}'/>" + text(at + 14, y + HEIGHT + 25, name)
        at += 24 + 6.2 * len(name)
    return out


def line(x, y, shares, colour):
    """A line, interrupted where there is no value."""
    paths, points = [], []
    for i, share in enumerate(shares):
        if share is None:
            paths.append(points)
            points = []
        else:
            points.append(f"{x + WIDTH * (i + 0.5) / len(shares):.1f},{y + HEIGHT * (1 - share):.1f}")
    paths.append(points)
    return "".join(f"<polyline points='{' '.join(p)}' fill='none' stroke='{colour}' stroke-width='1.3'/>" for p in paths if p)


def text(x, y, content, more=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' {more}>{escape(content)}</text>"
