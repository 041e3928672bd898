"""Random small problems of lasso: everything that a seed decides, and the files that the command line reads."""
import dataclasses
import os

import numpy as np


@dataclasses.dataclass
class Problem:
    """What is fitted, and how. Arrays have a row for each sample in the file; factors of 1 are None."""

    seed: int
    front: str  # command, python, r
    kind: str  # fit, path, cv, split
    family: str
    container: str
    x: np.ndarray
    y: np.ndarray
    covariates: np.ndarray  # n x k, k may be 0
    weights: np.ndarray | None = None
    offset: np.ndarray | None = None
    factors: np.ndarray | None = None
    split: np.ndarray | None = None  # words
    l1_ratio: float = 1.0
    center: bool = True
    scale: bool = True
    intercept: bool = True
    center_y: bool = True
    scale_y: bool = True
    nonnegative: bool = False
    tolerance: float = 1e-6
    lambda_scale: str = "ratio"
    lambda_value: float = 0.1  # of a fit: on this scale, as a share of lambda_max where it is none
    lambdas: int = 20
    min_ratio: float = 0.0
    early_end: bool = True
    given: list | None = None  # --lambda-file, shares of lambda_max
    folds: int = 3
    fold_of: np.ndarray | None = None  # of a cross-validation: the fold of each sample, from 0
    measure: str = "auto"
    stop_after: int | None = None
    warm_start: float = 0.0  # of a fit: it begins with that at lambda, and is at lambda times this
    engine: list = dataclasses.field(default_factory=list)  # options of the engine

    @property
    def n(self):
        return len(self.y)

    @property
    def names(self):
        return [f"c{k + 1}" for k in range(self.covariates.shape[1])]

    def about(self):
        weights = "" if self.weights is None else " weights"
        return (f"{self.kind} {self.family} {self.container} {self.n}x{self.x.shape[1]} a={self.l1_ratio:g}"
                f" center={self.center:d} scale={self.scale:d} intercept={self.intercept:d} center_y={self.center_y:d}"
                f" scale_y={self.scale_y:d} nonnegative={self.nonnegative:d} tolerance={self.tolerance:g}{weights}"
                f"{' offset' if self.offset is not None else ''}{' factors' if self.factors is not None else ''}"
                f" covariates={self.covariates.shape[1]}")


def chance(rng, share):
    return bool(rng.random() < share)


def between(rng, low, high):
    """Even in the logarithm."""
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


def front_of(seed):
    """6 of 40 in Python, 3 in R, which takes the longest."""
    place = seed % 40
    return "r" if place in (17, 25, 37) else "python" if place % 20 in (3, 8, 13) else "command"


