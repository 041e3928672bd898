#!/usr/bin/env python3
"""Filters of genotypes beside plink2: the samples and variants that are left, with the same flags.

usage: bench/filters.py LASSO PREFIX PHENO COLUMN
       bench/filters.py LASSO --dosages SEED

LASSO is the program, PREFIX a .bed set, PHENO a table with FID and IID, COLUMN a phenotype in it. The set is rewritten
by plink2 first, since plink2 counts what stands behind the last sample of a column where that is not 0. --dosages takes
a .pgen of dosages that plink2 --dummy makes up, spread over chromosomes 1 to 4, X, Y and MT, of men, women and people
of unknown sex, a fifth of them with parents. Prints a line for each combination; exits with 1 where one differs.
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


OF_DOSAGES = ["--maf 0.1", "--maf 0.3", "--max-maf 0.25", "--geno 0.2", "--geno 0.3", "--mind 0.25", "--mind 0.27",
              "--hwe 0.05", "--hwe 0.01", "--hwe 0.3", "--mind 0.28 --geno 0.25", "--geno 0.3 --hwe 0.02 --maf 0.2",
              "KEEP --maf 0.15", "REMOVE --geno 0.25", "EXTRACT --mind 0.27 --max-maf 0.4", "EXCLUDE --hwe 0.1",
              "KEEP REMOVE EXTRACT EXCLUDE --mind 0.3 --geno 0.3 --hwe 1e-2 --maf 0.05 --max-maf 0.45",
              "--chr 1-4 --maf 0.2", "--chr X --maf 0.2", "--chr X --hwe 0.2", "--chr X --geno 0.25",
              "--chr Y --maf 0.2", "--chr Y --geno 0.25", "--chr MT --maf 0.2", "--chr Y --mind 0.25"]


def plink(prefix, out, more):
    return run(["plink2", *prefix, "--allow-extra-chr", "--threads", "1", "--memory", "1000", "--out", out] + more)


def make_dosages(prefix, seed):
    """PREFIX.pgen of dosages, with a .bim and a .fam of our own."""
    made = plink(["--dummy", "310", "700", "0,0.03,0.1,0.2", "dosage-freq=0.15", "--seed", seed], prefix,
                 ["--make-bpgen"])
    if made.returncode != 0:
        sys.exit(made.stdout)
    for old in (".bim", ".fam"):
        with open(prefix + old, encoding="ascii") as lines:
            rows = [line.split() for line in lines]
        for i, row in enumerate(rows):
            if old == ".bim":
                row[0], row[3] = (["1", "2", "3", "4", "X", "Y", "MT"][i // 100], str(i + 1))
            else:
                row[0], row[4], row[5] = "F", "12120"[i % 5] if i % 50 else "0", f"{i * 37 % 101}.5"
                row[2:4] = [rows[i - 1][1], "0"] if i % 5 == 3 else ["0", "0"]
        with open(prefix + old, "w", encoding="ascii") as out:
            out.writelines("\t".join(row) + "\n" for row in rows)
    with open(prefix + ".pheno", "w", encoding="ascii") as out:
        out.write("FID\tIID\ty\n")
        out.writelines(f"{row[0]}\t{row[1]}\t{row[5] if i % 9 else 'NA'}\n" for i, row in enumerate(rows))


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


def theirs(source, pheno, column, out, flags):
    done = plink(source, out, ["--pheno", pheno, "--pheno-name", column, "--require-pheno", "--write-samples",
                               "--write-snplist"] + flags)
    if done.returncode == 0:
        return lines_of(out + ".id"), lines_of(out + ".snplist")
    return "none left" if "remaining after main filters" in done.stdout else done.stdout[-200:]


def ours(lasso, source, pheno, column, out, flags):
    done = run([lasso, "fit", *source, "--pheno", pheno, "--pheno-name", column, "--lambda-ratio", "1",
                "--out", out, "--force", "--quiet"] + flags)
    if done.returncode != 0:
        return "none left" if " left of " in done.stdout else done.stdout[-200:]
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    variables = summary["variables"]
    return summary["samples"]["kept"], variables["in_file"] - variables["dropped"]["excluded"]


def compare(lasso, source, pheno, column, combinations, folder):
    """How many combinations leave something else."""
    differ = 0
    for words in combinations:
        flags = []
        for word in words.split():
            listed = word.isalpha() and word not in ("X", "Y", "MT")
            flags += ["--" + word.lower(), os.path.join(folder, word.lower())] if listed else [word]
        left = theirs(source, pheno, column, os.path.join(folder, "plink"), flags)
        mine = ours(lasso, source, pheno, column, os.path.join(folder, "run"), flags)
        differ += left != mine
        print("same" if left == mine else "DIFFERS", words, mine, "" if left == mine else left, sep="\t")
    return differ


def main():
    dosages = len(sys.argv) == 4 and sys.argv[2] == "--dosages"
    if len(sys.argv) != 5 and not dosages:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "g")
        if dosages:
            make_dosages(prefix, sys.argv[3])
            write_lists(prefix, folder)
            sys.exit(1 if compare(sys.argv[1], ["--bpfile", prefix], prefix + ".pheno", "y", OF_DOSAGES, folder) else 0)
        lasso, original, pheno, column = sys.argv[1:]
        plink(["--bfile", original], prefix, ["--make-bed"])
        write_lists(prefix, folder)
        with open(prefix + ".bim", encoding="ascii") as lines:
            has_x = any(line.split()[0] == "X" for line in lines)
        differ = compare(lasso, ["--bfile", prefix], pheno, column, COMBINATIONS + (ON_X if has_x else []), folder)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
