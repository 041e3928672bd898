"""Runs the command line on a problem and reads its files back."""
import json
import os
import re
import subprocess

import numpy as np

import problems
from checks import (MAX_SECONDS, Misses, Row, check_lambda_max, check_order, check_row, check_separated, check_time,
                    fold_standards, judge_refusal, lambda_y, short)
from objective import Standard

LIMIT_SECONDS = 4 * MAX_SECONDS


def on(value):
    return "on" if value else "off"


def options_of(problem, standard):
    """The options that say what is solved."""
    q = problem
    options = ["--l1-ratio", repr(q.l1_ratio), "--center", on(q.center), "--scale", on(q.scale), "--tolerance",
               repr(q.tolerance), "--threads", "1", "--seed", str(q.seed), "--max-seconds", str(MAX_SECONDS)]
    if q.family == "binomial":
        options += ["--family", "binomial", "--intercept", on(q.intercept)]
    else:
        options += ["--center-y", on(q.center_y), "--scale-y", on(q.scale_y)]
    options += q.engine
    if q.nonnegative:
        options += ["--nonnegative"]
    if q.kind == "fit":
        return options + lambda_options(q, standard)
    options += ["--lambdas", str(q.lambdas), "--early-end", on(q.early_end)]
    options += ["--lambda-min-ratio", repr(q.min_ratio)] if q.min_ratio else []
    if q.kind in ("cv", "split"):
        options += ["--measure", q.measure]
        options += [] if q.stop_after is None else ["--stop-after", str(q.stop_after)]
    return options


def lambda_options(q, standard):
    if q.lambda_scale == "ratio" or not standard.null[2]:
        return ["--lambda-ratio", repr(q.lambda_value)]
    value = standard.lambda_max() * q.lambda_value
    if not value > 0:
        return ["--lambda-ratio", repr(q.lambda_value)]
    if q.lambda_scale == "y":
        value = lambda_y(standard, value)
    if q.lambda_scale == "sample":
        value = value * standard.y_norm / standard.n
    return ["--lambda-scale", q.lambda_scale, "--lambda", repr(float(value))]


def read_table(path):
    with open(path, encoding="ascii") as file:
        lines = [line.rstrip("\n").split("\t") for line in file]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def coefficients_of(table):
    columns = [int(one["column"]) - 1 for one in table]
    return columns, [float(one["coefficient"]) for one in table], [float(one["standardized"]) for one in table]


def fit_row(folder, name, names):
    """coefficients.tsv and summary.json of a fit, or of a chosen model."""
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    summary |= summary.get("model", {})
    columns, values, standardized = coefficients_of(read_table(os.path.join(folder, "coefficients.tsv")))
    of = summary.get("covariates", {})
    held_out = "error" in summary  # there r2 is that of the curve
    keys = ("deviance_ratio_training", "r2_training") + (() if held_out else ("deviance_ratio", "r2"))
    ratio = next((summary[key] for key in keys if key in summary), None)
    covariates = [of.get(one, 0.0) for one in names] if isinstance(of, dict) else [0.0] * len(names)
    return summary, Row(
        name=name, lam=summary["lambda"], intercept=summary.get("intercept", 0.0), columns=columns, values=values,
        covariates=covariates, objective=summary["objective"], gap=summary.get("duality_gap"),
        relative_gap=summary["relative_gap"], met=summary.get("tolerance_met"), deviance_ratio=ratio,
        lambda_y=summary.get("lambda_y"), standardized=standardized,
        lambda_ratio=summary["lambda"] / summary["lambda_max"] if summary.get("lambda_max") else summary.get("lambda_ratio"))


def path_rows(folder, names):
    parts = {}
    for one in read_table(os.path.join(folder, "path_coefficients.tsv")):
        parts.setdefault(one["index"], []).append(one)
    of = {}
    if names and os.path.exists(os.path.join(folder, "path_covariates.tsv")):
        for one in read_table(os.path.join(folder, "path_covariates.tsv")):
            of[one["index"], one["covariate"]] = float(one["coefficient"])
    rows = []
    for one in read_table(os.path.join(folder, "path.tsv")):
        columns, values, standardized = coefficients_of(parts.get(one["index"], []))
        keys = ("lambda", "lambda_y", "lambda_ratio", "deviance_ratio", "objective", "gap", "relative_gap", "intercept")
        number = {key: None if one[key] == "NA" else float(one[key]) for key in keys}
        rows.append(Row(name=f"lambda {one['index']}", lam=number["lambda"], intercept=number["intercept"], columns=columns,
                        values=values, covariates=[of.get((one["index"], name), 0.0) for name in names],
                        objective=number["objective"], gap=number["gap"], relative_gap=number["relative_gap"],
                        met=one["tolerance_met"] == "yes", deviance_ratio=number["deviance_ratio"],
                        lambda_y=number["lambda_y"], lambda_ratio=number["lambda_ratio"], standardized=standardized))
        if int(one["nonzeros"]) != len(columns):
            rows[-1].name += f" ({one['nonzeros']} nonzeros said)"
    return rows


