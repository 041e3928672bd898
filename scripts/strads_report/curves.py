"""Charts of paths, cross-validations, processes and blocks."""
import json

from strads_report.charts import Axis, Bars, Level, Mark, chart
from strads_report.progress import GROUPS_MAX, means
from strads_report.runs import is_number

RATIO = Axis("lambda / lambda_max (no unit)", log=True, inverted=True)
UNITS = {"mse": "mean squared error (unit of y, squared)", "mae": "mean absolute error (unit of y)",
         "deviance": "deviance a sample (no unit)", "class": "share told wrong (no unit)",
         "auc": "area under the ROC curve (no unit)"}
CHOICES = {"min": "lambda.min", "1se": "lambda.1se", "chosen": "chosen"}
MEGABYTE = 1e6


def _tolerances(runs):
    values = sorted({run.fact("tolerance") for run in runs} - {None})
    return [Level("tolerance", value) for value in values if value > 0]


def _by_name(runs, x, y, file="path.tsv"):
    tables = [(run, run.table(file)) for run in runs]
    return [(run.name, table.numbers(x), table.numbers(y), {"look": run.number}) for run, table in tables
            if table is not None and x in table and y in table]


def _choice_marks(table, x):
    """Vertical lines at what was chosen; one line where both choices are the same."""
    for value, text in zip(table.numbers(x), table.texts("choice")):
        if text and value is not None:
            words = " and ".join(CHOICES.get(word, word) for word in text.split(","))
            yield Mark(f"{words}, {value:.4g}", value)


def path_charts(runs):
    """lasso path, and the path on all samples of lasso cv."""
    group = [run for run in runs if run.program in ("lasso path", "lasso cv") and run.table("path.tsv") is not None]
    yield chart("path-nonzeros", "Nonzeros along the path", "Coefficients other than 0 at each lambda.", RATIO,
                Axis("nonzeros (count)"), _by_name(group, "lambda_ratio", "nonzeros"))
    yield chart("path-deviance", "Deviance explained along the path", "On the training samples.", RATIO,
                Axis("deviance ratio (no unit)"), _by_name(group, "lambda_ratio", "deviance_ratio"))
    yield chart("path-objective", "Objective along the path", "At the solution of each lambda.", RATIO,
                Axis("objective (no unit)", log=True), _by_name(group, "lambda_ratio", "objective"))
    yield chart("path-gap", "Relative duality gap along the path", "Of each solution, recomputed from the data. The horizontal "
                "line is the tolerance.", RATIO, Axis("gap / objective (no unit)", log=True),
                _by_name(group, "lambda_ratio", "relative_gap"), [], _tolerances(group))
    yield chart("path-time", "Solutions over time", "When each lambda was certified.", Axis("time of solving (s)", log=True),
                Axis("lambdas solved (count)"), _by_name(group, "seconds", "index"))


def cv_charts(runs):
    """The curve of each lasso cv, and of each lasso path --split the error on val."""
    for number, run in enumerate(runs, 1):
        if run.program == "lasso cv" and (table := run.table("cv.tsv")) is not None:
            unit = UNITS.get(run.fact("measure"), f"{run.fact('measure')} (no unit)")
            line = ("mean of the folds", table.numbers("lambda_ratio"), table.numbers("mean"),
                    {"errors": table.numbers("standard_error")})
            text = (f"{run.fact('folds')} folds; the band or bars are one standard error up and down. lambda.min has the "
                    "best mean, lambda.1se is the largest lambda within one standard error of it.")
            yield chart(f"cv-{number}", f"Cross-validation, {run.name}", text, RATIO, Axis(unit), [line],
                        _choice_marks(table, "lambda_ratio"))
        path = run.table("path.tsv")
        if run.program == "lasso path" and path is not None and "val" in path:
            unit = UNITS.get(run.fact("measure"), f"{run.fact('measure')} (no unit)")
            yield chart(f"val-{number}", f"People held out, {run.name}", "The error on those who validate.", RATIO, Axis(unit),
                        [("val", path.numbers("lambda_ratio"), path.numbers("val"), {})], _choice_marks(path, "lambda_ratio"))
        if run.program == "svm cv" and (table := run.table("cv.tsv")) is not None:
            line = ("mean of the folds", table.numbers("cost"), table.numbers("error"), {"errors": table.numbers("error_se")})
            yield chart(f"cv-{number}", f"Cross-validation, {run.name}", "Bars are one standard error; 1se is the smallest cost "
                        "within one of the best.", Axis("cost C (no unit)", log=True), Axis("share told wrong (no unit)"), [line],
                        _cost_marks(table))


