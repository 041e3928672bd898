"""Figure 5 of [Lee13] for reproduce-figures: matrix factorization, balanced by ratings against equal numbers of rows.

One process, one scheduler, one worker a core, in the simulator with the prices of its own machine; on two cores for
real as well. Ideal is the sweep of one worker, simulated, divided by the cores.
"""
import csv
import dataclasses
import statistics

from pictures import label_ends, plain_ticks, plt, save, write_csv

BALANCES = ("nonzeros", "rows")
COLOUR = {"nonzeros": "#D55E00", "rows": "#0072B2", "sorted": "#009E73"}
LABEL = {"nonzeros": "balanced", "rows": "rows", "sorted": "rows, popular first"}
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


def draw_curves(axis, runner, data, cores):
    rows, ends = [], []
    for balance in BALANCES:
        points = sweeps_of(runner, name_of(data, balance, cores))
        if not points:
            continue
        axis.plot([p["seconds"] for p in points], [p["objective"] / 1e6 for p in points], color=COLOUR[balance],
                  marker="o", markersize=3)
        ends.append((points[-1]["seconds"], points[-1]["objective"] / 1e6, LABEL[balance], COLOUR[balance]))
        rows += [(data.name, cores, balance, p["sweep"], p["seconds"], p["objective"], p["train_rmse"], p["test_rmse"])
                 for p in points]
    axis.set_xlim(left=0)
    axis.margins(y=0.15)
    axis.set_title(f"{cores} cores", fontsize=10)
    axis.set_xlabel("virtual seconds")
    return rows, ends


def scaling_lines(plan, data):
    """(key of COLOUR and LABEL, data, balance) of the lines in the last panel of a row."""
    lines = [(balance, data, balance) for balance in BALANCES]
    return [*lines, ("sorted", plan.sorted[data.name], "rows")] if data.name in plan.sorted else lines


def draw_scaling(axis, plan, runner, data):
    rows, ends = [], []
    one = sweep_seconds(sweeps_of(runner, name_of(data, "nonzeros", 1)))
    if one is None:
        return rows, ends
    cores_of_all = plan.all_cores()
    axis.plot(cores_of_all, [one / cores for cores in cores_of_all], color="#777777", linestyle=":", linewidth=1)
    ends.append((cores_of_all[-1], one / cores_of_all[-1], "ideal", "#777777"))
    for key, source, balance in scaling_lines(plan, data):
        points = [(1, one)] if key == "nonzeros" else []
        for cores in cores_of_all[1:]:
            done = sweeps_of(runner, name_of(source, balance, cores))
            seconds = sweep_seconds(done)
            if seconds is not None:
                points.append((cores, seconds))
                rows.append((data.name, key, cores, "simulated", seconds, one / cores, done[-1]["imbalance"]))
        if points:
            axis.plot(*zip(*points), color=COLOUR[key], marker="o", markersize=4)
            ends.append((*points[-1], LABEL[key], COLOUR[key]))
    real = draw_real(axis, runner, data)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_xticks(cores_of_all, [str(cores) for cores in cores_of_all])
    plain_ticks(axis)
    axis.set_xlabel("cores")
    axis.set_title("seconds a sweep" + ("; crosses: real" if real else ""), fontsize=10)
    return rows + real, ends


def draw_real(axis, runner, data):
    rows = []
    one = sweep_seconds(sweeps_of(runner, name_of(data, "nonzeros", 1, real=True)))
    for balance, cores in (("nonzeros", 1), *((balance, REAL_CORES) for balance in BALANCES)):
        done = sweeps_of(runner, name_of(data, balance, cores, real=True))
        seconds = sweep_seconds(done)
        if seconds is None:
            continue
        axis.plot([cores], [seconds], color=COLOUR[balance], marker="x", markersize=8, markeredgewidth=1.6)
        rows.append((data.name, balance, cores, "real", seconds, one / cores if one else "", done[-1]["imbalance"]))
    return rows


def draw(plan, runner, out):
    figure, grid = plt.subplots(len(plan.sets), len(plan.cores) + 1, figsize=(17, 3.7 * len(plan.sets)), squeeze=False,
                                gridspec_kw={"wspace": 0.5, "hspace": 0.55})
    curves, sweeps, ends = [], [], {}
    for data, axes in zip(plan.sets, grid):
        for axis, cores in zip(axes, plan.cores):
            rows, ends[axis] = draw_curves(axis, runner, data, cores)
            curves += rows
        rows, ends[axes[-1]] = draw_scaling(axes[-1], plan, runner, data)
        sweeps += rows
        axes[0].set_ylabel("objective / 1e6")
        axes[0].annotate(data.text, (0, 1.18), xycoords="axes fraction", fontsize=11)
    for axis, of_axis in ends.items():
        label_ends(axis, of_axis)
    save(figure, out / "balance")
    write_csv(out / "balance.csv",
              ["data", "cores", "balance", "sweep", "seconds", "objective", "train_rmse", "test_rmse"], curves)
    write_csv(out / "balance-sweeps.csv",
              ["data", "balance", "cores", "where", "seconds_a_sweep", "ideal", "imbalance"], sweeps)
