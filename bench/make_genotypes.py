#!/usr/bin/env python3
"""Makes genotypes with linkage blocks and a response, as PLINK files:  make_genotypes.py PRESET PREFIX

PRESET     samples x variants      .bed      seconds (2 cores)
  small      300 x    2,000      0.15 MB     0.1
  ad         463 x  508,999        59 MB      10     the shape of the paper's Alzheimer's data
  biobank 20,000 x   50,000       250 MB      40
  large   20,000 x  200,000     1,000 MB     160
  cohort 100,000 x  200,000     5,000 MB     800     10 covariates, heritability 0.5, 80/10/10 for train, val, test

--samples N, --variants J, --causal K, --seed SEED, --missing RATE, --covariates C change a preset; --heritability is the
share of the response's variance that the causal variants explain (0.6), --explained-by-covariates that of the covariates
(0.1 where there are any).

Writes PREFIX.bed, .bim, .fam, PREFIX.pheno.tsv (FID IID y), PREFIX.cases.tsv (FID IID case: 1 where y is above its
median, else 0) and PREFIX.causal.tsv (variant, effect: the truth); with covariates PREFIX.covar.tsv (FID IID C1 ...), with
--split PREFIX.split.tsv (FID IID split).

A haplotype is the sign pattern of a Gaussian sequence: inside a block of 50 variants neighbours correlate by 0.9, blocks
are independent; variant j is 1 where the sequence is below the quantile of its frequency, uniform on [0.05, 0.5]. A
person has two haplotypes, so that genotypes are 0, 1 or 2 in Hardy-Weinberg proportions. The response is
sum_k effect_k x (standardised genotype of causal k) plus noise, both Gaussian.

The same arguments give the same files: each piece of variants draws from a stream of its own, whatever thread runs it.
Memory does not grow with J but for 24 bytes a variant. Needs python3-numpy alone.
"""
import argparse
import concurrent.futures
import os
import statistics
import sys

import numpy as np

PRESETS = {"small": {"samples": 300, "variants": 2000, "causal": 20},
           "ad": {"samples": 463, "variants": 508999, "causal": 100},
           "biobank": {"samples": 20000, "variants": 50000, "causal": 500},
           "large": {"samples": 20000, "variants": 200000, "causal": 500},
           "cohort": {"samples": 100000, "variants": 200000, "causal": 500, "covariates": 10, "heritability": 0.5,
                      "split": True}}
DEFAULTS = {"covariates": 0, "heritability": 0.6, "split": False}
BLOCK = 50          # variants of a linkage block
NEIGHBOURS = np.float32(0.9)
PIECE_VALUES = 200000  # Gaussian values held at a time: they stay in the second-level cache
CODE = np.array([3, 2, 0, 1], np.uint8)  # dosage 0, 1, 2, missing -> two-bit code of a .bed


def quantiles(frequencies):
    """Normal quantile of each frequency, from a table of 2^14 steps: the frequencies are random anyway."""
    grid = np.linspace(0.05, 0.5, 1 << 14)
    inverse = statistics.NormalDist().inv_cdf
    return np.interp(frequencies, grid, [inverse(p) for p in grid]).astype(np.float32)


