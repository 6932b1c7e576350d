"""The chart as SVG: p50, p99 and max over the number of users, in one panel each; errors as open circles."""

import math
from xml.sax.saxutils import escape

COLOURS = ["#0b6e4f", "#2f5d8a", "#b5532a", "#7a3b8f", "#8a7a1f", "#c2185b", "#00838f", "#5d4037", "#616161",
           "#33691e", "#1a237e", "#e65100"]
# With more setups than colours, colours repeat with other dash patterns.
DASHES = ["none", "6 3", "2 3"]
WIDTH, HEIGHT, LEFT, TOP, GAP = 640, 240, 60, 30, 60


def draw(results):
    parts = []
    users = [row["users"] for one in results.values() for row in one["rows"]]
    times = [row[name] for one in results.values() for row in one["rows"] for name in ("p50", "p99", "max") if row[name]]
    least, most = min(times, default=1), max(times, default=10)
    for panel, name in enumerate(("p50", "p99", "max")):
        top = TOP + panel * (HEIGHT + GAP)
        parts.append(f"<text x='{LEFT}' y='{top - 8}' font-weight='bold'>{name}, ms, over users (both logarithmic)</text>")
        parts.append(f"<rect x='{LEFT}' y='{top}' width='{WIDTH}' height='{HEIGHT}' fill='none' stroke='#999'/>")
        for power in range(math.floor(math.log10(least)), math.ceil(math.log10(most)) + 1):
            if least <= 10 ** power <= most:
                y = top + HEIGHT - share(10 ** power, least, most) * HEIGHT
                parts.append(f"<text x='{LEFT - 6}' y='{y + 4:.0f}' text-anchor='end'>{10.0 ** power:g}</text>")
                parts.append(f"<line x1='{LEFT}' x2='{LEFT + WIDTH}' y1='{y:.1f}' y2='{y:.1f}' stroke='#ddd'/>")
        for count in sorted(set(users)):
            x = LEFT + share(count, min(users, default=1), max(users, default=1)) * WIDTH
            parts.append(f"<line x1='{x:.1f}' x2='{x:.1f}' y1='{top + HEIGHT}' y2='{top + HEIGHT + 4}' stroke='#999'/>")
            parts.append(f"<text x='{x:.1f}' y='{top + HEIGHT + 17}' text-anchor='middle'>{count}</text>")
        for i, one in enumerate(results.values()):
            colour, dash = stroke(i)
            points = [
                (LEFT + share(row["users"], min(users, default=1), max(users, default=1)) * WIDTH,
                 top + HEIGHT - share(row[name], least, most) * HEIGHT, row["errors"])
                for row in one["rows"] if row[name]
            ]
            line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
            parts.append(f"<polyline points='{line}' fill='none' stroke='{colour}' stroke-width='1.5' "
                         f"stroke-dasharray='{dash}'/>")
            parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='#fff' stroke='{colour}'/>"
                      for x, y, errors in points if errors > 0]
    bottom = TOP + 3 * (HEIGHT + GAP)
    for i, one in enumerate(results.values()):
        colour, dash = stroke(i)
        y = bottom + 16 * i
        parts.append(f"<line x1='{LEFT}' x2='{LEFT + 30}' y1='{y - 4}' y2='{y - 4}' stroke='{colour}' stroke-width='1.5' "
                     f"stroke-dasharray='{dash}'/>")
        parts.append(f"<text x='{LEFT + 36}' y='{y}' fill='{colour}'>{escape(one['title'])}</text>")
    y = bottom + 16 * len(results)
    parts.append(f"<circle cx='{LEFT + 15}' cy='{y - 4}' r='4' fill='#fff' stroke='#333'/>")
    parts.append(f"<text x='{LEFT + 36}' y='{y}'>some requests failed</text>")
    height = bottom + 16 * len(results) + 26
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{LEFT + WIDTH + 20}' height='{height}' "
            f"font-family='sans-serif' font-size='12'>\n" + "\n".join(parts) + "\n</svg>\n")


def stroke(i):
    return COLOURS[i % len(COLOURS)], DASHES[i // len(COLOURS) % len(DASHES)]


def share(value, least, most):
    return 0.5 if most <= least else math.log(max(value, least) / least) / math.log(most / least)
