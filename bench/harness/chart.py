"""A bar chart as SVG: CPU time for each request, user and system, with the spread between rounds."""

from xml.sax.saxutils import escape

SHOWN = ["P16", "X16", "P1", "JSON", "C1024", "J1024", "ECHO1K"]
COLOURS = {"ours": ("#0b6e4f", "#7cc4a8"), "floor": ("#666666", "#bbbbbb"), "peer": ("#2f5d8a", "#9dbbd8")}
ROW, LEFT, BAR = 18, 200, 420


def draw(run, order):
    kinds = {server["name"]: server["kind"] for server in run["servers"]}
    titles = {load["name"]: load["title"] for load in run["loads"]}
    shown = [load for load in SHOWN if load in titles]
    parts, y = [], 46
    for load in shown:
        entries = [(name, run["summary"][name][load]) for name in order if "cpu_us" in run["summary"].get(name, {}).get(load, {})]
        entries.sort(key=lambda entry: entry[1]["cpu_us"]["median"])
        if not entries:
            continue
        parts.append(text(10, y, f"{load}: {titles[load]}", "font-weight='bold'"))
        y += 10
        # The most expensive few would flatten the rest: bars end at six times the median and show their value.
        middle = entries[len(entries) // 2][1]["cpu_us"]["median"]
        most = min(max(e["cpu_us"]["max"] for _, e in entries), 6 * middle)
        scale = BAR / most
        for name, entry in entries:
            parts.append(bar(y, name, entry, kinds[name], scale, most))
            y += ROW
        y += 26
    width, height = LEFT + BAR + 130, y
    head = (f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' font-size='12'>"
            f"<rect width='100%' height='100%' fill='white'/>")
    legend = text(10, 20, "Server CPU time for each request, µs: dark user, light system; the line spans the rounds. Green ours, grey floors.")
    return head + legend + "".join(parts) + "</svg>\n"


def bar(y, name, entry, kind, scale, most):
    total, user = entry["cpu_us"], min(entry["user_us"]["median"], most)
    dark, light = COLOURS[kind]
    length = min(total["median"], most) * scale
    cut = " →" if total["median"] > most else ""
    low, high = LEFT + min(total["min"], most) * scale, LEFT + min(total["max"], most) * scale
    middle = y + ROW / 2
    return (text(LEFT - 6, y + 13, name, "text-anchor='end'")
            + f"<rect x='{LEFT}' y='{y + 2}' width='{length:.1f}' height='{ROW - 5}' fill='{light}'/>"
            + f"<rect x='{LEFT}' y='{y + 2}' width='{user * scale:.1f}' height='{ROW - 5}' fill='{dark}'/>"
            + f"<line x1='{low:.1f}' x2='{high:.1f}' y1='{middle}' y2='{middle}' stroke='black'/>"
            + text(LEFT + max(length, high - LEFT) + 6, y + 13, f"{total['median']:.2f}{cut}"))


def text(x, y, content, more=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' {more}>{escape(content)}</text>"
