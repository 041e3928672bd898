#!/usr/bin/env python3
"""Nodes that stay (stradsd --stay) serve one driver after the other, with real processes: the same bits from data that were
kept and from data that were read, whatever happened to the driver before; they wait without noise, leave when they are told
to, and hold no more after many runs than after a few.

usage: standing_nodes.py BIN_DIR SOURCE_DIR [STORY [RUNS]]

Prints one line a story; exit 1 if one of them went wrong. With STORY only that one; RUNS: of the
stories `many` and `faults`.
"""
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from story import new_key

LIMIT = 60  # seconds that nothing here takes
KEPT = "goes on with the data kept"


def free_port():
    """Below the ports that the system gives to connections, so that nobody else gets it meanwhile."""
    for _ in range(100):
        port = random.randint(10000, 30000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise RuntimeError("no free port")


class Node:
    """A standing node, and what it has said so far."""

    def __init__(self, place, name, more=(), key=None, stdin=subprocess.DEVNULL):
        self.path = place.path(f"{name}.log")
        with open(self.path, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [place.stradsd, "--join", place.endpoint, "--stay", "--name", name, "--threads", "1",
                 *(key or place.key), *more], stderr=log, stdin=stdin)

    def said(self):
        with open(self.path, encoding="utf-8") as log:
            return log.read()

    def wait_for(self, text, times=1):
        wait_until(lambda: self.said().count(text) >= times, lambda: f"'{text}' {times} times in:\n{self.said()}")

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(LIMIT)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def resident(self):
        """KiB."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def wait_until(condition, explain):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {LIMIT} s: {explain()}")
        time.sleep(0.02)


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


class Place:
    """A folder, an endpoint, a key, and commands that know them."""

    def __init__(self, bin_dir, source, folder):
        self.bin_dir, self.folder = bin_dir, folder
        self.stradsd = os.path.join(bin_dir, "stradsd")
        self.data = os.path.join(source, "tests/datasets")
        self.endpoint = f"tcp://127.0.0.1:{free_port()}"
        self.key = new_key(bin_dir, folder)
        self.nodes, self.drivers = [], []

    def path(self, name):
        return os.path.join(self.folder, name)

    def node(self, name, **options):
        self.nodes.append(Node(self, name, **options))
        return self.nodes[-1]

    def two_nodes(self):
        return [self.node("one"), self.node("two")]

    def genotypes(self):
        chr2 = os.path.join(self.data, "1000g-chr2-eur")
        return ["--bfile", os.path.join(chr2, "chr2-eur"), "--pheno", os.path.join(chr2, "pheno.tsv"), "--pheno-name", "sim20"]

    def table(self, name="x.csv", seed=1):
        """A file of 200 x 40 numbers."""
        rng = random.Random(seed)
        with open(self.path(name), "w", encoding="ascii") as file:
            file.write(",".join(f"x{j}" for j in range(40)) + ",y\n")
            for _ in range(200):
                row = [rng.gauss(0, 1) for _ in range(40)]
                file.write(",".join(f"{value:.6f}" for value in [*row, row[0] - 2 * row[1] + rng.gauss(0, 1)]) + "\n")
        return ["--x", self.path(name), "--y-name", "y"]

    def ratings(self):
        rng = random.Random(1)
        with open(self.path("ratings.csv"), "w", encoding="ascii") as file:
            file.write("user,item,rating\n")
            for user in range(60):
                for item in rng.sample(range(40), 12):
                    file.write(f"u{user},i{item},{1 + (user * item + rng.randrange(3)) % 5}\n")
        return ["--ratings", self.path("ratings.csv")]

    def driver(self, command, nodes=2):
        """Started; its results go to the folder out."""
        self.drivers.append(subprocess.Popen(
            [os.path.join(self.bin_dir, command[0]), *command[1:], "--quiet", "--force", "--out", self.path("out"),
             "--listen", self.endpoint, "--nodes", str(nodes), *self.key],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return self.drivers[-1]

    def summary(self):
        with open(self.path("out/summary.json"), encoding="utf-8") as file:
            return file.read()

    def bits(self, process):
        """All hashes of its results, by which two runs are compared."""
        _, errors = process.communicate(timeout=LIMIT)
        expect(process.returncode in (0, 3), f"exit code {process.returncode}: {errors}")
        return re.findall(r'"(\w*hash\w*)": (".*?"|\[[^]]*\])', self.summary().partition('"files"')[0])

    def run(self, command, nodes=2):
        return self.bits(self.driver(command, nodes))

    def embedded(self, command):
        return self.bits(subprocess.Popen(
            [os.path.join(self.bin_dir, command[0]), *command[1:], "--quiet", "--force", "--out", self.path("out")],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))

    def expect_same(self, command, nodes=2):
        alone = self.embedded(command)
        together = self.run(command, nodes)
        expect(alone and alone == together, f"{command}: {alone} embedded, {together} on standing nodes")

    def close(self):
        for process in [node.process for node in self.nodes] + self.drivers:
            if process.poll() is None:
                process.kill()
                process.wait()


SIZES = ["--schedulers", "2", "--workers", "3"]


def story_serve(place):
    """Runs of all commands one after the other, each twice: the second one goes on with the data of the first."""
    nodes = place.two_nodes()
    fit = ["lasso", "fit", *place.genotypes(), *SIZES, "--lambda-ratio", "0.3"]
    path = ["lasso", "path", *place.genotypes(), *SIZES, "--lambdas", "10"]
    cv = ["lasso", "cv", *place.genotypes(), *SIZES, "--lambdas", "5", "--folds", "3"]
    for command in (fit, path, cv, fit):  # one data set
        place.expect_same(command)
    for node in nodes:
        expect(node.said().count("has read the data") == 1, node.said())
        expect(node.said().count(KEPT) == 3, node.said())
    factors = ["mf", "fit", *place.ratings(), *SIZES, "--rank", "4", "--sweeps", "4"]
    grid = ["mf", "cv", *place.ratings(), *SIZES, "--ranks", "2,4", "--folds", "3", "--sweeps", "3"]
    for command in (factors, factors, grid, grid, fit, factors):
        place.expect_same(command)
    for node in nodes:
        expect(node.said().count(KEPT) == 5, node.said())
        node.wait_for("waits for a driver at", times=11)  # once before each of ten runs, and now
        expect(node.said().count("waits for a driver at") == 11, node.said())


def story_changed(place):
    """Whatever changes in files or options: what is fitted are the data as they are."""
    nodes = place.two_nodes()
    fit = ["lasso", "fit", *place.table(), *SIZES]
    time.sleep(0.2)  # what was written just now is not kept
    place.expect_same(fit)
    place.expect_same(fit)
    expect(all(node.said().count(KEPT) == 1 for node in nodes), nodes[0].said())
    place.table(seed=2)
    time.sleep(0.2)
    place.expect_same(fit)  # the file was written anew
    expect(all(node.said().count(KEPT) == 1 for node in nodes), nodes[0].said())
    place.expect_same([*fit, "--lambda-ratio", "0.5"])  # options of the fit are none of the data
    expect(all(node.said().count(KEPT) == 2 for node in nodes), nodes[0].said())
    with open(place.path("keep"), "w", encoding="ascii") as file:
        file.write("".join(f"{row}\n" for row in range(1, 100)))
    times = os.stat(place.path("x.csv"))
    place.table(seed=3)
    os.utime(place.path("x.csv"), ns=(times.st_atime_ns, times.st_mtime_ns))
    place.expect_same(fit)  # the same time of writing
    place.table(name="x3.csv", seed=4)
    os.rename(place.path("x3.csv"), place.path("x.csv"))
    place.expect_same(fit)  # another file in its place
    os.truncate(place.path("x.csv"), 9000)
    with open(place.path("x.csv"), "a", encoding="ascii") as file:
        file.write("\n")
    driver = place.driver(fit)
    _, errors = driver.communicate(timeout=LIMIT)
    expect(driver.returncode == 4, f"{driver.returncode}: {errors}")  # damaged: an error, as for everybody
    place.table(seed=2)
    place.expect_same(fit)


def story_kernels(place):
    """The kernel target of one run is not that of the next one."""
    nodes = place.two_nodes()
    fit = ["lasso", "fit", *place.genotypes(), *SIZES, "--lambda-ratio", "0.05"]
    place.expect_same([*fit, "--simd", "sse4"])
    place.expect_same(fit)
    simd = re.search(r'"kernel_target": "(\w+)"', place.summary())
    place.embedded(fit)
    own = re.search(r'"kernel_target": "(\w+)"', place.summary())
    expect(simd and simd[1] == own[1], f"{simd and simd[1]} after sse4, {own and own[1]} in one process")
    expect(all(node.process.poll() is None for node in nodes), "they stay")


def story_lost(place):
    """Drivers that are killed, and that give up because a node is missing; then one that runs to its end."""
    endless = ["lasso", "fit", *place.genotypes(), "--policy", "uniform", "--tolerance", "0", "--lambda-ratio", "0.05",
               "--lease", "3", *SIZES]
    fit = ["lasso", "fit", *place.genotypes(), *SIZES, "--lambda-ratio", "0.3"]
    nodes = place.two_nodes()
    for times in (1, 2):
        driver = place.driver(endless)
        for node in nodes:
            node.wait_for("rank ", 2 * times - 1)
        time.sleep(0.3)
        driver.kill()
        driver.wait()
        for node in nodes:
            node.wait_for("the run has ended: ", times)
        place.expect_same(fit)
    driver = place.driver([*fit, "--start-seconds", "2"], nodes=3)  # nobody else comes
    driver.communicate(timeout=LIMIT)
    expect(driver.returncode == 5, f"exit code {driver.returncode}")
    place.expect_same(fit)
    expect(all(node.process.poll() is None for node in nodes), "they stay")


def story_frozen(place):
    """A driver that is stopped for ever: its nodes go back to waiting when the lease is over."""
    endless = ["lasso", "fit", *place.genotypes(), "--policy", "uniform", "--tolerance", "0", "--lambda-ratio", "0.05",
               "--lease", "3", *SIZES]
    nodes = place.two_nodes()
    driver = place.driver(endless)
    for node in nodes:
        node.wait_for("rank ")
    driver.send_signal(signal.SIGSTOP)
    for node in nodes:
        node.wait_for("no word from the driver")
    driver.kill()
    driver.wait()
    place.expect_same(["lasso", "fit", *place.genotypes(), *SIZES, "--lambda-ratio", "0.3"])
    expect(all(node.process.poll() is None for node in nodes), "they stay")


def story_refused(place):
    """One with another key, and one too many: each says once why it does not join; the latter does while the run goes on."""
    other = place.path("other")
    os.mkdir(other)
    stranger = place.node("stranger", key=new_key(place.bin_dir, other))
    one = place.node("one")
    spare = place.node("spare")
    endless = ["lasso", "fit", *place.genotypes(), "--policy", "uniform", "--tolerance", "0", "--lambda-ratio", "0.05",
               "--max-seconds", "4", *SIZES]
    driver = place.driver(endless, nodes=1)
    _, errors = driver.communicate(timeout=LIMIT)
    expect(driver.returncode == 3, f"exit code {driver.returncode}: {errors}")
    expect(errors.count("refused ") <= 1, errors)
    expect(stranger.said().count("does not take this node's connection") == 1, stranger.said())
    second = spare if "rank 0 of 1: " in one.said() else one
    second.wait_for("rank 1 of 2: ")
    expect(second.said().count("refuses this node") <= 1, second.said())  # until the run has begun it may ask in vain
    place.expect_same(["lasso", "fit", *place.genotypes(), *SIZES, "--lambda-ratio", "0.3"])
    expect(all(node.process.poll() is None for node in (stranger, one, spare)), "they stay")


def story_leave(place):
    """SIGTERM and SIGINT while it waits: 0. Alone in a run: 0, and the run ends in order before it goes. A closed stdin: 0."""
    for number in (signal.SIGTERM, signal.SIGINT):
        node = place.node("one")
        node.wait_for("waits for a driver")
        since = time.monotonic()
        expect(node.end(number) == 0, node.said())
        expect(time.monotonic() - since < 2, "at once")
        expect("leaves: signal" in node.said(), node.said())
    node = place.node("one", more=["--watch-stdin"], stdin=subprocess.PIPE)
    node.wait_for("waits for a driver")
    node.process.stdin.close()
    expect(node.process.wait(LIMIT) == 0, node.said())
    node = place.node("one")
    driver = place.driver(["lasso", "fit", *place.genotypes(), "--policy", "uniform", "--tolerance", "0", "--lambda-ratio",
                           "0.05", *SIZES], nodes=1)
    node.wait_for("rank ")
    expect(node.end() == 0, node.said())
    _, errors = driver.communicate(timeout=LIMIT)
    # Before the first round it is an error. After it the run has results, and --quiet leaves the note to the log.
    with open(place.path("out/log.txt"), encoding="utf-8") as file:
        said = errors + file.read()
    expect(driver.returncode == 3 and "no node would be left" in said, f"exit code {driver.returncode}: {said}")


def story_closed_stdin(place):
    """In a run the closed stdin is no reason to leave before its end, unless the launcher says so."""
    fit = ["lasso", "fit", *place.genotypes(), "--policy", "uniform", "--tolerance", "0", "--lambda-ratio", "0.05", *SIZES]
    for words, code in ((b"", 3), (b"leave\n", 5)):
        node = place.node("one", more=["--watch-stdin"], stdin=subprocess.PIPE)
        driver = place.driver([*fit, "--max-rounds", "3000"] if code == 3 else fit, nodes=1)
        node.wait_for("rank ")
        os.write(node.process.stdin.fileno(), words)
        node.process.stdin.close()
        driver.communicate(timeout=LIMIT)
        expect(driver.returncode == code, f"exit code {driver.returncode}")
        expect(node.process.wait(LIMIT) == (0 if code == 3 else 5), node.said())
        expect(node.said().count("it stays in the run as long as the driver is there") == (code == 3), node.said())


def story_stuck(place):
    """A driver is lost while its node still reads, from a pipe that gives nothing: the node waits for the end of that before
    it joins again, and need not be waited for."""
    fit = ["lasso", "fit", *place.table(), *SIZES, "--lease", "3"]
    slow = place.path("slow")
    os.mkdir(slow)
    os.mkfifo(os.path.join(slow, "x.csv"))
    node = place.node("one", more=["--data-dir", slow])
    driver = place.driver(fit, nodes=1)
    node.wait_for("rank ")
    driver.kill()
    node.wait_for("waits until a computation of the run ends")
    with open(os.path.join(slow, "x.csv"), "w", encoding="ascii") as pipe, open(place.path("x.csv"), encoding="ascii") as file:
        pipe.write(file.read())
    node.wait_for("waits for a driver", 2)
    expect(node.said().count("waits until") == 1, node.said())
    os.remove(os.path.join(slow, "x.csv"))
    os.link(place.path("x.csv"), os.path.join(slow, "x.csv"))
    place.expect_same(fit, nodes=1)
    os.remove(os.path.join(slow, "x.csv"))
    os.mkfifo(os.path.join(slow, "x.csv"))
    driver = place.driver(fit, nodes=1)
    node.wait_for("rank ", 3)
    driver.kill()
    node.wait_for("waits until", 2)
    since = time.monotonic()
    expect(node.end() == 5, node.said())
    expect(time.monotonic() - since < 2, "at once")


def story_silent_launcher(place):
    """A launcher that gave signs of life and gives no more: the node leaves, though its stdin is open."""
    node = place.node("one", more=["--watch-stdin"], stdin=subprocess.PIPE)
    node.wait_for("waits for a driver")
    for _ in range(3):
        os.write(node.process.stdin.fileno(), b"\n")
        time.sleep(0.3)
    since = time.monotonic()
    expect(node.process.wait(LIMIT) == 0, node.said())
    expect(8 < time.monotonic() - since < 12, f"{time.monotonic() - since} s")
    expect("no sign of life from the launcher" in node.said(), node.said())


def held_after(run, nodes):
    """Once the nodes wait again, after the run of this number: open descriptors and KiB of memory of each."""
    for node in nodes:
        node.wait_for("waits for a driver at", run + 2)
    return [(node.descriptors(), node.resident()) for node in nodes]


def story_many(place, runs=25):
    """Many runs, some with another data set between them: descriptors and memory do not grow."""
    nodes = place.two_nodes()
    fits = [["lasso", "fit", *place.genotypes(), *SIZES, "--lambda-ratio", "0.3"],
            ["lasso", "fit", *place.table(), *SIZES],
            ["mf", "fit", *place.ratings(), *SIZES, "--rank", "4", "--sweeps", "3"]]
    expected = [place.embedded(fit) for fit in fits]
    early, held = None, [(0, 0)]
    for run in range(runs):
        which = (run // 2) % len(fits)
        expect(place.run(fits[which]) == expected[which], f"run {run} of {fits[which]}")
        held = held_after(run, nodes)
        if run == min(11, runs // 2):
            early = held
        if (run + 1) % 25 == 0:
            print(f"  after {run + 1} runs: descriptors and KiB of memory {held}", flush=True)
    expect_flat(early, held)


def cut_connections(place):
    """All of the driver's, as a switch does that forgets them. Needs root."""
    port = place.endpoint.rpartition(":")[2]
    subprocess.run(["ss", "-tnKH", "sport", "=", f":{port}", "or", "dport", "=", f":{port}"], stdout=subprocess.DEVNULL,
                   check=True)


def freeze(node, seconds):
    node.process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    node.process.send_signal(signal.SIGCONT)


def say_nonsense(place, rng):
    with socket.socket() as stranger:
        if stranger.connect_ex(("127.0.0.1", int(place.endpoint.rpartition(":")[2]))) == 0:
            stranger.sendall(rng.randbytes(rng.randrange(1, 4000)))


def story_faults(place, runs=8):
    """Many runs with a fault in each: a third node comes for each run and is killed in it, connections are cut, a node is
    frozen, the driver is killed or hears nonsense. The nodes that stay hold no more afterwards."""
    fit = ["lasso", "fit", *place.genotypes(), "--policy", "paper", "--tolerance", "0", "--lambda-ratio", "0.1",
           "--max-rounds", "1000", "--check-interval", "100", *SIZES]
    expected = place.embedded(fit)
    nodes = place.two_nodes()
    rng = random.Random(7)
    faults = {"killed node": 0, "cut connections": 0, "frozen node": 0, "killed driver": 0, "nonsense": 0}
    early, held = None, [(0, 0)]
    for run in range(runs):
        fault = list(faults)[run % len(faults)]
        faults[fault] += 1
        third = place.node("three") if fault == "killed node" else None
        driver = place.driver(fit, nodes=2 if third is None else 3)
        for node in nodes:
            node.wait_for("rank ", run + 1)
        time.sleep(rng.uniform(0, 0.5))
        if fault == "killed node":
            third.process.kill()
            third.process.wait()
            place.nodes.remove(third)
        elif fault == "cut connections":
            cut_connections(place)
        elif fault == "frozen node":
            freeze(rng.choice(nodes), 0.5)
        elif fault == "killed driver":
            driver.kill()
            driver.communicate()
        else:
            say_nonsense(place, rng)
        if fault != "killed driver":
            expect(place.bits(driver) == expected, f"run {run}, {fault}")
        place.drivers.remove(driver)
        held = held_after(run, nodes)
        if run == min(24, runs // 2):
            early = held
        if (run + 1) % 100 == 0:
            print(f"  after {run + 1} runs: descriptors and KiB of memory {held}", flush=True)
    print(f"  {faults}; descriptors and KiB of memory {early} early, {held} in the end", flush=True)
    expect_flat(early, held)


def expect_flat(early, held):
    for (files, memory), (files_before, memory_before) in zip(held, early):
        expect(files <= files_before, f"descriptors: {files_before} early, {files} in the end")
        expect(memory <= memory_before * 1.1 + 4096, f"memory: {memory_before} KiB early, {memory} in the end")


def main():
    bin_dir, source = sys.argv[1:3]
    stories = {name[len("story_"):]: story for name, story in globals().items() if name.startswith("story_")}
    if len(sys.argv) > 3 and sys.argv[3] not in stories:
        sys.exit(f"no story '{sys.argv[3]}'; there are: {', '.join(stories)}")
    failures = 0
    for name, story in stories.items():
        if len(sys.argv) > 3 and sys.argv[3] != name:
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Place(bin_dir, source, folder)
            since = time.monotonic()
            try:
                story(place, *map(int, sys.argv[4:5])) if name in ("many", "faults") else story(place)
                print(f"{name}: as it must, in {time.monotonic() - since:.1f} s", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as wrong:
                failures += 1
                print(f"{name}: WRONG: {wrong}", flush=True)
                for node in place.nodes:
                    print("".join(node.said().splitlines(True)[-8:]), flush=True)
            finally:
                place.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