def _cost_marks(table):
    for value, text in zip(table.numbers("cost"), table.texts("choice")):
        if text:
            yield Mark(f"{text.replace(',', ' and ')}, {value:.4g}", value)


def sumstats_charts(runs):
    """A line for each s."""
    for number, run in enumerate(runs, 1):
        table = run.table("path.tsv")
        if run.program != "lasso path --sumstats" or table is None:
            continue
        measure = next((name for name in ("pseudo_correlation", "r2", "auc") if name in table), None)
        parts = [(s, table.where("s", (s,))) for s in dict.fromkeys(table.texts("s"))]

        def lines(column, parts=parts):
            return [(f"s = {s}", part.numbers("lambda_ratio"), part.numbers(column), {"look": look})
                    for look, (s, part) in enumerate(parts)]
        if measure:
            marks = [Mark(f"chosen, s = {s}", x, y) for s, part in parts
                     for x, y, choice in zip(part.numbers("lambda_ratio"), part.numbers(measure), part.texts("choice")) if choice]
            yield chart(f"sumstats-choice-{number}", f"Choice of the solution, {run.name}",
                        "Larger is better; an empty solution has no figure.", RATIO,
                        Axis(f"{measure.replace('_', ' ')} (no unit)"), lines(measure), marks)
        yield chart(f"sumstats-nonzeros-{number}", f"Nonzeros along the path, {run.name}", "Of each s.", RATIO,
                    Axis("nonzeros (count)"), lines("nonzeros"))
        yield chart(f"sumstats-gap-{number}", f"Largest relative gap of a block, {run.name}",
                    "Of each s. The horizontal line is the tolerance.", RATIO, Axis("gap / abs(objective) (no unit)", log=True),
                    lines("relative_gap"), [], _tolerances([run]))


# Of mf cv: the column on the x axis, those that tell lines apart.
GRIDS = (("l1", ("l2",)), ("lambda", ("rank", "alpha0", "nu", "alpha")))


def _metric(run):
    """The column of cv.tsv by which mf cv chooses; lists have a metric like ndcg@20."""
    return (run.fact("metric") or "test_rmse").partition("@")[0]


def mf_cv_charts(runs):
    for number, run in enumerate(runs, 1):
        table = run.table("cv.tsv")
        if run.program != "mf cv" or table is None:
            continue
        x, others = next((grid for grid in GRIDS if grid[0] in table))
        others = [name for name in others if name in table]
        metric = _metric(run)
        if metric not in table:
            continue
        error = "standard_error" if "standard_error" in table else f"{metric}_error"
        rows = list(zip(table.texts(x), zip(*(table.texts(name) for name in others)), table.numbers(metric),
                        table.numbers(error) if error in table else [None] * len(table)))
        lines, levels, marks = {}, [], []
        for value, key, worth, bar in rows:
            if is_number(value):
                label = ", ".join(f"{name} {part}" for name, part in zip(others, key))
                lines.setdefault(label, []).append((float(value), worth, bar))
            elif worth is not None:
                levels.append(Level("popularity", worth))
        for fact, text in (("best", "best"), ("simplest_within_one_error", "simplest within 1 SE")):
            point = run.fact(fact)
            if point and metric in point:
                marks.append(Mark(text, point[x], point[metric]))
        axis = Axis(f"{run.fact('metric')} (no unit)" if run.fact("metric") else
                    "root of the mean squared error\n(unit of the ratings)")
        drawn = []
        for look, (label, part) in enumerate(lines.items()):
            xs, ys, bars = zip(*sorted(part, key=lambda point: point[0]))
            drawn.append((label, xs, ys, {"look": look, "errors": bars}))
        yield chart(f"mf-cv-{number}", f"Cross-validation, {run.name}", "Means over the folds; the band or bars are one standard error up and down.",
                    Axis(f"{x} (no unit)", log=True), axis, drawn, marks, levels)


