"""Charts of a table: each column against an axis of numbers, a line for each combination of the others, with the spread over
seeds as bars. Drawn by strads-report."""
import statistics

from strads_report.charts import Axis, chart
from strads_report.runs import is_number

from strads_experiment import table

WIDE = 8  # times the smallest value: from there on an axis is logarithmic
LINES_MAX = 28  # so many look different


def axis_of(plan):
    """The axis of numbers with most values; None where there is none."""
    axes = [axis for axis in table.kept_axes(plan) if len(plan.axes[axis]) > 1 and all(map(is_number, plan.axes[axis]))]
    return max(axes, key=lambda axis: len(plan.axes[axis]), default=None)


def is_wide(values):
    return min(values) > 0 and max(values) >= WIDE * min(values)


def lines_of(plan, rows, axis, column):
    """{label: [(x, mean, spread)]} of a column; combinations without a number are left out."""
    place, lines = table.kept_axes(plan).index(axis), {}
    for at, group, _ in table.groups_of(plan, rows):
        values = table.numbers_of(group, column)
        if values is not None:
            label = ", ".join(value for other, value in enumerate(at) if other != place) or column
            lines.setdefault(label, []).append((float(at[place]), statistics.fmean(values), table.spread(values) or 0.0))
    return {label: sorted(points) for label, points in lines.items()}


def unit_of(rows, column):
    """A column with its unit, under the name that the table has."""
    counts = all(isinstance(row.figures.get(column), int) for row in rows if row.is_done())
    unit = "s" if table.is_seconds(column) else table.UNITS.get(column, "count" if counts else "no unit")
    return f"{column} ({unit})"


def charts(plan, rows, columns):
    axis = axis_of(plan)
    if axis is None:
        return
    for column in columns:
        lines = lines_of(plan, rows, axis, column)
        points = [point for line in lines.values() for point in line]
        if not points or len(lines) > LINES_MAX or len({x for x, _, _ in points}) < 2:
            continue
        x = Axis(f"{axis} (as given)", log=is_wide([x for x, _, _ in points]))
        y = Axis(unit_of(rows, column), log=is_wide([mean for _, mean, _ in points]))
        over = f"Bars are one standard deviation over {' and '.join(plan.over)}, up and down." if plan.over else ""
        yield chart(f"grid-{column.replace('_', '-').replace('.', '-')}", f"{column} by {axis}",
                    " ".join(filter(None, ["Of the points of the grid that are done.", over])), x, y,
                    [(label, *zip(*((x, mean) for x, mean, _ in line)), {"look": look, "errors": [spread for _, _, spread in line]})
                     for look, (label, line) in enumerate(lines.items())])
