#!/usr/bin/env python3
"""Ends the driver of a cluster by SIGKILL at named points: what is resumed must end with the same bits, on another number of
processes.

usage: kill_driver.py BIN_DIR SOURCE_DIR [POINT]

A fit, a cross-validation and a factorization, whose driver and nodes talk over tcp and which write a checkpoint at every
barrier. After each point `--resume` goes on in one process, on two or on four, in turn; where no checkpoint was written yet
the command is given again. Prints one line a point; exit 1 if a hash differs.
"""
import glob
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

from story import bits, cv_command, fit_command, mf_command, new_key, result_of, wait_for

PATIENCE = 60  # seconds
PROCESSES = ["0", "2", "4"]  # of the resumed run, in turn
COMMANDS = {
    "fit": lambda *where: ["8000" if word == "2500" else word for word in fit_command(*where)] + ["--check-interval", "200"],
    "cv": cv_command,
    "mf": mf_command,
}
ROLES = ["scheduler,worker", "scheduler,worker", "worker"]


class Cluster:
    """A driver and its nodes, and what can be seen of them from outside."""

    def __init__(self, bin_dir, command, folder, out, nodes=len(ROLES), file_bytes=None):
        self.bin_dir, self.folder, self.out = bin_dir, folder, out
        self.key = new_key(bin_dir, folder)
        endpoint = os.path.join(folder, "endpoint")
        if os.path.exists(endpoint):
            os.remove(endpoint)

        def limit():
            if file_bytes is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        self.driver = subprocess.Popen(
            [*command, "--checkpoint-rounds", "1", "--listen", "tcp://127.0.0.1:0", "--endpoint-file", endpoint, "--nodes",
             str(len(ROLES)), "--lease", "5", *self.key],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit)
        self.endpoint = wait_for(endpoint, self.driver)
        self.nodes = []
        for role in ROLES[:nodes]:
            self.join(role)

    def join(self, role="scheduler,worker"):
        path = os.path.join(self.folder, f"node{len(self.nodes)}.log")
        with open(path, "w", encoding="utf-8") as log:
            process = subprocess.Popen([os.path.join(self.bin_dir, "stradsd"), "--join", self.endpoint, "--threads", "1",
                                        *self.key, "--roles", role], stderr=log)
        process.path = path
        self.nodes.append(process)
        return process

    def log(self):
        """Of the driver. While the run goes on its files lie in a folder of their own."""
        for path in glob.glob(os.path.join(self.out, "**", "log.txt"), recursive=True, include_hidden=True):
            try:
                with open(path, encoding="utf-8") as file:
                    return file.read()
            except FileNotFoundError:
                continue  # it was moved meanwhile
        return ""

    def checkpoints(self):
        """Names in their folder, those that are being written included."""
        try:
            return os.listdir(os.path.join(self.out, ".checkpoint"))
        except FileNotFoundError:
            return []

    def whole(self):
        return [name for name in self.checkpoints() if name.startswith("checkpoint-") and name.endswith(".bin")]

    def wait(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert self.driver.poll() is None, f"the driver ended with {self.driver.returncode} before: {what}\n{self.log()}"
            assert time.monotonic() < deadline, f"not within {PATIENCE} s: {what}\n{self.log()}"
            time.sleep(0.0005)

    def wait_for_log(self, text):
        self.wait(lambda: text in self.log(), text)

    def wait_for_node(self, node, text):
        def said():
            with open(node.path, encoding="utf-8") as file:
                return text in file.read()
        self.wait(said, text)

    def close(self):
        self.driver.kill()
        self.driver.wait()
        for node in self.nodes:
            try:
                node.wait(20)
            finally:
                node.kill()


def after_checkpoints(count):
    """So many were written, or a few more."""
    def point(run):
        seen, last = 0, None
        while seen < count:
            run.wait(lambda: newest(run) != last, f"checkpoint {seen + 1}")
            last = newest(run)
            seen += 1
    return point


def newest(run):
    times = [None]
    for name in run.whole():
        try:
            times.append(os.stat(os.path.join(run.out, ".checkpoint", name)).st_mtime_ns)
        except FileNotFoundError:
            pass
    return max(times, key=lambda when: when or 0)


def being_written(run):
    run.wait(lambda: set(run.checkpoints()) - set(run.whole()), "a checkpoint that is being written")


def first_then(*more):
    def point(run):
        after_checkpoints(1)(run)
        for step in more:
            step(run)
    return point


def kill(place):
    return lambda run: run.nodes[place].kill()


def leave(place):
    return lambda run: run.nodes[place].send_signal(signal.SIGTERM)


def sleep(seconds):
    return lambda _: time.sleep(seconds)


def says(text):
    return lambda run: run.wait_for_log(text)


def newcomer_says(text):
    return lambda run: run.wait_for_node(run.nodes[-1], text)


def joins(run):
    run.join()


def signals(number):
    return lambda run: run.driver.send_signal(number)


def dies_of_limit(run):
    assert run.driver.wait(PATIENCE) == -signal.SIGXFSZ, run.driver.returncode


def results_appear(run):
    run.wait(lambda: os.path.exists(os.path.join(run.out, "coefficients.tsv")), "results")


# What is run; the point; a limit of the bytes of a file, as a part of the first checkpoint (None: no limit).
POINTS = {
    "nobody has joined": ("fit", sleep(0), None),
    "all have joined": ("fit", lambda run: run.wait_for_node(run.nodes[0], "rank "), None),
    "data are read": ("fit", says("has mapped its data"), None),
    "the first checkpoint is being written": ("fit", being_written, None),
    "half of the first checkpoint is written": ("fit", dies_of_limit, 0.5),
    "nearly all of a checkpoint is written": ("fit", dies_of_limit, 1.0),
    "the first checkpoint is there": ("fit", after_checkpoints(1), None),
    "the second checkpoint is being written": ("fit", first_then(being_written), None),
    "ten checkpoints were written": ("fit", after_checkpoints(10), None),
    "a checkpoint was asked for by a signal": ("fit", first_then(signals(signal.SIGUSR1), sleep(0.005)), None),
    "a worker was killed": ("fit", first_then(kill(2), sleep(0.05)), None),
    "a scheduler was killed, nothing has moved": ("fit", first_then(kill(0), sleep(0.05)), None),
    "a scheduler was killed, the run goes on elsewhere": ("fit", first_then(kill(0), says("goes on from")), None),
    "a node has asked to join": ("fit", first_then(joins, says("joined while runs go on")), None),
    "a node has joined and has roles": ("fit", first_then(joins, newcomer_says("from now on")), None),
    "a node has asked to leave": ("fit", first_then(leave(1), says("leaves: ")), None),
    "a node has left": ("fit", first_then(leave(1), says("has left")), None),
    "the driver was frozen": ("fit", first_then(signals(signal.SIGSTOP), sleep(1)), None),
    "results are being written": ("fit", results_appear, None),
    "no run of a cross-validation has ended": ("cv", after_checkpoints(1), None),
    "runs of a cross-validation have ended": ("cv", after_checkpoints(12), None),
    "a checkpoint of several runs is being written": ("cv", first_then(being_written), None),
    "half of a checkpoint of factors is written": ("mf", dies_of_limit, 0.5),
    "a checkpoint of factors is there": ("mf", after_checkpoints(1), None),
    "factors went elsewhere": ("mf", first_then(kill(1), says("goes on from")), None),
}


class Story:
    """One command, and what it gives when nothing happens."""

    def __init__(self, name, bin_dir, source, folder):
        self.bin_dir, self.folder, self.name = bin_dir, os.path.join(folder, name), name
        os.makedirs(self.folder)
        self.make = lambda out: COMMANDS[name](bin_dir, source, out)
        out = os.path.join(self.folder, "whole")
        run = Cluster(bin_dir, self.make(out), self.folder, out)
        after_checkpoints(1)(run)
        self.bytes = min(os.path.getsize(os.path.join(out, ".checkpoint", name)) for name in run.whole())
        run.driver.wait(PATIENCE)
        run.close()
        embedded = os.path.join(self.folder, "embedded")
        self.expected = bits(result_of(subprocess.Popen(self.make(embedded), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                                        text=True), embedded))

    def resumed(self, out, processes):
        """What the run ends with, and how it went on."""
        begun = bool(glob.glob(os.path.join(out, ".checkpoint", "checkpoint-*.bin")))
        command = [*self.make(out)[:2], "--resume", out, "--quiet"] if begun else self.make(out)
        process = subprocess.Popen([*command, f"--processes={processes}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        return bits(result_of(process, out)), "resumed" if begun else "given again"


def main():
    bin_dir, source = sys.argv[1:3]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        stories = {}
        for place, (name, (of, point, part)) in enumerate(POINTS.items()):
            if len(sys.argv) > 3 and sys.argv[3] != name:
                continue
            if of not in stories:
                stories[of] = Story(of, bin_dir, source, folder)
            story = stories[of]
            out = os.path.join(story.folder, f"out{place}")
            run = Cluster(bin_dir, story.make(out), story.folder, out, nodes=0 if name == "nobody has joined" else len(ROLES),
                          file_bytes=None if part is None else int(story.bytes * part) - (part == 1))
            try:
                point(run)
            finally:
                run.close()
            processes = PROCESSES[place % len(PROCESSES)]
            found, how = story.resumed(out, processes)
            same = found == story.expected
            failures += not same
            print(f"{of}: {name}: {how}, --processes {processes}: {'same' if same else f'DIFFERENT {found}'}", flush=True)
    print("all gave the same bits" if failures == 0 else f"{failures} FAILURES")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
