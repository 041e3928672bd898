"""Counts, from the command line: objective and gap recomputed in NumPy by code of its own, no higher than glmnet's, its
lambda.min, and what cannot be fitted.

usage: poisson.py BIN_DIR SOURCE_DIR"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
wide = np.longdouble


class Counts:
    """Data of a case: numbers of RandomState, whose stream NumPy keeps."""

    def __init__(self, name, seed, n, p, intercept=0.5, slope=0.5, offset=False, weights=False, covariates=0):
        random = np.random.RandomState(seed)
        self.name = name
        self.x = np.round(random.standard_normal((n, p)), 4)
        if p > 1:
            self.x[:, 1] = np.round(0.7 * self.x[:, 0] + 0.3 * self.x[:, 1], 4)
        self.covariates = np.round(random.standard_normal((n, covariates)), 4)
        self.offset = np.round(0.5 * random.standard_normal(n), 4) if offset else None
        self.weights = np.round(random.uniform(0.5, 2, n), 4) if weights else None
        eta = intercept + slope * (self.x[:, 0] - self.x[:, min(3, p - 1)]) + 0.3 * self.covariates.sum(axis=1)
        if offset:
            eta = eta + self.offset
        self.y = random.poisson(np.exp(eta)).astype(float)

    def write(self, folder):
        """Options of the data."""
        def table(what, header, columns):
            path = os.path.join(folder, f"{self.name}.{what}.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.write("id," + header + "\n")
                for i, row in enumerate(np.atleast_2d(np.asarray(columns).T).T.reshape(len(self.y), -1)):
                    file.write(f"s{i}," + ",".join(repr(float(value)) for value in row) + "\n")
            return path
        names = ",".join(f"v{j}" for j in range(self.x.shape[1]))
        options = ["--x", table("x", names, self.x), "--y", table("y", "y", self.y), "--id-column", "id"]
        if self.offset is not None:
            options += ["--offset", table("offset", "offset", self.offset)]
        if self.weights is not None:
            options += ["--weights", table("weights", "weight", self.weights)]
        if self.covariates.shape[1]:
            header = ",".join(f"z{k}" for k in range(self.covariates.shape[1]))
            options += ["--covar", table("covar", header, self.covariates)]
        return options

    # --- docs/MODELS.md in NumPy ---
    def standardise(self):
        n = len(self.y)
        w = np.ones(n) if self.weights is None else self.weights
        self.w = (w * (n / w.sum())).astype(wide)
        self.mean = self.w @ self.x / n
        self.norm = np.sqrt(self.w @ (self.x - self.mean) ** 2)

    def eta(self, b0, beta, gamma):
        eta = b0 + self.x.astype(wide) @ beta + self.covariates.astype(wide) @ gamma
        return eta if self.offset is None else eta + self.offset

    def loss(self, eta):
        """Half of the deviance."""
        y = self.y.astype(wide)
        log_y = np.log(np.where(y > 0, y, 1))
        return self.w @ (np.exp(eta) - y - y * (eta - log_y))

    def objective(self, b0, beta, gamma, penalty):
        return self.loss(self.eta(b0, beta, gamma)) + penalty * np.abs(beta * self.norm).sum()

    def gap(self, b0, beta, gamma, penalty):
        eta = self.eta(b0, beta, gamma)
        y = self.y.astype(wide)
        u = self.w * (y - np.exp(eta))
        steepest = np.abs(((self.x - self.mean) / self.norm).T @ u).max()
        s = min(wide(1), penalty / steepest) if steepest > 0 else wide(1)
        m = y - s * (y - np.exp(eta))
        def entropy(t):
            return t * np.log(np.where(t > 0, t, 1)) - t
        dual = self.w @ (entropy(y) - entropy(m)) - (0 if self.offset is None else s * (u @ self.offset))
        return self.objective(b0, beta, gamma, penalty) - dual


CASES = [
    Counts("plain", 1, 60, 10),
    Counts("wide", 2, 40, 80),
    Counts("offset", 3, 80, 12, offset=True),
    Counts("weights", 4, 80, 12, weights=True),
    Counts("covariates", 5, 80, 12, covariates=2),
    Counts("all", 6, 90, 20, offset=True, weights=True, covariates=2),
    Counts("large", 7, 60, 10, intercept=14, slope=0.3),
    Counts("rare", 8, 4000, 6, intercept=-7, slope=1.0),
]
RATIOS = [0.5, 0.1, 0.01]


def run(bin_dir, words, code=0):
    ended = subprocess.run([os.path.join(bin_dir, "lasso"), *words], capture_output=True, text=True, timeout=120)
    assert ended.returncode == code, f"{' '.join(words)}\nexit code {ended.returncode}: {ended.stderr}"
    return ended.stderr + ended.stdout


def solution(folder, counts):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    beta = np.zeros(counts.x.shape[1], wide)
    with open(os.path.join(folder, "coefficients.tsv"), encoding="utf-8") as file:
        header = file.readline().split()
        for line in file:
            fields = dict(zip(header, line.split()))
            beta[int(fields["column"]) - 1] = float(fields["coefficient"])
    gamma = np.array(list(summary.get("covariates", {}).values()), wide)
    return summary, wide(summary["intercept"]), beta, gamma


def check_fits(bin_dir, folder, reference):
    for counts in CASES:
        counts.standardise()
        data = counts.write(folder)
        for ratio in RATIOS:
            what = f"{counts.name} at {ratio} lambda_max"
            out = os.path.join(folder, "fit")
            run(bin_dir, ["fit", *data, "--family", "poisson", "--lambda", repr(ratio), "--lambda-scale", "ratio",
                          "--tolerance", "1e-9", "--out", out, "--force", "--quiet"])
            summary, b0, beta, gamma = solution(out, counts)
            objective = counts.objective(b0, beta, gamma, summary["lambda"])
            null = summary["null_deviance"] / 2
            assert abs(objective - summary["objective"]) <= 1e-10 * null, (what, objective, summary["objective"])
            gap = counts.gap(b0, beta, gamma, summary["lambda"])
            assert abs(gap - summary["duality_gap"]) <= 1e-9 * objective, (what, gap, summary["duality_gap"])
            assert summary["tolerance_met"] and gap <= 2e-9 * objective, (what, gap, objective)
            deviance = 2 * counts.loss(counts.eta(b0, beta, gamma))
            assert abs(deviance - summary["deviance"]) <= 1e-9 * null, (what, deviance, summary["deviance"])
            theirs = reference[counts.name][str(ratio)]
            assert summary["objective"] <= theirs + 1e-9 * abs(theirs), (what, summary["objective"], theirs)


def check_cv(bin_dir, folder, reference):
    for counts in CASES:
        if counts.name not in reference:
            continue
        folds = os.path.join(folder, "folds.txt")
        with open(folds, "w", encoding="utf-8") as file:
            file.write("".join(f"s{i} {i % 4 + 1}\n" for i in range(len(counts.y))))
        out = os.path.join(folder, "cv")
        run(bin_dir, ["cv", *counts.write(folder), "--family", "poisson", "--folds", folds, "--lambdas", "20",
                      "--lambda-min-ratio", "0.01", "--early-end", "off", "--tolerance", "1e-9", "--out", out, "--force", "--quiet"])
        with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
            chosen = json.load(file)["lambda_min"]
        index, error = reference[counts.name]
        assert chosen["index"] == index, (counts.name, chosen, index)
        assert abs(chosen["error"] - error) <= 1e-5 * error, (counts.name, chosen["error"], error)


def check_everywhere(bin_dir, folder):
    """The same bits on processes; a path's first lambdas are fits; predictions are means of the links."""
    counts = CASES[5]
    counts.standardise()
    data = [*counts.write(folder), "--family", "poisson"]
    out = os.path.join(folder, "every")
    common = [*data, "--schedulers", "2", "--out", out, "--force", "--quiet"]
    hashes = set()
    for more in ([], ["--processes", "2"]):
        run(bin_dir, ["fit", *common, "--lambda", "0.05", "--lambda-scale", "ratio", *more])
        hashes.add(solution(out, counts)[0]["beta_hash"])
    assert len(hashes) == 1, hashes
    _, b0, beta, gamma = solution(out, counts)
    table = os.path.join(folder, "predictions.tsv")
    said = run(bin_dir, ["predict", "--model", out, *[word for word in data if word not in ("--family", "poisson")
                                                      and not word.endswith(".weights.csv") and word != "--weights"],
                         "--out", table])
    eta = counts.eta(b0, beta, gamma)
    y = counts.y
    off = np.where(y > 0, eta - np.log(np.where(y > 0, y, 1)), 0)
    deviance = np.mean(2 * np.where(y > 0, y * (np.expm1(off) - off), np.exp(eta)))
    assert f"deviance {float(deviance):.5g} a sample" in said, (said, deviance)
    with open(table, encoding="utf-8") as file:
        assert file.readline().split() == ["IID", "mean", "link"]
        rows = np.array([line.split()[1:] for line in file], float)
    assert np.allclose(rows[:, 1], eta.astype(float), rtol=1e-12, atol=1e-12)
    assert np.allclose(rows[:, 0], np.exp(eta).astype(float), rtol=1e-12)
    split = os.path.join(folder, "split.csv")
    parts = ["train", "train", "val", "test"]
    with open(split, "w", encoding="utf-8") as file:
        file.write("id,part\n" + "".join(f"s{i},{parts[i % 4]}\n" for i in range(len(y))))
    run(bin_dir, ["path", *common, "--lambdas", "10", "--split", split])
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    assert summary["measure"] == "deviance" and summary["chosen"]["val"]["deviance"] > 0
    assert abs(summary["chosen"]["val"]["deviance"] - summary["chosen"]["error"]) < 1e-12


