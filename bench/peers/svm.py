#!/usr/bin/python3
"""LIBLINEAR's support vector machines beside ours, in turns:  svm.py X.npz Y.tsv [--loss hinge] [--cost 1] [--repeat 7] ...

X.npz is a scipy matrix, Y.tsv a table with one column of -1 and 1. The bias is a penalised constant of 1 in both. LIBLINEAR
(through scikit-learn: -s 3 for hinge, -s 1 for squared_hinge; one thread, data in memory) is timed around fit(), ours by
seconds_solve of `svm fit` (all cores, and --threads 1). For each --gap the loosest of LIBLINEAR's tolerances is taken whose
objective is at most that share above the minimum; ours has to prove it, by its duality gap, which asks for more. First both
are solved tightly: objectives, and training samples that both are sure of and put on different sides; of squared_hinge also
LIBLINEAR's primal solver (-s 2).
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
from sklearn.svm import LinearSVC

BIN = pathlib.Path(os.environ.get("STRADS_BIN_DIR", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"))
SVM = BIN / "svm"
TOLERANCES = [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4, 5e-5, 2e-5, 1e-5]
SURE = 1e-6


def ours(options, gap, threads, out):
    command = [SVM, "fit", "--x", options.x, "--y", options.y, "--loss", options.loss, "--cost", str(options.cost), "--bias", "1",
               "--tolerance", str(gap), "--threads", str(threads), "--out", out, "--force", "--quiet"]
    ended = subprocess.run(command, stdout=subprocess.DEVNULL)
    if ended.returncode not in (0, 3):  # 3: what is asked for is below what rounding leaves
        ended.check_returncode()
    summary = json.loads((pathlib.Path(out) / "summary.json").read_text())
    return summary["seconds_solve"], summary["objective"]


def decisions_of(out, x):
    """w'x + b from coefficients.tsv, whose rows name columns of x from 1."""
    lines = (pathlib.Path(out) / "coefficients.tsv").read_text().splitlines()
    names = lines[0].split("\t")
    at = names.index("variable") if "variable" in names else 0
    value = names.index("coefficient") if "coefficient" in names else len(names) - 1
    w = np.zeros(x.shape[1])
    for line in lines[1:]:
        fields = line.split("\t")
        if fields[at].isdigit():
            w[int(fields[at]) - 1] = float(fields[value])
    return x @ w + json.loads((pathlib.Path(out) / "summary.json").read_text())["offset"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("x")
    parser.add_argument("y")
    parser.add_argument("--loss", choices=["hinge", "squared_hinge"], default="hinge")
    parser.add_argument("--cost", type=float, default=1)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--gap", type=float, nargs="+", default=[1e-3, 1e-6])
    parser.add_argument("--tight", type=float, default=1e-7, help="LIBLINEAR's tolerance for the comparison of objectives")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    x = sp.load_npz(options.x).astype(np.float64).tocsr()
    y = np.loadtxt(options.y, skiprows=1)

    def objective(model):
        w, b = model.coef_.ravel(), float(model.intercept_[0])
        lack = np.maximum(0, 1 - y * (x @ w + b))
        return 0.5 * (w @ w + b * b) + options.cost * float((lack if options.loss == "hinge" else lack * lack).sum())

    def liblinear(tol, iterations=100000):
        model = LinearSVC(loss=options.loss, dual=True, C=options.cost, tol=tol, max_iter=iterations, random_state=0)
        start = time.perf_counter()
        model.fit(x, y)
        return time.perf_counter() - start, objective(model), model

    with tempfile.TemporaryDirectory() as out:
        best = ours(options, 1e-12, 0, out)[1]
        own = decisions_of(out, x)
        tight = liblinear(options.tight)
        theirs = x @ tight[2].coef_.ravel() + tight[2].intercept_[0]
        sure = (np.abs(own) > SURE) & (np.abs(theirs) > SURE)
        print(f"objective {best:.12g}; LIBLINEAR at {options.tight:g}: {tight[1]:.12g}, {tight[1] / best - 1:.1e} above, "
              f"{tight[0]:.2f} s; other side: {int((sure & (own * theirs < 0)).sum())} of {len(y)}")
        if options.loss == "squared_hinge":
            model = LinearSVC(loss="squared_hinge", dual=False, C=options.cost, tol=1e-10, max_iter=100000).fit(x, y)
            theirs = x @ model.coef_.ravel() + model.intercept_[0]
            sure = (np.abs(own) > SURE) & (np.abs(theirs) > SURE)
            print(f"LIBLINEAR -s 2: {objective(model):.12g}, {objective(model) / best - 1:.1e} above; decisions differ by "
                  f"{np.abs(own - theirs).max():.1e}; other side: {int((sure & (own * theirs < 0)).sum())} of {len(y)}")
        runs = {}
        for gap in options.gap:
            for tol in TOLERANCES:
                if liblinear(tol)[1] <= best * (1 + gap):
                    runs[f"to {gap:g}: LIBLINEAR, tol {tol:g}"] = lambda tol=tol: liblinear(tol)[:2]
                    break
            else:
                print(f"to {gap:g}: LIBLINEAR does not come there with tol {TOLERANCES[-1]:g}")
            for threads in (0, 1):
                name = f"to {gap:g}: ours, {'all cores' if threads == 0 else 'one thread'}"
                runs[name] = lambda g=gap, n=threads: ours(options, g, n, out)
        found = {name: [] for name in runs}
        for _ in range(options.repeat):
            for name, run in runs.items():
                found[name].append(run())
    for name, results in found.items():
        seconds = statistics.median(one[0] for one in results)
        print(f"{name}: {seconds:.3f} s, {results[0][1] / best - 1:.1e} above")


if __name__ == "__main__":
    main()
