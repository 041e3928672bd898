"""Figure 4 of [Lee13] for reproduce-figures with logistic regression: the same genotypes, y cut at its median.

Objective, sum log(1 + exp) + lambda |b|_1, against virtual seconds and against updates. Its scale is not the squared
loss's: F(0) = N log 2 for as many cases as controls, and a number such as the paper's lambda = 5e-4 means something else, so
that lambda is given as a share of lambda_max.
"""
import dataclasses
import math

import policy_curves
from pictures import label_ends, plain_ticks, plt, save, write_csv
from policy_curves import COLOUR, LABEL, POLICIES

LAMBDAS = {"tenth": ["--lambda-ratio", "0.1"], "hundredth": ["--lambda-ratio", "0.01"]}
LAMBDA_TEXT = {"tenth": "lambda = lambda_max / 10", "hundredth": "lambda = lambda_max / 100"}
AXES = ((0, "virtual seconds"), (2, "coordinate updates"))  # columns of a curve


@dataclasses.dataclass
class Plan:
    data: object
    cores: list


def curves_of(runner, plan, weight, cores):
    """(policy, guard, points) of the runs that there are."""
    for policy in POLICIES:
        for guard in (True, False):
            points = policy_curves.thinned(runner.curve(policy_curves.name_of(plan.data, weight, cores, policy, guard)))
            if points:
                yield policy, guard, points


def draw_panel(axis, curves, cores, column, text):
    """The first point, F(0), has no update: a logarithmic axis begins at the second one."""
    ends = []
    for policy, guard, points in curves:
        shown = [point for point in points if point[column] > 0]
        policy_curves.draw(axis, shown, policy, guard, column)
        if guard and shown:
            ends.append((shown[-1][column], shown[-1][1], LABEL[policy], COLOUR[policy]))
    axis.set_xscale("log")
    axis.set_xlabel(text)
    axis.set_title(f"{cores} cores", fontsize=10)
    return ends


def draw(plan, runner, out):
    for weight in LAMBDAS:
        figure, grid = plt.subplots(len(plan.cores), len(AXES), figsize=(12, 4 * len(plan.cores)), sharey=True, squeeze=False,
                                    gridspec_kw={"wspace": 0.42, "hspace": 0.4})
        rows, ends, at_zero, low = [], {}, 0.0, math.inf
        for cores, axes in zip(plan.cores, grid):
            curves = list(curves_of(runner, plan, weight, cores))
            for (column, text), axis in zip(AXES, axes):
                ends[axis] = draw_panel(axis, curves, cores, column, text)
            for policy, guard, points in curves:
                rows += [(plan.data.name, weight, cores, policy, "on" if guard else "off", *point) for point in points]
                at_zero, low = max(at_zero, points[0][1]), min(low, min(point[1] for point in points))
        for axis in grid.flat:  # what diverges leaves the picture above F(0)
            axis.set_yscale("log")
            if rows:
                axis.set_ylim(low * 0.9, at_zero * 1.2)
            plain_ticks(axis)
        for axis, of_axis in ends.items():
            label_ends(axis, of_axis)
        for axes in grid:
            axes[0].set_ylabel("objective")
        figure.suptitle(f"{plan.data.text}, y cut at its median; {LAMBDA_TEXT[weight]}; dashed: without the guard", fontsize=11,
                        y=1.0 if len(plan.cores) == 1 else 0.94)
        save(figure, out / f"logistic-{weight}")
        write_csv(out / f"logistic-{weight}.csv",
                  ["data", "lambda", "cores", "policy", "guard", "seconds", "objective", "updates"], rows)
