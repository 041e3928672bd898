#!/usr/bin/env python3
"""A large study of summary statistics with the LD of real people: PREFIX.bed/.bim/.fam (the panel), PREFIX.sumstats, PREFIX.blocks.bed.

The panel repeats the variants of a .bed file in tiles, the people in another order in each. LD blocks have the widths of
given regions, none wider than three times their mean. A share of the variants has effects, drawn from a normal
distribution; statistics are r = X'(X b + g / sqrt(n)) in each block, with g standard normal, so that their noise has the
panel's correlations; b is scaled so that the sum over blocks of |X b|^2 is the heritability. The file has LDSC's columns.

    bench/make_sumstats.py PANEL REGIONS.bed PREFIX      # PANEL: a prefix as of tests/datasets/1000g-chr2-eur/chr2-eur
    lasso path --sumstats PREFIX.sumstats --bfile PREFIX --ld-blocks PREFIX.blocks.bed --qc off --threads 2 --out out
"""
import argparse
import pathlib

import numpy as np

CODES = np.array([2.0, np.nan, 1.0, 0.0])  # copies of A1 of a .bed's two bits


def codes_of(prefix, people):
    """The two bits of each call, variants x people."""
    raw = np.frombuffer(pathlib.Path(prefix + ".bed").read_bytes()[3:], np.uint8).reshape(-1, (people + 3) // 4)
    return ((raw[:, :, None] >> np.array([0, 2, 4, 6], np.uint8)) & 3).reshape(len(raw), -1)[:, :people].astype(np.uint8)


def packed(codes):
    pad = -codes.shape[1] % 4
    four = np.pad(codes, ((0, 0), (0, pad))).reshape(len(codes), -1, 4)
    return (four[:, :, 0] | four[:, :, 1] << 2 | four[:, :, 2] << 4 | four[:, :, 3] << 6).astype(np.uint8)


def sizes_of(regions, variants):
    """Variants of each block."""
    widths = np.array([int(line.split()[2]) - int(line.split()[1]) for line in pathlib.Path(regions).read_text().splitlines()
                       if line.strip() and line.split()[1].isdigit()], float)
    widths = np.minimum(widths, 3 * widths.mean())
    ends = np.rint(np.cumsum(widths) / widths.sum() * variants).astype(int)
    return np.diff(ends, prepend=0)


def standardised(codes):
    x = CODES[codes].T
    x = np.where(np.isnan(x), np.nanmean(x, 0), x)
    x -= x.mean(0)
    norms = np.sqrt((x**2).sum(0))
    return x / np.where(norms > 1e-9, norms, 1), norms > 1e-9


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("panel", help="prefix of .bed, .bim and .fam")
    parser.add_argument("regions", help="BED whose widths are those of the blocks")
    parser.add_argument("prefix")
    parser.add_argument("--variants", type=int, default=1_100_000)
    parser.add_argument("--blocks", type=int, help="only the first ones")
    parser.add_argument("--causal", type=float, default=0.01)
    parser.add_argument("--heritability", type=float, default=0.3)
    parser.add_argument("--n", type=float, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    fam = pathlib.Path(args.panel + ".fam").read_text()
    people = len(fam.splitlines())
    codes, rng = codes_of(args.panel, people), np.random.RandomState(args.seed)
    sizes = sizes_of(args.regions, args.variants)
    chromosomes = 1 + np.arange(len(sizes)) * 22 // len(sizes)
    count = args.blocks or len(sizes)
    sizes = sizes[:count]
    # A block's effects are scaled at the end: r has a part that they make and a part of noise.
    effects, noise, seen = [], [], []
    total = 0.0
    tile, place = codes, 0
    with open(args.prefix + ".bed", "wb") as bed:
        bed.write(b"\x6c\x1b\x01")
        for size in sizes:
            pieces = []
            while sum(map(len, pieces)) < size:
                if place == len(codes):
                    tile, place = codes[:, rng.permutation(people)], 0
                end = min(len(codes), place + size - sum(map(len, pieces)))
                pieces.append(tile[place:end])
                place = end
            own = np.concatenate(pieces)
            bed.write(packed(own).tobytes())
            x, varies = standardised(own)
            b = np.where(rng.rand(size) < args.causal, rng.randn(size), 0.0)
            image = x @ b
            total += image @ image
            effects.append(x.T @ image)
            noise.append(x.T @ rng.randn(people))
            seen.append(varies)
    r = np.concatenate(effects) * np.sqrt(args.heritability / total) + np.concatenate(noise) / np.sqrt(args.n)
    r = np.where(np.concatenate(seen), np.clip(r, -0.99, 0.99), 0)
    z = r * np.sqrt((args.n - 2) / (1 - r * r))
    pathlib.Path(args.prefix + ".fam").write_text(fam)
    with open(args.prefix + ".bim", "w") as bim, open(args.prefix + ".sumstats", "w") as table, \
            open(args.prefix + ".blocks.bed", "w") as blocks:
        table.write("SNP\tA1\tA2\tN\tZ\n")
        blocks.write("chr\tstart\tstop\n")
        at, position, last = 0, 0, 0
        for size, chromosome in zip(sizes, chromosomes):
            position = position if chromosome == last else 0
            last = chromosome
            blocks.write(f"chr{chromosome}\t{position}\t{position + 100 * size}\n")
            for k in range(at, at + size):
                position += 100
                bim.write(f"{chromosome}\tv{k + 1}\t0\t{position}\tA\tG\n")
                table.write(f"v{k + 1}\tA\tG\t{args.n:.0f}\t{z[k]:.6g}\n")
            at += size
    print(f"{people} people x {at} variants in {count} blocks, the largest of {sizes.max()}")


if __name__ == "__main__":
    main()
