#!/usr/bin/python3
"""scikit-learn's L1 logistic regression on a PLINK set:  sklearn_logistic.py PREFIX RATIO [--solver liblinear] [--tol 1e-4]

Reads PREFIX.bed/.bim/.fam and PREFIX.cases.tsv (last column, 0 and 1; bench/make_genotypes.py writes it), standardises like
`lasso fit --family binomial` and fits at lambda_max x RATIO with LIBLINEAR or saga, in float64. LIBLINEAR penalises its
intercept: it is scaled by 100, and the objective is judged at the best intercept for its coefficients. Prints seconds of the
clock and of the processor and the objective, sum log(1 + exp) + lambda |b|_1, as one line of JSON. Needs python3-sklearn.
"""
import argparse
import json
import pathlib
import resource
import time
import warnings

import numpy as np

from sklearn_lasso import read


def best_objective(link, y, penalty):
    """At the intercept that Newton steps find for the link without one."""
    intercept = 0.0
    for _ in range(50):
        probability = 1 / (1 + np.exp(-(link + intercept)))
        intercept += float((y - probability).sum() / (probability * (1 - probability)).sum())
    return float(np.logaddexp(0, -(2 * y - 1) * (link + intercept)).sum()) + penalty


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prefix")
    parser.add_argument("ratio", type=float)
    parser.add_argument("--solver", default="liblinear", choices=("liblinear", "saga"))
    parser.add_argument("--tol", type=float, default=1e-4)
    parser.add_argument("--max-iter", type=int, default=10000)
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    from sklearn.linear_model import LogisticRegression
    start = time.perf_counter()
    x = np.ascontiguousarray(read(options.prefix, np.dtype("float64"))[0])
    lines = pathlib.Path(f"{options.prefix}.cases.tsv").read_text().splitlines()[1:]
    y = np.array([float(line.split("\t")[-1]) for line in lines])
    loaded = time.perf_counter()
    lam = float(np.abs(x.T @ (y - y.mean())).max()) * options.ratio
    model = LogisticRegression(penalty="l1", solver=options.solver, C=1 / lam, tol=options.tol, fit_intercept=True,
                               intercept_scaling=100, max_iter=options.max_iter, random_state=0)
    begun, processor = time.perf_counter(), time.process_time()
    model.fit(x, y)
    seconds, processor = time.perf_counter() - begun, time.process_time() - processor
    b = model.coef_.ravel()
    support = np.flatnonzero(b)
    print(json.dumps({"peer": f"scikit-learn {options.solver}", "tol": options.tol, "ratio": options.ratio,
                      "seconds_load": loaded - start, "seconds_solve": seconds, "processor_seconds_solve": processor,
                      "iterations": int(model.n_iter_[0]),
                      "objective": best_objective(x[:, support] @ b[support], y, lam * np.abs(b).sum()),
                      "nonzeros": int(support.size), "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
