"""What the tests of the package share: small data, and the commands to compare with."""

import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

PROGRAMS = pathlib.Path(os.environ["STRADS_PROGRAMS"])
GENOTYPES = pathlib.Path(__file__).parents[2] / "tests/datasets/1000g-chr2-eur"
# Options of `lasso` that strads.Lasso gives.
LASSO = ["--scale", "off", "--scale-y", "off", "--lambda-scale", "sample"]


def problem(samples=60, features=200, seed=1, kind="f8"):
    """X in Fortran order and y of the first of its columns and noise."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(samples, features))
    if kind in ("i1", "u1"):
        x = random.integers(0, 3, size=(samples, features))
    x = np.asfortranarray(x, dtype=kind)
    causes = min(10, features)
    y = x[:, :causes].astype(float) @ random.normal(size=causes) + random.normal(size=samples)
    return x, y


def run_command(command, arrays, *options):
    """`lasso COMMAND` on arrays {"x": ..., "y": ...}: its summary, and coefficients.tsv where it wrote one."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [str(PROGRAMS / "lasso"), command, "--quiet", "--out", folder + "/out", *options]
        for name, array in arrays.items():
            path = f"{folder}/{name}.npy"
            np.save(path, array)
            arguments += [f"--{name}", path]
        done = subprocess.run(arguments, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        table = pathlib.Path(folder, "out", "coefficients.tsv")
        summary = json.loads(pathlib.Path(folder, "out", "summary.json").read_text())
        return summary, table.read_text() if table.exists() else None


def coefficients(table, features):
    """coefficients.tsv as a dense vector, with the command's own bits."""
    out = np.zeros(features)
    lines = table.splitlines()
    names = lines[0].split("\t")
    column, coefficient = names.index("column"), names.index("coefficient")
    for line in lines[1:]:
        words = line.split("\t")
        out[int(words[column]) - 1] = float(words[coefficient])
    return out
