#!/usr/bin/env python3
"""Turns a folder of raw arrays into files that `lasso fit` reads:  convert.py FOLDER PREFIX [--missing RATE]

FOLDER holds meta.json and raw little-endian arrays, one of three layouts:
  int8 column-major    X.i8 (0/1/2 dosages)            -> PREFIX.bed .bim .fam and PREFIX.pheno.tsv (FID IID y)
  float32 column-major X.f32                           -> PREFIX.npy (Fortran order) and PREFIX.y.tsv
  CSC                  indptr.i64 indices.i32 data.f32 -> PREFIX.npz (scipy.sparse CSC) and PREFIX.y.tsv
and y.f64 in all of them. meta.json needs N, J and layout (and nnz for CSC).

--missing blanks that share of the genotype calls at random (fixed seed). Needs python3-numpy alone; one pass, in
pieces of 20,000 columns, so that 463 x 508,999 genotypes take 20 MB of memory and a second.
"""
import argparse
import json
import pathlib
import sys

import numpy as np

COLUMNS = 20000
CODE = np.array([3, 2, 0, 1], np.uint8)  # dosage 0, 1, 2, missing -> two-bit code of a .bed


def write_response(path, y):
    path.write_text("y\n" + "".join(f"{value:.17g}\n" for value in y))


def genotypes(folder, prefix, meta, missing):
    n, columns = meta["N"], meta["J"]
    dosages = np.memmap(folder / "X.i8", np.int8, "r", shape=(columns, n))
    rng = np.random.default_rng(1)
    with open(f"{prefix}.bed", "wb") as out:
        out.write(bytes([0x6C, 0x1B, 0x01]))
        for first in range(0, columns, COLUMNS):
            piece = np.asarray(dosages[first:first + COLUMNS]).astype(np.uint8)
            if missing > 0:
                piece = np.where(rng.random(piece.shape) < missing, 3, piece)
            codes = np.pad(CODE[piece], ((0, 0), (0, -n % 4))).reshape(len(piece), -1, 4)
            out.write((codes[:, :, 0] | codes[:, :, 1] << 2 | codes[:, :, 2] << 4 | codes[:, :, 3] << 6).tobytes())
    with open(f"{prefix}.bim", "w") as out:
        for j in range(columns):
            out.write(f"{1 + j * 22 // columns}\tsnp{j + 1}\t0\t{j + 1}\tA\tG\n")
    y = np.fromfile(folder / "y.f64")
    with open(f"{prefix}.fam", "w") as fam, open(f"{prefix}.pheno.tsv", "w") as pheno:
        pheno.write("FID\tIID\ty\n")
        for i, value in enumerate(y):
            fam.write(f"F{i + 1}\tI{i + 1}\t0\t0\t0\t-9\n")
            pheno.write(f"F{i + 1}\tI{i + 1}\t{value:.17g}\n")


def dense(folder, prefix, meta):
    values = np.memmap(folder / "X.f32", np.float32, "r", shape=(meta["J"], meta["N"])).T
    out = np.lib.format.open_memmap(f"{prefix}.npy", "w+", np.float32, values.shape, fortran_order=True)
    for first in range(0, meta["J"], COLUMNS):
        out[:, first:first + COLUMNS] = values[:, first:first + COLUMNS]
    out.flush()
    write_response(pathlib.Path(f"{prefix}.y.tsv"), np.fromfile(folder / "y.f64"))


def sparse(folder, prefix, meta):
    np.savez(f"{prefix}.npz", indices=np.fromfile(folder / "indices.i32", np.int32),
             indptr=np.fromfile(folder / "indptr.i64", np.int64), format=np.array(b"csc"),
             shape=np.array([meta["N"], meta["J"]], np.int64), data=np.fromfile(folder / "data.f32", np.float32))
    write_response(pathlib.Path(f"{prefix}.y.tsv"), np.fromfile(folder / "y.f64"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("prefix")
    parser.add_argument("--missing", type=float, default=0.0)
    options = parser.parse_args()
    meta = json.loads((options.folder / "meta.json").read_text())
    if meta["layout"].startswith("int8"):
        genotypes(options.folder, options.prefix, meta, options.missing)
    elif meta["layout"].startswith("float32"):
        dense(options.folder, options.prefix, meta)
    elif meta["layout"].startswith("CSC"):
        sparse(options.folder, options.prefix, meta)
    else:
        sys.exit(f"{options.folder}/meta.json: layout {meta['layout']!r}, expected int8, float32 or CSC")


if __name__ == "__main__":
    main()
