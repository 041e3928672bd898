#!/usr/bin/env python3
"""Turns ratings from raw records into files that `mf fit` and other programs read:

    convert_mf.py FOLDER PREFIX [--csv] [--npz] [--libmf] [--stored]

FOLDER holds train.bin and test.bin, records of little-endian uint32 user, uint32 item (from 0), float32 value in any
order, and meta.json with "rows" and "cols". Of each of the two files it writes (all three formats if none is named)

  --csv     PREFIX.train.csv    header userId,movieId,rating; values as 4.0, ids as they are
  --npz     PREFIX.train.npz    scipy.sparse CSR as save_npz writes it: int32 indices, float32 values;
                                compressed unless --stored
  --libmf   PREFIX.train.txt    user item value, separated by blanks: LIBMF's text format

and the same with "test". The same records give the same bytes. Needs python3-numpy alone; memory: about 40 bytes a
rating. 19,000,000 ratings take a minute.
"""
import argparse
import json
import pathlib
import sys

import numpy as np

RECORD = np.dtype([("user", "<u4"), ("item", "<u4"), ("value", "<f4")])
PIECE = 1 << 20


def write_lines(path, records, header, line):
    with open(path, "w") as out:
        out.write(header)
        for first in range(0, len(records), PIECE):
            piece = records[first:first + PIECE]
            columns = (piece[name].tolist() for name in RECORD.names)
            out.write("".join(line % row for row in zip(*columns)))


def write_npz(path, records, shape, stored):
    """Rows in order, columns sorted within a row."""
    order = np.lexsort((records["item"], records["user"]))
    offsets = np.zeros(shape[0] + 1, np.int64)
    np.cumsum(np.bincount(records["user"], minlength=shape[0]), out=offsets[1:])
    narrow = np.int32 if len(records) < 2**31 else np.int64
    save = np.savez if stored else np.savez_compressed
    save(path, indices=records["item"][order].astype(np.int32), indptr=offsets.astype(narrow), format=b"csr",
         shape=np.array(shape, np.int64), data=records["value"][order])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("prefix")
    for name in ("csv", "npz", "libmf", "stored"):
        parser.add_argument("--" + name, action="store_true")
    options = parser.parse_args()
    everything = not (options.csv or options.npz or options.libmf)
    meta = json.loads((options.folder / "meta.json").read_text())
    shape = (int(meta["rows"]), int(meta["cols"]))
    for part in ("train", "test"):
        records = np.fromfile(options.folder / f"{part}.bin", RECORD)
        if len(records) == 0:
            sys.exit(f"{options.folder / part}.bin: holds no records")
        if options.csv or everything:
            write_lines(f"{options.prefix}.{part}.csv", records, "userId,movieId,rating\n", "%d,%d,%.1f\n")
        if options.libmf or everything:
            write_lines(f"{options.prefix}.{part}.txt", records, "", "%d %d %g\n")
        if options.npz or everything:
            write_npz(f"{options.prefix}.{part}.npz", records, shape, options.stored)


if __name__ == "__main__":
    main()
