"""Draws charts with matplotlib as SVG and PNG. The same chart gives the same bytes."""
import io
import math

import matplotlib.patches
import matplotlib.pyplot as plt
import matplotlib.ticker

from strads_report.charts import Bars, Gantt
from strads_report.style import COLOURS, GREY, HATCHES, entry, look, style

SIZE = (4.7, 3.3)  # inches: 10 points in it can be read at 400 pixels and in a column of a paper
LEGEND_LETTERS = 52  # of a line of a legend
MARKERS_MAX = 9  # of a line: more of them hide it
SUPERSCRIPTS = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")
TICKS_X_MAX, TICKS_Y_MAX = 6, 8
TICKS_X_LETTERS = 27
SMALL = 0.001
BARS_MAX = 25  # more standard errors are drawn as a band
BAR_COLOURS = (COLOURS[0], COLOURS[6], COLOURS[5], "#ffffff", "#bbbbbb")
MARK_DASHES = ("--", ":", "-.", "-")


def plain(text):
    """A dollar begins no formula, and a name may begin with an underscore."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def power_or_number(value, _=None):
    """0.01, 1, 1,000, and powers of ten where that is longer."""
    power = math.floor(math.log10(value) + 1e-9) if value > 0 else 0
    if not -4 < power < 5:
        digits = f"{value / 10.0 ** power:g}"
        return ("" if digits == "1" else f"{digits}\u00b7") + "10" + str(power).translate(SUPERSCRIPTS)
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"


def ticks_within(low, high, most):
    """The most that are no more than `most`, of round numbers between low and high."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    sets = [[10.0 ** power for power in range(first, last + 1) if (power - last) % stride == 0] for stride in (6, 4, 3, 2, 1)]
    for digits in ((1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9)):
        sets.append([digit * 10.0 ** power for power in range(first, last + 1) for digit in digits])
    within = [[tick for tick in ticks if low <= tick <= high] for ticks in sets]
    return max((ticks for ticks in within if len(ticks) <= most), key=len)


def log_axis(axis, most, letters_max=None):
    """letters_max: of all ticks together, where they stand side by side."""
    ends = sorted(axis.get_view_interval())
    ticks = ticks_within(*ends, most)
    while letters_max and most > 2 and sum(len(power_or_number(tick)) for tick in ticks) > letters_max:
        most -= 1
        ticks = ticks_within(*ends, most)
    axis.set_major_locator(matplotlib.ticker.FixedLocator(ticks))
    axis.set_minor_locator(matplotlib.ticker.NullLocator())
    axis.set_major_formatter(matplotlib.ticker.FuncFormatter(power_or_number))


def even_axis(axis, values):
    """Evenly spaced ticks, whole ones for whole numbers."""
    whole = all(float(value).is_integer() for value in values)
    axis.set_major_locator(matplotlib.ticker.MaxNLocator(nbins=6, integer=whole, steps=(1, 2, 2.5, 5, 10)))
    if max(map(abs, values)) >= 1000:
        axis.set_major_formatter(matplotlib.ticker.FuncFormatter(lambda tick, _: f"{tick:,.0f}"))
    else:
        axis.set_major_formatter(matplotlib.ticker.ScalarFormatter(useOffset=False))


def spans_a_decade(values):
    return min(values) > 0 and max(values) / min(values) >= 10


def _scales(axes, chart):
    xs = [x for series in chart.series for x in series.xs]
    ys = [y for series in chart.series for y in series.ys] + [level.y for level in chart.levels]
    axes.set_xlabel(chart.x.text)
    axes.set_ylabel(chart.y.text)
    if chart.x.log:
        axes.set_xscale("log")
        if min(xs) == max(xs):
            axes.set_xlim(min(xs) / 2, max(xs) * 2)
        log_axis(axes.xaxis, TICKS_X_MAX, TICKS_X_LETTERS)
    else:
        even_axis(axes.xaxis, xs)
    # A logarithmic axis of less than a decade is hardly another one, and its ticks are uneven. Of small numbers it is better
    # than a factor above the axis.
    small = max(ys) < SMALL and not spans_a_decade(ys)
    if chart.y.log and (spans_a_decade(ys) or small):
        axes.set_yscale("log")
        if small:
            axes.set_ylim(min(ys) / 4, max(ys) * 4)
        log_axis(axes.yaxis, TICKS_Y_MAX)
    else:
        if min(ys) == max(ys) and min(ys) > 0:
            axes.set_ylim(0, 1.2 * max(ys))
        even_axis(axes.yaxis, ys)
    if chart.x.inverted:
        axes.invert_xaxis()