def check_guide(bin_dir, source, folder):
    """The commands of docs/GUIDE-counts.md end well, in their order, and write what it says."""
    os.symlink(os.path.join(source, "tests"), os.path.join(folder, "tests"))
    with open(os.path.join(source, "docs", "GUIDE-counts.md"), encoding="utf-8") as file:
        blocks = re.findall(r"```sh\n(.*?)```", file.read(), re.DOTALL)
    assert len(blocks) == 6, len(blocks)
    said = ""
    for block in blocks:
        ended = subprocess.run(["sh", "-e", "-c", block.replace("build/release/bin", bin_dir)], cwd=folder, timeout=120,
                               capture_output=True, text=True)
        assert ended.returncode == 0, f"{block}\nexit code {ended.returncode}: {ended.stderr}"
        said += ended.stdout + ended.stderr
    assert "coefficient\trate_ratio" in said, said
    assert re.search(r"658 samples predicted .*, deviance [0-9.]+ a sample against 'nodes' \(658 samples\)", said), said
    for place in ("nodes/summary.json", "nodes/predictions.tsv", "nodes/cv.svg", "nodes/lambda_1se/model.bin", "predicted.tsv",
                  "nodes-split/summary.json", "nodes-fit/coefficients.tsv"):
        assert os.path.exists(os.path.join(folder, "build", "guide", place)), place
    with open(os.path.join(folder, "build", "guide", "nodes", "summary.json"), encoding="utf-8") as file:
        summary = json.load(file)
    assert summary["family"] == "poisson" and summary["measure"] == "deviance" and summary["lambda_min"]["nonzeros"] > 0


