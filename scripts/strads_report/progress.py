"""Charts over time and work, from trace.csv: one table a kind of trace says which column is drawn how. Runs of one kind share
a chart."""
import dataclasses

from strads_report.charts import Axis, Level, Mark, chart

SECONDS = ("seconds", Axis("time of solving (s)", log=True))
UPDATES = ("updates", Axis("updates of a variable (count)", log=True))
RATINGS = ("updates", Axis("ratings or rows visited (count)", log=True))
TOKENS = ("updates", Axis("topics drawn (count)", log=True))
SWEEPS = ("sweep", Axis("sweep (number)"))
ROUNDS = (("round", Axis("round (number)")),)
GROUPS_MAX = 60  # of rounds: so many means are drawn where there are more
BARRIERS = ("barrier", "verified")


@dataclasses.dataclass(frozen=True)
class Drawn:
    """Columns of a trace, on one y axis, against each of `against`. `events`: only rows of these; `tolerance`: with a level at
    it."""
    name: str
    title: str
    columns: tuple
    y: Axis
    text: str
    against: tuple
    events: tuple = ()
    tolerance: bool = False
    grouped: bool = False  # means of groups of rows, where there are many


def _gap(column, against, text="The horizontal line is the tolerance."):
    return Drawn("gap", "Relative duality gap", (column,), Axis("gap / objective (no unit)", log=True),
                 f"How far above the optimum the objective can be at most, at each barrier. {text}", against, BARRIERS, True)


def _objective(against, unit, events=()):
    return Drawn("objective", "Objective", ("objective",), Axis(f"objective ({unit})", log=True), "Smaller is better.", against,
                 events)


OF_ROUNDS = (
    Drawn("blocks", "Blocks of the rounds", ("blocks",), Axis("blocks of a round (count)"),
          "Of the rounds that trace.csv has.", ROUNDS, ("commit",), grouped=True),
    Drawn("step", "What the guard let through", ("step",), Axis("share of the deltas (no unit)"),
          "Below 1, blocks of a round were in conflict and the guard shortened their deltas. Of the rounds that trace.csv has.",
          ROUNDS, ("commit",), grouped=True))
OF_FITS = (
    _objective((SECONDS, UPDATES), "no unit"),
    _gap("relative_gap", (SECONDS, UPDATES)),
    Drawn("nonzeros", "Nonzeros", ("nonzeros",), Axis("nonzeros (count)"), "Coefficients other than 0, at each barrier.",
          (SECONDS, UPDATES), BARRIERS), *OF_ROUNDS)
# Commits of svm have the dual objective, with its sign turned: the primal one is that of barriers.
OF_SVM = (
    _objective((SECONDS, UPDATES), "no unit", BARRIERS),
    _gap("relative_gap", (SECONDS, UPDATES)),
    Drawn("support-vectors", "Support vectors", ("nonzeros",), Axis("support vectors (count)"), "At each barrier.",
          (SECONDS, UPDATES), BARRIERS), *OF_ROUNDS)
OF_CV = (Drawn("solutions", "Solutions found", ("solutions",), Axis("solutions (count)"), "Of all paths together.",
               (SECONDS, UPDATES)),)
OF_SUMSTATS = (
    Drawn("objective", "Objective of all solutions", ("objective",), Axis("sum of objectives (no unit)"),
          "Summed over the grid; smaller is better.", (SECONDS, UPDATES)),
    Drawn("gap", "Duality gap of all solutions", ("gap",), Axis("sum of gaps (no unit)", log=True), "Summed over the grid.",
          (SECONDS, UPDATES)),
    Drawn("nonzeros", "Nonzeros of all solutions", ("nonzeros",), Axis("nonzeros (count)"), "Summed over the grid.",
          (SECONDS, UPDATES)))