def cluster_charts(runs):
    """What each process of a run did."""
    for number, run in enumerate(runs, 1):
        nodes = run.nodes()
        if not nodes:
            continue
        rows = tuple(f"rank {node['rank']}" for node in nodes)
        if all({"seconds_running", "seconds_busy", "seconds_waiting"} <= node.keys() for node in nodes):
            rest = [max(0.0, node["seconds_running"] - node["seconds_busy"] - node["seconds_waiting"]) for node in nodes]
            text = ("Busy: computing. Waiting for a plan: a turn had come and its plan was not ready. The rest of the time since "
                    "the first round is waiting for messages.")
            yield Bars(f"cluster-time-{number}", f"Time of the processes, {run.name}", text, Axis("time (s)"), rows,
                       (("busy", tuple(node["seconds_busy"] for node in nodes)),
                        ("waiting for a plan", tuple(node["seconds_waiting"] for node in nodes)),
                        ("waiting for messages", tuple(rest))))
        for key, title, unit, by in (("bytes", "Sent by each process", "sent (MB, 1e6 bytes)", MEGABYTE),
                                     ("updates", "Work of each process", "updates (count)", 1),
                                     ("ratings_share", "Ratings of each process", "share of the ratings held (no unit)", 1)):
            if all(is_number(str(node.get(key))) for node in nodes):
                yield Bars(f"cluster-{key.replace('_', '-')}-{number}", f"{title}, {run.name}",
                           "From cluster.node_list of summary.json.", Axis(unit), rows,
                           ((unit.partition(" (")[0], tuple(node[key] / by for node in nodes)),))


def block_charts(runs):
    """Sizes of the blocks, from the file of --trace-rounds."""
    for number, run in enumerate(runs, 1):
        table, _ = run.rounds() if run.program in ("lasso fit", "lasso path") else (None, None)
        if table is not None and len(table):
            sizes = [text.count(",") + 1 for text in table.texts("variables")]
            yield chart(f"block-sizes-{number}", f"Sizes of the blocks, {run.name}", "A point for each block of each round "
                        "(--trace-rounds).", Axis("round (number)"), Axis("variables of a block (count)", log=True),
                        [("blocks", table.numbers("round"), sizes, {"joined": False})])


def conflict_charts(runs):
    """What plans drew and what of it was in conflict, from the file of --trace-rounds."""
    for number, run in enumerate(runs, 1):
        table, _ = run.rounds() if run.program in ("lasso fit", "lasso path") else (None, None)
        if table is None or "conflicts" not in table:
            continue
        rounds = {}
        for at, drawn, conflicts in zip(table.numbers("round"), table.numbers("drawn"), table.numbers("conflicts")):
            if drawn is not None:
                rounds[at] = (drawn, conflicts)
        if not any(conflicts for _, conflicts in rounds.values()):
            continue
        xs, (drawn, conflicts) = list(rounds), zip(*rounds.values())
        said = ("Variables that plans drew and looked at, and those of them whose coupling to one before was above rho. Published "
                "policies drop these; auto puts them into one block.")
        if len(xs) > GROUPS_MAX:
            said += f" {GROUPS_MAX} points are means of {len(xs)} rounds."
        yield chart(f"conflicts-{number}", f"Conflicts of the rounds, {run.name}", said, Axis("round (number)"),
                    Axis("variables of a round (count)"),
                    [("drawn", *means(xs, drawn), {"look": 0}), ("in conflict", *means(xs, conflicts), {"look": 1})])


def charts(runs):
    for kind in (path_charts, cv_charts, sumstats_charts, mf_cv_charts, cluster_charts, block_charts, conflict_charts):
        yield from (each for each in kind(runs) if each is not None)


def missing_of(run):
    """Lines: what this run has not, of what is drawn of others."""
    lines = []
    if not run.nodes():
        lines.append(f"{run.name}: transport is {json.dumps(run.fact('transport'))} and summary.json has no cluster.node_list: "
                     "nothing by process (busy, waiting, network).")
    if run.program in ("lasso fit", "lasso path"):
        if why := run.rounds()[1]:
            lines.append(f"{run.name}: no sizes of blocks: {why}.")
        elif "conflicts" not in (table := run.rounds()[0]):
            lines.append(f"{run.name}: its --trace-rounds is of a version that did not tell conflicts.")
        elif not any(table.numbers("conflicts")):
            drew = any(table.numbers("drawn"))
            lines.append(f"{run.name}: " + ("no variable that was drawn was in conflict." if drew else
                                            "its plans draw no variables, so that there are no conflicts."))
    if run.program in ("lasso path", "lasso cv") and run.table("path.tsv") is None:
        lines.append(f"{run.name}: no path.tsv: of several traits or l1 ratios, give the folder of one.")
    if run.program.endswith(" cv") and run.table("cv.tsv") is None:
        lines.append(f"{run.name}: no cv.tsv, and so no curve: of several traits, give the folder of one.")
    elif run.program == "mf cv" and _metric(run) not in run.table("cv.tsv"):
        lines.append(f"{run.name}: cv.tsv has no column {_metric(run)}, by which summary.json says that it chose.")
    if not run.options:
        lines.append(f"{run.name}: no config.ini, and so no options.")
    return lines
