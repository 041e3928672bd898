"""What a chart shows, before it is drawn: numbers, axes with their units, and a line that says what it is."""
import dataclasses

POINTS_MAX = 2000  # of a line: more are thinned evenly, which the chart's text says


@dataclasses.dataclass(frozen=True)
class Axis:
    text: str  # with the unit
    log: bool = False
    inverted: bool = False


@dataclasses.dataclass(frozen=True)
class Series:
    """One line; `errors`: one standard error up and down. `look`: number of its style."""
    label: str
    xs: tuple
    ys: tuple
    look: int = 0
    errors: tuple = ()
    joined: bool = True


@dataclasses.dataclass(frozen=True)
class Mark:
    """What is marked: a vertical line at x, or a point where y is given."""
    text: str
    x: float
    y: float = None


@dataclasses.dataclass(frozen=True)
class Level:
    text: str
    y: float


@dataclasses.dataclass(frozen=True)
class Chart:
    name: str  # of its file and of its anchor
    title: str
    text: str
    x: Axis
    y: Axis
    series: tuple
    marks: tuple = ()
    levels: tuple = ()


@dataclasses.dataclass(frozen=True)
class Bars:
    """Horizontal bars, a row for each of `rows`; parts (label, values) stand behind one another."""
    name: str
    title: str
    text: str
    x: Axis
    rows: tuple
    parts: tuple


@dataclasses.dataclass(frozen=True)
class Gantt:
    """A row for each of `rows`; parts (label, bars), a bar (row, begin, end, text). `lines`: x of vertical lines."""
    name: str
    title: str
    text: str
    x: Axis
    rows: tuple
    parts: tuple
    looks: tuple  # of each part, its place in draw.GANTT
    lines: tuple = ()


def thinned(values, step):
    """Every step-th value and the last."""
    kept = values[::step]
    return kept if not values or (len(values) - 1) % step == 0 else (*kept, values[-1])


def points(label, xs, ys, x, y, look=0, errors=None, joined=True):
    """(series, what is said of points that are left out). Points without a number are none. The series is None where
    nothing is left."""
    errors = errors or [None] * len(xs)
    there = [(a, b, e) for a, b, e in zip(xs, ys, errors) if a is not None and b is not None]
    shown = [(a, b, e) for a, b, e in there if (a > 0 or not x.log) and (b > 0 or not y.log)]
    said = []
    if len(shown) < len(there):
        count = len(there) - len(shown)
        said.append(f"{label}: {count} {'point' if count == 1 else 'points'} at 0 or below cannot be on a logarithmic axis.")
    if len(shown) > POINTS_MAX:
        step = -(-len(shown) // POINTS_MAX)
        said.append(f"{label}: one of {step} points is drawn.")
        shown = thinned(tuple(shown), step)
    if not shown:
        return None, said
    columns = tuple(zip(*shown))
    bars = columns[2] if any(error is not None for error in columns[2]) else ()
    return Series(label, columns[0], columns[1], look, tuple(error or 0.0 for error in bars), joined), said


def chart(name, title, text, x, y, lines, marks=(), levels=()):
    """A chart of lines, each the arguments (label, xs, ys) of points() and a dict of its further ones; None where no line has
    a point."""
    series, said = [], []
    for label, xs, ys, more in lines:
        line, left_out = points(label, xs, ys, x, y, **more)
        series += [line] if line else []
        said += left_out
    return Chart(name, title, " ".join([text, *said]), x, y, tuple(series), tuple(marks), tuple(levels)) if series else None