def pieces_of(samples, variants):
    """Bounds of the pieces: whole blocks, about PIECE_VALUES values a step."""
    width = BLOCK * max(1, PIECE_VALUES // (2 * samples))
    return [(first, min(first + width, variants)) for first in range(0, variants, width)]


def dosages(seed, first, last, cut, samples):
    """Copies of the first allele, (last - first) x samples, of one piece."""
    rng = np.random.Generator(np.random.SFC64([seed, 1, first]))
    blocks = -(-(last - first) // BLOCK)
    latent = rng.standard_normal((blocks, 2 * samples), np.float32)
    fresh = np.empty_like(latent)
    innovation = np.sqrt(1 - NEIGHBOURS * NEIGHBOURS)
    thresholds = np.full(blocks * BLOCK, -9, np.float32)
    thresholds[:last - first] = cut[first:last]
    thresholds = thresholds.reshape(blocks, BLOCK)
    out = np.empty((blocks, BLOCK, samples), np.uint8)
    for k in range(BLOCK):
        if k > 0:
            rng.standard_normal(dtype=np.float32, out=fresh)
            latent *= NEIGHBOURS
            fresh *= innovation
            latent += fresh
        alleles = latent < thresholds[:, k:k + 1]
        np.add(alleles[:, :samples], alleles[:, samples:], out=out[:, k], dtype=np.uint8)
    found = out.reshape(blocks * BLOCK, samples)[:last - first]
    constant = np.flatnonzero(found.max(1) == found.min(1))
    for j in constant:  # a variant that nobody carries is no variant
        found[j, rng.integers(samples)] ^= 1
    return found


def packed(found, missing, rng):
    """Two bits a call, four calls a byte, as .bed wants them."""
    if missing > 0:
        found = np.where(rng.random(found.shape, np.float32) < missing, np.uint8(3), found)
    codes = np.pad(CODE[found], ((0, 0), (0, -found.shape[1] % 4)))
    return codes[:, 0::4] | codes[:, 1::4] << 2 | codes[:, 2::4] << 4 | codes[:, 3::4] << 6


def write_bed(path, options, cut, causal):
    """Writes the calls; returns the dosages of the causal variants."""
    chosen = np.empty((len(causal), options.samples))

    def work(bounds):
        first, last = bounds
        found = dosages(options.seed, first, last, cut, options.samples)
        here = np.flatnonzero((causal >= first) & (causal < last))
        chosen[here] = found[causal[here] - first]
        return packed(found, options.missing, np.random.Generator(np.random.SFC64([options.seed, 2, first])))

    threads = os.cpu_count() or 1
    pieces = pieces_of(options.samples, options.variants)
    with open(path, "wb") as out, concurrent.futures.ThreadPoolExecutor(threads) as pool:
        out.write(bytes([0x6C, 0x1B, 0x01]))
        for first in range(0, len(pieces), 4 * threads):  # in order, a few at a time: memory stays flat
            for calls in pool.map(work, pieces[first:first + 4 * threads]):
                out.write(calls.tobytes())
    return chosen


def response(rng, chosen, effects, heritability, from_covariates=0.0):
    """Centred, of 2-norm 1. `from_covariates`: what covariates add, of the variance that they are to explain."""
    chosen -= chosen.mean(1, keepdims=True)
    deviation = chosen.std(1, keepdims=True)
    signal = effects @ (chosen / np.maximum(deviation, 1e-9))
    noise = rng.standard_normal(len(signal))
    left = 1 - heritability - np.var(from_covariates)
    y = signal / signal.std() * np.sqrt(heritability) + noise / noise.std() * np.sqrt(left) + from_covariates
    y -= y.mean()
    return y / np.linalg.norm(y)


def write_names(prefix, variants, y):
    with open(f"{prefix}.bim", "w") as out:
        for j in range(variants):
            out.write(f"{1 + j * 22 // variants}\tsnp{j + 1}\t0\t{j + 1}\tA\tG\n")
    median = np.median(y)
    with open(f"{prefix}.fam", "w") as fam, open(f"{prefix}.pheno.tsv", "w") as pheno, \
            open(f"{prefix}.cases.tsv", "w") as cases:
        pheno.write("FID\tIID\ty\n")
        cases.write("FID\tIID\tcase\n")
        for i, value in enumerate(y):
            fam.write(f"F{i + 1}\tI{i + 1}\t0\t0\t0\t-9\n")
            pheno.write(f"F{i + 1}\tI{i + 1}\t{value:.17g}\n")
            cases.write(f"F{i + 1}\tI{i + 1}\t{int(value > median)}\n")


def write_table(path, header, columns):
    """A line a person: FID, IID and an entry of each column."""
    with open(path, "w") as out:
        out.write("\t".join(["FID", "IID", *header]) + "\n")
        for i, row in enumerate(zip(*columns)):
            out.write("\t".join([f"F{i + 1}", f"I{i + 1}", *map(str, row)]) + "\n")


def write_covariates(options):
    """Gaussian ones with equal effects. Returns what they add to the response; its variance is what they are to explain."""
    if options.covariates == 0:
        return 0.0
    rng = np.random.Generator(np.random.SFC64([options.seed, 3]))
    values = rng.standard_normal((options.covariates, options.samples))
    write_table(f"{options.prefix}.covar.tsv", [f"C{k + 1}" for k in range(options.covariates)],
                [[f"{value:.8g}" for value in row] for row in values])
    total = values.sum(0)
    return (total - total.mean()) / total.std() * np.sqrt(options.explained_by_covariates)


def write_split(options):
    rng = np.random.Generator(np.random.SFC64([options.seed, 4]))
    parts = np.array(["train", "val", "test"])[np.searchsorted([0.8, 0.9], rng.random(options.samples), side="right")]
    write_table(f"{options.prefix}.split.tsv", ["split"], [parts])


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", choices=PRESETS)
    parser.add_argument("prefix")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--variants", type=int)
    parser.add_argument("--causal", type=int)
    parser.add_argument("--heritability", type=float)
    parser.add_argument("--covariates", type=int)
    parser.add_argument("--explained-by-covariates", type=float, default=0.1)
    parser.add_argument("--split", action="store_true", default=None)
    parser.add_argument("--missing", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=2014)
    options = parser.parse_args()
    for name, value in {**DEFAULTS, **PRESETS[options.preset]}.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.causal = min(options.causal, options.variants)
    explained = options.heritability + (options.explained_by_covariates if options.covariates > 0 else 0)
    if options.samples < 2 or options.variants < 1 or options.causal < 1 or options.covariates < 0:
        sys.exit("expected at least 2 samples, 1 variant, 1 causal variant and 0 covariates")
    if not (0 <= options.heritability <= 1 and 0 <= options.explained_by_covariates and explained <= 1):
        sys.exit("expected shares of the variance in [0, 1] that are at most 1 together")
    return options


def main():
    options = parse_options()
    rng = np.random.Generator(np.random.SFC64([options.seed, 0]))
    causal = np.sort(rng.choice(options.variants, options.causal, replace=False))
    effects = rng.standard_normal(options.causal)
    cut = quantiles(rng.uniform(0.05, 0.5, options.variants))
    chosen = write_bed(f"{options.prefix}.bed", options, cut, causal)
    y = response(rng, chosen, effects, options.heritability, write_covariates(options))
    write_names(options.prefix, options.variants, y)
    if options.split:
        write_split(options)
    with open(f"{options.prefix}.causal.tsv", "w") as out:
        out.write("variant\teffect\n")
        out.writelines(f"snp{j + 1}\t{effect:.17g}\n" for j, effect in zip(causal, effects))


if __name__ == "__main__":
    main()
