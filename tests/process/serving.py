#!/usr/bin/env python3
"""What mf writes for serving, against NumPy: serving.py BIN_DIR

Lists of mf recommend and mf similar in every format, and the arrays of mf export: of a model with biases, of implicit
feedback, of item weights. Scores are recomputed from the files of the model, in double precision.
"""
import csv
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import scipy.sparse

BIN = pathlib.Path(sys.argv[1]).resolve()
USERS, ITEMS, TOP = 50, 30, 4
ODD = 'i3, "the, third"'  # an id that csv and JSON have to quote


def mf(*arguments, code=0, cwd=None):
    done = subprocess.run([BIN / "mf", *map(str, arguments)], capture_output=True, text=True, timeout=60, cwd=cwd)
    assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def pairs():
    random = np.random.default_rng(3)
    likes = random.random((USERS, ITEMS)) < 0.3
    likes[np.arange(USERS), np.arange(USERS) % ITEMS] = True
    return [(f"u{u}", ODD if i == 3 else f"i{i}", 1 + (3 * u + i) % 5) for u, i in zip(*np.nonzero(likes))]


def ids(path):
    return [line.rsplit("\t", 1)[0] for line in path.read_text().splitlines()[1:]]


def lists_of(command, model, folder, *more):
    """The lists of each format as {whose: [(item, score), ...]}; all formats have the same."""
    texts = {f: mf(command, "--model", model, "--top", TOP, "--format", f, *more).stdout for f in ("tsv", "csv", "jsonl")}
    out = []
    for text, dialect in ((texts["tsv"], {"delimiter": "\t", "quoting": csv.QUOTE_NONE}), (texts["csv"], {})):
        lists = {}
        for whose, rank, item, score in list(csv.reader(io.StringIO(text), **dialect))[1:]:
            lists.setdefault(whose, []).append((item, float(score)))
            assert int(rank) == len(lists[whose])
        out.append(lists)
    objects = map(json.loads, texts["jsonl"].splitlines())
    whose = "user" if command == "recommend" else "item"
    out.append({o[whose]: list(zip(o["items"], o["scores"])) for o in objects if o["items"]})
    path = folder / "lists.npz"
    mf(command, "--model", model, "--top", TOP, "--format", "npz", "--out", path, *more)
    arrays = np.load(path)
    names, known = np.char.decode(arrays["item_ids"], "utf-8"), np.char.decode(arrays["ids"], "utf-8")
    assert arrays["items"].dtype == np.int32 and arrays["scores"].dtype == np.float32
    assert ((arrays["items"] < 0) == np.isnan(arrays["scores"])).all()
    lists = {}
    for k, whose in enumerate(known):
        there = arrays["items"][k] >= 0
        if there.any():
            lists[str(whose)] = [(str(names[i]), float(f"{s:.9g}")) for i, s in zip(arrays["items"][k][there], arrays["scores"][k][there])]
    out.append(lists)
    for other in out[1:]:
        assert other == out[0], (command, model)
    return out[0]


def compare_lists(lists, whose, items, scores, left_out, above_zero=False):
    """Each list has the best of `scores` but for those left out; items of almost one score may change places."""
    for row, name in enumerate(whose):
        expected = np.where(left_out[row], -np.inf, scores[row])
        order = [j for j in np.argsort(-expected, kind="stable") if np.isfinite(expected[j]) and not (above_zero and expected[j] <= 0)][:TOP]
        got = lists.get(name, [])
        assert len(got) == len(order), (name, got, order)
        for (item, score), j in zip(got, order):
            assert abs(score - expected[j]) < 1e-5, (name, item, score, expected[j])
            assert abs(expected[items.index(item)] - expected[j]) < 1e-5, (name, item, items[j])


def rated_matrix(rows, users, items):
    out = np.zeros((len(users), len(items)), bool)
    for u, i, _ in rows:
        out[users.index(u), items.index(i)] = True
    return out


def of_factors(folder, rows, name, fit, columns):
    model, served = folder / name, folder / (name + "-served")
    mf("fit", "--ratings", folder / "pairs.tsv", "--rank", 5, "--sweeps", 4, "--early-stopping", "off", "--out", model, "--quiet", *fit)
    assert f"vectors of {columns}" in mf("export", "--model", model, "--out", served).stdout
    users, items = ((served / f"{side}_ids.txt").read_text().splitlines() for side in ("user", "item"))
    assert users == ids(model / "users.tsv") and items == ids(model / "items.tsv")
    vectors = {}
    for side, count in (("user", len(users)), ("item", len(items))):
        array = vectors[side] = np.load(served / f"{side}_vectors.npy")
        assert array.dtype == np.float32 and array.flags.c_contiguous and array.shape == (count, columns)
    scores = vectors["user"].astype(float) @ vectors["item"].T.astype(float)
    # Of the model's own files, to which no column was added.
    w, h, biases = (np.load(model / f) for f in ("user_factors.npy", "item_factors.npy", "biases.npz"))
    plain = biases["mean"][0] + biases["users"][:, None].astype(float) + biases["items"] + w.astype(float) @ h.T
    assert abs(scores - plain).max() < 1e-5
    lowest, highest = biases["range"]
    asked = folder / "asked.tsv"
    asked.write_text("user\titem\n" + "".join(f"{u}\t{i}\n" for u in users for i in items))
    predicted = [float(line.rsplit("\t", 1)[1]) for line in mf("predict", "--model", model, "--pairs", asked).stdout.splitlines()[1:]]
    assert abs(np.array(predicted) - np.clip(scores, lowest, highest).ravel()).max() < 1e-5
    lists = lists_of("recommend", model, folder)
    if np.isinf(highest):
        compare_lists(lists, users, items, scores, rated_matrix(rows, users, items))
    lengths = np.linalg.norm(h.astype(float), axis=1)
    unit = h / np.where(lengths > 0, lengths, 1)[:, None]
    compare_lists(lists_of("similar", model, folder), items, items, unit @ unit.T, np.eye(len(items), dtype=bool))
    assert "same folder" in mf("export", "--model", model, "--out", model, code=2).stderr


