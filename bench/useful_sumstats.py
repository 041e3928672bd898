#!/usr/bin/env python3
"""What a score from a study's results is worth, beside one from its genotypes and beside clumping and thresholding.

Half of the people are the study (`plink2 --glm`, no covariates), a quarter is the LD panel and chooses, a quarter is the
test; the people are dealt anew in each split. From the trait the mean of the study's people of the same sex is taken.
Three scores are tuned on the same quarter and judged by R2, the squared correlation of score and trait, on the same test:

- `lasso path --sumstats --validate-bfile`, from the study's results and the panel;
- `lasso path --split`, from the study's genotypes, lambda of least error on the quarter that chooses;
- clumping and thresholding by this script: variants by p, those of their chromosome with r2 in the panel above a bound
  are left out; bounds 0.1, 0.2, 0.5, and p at most 1, 0.1, ... 1e-8; the pair with the largest R2 on the same quarter.

    bench/useful_sumstats.py --lasso build/release/bin/lasso --plink2 plink2 --out OUT mice-hs=PREFIX,PHENO.tsv,weight ...
"""

import argparse
import csv
import pathlib
import shutil
import subprocess

import numpy as np

BOUNDS = (0.1, 0.2, 0.5)
P_MOST = (1, 0.1, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
CODES = np.array([2.0, np.nan, 1.0, 0.0])  # copies of A1 of a .bed's two bits


def lines(path):
    return [line.split() for line in pathlib.Path(path).read_text().splitlines()]


def genotypes(prefix, people):
    """Copies of A1, people x variants; a missing call is NaN."""
    with open(prefix + ".bed", "rb") as file:
        raw = np.frombuffer(file.read()[3:], np.uint8).reshape(-1, (people + 3) // 4)
    bits = (raw[:, :, None] >> np.array([0, 2, 4, 6])) & 3
    return CODES[bits.reshape(len(raw), -1)[:, :people]].T


def r2(score, y):
    if np.std(score) == 0:
        return 0.0
    return float(np.corrcoef(score, y)[0, 1] ** 2)


def filled(x):
    """Missing calls as their column's mean, 0 where a column has no call."""
    known = ~np.isnan(x)
    means = np.where(known, x, 0).sum(0) / np.maximum(known.sum(0), 1)
    return np.where(known, x, means)


def clumped(panel, chromosomes, p, bound):
    """Variants that are kept, the smallest p first; `panel` has unit columns."""
    kept = []
    for chromosome in dict.fromkeys(chromosomes):
        own = np.flatnonzero((chromosomes == chromosome) & ~np.isnan(p) & (np.abs(panel).sum(0) > 0))
        open_ = np.ones(len(own), bool)
        for at in np.argsort(p[own], kind="stable"):
            if open_[at]:
                kept.append(own[at])
                open_ &= (panel[:, own].T @ panel[:, own[at]]) ** 2 <= bound
    return np.array(kept, int)


def threshold_score(x, y, panel_people, choose, test, chromosomes, beta, p):
    """R2 on the test of the pair of bounds that is best for `choose`, with the number of variants."""
    panel = filled(x[panel_people])
    panel = panel - panel.mean(0)
    norm = np.sqrt((panel**2).sum(0))
    panel = np.where(norm > 1e-9, panel / np.where(norm > 1e-9, norm, 1), 0)
    choosing, testing = filled(x[choose]), filled(x[test])
    best = (-1.0, 0.0, "")
    for bound in BOUNDS:
        kept = clumped(panel, chromosomes, p, bound)
        for most in P_MOST:
            own = kept[p[kept] <= most]
            chosen = r2(choosing[:, own] @ beta[own], y[choose])
            if chosen > best[0]:
                best = (chosen, r2(testing[:, own] @ beta[own], y[test]), f"r2 {bound}, p {most}: {len(own)}")
    return best


def without_sex(y, fam, train):
    """The trait less its mean in the study's people of the same sex, where the .fam has sexes."""
    sexes = np.array([row[4] for row in fam])
    rest = y.copy()
    for sex in dict.fromkeys(sexes):
        own = sexes == sex
        rest[own] -= y[train][own[train]].mean()
    return rest


def call(command, log):
    with open(log, "w") as out:
        subprocess.run(["nice", "-n", "19", *command], check=True, stdout=out, stderr=subprocess.STDOUT)


def scored(args, model, prefix, keep, pheno, trait, out):
    """R2 as `lasso score` finds it."""
    call([args.lasso, "score", "--model", str(model), "--bfile", prefix, "--keep", str(keep), "--pheno", pheno, "--pheno-name", trait,
          "--bootstrap", "0", "--out", str(out), "--force", *args.threads], f"{out}.log")
    with open(out / "statistics.tsv") as table:
        return next(float(row["estimate"]) for row in csv.DictReader(table, delimiter="\t") if row["name"] == "r2")


def line_of(log, word):
    return next((line.split(None, 1)[1] for line in pathlib.Path(log).read_text().splitlines() if line.startswith(word)), "")


def one_split(args, name, prefix, pheno, trait, blocks, seed):
    folder = args.out / f"{name}-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    fam = [tuple(row[:2]) for row in lines(prefix + ".fam")]
    with open(pheno) as table:
        values = {(row["FID"], row["IID"]): row[trait] for row in csv.DictReader(table, delimiter="\t")}
    y = np.array([float(values.get(who, "NA").replace("NA", "nan")) for who in fam])
    dealt = np.random.RandomState(seed).permutation(np.flatnonzero(~np.isnan(y)))
    half, quarter = len(dealt) // 2, len(dealt) // 4
    parts = {"train": dealt[:half], "val": dealt[half:half + quarter], "test": dealt[half + quarter:]}
    for part, who in parts.items():
        (folder / f"{part}.txt").write_text("".join("\t".join(fam[at]) + "\n" for at in sorted(who)))
    y = without_sex(y, lines(prefix + ".fam"), parts["train"])
    rows = [f"{who[0]}\t{who[1]}\t{'NA' if np.isnan(value) else f'{value:.10g}'}\n" for who, value in zip(fam, y)]
    pheno = str(folder / "pheno.tsv")
    pathlib.Path(pheno).write_text("".join([f"FID\tIID\t{trait}\n", *rows]))
    rows = ["FID\tIID\tpart\n"] + ["\t".join(fam[at]) + f"\t{part}\n" for part, who in parts.items() for at in sorted(who)]
    (folder / "split.tsv").write_text("".join(rows))
    trait_of = ["--pheno", pheno, "--pheno-name", trait]
    call([args.plink2, "--bfile", prefix, "--keep", str(folder / "train.txt"), *trait_of, "--glm", "allow-no-covars", "cols=+a1freq", "--threads", "1",
          "--out", str(folder / "study")], folder / "plink2.log")
    study = folder / f"study.{trait}.glm.linear"
    call([args.lasso, "path", "--sumstats", str(study), "--bfile", prefix, "--keep", str(folder / "val.txt"), "--validate-bfile", prefix,
          "--validate-keep", str(folder / "val.txt"), *trait_of, "--out", str(folder / "sumstats"), *args.threads, *args.sumstats_options.split(),
          *[f"--ld-blocks={bed}" for bed in blocks]],
         folder / "sumstats.log")
    call([args.lasso, "path", "--bfile", prefix, *trait_of, "--split", str(folder / "split.tsv"), "--split-name", "part", "--out",
          str(folder / "genotypes"), *args.threads], folder / "genotypes.log")
    found = {}
    for model, chosen in (("sumstats", "sumstats"), ("genotypes", "genotypes/chosen")):
        found[model] = scored(args, folder / chosen, prefix, folder / "test.txt", pheno, trait, folder / f"score-{model}")
    bim = lines(prefix + ".bim")
    at = {row[1]: index for index, row in enumerate(bim)}
    beta, p = np.zeros(len(bim)), np.full(len(bim), np.nan)
    with open(study) as table:
        for row in csv.DictReader(table, delimiter="\t"):
            if row["TEST"] == "ADD" and row["P"] not in ("NA", ""):
                index = at[row["ID"]]
                beta[index] = float(row["BETA"]) * (1 if row["A1"] == bim[index][4] else -1)
                p[index] = float(row["P"])
    x = genotypes(prefix, len(fam))
    chosen = threshold_score(x, y, parts["val"], parts["val"], parts["test"], np.array([row[0] for row in bim]), beta, p)
    found["thresholds"] = chosen[1]
    cells = [name, str(seed), *(f"{value:.4f}" for value in found.values()), line_of(folder / "sumstats.log", "chosen"), chosen[2]]
    print("\t".join(cells), flush=True)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", help="NAME=PREFIX,PHENO,TRAIT, and a BED of LD blocks after a comma where there is one")
    parser.add_argument("--lasso", required=True)
    parser.add_argument("--plink2", default="plink2")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--threads", default="1")
    parser.add_argument("--sumstats-options", default="", help="further options of lasso path --sumstats")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    args.threads = ["--threads", args.threads]
    table = ["| set, trait | from results | from genotypes | clumping and thresholding |", "| --- | --- | --- | --- |"]
    for given in args.sets:
        name, rest = given.split("=", 1)
        prefix, pheno, trait, *blocks = rest.split(",")
        found = [one_split(args, name, prefix, pheno, trait, blocks, seed) for seed in range(1, args.splits + 1)]
        cells = []
        for method in found[0]:
            own = [split[method] for split in found]
            cells.append(f"{np.mean(own):.3f} ({min(own):.3f} to {max(own):.3f})")
        table.append(f"| {name}, {trait} | " + " | ".join(cells) + " |")
    print("\n".join(table))


if __name__ == "__main__":
    main()
