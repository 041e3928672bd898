#!/usr/bin/env python3
"""SIGTERM, SIGINT and SIGHUP to a driver, to its nodes, and to all of them at once, as scancel, a pod's end or a closed
terminal do: what was computed is written with its certificate, nobody is left, nobody dies of it. Where it wrote
checkpoints, the command that it names goes on to the same bits as a run that nobody ended.

usage: ends.py BIN_DIR SOURCE_DIR [STORY]
"""
import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from story import bits, listening_driver, new_key, result_of

BIN = sys.argv[1]
PATIENCE = 60  # seconds; only a failing test waits so long
ROWS, COLUMNS = 300, 1500


def expect(condition, what):
    if not condition:
        raise SystemExit(f"ends.py: {what}")


def write_data(folder):
    """A response of which every column says something, and ratings: nothing converges to a tolerance of zero."""
    state = 12345
    numbers = []
    for _ in range(ROWS * 6):
        state = (1103515245 * state + 12345) % (1 << 31)
        numbers.append(state / (1 << 30) - 1)
    with open(os.path.join(folder, "x.csv"), "w", encoding="ascii") as file:
        file.write(",".join(f"v{j}" for j in range(COLUMNS)) + "\n")
        for i in range(ROWS):
            file.write(",".join(f"{numbers[(i * 31 + j * (17 + i % 13) + (i * j) % 97) % len(numbers)]:.4f}"
                                for j in range(COLUMNS)) + "\n")
    with open(os.path.join(folder, "y.csv"), "w", encoding="ascii") as file:
        file.write("y\n" + "\n".join(f"{numbers[3 * i]:.4f}" for i in range(ROWS)) + "\n")
    with open(os.path.join(folder, "split.tsv"), "w", encoding="ascii") as file:
        file.write("split\n" + "\n".join(("train", "train", "val")[i % 3] for i in range(ROWS)) + "\n")
    with open(os.path.join(folder, "ratings.csv"), "w", encoding="ascii") as file:
        file.write("user,item,rating\n" + "\n".join(f"u{k % 400},i{(k * k + k // 400) % 300},{1 + (k * 7 + k // 31) % 5}"
                                                    for k in range(12000)) + "\n")


def commands(folder):
    x = ["--x", os.path.join(folder, "x.csv"), "--y", os.path.join(folder, "y.csv"), "--policy", "uniform", "--tolerance",
         "0", "--schedulers", "2", "--workers", "4"]
    lasso, mf = os.path.join(BIN, "lasso"), os.path.join(BIN, "mf")
    ratings = ["--ratings", os.path.join(folder, "ratings.csv"), "--tolerance", "0", "--sweeps", "100000",
               "--schedulers", "2", "--workers", "4"]
    return {
        "fit": [lasso, "fit", *x, "--lambda-ratio", "0.0005"],
        "path": [lasso, "path", *x, "--lambdas", "5", "--lambda-min-ratio", "0.0005"],
        "cv": [lasso, "cv", *x, "--lambdas", "5", "--folds", "3", "--lambda-min-ratio", "0.0005"],
        "split": [lasso, "path", *x, "--lambdas", "5", "--lambda-min-ratio", "0.0005", "--split",
                  os.path.join(folder, "split.tsv")],
        "mf fit": [mf, "fit", *ratings, "--rank", "64", "--early-stopping", "off"],
        "mf cv": [mf, "cv", *ratings, "--ranks", "32,64", "--folds", "3"],
    }