OF_MF = (
    _objective((SECONDS, RATINGS), "unit of the ratings, squared"),
    Drawn("objective-met", "Objective as it was met", ("met_objective",),
          Axis("objective (unit of the ratings, squared)", log=True),
          "Each error before the step that it led to (sgd).", (SECONDS, RATINGS)),
    Drawn("errors", "Errors", ("train_rmse", "met_rmse", "validation_rmse", "test_rmse"),
          Axis("root of the mean squared error\n(unit of the ratings)"), "At the end of each sweep.", (SWEEPS, SECONDS)),
    Drawn("lists", "Lists of those who validate", ("validation_lists",), Axis("worth of lists (no unit)"), "Larger is better.",
          (SWEEPS, SECONDS)),
    Drawn("imbalance", "Imbalance", ("imbalance",), Axis("largest load / mean load (no unit)"), "Of the workers in each sweep; 1 "
          "is even.", (SWEEPS,)))
# Of implicit feedback: confidences have no unit, and there are no errors.
OF_CLICKS = (_objective((SECONDS, RATINGS), "no unit"), *(drawn for drawn in OF_MF if drawn.name in ("lists", "imbalance")))
OF_SLIM = (
    _objective((SECONDS,), "no unit"),
    Drawn("gap", "Worst gap of an item", ("worst_gap",), Axis("gap / objective (no unit)", log=True),
          "The horizontal line is the tolerance.", (SECONDS,), (), True),
    Drawn("nonzeros", "Nonzeros", ("nonzeros",), Axis("weights other than 0 (count)"), "Of all items solved.", (SECONDS,)),
    Drawn("solved", "Items solved", ("solved", "certified"), Axis("items (count)"), "Solved, and certified.", (SECONDS,)))
OF_LDA = (
    Drawn("log-joint", "Log joint probability", ("log_joint_per_token",), Axis("ln p(words, topics) a token (nats)"),
          "Larger is better.", (SWEEPS, SECONDS, TOKENS)),
    Drawn("perplexity", "Perplexity of documents held out", ("held_out_perplexity",), Axis("perplexity (no unit)"),
          "Smaller is better.", (SWEEPS, SECONDS)))

# By a column that only this kind of trace has; the first that is there. Traces of a path are not drawn: at each barrier they
# have the objective of another lambda.
KINDS = (("log_joint_per_token", OF_LDA), ("imbalance", OF_MF), ("worst_gap", OF_SLIM), ("blocks_certified", OF_SUMSTATS),
         ("solutions", OF_CV), ("step", OF_FITS))
# What charts call a kind beside others of the same program.
NAMES = {OF_CLICKS: "clicks", OF_SLIM: "item weights"}
ONLY_WORK = ("blocks", "step")  # what of a trace of a path is drawn
# Where nothing but this value is in the column, a line says so and no chart is drawn.
DULL = {"blocks": ("1", "each round had one block"), "step": ("1", "the guard let every delta through")}


def kind_of(run):
    trace = run.table("trace.csv")
    if trace is None:
        return None
    kind = next((drawn for column, drawn in KINDS if column in trace), None)
    if kind == OF_MF and run.fact("feedback") == "implicit":
        return OF_CLICKS
    return OF_SVM if kind == OF_FITS and run.program == "svm fit" else kind


def rows_of(run, drawn):
    trace = run.table("trace.csv")
    return trace.where("event", drawn.events) if drawn.events and "event" in trace else trace


def is_of_a_path(run, kind):
    return run.program == "lasso path" and kind == OF_FITS


def shown_of(run, kind):
    return [drawn for drawn in kind if drawn.name in ONLY_WORK] if is_of_a_path(run, kind) else list(kind)


def missing_of(run):
    """Lines: what of its trace is not drawn, and why."""
    kind = kind_of(run)
    if kind is None:
        return [f"{run.name}: {run.program} writes no trace.csv, so that there are no curves over time."
                if run.table("trace.csv") is None else f"{run.name}: its trace.csv has columns of another version."]
    lines, empty = [], []
    for drawn in shown_of(run, kind):
        rows = rows_of(run, drawn)
        for column in drawn.columns:
            texts = set(rows.texts(column)) if column in rows and len(rows) else set()
            if not texts or texts == {""}:
                empty.append(column)
            elif column in DULL and texts == {DULL[column][0]}:
                lines.append(f"{run.name}: {DULL[column][1]} (trace.csv, {column}).")
    if is_of_a_path(run, kind):
        lines.append(f"{run.name}: a path's trace has another lambda at each barrier: objective and gap are against lambda.")
    return lines + ([f"{run.name}: trace.csv has no figure of {', '.join(empty)}."] if empty else [])


