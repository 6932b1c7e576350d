"""A chart as SVG: median, p90 and throughput for each store and kind of request."""

import math
from xml.sax.saxutils import escape

ROW, LEFT, BAR, GAP, TOP = 16, 190, 250, 70, 62
LOW, HIGH = -1, 5  # powers of ten: 0.1 ms to 100 s
RATE = 350.0
COLOURS = {"index": "#0b6e4f", "search": "#c0392b", "payments": "#2f5d8a"}


def draw(summary, kinds, situations):
    parts, y = [], TOP
    columns = [LEFT + i * (2 * BAR + GAP) for i in range(len(situations))]
    for x, situation in zip(columns, situations):
        parts.append(text(x, TOP - 30, situation, "font-weight='bold'"))
        parts.append(text(x, TOP - 14, "median (dark) and 90 % (light), ms, logarithmic"))
        parts.append(text(x + BAR + 20, TOP - 14, "answered well, 1/s"))
    for name, told in summary.items():
        parts.append(text(8, y + 12, name, "font-weight='bold'"))
        for kind in kinds:
            parts.append(text(LEFT - 8, y + 12, kind, "text-anchor='end'"))
            for x, situation in zip(columns, situations):
                if situation in told:
                    parts.append(row(x, y, told[situation][kind], COLOURS[kind]))
            y += ROW
        y += 12
    width = columns[-1] + 2 * BAR + GAP
    return (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{y + 8}' font-family='sans-serif' font-size='11'>"
            f"<rect width='100%' height='100%' fill='white'/>"
            + text(8, 18, "Three kinds of customers, 300 of each, who pause for about a second between requests.") + "".join(parts) + "</svg>\n")


def row(x, y, figures, colour):
    out = ""
    if figures["p50"] is None:
        out += text(x, y + 12, "none")
    else:
        out += bar(x, y, scale(figures["p90"]), colour, 0.4) + bar(x, y, scale(figures["p50"]), colour, 1)
        out += text(x + scale(figures["p90"]) + 4, y + 12, f"{short(figures['p50'])} / {short(figures['p90'])}")
    length = figures["rate"] / RATE * (BAR - 60)
    return out + bar(x + BAR + 20, y, length, colour, 1) + text(x + BAR + 24 + length, y + 12, f"{figures['rate']:.0f}")


def bar(x, y, length, colour, opacity):
    return f"<rect x='{x}' y='{y + 2}' width='{max(length, 0.5):.1f}' height='{ROW - 4}' fill='{colour}' fill-opacity='{opacity}'/>"


def scale(millis):
    share = (math.log10(max(millis, 10 ** LOW)) - LOW) / (HIGH - LOW)
    return min(1.0, share) * (BAR - 80)


def short(millis):
    return f"{millis:.1f}" if millis < 10 else f"{millis:.0f}"


def text(x, y, content, more=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' {more}>{escape(content)}</text>"
