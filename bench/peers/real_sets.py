#!/usr/bin/env python3
"""`lasso fit` beside glmnet and scikit-learn on sets that fit in memory:  real_sets.py LASSO NAME=OPTIONS... [--runs 7] [--peer-runs 3]

NAME=OPTIONS is a set as `lasso fit` reads it, OPTIONS with commas for blanks: leukemia=--x,X.csv.gz,--y,y.csv
mice=--bfile,mice,--pheno,pheno.tsv,--pheno-name,weight. For lambda_max / 10 and / 100: the median seconds of solving of 7
fits to a certified 1e-6 F, of 3 runs of glmnet (a path of 20 down to lambda, thresh 1e-9) and of scikit-learn (float64, the
same gap), in turns, each on the standardised dense matrix in memory; and how far each objective, judged in float64, is above
the least. A peer that takes more than 30 s runs once, and is stopped after --limit (120 s). Needs python3-sklearn and r-cran-glmnet.
"""
import argparse
import gzip
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

RATIOS = (0.1, 0.01)
DOSAGE = np.array([2, np.nan, 1, 0])
GLMNET = """suppressMessages(library(glmnet)); a <- commandArgs(TRUE); n <- as.integer(a[2]); p <- as.integer(a[3])
x <- matrix(readBin(a[1], "double", n * p), n, p); y <- readBin(a[4], "double", n)
top <- max(abs(crossprod(x, y))); lambda <- top * as.numeric(a[5])
grid <- exp(seq(log(top), log(lambda), length.out = 20)) / n
start <- proc.time()[["elapsed"]]
fit <- glmnet(x, y, lambda = grid, standardize = FALSE, intercept = FALSE, thresh = 1e-9, maxit = 1e8)
seconds <- proc.time()[["elapsed"]] - start
writeBin(c(seconds, as.numeric(fit$beta[, ncol(fit$beta)])), a[6])
"""


def option(options, name):
    return options[options.index(name) + 1] if name in options else None


def read_bed(options):
    prefix = option(options, "--bfile")
    ids = [line.split()[1] for line in open(f"{prefix}.fam")]
    lines = [line.split() for line in open(option(options, "--pheno"))]
    column = lines[0].index(option(options, "--pheno-name"))
    pheno = {line[1]: line[column] for line in lines[1:]}
    rows = [i for i, name in enumerate(ids) if pheno.get(name, "NA") not in ("NA", "-9")]
    raw = np.fromfile(f"{prefix}.bed", np.uint8)[3:].reshape(-1, (len(ids) + 3) // 4)
    codes = np.stack([(raw >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(len(raw), -1)[:, rows]
    return DOSAGE[codes].T, np.array([float(pheno[ids[i]]) for i in rows])


def read_csv(options):
    def table(path, columns=None):
        with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
            return np.loadtxt(file, delimiter=",", skiprows=1, ndmin=2, usecols=columns)
    return table(option(options, "--x")), table(option(options, "--y"), 0)[:, 0]


def standardised(options):
    x, y = read_bed(options) if "--bfile" in options else read_csv(options)
    x = np.nan_to_num(x - np.nanmean(x, 0))
    norms = np.linalg.norm(x, axis=0)
    y = y - y.mean()
    return np.asfortranarray(x[:, norms > 1e-12] / norms[norms > 1e-12]), y / np.linalg.norm(y)


def objective(x, y, b, lam):
    r = y - x @ b
    return 0.5 * r @ r + lam * np.abs(b).sum()


def run_ours(program, options, ratio, folder):
    subprocess.run([program, "fit", *options, "--lambda-ratio", str(ratio), "--threads", "2", "--quiet", "--force", "--out",
                    folder], check=True, stdout=subprocess.DEVNULL)
    summary = json.loads(pathlib.Path(folder, "summary.json").read_text())
    return summary["seconds_solve"], summary["objective"]


def run_sklearn(x, y, ratio, tolerance, folder, limit):
    np.save(f"{folder}/x.npy", x)
    code = f"""import numpy as np, time, warnings; warnings.simplefilter("ignore")
from sklearn.linear_model import lasso_path
x = np.asfortranarray(np.load("{folder}/x.npy")); y = np.fromfile("{folder}/y.bin"); lam = abs(x.T @ y).max() * {ratio}
start = time.perf_counter()
b = lasso_path(x, y, alphas=[lam / len(y)], tol={tolerance}, max_iter=1000000, precompute=False, copy_X=False)[1][:, 0]
np.concatenate(([time.perf_counter() - start], b)).tofile("{folder}/b.bin")"""
    return peer([sys.executable, "-c", code], folder, limit)


def run_glmnet(x, ratio, folder, limit):
    return peer(["Rscript", f"{folder}/fit.R", f"{folder}/x.bin", *map(str, x.shape), f"{folder}/y.bin", str(ratio),
                 f"{folder}/b.bin"], folder, limit)


def peer(command, folder, limit):
    try:
        subprocess.run(command, check=True, timeout=limit, stdout=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return None
    found = np.fromfile(f"{folder}/b.bin")
    return found[0], found[1:]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lasso")
    parser.add_argument("sets", nargs="+")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--peer-runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=120)
    arguments = parser.parse_args()
    print("| set | lambda_max / | ours, s | glmnet, s | above | scikit-learn, s | above |\n" + "| --- " * 7 + "|")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "fit.R").write_text(GLMNET)
        for name, _, rest in (text.partition("=") for text in arguments.sets):
            options = rest.split(",")
            x, y = standardised(options)
            x.T.tofile(f"{folder}/x.bin")
            y.tofile(f"{folder}/y.bin")
            for ratio in RATIOS:
                lam = np.abs(x.T @ y).max() * ratio
                ours, peers = [], {"glmnet": [], "scikit-learn": []}
                above = {}
                done = set()
                for turn in range(arguments.runs):
                    seconds, best = run_ours(arguments.lasso, options, ratio, f"{folder}/run")
                    ours.append(seconds)
                    for who in peers:
                        if turn >= arguments.peer_runs or who in done:
                            continue
                        start = time.perf_counter()
                        limit = arguments.limit
                        found = (run_glmnet(x, ratio, folder, limit) if who == "glmnet"
                                 else run_sklearn(x, y, ratio, 1e-6 * best, folder, limit))
                        if found is None or time.perf_counter() - start > 30:
                            done.add(who)
                        if found is not None:
                            peers[who].append(found[0])
                            above[who] = objective(x, y, found[1], lam) / best - 1
                cells = [f"{statistics.median(ours):.3f}"]
                for who, seconds in peers.items():
                    cells += [f"{statistics.median(seconds):.3f}", f"{above[who]:.0e}"] if seconds else [f"> {arguments.limit:.0f}", "-"]
                print(f"| {name} | {1 / ratio:.0f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
