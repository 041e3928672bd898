"""How all pictures of reproduce-figures look, and the files they go to. Needs matplotlib."""
import csv

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import matplotlib.ticker


def style():
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                         "grid.color": "#dddddd", "grid.linewidth": 0.6, "lines.linewidth": 1.6, "svg.fonttype": "none",
                         "svg.hashsalt": "strads"})


def save(figure, path):
    figure.savefig(path.with_suffix(".svg"), bbox_inches="tight", metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), bbox_inches="tight", dpi=130)
    plt.close(figure)
    print(f"{path.with_suffix('.svg').name}, .png")


def label_ends(axis, ends):
    """Names at the right ends of lines, moved apart where they would overlap. ends: (x, y, text, colour)."""
    axis.figure.canvas.draw()
    to_pixels, height = axis.transData.transform, 13
    ends = sorted(ends, key=lambda end: to_pixels((end[0], end[1]))[1])
    wanted = [to_pixels((x, y))[1] for x, y, _, _ in ends]
    shown_at = list(wanted)
    for _ in range(50):  # neighbours push each other away, up and down alike
        for k in range(len(shown_at) - 1):
            overlap = height - (shown_at[k + 1] - shown_at[k])
            if overlap > 0:
                shown_at[k] -= overlap / 2
                shown_at[k + 1] += overlap / 2
    for (x, y, text, colour), py, shown in zip(ends, wanted, shown_at):
        axis.annotate(text, (x, y), xytext=(5, (shown - py) * 72 / axis.figure.dpi), textcoords="offset points",
                      color=colour, fontsize=8.5, va="center", annotation_clip=False)


def plain_ticks(axis):
    """0.2 and 0.02 instead of powers: an objective spans one or two decades, or less."""
    low, high = axis.get_ylim()

    def within(digits):
        return [tick for tick in (digit * 10.0 ** power for power in range(-8, 7) for digit in digits) if low <= tick <= high]

    shown = within((1, 2, 3, 5))
    if len(shown) < 3:
        shown = within((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
    if len(shown) > 12:
        shown = [tick for tick in shown if f"{tick:e}"[0] == "1"]
    axis.yaxis.set_major_locator(matplotlib.ticker.FixedLocator(shown))
    axis.yaxis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda tick, _: f"{tick:g}"))
    axis.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
