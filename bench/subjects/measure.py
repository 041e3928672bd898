"""Runs programs and says what they took."""
import csv
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

from subjects.subject import NotHere

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Peers' matrix libraries shall not start threads that nobody asked for.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def words_of(command):
    return [str(word) for word in command]


def run(command, accepted=(0,), **more):
    """Standard output of a command that ends with an accepted status."""
    done = subprocess.run(words_of(command), capture_output=True, text=True, check=False, cwd=ROOT, **more)
    if done.returncode not in accepted:
        raise SystemExit(f"exit status {done.returncode}: {' '.join(words_of(command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def fit(command, accepted=(0, 3)):
    """The summary.json of one run of ours, and "wall", "processor" (seconds) and "peak" (MiB) of its process. Status 3: a bound
    of rounds or sweeps was reached. The peak is what the program says, and
    not a number where it does not: ru_maxrss would not be less than what this one held."""
    with tempfile.TemporaryDirectory() as folder:
        log = open(f"{folder}/log", "w+", encoding="utf-8")
        start = time.monotonic()
        process = subprocess.Popen([*words_of(command), "--out", f"{folder}/run", "--quiet"], stdout=log, stderr=log, cwd=ROOT)
        _, status, used = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        log.seek(0)
        if process.returncode not in accepted:
            raise SystemExit(f"exit status {process.returncode}: {' '.join(words_of(command))}\n{log.read()[-2000:]}")
        summary = json.loads(pathlib.Path(folder, "run", "summary.json").read_text())
    return {**summary, "wall": wall, "processor": used.ru_utime + used.ru_stime, "peak": summary.get("peak_rss_bytes", math.nan) / 2**20}


def seconds_to(folder, optimum, bound):
    """Of a run's trace: when the objective was within 1e-3 of the optimum; `bound` of one that was stopped before."""
    with open(folder / "trace.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if float(row["objective"]) <= optimum * (1 + 1e-3):
                return float(row["seconds"])
    if json.loads((folder / "summary.json").read_text())["stop_reason"] != "max_seconds":
        raise SystemExit(f"{folder.name}: ended before it was within 1e-3 of the optimum")
    return bound


def in_turns(ways, runs, warm=1):
    """Runs every way once after the other, `runs` times: {name: list of what it gave}. A change of the machine's speed meets all
    of them. The first `warm` turns are not counted."""
    found = {name: [] for name in ways}
    for turn in range(runs + warm):
        for name, way in ways.items():
            result = way()
            if turn >= warm:
                found[name].append(result)
    return found


def median(results, *names):
    """The medians of figures of several runs, one or a list of them."""
    values = [statistics.median(one[name] for one in results) for name in names]
    return values[0] if len(values) == 1 else values


def table_of(text):
    """The rows of a Markdown table that a script printed, without its head."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in text.splitlines() if line.startswith("|")]
    ruled = next((i for i, row in enumerate(rows) if all(set(cell) <= set("-: ") for cell in row)), -1)
    return rows[ruled + 1:]


def script(bench, name, *arguments, accepted=(0,), environment=None):
    """What a script of bench/ or tests/ prints."""
    start = ["Rscript"] if name.endswith(".R") else [sys.executable]
    more = {**os.environ, **ONE_THREAD, "STRADS_BIN_DIR": str(bench.bin), **(environment or {})}
    return run([*start, ROOT / name, *arguments], accepted, env=more)


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def seconds(value):
    """Three digits, no more than four behind the point."""
    return f"{value:.4f}" if value < 0.1 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def above(value):
    """How far an objective is above another one, relatively."""
    return "0" if value == 0 else f"{value:.0e}"


def need_r_package(name):
    if subprocess.run(["Rscript", "-e", f"library({name})"], capture_output=True, check=False).returncode != 0:
        raise NotHere(f"R's package {name}")


def need_python_package(name):
    if subprocess.run([sys.executable, "-c", f"import {name}"], capture_output=True, check=False).returncode != 0:
        raise NotHere(f"Python's package {name} for {sys.executable}")
