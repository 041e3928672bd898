"""The model of docs/MODELS.md as a program outside of the tree: built against an installed STRADS, it finds the solution
of the normal equations, under every policy by its name, with the same bits embedded and on two processes.

Usage: outside_program.py BUILD_FOLDER SOURCE_FOLDER"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROWS, COLUMNS, MU = 80, 30, 2.0


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def write_problem(folder):
    """Columns that are correlated with their neighbours."""
    draw = random.Random(7)
    x = []
    for _ in range(ROWS):
        row = [draw.gauss(0, 1)]
        for _ in range(COLUMNS - 1):
            row.append(draw.gauss(0, 1) + 0.4 * row[-1])
        x.append(row)
    y = [row[3] - 2 * row[17] + draw.gauss(0, 0.5) for row in x]
    lines = [",".join(f"v{j}" for j in range(COLUMNS))] + [",".join(map(repr, row)) for row in x]
    (folder / "x.csv").write_text("\n".join(lines) + "\n")
    (folder / "y.csv").write_text("\n".join(["y", *map(repr, y)]) + "\n")
    return x, y


def solution(x, y):
    """(X'X + mu I)^-1 X'y by Gaussian elimination; the matrix is positive definite, so no pivot is needed."""
    a = [[sum(r[j] * r[k] for r in x) + (MU if j == k else 0) for k in range(COLUMNS)] +
         [sum(r[j] * value for r, value in zip(x, y))] for j in range(COLUMNS)]
    for j in range(COLUMNS):
        for i in range(j + 1, COLUMNS):
            factor = a[i][j] / a[j][j]
            a[i] = [left - factor * right for left, right in zip(a[i], a[j])]
    b = [0.0] * COLUMNS
    for j in reversed(range(COLUMNS)):
        b[j] = (a[j][-1] - sum(a[j][k] * b[k] for k in range(j + 1, COLUMNS))) / a[j][j]
    return b


def policies_of(ridge):
    """Their names, as the option's table has them."""
    done = subprocess.run([str(ridge), "fit", "--policy", "none"], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    names = re.search(r"--policy: found 'none', expected (\S+)", done.stderr)[1].split("|")
    assert {"auto", "uniform", "static", "paper", "theorem1", "block-greedy"} <= set(names), names
    return names


def coefficients(run_directory):
    return [float(line.split("\t")[1]) for line in (run_directory / "coefficients.tsv").read_text().splitlines()[1:]]


def main(build, source):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        run("cmake", "--install", build, "--prefix", folder / "strads")
        run("cmake", "-G", "Ninja", "-S", source / "docs/examples/ridge", "-B", folder / "build",
            f"-DCMAKE_PREFIX_PATH={folder / 'strads'}")
        run("cmake", "--build", folder / "build")
        x, y = write_problem(folder)
        fit = [folder / "build/ridge", "fit", "--x", folder / "x.csv", "--y", folder / "y.csv", "--mu", MU, "--tolerance",
               1e-13, "--quiet"]
        said = [run(*fit, "--out", folder / "embedded"), run(*fit, "--processes=2", "--out", folder / "processes")]
        assert re.fullmatch(r"converged: objective \S+, relative gap \S+, 30 coefficients, hash [0-9a-f]{16}\n", said[0])
        assert said[0] == said[1], said
        tables = [(folder / out / "coefficients.tsv").read_text() for out in ("embedded", "processes")]
        assert tables[0] == tables[1]
        exact = solution(x, y)
        errors = {}
        for policy in policies_of(folder / "build/ridge"):
            run(*fit, "--policy", policy, "--out", folder / policy)
            errors[policy] = max(abs(left - right) for left, right in zip(coefficients(folder / policy), exact, strict=True))
        assert max(errors.values()) < 1e-6, errors
        assert coefficients(folder / "auto") == coefficients(folder / "embedded"), "auto is the default"
        assert coefficients(folder / "auto") != coefficients(folder / "paper"), "the policy makes no difference"
        print(f"same bits on two processes; from the normal equations {errors}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
