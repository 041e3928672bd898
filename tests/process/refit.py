#!/usr/bin/env python3
"""mf fold-in of new items, and mf refit, against closed forms in NumPy: refit.py BIN_DIR

Of ratings and of implicit feedback: rows that are solved anew are the minima of the objective of docs/MODELS.md for
them, rows that did not change have the same bits, and passes never raise the objective.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse

BIN = pathlib.Path(sys.argv[1])
USERS, ITEMS, RANK = 40, 30, 4
LAMBDA, ALPHA0, NU, ALPHA = 0.07, 0.1, 0.8, 1.5
FITS = {"ratings": ["--lambda", LAMBDA, "--early-stopping", "off"],
        "implicit": ["--feedback", "implicit", "--lambda", LAMBDA, "--alpha0", ALPHA0, "--nu", NU],
        "hu": ["--feedback", "implicit", "--objective", "hu", "--lambda", LAMBDA, "--alpha", ALPHA]}


def mf(*arguments):
    done = subprocess.run([BIN / "mf", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


class Model:
    def __init__(self, folder):
        self.names = [[line.split("\t")[0] for line in (folder / f).read_text().splitlines()[1:]] for f in ("users.tsv", "items.tsv")]
        self.factors = [np.load(folder / f) for f in ("user_factors.npy", "item_factors.npy")]
        biases = np.load(folder / "biases.npz")
        self.biases, self.mean = [biases["users"], biases["items"]], float(biases["mean"][0])
        self.unit = json.loads((folder / "summary.json").read_text()).get("unit", 1)

    def row(self, side, name):
        return self.names[side].index(name)


def solved(kind, model, side, name, rows):
    """The minimum for one row, with the other side as it is: factors and bias."""
    other = 1 - side
    own = [(row[other], row[2]) for row in rows if row[side] == name]
    fixed = model.factors[other].astype(float)
    at = [model.row(other, o) for o, _ in own if o in model.names[other]]
    values = np.array([v for o, v in own if o in model.names[other]], float)
    x, n = fixed[at], len(at)
    if kind == "implicit":
        a = x.T @ x + ALPHA0 * fixed.T @ fixed + LAMBDA * (n + ALPHA0 * len(fixed)) ** NU * np.eye(RANK)
        return np.linalg.solve(a, x.sum(0)), 0
    if kind == "hu":
        c, p = np.ones(len(fixed)), np.zeros(len(fixed))
        c[at], p[at] = 1 + ALPHA * values, 1
        return np.linalg.solve((fixed.T * c) @ fixed + LAMBDA * np.eye(RANK), fixed.T @ (c * p)), 0
    x = np.c_[x, np.ones(n)]
    e = values - model.mean - model.biases[other][at]
    penalty = LAMBDA * n * np.r_[np.full(RANK, model.unit), 1]
    w = np.linalg.solve(x.T @ x + np.diag(penalty), x.T @ e)
    return w[:-1], w[-1]


def objective(kind, model, rows):
    w, h = (f.astype(float) for f in model.factors)
    scores = w @ h.T
    at = tuple(np.array([[model.row(s, row[s]) for row in rows] for s in (0, 1)]))
    counts = [np.bincount(a, minlength=len(f)) for a, f in zip(at, (w, h))]
    sizes = [(f ** 2).sum(1) for f in (w, h)]
    if kind == "implicit":
        scale = [(c + ALPHA0 * len(o)) ** NU for c, o in zip(counts, (h, w))]
        return ((scores[at] - 1) ** 2).sum() + ALPHA0 * (scores ** 2).sum() + LAMBDA * sum((s * z).sum() for s, z in zip(scale, sizes))
    if kind == "hu":
        c, p = np.ones(scores.shape), np.zeros(scores.shape)
        c[at], p[at] = 1 + ALPHA * np.array([row[2] for row in rows]), 1
        return (c * (p - scores) ** 2).sum() + LAMBDA * sum(z.sum() for z in sizes)
    errors = np.array([row[2] for row in rows]) - model.mean - model.biases[0][at[0]] - model.biases[1][at[1]] - scores[at]
    return (errors ** 2).sum() + LAMBDA * sum((c * (model.unit * z + b ** 2)).sum() for c, z, b in zip(counts, sizes, model.biases))


def close(found, expected, what):
    assert abs(np.asarray(found) - expected).max() <= 1e-4 * (1 + abs(np.asarray(expected)).max()), (what, found, expected)


def write(path, rows):
    path.write_text("user,item,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r in rows))
    return path


def pairs():
    random = np.random.default_rng(7)
    likes = random.random((USERS, ITEMS)) < 0.35
    likes[np.arange(USERS), np.arange(USERS) % ITEMS] = True
    return [(f"u{u}", f"i{i}", int(1 + (u * i + u) % 5)) for u, i in zip(*np.nonzero(likes))]


def new_items(folder, kind, rows):
    """Two new items, one of them known to strangers alone in part, and one that the model has."""
    given = [("u1", "new", 5), ("u2", "new", 3), ("nobody", "new", 1), ("u3", "other", 2), ("u5", "i4", 4), ("u6", "i4", 1)]
    mf("fold-in", "--model", folder / kind, "--ratings", write(folder / "given.csv", given), "--side", "items", "--out", folder / (kind + "-items"))
    old, new = Model(folder / kind), Model(folder / (kind + "-items"))
    assert new.names == [old.names[0], old.names[1] + ["new", "other"]]
    assert (new.factors[0] == old.factors[0]).all() and (new.biases[0] == old.biases[0]).all()
    for name in new.names[1]:
        at = new.row(1, name)
        if name in ("new", "other", "i4"):
            factors, bias = solved(kind, old, 1, name, given)
            close(new.factors[1][at], factors, (kind, name))
            close(new.biases[1][at], bias, (kind, name))
        else:
            assert (new.factors[1][at] == old.factors[1][at]).all(), (kind, name)
    lists = mf("recommend", "--model", folder / (kind + "-items"), "--top", len(new.names[1])).stdout
    assert {line.split("\t")[2] for line in lists.splitlines()} >= {"new", "other"}


def refit(folder, kind, rows):
    grown = rows + [("u1", "i0", 2), ("ann", "i1", 5), ("ann", "i2", 4), ("u2", "fresh", 3), ("ann", "fresh", 5)]
    grown = [row for row in grown if row[:2] not in {("u7", "i7")}]
    out = folder / (kind + "-refit")
    said = mf("refit", "--model", folder / kind, "--ratings", write(folder / "grown.csv", grown), "--passes", 2, "--out", out).stdout
    old, new = Model(folder / kind), Model(out)
    counts = [{n: sum(r[s] == n for r in rows) for n in set(r[s] for r in rows)} for s in (0, 1)]
    changed = [[n for n in new.names[s] if sum(r[s] == n for r in grown) != counts[s].get(n)] for s in (0, 1)]
    assert "ann" in changed[0] and "u7" in changed[0] and "fresh" in changed[1] and len(changed[0]) < 6, changed
    assert f"refitted {len(changed[0])} of {USERS + 1} users (1 new), {len(changed[1])} of {ITEMS + 1} items (1 new)" in said, said
    start = Model(out)  # the same passes, from the old rows
    for s in (0, 1):
        for k, name in enumerate(start.names[s]):
            known = name in old.names[s]
            start.factors[s][k] = old.factors[s][old.row(s, name)] if known else 0
            start.biases[s][k] = old.biases[s][old.row(s, name)] if known else 0
    values = [objective(kind, start, grown)]
    for _ in range(2):
        for s in (0, 1):
            rows_now = {name: solved(kind, start, s, name, grown) for name in changed[s]}
            for name, (factors, bias) in rows_now.items():
                start.factors[s][start.row(s, name)], start.biases[s][start.row(s, name)] = factors, bias
            values.append(objective(kind, start, grown))
    assert all(b <= a * (1 + 1e-6) for a, b in zip(values, values[1:])), values
    assert abs(objective(kind, new, grown) / values[-1] - 1) < 1e-5
    for s in (0, 1):
        close(new.factors[s], start.factors[s], (kind, s))
        close(new.biases[s], start.biases[s], (kind, s))
        for name in set(new.names[s]) - set(changed[s]):
            assert (new.factors[s][new.row(s, name)] == old.factors[s][old.row(s, name)]).all(), (kind, name)
    # The next one goes on from there; nothing has changed.
    again = mf("refit", "--model", out, "--ratings", folder / "grown.csv", "--out", folder / (kind + "-again")).stdout
    assert "refitted 0 of" in again and (Model(folder / (kind + "-again")).factors[1] == new.factors[1]).all(), again


def weights_of(folder, names):
    """W by name, in the order of `names`."""
    found = [line.split("\t")[0] for line in (folder / "items.tsv").read_text().splitlines()[1:]]
    matrix, at = scipy.sparse.load_npz(folder / "item_weights.npz").toarray().astype(float), [found.index(n) for n in names]
    return matrix[np.ix_(at, at)]


def slim(folder, rows):
    """Every item's objective is that of a fit from nothing, as far as both certificates say; what did not change keeps its bits."""
    l1, l2, tolerance = 0.8, 3, 1e-7
    fit = ["--solver", "slim", "--l1", l1, "--l2", l2, "--tolerance", tolerance, "--quiet"]
    mf("fit", "--ratings", write(folder / "pairs.csv", rows), *fit, "--out", folder / "slim")
    same = mf("refit", "--model", folder / "slim", "--ratings", folder / "pairs.csv", "--out", folder / "slim-same").stdout
    assert f"refitted the weights of 0 of {ITEMS} items (0 new), all {ITEMS} items certified" in same, same
    grown = [row for row in rows if row[:2] != ("u7", "i7") and row[1] != "i9"]
    grown += [("u1", "i0", 2), ("u2", "fresh", 3), ("u3", "fresh", 3), ("u4", "fresh", 1), ("u5", "fresh", 1)]
    said = mf("refit", "--model", folder / "slim", "--ratings", write(folder / "more.csv", grown[::-1]), "--out", folder / "slim-more").stdout
    assert f" of {ITEMS} items (1 new), all {ITEMS} items certified" in said, said
    mf("fit", "--ratings", folder / "more.csv", *fit, "--out", folder / "slim-cold")
    users, items = sorted({row[0] for row in grown}), sorted({row[1] for row in grown})
    chosen = np.zeros((len(users), len(items)))
    for user, item, _ in grown:
        chosen[users.index(user), items.index(item)] = 1
    objectives = []
    for run in ("slim-more", "slim-cold"):
        w = weights_of(folder / run, items)
        objectives.append(((chosen - chosen @ w) ** 2).sum(0) / 2 + l2 / 2 * (w ** 2).sum(0) + l1 * w.sum(0))
    assert (abs(objectives[0] - objectives[1]) <= 2 * tolerance * objectives[1]).all(), objectives
    assert "\t" in mf("recommend", "--model", folder / "slim-more", "--top", 1, "--quiet").stdout
    wrong = subprocess.run([BIN / "mf", "refit", "--model", folder / "slim", "--ratings", folder / "pairs.csv", "--passes", "2", "--out",
                            folder / "no"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "--passes is for factors" in wrong.stderr, wrong


def main():
    rows = pairs()
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        for kind, fit in FITS.items():
            mf("fit", "--ratings", write(folder / f"{kind}.csv", rows), "--rank", RANK, "--sweeps", 6, "--out", folder / kind, *fit)
            new_items(folder, kind, rows)
            refit(folder, kind, rows)
        slim(folder, rows)


if __name__ == "__main__":
    main()
