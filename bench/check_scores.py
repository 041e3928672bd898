#!/usr/bin/env python3
"""Compares `lasso score` and `lasso export` with float64 numpy, plink2 and R.

Usage: check_scores.py PREFIX PHENO TRAIT [--lasso FILE] [--covar NAMES] [--cut] [--chr NAME]
  PREFIX, PHENO, TRAIT  PLINK set, table of phenotypes, its column
  --covar NAMES         columns of PHENO that are covariates of the statistics
  --cut                 the trait cut at its median: two classes
  --chr NAME            trains on this chromosome alone
Trains on every other person and scores all. Needs numpy, plink2, Rscript (package pROC for two classes). Prints what
differs most; exits with 1 where a bound is passed.
"""
import argparse
import csv
import gzip
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy

COMPLEMENT = str.maketrans("ACGT", "TGCA")
PGS_HEADERS = ["format_version", "pgs_id", "pgs_name", "trait_reported", "trait_mapped", "trait_efo", "genome_build",
               "variants_number", "weight_type", "pgp_id", "citation", "license"]
PGS_COLUMNS = "rsID chr_name chr_position effect_allele other_allele effect_weight allelefrequency_effect".split()
wrong = []


def judge(what, value, bound):
    print(f"{what}: {value:.3g} (at most {bound:g})")
    if not value <= bound:
        wrong.append(what)


def run(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **more).stdout


