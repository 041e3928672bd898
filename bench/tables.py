#!/usr/bin/env python3
"""The first tables of RESULTS.md, all with one build on one machine:  tables.py LASSO DATA NAME=OPTIONS... [--runs 7]

DATA is a folder with snp.bed, rcv1like.npz and powerlaw.npz as bench/convert.py makes them; sets of it that are not there are left
out, with a line that says so. NAME=OPTIONS is a set as `lasso fit` reads it, OPTIONS with commas for blanks:
mice-hs=--bfile,mice-hs,--pheno,pheno.tsv,--pheno-name,weight. For each set and lambda_max / 10 and / 100: medians of seconds_solve
with two threads and with one, of the whole command by the clock, of its processor seconds, and its peak memory; threads
in turns. Then paths: processor seconds and seconds of the whole command. Rows of a Markdown table. Python's own library alone.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

GENOTYPES = "--bfile,{0}/snp,--pheno,{0}/snp.pheno.tsv,--pheno-name,y"
SPARSE = "--x,{0}/{1}.npz,--y,{0}/{1}.y.tsv,--center,off"
PATHS = {"genotypes": ["--lambdas", "20", "--lambda-min-ratio", "0.01"]}
MIDDLE = ["--lambdas", "100", "--lambda-min-ratio", "0.01", "--early-end", "off"]


def measured(command):
    """Seconds by the clock, seconds of the processor, peak memory in MiB, seconds_solve of one run."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        process = subprocess.Popen([*command, "--out", f"{folder}/run", "--quiet"], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - start
        if status != 0:
            raise SystemExit(f"exit status {os.waitstatus_to_exitcode(status)}: {' '.join(map(str, command))}")
        summary = json.loads(pathlib.Path(folder, "run", "summary.json").read_text())
        return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, summary["seconds_solve"]


def medians(command, threads, runs):
    """The medians of `runs` runs with each number of threads, in turns; one run of each before them is not counted."""
    found = {count: [] for count in threads}
    for turn in range(runs + 1):
        for count in threads:
            figures = measured([*command, "--threads", str(count)])
            if turn > 0:
                found[count].append(figures)
    return {count: [statistics.median(column) for column in zip(*rows)] for count, rows in found.items()}


def sets_of(arguments):
    sets = {}
    if pathlib.Path(arguments.data, "snp.bed").exists():
        sets["genotypes"] = GENOTYPES.format(arguments.data).split(",")
    for name in ("rcv1like", "powerlaw"):
        if pathlib.Path(arguments.data, f"{name}.npz").exists():
            sets[name] = SPARSE.format(arguments.data, name).split(",")
    for name in ("genotypes", "rcv1like", "powerlaw"):
        if name not in sets:
            print(f"{name}: not in {arguments.data}, left out")
    for given in arguments.sets:
        name, options = given.split("=", 1)
        sets[name] = options.split(",")
    return sets


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lasso")
    parser.add_argument("data")
    parser.add_argument("sets", nargs="*")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--middle", nargs="*", default=["mice-hs", "soynam"], help="sets whose path of 100 is timed")
    arguments = parser.parse_args()
    sets = sets_of(arguments)
    print("| set, lambda_max / | solve, 2 threads | 1 thread | command, 2 threads | processor, 1 thread | peak, MiB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, options in sets.items():
        for divisor in (10, 100):
            found = medians([arguments.lasso, "fit", *options, "--lambda-ratio", str(1 / divisor)], (2, 1), arguments.runs)
            two, one = found[2], found[1]
            print(f"| {name}, {divisor} | {two[3]:.4f} | {one[3]:.4f} | {two[0]:.3f} | {one[1]:.3f} | {two[2]:.0f} |", flush=True)
    print("\n| path | command, 2 threads | processor, 2 threads | peak, MiB |\n| --- | --- | --- | --- |")
    for name in [*PATHS, *arguments.middle]:
        if name in sets:
            command = [arguments.lasso, "path", *sets[name], *PATHS.get(name, MIDDLE)]
            two = medians(command, (2,), arguments.runs)[2]
            print(f"| {name}: `{' '.join(PATHS.get(name, MIDDLE))}` | {two[0]:.3f} | {two[1]:.3f} | {two[2]:.0f} |", flush=True)


if __name__ == "__main__":
    main()
