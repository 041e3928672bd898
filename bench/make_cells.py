#!/usr/bin/env python3
"""Makes counts of open regions in cells, as single-cell ATAC has them, for `lda fit`:  make_cells.py OUT.npz

The whole size is 50,000 cells x 100,000 peaks with 10,000 tokens a cell: 500 million tokens, 2 GB of file, 6 GB of memory
and some minutes. --cells 5000 makes a tenth of it.

A peak's share is log-normal; each of --programs programs multiplies the shares by log-normal factors of its own, so that it
prefers some of the peaks. A cell has a Dirichlet(0.1) mixture of the programs, and a number of tokens that is Poisson. A
pair of cell and peak is written with its count. The file is a scipy.sparse CSR matrix (int32, not compressed), rows are cells.

The same arguments give the same file: each cell draws from a stream of its own. Needs python3-numpy alone.
"""
import argparse

import numpy as np


def stream(seed, *purpose):
    return np.random.Generator(np.random.SFC64([seed, *purpose]))


def programs_of(options):
    """Cumulated shares of the peaks, a row for each program."""
    base = np.exp(stream(options.seed, 1).standard_normal(options.peaks))
    cumulated = np.empty((options.programs, options.peaks))
    for k in range(options.programs):
        shares = base * np.exp(1.5 * stream(options.seed, 2, k).standard_normal(options.peaks))
        np.cumsum(shares / shares.sum(), out=cumulated[k])
    return cumulated


def cell_of(options, cumulated, cell):
    """Peaks of a cell, ascending, and their counts."""
    random = stream(options.seed, 3, cell)
    mixture = random.dirichlet(np.full(options.programs, 0.1))
    tokens = random.multinomial(max(1, random.poisson(options.tokens)), mixture)
    drawn = [np.searchsorted(cumulated[k], random.random(n), side="right") for k, n in enumerate(tokens) if n > 0]
    return np.unique(np.minimum(np.concatenate(drawn), options.peaks - 1), return_counts=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--cells", type=int, default=50000)
    parser.add_argument("--peaks", type=int, default=100000)
    parser.add_argument("--tokens", type=float, default=10000, help="mean of a cell")
    parser.add_argument("--programs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cumulated = programs_of(options)
    peaks, counts, begins = [], [], np.zeros(options.cells + 1, dtype=np.int64)
    for cell in range(options.cells):
        found, count = cell_of(options, cumulated, cell)
        peaks.append(found.astype(np.int32))
        counts.append(count.astype(np.uint16))
        begins[cell + 1] = begins[cell] + len(found)
    np.savez(options.out, format=np.array(b"csr"), shape=np.array([options.cells, options.peaks]), indptr=begins,
             indices=np.concatenate(peaks), data=np.concatenate(counts).astype(np.int32))
    tokens = sum(int(one.sum()) for one in counts)
    print(f"{options.out}: {options.cells} cells x {options.peaks} peaks, {begins[-1]} pairs, {tokens} tokens")


if __name__ == "__main__":
    main()
