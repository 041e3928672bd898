#!/usr/bin/env python3
"""Ends worker processes by SIGKILL at random moments: the result must stay the same to the last bit.

usage: kill_workers.py BIN_DIR SOURCE_DIR [RUNS [SEED]]

First a fit, then a cross-validation of ten folds, whose eleven paths the nodes host beside each other. Each time there are a
scheduler process and four worker processes over tcp; one to three of the workers are killed between the first and the last
moment that the command without losses took. Prints one line a time; exit 1 if a hash or an exit code differs.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

from story import cv_command, fit_command, listening_driver, new_key, result_of

WORKERS = 4


def fit_bits(summary):
    return [summary["beta_hash"]]


def cv_bits(summary):
    """Of the path on all samples and of each without a fold."""
    return [summary["beta_hash"]] if "path_hash" not in summary else [summary["path_hash"], *summary["fold_path_hashes"]]


def embedded_bits(command, bits, folder):
    out = os.path.join(folder, "embedded")
    process = subprocess.Popen(command(out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return bits(result_of(process, out))


def one_time(command, bin_dir, folder, rng, seconds):
    """On a cluster; `seconds`: how long to wait before each kill, one number a killed worker."""
    out = os.path.join(folder, "out")
    options = ["--nodes", str(WORKERS + 1), *new_key(bin_dir, folder)]
    driver, endpoint = listening_driver(command(out), folder, options)
    join = [os.path.join(bin_dir, "stradsd"), "--join", endpoint, "--threads", "1", *new_key(bin_dir, folder), "--roles"]
    roles = ["scheduler"] + WORKERS * ["worker"]
    nodes = [subprocess.Popen(join + [role], stderr=subprocess.PIPE, text=True) for role in roles]
    for node in nodes:  # from here on all have their roles
        while " of 5: " not in node.stderr.readline():
            pass
    begin = time.monotonic()
    killed = []
    for moment, victim in zip(sorted(seconds), rng.sample(range(1, WORKERS + 1), len(seconds))):
        time.sleep(max(0.0, begin + moment - time.monotonic()))
        if driver.poll() is None:
            nodes[victim].kill()
            killed.append(victim)
    summary = result_of(driver, out)
    codes = []
    for node in nodes:
        node.communicate(timeout=30)
        codes.append(node.returncode)
    wrong = [(i, code) for i, code in enumerate(codes) if code != 0 and i not in killed]
    return summary, wrong, time.monotonic() - begin


def story(name, command, bits, bin_dir, runs, rng, folder):
    """Returns how often it went wrong."""
    expected = embedded_bits(command, bits, folder)
    summary, wrong, length = one_time(command, bin_dir, folder, rng, [])
    print(f"{name}: embedded {expected[0]}, without losses {bits(summary)[0]} in {length:.2f} s", flush=True)
    failures = int(bits(summary) != expected or bool(wrong))
    for run in range(runs):
        moments = [rng.uniform(0.0, length) for _ in range(rng.randint(1, 3))]
        summary, wrong, took = one_time(command, bin_dir, folder, rng, moments)
        same = bits(summary) == expected and not wrong
        failures += not same
        cluster = summary.get("cluster", {})
        print(f"{name} {run}: killed at {', '.join(f'{m:.2f}' for m in sorted(moments))} s of {took:.2f}: "
              f"{'same' if same else 'DIFFERENT'} {bits(summary)[0]} {wrong or ''} "
              f"dealt anew {cluster.get('reassigned')} times", flush=True)
    return failures


def main():
    bin_dir, source = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    failures = 0
    for name, command, bits in (("fit", fit_command, fit_bits), ("cv", cv_command, cv_bits)):
        with tempfile.TemporaryDirectory() as folder:
            failures += story(name, lambda out, of=command: of(bin_dir, source, out), bits, bin_dir, runs, rng, folder)
    print(f"{2 * runs} of {2 * runs} gave the same bits" if failures == 0 else f"{failures} FAILURES")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
