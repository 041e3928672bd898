#!/usr/bin/env python3
"""What the Python package costs beside the command, and LassoCV beside scikit-learn's.

Usage: PYTHONPATH=build/release/python bench/python_package.py overhead
       PYTHONPATH=build/release/python bench/python_package.py cv BFILE PHENO COLUMN [N_ALPHAS EPS]
       PYTHONPATH=build/release/python bench/python_package.py cluster

overhead: Lasso().fit on a 1,000 x 10,000 float64 array: seconds outside of loading, solving and checking as the run itself
counts them (the same code as `lasso fit`), and of one pass over the array. Medians of 15.
cv: genotypes as float64, missing calls at their means; five folds, the same grid; each program in a process of its own.
Processor seconds (user and system), peak memory of the process, chosen alpha, and how the coefficients differ.
cluster: a fit of 60 x 200 numbers in this process and on two that stay, 15 of each in turns: elapsed milliseconds.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import time

import numpy as np


def overhead():
    import strads

    random = np.random.default_rng(0)
    x = np.asfortranarray(random.normal(size=(1000, 10000)))
    y = x[:, :20].sum(axis=1) + random.normal(size=1000)
    outside, whole, passes, loads = [], [], [], []
    for _ in range(15):
        begin = time.perf_counter()
        model = strads.Lasso(0.3, n_jobs=1).fit(x, y)
        whole.append(time.perf_counter() - begin)
        outside.append(whole[-1] - sum(model.seconds_.values()))
        loads.append(model.seconds_["load"])
        begin = time.perf_counter()
        x.sum()
        passes.append(time.perf_counter() - begin)
    for name, pick in (("median", statistics.median), ("least", min)):
        print(f"{name}: fit {1e3 * pick(whole):.1f} ms, outside of load, solve and check {1e3 * pick(outside):.2f} ms; "
              f"load {1e3 * pick(loads):.1f} ms; one pass (numpy.sum) {1e3 * pick(passes):.1f} ms")


def cluster():
    import strads

    random = np.random.default_rng(1)
    x = np.asfortranarray(random.normal(size=(60, 200)))
    y = x[:, :10] @ random.normal(size=10) + random.normal(size=60)
    seconds = {"in this process": [], "on two processes that stay": []}
    with strads.Cluster(processes=2) as nodes:
        for _ in range(18):  # the first three are not counted: nodes begin to keep the data
            for where, name in zip((None, nodes), seconds):
                begin = time.perf_counter()
                strads.Lasso(0.1, cluster=where).fit(x, y)
                seconds[name].append(time.perf_counter() - begin)
    for name, each in seconds.items():
        print(f"{name}: median {1e3 * statistics.median(each[3:]):.1f} ms, least {1e3 * min(each[3:]):.1f} ms")


def matrix(bfile, pheno, column):
    """Genotypes as float64 in Fortran order, of the samples that have the phenotype."""
    import pandas as pd
    import strads

    bed = strads.Bed(bfile)
    table = pd.read_csv(pheno, sep=None, engine="python", dtype={"FID": str, "IID": str})
    y = bed.samples.merge(table, how="left", on=["FID", "IID"])[column].to_numpy(dtype=float)
    samples, variants = bed.shape
    raw = np.fromfile(bfile + ".bed", dtype=np.uint8)[3:].reshape(variants, (samples + 3) // 4)
    kept = ~np.isnan(y)
    x = np.empty((int(kept.sum()), variants), order="F")
    copies = np.array([2.0, np.nan, 1.0, 0.0])
    for j in range(variants):
        codes = (raw[j][:, None] >> np.array([0, 2, 4, 6], dtype=np.uint8)) & 3
        calls = copies[codes.ravel()[:samples]][kept]
        calls[np.isnan(calls)] = np.nanmean(calls)
        x[:, j] = calls
    return bed, x, y, kept


def one(who, bfile, pheno, column, n_alphas, eps):
    from sklearn.model_selection import KFold

    bed, x, y, kept = matrix(bfile, pheno, column)
    folds = KFold(5, shuffle=True, random_state=1)
    if who == "scikit-learn":
        from sklearn.linear_model import LassoCV

        model = LassoCV(n_alphas=n_alphas, eps=eps, cv=folds, tol=1e-6, max_iter=100000)
        x, y = x, y[kept]
    else:
        from strads import LassoCV

        model = LassoCV(n_alphas=n_alphas, eps=eps, cv=folds if who == "strads" else 5, n_jobs=1)
        x, y = (x, y[kept]) if who == "strads" else (bed, y)
    with open("/proc/self/clear_refs", "w") as marks:
        marks.write("5")
    before, begin = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    model.fit(x, y)
    after = resource.getrusage(resource.RUSAGE_SELF)
    with open("/proc/self/status") as lines:
        peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024
    np.save(f"coef-{who}.npy", model.coef_)
    print(json.dumps({"who": who, "processor seconds": round(after.ru_utime + after.ru_stime - before.ru_utime
                                                              - before.ru_stime, 2),
                      "elapsed": round(time.perf_counter() - begin, 2), "peak MiB": round(peak),
                      "X MiB": round(x.nbytes / 2**20) if hasattr(x, "nbytes") else "on disk",
                      "alpha": float(model.alpha_), "nonzeros": int(np.count_nonzero(model.coef_))}))


def cv(*arguments):
    for who in ("strads", "strads-bed", "scikit-learn"):
        done = subprocess.run([sys.executable, "-B", __file__, "one", who, *arguments], capture_output=True, text=True,
                              env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"})
        print(done.stdout.strip() or done.stderr, flush=True)
    ours, theirs = np.load("coef-strads.npy"), np.load("coef-scikit-learn.npy")
    print(f"largest difference of coefficients {np.abs(ours - theirs).max():.2g}, largest {np.abs(theirs).max():.2g}")


if __name__ == "__main__":
    command, *rest = sys.argv[1:]
    if command == "overhead":
        overhead()
    elif command == "cluster":
        cluster()
    elif command == "cv":
        rest += ["50", "0.05"][len(rest) - 3:]
        cv(*rest)
    else:
        one(rest[0], *rest[1:4], int(rest[4]), float(rest[5]))
