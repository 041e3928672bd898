#!/usr/bin/env python3
"""How far off simulated time is: the same fits for real and simulated, on this machine.

usage: simulated.py BIN_DIR [RUNS [PREFIX]]

Real runs and calibrations take turns, RUNS times (default 5), so that a change of the machine's speed meets all of them;
the table has medians. Time counts from the first certificate to the end: before it lie the start of the processes and the
first touch of every page, which the simulator does not know. Each simulated run must have the beta_hash of the real one.
PREFIX: more genotypes (PREFIX.bed, PREFIX.pheno.tsv), for instance of bench/make_genotypes.py ad. The table goes into
docs/SIMULATION.md.
"""
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
CHR2 = ["--bfile", "tests/datasets/1000g-chr2-eur/chr2-eur", "--pheno", "tests/datasets/1000g-chr2-eur/pheno.tsv",
        "--pheno-name", "sim20"]
ENGINE = ["--schedulers", "4", "--depth", "2"]
PAPER = ["--policy", "paper", "--max-rounds", "3000", "--lambda-ratio", "0.1"]
AUTO = ["--policy", "auto", "--lambda-ratio", "0.02"]
BROAD = ["--policy", "uniform", "--max-rounds", "1000", "--lambda-ratio", "0.1", "--workers", "32"]
LARGE = ["--policy", "auto", "--lambda-ratio", "0.1", "--workers", "4"]
STATIC = ["--policy", "static", "--max-rounds", "1000", "--lambda-ratio", "0.1", "--workers", "8"]
GREEDY = ["--policy", "block-greedy", "--max-rounds", "1000", "--lambda-ratio", "0.1", "--workers", "8"]
# name: options of the real run, of the simulated one
EMBEDDED_1 = ("embedded, 1 thread", ["--threads", "1"], ["--embedded", "--cores", "1"])
EMBEDDED_2 = ("embedded, 2 threads", ["--threads", "2"], ["--embedded", "--cores", "2"])
PROCESSES = ("2 processes, ipc", ["--processes=2", "--threads", "1"],
             ["--cores", "2", "--nodes-per-host", "2", "--node-threads", "1"])
TCP = ("scheduler and worker daemon, tcp", None,
       ["--cores", "2", "--nodes-per-host", "2", "--node-threads", "1", "--roles", "scheduler,worker", "--tcp"])


def run(command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr}")


def over_tcp(bin_dir, fit, folder):
    """Driver, one daemon that schedules, one that works."""
    endpoint_file = os.path.join(folder, "endpoint")
    if os.path.exists(endpoint_file):
        os.remove(endpoint_file)
    stradsd, key = os.path.join(bin_dir, "stradsd"), os.path.join(folder, "run.key")
    if not os.path.exists(key):
        subprocess.run([stradsd, "--new-key", key], cwd=ROOT, check=True)
    driver = subprocess.Popen([*fit, "--listen", "tcp://127.0.0.1:0", "--nodes", "2", "--endpoint-file", endpoint_file,
                               "--key", key],
                              cwd=ROOT, stdout=subprocess.DEVNULL)
    while not os.path.exists(endpoint_file):
        if driver.poll() is not None:
            sys.exit("the driver ended before it listened")
    with open(endpoint_file, encoding="utf-8") as file:
        endpoint = file.read().strip()
    nodes = [subprocess.Popen([stradsd, "--join", endpoint, "--threads", "1", "--quiet", "--key", key,
                               "--roles", role], cwd=ROOT) for role in ("scheduler", "worker")]
    driver.wait()
    for node in nodes:
        node.wait()


def measured(folder, curve):
    """(seconds from the first certificate to the last row, the summary)"""
    with open(os.path.join(folder, curve), encoding="utf-8") as file:
        seconds = [float(row["seconds"]) for row in csv.DictReader(file)]
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return seconds[-1] - seconds[0], json.load(file)


def real(bin_dir, options, way, folder):
    out = os.path.join(folder, "real")
    fit = [os.path.join(bin_dir, "lasso"), "fit", *options, "--quiet", "--force", "--out", out]
    if way is None:
        over_tcp(bin_dir, fit, folder)
    else:
        run([*fit, *way])
    return measured(out, "trace.csv")


def simulated(bin_dir, options, way, constants, folder):
    out = os.path.join(folder, "simulated")
    run([os.path.join(bin_dir, "strads_sim"), "run", *options, *way, "--constants", constants, "--quiet", "--force",
         "--out", out])
    return measured(out, "curve.csv")


def cases(prefix):
    data = [("chr2-eur", CHR2, (503, 10025))]
    if prefix:
        shape = tuple(sum(1 for _ in open(prefix + end, encoding="utf-8")) for end in (".fam", ".bim"))
        data.append((os.path.basename(prefix), ["--bfile", prefix, "--pheno", prefix + ".pheno.tsv"], shape))
    for name, source, shape in data:
        ways = (EMBEDDED_1, EMBEDDED_2, PROCESSES, TCP)
        for policy, more, some in (
                ("auto", [*AUTO, "--workers", "4"], ways), ("paper", [*PAPER, "--workers", "4"], ways),
                ("uniform, P = 32", BROAD, (TCP,)), ("auto, / 10", LARGE, (TCP,)), ("static, P = 8", STATIC, (TCP,)),
                ("block-greedy, P = 8", GREEDY, (TCP,))):
            for label, real_way, simulated_way in some:
                yield f"{name}, {policy}, {label}", shape, [*source, *ENGINE, *more], real_way, simulated_way


def main():
    bin_dir = os.path.abspath(sys.argv[1])
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    every = list(cases(sys.argv[3] if len(sys.argv) > 3 else None))
    seconds = {name: ([], []) for name, *_ in every}
    rounds = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            for shape in sorted({shape for _, shape, *_ in every}):
                constants = os.path.join(folder, "constants.ini")
                run([os.path.join(bin_dir, "strads_sim"), "calibrate", "--rows", str(shape[0]), "--columns",
                     str(shape[1]), "--quiet", "--out", constants])
                for name, case_shape, options, real_way, simulated_way in every:
                    if case_shape != shape:
                        continue
                    took, summary = real(bin_dir, options, real_way, folder)
                    predicted, twin = simulated(bin_dir, options, simulated_way, constants, folder)
                    assert summary["beta_hash"] == twin["beta_hash"], f"{name}: the bits differ"
                    seconds[name][0].append(took)
                    seconds[name][1].append(predicted)
                    rounds[name] = summary["rounds"]
    print(f"medians of {runs}; every simulated run had the beta_hash of the real one")
    print("| fit | rounds | measured, s | predicted, s | error |")
    print("| --- | --- | --- | --- | --- |")
    for name, (took, predicted) in seconds.items():
        a, b = statistics.median(took), statistics.median(predicted)
        print(f"| {name} | {rounds[name]} | {a:.4g} | {b:.4g} | {100 * (b / a - 1):+.0f} % |")


if __name__ == "__main__":
    main()