def table(path, delimiter="\t"):
    with open(path, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def read_pgs(path):
    """By the specification: header lines key=value in order, then named columns, none empty."""
    lines = gzip.open(path, "rt").read().splitlines()
    headers = [line[1:].split("=") for line in lines if line.startswith("#") and not line.startswith("##")]
    assert lines[0].startswith("###PGS CATALOG SCORING FILE"), lines[0]
    assert all(len(pair) == 2 for pair in headers), headers
    assert [key for key, _ in headers] == PGS_HEADERS, headers
    facts = dict(headers)
    assert facts["format_version"] == "2.0" and facts["genome_build"] in ("GRCh37", "GRCh38", "NR")
    assert facts["weight_type"] in ("beta", "log(OR)", "OR/HR", "NR")
    body = [line.split("\t") for line in lines if not line.startswith("#")]
    assert body[0] == PGS_COLUMNS and all(len(row) == len(PGS_COLUMNS) and all(row) for row in body)
    assert int(facts["variants_number"]) == len(body) - 1
    return [dict(zip(PGS_COLUMNS, row)) for row in body[1:]]


def dosages(prefix):
    """Copies of A1, NaN where there is no call."""
    people = sum(1 for _ in open(f"{prefix}.fam"))
    variants = [line.split() for line in open(f"{prefix}.bim")]
    packed = numpy.fromfile(f"{prefix}.bed", dtype=numpy.uint8)[3:].reshape(len(variants), -1)
    codes = (packed[:, :, None] >> numpy.array([0, 2, 4, 6])) & 3
    return variants, numpy.array([2, math.nan, 1, 0])[codes.reshape(len(variants), -1)[:, :people]]


def by_numpy(prefix, model):
    variants, counts = dosages(prefix)
    place = {variant[1]: j for j, variant in enumerate(variants)}
    total = numpy.zeros(counts.shape[1])
    for row in model:
        j = place[row["id"]]
        column = counts[j] if variants[j][4] == row["A1"] else 2 - counts[j]
        total += float(row["coefficient"]) * numpy.where(numpy.isnan(column), float(row["mean"]), column)
    return total


def altered(prefix, folder):
    """The same people; a third of the variants with A1 and A2 exchanged, a third with letters of the other strand where
    these tell it, and, where positions are known, other ids."""
    for end in ("fam", "bed"):
        (folder / f"altered.{end}").write_bytes(pathlib.Path(f"{prefix}.{end}").read_bytes())
    packed = numpy.fromfile(f"{prefix}.bed", dtype=numpy.uint8)
    variants = [line.split() for line in open(f"{prefix}.bim")]
    rows = packed[3:].reshape(len(variants), -1)
    swap = numpy.array([sum(((3, 1, 2, 0)[byte >> s & 3]) << s for s in (0, 2, 4, 6)) for byte in range(256)],
                       dtype=numpy.uint8)
    placed = len({variant[3] for variant in variants}) > len(variants) / 2
    for j, variant in enumerate(variants):
        if j % 3 == 1:
            rows[j] = swap[rows[j]]
            variant[4], variant[5] = variant[5], variant[4]
        if j % 3 == 2 and variant[4].translate(COMPLEMENT) != variant[5]:
            variant[4], variant[5] = (allele.translate(COMPLEMENT) for allele in variant[4:6])
        if placed:
            variant[1] = f"v{j}"
    packed.tofile(folder / "altered.bed")
    (folder / "altered.bim").write_text("".join("\t".join(variant) + "\n" for variant in variants))
    return folder / "altered"


R_STATISTICS = r"""
arguments <- commandArgs(TRUE); d <- read.table(arguments[1], header=TRUE); classes <- arguments[2] == "1"
covariates <- setdiff(names(d), c("y", "s")); B <- as.integer(arguments[3]); set.seed(1)
rhs <- function(v) as.formula(paste("y ~", if (length(v)) paste(v, collapse="+") else "1"))
models <- list(none=character(), covariates=covariates, score="s", full=c(covariates, "s"))
control <- glm.control(epsilon=1e-13, maxit=60)
loss <- function(v, d) if (classes) resid(glm(rhs(v), binomial, d, control=control), "deviance")^2 else resid(lm(rhs(v), d))^2
nk <- function(u, v) (1 - exp(u - v)) / (1 - exp(-v))
figures <- if (classes) list(nagelkerke=function(m) nk(m[3], m[1]), mcfadden=function(m) 1 - m[3] / m[1],
    nagelkerke_covariates=function(m) nk(m[2], m[1]), nagelkerke_full=function(m) nk(m[4], m[1]),
    nagelkerke_incremental=function(m) nk(m[4], m[1]) - nk(m[2], m[1]), mcfadden_incremental=function(m) (m[2] - m[4]) / m[1],
    deviance_partial=function(m) 1 - m[4] / m[2]) else list(r2=function(m) 1 - m[3] / m[1], r2_covariates=function(m) 1 - m[2] / m[1],
    r2_full=function(m) 1 - m[4] / m[1], r2_incremental=function(m) (m[2] - m[4]) / m[1], r2_partial=function(m) 1 - m[4] / m[2])
if (!length(covariates)) figures <- figures[intersect(names(figures), c("r2", "nagelkerke", "mcfadden"))]
out <- function(name, value, method) cat(name, format(value, digits=15), method, "\n")
losses <- sapply(models, loss, d); means <- colMeans(losses); n <- nrow(d); q <- qnorm(0.975)
for (name in names(figures)) { f <- figures[[name]]
  slope <- sapply(1:4, function(k) { h <- 1e-5 * means[k]; a <- b <- means; a[k] <- a[k] + h; b[k] <- b[k] - h; (f(a) - f(b)) / (2 * h) })
  half <- q * sqrt(sum((sweep(losses, 2, means) %*% slope)^2)) / n
  out(name, c(f(means), f(means) - half, f(means) + half), "delta") }
if (classes) { suppressMessages(library(pROC)); a <- ci.auc(roc(d$y, d$s, quiet=TRUE, direction="<"), method="delong")
  out("auc", c(a[2], a[1], a[3]), "delong") } else { t <- cor.test(d$y, d$s); out("correlation", c(t$estimate, t$conf.int), "fisher") }
draws <- replicate(B, { e <- d[sample(n, n, TRUE), ]; m <- colMeans(sapply(models, loss, e))
  c(sapply(figures, function(f) unname(f(m))), if (classes) { r <- rank(e$s); k <- sum(e$y); (sum(r[e$y == 1]) - k * (k + 1) / 2) / (k * (n - k)) } else cor(e$y, e$s)) })
rownames(draws)[nrow(draws)] <- if (classes) "auc" else "correlation"
for (name in rownames(draws)) { v <- sort(draws[name, ]); ends <- quantile(v, c(0.025, 0.975), type=6)
  error <- sapply(c(0.025, 0.975), function(p) { s <- sqrt(p * (1 - p) / B); diff(quantile(v, pmin(pmax(c(p - s, p + s), 0), 1), type=6)) / 2 })
  out(name, c(ends, error), "bootstrap") }
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("prefix"), parser.add_argument("pheno"), parser.add_argument("trait")
    parser.add_argument("--lasso", default="build/release/bin/lasso")
    parser.add_argument("--covar", default="")
    parser.add_argument("--cut", action="store_true")
    parser.add_argument("--chr", default="", help="train on this chromosome alone")
    parser.add_argument("--bootstrap", type=int, default=1000)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    people = [tuple(line.split()[:2]) for line in open(f"{options.prefix}.fam")]
    (folder / "train.txt").write_text("".join(f"{f} {i}\n" for f, i in people[::2]))
    pheno = table(options.pheno)
    values = [float(row[options.trait]) for row in pheno if row[options.trait] != "NA"]
    covariates = [name for name in options.covar.split(",") if name]
    known = {(row["FID"], row["IID"]): [row[options.trait]] + [row[name] for name in covariates] for row in pheno}
    if options.cut:
        for row in known.values():
            row[0] = "NA" if row[0] == "NA" else "2" if float(row[0]) > numpy.median(values) else "1"
    own = folder / "pheno.tsv"
    own.write_text("\t".join(["FID", "IID", "trait"] + covariates) + "\n" +
                   "".join("\t".join([*key, *row]) + "\n" for key, row in known.items()))
    traits = ["--pheno", own, "--pheno-name", "trait"]
    covar = ["--covar", own, "--covar-name", ",".join(covariates)] if covariates else []
    run(options.lasso, "fit", "--bfile", options.prefix, *traits, "--keep", folder / "train.txt", "--lambda-ratio", "0.2",
        *(["--family", "binomial"] if options.cut else []), *(["--chr", options.chr] if options.chr else []), "--out", folder / "model", "--quiet")
    run(options.lasso, "export", "--model", folder / "model", "--export", "csv", "--out", folder / "model.csv", "--quiet")
    run(options.lasso, "export", "--model", folder / "model", "--out", folder / "score.txt.gz", "--quiet")
    model = [row for row in table(folder / "model.csv", ",") if row["term"] == "variable"]
    pgs = read_pgs(folder / "score.txt.gz")
    assert [row["effect_weight"] for row in pgs] == [row["coefficient"] for row in model]
    print(run(options.lasso, "score", "--model", folder / "model", "--bfile", options.prefix, *traits, *covar, "--bootstrap",
              options.bootstrap, "--out", folder / "scored", "--quiet").strip())
    scores = table(folder / "scored/scores.tsv")
    ours = numpy.array([float(row["score"]) for row in scores])
    exact = by_numpy(options.prefix, model)
    judge("largest difference from numpy / largest score", abs(ours - exact).max() / abs(exact).max(), 1e-12)

    other = altered(options.prefix, folder)
    print(run(options.lasso, "score", "--model", folder / "model", "--bfile", other, "--out", folder / "other",
              "--quiet").splitlines()[1])
    again = numpy.array([float(row["score"]) for row in table(folder / "other/scores.tsv")])
    judge("swapped and flipped: difference / largest score", abs(again - exact).max() / abs(exact).max(), 1e-12)

    run(options.lasso, "export", "--model", folder / "model", "--export", "plink2", "--out", folder / "weights", "--quiet")
    (folder / "score.txt").write_text(gzip.open(folder / "score.txt.gz", "rt").read())
    for name, file, columns in (("PGS file", "score.txt", "1 4 6 header-read"), ("weights", "weights", "1 2 3 header")):
        for data in (options.prefix, folder / "swapped"):
            if data != options.prefix:  # alleles exchanged, ids and letters as they are
                run("plink2", "--bfile", options.prefix, "--alt1-allele", "force", f"{options.prefix}.bim", 6, 2, "--make-bed",
                    "--chr-set", 38, "--out", data)
            run("plink2", "--bfile", data, "--read-freq", folder / "weights.afreq", "--score", folder / file,
                *columns.split(), "cols=+scoresums", "--chr-set", 38, "--out", folder / "plink")
            theirs = numpy.array([float(next(value for key, value in row.items() if key.endswith("_SUM")
                                             and "ALLELE" not in key and "DOSAGE" not in key))
                                  for row in table(folder / "plink.sscore")])
            judge(f"plink2 --score, {name}, {'swapped' if data != options.prefix else 'as it is'}: units of the sixth digit",
                  max(abs(a - b) / 10 ** (math.floor(math.log10(abs(b))) - 5) for a, b in zip(ours, theirs) if b), 0.51)

    rows = [[known[row["FID"], row["IID"]], row["score"]] for row in scores if (row["FID"], row["IID"]) in known]
    with open(folder / "table.txt", "w") as file:
        print("y", *covariates, "s", file=file)
        for row, score in rows:
            if "NA" not in row:
                print(float(row[0]) - 1 if options.cut else row[0], *row[1:], score, file=file)
    text = run("Rscript", "-", folder / "table.txt", int(options.cut), options.bootstrap, input=R_STATISTICS)
    mine = {(row["name"], row["method"]): row for row in table(folder / "scored/statistics.tsv")}
    worst, worst_error = 0, 0
    for line in text.splitlines():
        name, *numbers, method = line.split()
        numbers = [float(x) for x in numbers]
        row = mine.pop((name, method))
        if method == "bootstrap":  # the errors of both
            ends = float(row["lower"]), float(row["upper"])
            worst_error = max([worst_error] + [abs(a - b) / (e * math.sqrt(2)) for a, b, e in zip(ends, numbers, numbers[2:])])
        else:
            worst = max([worst] + [abs(float(row[key]) - x) for key, x in zip(("estimate", "lower", "upper"), numbers)])
    assert not mine, mine
    judge("statistics and analytic intervals: largest difference from R", worst, 1e-8)
    judge("bootstrap intervals: largest difference from R's, in Monte Carlo errors", worst_error, 3)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
