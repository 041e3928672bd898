"""What an experiment found: a row for each point (table.csv), means and spread over seeds (means.csv), and the same for people."""
import csv
import io
import json
import statistics

from strads_report import tables
from strads_report.runs import NONE, Run

from strads_experiment.store import DONE

CONFLICTS = "conflicts"  # the only column that no summary has
SHORTENED = 0.999  # a step below it was shortened by the guard
LARGE = 1e7  # from there on with an exponent
ROUNDING = 1e-12  # of a mean: numbers that are no further apart are the same
HASHES = ("beta_hash", "path_hash", "model_hash")
# What is collected if [experiment] has no columns.
COLUMNS = {
    "lasso fit": ("relative_gap", "nonzeros", "rounds", "blocks_per_round", "updates", CONFLICTS, "seconds_solve"),
    "lasso path": ("lambdas_solved", "nonzeros_last", "relative_gap_worst", "rounds", "updates", "seconds_solve"),
    "lasso cv": ("lambda_min.lambda", "lambda_min.error", "lambda_min.nonzeros", "rounds", "updates", "seconds_solve"),
    "mf fit": ("test_rmse", "validation_rmse", "train_rmse", "sweeps", "best_sweep", "imbalance", "seconds_solve"),
    "mf cv": ("best.rank", "best.lambda", "best.test_rmse", "seconds_solve"),
    "svm fit": ("objective", "relative_gap", "support_vectors", "training_accuracy", "rounds", "updates", "seconds_solve"),
    "svm cv": ("best.cost", "best.error", "seconds_solve"),
    "lda fit": ("log_joint", "held_out_perplexity", "sweeps", "seconds_solve")}
OTHERS = ("objective", "rounds", "updates", "seconds_solve")
UNITS = {**{name: unit for name, unit in tables.RESULTS if unit}, CONFLICTS: "share"}


def columns_of(plan):
    given = plan.setting("columns")
    if given is None:
        return COLUMNS.get(" ".join(plan.command), OTHERS)
    return tuple(dict.fromkeys(name.strip() for name in given.split(",") if name.strip()))


def conflicts_of(run):
    """Of the rounds in trace.csv that changed something, the share whose deltas the guard shortened: their blocks were in
    conflict. A step of 0 is a round without a change, one just below 1 is rounding."""
    trace = run.table("trace.csv")
    if trace is None or "step" not in trace or "event" not in trace:
        return None
    steps = [step for step in trace.where("event", ("commit",)).numbers("step") if step]
    return sum(step < SHORTENED for step in steps) / len(steps) if steps else None


class Row:
    """One point: its figures by column, None where it has none."""

    def __init__(self, point, standing, columns, folder):
        self.point, self.standing, self.figures, self.hash = point, standing, {}, None
        if standing.state != DONE:
            return
        run = Run(folder, point.name, 0)
        for name in columns:
            value = conflicts_of(run) if name == CONFLICTS else run.fact(name)
            self.figures[name] = None if isinstance(value, (dict, list)) else value
        self.hash = next((run.fact(name) for name in HASHES if run.fact(name)), None)

    def is_done(self):
        return self.standing.state == DONE


def text_of(value):
    """As JSON has it: all digits; nothing where there is nothing."""
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)


def csv_of(header, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


def table_csv(plan, rows, columns):
    header = ["point", *plan.axes, "state", "exit_code", "stop_reason", "hash", *columns]
    return csv_of(header, ([row.point.name, *row.point.axes.values(), row.standing.state,
                            text_of(row.standing.record.get("exit_code")) if row.is_done() else "",
                            text_of((row.standing.summary or {}).get("stop_reason")), text_of(row.hash),
                            *(text_of(row.figures.get(name)) for name in columns)] for row in rows))


def groups_of(plan, rows):
    """[(values of the axes that no mean is taken over, rows that are done)], in the order of the grid."""
    groups = {}
    for row in rows:
        at = tuple(value for axis, value in row.point.axes.items() if axis not in plan.over)
        groups.setdefault(at, []).append(row)
    return [(at, [row for row in group if row.is_done()], len(group)) for at, group in groups.items()]


def numbers_of(rows, name):
    """The numbers of a column; None where some are none."""
    values = [row.figures.get(name) for row in rows]
    if any(isinstance(value, bool) or not isinstance(value, (int, float)) for value in values):
        return None
    return values or None


def spread(values):
    """Standard deviation of the sample, None of a single one."""
    return statistics.stdev(values) if len(values) > 1 else None


def kept_axes(plan):
    return [axis for axis in plan.axes if axis not in plan.over]


def means_csv(plan, rows, columns):
    columns = [name for name in columns if not any(isinstance(row.figures.get(name), str) for row in rows)]
    header = [*kept_axes(plan), "runs", *(f"{name}_{what}" for name in columns for what in ("mean", "sd"))]
    lines = []
    for at, group, _ in groups_of(plan, rows):
        cells = []
        for name in columns:
            values = numbers_of(group, name)
            cells += ["", ""] if values is None else [text_of(statistics.fmean(values)), text_of(spread(values))]
        lines.append([*at, len(group), *cells])
    return csv_of(header, lines)


def is_seconds(name):
    return "seconds" in name


def shown(value, name, whole):
    if value is None:
        return "-"
    if is_seconds(name):
        return f"{value:.3f} s"
    if isinstance(value, (bool, str)):
        return tables.shown(value)
    if abs(value) >= LARGE:
        return f"{value:.4g}"
    if whole and float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def cell(group, name):
    """A figure of one run; of several the mean and, behind +-, the spread."""
    values = numbers_of(group, name)
    if values is None:
        texts = {text_of(row.figures.get(name)) for row in group}
        return texts.pop() or "-" if len(texts) == 1 else f"{len(texts)} values" if texts else "-"
    whole = all(isinstance(value, int) for value in values)
    if len(values) == 1:
        return shown(values[0], name, whole)
    mean, deviation = statistics.fmean(values), spread(values)
    if deviation <= ROUNDING * abs(mean):
        return shown(mean, name, whole)
    short = f"{deviation:.2g}" if deviation < 100 or abs(mean) >= LARGE else f"{deviation:,.0f}"
    more = shown(deviation, name, whole) if is_seconds(name) else short
    return f"{shown(mean, name, whole)} +- {more}"


def heading(name):
    unit = UNITS.get(name, "")
    return f"{name} ({unit})" if unit and not is_seconds(name) else name


def printed(plan, rows, columns):
    """Lines of a table: a line for each point, or for all that differ in seed alone."""
    several = any(total > 1 for _, _, total in groups_of(plan, rows))
    head = [*kept_axes(plan), *(["runs"] if several else []), *map(heading, columns)]
    lines = [head]
    for at, group, total in groups_of(plan, rows):
        count = [str(len(group)) if len(group) == total else f"{len(group)} of {total}"] if several else []
        lines.append([*at, *count, *(cell(group, name) for name in columns)])
    left = [*[True] * len(kept_axes(plan)), *([False] if several else []), *map(is_seconds, columns)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return ["  ".join(value.ljust(width) if at_left else value.rjust(width)
                      for value, width, at_left in zip(line, widths, left)).rstrip() for line in lines]


def missing(rows, columns):
    """Columns that no run has which is done."""
    done = [row for row in rows if row.is_done()]
    return [name for name in columns if done and all(row.figures.get(name) in (None, *NONE) for row in done)]
