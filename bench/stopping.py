#!/usr/bin/env python3
"""What a rule costs and saves that ends a path early by the error on people who validate.

usage: bench/stopping.py curves LASSO OUT.tsv SEED FOLDER[:ROWS]...
       bench/stopping.py judge CURVES.tsv...

`curves` solves whole paths (`lasso path --split --stop-after 0`) and writes the errors on val and test at every lambda,
with all measures. A FOLDER holds a PLINK set with pheno.tsv, or X.csv.gz (columns of numbers) with y.csv; ROWS are so many
people drawn at random, where there are more. Every column of numbers is a trait, and so is the first of them with
its values dealt anew (noise). Each trait is taken as numbers, and cut to two classes at its median and its 80 % and 95 %
quantile; what has two values is two classes as it is. Three fifths of the people train, a fifth validates, a fifth
tests, as SEED deals them. With OUT.tsv there, sets that it has are not solved again.

`judge` applies rules to such curves and prints for every family, measure and rule: what is lost on val and on test
against the chosen lambda of the whole path (in units of the area under the curve for classes and of R2 for numbers,
mean and worst over the sets), how many sets lose more than 0.03 on val, and the shares of lambdas and of counted
operations that the rule saves. "both, lag 5, from 50" is what `--stop-after 5` does on a grid of 100. Needs numpy.
"""
import csv
import gzip
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy as np

COPIES = np.array([2, np.nan, 1, 0], np.float32)
CUTS = (0.5, 0.8, 0.95)
CASES_MIN = 40  # of either class, among all
MEASURES = {"binomial": ("deviance", "auc", "class", "mse", "mae"), "gaussian": ("mse", "mae")}
FIELDS = ("set", "family", "index", "lambda_ratio", "nonzeros", "flops", "seconds")


def is_number(text):
    try:
        float(text)
    except ValueError:
        return text in ("NA", "")
    return True


def read_table(path, separator):
    """Columns of numbers by name; NA is nan."""
    with open(path, encoding="utf-8") as lines:
        rows = list(csv.reader(lines, delimiter=separator))
    found = {}
    for k, name in enumerate(rows[0]):
        values = [row[k] for row in rows[1:]]
        if name not in ("FID", "IID") and all(map(is_number, values)):
            found[name] = np.array([float(v) if v not in ("NA", "") else np.nan for v in values])
    return found


