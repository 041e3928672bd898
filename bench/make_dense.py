#!/usr/bin/env python3
"""Makes a dense synthetic regression problem:  make_dense.py PRESET PREFIX

PRESET     samples x variables   true nonzeros   file      seconds
  small      200 x     2,000              20    1.6 MB      0.1
  wide       450 x 1,000,000          10,000    1.8 GB       10     the paper's synthetic set

--samples N, --variables J, --nonzeros K, --noise 0.1, --seed SEED change a preset.

Writes PREFIX.npy (float32, Fortran order: column after column), PREFIX.y.tsv and PREFIX.truth.tsv (variable from 0,
coefficient). Columns are Gaussian, centred, of 2-norm 1; y = X beta + noise, centred, of 2-norm 1, where beta has K
standard Gaussian entries and the noise's deviation is that share of the signal's. The same arguments give the same
files. Memory: 20,000 columns at a time. Needs python3-numpy alone.
"""
import argparse
import sys

import numpy as np

PRESETS = {"small": (200, 2000, 20), "wide": (450, 1000000, 10000)}
COLUMNS = 20000


def write_columns(path, options, beta):
    """Writes the matrix; returns X beta."""
    signal = np.zeros(options.samples)
    with open(path, "wb") as out:
        np.lib.format.write_array_header_1_0(
            out, {"descr": "<f4", "fortran_order": True, "shape": (options.samples, options.variables)})
        for first in range(0, options.variables, COLUMNS):
            rng = np.random.Generator(np.random.SFC64([options.seed, 1, first]))
            count = min(COLUMNS, options.variables - first)
            columns = rng.standard_normal((count, options.samples), np.float32)
            columns -= columns.mean(1, keepdims=True)
            columns /= np.linalg.norm(columns, axis=1, keepdims=True)
            out.write(columns.astype("<f4", copy=False).tobytes())
            used = np.flatnonzero(beta[first:first + count])
            signal += beta[first + used] @ columns[used].astype(np.float64)
    return signal


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("preset", choices=PRESETS)
    parser.add_argument("prefix")
    parser.add_argument("--samples", type=int)
    parser.add_argument("--variables", type=int)
    parser.add_argument("--nonzeros", type=int)
    parser.add_argument("--noise", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=2013)
    options = parser.parse_args()
    for name, value in zip(("samples", "variables", "nonzeros"), PRESETS[options.preset]):
        if getattr(options, name) is None:
            setattr(options, name, value)
    options.nonzeros = min(options.nonzeros, options.variables)
    if options.samples < 3 or options.nonzeros < 1:
        sys.exit("expected at least 3 samples and 1 true nonzero")
    return options


def main():
    options = parse_options()
    rng = np.random.Generator(np.random.SFC64([options.seed, 0]))
    beta = np.zeros(options.variables)
    beta[rng.choice(options.variables, options.nonzeros, replace=False)] = rng.standard_normal(options.nonzeros)
    signal = write_columns(f"{options.prefix}.npy", options, beta)
    noise = rng.standard_normal(options.samples)
    y = signal + noise * (options.noise * signal.std() / noise.std())
    y -= y.mean()
    y /= np.linalg.norm(y)
    with open(f"{options.prefix}.y.tsv", "w") as out:
        out.write("y\n" + "".join(f"{value:.17g}\n" for value in y))
    with open(f"{options.prefix}.truth.tsv", "w") as out:
        out.write("variable\tcoefficient\n")
        out.writelines(f"{j}\t{beta[j]:.17g}\n" for j in np.flatnonzero(beta))


if __name__ == "__main__":
    main()
