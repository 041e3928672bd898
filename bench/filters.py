#!/usr/bin/env python3
"""Filters of genotypes beside plink2: the samples and variants that are left, with the same flags.

usage: bench/filters.py LASSO PREFIX PHENO COLUMN

LASSO is the program, PREFIX a .bed set, PHENO a table with FID and IID, COLUMN a phenotype in it. The set is rewritten
by plink2 first, since plink2 counts what stands behind the last sample of a column where that is not 0. Prints a line
for each combination; exits with 1 where one differs.
"""
import json
import os
import subprocess
import sys
import tempfile

COMBINATIONS = [
    "--maf 0.01", "--maf 0.05", "--max-maf 0.1", "--geno 0.01", "--geno 0.1", "--mind 0.02", "--mind 0.3",
    "--hwe 1e-6", "--hwe 0.001", "--hwe 0.05", "--hwe 1e-50", "--maf 0.05 --geno 0.02 --hwe 1e-4",
    "KEEP --maf 0.1", "REMOVE --geno 0.005", "KEEP REMOVE --mind 0.01 --maf 0.02", "EXTRACT --maf 0.05",
    "EXCLUDE --hwe 0.01", "EXTRACT EXCLUDE --geno 0.01 --max-maf 0.3",
    "KEEP REMOVE EXTRACT EXCLUDE --mind 0.05 --geno 0.05 --hwe 1e-3 --maf 0.01 --max-maf 0.4",
    "--mind 0.015 --geno 0.015", "--chr 1-4 --maf 0.1", "--chr 2 --from-bp 0 --to-bp 50000000 --maf 0.1",
]
ON_X = ["--chr X", "--chr X --maf 0.1", "--chr X --max-maf 0.3", "--chr X --hwe 0.05", "--chr X --hwe 1e-10",
        "--chr X --hwe 0.5", "--chr X --geno 0.005", "--chr 17-19,X --hwe 0.01"]


def run(command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def plink(prefix, out, more):
    return run(["plink2", "--bfile", prefix, "--allow-extra-chr", "--threads", "1", "--memory", "1000", "--out", out]
               + more)


def write_lists(prefix, folder):
    with open(prefix + ".fam", encoding="ascii") as lines:
        people = ["\t".join(line.split()[:2]) + "\n" for line in lines]
    with open(prefix + ".bim", encoding="ascii") as lines:
        variants = [line.split()[1] + "\n" for line in lines]
    chosen = {"keep": people[::3] + people[1::3], "remove": people[::7], "extract": variants[::2],
              "exclude": variants[::5]}
    for name, words in chosen.items():
        with open(os.path.join(folder, name), "w", encoding="ascii") as out:
            out.writelines(words)


def lines_of(path):
    with open(path, encoding="ascii") as lines:
        return sum(not line.startswith("#") for line in lines)


def theirs(prefix, pheno, column, out, flags):
    done = plink(prefix, out, ["--pheno", pheno, "--pheno-name", column, "--require-pheno", "--write-samples",
                               "--write-snplist"] + flags)
    if done.returncode == 0:
        return lines_of(out + ".id"), lines_of(out + ".snplist")
    return "none left" if "remaining after main filters" in done.stdout else done.stdout[-200:]


def ours(lasso, prefix, pheno, column, out, flags):
    done = run([lasso, "fit", "--bfile", prefix, "--pheno", pheno, "--pheno-name", column, "--lambda-ratio", "1",
                "--out", out, "--force", "--quiet"] + flags)
    if done.returncode != 0:
        return "none left" if " left of " in done.stdout else done.stdout[-200:]
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    variables = summary["variables"]
    return summary["samples"]["kept"], variables["in_file"] - variables["dropped"]["excluded"]


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    lasso, original, pheno, column = sys.argv[1:]
    differ = 0
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "g")
        plink(original, prefix, ["--make-bed"])
        write_lists(prefix, folder)
        with open(prefix + ".bim", encoding="ascii") as lines:
            has_x = any(line.split()[0] == "X" for line in lines)
        for words in COMBINATIONS + (ON_X if has_x else []):
            flags = []
            for word in words.split():
                listed = word.isalpha() and word != "X"
                flags += ["--" + word.lower(), os.path.join(folder, word.lower())] if listed else [word]
            left = theirs(prefix, pheno, column, os.path.join(folder, "plink"), flags)
            mine = ours(lasso, prefix, pheno, column, os.path.join(folder, "run"), flags)
            differ += left != mine
            print("same" if left == mine else "DIFFERS", words, mine, "" if left == mine else left, sep="\t")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
