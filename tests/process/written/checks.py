"""What must hold for every model that was read back: each miss is a kind and a sentence."""
import dataclasses
import re

import numpy as np

from objective import EPS, K, Evaluated, Standard, wide

MAX_SECONDS = 3  # of solving: most problems of this size take some milliseconds
DRIVER = 1e-10  # x F(0): the difference of objectives and gaps that the driver itself lets pass


@dataclasses.dataclass
class Row:
    """One solution as the files, or the attributes of an object, say it. None: they do not."""

    name: str
    lam: float  # of the solver
    intercept: float
    columns: list
    values: list
    covariates: list
    objective: float | None = None
    gap: float | None = None
    relative_gap: float | None = None
    met: bool | None = None
    deviance_ratio: float | None = None
    lambda_y: float | None = None
    lambda_ratio: float | None = None
    standardized: list | None = None
    link: np.ndarray | None = None  # what `predict` says of all samples of the file


class Misses(list):
    """What was wrong; `late` is for what was right but stopped after MAX_SECONDS: exit code 3 with results."""

    late = ""

    def add(self, kind, *about):
        self.append((kind, " ".join(str(one) for one in about)))


def short(value):
    return f"{float(value):.9g}"


def lambda_y(standard, lam):
    """glmnet's lambda; between Lasso and ridge of two classes only where the ratio is glmnet's too."""
    ridge = standard.binomial and standard.shares[0] == 0
    return lam * standard.y_norm / (1 if ridge else np.sqrt(standard.n))


def check_row(standard, row, misses, tolerance):
    """One model at one lambda. Returns what was evaluated."""
    model = Evaluated(standard, row.lam, row.intercept, row.columns, row.values, row.covariates)
    null, _, known = standard.null
    floor = wide(DRIVER) * null if known else wide(0)
    name = row.name
    if not np.isfinite(model.objective):
        misses.add("not finite", name, model.objective)
        return model
    if row.objective is not None:
        off = abs(model.objective - wide(row.objective))
        if off > model.rounding:
            misses.add("objective" if off > model.rounding + floor else "objective beyond rounding, below 1e-10 F(0)", name,
                       "read back", short(model.objective), "written", short(row.objective), "difference", short(off),
                       "allowed", short(model.rounding), "F(0)", short(null))
        if row.relative_gap is not None and row.gap is not None and row.objective > 0:
            if abs(row.relative_gap - row.gap / row.objective) > 1e-12 * row.relative_gap:
                misses.add("relative gap", name, row.relative_gap, row.gap / row.objective)
        if row.met is not None and row.gap is not None:
            if row.met != (row.gap <= tolerance * row.objective):
                misses.add("tolerance_met", name, row.met, "gap", row.gap, "objective", row.objective)
    if row.gap is not None:
        gap, slack = model.gap()
        more = gap - wide(row.gap)
        if more > slack + model.rounding + 2 * floor:
            misses.add("gap", name, "recomputed", short(gap), "written", short(row.gap), "allowed more",
                       short(slack + model.rounding + 2 * floor), "objective", short(model.objective))
        if row.gap < 0:
            misses.add("gap negative", name, row.gap)
        unsettled = model.settled()
        if unsettled > wide(row.gap) + model.rounding + 2 * floor:
            misses.add("unpenalised not at their best", name, "a step takes off", short(unsettled), "gap", short(row.gap))
    if row.deviance_ratio is not None and known:
        ratio, rounding = model.deviance_ratio()
        if abs(ratio - wide(row.deviance_ratio)) > rounding + 1e-10:
            misses.add("deviance ratio", name, "read back", short(ratio), "written", short(row.deviance_ratio), "allowed",
                       short(rounding))
        least = -(wide(row.gap or 0) / null + rounding + 1e-10)
        if row.deviance_ratio < least or ratio < least:
            misses.add("deviance ratio negative", name, short(row.deviance_ratio), short(ratio), "at least", short(least))
    if row.lambda_y is not None:
        want = lambda_y(standard, wide(row.lam))
        if abs(want - wide(row.lambda_y)) > 1e-9 * want:
            misses.add("lambda_y", name, "written", short(row.lambda_y), "is", short(want))
    if row.standardized is not None and len(row.columns):
        off = np.abs(model.b - np.asarray(row.standardized, wide))
        if np.any(off > K * EPS * model.norm_error * np.abs(model.b) * 16 + 1e-12 * np.abs(model.b) + 1e-300):
            misses.add("standardized", name, "largest difference", short(np.max(off / np.abs(model.b))))
    if standard.problem.nonnegative and np.any(np.asarray(row.values) < 0):
        misses.add("negative coefficient", name, min(row.values))
    if row.link is not None:
        off = np.abs(row.link[standard.rows].astype(wide) - model.eta)
        allowed = K * EPS * model.size
        if np.any(off > allowed):
            i = int(np.argmax(off / allowed))
            misses.add("predict", name, "sample", i, "difference", short(off[i]), "allowed", short(allowed[i]))
    return model