def _lines(axes, chart):
    for place, series in enumerate(chart.series):
        how = look(series.look)
        every = max(1, math.ceil(len(series.xs) / MARKERS_MAX))
        if not series.joined:
            how.update(linestyle="", markersize=3, markeredgewidth=0)
            every = 1
        if len(series.errors) > BARS_MAX:
            lows, highs = zip(*((y - error, y + error) for y, error in zip(series.ys, series.errors)))
            axes.fill_between(series.xs, lows, highs, color=how["color"], alpha=0.2, linewidth=0)
        elif series.errors:
            axes.errorbar(series.xs, series.ys, series.errors, fmt="none", ecolor=how["color"], elinewidth=0.8, capsize=1.5)
        line, = axes.plot(series.xs, series.ys, markevery=((2 * place) % every, every), **how)
        line.set_gid(f"points-{place}")


def _marks(axes, chart):
    """Levels, and what was chosen; returns what a legend says of them."""
    entries = []
    for level in chart.levels:
        axes.axhline(level.y, color=GREY, linewidth=1, linestyle=(0, (1, 1.5)))
        text = plain(f"{level.text} {power_or_number(level.y)}")
        entries.append(entry(text, color=GREY, linewidth=1, linestyle=(0, (1, 1.5))))
    for number, mark in enumerate(chart.marks):
        if mark.y is None:
            dashes = MARK_DASHES[number % len(MARK_DASHES)]
            axes.axvline(mark.x, color=GREY, linewidth=1.3, linestyle=dashes)
            entries.append(entry(plain(mark.text), color=GREY, linewidth=1.3, linestyle=dashes))
        else:
            how = {"marker": "o" if number % 2 == 0 else "s", "markersize": 12 + 4 * number, "markerfacecolor": "none",
                   "markeredgecolor": "#000000", "markeredgewidth": 1.4, "linestyle": ""}
            axes.plot([mark.x], [mark.y], clip_on=False, zorder=5, **how)
            entries.append(entry(plain(mark.text), **{**how, "markersize": 8 + 2 * number}))
    return entries


def _bars(axes, chart):
    """Rows from above, as they are listed."""
    lefts = [0.0] * len(chart.rows)
    entries = []
    places = [len(chart.rows) - 1 - row for row in range(len(chart.rows))]
    for number, (label, values) in enumerate(chart.parts):
        colour = BAR_COLOURS[number % len(BAR_COLOURS)]
        bars = axes.barh(places, values, left=lefts, height=0.62, color=colour, edgecolor="#000000", linewidth=0.6,
                         hatch=HATCHES[number % len(HATCHES)])
        for row, bar in enumerate(bars):
            bar.set_gid(f"bar-{number}-{row}")
        lefts = [left + value for left, value in zip(lefts, values)]
        entries.append(matplotlib.patches.Patch(facecolor=colour, edgecolor="#000000", linewidth=0.6, label=plain(label),
                                                hatch=HATCHES[number % len(HATCHES)]))
    axes.set_yticks(places, [plain(row) for row in chart.rows])
    axes.grid(False, axis="y")
    axes.set_xlabel(chart.x.text)
    axes.set_xlim(left=0)
    even_axis(axes.xaxis, lefts)
    return entries if len(entries) > 1 else []


GANTT = (COLOURS[0], "#dddddd", COLOURS[5], COLOURS[6], COLOURS[1], "#777777")  # by place among gantt.PARTS


