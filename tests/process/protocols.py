#!/usr/bin/env python3
"""mf split, and what mf evaluate makes of its parts, against NumPy: protocols.py BIN_DIR

Leave-last-out by time and strong generalisation, as docs/GUIDE-ratings.md says them. What is split is recomputed from the
file; the figures of the lists from the model's files (process.ranking has the metrics with ties and strangers).
"""
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

BIN = pathlib.Path(sys.argv[1])
K = 5


def mf(*arguments, code=0):
    done = subprocess.run([BIN / "mf", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def made(users=60, items=40):
    """(user, item, rating, time); times repeat, pairs come again, u0 has one item alone, some have few."""
    draw = random.Random(4)
    rows = [("u0", "i1", 5, 7), ("u0", "i1", 4, 9)]
    for u in range(1, users):
        for i in draw.sample(range(items), 3 + u % 11):
            # Seconds that single precision cannot tell apart.
            rows.append((f"u{u}", f"i{min(i, draw.randrange(items))}", draw.randrange(1, 6), 1537109000 + draw.randrange(9)))
    draw.shuffle(rows)
    return rows


def part(path):
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert lines[0] == ["user", "item", "rating"]
    return [(u, i, int(r)) for u, i, r in lines[1:]]


def figures(model, given, wanted):
    """Recall and NDCG at K: {user: (recall, ndcg)}; users by name."""
    names = [[line.split("\t")[0] for line in (model / f).read_text().splitlines()[1:]] for f in ("users.tsv", "items.tsv")]
    w, h = (np.load(model / f).astype(float) for f in ("user_factors.npy", "item_factors.npy"))
    out = {}
    for u, user in enumerate(names[0]):
        want = {i for v, i, _ in wanted if v == user} - {i for v, i, _ in given if v == user}
        if not want:
            continue
        scores = h @ w[u]
        scores[[names[1].index(i) for v, i, _ in given if v == user and i in names[1]]] = -np.inf
        hits = [names[1][j] in want for j in np.argsort(-scores, kind="stable")[:K]]
        gain = sum(1 / np.log2(p + 2) for p, hit in enumerate(hits) if hit)
        out[user] = sum(hits) / len(want), gain / sum(1 / np.log2(p + 2) for p in range(min(K, len(want))))
    return out


def compare(folder, model, given, wanted, *more):
    mf("evaluate", "--model", model, "--at", K, "--out", folder / "figures.tsv", "--quiet", *more)
    rows = [line.split("\t") for line in (folder / "figures.tsv").read_text().splitlines()]
    found = {row[2]: float(row[3]) for row in rows if row[1] == "model"}
    expected = np.array(list(figures(model, given, wanted).values())).mean(0)
    assert abs(found["recall"] - expected[0]) < 1e-12 and abs(found["ndcg"] - expected[1]) < 1e-12, (found, expected)


def fit(train, model):
    mf("fit", "--ratings", train, "--feedback", "implicit", "--rank", 4, "--sweeps", 4, "--out", model, "--quiet", "--force")


def leave_last(folder, rows):
    events = folder / "events.csv"
    for header, columns in (("userId,movieId,rating,timestamp\n", ["--time", "timestamp"]), ("", ["--time", 4])):
        events.write_text(header + "".join(",".join(map(str, row)) + "\n" for row in rows))
        mf("split", "--ratings", events, *columns, "--out", folder / "last", "--force")
        train, test = (part(folder / "last" / f"{name}.tsv") for name in ("train", "test"))
        last = {}
        for line, (u, i, _, t) in enumerate(rows):
            last[u] = max(last.get(u, (t, line)), (t, line))
        held = {u: rows[line] for u, (_, line) in last.items() if len({i for v, i, *_ in rows if v == u}) > 1}
        assert "u0" not in held and len(held) == len(last) - 1
        assert sorted(test) == sorted(row[:3] for row in held.values())
        assert train == [row[:3] for row in rows if row[0] not in held or row[1] != held[row[0]][1]]
    fit(folder / "last/train.tsv", folder / "last-model")
    compare(folder, folder / "last-model", train, test, "--test", folder / "last/test.tsv")
    assert "give --time COLUMN" in mf("split", "--ratings", events, "--out", folder / "x", code=2).stderr


def strong(folder, rows):
    events = folder / "events.csv"
    events.write_text("userId,movieId,rating,timestamp\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    split = ["--protocol", "strong", "--users", 0.3, "--positive-from", 2, "--quiet", "--force"]
    mf("split", "--ratings", events, *split, "--out", folder / "strong")
    train, given, test = (part(folder / "strong" / f"{name}.tsv") for name in ("train", "given", "test"))
    rows = [row for row in rows if row[2] >= 2]
    users = {u for u, *_ in rows}
    held = users - {u for u, *_ in train}
    assert len(held) == int(0.3 * len(users)) and train == [row[:3] for row in rows if row[0] not in held]
    known = {i for _, i, _ in train}
    for user in held:
        own = {i for u, i, *_ in rows if u == user and i in known}
        to_find = {i for u, i, _ in test if u == user}
        assert len(to_find) == (int(0.2 * len(own)) if len(own) >= 5 else 0), user
        assert len(to_find) == sum(u == user for u, *_ in test), "a pair to be found comes once"
        assert {i for u, i, _ in given if u == user} == own - to_find
    # Whatever the order of the file, the same pairs; another seed draws others.
    events.write_text("userId,movieId,rating,timestamp\n" + "".join(",".join(map(str, row)) + "\n" for row in rows[::-1]))
    mf("split", "--ratings", events, *split, "--out", folder / "turned")
    assert {r[:2] for r in part(folder / "turned/test.tsv")} == {r[:2] for r in test}
    mf("split", "--ratings", events, *split, "--seed", 2, "--out", folder / "seed")
    assert {r[:2] for r in part(folder / "seed/test.tsv")} != {r[:2] for r in test}
    fit(folder / "strong/train.tsv", folder / "strong-model")
    mf("fold-in", "--model", folder / "strong-model", "--ratings", folder / "strong/given.tsv", "--out", folder / "strangers", "--quiet")
    compare(folder, folder / "strangers", given, test, "--ratings", folder / "strong/given.tsv", "--test", folder / "strong/test.tsv")


def main():
    rows = made()
    with tempfile.TemporaryDirectory() as path:
        leave_last(pathlib.Path(path), rows)
        strong(pathlib.Path(path), rows)


if __name__ == "__main__":
    main()
