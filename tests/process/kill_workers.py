#!/usr/bin/env python3
"""Ends worker processes by SIGKILL at random moments of a run: the result must stay the same to the last bit.

usage: kill_workers.py BIN_DIR SOURCE_DIR [RUNS [SEED]]

Each run has a scheduler process and four worker processes over tcp; one to three of the workers are killed between the
first and the last moment that the run without losses took. Prints one line a run; exit 1 if a hash or an exit code
differs.
"""
import os
import random
import subprocess
import sys
import tempfile
import time

from story import embedded_hash, fit_command, listening_driver, new_key, result_of

WORKERS = 4


def one_run(bin_dir, source, folder, rng, seconds):
    """A run on a cluster; `seconds`: how long to wait before each kill, one number a killed worker."""
    out = os.path.join(folder, "out")
    options = ["--nodes", str(WORKERS + 1), *new_key(bin_dir, folder)]
    driver, endpoint = listening_driver(fit_command(bin_dir, source, out), folder, options)
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


def main():
    bin_dir, source = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 50
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    with tempfile.TemporaryDirectory() as folder:
        expected = embedded_hash(bin_dir, source, folder)
        summary, wrong, length = one_run(bin_dir, source, folder, rng, [])
        print(f"embedded {expected}, without losses {summary['beta_hash']} in {length:.2f} s", flush=True)
        failures = int(summary["beta_hash"] != expected or bool(wrong))
        for run in range(runs):
            moments = [rng.uniform(0.0, length) for _ in range(rng.randint(1, 3))]
            summary, wrong, took = one_run(bin_dir, source, folder, rng, moments)
            same = summary["beta_hash"] == expected and not wrong
            failures += not same
            cluster = summary.get("cluster", {})
            print(f"run {run}: killed at {', '.join(f'{m:.2f}' for m in sorted(moments))} s of {took:.2f}: "
                  f"{'same' if same else 'DIFFERENT'} {summary['beta_hash']} {wrong or ''} "
                  f"dealt anew {cluster.get('reassigned')} times", flush=True)
        print(f"{runs - failures} of {runs} runs gave the same bits" if failures == 0 else f"{failures} FAILURES")
        return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
