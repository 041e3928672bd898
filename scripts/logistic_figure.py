"""Figure 4 of [Lee13] for reproduce-figures with logistic regression: the same genotypes, y cut at its median.

Objective, sum log(1 + exp) + lambda |b|_1, against virtual seconds and against updates. Its scale is not the squared
loss's: F(0) = N log 2 for as many cases as controls, and a number such as the paper's lambda = 5e-4 means something else, so
that lambda is given as a share of lambda_max.
"""
import dataclasses

import policy_curves
from pictures import finish, log_y, panels, write_csv

LAMBDAS = {"tenth": ["--lambda-ratio", "0.1"], "hundredth": ["--lambda-ratio", "0.01"]}
LAMBDA_TEXT = {"tenth": "lambda = lambda_max / 10", "hundredth": "lambda = lambda_max / 100"}
AXES = ("seconds", "updates")


@dataclasses.dataclass
class Plan:
    data: object
    cores: list


def collect(plan, runner, out):
    for weight in LAMBDAS:
        write_csv(out / f"logistic-{weight}.csv", policy_curves.HEADER,
                  policy_curves.rows_of(runner, plan.data, weight, plan.cores))


def draw(plan, out, note):
    for weight in LAMBDAS:
        path = out / f"logistic-{weight}"
        curves = policy_curves.read_curves(path.with_suffix(".csv"))
        figure, grid = panels(len(plan.cores), len(AXES), height=3.7, sharey=True)
        for cores, axes in zip(plan.cores, grid):
            for x, axis in zip(AXES, axes):
                policy_curves.draw(axis, curves, cores, x=x)
            axes[0].set_ylabel("objective F, sum of losses (nats)")
        every = [one["objective"] for points in curves.values() for one in points]
        at_zero = max((points[0]["objective"] for points in curves.values()), default=1.0)
        for axis in grid.flat:  # what diverges leaves the picture above F(0)
            axis.set_yscale("log")
            axis.set_ylim(min(every, default=0.1) * 0.9, at_zero * 1.2)
            log_y(axis)
        finish(figure, path, f"{plan.data.text}, y cut at its median; {LAMBDA_TEXT[weight]}", policy_curves.entries(),
               "without the guard most curves lie on those with it\n"
               f"F(0), before the first update, has no place on the axis of updates\n{note}")
