#!/usr/bin/env python3
"""`lasso cv` at several l1 ratios beside cv.glmnet and scikit-learn:  l1_ratios.py LASSO NAME=OPTIONS... [--ratios A,...]

NAME=OPTIONS as in real_sets.py. One run of ours with all ratios; then for each ratio cv.glmnet(alpha = a) at our lambdas and
folds (thresh 1e-14), and once ElasticNetCV(l1_ratio = [...]) on the same folds with its own grids, which are ours. Prints
what each chooses, by how much glmnet's curves differ from ours, and seconds of the processor. scikit-learn standardises
neither columns nor y anew in a fold, so that only what it chooses can be compared. Needs python3-sklearn, r-cran-glmnet.
"""
import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import warnings

import numpy as np

from real_sets import read_bed, read_csv

GLMNET = """suppressMessages(library(glmnet)); a <- commandArgs(TRUE); n <- as.integer(a[2]); p <- as.integer(a[3])
x <- matrix(readBin(a[1], "double", n * p), n, p); y <- readBin(a[4], "double", n); folds <- readBin(a[5], "double", n)
lambda <- readBin(a[6], "double", as.integer(a[7])); start <- proc.time()
cv <- cv.glmnet(x, y, foldid = folds, lambda = lambda, alpha = as.numeric(a[8]), thresh = as.numeric(a[9]), maxit = 1e8)
used <- proc.time() - start; seconds <- used[["user.self"]] + used[["sys.self"]]
writeBin(c(seconds, cv$lambda.min, cv$lambda.1se, cv$cvm), a[10])
"""


def rows_of(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path)]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def ours(lasso, options, ratios, more, out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([lasso, "cv", *options, "--l1-ratio", ratios, "--out", out, "--force", "--quiet", *more], check=True,
                   stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def glmnet(folder, x, y, folds, lambdas, ratio, thresh):
    folder = pathlib.Path(folder)
    for name, values in (("x", x.T), ("y", y), ("folds", folds), ("lambda", lambdas)):
        np.ascontiguousarray(values, np.float64).tofile(folder / name)
    (folder / "glmnet.R").write_text(GLMNET)
    subprocess.run(["Rscript", folder / "glmnet.R", folder / "x", str(x.shape[0]), str(x.shape[1]), folder / "y",
                    folder / "folds", folder / "lambda", str(len(lambdas)), str(ratio), str(thresh), folder / "out"],
                   check=True)
    return np.fromfile(folder / "out")


def sklearn(x, y, folds, ratios, lambdas, least):
    from sklearn.linear_model import ElasticNetCV
    warnings.simplefilter("ignore")
    x = (x - x.mean(0)) / np.where(x.std(0) > 0, x.std(0), 1)
    y = (y - y.mean()) / y.std()
    parts = [(np.where(folds != f)[0], np.where(folds == f)[0]) for f in np.unique(folds)]
    start = os.times()
    fit = ElasticNetCV(l1_ratio=ratios, n_alphas=lambdas, eps=least, cv=parts, tol=1e-6, max_iter=10000).fit(x, y)
    end = os.times()
    return fit.l1_ratio_, fit.alpha_, end.user + end.system - start.user - start.system


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lasso")
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--ratios", default="1,0.9,0.5")
    parser.add_argument("--lambdas", type=int, default=50)
    parser.add_argument("--least", type=float, default=0.01)
    parser.add_argument("--folds", default="5")
    parser.add_argument("--thresh", type=float, default=1e-14)
    parser.add_argument("--tolerance", default="1e-9")
    parser.add_argument("--without-sklearn", action="store_true")
    asked = parser.parse_args()
    for name, text in (one.split("=", 1) for one in asked.sets):
        options = text.split(",")
        x, y = read_bed(options) if "--bfile" in options else read_csv(options)
        with tempfile.TemporaryDirectory() as folder:
            run = f"{folder}/run"
            more = ["--lambdas", str(asked.lambdas), "--lambda-min-ratio", str(asked.least), "--folds", asked.folds,
                    "--tolerance", asked.tolerance, "--early-end", "off"]
            seconds = ours(asked.lasso, options, asked.ratios, more, run)
            folds = np.array([int(row["fold"]) for row in rows_of(f"{run}/folds.tsv")])
            table = rows_of(f"{run}/l1_ratios.tsv")
            best = next(row for row in table if row["best"] == "yes")
            facts = {"set": name, "ours_seconds": round(seconds, 2), "ours": [best["l1_ratio"], float(best["lambda_ratio_min"])],
                     "glmnet": []}
            least = None
            for row in table:
                curve = rows_of(f"{run}/l1_ratio_{row['l1_ratio']}/cv.tsv")
                lambdas = np.array([float(point["lambda_y"]) for point in curve])
                own = np.array([float(point["mean"]) for point in curve])
                filled = np.where(np.isnan(x), np.nanmean(x, 0), x)  # cv.glmnet: at the mean over all samples
                seconds, at_min, at_1se, *means = glmnet(folder, filled, y, folds, lambdas, row["l1_ratio"], asked.thresh)
                means = np.array(means)
                chosen = {"l1_ratio": row["l1_ratio"], "seconds": round(seconds, 2),
                          "curve_differs": float(f"{np.max(np.abs(means / own[:len(means)] - 1)):.2g}"),
                          "min_same": bool(abs(at_min / float(row["lambda_y_min"]) - 1) < 1e-9),
                          "1se_same": bool(abs(at_1se / float(row["lambda_y_1se"]) - 1) < 1e-9)}
                facts["glmnet"].append(chosen)
                if least is None or means.min() < least[0]:
                    least = (means.min(), row["l1_ratio"])
            facts["glmnet_chooses"] = least[1]
            if not asked.without_sklearn:
                ratios = [float(one) for one in asked.ratios.split(",")]
                ratio, alpha, seconds = sklearn(np.where(np.isnan(x), np.nanmean(x, 0), x), y, folds, ratios, asked.lambdas,
                                                asked.least)
                own = next(row for row in table if float(row["l1_ratio"]) == ratio)
                top = float(own["lambda_min"]) / float(own["lambda_ratio_min"])
                facts["sklearn"] = [ratio, float(f"{alpha / top:.6g}")]
                facts["sklearn_seconds"] = round(seconds, 2)
            print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    main()
