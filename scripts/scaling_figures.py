"""Time against cores, and messages against compute, for reproduce-figures."""
import itertools

from curves_figure import LAMBDAS, LAMBDA_TEXT
from pictures import cores_x, entry, finish, log_y, panels, read_csv, write_csv
from policy_curves import COLOUR, MARKER, POLICIES, budget, cluster, logical, policy_entry

ERRORS = (1e-3, 1e-4)
TWO = ("paper", "auto")  # the policies of the second figure
KINDS = {"depth": "rounds in flight, D (count)", "workers": "blocks a round, P (count)"}


def seconds_to(curve, target):
    return next((seconds for seconds, objective, _ in curve if objective <= target), None)


def scaling_jobs(plan, optima):
    for data in plan.scaling_data:
        for cores in plan.scaling_cores:
            for policy in POLICIES:
                target = optima[data.name] * (1 + 0.99e-4)
                more = [*LAMBDAS["tenth"], *cluster(cores, plan.scaling_host_cores), *logical(policy, cores),
                        "--target-objective", repr(target), *budget(data, plan.scaling_passes, cores)]
                yield f"scaling-{data.name}-{cores}-{policy}", data, more


def collect_scaling(plan, runner, optima, out):
    for data in plan.scaling_data:
        rows = []
        for error, policy, cores in itertools.product(ERRORS, POLICIES, plan.scaling_cores):
            found = seconds_to(runner.curve(f"scaling-{data.name}-{cores}-{policy}"), optima[data.name] * (1 + error))
            rows.append((data.name, error, policy, cores, "" if found is None else found))
        write_csv(out / f"scaling-{data.name}.csv", ["data", "error", "policy", "cores", "seconds"], rows)


def _line(axis, points, policy):
    axis.plot(*zip(*points), color=COLOUR[policy], marker=MARKER[policy], markersize=5.5, markeredgecolor="white",
              markeredgewidth=0.6)


def draw_scaling(plan, out, note):
    for data in plan.scaling_data:
        path = out / f"scaling-{data.name}"
        rows = [row for row in read_csv(path.with_suffix(".csv")) if row["seconds"] is not None]
        figure, grid = panels(1, len(ERRORS), height=3.7, sharey=True)
        for axis, error in zip(grid[0], ERRORS):
            for policy in POLICIES:
                points = [(row["cores"], row["seconds"]) for row in rows if row["policy"] == policy and row["error"] == error]
                if not points:
                    continue
                (cores, seconds), most = points[0], plan.scaling_cores[-1]
                axis.plot([cores, most], [seconds, seconds * cores / most], color=COLOUR[policy], linestyle=":", linewidth=1)
                _line(axis, points, policy)
            axis.set_yscale("log")
            cores_x(axis, plan.scaling_cores)
            axis.set_title(f"to a relative error of {error:g}", fontsize=10)
        log_y(grid[0][0])
        grid[0][0].set_ylabel("virtual time (s)")
        reached = [policy for policy in POLICIES if any(row["policy"] == policy for row in rows)]
        missing = [policy for policy in POLICIES if policy not in reached]
        ideal = entry("ideal, from the policy's first point", color="#555555", linestyle=":", linewidth=1)
        finish(figure, path, f"{data.text}; {LAMBDA_TEXT['tenth']}", [*map(policy_entry, reached), ideal],
               "where a point is missing the run's budget of updates or minutes ended before" +
               (f", which is everywhere for {' and '.join(filter(None, (', '.join(missing[:-1]), missing[-1])))}" if missing else "") + f"\n{note}")


def economics_jobs(plan, optima):
    data, cores = plan.scaling_data[-1], plan.economics_cores  # where `paper` comes to 1e-3
    target = ["--target-objective", repr(optima[data.name] * (1 + 0.99e-3))]
    for policy in TWO:
        for depth in plan.depths:
            yield (f"depth-{policy}-{depth}", data,
                   [*LAMBDAS["tenth"], *cluster(cores, plan.host_cores), *logical(policy, cores, depth=depth), *target,
                    *budget(data, plan.scaling_passes, cores)])
        for workers in plan.workers:
            yield (f"workers-{policy}-{workers}", data,
                   [*LAMBDAS["tenth"], *cluster(cores, plan.host_cores), *logical(policy, cores, workers=workers), *target,
                    *budget(data, plan.scaling_passes, workers)])


def collect_economics(plan, runner, optima, out):
    data, rows = plan.scaling_data[-1], []
    for kind, values in (("depth", plan.depths), ("workers", plan.workers)):
        for policy, value in itertools.product(TWO, values):
            name = f"{kind}-{policy}-{value}"
            found = seconds_to(runner.curve(name), optima[data.name] * (1 + 1e-3))
            summary = runner.summary(name) or {}
            rows.append((kind, policy, value, "" if found is None else found, summary.get("messages", ""),
                         summary.get("bytes", ""), summary.get("updates", "")))
    write_csv(out / "economics.csv", ["what", "policy", "value", "seconds", "messages", "bytes", "updates"], rows)


def draw_economics(plan, out, note):
    data, cores = plan.scaling_data[-1], plan.economics_cores
    rows = read_csv(out / "economics.csv")
    figure, (axes,) = panels(1, 3)
    panes = ((axes[0], "depth", plan.depths, lambda row: row["seconds"]),
             (axes[1], "workers", plan.workers, lambda row: row["seconds"]),
             (axes[2], "workers", plan.workers, lambda row: row["messages"] / row["updates"] if row["updates"] else None))
    for axis, kind, values, of in panes:
        for policy in TWO:
            points = [(row["value"], of(row)) for row in rows if (row["what"], row["policy"]) == (kind, policy)]
            points = [point for point in points if point[1] is not None]
            if points:
                _line(axis, points, policy)
        axis.set_yscale("log")
        cores_x(axis, values, KINDS[kind])
        log_y(axis)
        axis.set_ylabel("messages per update (count)" if axis is axes[2] else "virtual time to an error of 1e-3 (s)")
    finish(figure, out / "economics", f"{data.text}; {cores} cores; {LAMBDA_TEXT['tenth']}", [*map(policy_entry, TWO)],
           f"where a point is missing the run's budget of updates ended before\n{note}")
