#!/usr/bin/env python3
"""mf fit --solver slim against scikit-learn's ElasticNet(positive=True), certificates in NumPy: slim.py BIN_DIR

Everything is computed from the files that the program wrote, read by scipy.sparse.load_npz, and from the pairs.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import scipy.sparse
from sklearn.linear_model import ElasticNet

BIN = pathlib.Path(sys.argv[1])
USERS, ITEMS = 90, 30


def run(*arguments):
    done = subprocess.run([BIN / "mf", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def pairs():
    """Users in four camps, each with favourites of its own; popular items first."""
    random = np.random.default_rng(5)
    popular = 1 / (1 + np.arange(ITEMS)) ** 0.5
    likes = random.random((USERS, ITEMS)) < 0.35 * popular * (1 + 2 * (np.arange(USERS)[:, None] % 4 == np.arange(ITEMS) % 4))
    likes[np.arange(USERS), np.arange(USERS) % ITEMS] = True
    return likes


def names(path):
    return [line.split("\t")[0] for line in path.read_text().splitlines()[1:]]


def read(model, likes, user_power, item_power):
    """A as it is fitted, and the weights of the scaled problem, users and items in the order of the model."""
    users, items = ([int(name[1:]) for name in names(model / f)] for f in ("users.tsv", "items.tsv"))
    ones = likes[np.ix_(users, items)].astype(float)
    x = ones.sum(1) ** (-user_power / 2)
    y = ones.sum(0) ** -item_power
    weights = scipy.sparse.load_npz(model / "item_weights.npz")
    assert weights.format == "csr" and weights.dtype == np.float32 and weights.shape == (ITEMS, ITEMS)
    return x[:, None] * ones * y, weights.toarray().astype(float) * y / y[:, None]


def compare(folder, likes, l1, l2, user_power, item_power):
    model = folder / "model"
    run("fit", "--ratings", folder / "pairs.tsv", "--solver", "slim", "--l1", l1, "--l2", l2, "--tolerance", 1e-12, "--user-power",
        user_power, "--item-power", item_power, "--out", model, "--force", "--quiet")
    a, weights = read(model, likes, user_power, item_power)
    objective, worst, apart = 0, 0, 0
    for j in range(ITEMS):
        others = np.arange(ITEMS) != j
        peer = ElasticNet(alpha=(l1 + l2) / USERS, l1_ratio=l1 / (l1 + l2), positive=True, fit_intercept=False, tol=1e-14, max_iter=100000)
        peer.fit(a[:, others], a[:, j])
        apart = max(apart, np.abs(weights[others, j] - peer.coef_).max())
        w = weights[:, j]
        rest = a[:, j] - a @ w
        h = a.T @ rest
        h[j] = 0
        value = rest @ rest / 2 + l2 / 2 * w @ w + l1 * w.sum()
        gap = (l1 * w - h * w + l2 / 2 * w * w + np.maximum(h - l1, 0) ** 2 / (2 * l2)).sum()
        objective += value
        worst = max(worst, gap / value)
    summary = json.loads((model / "summary.json").read_text())
    assert apart < 1e-6, f"weights differ from scikit-learn's by {apart}"
    assert worst < 1e-12 and summary["worst_gap"] < 1e-12, (worst, summary["worst_gap"])
    assert abs(summary["objective"] / objective - 1) < 1e-12, (summary["objective"], objective)
    assert summary["items_certified"] == ITEMS and summary["nonzeros"] == np.count_nonzero(weights) > ITEMS
    assert not np.diag(weights).any()


def check_lists(folder, likes):
    """Scores are those of NumPy, best first, without what a user has; a user of whom the fit knew nothing as well."""
    model = folder / "model"
    stranger = [1, 5, 6]
    rows = [(f"u{u}", f"i{i}") for u in range(3) for i in np.flatnonzero(likes[u])] + [("new", f"i{i}") for i in stranger]
    given = folder / "given.tsv"
    given.write_text("".join(f"{u}\t{i}\t1\n" for u, i in rows))
    lines = run("recommend", "--model", model, "--ratings", given, "--top", 5).splitlines()[1:]
    items = names(model / "items.tsv")
    weights = scipy.sparse.load_npz(model / "item_weights.npz").toarray()
    for user in ("u0", "u2", "new"):
        own = [items.index(i) for u, i in rows if u == user]
        scores = weights[own].sum(0)
        scores[own] = -1
        listed = [line.split("\t") for line in lines if line.split("\t")[0] == user]
        assert len(listed) == 5
        assert np.allclose([float(row[3]) for row in listed], np.sort(scores)[::-1][:5], rtol=1e-5), (user, listed)
        assert np.allclose([scores[items.index(row[2])] for row in listed], [float(row[3]) for row in listed], rtol=1e-5)


def main():
    warnings.simplefilter("ignore")
    likes = pairs()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "pairs.tsv").write_text("".join(f"u{u}\ti{i}\t1\n" for u, i in zip(*np.nonzero(likes))))
        compare(folder, likes, 0.05, 0.2, 0.5, 0.25)
        compare(folder, likes, 1, 3, 0, 0)
        check_lists(folder, likes)


main()