class Cluster:
    def __init__(self, folder, name, command, nodes=2):
        self.name, self.out = name, os.path.join(folder, name.replace(" ", "-"))
        key = new_key(BIN, folder)
        self.driver, endpoint = listening_driver(
            [*command, "--out", self.out, "--threads", "1"], folder, ["--nodes", str(nodes), "--lease", "6", *key])
        self.nodes = [subprocess.Popen([os.path.join(BIN, "stradsd"), "--join", endpoint, "--name", f"n{k}", "--threads", "1",
                                        *key], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
                      for k in range(nodes)]

    def lines_of(self, name):
        path = os.path.join(self.out, ".unfinished", name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return file.readlines()

    def wait_for_rounds(self):
        """What trace.csv shows; mf cv has none: there a moment after all have read their data."""
        if self.name != "mf cv":
            return self.wait_until(lambda: len(self.lines_of("trace.csv")) > 3, "no round")
        self.wait_until(lambda: sum("has mapped its data" in line for line in self.lines_of("log.txt")) == len(self.nodes),
                        "no data")
        time.sleep(1)

    def wait_for_a_checkpoint(self):
        self.wait_until(lambda: glob.glob(os.path.join(self.out, ".checkpoint", "checkpoint-*.bin")), "no checkpoint")

    def wait_until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            expect(self.driver.poll() is None, self.driver.poll() is not None and self.driver.communicate()[1])
            expect(time.monotonic() < end, f"{what}: {os.listdir(self.out)}")
            time.sleep(0.02)

    def send(self, targets, number):
        order = {"all": self.nodes + [self.driver], "driver": [self.driver], "nodes": self.nodes,
                 "driver first": [self.driver] + self.nodes}[targets]
        for process in order:
            process.send_signal(number)

    def ended(self):
        """Exit codes of driver and nodes, and what the driver said."""
        _, errors = self.driver.communicate(timeout=PATIENCE)
        said = [node.communicate(timeout=PATIENCE)[1] for node in self.nodes]
        return self.driver.returncode, [node.returncode for node in self.nodes], errors, said


def story(folder, name, targets, number, nodes=2):
    cluster = Cluster(folder, name, commands(folder)[name], nodes)
    cluster.wait_for_rounds()
    since = time.monotonic()
    cluster.send(targets, number)
    code, nodes_codes, errors, said = cluster.ended()
    what = f"{name}, {signal.Signals(number).name} to {targets}: exit codes {code}, {nodes_codes}: {errors}\n{said}"
    expect(code == 3, what)
    expect(all(each == 0 for each in nodes_codes), what)
    path = os.path.join(cluster.out, "summary.json")
    expect(os.path.exists(path), what + f": {os.listdir(cluster.out)}")
    with open(path, encoding="utf-8") as file:
        summary = json.load(file)
    expect("signal" in json.dumps(summary), f"{what}: {summary.get('stop_reason')}")
    if name == "fit":
        expect(summary["stop_reason"] == "signal" and summary["relative_gap"] > 0, f"{what}: {summary}")
        expect(os.path.exists(os.path.join(cluster.out, "coefficients.tsv")), what)
    if targets == "nodes":
        expect("no node would be left: the runs end with their next commits" in errors, what)
    print(f"{name}: {signal.Signals(number).name} to {targets}: {time.monotonic() - since:.2f} s")


def resumed(folder, name, limits):
    """All get SIGTERM after a checkpoint; what the driver says then goes on, in one process, to the bits of the whole run."""
    command = [*commands(folder)[name], *limits]
    whole = os.path.join(folder, "whole")
    expected = bits(result_of(subprocess.Popen([*command, "--out", whole], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                               text=True), whole))
    since = time.monotonic()
    cluster = Cluster(folder, name, [*command, "--checkpoint-rounds", "1"])
    cluster.wait_for_a_checkpoint()
    cluster.send("all", signal.SIGTERM)
    code, nodes_codes, errors, said = cluster.ended()
    what = f"{name}, resumed: exit codes {code}, {nodes_codes}: {errors}\n{said}"
    expect((code, nodes_codes) == (3, [0, 0]), what)
    with open(os.path.join(cluster.out, "summary.json"), encoding="utf-8") as file:
        expect("signal" in json.dumps(json.load(file)), f"{what}: it had ended before")
    named = re.search(r"--resume \S+(?= goes on from the last checkpoint)", errors)
    expect(named, f"{what}: it does not say how to go on")
    again = subprocess.Popen([*command[:2], *named[0].split(), "--processes", "0"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    found = bits(result_of(again, cluster.out))
    expect(found == expected and any(expected), f"{what}: {found}, without an end {expected}")
    print(f"{name}: SIGTERM to all, resumed: {time.monotonic() - since:.2f} s")


# A fit with every signal to each of them and to all; every command with all at once, nodes first, and with nodes alone.
STORIES = [
    ("fit", "all", signal.SIGTERM, 2), ("fit", "all", signal.SIGINT, 2), ("fit", "driver first", signal.SIGHUP, 2),
    ("fit", "driver", signal.SIGTERM, 2), ("fit", "driver", signal.SIGINT, 2), ("fit", "driver", signal.SIGHUP, 2),
    ("fit", "nodes", signal.SIGTERM, 1), ("fit", "nodes", signal.SIGTERM, 2), ("fit", "nodes", signal.SIGINT, 2),
    ("fit", "nodes", signal.SIGHUP, 2),
    ("path", "all", signal.SIGHUP, 2), ("path", "nodes", signal.SIGINT, 2), ("cv", "all", signal.SIGTERM, 2),
    ("cv", "nodes", signal.SIGHUP, 2), ("split", "all", signal.SIGTERM, 2), ("split", "nodes", signal.SIGHUP, 2),
    ("mf fit", "all", signal.SIGINT, 2), ("mf fit", "nodes", signal.SIGTERM, 2), ("mf cv", "all", signal.SIGTERM, 2),
    ("mf cv", "nodes", signal.SIGINT, 2),
]
RESUMED = [("fit", ["--max-rounds", "3000", "--check-interval", "200"]), ("cv", ["--max-rounds", "4000"]),
           ("mf fit", ["--max-rounds", "120"])]


def main():
    with tempfile.TemporaryDirectory() as folder:
        write_data(folder)
        for number, each in enumerate([*STORIES, *RESUMED]):
            if len(sys.argv) < 4 or sys.argv[3] == str(number):
                where = os.path.join(folder, str(number))
                os.mkdir(where)
                for name in os.listdir(folder):
                    if os.path.isfile(os.path.join(folder, name)):
                        os.symlink(os.path.join(folder, name), os.path.join(where, name))
                story(where, *each) if len(each) == 4 else resumed(where, *each)


if __name__ == "__main__":
    main()
