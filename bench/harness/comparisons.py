"""Draws docs/comparisons.svg: what others published of a ladder and of a store, and our figures of the same loads.

Ours are read from the tables of docs/gateway.md and docs/store.md. Usage: python3 bench/harness/comparisons.py
"""

import math
import re
from xml.sax.saxutils import escape

from machine import ROOT

# "A web server in Scala Native and how to test it": users, p50 and p99 in ms, errors in percent.
LADDER = [(10, 35, 171, 0), (25, 71, 161, 0), (50, 164, 421, 0), (75, 222, 641, 0), (100, 228, 701, 0), (150, 324, 2724, 0),
          (200, 472, 4120, 0), (250, 506, 2777, 0), (300, 625, 1746, 0.4), (350, 528, 2592, 14), (400, 545, 2661, 29),
          (450, 576, 2997, 29), (500, 424, 4735, 33), (750, 536, 5137, 34), (1000, 464, 3861, 44), (1500, 555, 4485, 44),
          (2000, 559, 5484, 52)]

# "Scaling Scala vs. Java": payments, with the search service up and down: median (a mean while it is down) and 90 % in
# ms, payments per second. With search down, the article says of its asynchronous store that payments are unchanged.
STORE = {"article, blocking": ((77, 116, 270), (9000, 20000, 30)), "article, asynchronous": ((77, 116, 270), (77, 116, 270))}

THEIRS, OURS = "#c0392b", "#0b6e4f"
WIDTH, TOP, TALL = 1040, 60, 250


def rows(document, heading):
    """The cells of the rows of the table whose head begins with these words."""
    lines = (ROOT / "docs" / document).read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith(heading))
    table = []
    for line in lines[at:]:
        if not line.startswith("|"):
            break
        table.append([cell.strip() for cell in line.strip("|").split("|")])
    return table


def our_ladder():
    table = rows("gateway.md", "| setup | 10 users | 50")
    users = [int(re.sub(r"\D", "", cell)) for cell in table[0][1:]]
    own = next(row for row in table if row[0] == "Needletail alone, native")
    times = [[float(part) for part in cell.split("/")] for cell in own[1:]]
    return [(n, p50, p99) for n, (p50, p99, _) in zip(users, times)]


def our_store():
    found, name, situation = {}, None, None
    for row in rows("store.md", "| store | search service")[2:]:
        name, situation = row[0] or name, row[1] or situation
        if row[2] == "payments":
            found.setdefault(name, {})[situation] = tuple(float(row[i]) for i in (4, 5, 3))
    return {name: (found[name]["healthy"], found[name]["down"]) for name in ("blocking", "needletail-jvm", "needletail-native")}


def text(x, y, words, more=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' {more}>{escape(words)}</text>"


def ladder(left, width):
    low, high = -1.5, 4.0  # powers of ten, ms

    def x(users):
        return left + width * (math.log10(users) - 1) / (math.log10(2000) - 1)

    def y(ms):
        return TOP + TALL * (high - math.log10(max(ms, 0.05))) / (high - low)

    def line(points, colour, dashed):
        joined = " ".join(f"{x(n):.1f},{y(ms):.1f}" for n, ms in points)
        return (f"<polyline points='{joined}' fill='none' stroke='{colour}' stroke-width='1.8'"
                f"{' stroke-dasharray=' + chr(39) + '5 3' + chr(39) if dashed else ''}/>")

    parts = [text(left, 20, "The ladder: ms over users, both logarithmic", "font-weight='bold'"),
             text(left, 36, "p50 solid, p99 dashed")]
    for power in range(-1, 5):
        at = y(10 ** power)
        parts += [f"<line x1='{left}' y1='{at:.1f}' x2='{left + width}' y2='{at:.1f}' stroke='#ddd'/>",
                  text(left - 6, at + 4, f"{10 ** power:g}", "text-anchor='end'")]
    for users in (10, 25, 50, 100, 200, 500, 1000, 2000):
        parts.append(text(x(users), TOP + TALL + 16, str(users), "text-anchor='middle'"))
    ours = our_ladder()
    for index, dashed in ((1, False), (2, True)):
        parts += [line([(row[0], row[index]) for row in LADDER], THEIRS, dashed), line([(row[0], row[index]) for row in ours], OURS, dashed)]
    for users, _, p99, errors in LADDER:
        if errors and users in (350, 500, 1000, 2000): # further labels would overlap
            parts.append(text(x(users), y(p99) - 8, f"{errors:g} % failed", f"text-anchor='middle' fill='{THEIRS}' font-size='9'"))
    parts += [text(x(12), y(20), "small server, a process per request", f"fill='{THEIRS}'"),
              text(x(12), y(0.17), "Needletail, native: nothing failed", f"fill='{OURS}'")]
    return parts


def store(left, width):
    low, high = 1.0, 4.6
    stores = {**STORE, **{f"{name} (ours)" if name == "blocking" else name: told for name, told in our_store().items()}}
    names = {"blocking (ours)": "its blocking one, here"}

    def w(ms):
        return width * (math.log10(max(ms, 10)) - low) / (high - low)

    parts = [text(left - 170, 20, "The store: payments, ms, logarithmic", "font-weight='bold'"),
             text(left - 170, 36, "median dark (the article's 9 s is a mean), 90 % light; payments per second")]
    at = TOP
    for situation, index in (("search is well", 0), ("search is down", 1)):
        parts.append(text(left - 170, at + 8, situation, "font-weight='bold'"))
        at += 16
        for name, told in stores.items():
            colour = OURS if name.startswith("needletail") else THEIRS
            mid, ninety, rate = told[index]
            parts += [text(left - 6, at + 12, names.get(name, name), "text-anchor='end'"),
                      f"<rect x='{left}' y='{at}' width='{w(ninety):.1f}' height='14' fill='{colour}' opacity='0.4'/>",
                      f"<rect x='{left}' y='{at}' width='{w(mid):.1f}' height='14' fill='{colour}'/>",
                      text(left + w(ninety) + 5, at + 12, f"{mid:,g} / {ninety:,g} ms, {rate:g}/s")]
            at += 20
        at += 14
    return parts


def main():
    parts = ladder(50, 400) + store(670, 190)
    height = TOP + TALL + 30
    (ROOT / "docs" / "comparisons.svg").write_text(
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{height}' font-family='sans-serif' font-size='11'>"
        f"<rect width='100%' height='100%' fill='white'/>{''.join(parts)}</svg>\n")


if __name__ == "__main__":
    main()
