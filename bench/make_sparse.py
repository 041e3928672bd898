#!/usr/bin/env python3
"""Makes a sparse regression problem, as a scipy.sparse CSC file:  make_sparse.py PRESET PREFIX

PRESET    samples x variables     entries     true nonzeros   response        seconds
  words    20,242 x    47,236    1.6 million            200   -1 and 1              2    the shape of rcv1's training set
  powerlaw 100,000 x 1,000,000    11 million            500   numbers              20    a few variables in many samples

--samples N, --variables J, --seed SEED change a preset; entries a sample stay as they are.

Writes PREFIX.npz (CSC, float32, not compressed) and PREFIX.y.tsv. A sample has a log-normal number of entries; an entry's variable
has rank k with a probability proportional to (k + 10)^-exponent, and a place that has nothing to do with its rank. Values are
1 + log(1 + an exponential number), as word counts have them after a logarithm. The response is X b, plus noise of half its
deviation, centred and of 2-norm 1; of `words` its sign. The same arguments give the same files. Needs python3-numpy alone.
"""
import argparse

import numpy as np

PRESETS = {"words": (20242, 47236, 80, 0.8, 200, True), "powerlaw": (100000, 1000000, 113, 1.0, 500, False)}


def entries(rng, samples, variables, mean, exponent):
    """Rows, columns (a pair once) and values, by column and row."""
    counts = np.maximum(1, mean * rng.lognormal(-0.18, 0.6, samples)).astype(np.int64)
    share = np.cumsum((np.arange(variables) + 10.0) ** -exponent)
    places = rng.permutation(variables)
    rows = np.repeat(np.arange(samples), counts)
    columns = places[np.minimum(np.searchsorted(share, rng.random(len(rows)) * share[-1]), variables - 1)]
    keys = np.unique(columns * np.int64(samples) + rows)
    columns, rows = np.divmod(keys, samples)
    return rows, columns, (1 + np.log1p(rng.exponential(1, len(keys)))).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", choices=PRESETS)
    parser.add_argument("prefix")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--variables", type=int)
    parser.add_argument("--seed", type=int, default=2014)
    options = parser.parse_args()
    samples, variables, mean, exponent, nonzeros, signs = PRESETS[options.preset]
    samples, variables = options.samples or samples, options.variables or variables
    rng = np.random.default_rng(options.seed)
    rows, columns, values = entries(rng, samples, variables, mean, exponent)
    offsets = np.zeros(variables + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=variables), out=offsets[1:])
    # The truth is of variables that many samples have: rare ones would say nothing.
    beta = np.zeros(variables)
    frequent = np.argsort(np.diff(offsets), kind="stable")[::-1][:10 * nonzeros]
    chosen = rng.choice(frequent, nonzeros, replace=False)
    beta[chosen] = rng.standard_normal(nonzeros)
    signal = np.bincount(rows, beta[columns] * values, samples)
    y = signal + 0.5 * signal.std() * rng.standard_normal(samples)
    y -= y.mean()
    y = np.where(y > 0, 1.0, -1.0) if signs else y / np.linalg.norm(y)
    np.savez(f"{options.prefix}.npz", format=b"csc", shape=np.array([samples, variables]), data=values,
             indices=rows.astype(np.int32), indptr=offsets.astype(np.int32))
    with open(f"{options.prefix}.y.tsv", "w", encoding="ascii") as out:
        out.write("y\n" + "".join(f"{value:.17g}\n" for value in y))
    print(f"{samples} samples x {variables} variables, {len(values)} entries")


if __name__ == "__main__":
    main()
