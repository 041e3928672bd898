#!/usr/bin/env python3
"""scikit-learn's Lasso on a PLINK set:  sklearn_lasso.py PREFIX RATIO [--dtype float32] [--relative-gap 1e-6]

Reads PREFIX.bed/.bim/.fam and PREFIX.pheno.tsv (last column), standardises like `lasso fit` (columns and y centred,
unit 2-norm, missing calls at the mean) and fits at lambda_max x RATIO. Prints seconds for loading and solving, the
objective judged in float64 and peak memory, as one line of JSON. scikit-learn stops at gap <= tol x ||y||^2, so that
tol = relative gap x objective is the rule of `lasso fit`. Needs python3-sklearn.
"""
import argparse
import json
import os
import pathlib
import resource
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")

import numpy as np

DOSAGE = np.array([2, np.nan, 1, 0], np.float64)


def read(prefix, dtype):
    samples = len(pathlib.Path(f"{prefix}.fam").read_text().splitlines())
    with open(f"{prefix}.bim") as bim:
        variables = sum(1 for _ in bim)
    raw = np.memmap(f"{prefix}.bed", np.uint8, "r", 3, (variables, (samples + 3) // 4))
    x = np.empty((variables, samples), dtype)
    for first in range(0, variables, 20000):
        piece = np.asarray(raw[first:first + 20000])
        codes = np.stack([(piece >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(len(piece), -1)[:, :samples]
        values = DOSAGE[codes]
        values -= np.nanmean(values, 1, keepdims=True)
        values = np.nan_to_num(values)
        norms = np.linalg.norm(values, axis=1, keepdims=True)
        x[first:first + 20000] = values / np.where(norms > 0, norms, 1)
    lines = pathlib.Path(f"{prefix}.pheno.tsv").read_text().splitlines()[1:]
    y = np.array([float(line.split("\t")[-1]) for line in lines])
    y -= y.mean()
    return x.T, y / np.linalg.norm(y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix")
    parser.add_argument("ratio", type=float)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--relative-gap", type=float, default=1e-6)
    parser.add_argument("--objective", type=float, help="F*, for the tolerance; default: 0.1")
    options = parser.parse_args()
    start = time.perf_counter()
    from sklearn.linear_model import lasso_path
    x, y = read(options.prefix, np.dtype(options.dtype))
    loaded = time.perf_counter()
    yd = y.astype(x.dtype)
    lam = float(np.abs(x.T @ yd).max()) * options.ratio
    tolerance = options.relative_gap * (options.objective or 0.1)
    _, coefficients, _ = lasso_path(x, yd, alphas=np.array([lam / len(y)]), tol=tolerance, max_iter=100000, precompute=False,
                                    copy_X=False, check_input=False)
    solved = time.perf_counter()
    b = coefficients[:, 0].astype(np.float64)
    support = np.flatnonzero(b)
    residual = y - x[:, support].astype(np.float64) @ b[support]
    print(json.dumps({"peer": "scikit-learn", "dtype": options.dtype, "ratio": options.ratio, "seconds_load": loaded - start,
                      "seconds_solve": solved - loaded, "objective": 0.5 * residual @ residual + lam * np.abs(b).sum(),
                      "nonzeros": int(support.size), "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
