#!/usr/bin/env python3
"""Ends node processes by SIGKILL at random moments: the result must stay the same to the last bit.

usage: kill_nodes.py BIN_DIR SOURCE_DIR [WORKERS SCHEDULERS [SEED]]

A fit, a cross-validation of ten folds, whose eleven paths the nodes host beside each other, and a factorization of ratings,
in turn, until so many worker processes and so many processes with schedulers were killed (default: 8 and 4). Each time there
are five processes over tcp, two of which schedule and work while the others work; one of the two, or one to three of the
others, are killed between the first and the last moment that the command without losses took. Prints one line a time, and
what the losses cost; exit 1 if a hash or an exit code differs.
"""
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from story import cv_command, fit_command, listening_driver, mf_command, new_key, result_of

ROLES = ["scheduler,worker", "scheduler,worker", "worker", "worker", "worker"]
SCHEDULERS = [0, 1]  # in ROLES


def fit_bits(summary):
    return [summary["beta_hash"]]


def cv_bits(summary):
    """Of the path on all samples and of each without a fold."""
    return [summary["beta_hash"]] if "path_hash" not in summary else [summary["path_hash"], *summary["fold_path_hashes"]]


def mf_bits(summary):
    return [summary.get("model_hash", summary.get("beta_hash"))]


def embedded_bits(command, bits, folder):
    out = os.path.join(folder, "embedded")
    process = subprocess.Popen(command(out), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return bits(result_of(process, out))


def one_time(command, bin_dir, folder, victims, seconds):
    """On a cluster; `seconds`: how long to wait before each victim is killed."""
    out = os.path.join(folder, "out")
    options = ["--nodes", str(len(ROLES)), *new_key(bin_dir, folder)]
    driver, endpoint = listening_driver(command(out), folder, options)
    join = [os.path.join(bin_dir, "stradsd"), "--join", endpoint, "--threads", "1", *new_key(bin_dir, folder), "--roles"]
    nodes = [subprocess.Popen(join + [role], stderr=subprocess.PIPE, text=True) for role in ROLES]
    for node in nodes:  # from here on all have their roles
        while f" of {len(ROLES)}: " not in node.stderr.readline():
            pass
    begin = time.monotonic()
    killed = []
    for moment, victim in zip(sorted(seconds), victims):
        time.sleep(max(0.0, begin + moment - time.monotonic()))
        if driver.poll() is None:
            nodes[victim].kill()
            killed.append(victim)
    summary = result_of(driver, out)
    length = time.monotonic() - begin
    codes = []
    for node in nodes:
        node.communicate(timeout=30)
        codes.append(node.returncode)
    wrong = [(i, code) for i, code in enumerate(codes) if code != 0 and i not in killed]
    return summary, wrong, length, killed


class Story:
    """One command, and what it gives without losses."""

    def __init__(self, name, command, bits, bin_dir, folder):
        self.name, self.command, self.bits, self.bin_dir, self.folder = name, command, bits, bin_dir, folder
        os.makedirs(folder)
        self.expected = embedded_bits(command, bits, folder)
        summary, wrong, self.length, _ = one_time(command, bin_dir, folder, [], [])
        self.failures = int(bits(summary) != self.expected or bool(wrong))
        print(f"{name}: embedded {self.expected[0]}, without losses {bits(summary)[0]} in {self.length:.2f} s {wrong or ''}",
              flush=True)

    def run(self, victims, rng):
        """Returns who was killed and how much longer it took."""
        moments = sorted(rng.uniform(0.0, self.length) for _ in victims)
        summary, wrong, took, killed = one_time(self.command, self.bin_dir, self.folder, victims, moments)
        same = self.bits(summary) == self.expected and not wrong
        self.failures += not same
        cluster = summary.get("cluster", {})
        print(f"{self.name}: {killed} killed at {', '.join(f'{m:.2f}' for m in moments)} s of {took:.2f}: "
              f"{'same' if same else 'DIFFERENT'} {self.bits(summary)[0]} {wrong or ''} "
              f"dealt anew {cluster.get('reassigned')} times, moved {cluster.get('moved')} times", flush=True)
        return killed, took - self.length


def main():
    bin_dir, source = sys.argv[1:3]
    left = [int(count) for count in sys.argv[3:5]] if len(sys.argv) > 4 else [8, 4]
    wanted = list(left)
    rng = random.Random(int(sys.argv[5]) if len(sys.argv) > 5 else 1)
    longer = [[], []]  # seconds, of workers and of schedulers
    with tempfile.TemporaryDirectory() as folder:
        stories = [Story(name, lambda out, of=command: of(bin_dir, source, out), bits, bin_dir, os.path.join(folder, name))
                   for name, command, bits in (("fit", fit_command, fit_bits), ("cv", cv_command, cv_bits),
                                               ("mf", mf_command, mf_bits))]
        runs = 0
        while any(count > 0 for count in left):
            kind = 1 if left[1] > 0 and (left[0] <= 0 or rng.random() < 0.5) else 0
            others = [i for i in range(len(ROLES)) if i not in SCHEDULERS]
            victims = [rng.choice(SCHEDULERS)] if kind == 1 else rng.sample(others, rng.randint(1, 3))
            killed, more = stories[runs % len(stories)].run(victims, rng)
            left[kind] -= len(killed)
            runs += 1
            if killed:
                longer[kind].append(more)
        failures = sum(story.failures for story in stories)
    for who, seconds in zip(("workers", "schedulers"), longer):
        if seconds:
            print(f"{who}: {len(seconds)} runs took longer by {statistics.median(seconds):.2f} s (median), "
                  f"{max(seconds):.2f} s (most)")
    print(f"{wanted[0] - left[0]} workers and {wanted[1] - left[1]} processes with schedulers killed in {runs} runs: " +
          ("all gave the same bits" if failures == 0 else f"{failures} FAILURES"))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
