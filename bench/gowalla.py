#!/usr/bin/env python3
"""Options of `mf` for Gowalla's lists, chosen on the training pairs alone, by one fold of ten.

`mf cv` does the same on all folds, and takes ten times as long. A tenth of the training pairs, drawn by a hash of the
pair, is held out; each point of a grid is fitted to the others and judged by `mf evaluate` on those held out. Points
and what they are worth are lines of OUT/points.tsv; a point that is there already is not run again. `final` fits with the
options given to all training pairs and looks at the test pairs.

    bench/gowalla.py split --train train.tsv.gz --out OUT
    bench/gowalla.py grid --mf build/release/bin/mf --out OUT "--solver slim --l1 0.1 --l2 1 --user-power 0.5" ...
    bench/gowalla.py final --mf build/release/bin/mf --train train.tsv.gz --test test.tsv.gz --out OUT "--solver slim ..."

Braces in options are a grid of their own: "--solver slim --l1 {0.1,0.5} --l2 {7,14}" are four points.
"""

import argparse
import gzip
import itertools
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import time
import zlib


def split(train, out, share):
    """Writes OUT/rest.tsv, to learn from, and OUT/held.tsv, to choose by."""
    opened = gzip.open if train.suffix == ".gz" else open
    with opened(train, "rt") as pairs, (out / "rest.tsv").open("w") as rest, (out / "held.tsv").open("w") as held:
        for line in pairs:
            user, item = line.split()[:2]
            drawn = zlib.crc32(f"{user} {item} gowalla".encode()) < share * 2**32
            (held if drawn else rest).write(f"{user}\t{item}\n")


def expanded(options):
    """All points that "--l1 {1,2} --l2 {3,4}" stands for."""
    parts = re.split(r"\{([^}]*)\}", options)
    choices = [part.split(",") if at % 2 else [part] for at, part in enumerate(parts)]
    return ["".join(point) for point in itertools.product(*choices)]


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_point(args, kind, train, test, options):
    """Fits to `train`, judges by `test` and adds a line to points.tsv."""
    points = args.out / "points.tsv"
    done = points.read_text().splitlines() if points.exists() else []
    for line in done:
        if line.split("\t")[:2] == [kind, options]:
            print("before:", line)
            return
    model, table = args.out / f"model-{args.name}", args.out / f"table-{args.name}.tsv"
    shutil.rmtree(model, ignore_errors=True)
    table.unlink(missing_ok=True)
    before, start = processor_seconds(), time.monotonic()
    always = ["--quiet", "--threads", str(args.threads)]
    fit = ["nice", "-n", "19", args.mf, "fit", "--ratings", str(train), "--out", str(model), *shlex.split(options)]
    judge = ["nice", "-n", "19", args.mf, "evaluate", "--model", str(model), "--test", str(test), "--at", "20", "--out", str(table)]
    for command in (fit, judge):
        run = subprocess.run(command + always, capture_output=True, text=True)
        if run.returncode != 0:
            print(f"{kind}\t{options}\tfailed:", run.stderr, flush=True)
            return
    of = {}
    for line in table.read_text().splitlines()[1:]:
        _, by, metric, mean, _ = line.split("\t")
        of[by, metric] = mean
    shutil.rmtree(model)
    keys = [("model", "recall"), ("model", "ndcg"), ("popularity", "recall"), ("popularity", "ndcg")]
    row = [kind, options] + [f"{float(of[key]):.5f}" for key in keys]
    row += [f"{processor_seconds() - before:.0f}", f"{time.monotonic() - start:.0f}"]
    with points.open("a") as out:
        out.write("\t".join(row) + "\n")
    print("\t".join(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["split", "grid", "final"])
    parser.add_argument("options", nargs="*", help="options of mf fit for a point each")
    parser.add_argument("--mf", help="the program mf")
    parser.add_argument("--train", type=pathlib.Path)
    parser.add_argument("--test", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--share", type=float, default=0.1, help="of the training pairs that are held out")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--name", default="a", help="two runs at once in one OUT need two names")
    args = parser.parse_intermixed_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.what == "split":
        split(args.train, args.out, args.share)
    for point in itertools.chain.from_iterable(expanded(options) for options in args.options):
        if args.what == "grid":
            run_point(args, "held", args.out / "rest.tsv", args.out / "held.tsv", point)
        else:
            run_point(args, "test", args.train, args.test, point)


if __name__ == "__main__":
    main()