def _is_dull(run, drawn):
    dull = [DULL[column][0] for column in drawn.columns if column in DULL]
    return bool(dull) and set(rows_of(run, drawn).texts(drawn.columns[0])) <= set(dull)


def means(xs, ys):
    """Of GROUPS_MAX groups of successive rows, whose sizes differ by one at most."""
    groups = min(len(xs), GROUPS_MAX)
    parts = [range(len(xs) * group // groups, len(xs) * (group + 1) // groups) for group in range(groups)]
    return [[sum(values[row] for row in part) / len(part) for part in parts] for values in (xs, ys)]


def _text_of(runs, drawn):
    counts = [(run.name, len(rows_of(run, drawn))) for run in runs] if drawn.grouped else []
    return " ".join([drawn.text, *(f"{name}: {GROUPS_MAX} points are means of {count} rounds." for name, count in counts
                                   if count > GROUPS_MAX)])


def _lines(runs, drawn, column, x):
    for run in runs:
        rows = rows_of(run, drawn)
        if column in rows and x in rows:
            xs, ys = rows.numbers(x), rows.numbers(column)
            yield run.name, *(means(xs, ys) if drawn.grouped else (xs, ys)), {"look": run.number}


def _levels(runs, drawn):
    values = sorted({run.fact("tolerance") for run in runs} - {None}) if drawn.tolerance else []
    return [Level("tolerance", value) for value in values if value > 0]


def _marks(runs, drawn, x):
    """The sweep whose factors mf has kept."""
    if x != "sweep" or drawn.name != "errors" or len(runs) > 1:
        return []
    return [Mark(f"kept: sweep {run.fact('best_sweep')}", run.fact("best_sweep")) for run in runs if run.fact("best_sweep")]


def _charts_of(program, runs, drawn):
    """program: with the kind's name, where it has one."""
    name = program.replace(" --", "-").replace(" ", "-").replace(",", "")
    for x, axis in drawn.against:
        end = "time" if x == "seconds" else x
        over = "" if drawn.grouped else f" over {end}"
        against = f"{drawn.title}{over}, {program if len(runs) > 1 else runs[0].name}"
        text = _text_of(runs, drawn)
        if len(runs) == 1:  # all columns in one picture
            lines = []
            for number, column in enumerate(drawn.columns):
                label = column.replace("_", " ")
                lines += [(label, xs, ys, {"look": number}) for _, xs, ys, _ in _lines(runs, drawn, column, x)]
            yield chart(f"{name}-{drawn.name}-{end}", against, text, axis, drawn.y, lines, _marks(runs, drawn, x),
                        _levels(runs, drawn))
            continue
        for column in drawn.columns:
            more = f" ({column.replace('_', ' ')})" if len(drawn.columns) > 1 else ""
            part = f"-{column.replace('_', '-')}" if more else ""
            yield chart(f"{name}-{drawn.name}{part}-{end}", against + more, text, axis, drawn.y,
                        list(_lines(runs, drawn, column, x)), [], _levels(runs, drawn))


def charts(runs):
    """Of all runs: those of one program and one kind of trace together."""
    groups = {}
    for run in runs:
        if (kind := kind_of(run)) is not None:
            groups.setdefault((run.program, kind), []).append(run)
    for (program, _), group in groups.items():
        kind = kind_of(group[0])
        called = f"{program}, {NAMES[kind]}" if kind in NAMES else program
        for drawn in shown_of(group[0], kind):
            told = [run for run in group if not _is_dull(run, drawn)]
            yield from (each for each in _charts_of(called, told, drawn) if each is not None) if told else ()
