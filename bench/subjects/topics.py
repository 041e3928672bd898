"""Topic models: how fast, beside WarpLDA where it is here, and what more workers do to the likelihood."""
import csv
import json
import pathlib
import re
import tempfile

from subjects import measure
from subjects.measure import fit, in_turns, median
from subjects.subject import Subject


def speed(bench):
    corpus = bench.sets.plain(bench.sets.file("news20", "train.libsvm.gz"))
    rows = []
    theirs = {}
    if {"warplda", "warplda-format"} <= bench.peers.keys() and not bench.quick:
        text = measure.script(bench, "bench/peers/lda.py", corpus, "--warplda", bench.peers["warplda"], "--format", bench.peers["warplda-format"],
                              "--sweeps", 2, 42, "--repeat", bench.runs)
        for topics, who, joint, rate in re.findall(r"K (\d+) sweeps +42 (\S+) +log joint/token (\S+), .* (\S+) M tokens", text):
            theirs[int(topics), who] = rate, joint
    for topics in (20,) if bench.quick else (100, 1000):
        command = [bench.program("lda"), "fit", "--corpus", corpus, "--topics", topics]
        ways = {(n, s): lambda n=n, s=s: fit([*command, "--threads", n, "--sweeps", s, "--measure-every", s]) for n in (1, 2) for s in (2, 12 if bench.quick else 42)}
        found = in_turns(ways, bench.runs, 0)
        cells = []
        for threads in (1, 2):
            few, many = (found[threads, s] for s in (2, 12 if bench.quick else 42))
            tokens = many[0]["tokens"]
            own = median(many, "seconds_solve") - median(few, "seconds_solve")
            cells.append(f"{(10 if bench.quick else 40) * tokens / own / 1e6:.1f}")
        joint = median(found[1, 12 if bench.quick else 42], "log_joint_per_token")
        rate, their_joint = theirs.get((topics, "WarpLDA"), ("not here", ""))
        ours = theirs.get((topics, "ours"), ("", ""))[0]
        rows.append([str(topics), *cells, ours, f"{joint:.3f}", rate, their_joint])
    return rows


def drift(bench):
    corpus = bench.sets.file("ap", "docs-terms.mtx.gz")
    rows = []
    for workers in (1, 8) if bench.quick else (1, 8, 64):
        cells = []
        for sampler in ("rotation", "stale"):
            with tempfile.TemporaryDirectory() as folder:
                measure.run([bench.program("lda"), "fit", "--corpus", corpus, "--topics", 50, "--sweeps", 4 if bench.quick else 40,
                             "--sampler", sampler, "--workers", workers, "--out", f"{folder}/run", "--quiet"], (0, 3))
                summary = json.loads(pathlib.Path(folder, "run/summary.json").read_text())
                with open(f"{folder}/run/trace.csv", encoding="ascii") as trace:
                    last = list(csv.DictReader(trace))[-1]
            cells += [f"{float(last['drift']):.4f}", f"{summary['log_joint_per_token']:.3f}"]
        rows.append([str(workers), *cells])
    return rows


SUBJECTS = [
    Subject("lda-speed", 4.5, ["topics", "million tokens a second, 1 thread", "2 threads", "a processor second, ours", "log joint a token after 42 sweeps",
                               "WarpLDA, a processor second", "its log joint"],
            "lda fit --corpus train.libsvm --topics 1000 --sweeps 42 --threads 1 --measure-every 42 --out run\n"
            "bench/peers/lda.py train.libsvm --warplda PROGRAM --format PROGRAM --sweeps 2 42", speed, runs=3),
    Subject("lda-drift", 0.7, ["workers", "`rotation`: drift", "log joint a token", "`stale`: drift", "log joint a token"],
            "lda fit --corpus docs-terms.mtx.gz --topics 50 --sweeps 40 --sampler rotation --workers 8 --out run", drift, runs=1),
]