def of_weights(folder, rows):
    model, served = folder / "slim", folder / "slim-served"
    mf("fit", "--ratings", folder / "pairs.tsv", "--solver", "slim", "--l1", 2, "--l2", 5, "--out", model, "--quiet")
    mf("export", "--model", model, "--out", served)
    items, users = (served / "item_ids.txt").read_text().splitlines(), ids(model / "users.tsv")
    weights = scipy.sparse.load_npz(served / "item_weights.npz").toarray().astype(float)
    rated = rated_matrix(rows, users, items)
    compare_lists(lists_of("recommend", model, folder), users, items, rated @ weights, rated)
    lists = lists_of("similar", model, folder)
    compare_lists(lists, items, items, weights, np.eye(len(items), dtype=bool), above_zero=True)
    # The list of a user who has that item alone begins with these.
    alone = folder / "alone.tsv"
    alone.write_text("user\titem\nann\ti1\n")
    ann = lists_of("recommend", model, folder, "--ratings", alone)["ann"]
    assert ann[:len(lists["i1"])] == lists["i1"], (ann, lists["i1"])
    return model


def choices(folder, model):
    """--items, --allow, --deny, --min-count."""
    (folder / "items.txt").write_text("i5\nnobody knows it\ni1\n")
    (folder / "allow.txt").write_text("i2\ni5\ni7\n")
    done = mf("similar", "--model", model, "--items", folder / "items.txt", "--allow", folder / "allow.txt", "--top", 9)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0] == ["item", "rank", "similar", "similarity"]
    assert [row[0] for row in rows[1:]] == ["i5"] * 2 + ["i1"] * 3, rows
    assert {row[2] for row in rows[1:3]} == {"i2", "i7"}
    assert "1 item of" in done.stderr
    denied = mf("similar", "--model", model, "--items", folder / "items.txt", "--deny", folder / "allow.txt", "--top", 99, "--quiet")
    assert not {"i2", "i5", "i7"} & {line.split("\t")[2] for line in denied.stdout.splitlines()}
    assert "leave no item" in mf("similar", "--model", model, "--min-count", 1000, code=4).stderr
    assert "give --out FILE" in mf("similar", "--model", model, "--format", "npz", code=2).stderr
    (folder / "two.csv").write_text("user,item\nann,i1\n")
    assert "--feedback implicit" in mf("fit", "--ratings", folder / "two.csv", code=4).stderr


def from_other_folders(folder):
    """A model finds the ratings of its fit wherever commands run, and where both were moved together."""
    (folder / "place").mkdir()
    shutil.copy(folder / "pairs.tsv", folder / "place")
    mf("fit", "--ratings", "pairs.tsv", "--solver", "slim", "--l1", 2, "--l2", 5, "--holdout", 0.2, "--out", "model", "--quiet",
       cwd=folder / "place")
    lists = mf("recommend", "--model", "model", "--top", TOP, cwd=folder / "place").stdout
    (folder / "pairs.tsv").write_text("user\titem\nann\tof another file\n")
    assert mf("recommend", "--model", "place/model", "--top", TOP, cwd=folder).stdout == lists
    assert "of 50 users" in mf("evaluate", "--model", folder / "place/model", cwd="/").stdout
    (folder / "place").rename(folder / "moved")
    (folder / "pairs.tsv").unlink()
    assert mf("recommend", "--model", "moved/model", "--top", TOP, cwd=folder).stdout == lists
    (folder / "moved/pairs.tsv").unlink()
    assert "give --ratings FILE" in mf("recommend", "--model", "moved/model", cwd=folder, code=4).stderr
    (folder / "moved/model/item_weights.npz").unlink()
    gone = mf("similar", "--model", "moved/model", cwd=folder, code=4).stderr
    assert "item_weights.npz: No such file" in gone and "copy the folder again" in gone, gone


def main():
    rows = pairs()
    with tempfile.TemporaryDirectory() as path:
        folder = pathlib.Path(path)
        (folder / "pairs.tsv").write_text("user\titem\trating\n" + "".join(f"{u}\t{i}\t{r}\n" for u, i, r in rows))
        of_factors(folder, rows, "ratings", ["--clip", "off"], 7)
        of_factors(folder, rows, "implicit", ["--feedback", "implicit"], 5)
        of_weights(folder, rows)
        choices(folder, folder / "ratings")
        from_other_folders(folder)


if __name__ == "__main__":
    main()
