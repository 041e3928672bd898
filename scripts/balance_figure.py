"""Figure 5 of [Lee13] for reproduce-figures: matrix factorization, balanced by ratings against equal numbers of rows.

One process, one scheduler, one worker a core, in the simulator with the prices of its own machine; on two cores for
real as well. Ideal is the sweep of one worker, simulated, divided by the cores.
"""
import csv
import dataclasses
import statistics

from pictures import cores_x, entry, finish, log_y, panels, read_csv, write_csv

BALANCES = ("nonzeros", "rows")
COLOUR = {"nonzeros": "#D55E00", "rows": "#0072B2", "sorted": "#009E73"}
MARKER = {"nonzeros": "o", "rows": "s", "sorted": "^"}
LABEL = {"nonzeros": "equal ratings (balanced)", "rows": "equal rows", "sorted": "equal rows, popular first"}
IDEAL = {"color": "#bbbbbb", "linewidth": 5}  # under the others: the balanced line lies on it
REAL_CORES = 2


@dataclasses.dataclass
class Plan:
    sets: list    # what a row of the figure shows
    sorted: dict  # by the name of one of them: the same with users and items numbered by their ratings
    cores: list

    def all_data(self):
        return [*self.sets, *self.sorted.values()]

    def all_cores(self):
        return [1, REAL_CORES, *self.cores]


def name_of(data, balance, cores, real=False):
    return f"balance-{data.name}-{balance}-{cores}{'-real' if real else ''}"


def options_of(balance, cores):
    return ["--balance", balance, "--schedulers", "1", "--workers", str(cores)]


def simulated(data, balance, cores):
    return (name_of(data, balance, cores), data,
            [*options_of(balance, cores), "--preset", "this-machine", "--embedded", "--cores", str(cores)])


def jobs(plan):
    for data in plan.sets:
        yield simulated(data, "nonzeros", 1)
        for cores in plan.all_cores()[1:]:
            for balance in BALANCES:
                yield simulated(data, balance, cores)
    for data in plan.sorted.values():
        for cores in plan.cores:
            yield simulated(data, "rows", cores)


def real_fits(plan):
    for data in plan.sets:
        for balance, cores in (("nonzeros", 1), *((balance, REAL_CORES) for balance in BALANCES)):
            yield (name_of(data, balance, cores, real=True), data,
                   [*options_of(balance, cores), "--threads", str(cores)])


def sweeps_of(runner, name):
    """Rows of a run, one a sweep: a simulated one's curve, a real one's trace."""
    folder = runner.folder / name
    path = next((folder / file for file in ("curve.csv", "trace.csv") if (folder / file).exists()), None)
    if path is None:
        return []
    with open(path, encoding="utf-8") as file:
        return [{key: float(value) if value else "" for key, value in row.items()} for row in csv.DictReader(file)]


def sweep_seconds(rows):
    """The median sweep without the first, which finds all users at 0; None where there are too few."""
    ends = [row["seconds"] for row in rows]
    return statistics.median(b - a for a, b in zip(ends, ends[1:])) if len(ends) > 1 else None


def scaling_lines(plan, data):
    """(key of COLOUR and LABEL, data, balance) of the lines in the last panel of a row."""
    lines = [(balance, data, balance) for balance in BALANCES]
    return [*lines, ("sorted", plan.sorted[data.name], "rows")] if data.name in plan.sorted else lines


def rows_of_sweeps(plan, runner, data):
    """Seconds a sweep by cores, simulated and real. Of one core nothing but the ideal is written: it is the same."""
    one = sweep_seconds(sweeps_of(runner, name_of(data, "nonzeros", 1)))
    for key, source, balance in scaling_lines(plan, data) if one is not None else []:
        for cores in plan.all_cores()[1:]:
            done = sweeps_of(runner, name_of(source, balance, cores))
            seconds = sweep_seconds(done)
            if seconds is not None:
                yield data.name, key, cores, "simulated", seconds, one / cores, done[-1]["imbalance"]
    one = sweep_seconds(sweeps_of(runner, name_of(data, "nonzeros", 1, real=True)))
    for balance, cores in (("nonzeros", 1), *((balance, REAL_CORES) for balance in BALANCES)):
        done = sweeps_of(runner, name_of(data, balance, cores, real=True))
        seconds = sweep_seconds(done)
        if seconds is not None:
            yield data.name, balance, cores, "real", seconds, one / cores if one else "", done[-1]["imbalance"]


