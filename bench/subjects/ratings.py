"""Ratings and clicks: errors, speed, lists."""
import json
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from subjects import measure
from subjects.measure import fit, in_turns, median, seconds
from subjects.subject import NotHere, Subject

SOLVERS = ("cd", "ccd", "als", "sgd")


def errors(bench):
    rows = []
    for name in ("movielens",) if bench.quick else ("movielens", "jester5k", "movietweetings-50k"):
        try:
            path = bench.sets.ratings(name)
        except NotHere as lacking:
            print(f"  {name}: left out, there is no {lacking}", flush=True)
            continue
        for rank in (10,) if bench.quick else (10, 40):
            cells = []
            for solver in SOLVERS:
                found = [fit([bench.program("mf"), "fit", "--ratings", path, "--holdout", 0.1, "--rank", rank, "--solver", solver, "--seed", seed, "--threads", 2])["test_rmse"]
                         for seed in (range(1, 2) if bench.quick else range(1, 4))]
                cells.append(f"{statistics.mean(found):.3f} ({min(found):.3f} - {max(found):.3f})")
            rows.append([name, str(rank), *cells])
    return rows


def text_of(bench, part):
    """Ratings as LIBMF reads them, from what bench/make_ratings.py wrote."""
    prefix = bench.sets.made("netflix")
    path = pathlib.Path(f"{prefix}.{part}.txt")
    if not path.exists():
        code = ("import sys, numpy as np\nz = np.load(sys.argv[1])\nwith open(sys.argv[2], 'w') as out:\n"
                "    for at in range(0, len(z['row']), 1 << 20):\n        s = slice(at, at + (1 << 20))\n"
                "        out.write(''.join('%d %d %g\\n' % t for t in zip(z['row'][s].tolist(), z['col'][s].tolist(), z['data'][s].tolist())))")
        measure.run([sys.executable, "-c", code, f"{prefix}.{part}.npz", path])
    return path


def libmf(bench, sweeps):
    """Seconds a sweep and the test RMSE after the last one, by the clock that its own lines show."""
    train, test = text_of(bench, "train"), text_of(bench, "test")
    with tempfile.TemporaryDirectory() as folder:
        ends = []
        for count in (2, sweeps):
            start = time.monotonic()
            text = measure.run([bench.peers["libmf"], "-k", 40, "-l2", 0.05, "-r", 0.1, "-t", count, "-s", 2, "-p", test, train, f"{folder}/model"])
            ends.append(time.monotonic() - start)
    error = [line.split() for line in text.splitlines() if re.match(r"\s*\d+ +[\d.]+ +[\d.]+", line)][-1][2]
    return {"sweep": (ends[1] - ends[0]) / (sweeps - 2), "error": float(error)}


def speed(bench):
    prefix = bench.sets.made("netflix")
    common = ["fit", "--ratings", f"{prefix}.train.npz", "--test", f"{prefix}.test.npz", "--lambda", 0.05, "--early-stopping", "off", "--validation", 0,
              "--threads", 2, "--tolerance", 0]
    plain = ["--bias", "off", "--mean", "off"]
    kinds = {"`mf fit --solver sgd --rank 40`, 12 sweeps": ["--solver", "sgd", "--rank", 40, "--sweeps", 12],
             "`mf fit --solver cd --rank 40`, 10 sweeps": ["--solver", "cd", "--rank", 40, "--sweeps", 10, *plain],
             "`mf fit --solver cd --rank 100`, 4 sweeps": ["--solver", "cd", "--rank", 100, "--sweeps", 4, *plain]}
    found = in_turns({name: lambda words=words: fit([bench.program("mf"), *common, *words]) for name, words in kinds.items()}, bench.runs, 0)
    rows = []
    for name, each in found.items():
        load, solve, peak, error = median(each, "seconds_load", "seconds_solve", "peak", "test_rmse")
        rows.append([name, f"**{seconds(solve / each[0]['sweeps'])}**", seconds(solve), f"{error:.4f}", seconds(load), f"{peak:.0f}"])
    if "libmf" in bench.peers:
        each = [libmf(bench, 12) for _ in range(bench.few(3))]
        sweep, error = median(each, "sweep", "error")
        rows.append(["LIBMF, rank 40, 12 sweeps", seconds(sweep), seconds(12 * sweep), f"{error:.4f}", "", ""])
    return rows