class CommandLine:
    """One problem with its folder; `misses` has what was wrong."""

    def __init__(self, program, folder, problem):
        self.program, self.folder, self.problem = program, folder, problem
        self.misses = Misses()
        self.out = os.path.join(folder, "out")
        self.files = problems.write(problem, folder)
        self.rows_known = np.ones(problem.n, bool)
        self.command = []
        self.seconds = 0.0

    def run(self, *arguments):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)

    def check(self):
        q = self.problem
        standard = self.of_split("train") if q.kind == "split" else Standard(q)
        options = options_of(q, standard)
        if q.given is not None and q.kind in ("path", "cv", "split") and standard.null[2] and standard.lambda_max() > 0:
            top = standard.lambda_max()
            path = os.path.join(self.folder, "lambdas.txt")
            with open(path, "w", encoding="ascii") as file:
                file.writelines(f"{float(top * one)!r}\n" for one in q.given)
            at = options.index("--lambdas")
            options[at:at + 2] = ["--lambda-file", path]
            if "--lambda-min-ratio" in options:
                at = options.index("--lambda-min-ratio")
                del options[at:at + 2]
        command = "path" if q.kind == "split" else q.kind
        if q.warm_start:
            before = os.path.join(self.folder, "before")
            done = self.run("fit", *self.files, *options, "--out", before, "--quiet")
            if done.returncode == 0:
                at = options.index("--lambda-ratio" if "--lambda-ratio" in options else "--lambda")
                options[at + 1] = repr(float(options[at + 1]) * q.warm_start)
                options += ["--warm-start", before]
        self.command = [command, *self.files, *options, "--out", self.out]
        try:
            done = self.run(*self.command, "--quiet")
        except subprocess.TimeoutExpired:
            self.misses.add(f"longer than {LIMIT_SECONDS} s")
            return
        if done.returncode == 4:
            judge_refusal(self.standards(standard), done.stderr, self.misses)
            return
        if done.returncode not in (0, 3):
            text = re.sub(r"[-+]?\d[\d.e+-]*", "#", done.stderr.strip()[:90])
            self.misses.add(f"exit code {done.returncode}: {text}", done.stderr.strip()[:600])
            return
        if not os.path.exists(os.path.join(self.out, "summary.json")):
            self.misses.add(f"exit code {done.returncode} without results", done.stderr.strip()[:300])
            return
        check_separated(standard, self.misses)
        summary = self.check_files(standard)
        check_time(summary["stop_reason"], self.misses)
        met = summary["tolerance_met"]
        if met != (done.returncode == 0):
            self.misses.add("exit code and tolerance_met", done.returncode, met)

    def standards(self, standard):
        q = self.problem
        return [standard, self.of_split("train", "val")] if q.kind == "split" else [standard, *fold_standards(standard)]

    def of_split(self, *parts):
        return Standard(self.problem, np.isin(self.problem.split, parts), self.problem.split != "NA")

    def check_files(self, standard):
        q = self.problem
        if q.kind == "fit":
            summary, row = fit_row(self.out, "fit", q.names)
            row.link = self.predicted(self.out)[0]
            check_row(standard, row, self.misses, q.tolerance)
            check_lambda_max(standard, row, self.misses)
            self.check_lambda(standard, row)
            self.check_deviance(standard, summary, row)
            return summary
        with open(os.path.join(self.out, "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
        if not os.path.exists(os.path.join(self.out, "path_coefficients.tsv")):
            self.misses.add("no path", summary.get("stop_reason"))
            return summary
        rows = path_rows(self.out, q.names)
        if not rows:
            self.misses.add("no lambda", summary.get("stop_reason"))
            return summary
        if q.kind == "path":
            for row, link in zip(rows, self.predicted(self.out)):
                row.link = link
        models = [check_row(standard, row, self.misses, q.tolerance) for row in rows]
        check_order(standard, rows, models, self.misses)
        check_lambda_max(standard, rows[0], self.misses)
        if q.kind == "cv":
            self.check_chosen(standard, "lambda_min", rows, [])
            self.check_chosen(standard, "lambda_1se", rows, ["--lambda-1se"])
            self.check_folds(standard)
        if q.kind == "split":
            self.check_chosen(standard, "chosen", rows, [])
            if os.path.exists(os.path.join(self.out, "refit")):
                both = self.standards(standard)[1]
                self.check_model(both, os.path.join(self.out, "refit"), "refit")
        return summary

    def check_lambda(self, standard, row):
        """The lambda that was asked for."""
        words = dict(zip(self.command, self.command[1:]))
        if "--lambda" in words and standard.null[2]:
            wanted = standard.lambda_max() * self.problem.lambda_value
            if "--warm-start" in words:
                wanted = wanted * self.problem.warm_start
            if abs(row.lam - wanted) > 1e-9 * wanted:
                self.misses.add("lambda", "wanted", short(wanted), "is", short(row.lam), self.problem.lambda_scale)

    def check_deviance(self, standard, summary, row):
        """deviance, null_deviance and deviance_ratio of the summary say the same."""
        if not standard.binomial or not standard.null[2]:
            return
        null = 2 * standard.null[0]
        if abs(null - summary["null_deviance"]) > 1e-9 * null:
            self.misses.add("null deviance", "recomputed", short(null), "written", summary["null_deviance"])
        if abs(summary["deviance"] - (1 - row.deviance_ratio) * summary["null_deviance"]) > 1e-9 * null:
            self.misses.add("deviance", summary["deviance"], "ratio", row.deviance_ratio, "null", summary["null_deviance"])

    def check_model(self, standard, folder, name, predict_from=None, more=()):
        _, row = fit_row(folder, name, self.problem.names)
        links = self.predicted(predict_from or folder, *more)
        row.link = links[0]
        check_row(standard, row, self.misses, self.problem.tolerance)
        return row

    def check_chosen(self, standard, name, rows, more):
        folder = os.path.join(self.out, name)
        if not os.path.exists(folder):
            return
        row = self.check_model(standard, folder, name, self.out, more)
        same = [one for one in rows if one.lam == row.lam]
        if not same:
            self.misses.add("chosen lambda is not of the path", name, row.lam)
        elif (same[0].columns, same[0].values, same[0].intercept, same[0].objective) != (
                row.columns, row.values, row.intercept, row.objective):
            self.misses.add("chosen model is not that of the path", name)

    def check_folds(self, standard):
        """Of the first fold: its deviance ratios and its errors, from what its models predict."""
        if not os.path.exists(os.path.join(self.out, "cv_paths.tsv")):
            return
        q = self.problem
        table = read_table(os.path.join(self.out, "cv_paths.tsv"))
        fold = table[0]["fold"]
        table = [one for one in table if one["fold"] == fold]
        counted = np.flatnonzero(standard.rows)
        folds = [line["fold"] for line in read_table(os.path.join(self.out, "folds.tsv"))]
        if len(folds) != len(counted):
            self.misses.add("folds.tsv", len(folds), "samples of", len(counted))
            return
        inside = np.zeros(q.n, bool)
        inside[counted] = [one != fold for one in folds]
        own = Standard(q, inside, standard.rows)
        if not own.null[2]:
            return
        for one in (table[len(table) // 2], table[-1]):
            link = self.predicted(self.out, "--fold", "1", "--lambda-index", one["index"])[0]
            if link is None:
                continue
            eta = link[own.rows]
            if own.binomial:
                loss = own._loss(eta)
            else:
                loss = own.w @ ((own.y - eta) / own.y_norm) ** 2 / 2
            ratio = 1 - loss / own.null[0]
            if abs(float(ratio) - float(one["deviance_ratio"])) > 1e-8:
                self.misses.add("fold: deviance ratio", one["index"], "of predictions", short(ratio), "written",
                                one["deviance_ratio"])
            error = self.held_out_error(standard, link, standard.rows & ~inside)
            if error is not None and abs(error - float(one["error"])) > 1e-9 * abs(error) + 1e-12:
                self.misses.add("fold: error", one["index"], "of predictions", short(error), "written", one["error"])

    def held_out_error(self, standard, link, rows):
        """docs/OUTPUT.md, "Measures"."""
        q = self.problem
        y, w = q.y[rows], np.ones(rows.sum()) if q.weights is None else q.weights[rows]
        measure = {"auto": "deviance" if standard.binomial else "mse"}.get(q.measure, q.measure)
        if not standard.binomial:
            off = y - link[rows]
            errors = off**2 if measure == "mse" else np.abs(off)
        else:
            p = 1 / (1 + np.exp(-link[rows]))
            if measure == "auc":
                return None
            cut = np.clip(p, 1e-5, 1 - 1e-5)
            errors = {"mse": 2 * (y - p) ** 2, "mae": 2 * np.abs(y - p), "class": ((p > 0.5) != (y > 0)).astype(float),
                      "deviance": -2 * np.log(np.where(y > 0, cut, 1 - cut))}[measure]
            if measure == "class" and np.any(np.abs(link[rows]) < 1e-9):
                return None
        return float(np.average(errors, weights=w))

    def predicted(self, model, *more):
        """A link for each model, of all samples of the file; [None] where `predict` is refused."""
        q = self.problem
        names = ("--bfile", "--pheno", "--x", "--covar", "--offset")
        options = [one for at, one in enumerate(self.files)
                   if one in names[:1] + names[2:] or at and self.files[at - 1] in names[:1] + names[2:]]
        done = self.run("predict", "--model", model, *options, *more, "--quiet")
        if done.returncode != 0:
            if np.isnan(q.x).any() and q.container != "bed":
                return [None]
            self.misses.add(f"predict: exit code {done.returncode}", done.stderr.strip()[:300])
            return [None]
        lines = [line.split("\t") for line in done.stdout.splitlines()]
        start = "link" if q.family == "binomial" else "prediction"
        at = [k for k, name in enumerate(lines[0]) if name.startswith(start)]
        numbers = np.array([[float(line[k]) for k in at] for line in lines[1:]])
        if len(numbers) != q.n:
            self.misses.add("predict: rows", len(numbers), "of", q.n)
            return [None]
        return list(numbers.T)
