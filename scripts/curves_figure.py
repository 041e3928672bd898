"""Figures 1 and 4 of [Lee13] for reproduce-figures: the Lasso's objective against virtual time."""
import policy_curves
from pictures import finish, log_y, panels, write_csv

LAMBDAS = {"published": ["--lambda", "5e-4"], "tenth": ["--lambda-ratio", "0.1"]}
LAMBDA_TEXT = {"published": "lambda = 5e-4, as published", "tenth": "lambda = lambda_max / 10"}
OBJECTIVE = "objective F (no unit; |y| = 1)"
AT_ZERO = 0.5  # F(0)


def collect(plan, runner, out):
    for data in plan.curves_data:
        for weight in LAMBDAS:
            write_csv(out / f"figure4-{data.name}-{weight}.csv", policy_curves.HEADER,
                      policy_curves.rows_of(runner, data, weight, plan.curves_cores))


def _limit(axis, curves):
    """What diverges leaves the panel at its top."""
    lowest = min((one["objective"] for points in curves.values() for one in points), default=AT_ZERO)
    axis.set_yscale("log")
    axis.set_ylim(lowest * 0.8, AT_ZERO * 1.3)
    log_y(axis)


def draw(plan, out, note):
    note += "; what leaves a panel at its top has diverged"
    for data in plan.curves_data:
        for weight in LAMBDAS:
            path = out / f"figure4-{data.name}-{weight}"
            curves = policy_curves.read_curves(path.with_suffix(".csv"))
            figure, grid = panels(1, len(plan.curves_cores), sharey=True)
            for axis, cores in zip(grid[0], plan.curves_cores):
                policy_curves.draw(axis, curves, cores)
            _limit(grid[0][0], curves)
            grid[0][0].set_ylabel(OBJECTIVE)
            finish(figure, path, f"{data.text}; {LAMBDA_TEXT[weight]}", policy_curves.entries(), note)
    _draw_first(plan, out, note)


def _draw_first(plan, out, note):
    """Figure 1: two of the policies, on most cores."""
    data, cores, policies = plan.curves_data[0], plan.curves_cores[-1], ("paper", "uniform")
    curves = policy_curves.read_curves(out / f"figure4-{data.name}-published.csv")
    figure, grid = panels(1, 1, width=6.4, height=3.8)
    policy_curves.draw(grid[0][0], curves, cores, policies)
    _limit(grid[0][0], {key: points for key, points in curves.items() if key[0] == cores and key[1] in policies})
    grid[0][0].set_ylabel(OBJECTIVE)
    finish(figure, out / "figure1", f"{data.text};\n{LAMBDA_TEXT['published']}", policy_curves.entries(policies),
           note.replace("; what", ";\nwhat"))
