#!/usr/bin/env python3
"""Ends processes by SIGKILL between their joining and the first rounds. Without a worker the result must stay the same to
the last bit; without a scheduler the run must end with code 5 and name it, whatever others can still reach.

usage: die_at_start.py BIN_DIR SOURCE_DIR [MOMENTS [SEED]]

One line a run; exit 1 if one went wrong. MOMENTS: so many runs of each kind that dies at a random moment.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

from story import fit_command, listening_driver, new_key, result_of

LEASE = 3
MOST = 0.4  # seconds after WELCOME: a node's second beat comes after a fifteenth of the lease


class Cluster:
    """A driver, a scheduler and two workers over tcp. `names`: who joins, in this order."""

    def __init__(self, bin_dir, source, folder, names, driver_options=()):
        self.bin_dir, self.out = bin_dir, os.path.join(folder, "out")
        self.key = new_key(bin_dir, folder)
        self.driver, self.endpoint = listening_driver(
            fit_command(bin_dir, source, self.out), folder,
            ["--nodes", "3", "--expect", "scheduler,worker1,worker2", "--lease", str(LEASE), *self.key, *driver_options])
        self.nodes = {}
        for name, options in names:
            self.start(name, *options)

    def start(self, name, *options):
        node = subprocess.Popen([os.path.join(self.bin_dir, "stradsd"), "--join", self.endpoint, "--threads", "1", "--name",
                                 name, "--roles", name.rstrip("12"), *self.key, *options], stderr=subprocess.PIPE, text=True)
        self.nodes[name] = node
        return node

    @staticmethod
    def wait_until_it_says(node, words):
        for line in node.stderr:
            if words in line:
                break
        # What it says later must not fill the pipe.
        threading.Thread(target=node.stderr.read, daemon=True).start()

    def wait_until_welcome(self):
        for node in self.nodes.values():
            self.wait_until_it_says(node, " of 3: ")

    def result(self):
        """Exit code, what the driver said, hash; ends whatever is left."""
        try:
            _, errors = self.driver.communicate(timeout=60)
            code = self.driver.returncode
        except subprocess.TimeoutExpired:
            self.driver.kill()
            _, errors = self.driver.communicate()
            code = "hangs"
        for node in self.nodes.values():
            if node.poll() is None:
                node.kill()
            node.wait()
        if code != 3:  # --max-rounds
            return code, errors.strip(), None
        return code, errors.strip(), result_of(self.driver, self.out)["beta_hash"]


EVERYBODY = [("scheduler", ()), ("worker1", ()), ("worker2", ())]


def blocked_data(source, folder):
    """The data, but one file is a pipe into which nobody writes: who reads it loads for ever."""
    data = os.path.join(source, "tests/datasets/1000g-chr2-eur")
    blocked = os.path.join(folder, "blocked")
    os.makedirs(blocked)
    for name in os.listdir(data):
        if name == "pheno.tsv":
            os.mkfifo(os.path.join(blocked, name))
        else:
            os.symlink(os.path.join(data, name), os.path.join(blocked, name))
    return blocked


def main():
    bin_dir, source = sys.argv[1:3]
    moments = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        def check(what, result, good):
            nonlocal failures
            failures += not good
            print(f"{what}: {'as it must' if good else 'WRONG'}: {result}", flush=True)

        def started(names=None, **options):
            return Cluster(bin_dir, source, folder, EVERYBODY if names is None else names, **options)

        cluster = started()
        _, _, expected = result = cluster.result()
        check("nobody dies", result, expected is not None)
        if failures:
            return 1

        blocked = blocked_data(source, folder)
        cluster = started([("scheduler", ()), ("worker1", ()), ("worker2", ("--data-dir", blocked))])
        cluster.wait_until_welcome()
        time.sleep(0.3)
        cluster.nodes["worker2"].kill()
        result = cluster.result()
        check("a worker dies while it loads", result, result[2] == expected)

        cluster = started([("scheduler", ("--data-dir", blocked)), ("worker1", ()), ("worker2", ())])
        cluster.wait_until_welcome()
        time.sleep(0.3)
        cluster.nodes["scheduler"].kill()
        result = cluster.result()
        check("the scheduler dies while it loads", result,
              result[0] == 5 and re.search(r"lost rank \d \(scheduler, process \d+\), scheduler 0 1 2 3, last seen loading",
                                           result[1]))

        cluster = started([("worker1", ())])
        cluster.wait_until_it_says(cluster.nodes["worker1"], "waits for the other nodes")
        cluster.nodes["worker1"].kill()
        for name in ("scheduler", "worker2", "worker1"):
            cluster.start(name)
        result = cluster.result()
        check("a worker dies while others are missing, and is started again", result, result[2] == expected)

        for _ in range(moments):
            for name in ("worker1", "scheduler"):
                moment = rng.uniform(0, MOST)
                cluster = started()
                cluster.wait_until_welcome()
                time.sleep(moment)
                late = cluster.driver.poll() is not None
                cluster.nodes[name].kill()
                result = cluster.result()
                named = result[0] == 5 and re.search(rf"lost rank \d \({name}, ", result[1])
                check(f"the {name} dies {moment:.2f} s after WELCOME", result,
                      late or result[2] == expected or (name == "scheduler" and named))
    print("all as they must" if failures == 0 else f"{failures} FAILURES")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
