#!/usr/bin/python3
"""LIBLINEAR's L1 logistic regression beside ours, in turns:  liblinear.py X.npz Y.tsv RATIO [--repeat 7] [--tol T ...]

X.npz is a scipy CSC matrix, Y.tsv a table with one column of -1 and 1. Columns are scaled to unit 2-norm, not centred, no
intercept, lambda = RATIO max |x_j'y| / 2. LIBLINEAR (through scikit-learn, one thread, data in memory) is timed around
fit(), ours by seconds_solve of `lasso fit --family binomial` (all cores, and --threads 1). For each tolerance a line: the
median seconds and how far the objective is above the best one, relatively; the best one is ours at a gap of 1e-11.
Needs python3-sklearn and a Release build.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

BIN = pathlib.Path(os.environ.get("STRADS_BIN_DIR", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"))
LASSO = BIN / "lasso"


def ours(options, tolerance, threads, out):
    subprocess.run([LASSO, "fit", "--x", options.x, "--y", options.y, "--family", "binomial", "--intercept", "off",
                    "--center", "off", "--lambda-ratio", str(options.ratio), "--tolerance", str(tolerance), "--threads",
                    str(threads), "--out", out, "--force", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    summary = json.loads((pathlib.Path(out) / "summary.json").read_text())
    return summary["seconds_solve"], summary["objective"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("x")
    parser.add_argument("y")
    parser.add_argument("ratio", type=float)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--tol", type=float, nargs="+", default=[1e-3, 1e-4])
    parser.add_argument("--tolerance", type=float, nargs="+", default=[1e-2, 1e-3, 1e-6])
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    x = sp.load_npz(options.x).astype(np.float64).tocsc()
    norms = np.sqrt(np.asarray(x.multiply(x).sum(0)).ravel())
    x = (x @ sp.diags(1 / np.where(norms > 0, norms, 1))).tocsr()
    y = np.loadtxt(options.y, skiprows=1)
    lam = float(np.abs(x.T @ y).max()) / 2 * options.ratio

    def objective(b):
        return float(np.logaddexp(0, -y * (x @ b)).sum() + lam * np.abs(b).sum())

    def liblinear(tol):
        model = LogisticRegression(penalty="l1", solver="liblinear", C=1 / lam, tol=tol, fit_intercept=False,
                                   max_iter=10000, random_state=0)
        start = time.perf_counter()
        model.fit(x, y)
        return time.perf_counter() - start, objective(model.coef_.ravel())

    with tempfile.TemporaryDirectory() as out:
        best = ours(options, 1e-11, 0, out)[1]
        runs = {f"LIBLINEAR, tol {tol:g}": lambda tol=tol: liblinear(tol) for tol in options.tol}
        for threads in (0, 1):
            for tolerance in options.tolerance:
                name = f"ours, tolerance {tolerance:g}, {'all cores' if threads == 0 else 'one thread'}"
                runs[name] = lambda t=tolerance, n=threads: ours(options, t, n, out)
        found = {name: [] for name in runs}
        for _ in range(options.repeat):
            for name, run in runs.items():
                found[name].append(run())
    for name, results in found.items():
        seconds = statistics.median(one[0] for one in results)
        print(f"{name}: {seconds:.3f} s, {results[0][1] / best - 1:.1e} above")


if __name__ == "__main__":
    main()