def lists(bench, command):
    """A fit, and how its lists of 20 do."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        measure.run([bench.program("mf"), "fit", *command, "--out", f"{folder}/run", "--quiet"], (0, 3))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        measure.run([bench.program("mf"), "evaluate", "--model", f"{folder}/run", "--at", 20, "--out", f"{folder}/lists.tsv"])
        summary = json.loads(pathlib.Path(folder, "run", "summary.json").read_text())
        lines = [line.rstrip("\n").split("\t") for line in open(f"{folder}/lists.tsv", encoding="utf-8")]
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return summary, processor, [dict(zip(lines[0], line)) for line in lines[1:]]


def figure(rows, name):
    """recall or ndcg of the model and of popularity, whatever the table calls its columns."""
    one = next(row for row in rows if any(name in str(value).lower() for value in row.values()))
    numbers = [value for value in one.values() if re.fullmatch(r"0\.\d+|1|0", value or "")]
    return f"{float(numbers[0]):.4f}"


def implicit(bench):
    train, test = bench.sets.file("gowalla", "train.tsv.gz"), bench.sets.file("gowalla", "test.tsv.gz")
    common = ["--ratings", train, "--test", test]
    als = ["--feedback", "implicit", "--alpha0", 0.01, "--nu", 1, "--tolerance", 0]
    cases = [("als, rank 64, 8 sweeps", [*als, "--rank", 64, "--lambda", 0.01, "--sweeps", 1 if bench.quick else 8])]
    if not bench.quick:
        cases += [("als, rank 256, 8 sweeps", [*als, "--rank", 256, "--lambda", 0.005, "--sweeps", 8]),
                  ("slim, l1 1, l2 30", ["--solver", "slim", "--l1", 1, "--l2", 30])]
    rows = []
    for name, words in cases:
        one = {}
        for threads in (1, 2):
            one[threads] = lists(bench, [*common, *words, "--threads", threads])
        summary, processor, table = one[1]
        rows.append([name, figure(table, "recall"), figure(table, "ndcg"), seconds(one[2][0]["seconds_solve"]), seconds(summary["seconds_solve"]), seconds(processor)])
    return rows


def serving(bench):
    train = bench.sets.file("gowalla", "train.tsv.gz")
    with tempfile.TemporaryDirectory() as folder:
        rank = 16 if bench.quick else 128
        measure.run([bench.program("mf"), "fit", "--ratings", train, "--feedback", "implicit", "--rank", rank, "--sweeps", 1, "--out", f"{folder}/run", "--quiet"], (0, 3))
        took = []
        for _ in range(bench.runs):
            start = time.monotonic()
            measure.run([bench.program("mf"), "recommend", "--model", f"{folder}/run", "--top", 20, "--threads", 1, "--out", f"{folder}/lists.tsv"])
            took.append(time.monotonic() - start)
            pathlib.Path(folder, "lists.tsv").unlink()
    wall = statistics.median(took)
    return [["lists of 20 for 29,858 users of 40,981 items", str(rank), seconds(wall), f"{29858 / wall:,.0f}", f"{2 * 29858 * 40981 * rank / wall / 1e9:.1f}"]]


SUBJECTS = [
    Subject("mf-errors", 3, ["set", "rank", *(f"`{solver}`" for solver in SOLVERS)],
            "mf fit --ratings FILE --holdout 0.1 --rank 40 --solver sgd --seed 1 --out run", errors, runs=1),
    Subject("mf-speed", 5, ["program", "seconds a sweep", "solve, s", "test RMSE at the end", "load, s", "peak, MiB"],
            "mf fit --ratings netflix.train.npz --test netflix.test.npz --rank 40 --lambda 0.05 --solver sgd --early-stopping off --validation 0 "
            "--sweeps 12 --threads 2 --out run\nmf-train -k 40 -l2 0.05 -r 0.1 -t 12 -s 2 -p test.txt train.txt model", speed, runs=3),
    Subject("implicit", 2.5, ["model", "recall@20", "NDCG@20", "solve, 2 threads, s", "1 thread, s", "processor of the command, 1 thread"],
            "mf fit --ratings train.tsv.gz --test test.tsv.gz --feedback implicit --alpha0 0.01 --nu 1 --lambda 0.01 --rank 64 --sweeps 8 "
            "--tolerance 0 --out run\nmf evaluate --model run --at 20", implicit, runs=1),
    Subject("serving", 1.5, ["what", "rank", "command, s", "users a second", "GFLOP/s of the scores"],
            "mf recommend --model run --top 20 --threads 1 --out lists.tsv", serving, runs=2),
]
