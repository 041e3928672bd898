#!/usr/bin/python3
"""WarpLDA beside `lda fit`, in turns:  lda.py CORPUS --warplda PROGRAM --format PROGRAM [--topics 100 1000] ...

CORPUS is a libsvm file or a scipy .npz of documents x words, gzip or not. PROGRAM are WarpLDA's own two programs, `warplda` and
`format`. Both learn from the same documents and words, those that have a token, with alpha = 50 / K, beta = 0.01 and one proposal,
on --threads threads. For each of --sweeps both run, one after the other, --repeat times, and their processor time, user and system
of the whole process, is that of so many sweeps less that of the fewest, so that loading and writing are in neither. The log joint a
token is computed here from the topics that WarpLDA wrote, by the formula of docs/MODELS.md; ours is that of summary.json, which
`lda fit` has checked. Times are medians.

Needs python3-scipy, python3-sklearn and a Release build.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln
from sklearn.datasets import load_svmlight_file

BIN = pathlib.Path(os.environ.get("STRADS_BIN_DIR", pathlib.Path(__file__).resolve().parents[2] / "build/release/bin"))
LDA = BIN / "lda"
BETA = 0.01


def documents_of(path):
    x = sp.load_npz(path) if path.endswith(".npz") else load_svmlight_file(path)[0]
    x = x.tocsr().astype(np.int64)
    x = x[:, np.asarray(x.sum(axis=0)).ravel() > 0]
    return x[np.asarray(x.sum(axis=1)).ravel() > 0]


def text_of(x, path):
    with open(path, "w", encoding="ascii") as file:
        for d in range(x.shape[0]):
            part = slice(x.indptr[d], x.indptr[d + 1])
            words = " ".join(f"w{w}" for w in np.repeat(x.indices[part], x.data[part]))
            file.write(f"{d} {d} {words}\n")


def rising(counts, prior):
    return float((gammaln(counts + prior) - gammaln(prior)).sum())


def log_joint_of(path, topics, words):
    """A token, from lines of "tokens word:topic word:topic ..."."""
    alpha, tokens, total = 50 / topics, 0, 0.0
    of_words, totals = [], np.zeros(topics)
    with open(path, encoding="ascii") as file:
        for line in file:
            pairs = np.array([one.split(":") for one in line.split()[1:]], dtype=np.int64).reshape(-1, 2)
            of_words.append(pairs[:, 0] * topics + pairs[:, 1])
            counts = np.unique(pairs[:, 1], return_counts=True)
            totals[counts[0]] += counts[1]
            total += rising(counts[1], alpha) - (gammaln(50 + len(pairs)) - gammaln(50))
            tokens += len(pairs)
    total += rising(np.unique(np.concatenate(of_words), return_counts=True)[1], BETA)
    total -= float((gammaln(totals + words * BETA) - gammaln(words * BETA)).sum())
    return total / tokens, tokens


def processor_seconds(command, threads):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(one) for one in command], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "OMP_NUM_THREADS": str(threads)})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Runs:
    def __init__(self, options, x, folder):
        self.options, self.folder, self.words, self.tokens = options, folder, x.shape[1], int(x.sum())
        sp.save_npz(folder + "/documents.npz", x.astype(np.int32))
        text_of(x, folder + "/documents.txt")
        subprocess.run([options.format, "--input", folder + "/documents.txt", "--prefix", folder + "/peer"], check=True,
                       stdout=subprocess.DEVNULL)

    def ours(self, topics, sweeps):
        command = [LDA, "fit", "--corpus", self.folder + "/documents.npz", "--topics", topics, "--alpha", 50 / topics, "--beta", BETA,
                   "--sweeps", sweeps, "--measure-every", sweeps, "--threads", self.options.threads, "--out", self.folder + "/ours",
                   "--force", "--quiet"]
        seconds = processor_seconds(command, self.options.threads)
        return seconds, json.loads(pathlib.Path(self.folder + "/ours/summary.json").read_text())["log_joint_per_token"]

    def theirs(self, topics, sweeps):
        command = [self.options.warplda, "--prefix", self.folder + "/peer", "--k", topics, "--alpha", 50, "--beta", BETA, "--niter", sweeps,
                   "--writeinfo=false", "--dumpmodel=false", "--z", self.folder + "/topics"]
        seconds = processor_seconds(command, self.options.threads)
        found, tokens = log_joint_of(self.folder + "/topics", topics, self.words)
        if tokens != self.tokens:
            raise SystemExit(f"WarpLDA has {tokens} tokens, expected {self.tokens}")
        return seconds, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus")
    parser.add_argument("--warplda", required=True)
    parser.add_argument("--format", required=True)
    parser.add_argument("--topics", type=int, nargs="+", default=[100, 1000])
    parser.add_argument("--sweeps", type=int, nargs="+", default=[2, 12, 42, 102, 202])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        x = documents_of(options.corpus)
        runs = Runs(options, x, folder)
        print(f"{x.shape[0]} documents, {x.shape[1]} words, {runs.tokens} tokens; {options.threads} thread(s), median of {options.repeat}")
        for topics in options.topics:
            base = {}
            for sweeps in options.sweeps:
                found = {"ours": [], "WarpLDA": []}
                for _ in range(options.repeat):
                    found["ours"].append(runs.ours(topics, sweeps))
                    found["WarpLDA"].append(runs.theirs(topics, sweeps))
                for name, results in found.items():
                    seconds = statistics.median(one[0] for one in results)
                    joint = statistics.median(one[1] for one in results)
                    if sweeps == options.sweeps[0]:
                        base[name] = seconds
                        print(f"K {topics} sweeps {sweeps:4} {name:8} log joint/token {joint:.4f}, {seconds:.2f} processor s with loading")
                        continue
                    own = seconds - base[name]
                    rate = (sweeps - options.sweeps[0]) * runs.tokens / own / 1e6
                    print(f"K {topics} sweeps {sweeps:4} {name:8} log joint/token {joint:.4f}, {own:.2f} processor s more, "
                          f"{rate:.1f} M tokens a processor s", flush=True)


if __name__ == "__main__":
    main()