def collect(plan, runner, out):
    curves = [(data.name, cores, balance, p["sweep"], p["seconds"], p["objective"], p["train_rmse"], p["test_rmse"])
              for data in plan.sets for cores in plan.cores for balance in BALANCES
              for p in sweeps_of(runner, name_of(data, balance, cores))]
    write_csv(out / "balance.csv",
              ["data", "cores", "balance", "sweep", "seconds", "objective", "train_rmse", "test_rmse"], curves)
    write_csv(out / "balance-sweeps.csv", ["data", "balance", "cores", "where", "seconds_a_sweep", "ideal", "imbalance"],
              [row for data in plan.sets for row in rows_of_sweeps(plan, runner, data)])


def draw_curves(axis, rows, cores):
    for balance in BALANCES:
        points = [row for row in rows if row["balance"] == balance and row["cores"] == cores]
        axis.plot([p["seconds"] for p in points], [p["objective"] / 1e6 for p in points], color=COLOUR[balance],
                  marker=MARKER[balance], markersize=4)
    axis.set_xlim(left=0)
    axis.set_title(f"{cores} cores", fontsize=10)
    axis.set_xlabel("virtual time (s)")


def draw_scaling(axis, plan, rows):
    simulated = [row for row in rows if row["where"] == "simulated"]
    cores_of_all = plan.all_cores()
    if simulated:
        one = simulated[0]["ideal"] * simulated[0]["cores"]
        axis.plot([1, cores_of_all[-1]], [one, one / cores_of_all[-1]], solid_capstyle="butt", **IDEAL)
        for key in LABEL:
            points = [(row["cores"], row["seconds_a_sweep"]) for row in simulated if row["balance"] == key]
            points = [(1, one), *points] if key == "nonzeros" else points
            if points:
                axis.plot(*zip(*points), color=COLOUR[key], marker=MARKER[key], markersize=5, markeredgecolor="white",
                          markeredgewidth=0.6)
    for row in rows:
        if row["where"] == "real":
            axis.plot([row["cores"]], [row["seconds_a_sweep"]], color=COLOUR[row["balance"]], marker="x", markersize=8,
                      markeredgewidth=1.8)
    axis.set_yscale("log")
    cores_x(axis, cores_of_all)
    log_y(axis)
    axis.set_ylabel("time of a sweep (s)")
    axis.set_title("time by cores", fontsize=10)


def draw(plan, out, note):
    curves, sweeps = read_csv(out / "balance.csv"), read_csv(out / "balance-sweeps.csv")
    figure, grid = panels(len(plan.sets), len(plan.cores) + 1, height=2.9,
                          gridspec_kw={"width_ratios": [1] * len(plan.cores) + [1.25]})
    for data, axes in zip(plan.sets, grid):
        own = [row for row in curves if row["data"] == data.name]
        for axis, cores in zip(axes, plan.cores):
            draw_curves(axis, own, cores)
            axis.sharey(axes[0])
            axis.tick_params(labelleft=axis is axes[0])
        draw_scaling(axes[-1], plan, [row for row in sweeps if row["data"] == data.name])
        axes[0].set_ylabel(f"{data.text.split(':')[0]}\nobjective (1e6 squared ratings)")
    entries = [entry(LABEL[key], color=COLOUR[key], marker=MARKER[key], markersize=5) for key in
               [*BALANCES, *(["sorted"] if plan.sorted else [])]]
    entries.append(entry("ideal: one core / cores", **IDEAL))
    entries.append(entry("real, on two cores", color="#555555", marker="x", markersize=8, markeredgewidth=1.8, linestyle=""))
    finish(figure, out / "balance", "; ".join(data.text for data in plan.sets), entries, note)