def check_refusals(bin_dir, folder):
    counts = CASES[0]
    n = len(counts.y)
    data = [word if word.endswith("x.csv") else word for word in counts.write(folder)]
    fit = ["fit", *data, "--family", "poisson", "--lambda", "0.1", "--lambda-scale", "ratio"]
    place = data.index("--y") + 1

    def refused(y, expected, more=(), code=4):
        path = os.path.join(folder, "other.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("id,y\n" + "".join(f"s{i},{value}\n" for i, value in enumerate(y)))
        words = list(fit)
        words[1 + place] = path
        said = run(bin_dir, [*words, *more], code)
        assert expected in said, (expected, said)

    plain = list(counts.y)
    refused([*plain[:7], -1, *plain[8:]], "the response of sample 's7' is -1, expected a count")
    refused([*plain[:7], "inf", *plain[8:]], "other.csv:9:")
    refused([0] * n, "all counts are 0")
    group = os.path.join(folder, "group.csv")
    with open(group, "w", encoding="utf-8") as file:
        file.write("id,group,age\n" + "".join(f"s{i},{int(i % 5 == 0)},{7 * i % 11}\n" for i in range(n)))
    refused([0 if i % 5 == 0 else i % 4 for i in range(n)], "the counts of 0 are separated from the others by what has no "
            "penalty: 'group';", ["--covar", group])
    for policy in ("uniform", "static", "paper", "theorem1", "block-greedy"):
        refused(plain, "--family poisson has none; leave it out", ["--policy", policy], 2)
    refused(plain, "whose response is a count", ["--scale-y", "off"], 2)


def check_far_offsets(bin_dir, folder):
    """Offsets that are all far from 0, also where exp of them is no number, change the intercept alone."""
    found = []
    for far in (0, 300, 1000, 5000, -900):
        counts = copy.copy(CASES[2])
        counts.offset = counts.offset + far
        out = os.path.join(folder, "far")
        run(bin_dir, ["fit", *counts.write(folder), "--family", "poisson", "--lambda", "0.1", "--lambda-scale", "ratio",
                      "--tolerance", "1e-9", "--out", out, "--force", "--quiet"])
        summary, b0, beta, _ = solution(out, counts)
        found.append(np.array([b0 + far, summary["objective"], *beta], float))
    for other in found[1:]:
        assert np.allclose(other, found[0], rtol=1e-5, atol=1e-6), (other, found[0])


def check_nothing_to_explain(bin_dir, folder):
    """Counts that are all the same, or the same in each group of a covariate: no coefficient, and that is certified."""
    n = len(CASES[0].y)
    data = CASES[0].write(folder)
    place = data.index("--y") + 1
    groups = os.path.join(folder, "groups.csv")
    with open(groups, "w", encoding="utf-8") as file:
        file.write("id,group\n" + "".join(f"s{i},{i % 2}\n" for i in range(n)))
    for name, y, more in (("three", [3] * n, []), ("large", [123457] * n, []), ("tenth", [0.1] * n, []),
                          ("groups", [2 + 5 * (i % 2) for i in range(n)], ["--covar", groups])):
        data[place] = os.path.join(folder, "same.csv")
        with open(data[place], "w", encoding="utf-8") as file:
            file.write("id,y\n" + "".join(f"s{i},{value}\n" for i, value in enumerate(y)))
        for command in (["fit", "--lambda-ratio", "0.5"], ["path"]):
            run(bin_dir, [command[0], *data, *more, "--family", "poisson", *command[1:], "--force", "--out",
                          os.path.join(folder, name)], 0)
        with open(os.path.join(folder, name, "summary.json"), encoding="utf-8") as file:
            assert json.load(file)["tolerance_met"], name


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place, open(os.path.join(HERE, "poisson_reference.json"), encoding="utf-8") as kept:
        reference = json.load(kept)
        check_fits(sys.argv[1], place, reference["fits"])
        check_cv(sys.argv[1], place, reference["cv"])
        check_everywhere(sys.argv[1], place)
        check_refusals(sys.argv[1], place)
        check_far_offsets(sys.argv[1], place)
        check_nothing_to_explain(sys.argv[1], place)
        check_guide(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), place)
