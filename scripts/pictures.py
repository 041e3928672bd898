"""How all pictures of reproduce-figures look, and the files they go to. Needs matplotlib.

What is said of lines stands above the panels, never in them, where other lines would lie on it. Lines differ in colour
(Okabe and Ito's, which everybody can tell apart) and in markers, for prints without colour. Text is at least as large as a
document's when a picture is as wide as a page.
"""
import csv
import math

import matplotlib.pyplot as plt
import matplotlib.ticker

from strads_report.style import entry, style  # what reports look like, too

__all__ = ["WIDE", "cores_x", "entry", "finish", "log_x", "log_y", "panels", "read_csv", "style", "write_csv"]
WIDE = 8.2  # inches, of a picture with several panels: its text has 8 points where it is as wide as a page of A4


def panels(rows, columns, width=WIDE, height=3.2, **more):
    """A grid of panels that fill the figure, each `height` inches high with its labels."""
    figure, grid = plt.subplots(rows, columns, figsize=(width, height * rows), squeeze=False, layout="constrained", **more)
    figure.get_layout_engine().set(w_pad=0.08)
    return figure, grid


def finish(figure, path, title, entries, note, columns=None):
    """Title and legend above the panels, `note` below them; both files are written."""
    height = figure.get_size_inches()[1]
    if columns is None:  # as few lines as the width allows
        letters = max(len(each.get_label()) for each in entries) + 7
        columns = min(len(entries), max(1, int(figure.get_size_inches()[0] * 13.5 // letters)))
        columns = -(-len(entries) // -(-len(entries) // columns))
    lines = -(-len(entries) // columns)
    figure.legend(handles=entries, loc="lower center", bbox_to_anchor=(0.5, 1 + 0.05 / height), ncol=columns, frameon=False,
                  borderaxespad=0, handlelength=2.6, columnspacing=1.4)
    figure.text(0.5, 1 + (0.15 + 0.22 * lines) / height, title, ha="center", va="bottom", fontsize=11)
    figure.text(0.5, -0.08 / height, note, ha="center", va="top", fontsize=9, color="#444444")
    figure.savefig(path.with_suffix(".svg"), bbox_inches="tight", metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), bbox_inches="tight", dpi=150)
    plt.close(figure)
    print(f"{path.with_suffix('.svg').name}, .png")


def _plain(axis):
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda tick, _: f"{tick:,.0f}" if tick >= 1000 else f"{tick:g}"))
    axis.set_minor_formatter(matplotlib.ticker.NullFormatter())


def log_x(axis):
    """Powers of ten as numbers."""
    axis.set_xscale("log")
    axis.xaxis.set_major_locator(matplotlib.ticker.LogLocator(numticks=12))
    _plain(axis.xaxis)


def cores_x(axis, values, text="cores (count)"):
    axis.set_xscale("log", base=2)
    apart, shown = math.log2(values[-1] / values[0]) / 9, []  # a number nearer to the one before it would touch it
    for value in values:
        shown += [value] if not shown or math.log2(value / shown[-1]) >= apart else []
    axis.set_xticks(values, [f"{value:,}" if value in shown else "" for value in values])
    axis.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    axis.set_xlabel(text)


def log_y(axis):
    """0.2 and 0.02 instead of powers: what is shown spans some decades, or less than one."""
    axis.set_yscale("log")
    low, high = axis.get_ylim()

    def within(digits):
        return [tick for tick in (digit * 10.0 ** power for power in range(-8, 7) for digit in digits) if low <= tick <= high]

    shown = within((1, 2, 3, 5))
    if len(shown) < 3:
        shown = within((1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
    for fewer in ("125", "1"):
        if len(shown) > 9:
            shown = [tick for tick in shown if f"{tick:e}"[0] in fewer]
    axis.yaxis.set_major_locator(matplotlib.ticker.FixedLocator(shown))
    axis.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    _plain(axis.yaxis)


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def read_csv(path):
    """A dict a row; numbers where they are some, None where there is nothing."""
    def value_of(text):
        try:
            return float(text) if text else None
        except ValueError:
            return text

    with open(path, newline="", encoding="utf-8") as file:
        return [{name: value_of(text) for name, text in row.items()} for row in csv.DictReader(file)]
