"""How all charts look, those of reports and those of docs/figures. Needs matplotlib.

Colours are Okabe and Ito's (https://jfly.uni-koeln.de/color/), which everybody can tell apart. Lines differ in markers and
dashes as well, for prints without colour. Text stays text in SVG."""
import logging

logging.getLogger("matplotlib").setLevel(logging.ERROR)  # not that it makes its list of fonts, at its first start
import matplotlib
matplotlib.use("Agg")
import matplotlib.lines
import matplotlib.pyplot as plt

# Okabe and Ito's without yellow, which is too light for a line on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))
HATCHES = ("", "///", "...", "", "xxx")
GREY = "#555555"


def style():
    plt.rcParams.update({"font.size": 10, "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True,
                         "axes.axisbelow": True, "grid.color": "#dddddd", "grid.linewidth": 0.6, "lines.linewidth": 1.6,
                         "svg.fonttype": "none", "svg.hashsalt": "strads"})


def entry(text, **how):
    """What a legend shows for a line."""
    return matplotlib.lines.Line2D([], [], label=text, **how)


def look(number):
    """Colour, marker and dashes of line `number`, from 0."""
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)],
            "linestyle": DASHES[(number % len(COLOURS) + number // len(COLOURS)) % len(DASHES)], "markersize": 5,
            "markeredgecolor": "white", "markeredgewidth": 0.5}