def make(seed):
    rng = np.random.default_rng([36, seed])
    front = front_of(seed)
    family = "binomial" if chance(rng, 0.55) else "gaussian"
    kind = rng.choice(["fit", "path", "cv", "split"], p=[0.4, 0.36, 0.12, 0.12])
    if front != "command":
        kind = rng.choice(["fit", "path", "cv"], p=[0.5, 0.35, 0.15])
        if front == "python" and kind == "path":
            family = "gaussian"
    n = int(between(rng, 10, 500)) if kind in ("fit", "path") else int(between(rng, 24, 400))
    p = int(between(rng, 2, 600))
    container = {"command": ["npy", "npy_c", "float32", "int8", "csv", "npz", "bed"],
                 "python": ["npy", "npy_c", "int8", "npz"], "r": ["npy", "npz"]}[front]
    container = str(rng.choice(container))
    if container == "csv":
        p = min(p, max(2, 8000 // n))
    x = columns_of(rng, n, p, container)
    problem = Problem(seed=seed, front=front, kind=str(kind), family=family, container=container, x=x, y=np.zeros(n),
                      covariates=np.zeros((n, 0)))
    treat(rng, problem)
    if container not in ("int8", "bed"):
        reshape_columns(rng, problem)
    respond(rng, problem)
    add_beside(rng, problem)
    choose_lambdas(rng, problem)
    if container == "float32":
        with np.errstate(over="ignore", under="ignore"):
            problem.x = problem.x.astype(np.float32).astype(float)
    return problem


def columns_of(rng, n, p, container):
    if container in ("int8", "bed"):
        x = rng.binomial(2, rng.uniform(0.02, 0.5, size=p), size=(n, p)).astype(float)
        if container == "bed":
            x[rng.random((n, p)) < rng.choice([0, 0.02, 0.1])] = np.nan
            x[0] = np.where(np.isnan(x).all(axis=0), 1, x[0])
        return x
    shape = rng.choice(["normal", "blocks", "sparse", "counts", "heavy"])
    if container == "npz":
        shape = "sparse"
    if shape == "blocks":
        common = rng.normal(size=(n, max(1, p // 5)))
        return common[:, rng.integers(0, common.shape[1], size=p)] + between(rng, 1e-3, 1) * rng.normal(size=(n, p))
    if shape == "sparse":
        x = rng.normal(size=(n, p))
        x[rng.random((n, p)) > rng.choice([0.02, 0.1, 0.4])] = 0
        return x
    if shape == "counts":
        return rng.poisson(between(rng, 0.05, 5), size=(n, p)).astype(float)
    return rng.normal(size=(n, p)) if shape == "normal" else rng.standard_t(2, size=(n, p))


def treat(rng, problem):
    """How columns and response are treated: what the options allow with each other."""
    q = problem
    binomial = q.family == "binomial"
    if q.front == "python":
        q.scale = False
        q.scale_y = False
        q.center = q.center_y = q.intercept = not chance(rng, 0.15)
    elif q.front == "r":
        q.scale = q.scale_y = not chance(rng, 0.25)
        q.center = q.center_y = q.intercept = not chance(rng, 0.15)
    else:
        q.center = not chance(rng, 0.12)
        q.scale = not chance(rng, 0.15)
        if binomial:
            q.intercept = q.center or chance(rng, 0.6)
        else:
            q.center_y = q.center if chance(rng, 0.8) else not q.center
            q.scale_y = q.scale if chance(rng, 0.8) else not q.scale
    q.l1_ratio = float(rng.choice([1, 0.95, 0.5, 0.01, 0], p=[0.6, 0.1, 0.12, 0.06, 0.12]))
    q.nonnegative = q.l1_ratio > 0 and chance(rng, 0.12)
    if q.front == "python" and not binomial:
        if q.kind != "fit":
            q.l1_ratio = 1.0
        q.scale = q.l1_ratio == 1 and chance(rng, 0.3)
    q.tolerance = float(rng.choice([1e-6, 1e-3, 1e-9, 1e-12], p=[0.7, 0.1, 0.12, 0.08]))


def reshape_columns(rng, problem):
    """Duplicates, constants, rare columns, other sizes and means."""
    x, n, p = problem.x, problem.n, problem.x.shape[1]
    if chance(rng, 0.3):
        for _ in range(rng.integers(1, 4)):
            x[:, rng.integers(p)] = x[:, rng.integers(p)] * rng.choice([1, -1, 2])
    if chance(rng, 0.3):
        x[:, rng.integers(p)] = rng.choice([0, 1, -3.7])
    if chance(rng, 0.3):
        rare = rng.integers(p)
        x[:, rare] = 0
        x[rng.integers(n), rare] = 1
    far = problem.container != "npz"
    if far and chance(rng, 0.2):
        x += between(rng, 1, 1e4) * rng.normal(size=p)
    if chance(rng, 0.35):
        most = 12 if problem.scale else 2
        if problem.container == "float32" or chance(rng, 0.5):
            most = min(most, 3)
        exponents = rng.uniform(-most, most, size=p) if chance(rng, 0.5) else np.full(p, rng.uniform(-most, most))
        x *= 10**exponents


def standard_columns(x):
    x = np.where(np.isnan(x), np.nanmean(x, axis=0), x)
    x = x - x.mean(axis=0)
    length = np.sqrt((x**2).mean(axis=0))
    return x / np.where(length > 0, length, 1)


def respond(rng, problem):
    n, p = problem.x.shape
    z = standard_columns(problem.x)
    causes = rng.choice(p, size=min(p, int(rng.integers(1, 8))), replace=False)
    signal = z[:, causes] @ rng.normal(size=len(causes))
    noise = between(rng, 1e-3, 3) if chance(rng, 0.7) else 0.0
    if noise == 0 and problem.family == "gaussian":
        noise = 1e-6
    eta = signal + noise * np.std(signal) * rng.normal(size=n) + (0 if np.std(signal) > 0 else rng.normal(size=n))
    if problem.family == "binomial":
        cases = int(between(rng, 2, max(3, n // 2 + 1)))
        if problem.kind in ("cv", "split"):
            cases = max(cases, 6)
        cases = min(max(2, cases), n // 2)
        y = np.zeros(n)
        order = np.argsort(-eta) if chance(rng, 0.5) else rng.permutation(n)
        y[order[:cases]] = 1
        problem.y = y
        return
    y = eta
    if chance(rng, 0.2):
        y = np.rint(3 * y) + 0.25  # never a code of a missing value
    y = y * (10 ** rng.uniform(-12, 12) if chance(rng, 0.3) else 1)
    if chance(rng, 0.4):
        y = y + np.std(y) * rng.normal() * between(rng, 1, 1e3)
    if np.ptp(y) == 0:
        y[0] += 1
    problem.y = y


def add_beside(rng, problem):
    q, n = problem, problem.n
    binomial = q.family == "binomial"
    free = (q.intercept if binomial else q.center_y) and (q.center or binomial)
    if chance(rng, 0.3):
        kind = rng.choice(["even", "whole", "wide"])
        weights = {"even": rng.uniform(0.2, 3, n), "whole": rng.integers(0, 4, n).astype(float),
                   "wide": 10 ** rng.uniform(-3, 3, n)}[str(kind)]
        if binomial:  # two of each class stay
            for value in (0, 1):
                weights[np.flatnonzero(q.y == value)[:2]] = 1
        weights[:3] = np.maximum(weights[:3], 0.5)
        q.weights = weights
    if binomial and chance(rng, 0.25):
        offset = rng.normal(size=n) * between(rng, 0.1, 3) + (rng.choice([-1, 1]) * between(rng, 3, 60)
                                                              if chance(rng, 0.4) else 0)
        q.offset = offset if chance(rng, 0.8) else np.full(n, offset[0])
    if q.container in ("csv", "bed") or q.front != "command":
        if free and chance(rng, 0.45):
            q.covariates = np.stack([covariate(rng, q) for _ in range(rng.integers(1, 4))], axis=1)
    if chance(rng, 0.25):
        factors = rng.choice([1, 0.3, 2, 5, np.inf], size=q.x.shape[1], p=[0.5, 0.15, 0.15, 0.1, 0.1])
        if free and q.center and not q.nonnegative and chance(rng, 0.6):
            factors[rng.integers(0, q.x.shape[1], size=rng.integers(1, 3))] = 0
        if not np.any((factors > 0) & np.isfinite(factors)):
            factors[0] = 1
        if chance(rng, 0.2):
            factors = np.where(factors > 0, factors * between(rng, 1e-3, 1e3), factors)
        q.factors = factors
    if q.kind == "cv":  # both classes in each fold
        q.folds = int(rng.integers(2, 6))
        q.fold_of = np.zeros(n, int)
        for value in (0, 1) if binomial else (None,):
            own = np.arange(n) if value is None else np.flatnonzero(q.y == value)
            q.fold_of[own] = rng.permutation(len(own)) % q.folds
    if q.kind == "split":
        words = rng.choice(["train", "val", "test", "NA"], p=[0.6, 0.25, 0.1, 0.05], size=n)
        if binomial:
            for value in (0, 1):
                own = np.flatnonzero(q.y == value)
                words[own[:2]], words[own[2]] = "train", "val"
        words[:3] = "train"
        words[3] = "val"
        q.split = words


def covariate(rng, problem):
    n = problem.n
    kind = rng.choice(["normal", "binary", "large mean", "close to y", "constant", "x"], p=[0.3, 0.2, 0.15, 0.2, 0.05, 0.1])
    if kind == "binary":
        return (rng.random(n) < 0.5).astype(float)
    if kind == "large mean":
        return between(rng, 10, 1e5) + rng.normal(size=n)
    if kind == "close to y":  # of two classes: all cases have it, or nearly all
        if problem.family == "binomial":
            c = np.where(problem.y > 0, 1.0, (rng.random(n) < 0.5).astype(float))
            if chance(rng, 0.5):
                c[np.flatnonzero(problem.y > 0)[0]] = 0
            return c
        return problem.y / np.std(problem.y) + rng.normal(size=n)
    if kind == "constant":
        return np.full(n, 2.5)
    x = problem.x[:, rng.integers(problem.x.shape[1])]
    if kind == "x" and not np.isnan(x).any() and np.ptp(x) > 1e-6 * np.abs(x).max() and np.abs(np.log10(np.ptp(x))) < 6:
        return x.copy()
    return rng.normal(size=n)


def choose_lambdas(rng, problem):
    q = problem
    q.lambda_value = between(rng, 1e-4, 1) if chance(rng, 0.7) else between(rng, 1e-12, 1e-4)
    if chance(rng, 0.05):
        q.lambda_value = float(rng.choice([1.0, 1.5]))
    q.lambda_scale = str(rng.choice(["ratio", "unit", "sample"] + ["y"] * (q.family == "gaussian")))
    q.lambdas = int(rng.integers(4, 40)) if q.kind in ("path", "split") else int(rng.integers(4, 20))
    q.min_ratio = float(rng.choice([0, 1e-3, 1e-6, 1e-10], p=[0.4, 0.3, 0.2, 0.1]))
    q.early_end = chance(rng, 0.5)
    if chance(rng, 0.15):
        q.given = sorted((between(rng, 1e-9, 1.2) for _ in range(rng.integers(1, 8))), reverse=True)
    q.measure = str(rng.choice(["auto", "mse", "mae"] + (["class", "auc"] if q.family == "binomial" else [])))
    if q.kind == "fit" and chance(rng, 0.15):
        q.warm_start = between(rng, 0.01, 2)
    if chance(rng, 0.2):
        q.engine = ["--schedulers", str(rng.integers(1, 4)), "--workers", str(rng.integers(1, 12))]
        q.engine += ["--encode-messages", "on"] if chance(rng, 0.3) else []
    q.stop_after = None if chance(rng, 0.6) else int(rng.choice([0, 1, 3]))


def text(value):
    return repr(float(value))


def write(problem, folder):
    """The files; returns the options that name them."""
    q = problem
    ids = [f"s{i}" for i in range(q.n)]
    options = []

    def path(name):
        return os.path.join(folder, name)

    def table(name, columns, words=False):
        with open(path(name), "w", encoding="ascii") as file:
            named = q.container in ("csv", "bed")
            head = "FID\tIID\t" if q.container == "bed" else "IID\t"
            file.write((head if named else "") + "\t".join(columns) + "\n")
            rows = zip(*columns.values())
            for one, row in zip(ids, rows):
                one = f"{one}\t{one}\t" if q.container == "bed" else one + "\t"
                file.write((one if named else "") + "\t".join(row if words else map(text, row)) + "\n")
        return path(name)

    if q.container == "bed":
        write_bed(q, path("x"), ids)
        options += ["--bfile", path("x"), "--pheno", table("y.tsv", {"trait": q.y})]
        if q.family == "binomial":
            options += ["--1"]
    else:
        options += ["--x", write_x(q, path, ids)]
        if q.container == "csv":
            options += ["--y", table("y.tsv", {"trait": q.y})]
        else:
            np.save(path("y.npy"), q.y)
            options += ["--y", path("y.npy")]
    if q.covariates.shape[1]:
        options += ["--covar", table("covar.tsv", dict(zip(q.names, q.covariates.T)))]
    for name in ("weights", "offset"):
        values = getattr(q, name)
        if values is not None:
            options += [f"--{name}", table(f"{name}.tsv", {name: values})]
    if q.factors is not None:
        with open(path("factors.txt"), "w", encoding="ascii") as file:
            file.write("\n".join("Inf" if np.isinf(f) else text(f) for f in q.factors) + "\n")
        options += ["--penalty-factors", path("factors.txt")]
    if q.fold_of is not None:
        with open(path("folds.tsv"), "w", encoding="ascii") as file:
            named = {"bed": "{0}\t{0}\t{1}\n", "csv": "{0}\t{1}\n"}.get(q.container, "{1}\n")
            rows = zip(ids, q.fold_of)
            if q.container not in ("bed", "csv") and q.weights is not None:  # without ids a line for each sample that counts
                rows = [one for one, weight in zip(rows, q.weights) if weight > 0]
            file.writelines(named.format(one, fold + 1) for one, fold in rows)
        options += ["--folds", path("folds.tsv")]
    if q.split is not None:
        options += ["--split", table("split.tsv", {"split": q.split}, words=True)]
    return options


def write_x(q, path, ids):
    if q.container == "csv":
        with open(path("x.tsv"), "w", encoding="ascii") as file:
            file.write("IID\t" + "\t".join(f"v{j + 1}" for j in range(q.x.shape[1])) + "\n")
            for one, row in zip(ids, q.x):
                file.write(one + "\t" + "\t".join(map(text, row)) + "\n")
        return path("x.tsv")
    if q.container == "npz":
        import scipy.sparse

        scipy.sparse.save_npz(path("x.npz"), scipy.sparse.csc_matrix(q.x), compressed=False)
        return path("x.npz")
    kind = {"float32": np.float32, "int8": np.int8}.get(q.container, float)
    np.save(path("x.npy"), np.ascontiguousarray(q.x) if q.container == "npy_c" else np.asfortranarray(q.x.astype(kind)))
    return path("x.npy")


def write_bed(q, prefix, ids):
    """x counts A1: 2 copies are code 00, 1 is 10, 0 is 11, a missing one 01."""
    codes = np.where(np.isnan(q.x), 1, np.array([3, 2, 0])[np.nan_to_num(q.x).astype(int)]).astype(np.uint8)
    codes = np.vstack([codes, np.zeros((-q.n % 4, q.x.shape[1]), np.uint8)])
    packed = codes[0::4] | codes[1::4] << 2 | codes[2::4] << 4 | codes[3::4] << 6
    with open(prefix + ".bed", "wb") as file:
        file.write(b"\x6c\x1b\x01" + np.ascontiguousarray(packed.T).tobytes())
    with open(prefix + ".bim", "w", encoding="ascii") as file:
        file.writelines(f"1\tv{j + 1}\t0\t{j + 1}\tA\tG\n" for j in range(q.x.shape[1]))
    with open(prefix + ".fam", "w", encoding="ascii") as file:
        file.writelines(f"{one} {one} 0 0 0 -9\n" for one in ids)