def _gantt(axes, chart):
    """Rows from above. Colours differ in lightness too; narrow bars have no edge, which would hide them. With several rounds in
    flight a block is computed while others of its worker wait or travel: what computes lies on top."""
    span = max(high for _, bars in chart.parts for _, _, high, _ in bars)
    entries = []
    for number, (label, bars) in enumerate(chart.parts):
        place = chart.looks[number]
        for row, low, high, text in bars:
            thin, order = place == 2, {1: 3, 2: 2}.get(place, 4)
            y = len(chart.rows) - 1 - row
            axes.broken_barh([(low, high - low)], (y - (0.14 if thin else 0.36), 0.28 if thin else 0.72), facecolors=GANTT[place],
                             edgecolors="#000000", linewidth=0.4 if high - low > 0.01 * span else 0, zorder=order)
            if text and high - low > 0.018 * span * len(text):
                axes.text((low + high) / 2, y, text, ha="center", va="center", fontsize=7, color="#ffffff", zorder=5)
        entries.append(matplotlib.patches.Patch(facecolor=GANTT[place], edgecolor="#000000", linewidth=0.6, label=plain(label)))
    for x in chart.lines:
        axes.axvline(x, color=GREY, linewidth=0.7, linestyle=(0, (1, 1.5)), zorder=1)
    if chart.lines:
        entries.append(entry("commit", color=GREY, linewidth=1, linestyle=(0, (1, 1.5))))
    axes.set_yticks(range(len(chart.rows)), [plain(row) for row in reversed(chart.rows)])
    axes.set_ylim(-0.6, len(chart.rows) - 0.4)
    axes.grid(False, axis="y")
    axes.set_xlabel(chart.x.text)
    axes.set_xlim(0, span)
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(nbins=6, steps=(1, 2, 2.5, 5, 10)))
    return entries


def _series_entries(chart):
    if len(chart.series) == 1 and not chart.marks and not chart.levels:
        return []
    return [entry(plain(series.label), **{**look(series.look), **({} if series.joined else {"linestyle": ""})})
            for series in chart.series]


def _title_and_legend(figure, title, entries):
    height = figure.get_size_inches()[1]
    lines = 0
    if entries:
        longest = max(len(each.get_label()) for each in entries) + 5
        columns = max(1, min(len(entries), LEGEND_LETTERS // longest))
        lines = math.ceil(len(entries) / columns)
        figure.legend(handles=entries, loc="lower center", bbox_to_anchor=(0.5, 1 + 0.04 / height), ncol=columns, frameon=False,
                      borderaxespad=0, handlelength=2.8, columnspacing=1.4, fontsize=9)
    figure.text(0.5, 1 + (0.1 + 0.19 * lines) / height, plain(title), ha="center", va="bottom", fontsize=11)


def draw(chart, formats):
    """{format: bytes} of "svg" and "png"."""
    style()
    plt.rcParams.update({"path.simplify": False, "font.family": "sans-serif"})
    rows = len(chart.rows) if isinstance(chart, (Bars, Gantt)) else 0
    width, height = SIZE[0], min(9.0, 0.6 + 0.32 * rows) if rows else SIZE[1]
    figure, axes = plt.subplots(figsize=(width, height))
    # What stands beside the axes widens the picture when it is saved.
    figure.subplots_adjust(left=0.65 / width, right=1 - 0.1 / width, bottom=0.5 / height, top=1 - 0.05 / height)
    try:
        if isinstance(chart, Gantt):
            entries = _gantt(axes, chart)
        elif rows:
            entries = _bars(axes, chart)
        else:
            _lines(axes, chart)
            marked = _marks(axes, chart)  # a level widens the axis: ticks come after it
            _scales(axes, chart)
            entries = _series_entries(chart) + marked
        _title_and_legend(figure, chart.title, entries)
        drawn = {}
        for kind in formats:
            buffer = io.BytesIO()
            more = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": 200, "metadata": {"Software": None}}
            figure.savefig(buffer, format=kind, bbox_inches="tight", pad_inches=0.05, **more)
            drawn[kind] = buffer.getvalue()
        return drawn
    finally:
        plt.close(figure)
