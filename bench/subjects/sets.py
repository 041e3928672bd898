"""Where data come from: folders that were given, tests/datasets, and generators of bench/.

A set NAME is looked for as FOLDER/NAME/ in the folders of --data and in tests/datasets. What bench/ makes is made once, in the
first folder of --data, below made/.
"""
import gzip
import json
import pathlib
import shutil
import sys

from subjects.measure import ROOT, run
from subjects.subject import NotHere

GENOTYPES = {"mice-hs": ("mice-hs", "weight"), "soynam": ("soynam", "height"), "1000g-chr2-eur": ("chr2-eur", "sim20")}
EXPRESSION = ("arcene", "prostate-singh", "leukemia", "colon", "riboflavin", "wheat", "diabetes")
# The same sets, made small, to try a subject on a machine that does other things.
SMALL = {"ad": ["--samples", "200", "--variants", "20000"], "biobank": ["--samples", "2000", "--variants", "5000"],
         "middle": ["--samples", "1000", "--variants", "4000"], "split": ["--samples", "2000", "--variants", "4000"],
         "netflix": ["--users", "8000", "--items", "2000", "--ratings", "300000"]}
MADE = {"ad": ("make_genotypes.py", "ad", []), "biobank": ("make_genotypes.py", "biobank", []),
        "middle": ("make_genotypes.py", "biobank", ["--samples", "4000", "--variants", "40007"]),
        "split": ("make_genotypes.py", "biobank", ["--samples", "10000", "--variants", "20000", "--heritability", "0.5",
                                                   "--covariates", "3", "--split"]),
        "netflix": ("make_ratings.py", "netflix", []),
        "words": ("make_sparse.py", "words", []), "powerlaw": ("make_sparse.py", "powerlaw", [])}
SMALL["words"] = ["--samples", "2000", "--variables", "5000"]
SMALL["powerlaw"] = ["--samples", "5000", "--variables", "20000"]


class Sets:
    def __init__(self, folders, quick):
        self.folders = [pathlib.Path(folder).resolve() for folder in folders]
        self.quick = quick
        self.own = self.folders[0] / "made" / ("quick" if quick else "whole")

    def folder(self, name):
        for folder in [*self.folders, ROOT / "tests/datasets"]:
            if (folder / name).is_dir():
                return folder / name
        raise NotHere(f"{name}/ in the folders of --data")

    def file(self, name, *names):
        """The first of several names of one file."""
        folder = self.folder(name)
        for one in names:
            if (folder / one).exists():
                return folder / one
        raise NotHere(f"{folder}/{names[0]}")

    def made(self, name):
        """The prefix of what a generator writes."""
        generator, preset, more = MADE[name]
        prefix = self.own / name
        done = self.own / f"{name}.done"
        if not done.exists():
            self.own.mkdir(parents=True, exist_ok=True)
            print(f"  making {name}", file=sys.stderr, flush=True)
            small = SMALL[name] if self.quick else []
            run([sys.executable, ROOT / "bench" / generator, preset, prefix, *more, *small])
            done.touch()
        return prefix

    def plain(self, path):
        """A text that was compressed, as a file of its own: to read it is measured, to unpack it is not."""
        self.own.mkdir(parents=True, exist_ok=True)
        plain = self.own / f"{path.parent.name}.{path.stem}"
        if path.suffix != ".gz":
            return path
        if not plain.exists():
            with gzip.open(path, "rb") as packed, open(plain, "wb") as out:
                shutil.copyfileobj(packed, out)
        return plain

    def regression(self, name):
        """Options of `lasso` that read a set and its response, with a sparse one not centred."""
        if name in ("ad", "biobank", "middle", "split"):
            prefix = self.made(name)
            return ["--bfile", prefix, "--pheno", f"{prefix}.pheno.tsv", "--pheno-name", "y"]
        if name in ("words", "powerlaw"):
            prefix = self.made(name)
            return ["--x", f"{prefix}.npz", "--y", f"{prefix}.y.tsv", "--center", "off"]
        if name in GENOTYPES:
            prefix, trait = GENOTYPES[name]
            folder = self.folder(name)
            return ["--bfile", folder / prefix, "--pheno", folder / "pheno.tsv", "--pheno-name", trait]
        if name in EXPRESSION:
            options = ["--x", self.plain(self.file(name, "X.csv.gz", "X.csv")), "--y", self.file(name, "y.csv")]
            return [*options, "--y-name", "env1"] if name == "wheat" else options
        return self.sparse(name)

    def sparse(self, name):
        """Real sparse sets: --center off comes with them, and the response that reference.json means."""
        if name == "we8there":
            return ["--x", self.plain(self.file(name, "data.libsvm.gz")), "--center", "off"]
        if name == "w8a":
            return ["--x", self.plain(self.file(name, "w8a.gz")), "--center", "off"]
        if name == "news20":
            return ["--x", self.plain(self.file(name, "train.libsvm.gz")), "--y", self.comp(), "--center", "off"]
        raise NotHere(f"a set {name}")

    def comp(self):
        """+1 for classes 2 to 6 (comp.*) of news20, else -1."""
        path = self.own / "news20.comp.tsv"
        if not path.exists():
            lines = self.plain(self.file("news20", "train.libsvm.gz")).read_text().splitlines()
            classes = [int(float(line.split()[0])) for line in lines]
            path.write_text("y\n" + "".join(f"{1 if 2 <= one <= 6 else -1}\n" for one in classes))
        return path

    def signs(self, name):
        """The response of a made set as two classes, -1 and 1."""
        prefix = self.made(name)
        path = self.own / f"{name}.labels.tsv"
        if not path.exists():
            values = pathlib.Path(f"{prefix}.y.tsv").read_text().splitlines()[1:]
            path.write_text("y\n" + "".join(f"{1 if float(value) > 0 else -1}\n" for value in values))
        return path

    def npz(self, name):
        """A sparse set and its -1 and 1 for peers that read arrays: (matrix, table)."""
        if name == "words":
            return f"{self.made(name)}.npz", self.signs(name)
        x, y = self.own / f"{name}.npz", self.own / f"{name}.labels.tsv"
        if not x.exists():
            code = ("import sys, numpy as np, scipy.sparse as sp\nfrom sklearn.datasets import load_svmlight_file\n"
                    "x, y = load_svmlight_file(sys.argv[1])\nsp.save_npz(sys.argv[2], x.tocsr())\nnp.savetxt(sys.argv[3], y, '%g', header='y', comments='')")
            text = self.sparse(name)[1]
            run([sys.executable, "-c", code, text, x, y])
            if name == "news20":
                y.write_text(self.comp().read_text())
        return x, y

    def reference(self, name):
        return json.loads(self.file(name, "reference.json").read_text())

    def ratings(self, name):
        names = {"movielens": ("ratings.csv.gz", "ml-latest-small-ratings.csv"), "jester5k": ("users-jokes.mtx.gz",),
                 "movietweetings-50k": ("ratings.dat.gz",)}
        return self.file(name, *names[name])
