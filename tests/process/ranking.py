#!/usr/bin/env python3
"""The figures of `mf evaluate` against NumPy: ranking.py BIN_DIR SOURCE_DIR

Three sets: MovieLens by what a fit held out; pairs with ties in every list, where a model has no factors to speak of and
counts are small; users without a pair and pairs of unknown users and items. What is recomputed is computed from the files
of the model and the definitions of docs/MODELS.md, not from the program's lists.
"""
import csv
import gzip
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

METRICS = ["recall", "recall_min", "precision", "ndcg", "map", "mrr", "hit", "coverage", "novelty"]
KS = [1, 5, 20]


def ids(path):
    return [line.split("\t")[0] for line in path.read_text().splitlines()[1:]]


def scores_of(model):
    users, items = np.load(model / "user_factors.npy"), np.load(model / "item_factors.npy")
    biases = np.load(model / "biases.npz")
    scores = np.zeros((len(users), len(items)), np.float32)
    for k in range(users.shape[1]):  # one feature after the other, in single precision, as the program says it does
        scores += users[:, k:k + 1] * items[:, k][None]
    base = np.float32(biases["mean"]) + biases["users"][:, None]
    return (base + biases["items"][None]) + scores


def mixed(z):
    """The finaliser of SplitMix64."""
    with np.errstate(over="ignore"):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
        return z ^ (z >> np.uint64(31))


def ranked(scores, user, rated):
    items = np.array([j for j in range(len(scores)) if j not in rated], np.int64)
    ties = mixed((np.uint64(user) << np.uint64(32)) + items.astype(np.uint64))
    return items[np.lexsort((ties, -scores[items].astype(np.float64)))]


def figures(scores, rated, wanted):
    """{(k, metric): (mean, standard error)}; `wanted`: of each user the items that should be found, unknown ones as -1, -2."""
    n_users, n_items = scores.shape
    raters = np.bincount([j for items in rated for j in items], minlength=n_items)
    surprise = np.log2(n_users / np.maximum(raters, 1))
    out = {}
    for k in KS:
        rows, shown = [], []
        for user in range(n_users):
            want = wanted[user] - rated[user]
            if not want:
                continue
            top = ranked(scores[user], user, rated[user])[:k]
            hit = np.array([j in want for j in top], float)
            reach = min(k, len(want))
            ideal = sum(1 / np.log2(i + 2) for i in range(reach))
            gain = sum(h / np.log2(i + 2) for i, h in enumerate(hit))
            average = sum(hit[:i + 1].sum() / (i + 1) for i in range(len(hit)) if hit[i]) / reach
            first = next((1 / (i + 1) for i in range(len(hit)) if hit[i]), 0)
            rows.append([hit.sum() / len(want), hit.sum() / reach, hit.sum() / k, gain / ideal, average, first, hit.any()])
            shown.extend(top)
        rows = np.array(rows, float)
        for m, name in enumerate(METRICS[:7]):
            out[k, name] = rows[:, m].mean(), rows[:, m].std(ddof=1) / np.sqrt(len(rows))
        out[k, "coverage"] = len(set(shown)) / n_items, None
        out[k, "novelty"] = surprise[shown].mean(), None
    return out


def compare(what, written, who, expected):
    got = {(int(row["k"]), row["metric"]): (row["mean"], row["standard_error"]) for row in written if row["ranked_by"] == who}
    assert set(got) == set(expected), (what, who, sorted(set(got) ^ set(expected)))
    for key, (mean, error) in expected.items():
        found, found_error = got[key]
        assert abs(float(found) - mean) <= 1e-12 * max(1, abs(mean)), (what, who, key, found, mean)
        if error is None:
            assert found_error == "NA", (what, who, key, found_error)
        else:
            assert abs(float(found_error) - error) <= 1e-9, (what, who, key, found_error, error)


def judge(what, mf, folder, fit, train, test):
    """`train`, `test`: pairs as text; both are given by file, so that what is held out is known here."""
    paths = {}
    for name, rows in (("train", train), ("test", test)):
        paths[name] = folder / f"{what}-{name}.csv"
        paths[name].write_text("user,item,rating\n" + "".join(f"{u},{i},{r}\n" for u, i, r in rows))
    model, table = folder / what, folder / f"{what}.tsv"
    subprocess.run([mf, "fit", "--ratings", paths["train"], "--out", model, "--quiet", *fit], check=True)
    subprocess.run([mf, "evaluate", "--model", model, "--test", paths["test"], "--at", ",".join(map(str, KS)), "--out", table,
                    "--quiet"], check=True)
    written = list(csv.DictReader(table.open(), delimiter="\t"))
    users, items = ({name: k for k, name in enumerate(ids(model / f"{side}.tsv"))} for side in ("users", "items"))
    rated, wanted, strangers = [set() for _ in users], [set() for _ in users], {}
    for u, i, _ in train:
        rated[users[u]].add(items[i])
    for u, i, _ in test:
        if u in users:
            wanted[users[u]].add(items[i] if i in items else strangers.setdefault(i, -1 - len(strangers)))
    compare(what, written, "model", figures(scores_of(model), rated, wanted))
    counts = np.bincount([j for own in rated for j in own], minlength=len(items)).astype(float)
    compare(what, written, "popularity", figures(np.tile(counts, (len(users), 1)), rated, wanted))


def movielens(source):
    with gzip.open(source / "tests/datasets/movielens/ratings.csv.gz", "rt") as file:
        rows = [(row["userId"], row["movieId"], row["rating"]) for row in csv.DictReader(file)]
    draw = random.Random(1)
    rows = [row for row in rows if int(row[0]) <= 120]
    parts = [[], []]
    for row in rows:
        parts[draw.random() < 0.2].append(row)
    return parts


def made(seed, users, items, known, extra=()):
    draw = random.Random(seed)
    pairs = [(f"u{u}", f"i{i}", 1 + (u + i) % 5) for u in range(users) for i in draw.sample(range(items), known)]
    test = [pair for pair in pairs if draw.random() < 0.3]
    train = [pair for pair in pairs if pair not in set(test)]
    return train, test + list(extra)


def main():
    bin_dir, source = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    mf = bin_dir / "mf"
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        judge("movielens", mf, folder, ["--rank", "8", "--sweeps", "5"], *movielens(source))
        # So much shrinkage that biases and factors are 0: every item of a list is liked equally.
        judge("ties", mf, folder, ["--solver", "cd", "--rank", "2", "--sweeps", "3", "--lambda", "1e30"], *made(2, 40, 60, 12))
        strangers = [("u1", "new", 5), ("u1", "new", 4), ("u2", "other", 5), ("nobody", "i1", 5)]
        judge("strangers", mf, folder, ["--rank", "4", "--sweeps", "4"], *made(3, 30, 25, 6, strangers))


if __name__ == "__main__":
    main()