def check_order(standard, rows, models, misses):
    """Along decreasing lambda the loss rises by no more than (lambda2 g1 + lambda1 g2) / (lambda1 - lambda2)."""
    for first, second, one, two in zip(rows, rows[1:], models, models[1:]):
        if first.gap is None or second.gap is None or not second.lam < first.lam:
            continue
        l1, l2 = wide(first.lam), wide(second.lam)
        allowed = (l2 * first.gap + l1 * second.gap) / (l1 - l2)
        rounding = one.loss_rounding + two.loss_rounding + (l2 * one.rounding + l1 * two.rounding) / (l1 - l2)
        if two.loss - one.loss > allowed + rounding:
            misses.add("deviance ratio falls", second.name, "loss rises by", short(two.loss - one.loss), "allowed",
                       short(allowed), "rounding", short(rounding))
        null, _, known = standard.null
        if known and first.deviance_ratio is not None and second.deviance_ratio is not None:
            fall = wide(first.deviance_ratio) - wide(second.deviance_ratio)
            if fall > (allowed + rounding) / null + 1e-10:
                misses.add("written deviance ratio falls", second.name, short(fall), "allowed", short(allowed / null))


def check_lambda_max(standard, row, misses):
    if row.lambda_ratio is None or not standard.null[2]:
        return
    ours = standard.lambda_max()
    theirs = wide(row.lam) / wide(row.lambda_ratio)
    if abs(ours - theirs) > 1e-7 * ours:
        misses.add("lambda_max", row.name, "recomputed", short(ours), "lambda / lambda_ratio", short(theirs))


def fold_standards(standard):
    """Those of a cross-validation: all samples but one fold."""
    q = standard.problem
    if q.kind != "cv":
        return []
    return [Standard(q, q.fold_of != fold) for fold in np.unique(q.fold_of)]


SEPARATED = re.compile(r"separat")


def judge_refusal(standards, text, misses):
    """Exit code 4 is right where the classes are separated by what has no penalty, and the message says so."""
    line = (text.strip().splitlines() or [""])[-1]
    plain = re.sub(r"/\S+/", "", line)
    truly = any(standard.separated() for standard in standards)
    if SEPARATED.search(line) and truly:
        return
    if not truly and not any(np.any(s.takes_part & ~s.free) for s in standards) and "constant" in line:
        return
    misses.add("refused: " + re.sub(r"[-+]?\d[\d.e+-]*", "#", plain)[:110], line[:400], "(separated)" if truly else "")


def check_time(stop_reason, misses):
    if "seconds" in stop_reason:
        misses.late = stop_reason


def check_separated(standard, misses):
    """A model where there is none: what has no penalty separates the classes."""
    if standard.separated():
        misses.add("a model though the classes are separated by what has no penalty")
