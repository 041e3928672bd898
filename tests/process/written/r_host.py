"""Runs the R package on many problems in one process, and glmnet on some of them, and looks at what the objects have."""
import os
import subprocess

import numpy as np

from checks import (MAX_SECONDS, Misses, Row, check_order, check_row, check_separated, check_time, fold_standards,
                    judge_refusal, short)
from objective import EPS, K, Evaluated, Standard, wide


R_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "r_host.R")


def written(value):
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, list):
        return "c(" + ", ".join(map(written, value)) + ")"
    return f'"{value}"' if isinstance(value, str) else repr(value)


def prepare(problem, folder):
    """The files that r_host.R reads."""
    q = problem
    os.makedirs(folder, exist_ok=True)
    facts = {"n": q.n, "kind": q.kind, "sparse": q.container == "npz", "names": q.names or "", "family": q.family,
             "alpha": q.l1_ratio, "standardize": q.scale, "intercept": q.intercept, "nonnegative": q.nonnegative,
             "thresh": q.tolerance, "lambda_ratio": q.lambda_value, "nlambda": q.lambdas, "min_ratio": q.min_ratio or 1e-3,
             "max_seconds": MAX_SECONDS, "glmnet": with_glmnet(q)}
    with open(os.path.join(folder, "problem.R"), "w", encoding="ascii") as file:
        file.write("list(" + ", ".join(f"{key} = {written(value)}" for key, value in facts.items()) + ")\n")
    arrays = {"x": q.x.T, "y": q.y, "weights": q.weights, "offset": q.offset, "factors": q.factors,
              "covariates": q.covariates.T if q.names else None, "foldid": None if q.fold_of is None else q.fold_of + 1}
    for name, values in arrays.items():
        if values is not None:
            np.ascontiguousarray(values, float).tofile(os.path.join(folder, name + ".bin"))


def with_glmnet(q):
    """Where glmnet means the same: docs/R.md says what is different. Columns of 1e12 are beyond what it solves; at this
    threshold it takes a minute for the largest problems, and beside large offsets it does not get there."""
    size = np.abs(q.x[np.nonzero(q.x)])
    small = 0 < size.size and q.x.size <= 20000 and (q.offset is None or np.abs(q.offset).max() < 30)
    return bool(q.kind != "cv" and q.intercept and small and size.max() < 1e6 and size.min() > 1e-6)


class RProblem:
    """The problem as glmnet's arguments say it: penalties with factors of mean 1, and shares of glmnet's lambda."""

    def __init__(self, problem):
        self.standard = Standard(problem)
        st, q = self.standard, problem
        if q.factors is not None:
            st.factors = q.factors / np.where(np.isfinite(q.factors), q.factors, 1).mean()
        n = wide(st.n)
        a = wide(q.l1_ratio)
        if st.binomial:
            st.shares = (a * np.sqrt(n), 1 - a) if q.scale else (a * n, (1 - a) * n)
        else:
            mean = (st.w @ st.y) / n if q.intercept else 0
            deviation = np.sqrt((st.w @ (st.y - mean) ** 2) / n)
            st.shares = (a / deviation, (1 - a) / deviation) if q.scale else (a * n, (1 - a) * n / deviation)
            if not q.scale and 0 < a < 1:  # the package gives the command another ratio, as one double
                st.squares_error = K * EPS * (st.shares[0] + st.shares[1])


def run_all(folders, list_path, timeout):
    with open(list_path, "w", encoding="ascii") as file:
        file.write("\n".join(folders) + "\n")
    return subprocess.run(["Rscript", "--vanilla", R_SCRIPT, list_path], capture_output=True, text=True, timeout=timeout,
                          check=False)


class RHost:
    def __init__(self, problem, folder):
        self.problem, self.folder, self.misses = problem, folder, Misses()
        self.compared = 0

    def numbers(self, name):
        with open(os.path.join(self.folder, name), encoding="ascii") as file:
            return np.array([float(line) for line in file])

    def coefficients(self, name, steps):
        parts = [([], []) for _ in range(steps)]
        with open(os.path.join(self.folder, name), encoding="ascii") as file:
            for line in file:
                step, column, value = line.split()
                parts[int(step) - 1][0].append(int(column) - 1)
                parts[int(step) - 1][1].append(float(value))
        return parts

    def check(self):
        q = self.problem
        standard = RProblem(q).standard
        error = os.path.join(self.folder, "error")
        if os.path.exists(error):
            with open(error, encoding="utf-8") as file:
                judge_refusal([standard, *fold_standards(standard)], file.read(), self.misses)
            return
        if not os.path.exists(os.path.join(self.folder, "a0")):
            self.misses.add("R: nothing was written")
            return
        check_separated(standard, self.misses)
        lam = self.numbers("lambda")
        steps = len(lam)
        parts = self.coefficients("beta", steps)
        gammas = self.numbers("covariate_coefficients").reshape(steps, -1) if q.names else np.zeros((steps, 0))
        a0, links = self.numbers("a0"), None
        if os.path.exists(os.path.join(self.folder, "link")):
            links = self.numbers("link").reshape(steps, q.n)
        said = {name: self.numbers(name) for name in ("dev.ratio", "objective", "gap", "relative.gap", "converged")}
        rows = [Row(f"lambda {k + 1}", lam[k], a0[k], *parts[k], list(gammas[k]), objective=said["objective"][k],
                    gap=said["gap"][k], relative_gap=said["relative.gap"][k], met=bool(said["converged"][k]),
                    deviance_ratio=said["dev.ratio"][k], link=None if links is None else links[k]) for k in range(steps)]
        models = [check_row(standard, row, self.misses, q.tolerance) for row in rows]
        check_order(standard, rows, models, self.misses)
        with open(os.path.join(self.folder, "stop_reason"), encoding="utf-8") as file:
            check_time(file.read().strip(), self.misses)
        if os.path.exists(os.path.join(self.folder, "glmnet_a0")):
            self.compare(standard, rows, models)

    def compare(self, standard, rows, models):
        """glmnet's solutions are not better than the gap allows, and not worse than its threshold explains."""
        q = self.problem
        theirs = self.numbers("glmnet_lambda") * (1 + len(q.names) / q.x.shape[1])
        if self.numbers("glmnet_jerr")[0] != 0:
            return  # it has not converged
        parts = self.coefficients("glmnet_beta", len(theirs))
        for k, (row, ours) in enumerate(zip(rows, models)):
            if k >= len(theirs) or abs(theirs[k] - row.lam) > 1e-9 * row.lam:
                continue
            columns, values = np.array(parts[k][0], int), np.array(parts[k][1])
            own = columns < q.x.shape[1]  # then covariates
            gamma = np.zeros(len(q.names))
            gamma[columns[~own] - q.x.shape[1]] = values[~own]
            other = Evaluated(standard, row.lam, self.numbers("glmnet_a0")[k], columns[own], values[own], gamma)
            if other.objective > standard.null[0]:
                continue  # glmnet has diverged, near separation, though it says that it has not: that is no reference
            better = ours.objective - other.objective
            self.compared += 1
            if better > row.gap + ours.rounding + other.rounding:
                self.misses.add("glmnet is better", row.name, "ours", short(ours.objective), "theirs", short(other.objective),
                                "gap", short(row.gap))
            worse = other.objective - ours.objective
            first_of_ridge = standard.shares[0] == 0 and k == 0  # glmnet writes 0 there
            if worse > 1e-5 * other.objective + 1e-8 * standard.null[0] + other.rounding and not first_of_ridge:
                self.misses.add("glmnet is worse", row.name, "ours", short(ours.objective), "theirs", short(other.objective))
