#!/usr/bin/env python3
"""The curve of `lasso path --split` beside glmnet's, and what is left of the difference without copies of variants.

usage: bench/peers/split_curve.py LASSO PREFIX PHENO COLUMN THRESH...

Three fifths of the people train, a fifth validates (drawn by numpy, seed 7). Ours solves 50 lambdas to lambda_max / 50 to
1e-6 and to 1e-12, with all variants and with one of each group whose columns are equal, up to sign, among those who train
(missing calls at their mean); glmnet has the same columns and lambdas and each THRESH. For every solution, in float64:
the largest gap over the objective, how far the objective lies above ours at 1e-12, and the largest relative difference of
the error on val from ours at 1e-12. Then, of all variants: how much the error on val can change while the fit of those
who train stays what it is, and how far ours is from the exact solution on its own support. Needs numpy, r-cran-glmnet.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

COPIES = np.array([2, np.nan, 1, 0])
GLMNET = """suppressMessages(library(glmnet)); a <- commandArgs(TRUE); n <- as.integer(a[4]); p <- as.integer(a[5])
x <- matrix(readBin(a[1], "double", n * p), n, p); y <- readBin(a[2], "double", n); grid <- readBin(a[3], "double", 1e4)
glmnet.control(fdev = 0, devmax = 1)
fit <- glmnet(x, y, lambda = grid / n, standardize = FALSE, intercept = FALSE, thresh = as.numeric(a[6]), maxit = 1e9)
writeBin(as.numeric(as.matrix(fit$beta)), a[7])
"""


class Set:
    """Columns of those who train, centred and of unit norm; those of who validates on the same scale."""

    def __init__(self, prefix, pheno, column, folder):
        fam = [line.split() for line in open(f"{prefix}.fam", encoding="ascii")]
        table = [line.rstrip("\n").split("\t") for line in open(pheno, encoding="utf-8")]
        trait = {row[1]: row[table[0].index(column)] for row in table[1:]}
        part = np.random.default_rng(7).integers(0, 5, len(fam))
        self.split = folder / "split.tsv"
        names = ("train", "train", "train", "val", "test")
        self.split.write_text("FID\tIID\tpart\n" + "".join(f"{one[0]}\t{one[1]}\t{names[k]}\n"
                                                            for one, k in zip(fam, part)), encoding="ascii")
        raw = np.fromfile(f"{prefix}.bed", np.uint8)[3:].reshape(-1, (len(fam) + 3) // 4)
        codes = np.stack([(raw >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(len(raw), -1)[:, :len(fam)]
        there = np.array([trait.get(one[1], "NA") not in ("NA", "-9") for one in fam])
        train, val = np.flatnonzero(there & (part < 3)), np.flatnonzero(there & (part == 3))
        x, self.x_val = COPIES[codes[:, train]].T, COPIES[codes[:, val]].T
        means = np.nanmean(x, 0)
        x, self.x_val = (np.where(np.isnan(part), means, part) - means for part in (x, self.x_val))
        norms = np.sqrt((x**2).sum(0))
        varies = norms > 1e-9
        self.x, self.x_val = (part * np.where(varies, 1 / np.where(varies, norms, 1), 0) for part in (x, self.x_val))
        y = np.array([float(trait[fam[i][1]]) for i in train])
        self.y_val = np.array([float(trait[fam[i][1]]) for i in val])
        self.mean, self.norm = y.mean(), np.linalg.norm(y - y.mean())
        self.y = (y - self.mean) / self.norm
        self.groups = {}
        for j in np.flatnonzero(varies):
            sign = np.sign(self.x[np.argmax(np.abs(self.x[:, j]) > 1e-6), j])
            self.groups.setdefault((np.round(sign * self.x[:, j], 9) + 0.0).tobytes(), []).append((j, sign))
        self.distinct = np.array(sorted(group[0][0] for group in self.groups.values()))
        self.extract = folder / "extract.txt"
        ids = [line.split()[1] for line in open(f"{prefix}.bim", encoding="ascii")]
        self.extract.write_text("".join(ids[j] + "\n" for j in self.distinct), encoding="ascii")

    def error(self, beta):
        return np.mean((self.y_val - self.mean - self.norm * (self.x_val @ beta)) ** 2)

    def measure(self, beta, lam, columns):
        """Objective, gap, error on val."""
        residual = self.y - self.x @ beta
        objective = residual @ residual / 2 + lam * np.abs(beta).sum()
        shrink = min(1, lam / np.abs(self.x[:, columns].T @ residual).max())
        rest = self.y - shrink * residual
        return objective, objective - (self.y @ self.y - rest @ rest) / 2, self.error(beta)


def run_ours(arguments, data, folder, tolerance, more):
    subprocess.run([*arguments, "--split", data.split, "--split-name", "part", "--tolerance", tolerance, "--stop-after", "50",
                    "--lambdas", "50", "--lambda-min-ratio", "0.02", "--refit", "off", "--quiet", "--out", folder,
                    "--force", *more], check=True, stdout=subprocess.DEVNULL)
    rows = [line.split("\t") for line in (folder / "path.tsv").read_text().splitlines()[1:]]
    grid = np.array([float(row[1]) for row in rows])
    beta = np.zeros((len(grid), data.x.shape[1]))
    for line in (folder / "path_coefficients.tsv").read_text().splitlines()[1:]:
        row = line.split("\t")
        beta[int(row[0]) - 1, int(row[8]) - 1] = float(row[6])
    return grid, beta


def run_glmnet(data, grid, columns, thresh, folder):
    np.ascontiguousarray(data.x[:, columns].T).tofile(folder / "x")
    data.y.tofile(folder / "y")
    grid.tofile(folder / "grid")
    (folder / "glmnet.R").write_text(GLMNET, encoding="ascii")
    subprocess.run(["Rscript", folder / "glmnet.R", *(folder / name for name in ("x", "y", "grid")), str(len(data.y)),
                    str(len(columns)), thresh, folder / "beta"], check=True, stdout=subprocess.DEVNULL)
    beta = np.zeros((len(grid), data.x.shape[1]))
    beta[:, columns] = np.fromfile(folder / "beta").reshape(len(grid), -1)
    return beta


def show(name, data, grid, columns, beta, best):
    found = np.array([data.measure(b, lam, columns) for b, lam in zip(beta, grid)])
    print(f"{name:24s} gap / objective {(found[:, 1] / found[:, 0]).max():8.1e}   objective above ours "
          f"{(found[:, 0] / best[:, 0] - 1).max():8.1e}   val differs {np.abs(found[:, 2] / best[:, 2] - 1).max():8.1e}",
          flush=True)


def show_freedom(data, grid, beta):
    """How free the solution at the least error on val is, and whether ours is the exact one where it is not free."""
    k = int(np.argmin([data.error(b) for b in beta]))
    support = np.flatnonzero(beta[k])
    of = {j: (group, sign) for group in data.groups.values() for j, sign in group}
    changes = []
    for j in support:
        group, own = of[j]
        errors = []
        for i, sign in group:
            moved = beta[k].copy()
            moved[j] = 0
            moved[i] += beta[k][j] * sign * own
            errors.append(data.error(moved) / data.error(beta[k]) - 1)
        changes.append((min(errors), max(errors)))
    low, high = np.sum(changes, 0)
    print(f"lambda {k + 1}: {len(support)} nonzeros of rank {np.linalg.matrix_rank(data.x[:, support])}; copies that "
          f"change places change the error on val by {low:.1e} to {high:.1e}")
    if np.linalg.matrix_rank(data.x[:, support]) < len(support):
        return
    part = data.x[:, support]
    exact = np.zeros(len(beta[k]))
    exact[support] = np.linalg.solve(part.T @ part, part.T @ data.y - grid[k] * np.sign(beta[k][support]))
    print(f"exact on this support: the same signs {bool((np.sign(exact) == np.sign(beta[k])).all())}, val differs "
          f"{abs(data.error(exact) / data.error(beta[k]) - 1):.1e}")


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    lasso, prefix, pheno, column = sys.argv[1:5]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data = Set(prefix, pheno, column, folder)
        arguments = [lasso, "path", "--bfile", prefix, "--pheno", pheno, "--pheno-name", column]
        for what, columns, more in (("all", np.arange(data.x.shape[1]), []),
                                    ("distinct", data.distinct, ["--extract", data.extract])):
            print(f"{what}: {len(data.y)} people train, {len(data.y_val)} validate, {len(columns)} variants")
            grid, best_beta = run_ours(arguments, data, folder / "run", "1e-12", more)
            best = np.array([data.measure(b, lam, columns) for b, lam in zip(best_beta, grid)])
            show("ours 1e-12", data, grid, columns, best_beta, best)
            show("ours 1e-6", data, grid, columns, run_ours(arguments, data, folder / "run", "1e-6", more)[1], best)
            for thresh in sys.argv[5:]:
                show(f"glmnet {thresh}", data, grid, columns, run_glmnet(data, grid, columns, thresh, folder), best)
            show_freedom(data, grid, best_beta)


if __name__ == "__main__":
    main()