def read_folder(folder):
    """X by rows, missing entries at the mean of their column; traits."""
    beds = sorted(folder.glob("*.bed"))
    if beds:
        prefix = str(beds[0])[:-4]
        people = sum(1 for _ in open(prefix + ".fam", encoding="utf-8"))
        raw = np.fromfile(beds[0], np.uint8)[3:].reshape(-1, (people + 3) // 4)
        codes = np.stack([(raw >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(len(raw), -1)[:, :people]
        x = COPIES[codes].T
        means = np.nanmean(x, 0)
        return np.where(np.isnan(x), np.nan_to_num(means), x), read_table(folder / "pheno.tsv", "\t")
    with gzip.open(folder / "X.csv.gz", "rt", encoding="utf-8") as lines:
        width = next(lines).count(",") + 1
        x = np.fromstring(lines.read().replace("\n", ","), np.float32, sep=",").reshape(-1, width)
    return x, read_table(folder / "y.csv", ",")


def targets_of(traits, rng):
    """(name, family, y) of every trait and cut."""
    noise = None
    for name, y in traits.items():
        seen = y[~np.isnan(y)]
        values = np.unique(seen)
        if len(values) < 2:
            continue
        if len(values) == 2:
            yield name, "binomial", np.where(np.isnan(y), np.nan, y == values[1])
            continue
        if noise is None:
            noise = rng.permutation(y)
        yield name, "gaussian", y
        for cut in CUTS:
            yield f"{name}>{cut:g}", "binomial", np.where(np.isnan(y), np.nan, y > np.quantile(seen, cut))
    if noise is not None:
        yield "noise", "gaussian", noise
        yield "noise>0.5", "binomial", np.where(np.isnan(noise), np.nan, noise > np.nanmedian(noise))


def area(y, score):
    """Under the ROC curve; ties count half. Of one class nan."""
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    cases = int(y.sum())
    if cases in (0, len(y)):
        return np.nan
    return (ranks[y > 0].sum() - cases * (cases + 1) / 2) / (cases * (len(y) - cases))


def errors_of(family, y, link):
    if family == "gaussian":
        return {"mse": np.mean((y - link) ** 2), "mae": np.mean(np.abs(y - link))}
    p = 1 / (1 + np.exp(-np.clip(link, -700, 700)))
    kept = np.clip(p, 1e-5, 1 - 1e-5)
    return {"deviance": -2 * np.mean(np.log(np.where(y > 0, kept, 1 - kept))), "auc": area(y, p),
            "class": np.mean((p > 0.5) != (y > 0)), "mse": 2 * np.mean((y - p) ** 2), "mae": 2 * np.mean(np.abs(y - p))}


def solve(lasso, folder, x, y, family, part):
    """A row for every lambda."""
    np.save(folder / "x.npy", np.asfortranarray(x))
    (folder / "y.csv").write_text("y\n" + "".join(f"{v:.9g}\n" for v in y), encoding="ascii")
    names = np.array(["train", "train", "train", "val", "test"])
    (folder / "split").write_text("part\n" + "".join(f"{names[k]}\n" for k in part), encoding="ascii")
    done = subprocess.run([lasso, "path", "--x", folder / "x.npy", "--y", folder / "y.csv", "--family", family, "--split",
                           folder / "split", "--stop-after", "0", "--refit", "off", "--tolerance", "1e-5", "--threads",
                           "1", "--quiet", "--out", folder / "run", "--force"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(done.stderr)
    with open(folder / "run/path.tsv", encoding="ascii") as lines:
        steps = list(csv.DictReader(lines, delimiter="\t"))
    beta = np.zeros((len(steps), x.shape[1]))
    with open(folder / "run/path_coefficients.tsv", encoding="ascii") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            beta[int(row["index"]) - 1, int(row["column"]) - 1] = float(row["coefficient"])
    flops, phases = {}, 0
    with open(folder / "run/trace.csv", encoding="ascii") as lines:
        for row in csv.DictReader(lines):
            flops[int(row["phase"])] = float(row["flops"])
    used = np.flatnonzero(beta.any(0))
    at = {name: np.flatnonzero(part == k) for name, k in (("val", 3), ("test", 4))}
    links = {name: x[np.ix_(rows, used)].astype(float) @ beta[:, used].T for name, rows in at.items()}
    for k, step in enumerate(steps):
        phases += int(step["phases"])
        row = {"index": k + 1, "lambda_ratio": step["lambda_ratio"], "nonzeros": step["nonzeros"],
               "seconds": step["seconds"], "flops": max(v for p, v in flops.items() if p <= phases + 1)}
        for name, rows in at.items():
            errors = errors_of(family, y[rows], links[name][:, k] + float(step["intercept"]))
            row.update({f"{name}_{measure}": f"{value:.9g}" for measure, value in errors.items()})
        yield row


def write_curves(lasso, out, seed, places):
    header = [*FIELDS, *(f"{part}_{m}" for part in ("val", "test") for m in MEASURES["binomial"])]
    known = set()
    if out.exists():
        with open(out, encoding="utf-8") as lines:
            known = {(row["set"], row["family"]) for row in csv.DictReader(lines, delimiter="\t")}
    with open(out, "a", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, header, delimiter="\t", restval="NA")
        if not known:
            table.writeheader()
        for place in places:
            name, _, limit = place.partition(":")
            x, traits = read_folder(pathlib.Path(name))
            for trait, family, y in targets_of(traits, np.random.default_rng(3)):
                label = f"{pathlib.Path(name).name} {trait}"
                rng = np.random.default_rng([seed, zlib.crc32(label.split(">")[0].encode())])
                rows = rng.permutation(np.flatnonzero(~np.isnan(y)))[:int(limit or len(y))]
                part = rng.integers(0, 5, len(rows))
                least = min(y[rows].sum(), len(rows) - y[rows].sum()) if family == "binomial" else len(rows)
                if (label, family) in known or least < min(CASES_MIN, 0.3 * len(rows)):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    for row in solve(lasso, pathlib.Path(folder), x[rows], y[rows], family, part):
                        table.writerow({"set": label, "family": family, **row})
                file.flush()
                print(label, family, len(rows), flush=True)


def lag(after, start=0):
    """Of `count` lambdas, at least so many, the last `after` have no better error than those before."""
    def rule(curve, count):
        return count > after and count >= start and int(np.argmin(curve[:count])) + after < count
    return rule


def snpnet(curve, count):
    """Looked at after 10, 15, 20 ... lambdas, as its iterations begin; ties go on."""
    return count >= 10 and count % 5 == 0 and curve[:count - 2].min() < curve[count - 2:count].min()


# Tests of a curve, and which curves all have to pass: the error by the measure, the loss that is fitted.
RULES = {f"measure, lag {n}": ([lag(n)], ["measure"]) for n in (2, 5, 10)}
RULES["snpnet"] = ([snpnet], ["measure"])
RULES.update({f"measure, lag 2, from {m}": ([lag(2, m)], ["measure"]) for m in (10, 30)})
RULES.update({f"loss, lag {n}, from {m}": ([lag(n, m)], ["loss"]) for n, m in ((2, 0), (5, 0), (10, 0), (10, 30), (5, 50))})
RULES.update({f"both, lag {n}, from {m}": ([lag(n, m)] * 2, ["measure", "loss"])
              for n, m in ((2, 0), (5, 0), (10, 0), (5, 30), (10, 30), (5, 40), (2, 50), (5, 50), (10, 50), (5, 60))})


def seen_by(rule, measure, loss):
    tests, of = rule
    curves = [measure if which == "measure" else loss for which in of]
    for count in range(1, len(measure)):
        if all(test(curve, count) for test, curve in zip(tests, curves)):
            return count
    return len(measure)


def read_curves(paths):
    """Columns of numbers by (set, family)."""
    found = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                found.setdefault((row["set"], row["family"]), []).append(row)
    return {key: {name: np.array([float(row[name]) for row in rows if row[name] != "NA"]) for name in rows[0]
                  if name not in ("set", "family")} for key, rows in found.items()}


def judge(paths):
    curves = read_curves(paths)
    for family, measures in MEASURES.items():
        sets = {name: curve for (name, own), curve in curves.items() if own == family}
        gauge = "auc" if family == "binomial" else "mse"
        print(f"{family}: {len(sets)} sets, {sum(len(c['index']) for c in sets.values())} lambdas")
        for measure in measures:
            print(f"  --measure {measure}\n    {'rule':28s}  own, val: mean worst   {gauge}, val: mean worst  > 0.03   "
                  f"{gauge}, test: mean worst   saved: lambdas flops  least")
            for name, rule in RULES.items():
                rows = []
                for curve in sets.values():
                    sign = -1 if measure == "auc" else 1
                    own = sign * curve[f"val_{measure}"]
                    loss = curve["val_deviance" if family == "binomial" else "val_mse"]
                    seen = seen_by(rule, own, loss)
                    at, best = int(np.argmin(own[:seen])), int(np.argmin(own))
                    unit = 1 if measure in ("auc", "class") else abs(own[0])
                    lost = [(own[at] - own[best]) / unit]
                    for part in ("val", "test"):
                        figure = curve[f"{part}_{gauge}"]
                        lost.append(figure[best] - figure[at] if gauge == "auc" else (figure[at] - figure[best]) / figure[0])
                    rows.append([*lost, len(own), seen, curve["flops"][-1], curve["flops"][seen - 1]])
                rows = np.array(rows)
                print(f"    {name:28s}  {rows[:, 0].mean():9.4f} {rows[:, 0].max():8.3f}  {rows[:, 1].mean():9.4f} "
                      f"{rows[:, 1].max():8.3f}  {(rows[:, 1] > 0.03).sum():4d}   {np.nanmean(rows[:, 2]):9.4f} "
                      f"{np.nanmax(rows[:, 2]):8.3f}   {1 - rows[:, 4].sum() / rows[:, 3].sum():8.2f} "
                      f"{1 - np.mean(rows[:, 6] / rows[:, 5]):8.2f} {int(rows[:, 4].min()):5d}")


def main():
    if len(sys.argv) >= 6 and sys.argv[1] == "curves":
        write_curves(sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
    elif len(sys.argv) >= 3 and sys.argv[1] == "judge":
        judge(sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
