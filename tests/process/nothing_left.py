#!/usr/bin/env python3
"""Runs that end badly, with real processes: how long after it the last process is gone, and what lies about then.

usage: nothing_left.py BIN_DIR SOURCE_DIR [STORY]

Prints one line a story, with the seconds until the last process was gone; exit 1 if that took longer than promised, or if
something was left: a process, a folder of sockets, a file that was being written. With STORY only that one.
"""
import os
import signal
import subprocess
import sys
import tempfile
import time

from story import listening_driver, new_key

GONE = 15  # seconds: the promise, for all but a driver that is frozen
LEASE = 15  # --lease as it is without the option
MARK = "STRADS_NOTHING_LEFT"  # in the environment of every process of a story


class Place:
    def __init__(self, bin_dir, source, folder):
        self.bin_dir, self.folder = bin_dir, folder
        self.data = os.path.join(source, "tests/datasets/1000g-chr2-eur")
        self.tmp, self.out = os.path.join(folder, "tmp"), os.path.join(folder, "out")
        os.mkdir(self.tmp)
        os.environ.update({"TMPDIR": self.tmp, MARK: folder})
        self.started = []

    def fit(self, more):
        """One that no policy finishes."""
        return [os.path.join(self.bin_dir, "lasso"), "fit", "--bfile", os.path.join(self.data, "chr2-eur"), "--pheno",
                os.path.join(self.data, "pheno.tsv"), "--pheno-name", "sim20", "--policy", "uniform", "--tolerance", "0",
                "--lambda-ratio", "0.05", "--schedulers", "2", "--workers", "4", "--threads", "1", "--force", "--out",
                self.out, *more]

    def start(self, command):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.started.append(process)
        return process

    def driver_with_processes(self):
        driver = self.start(self.fit(["--processes=2"]))
        self.wait_for_rounds(driver)
        nodes = [pid for pid, name in self.processes().items() if name == "stradsd"]
        assert len(nodes) == 2, self.processes()
        return driver, nodes

    def driver_with_tcp_nodes(self):
        key = new_key(self.bin_dir, self.folder)
        driver, endpoint = listening_driver(self.fit([]), self.folder, ["--nodes", "2", *key])
        self.started.append(driver)
        nodes = [self.start([os.path.join(self.bin_dir, "stradsd"), "--join", endpoint, "--threads", "1", *key])
                 for _ in range(2)]
        self.wait_for_rounds(driver)
        return driver, [node.pid for node in nodes]

    @staticmethod
    def wait_for_rounds(driver):
        said = ""
        while " round " not in said:
            line = driver.stderr.readline()
            assert line, f"the driver ended: {said}"
            said += line

    def processes(self):
        """{pid: name} of all that belong to this story, the dead ones left out."""
        found = {}
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if f"{MARK}={self.folder}".encode() not in file.read().split(b"\0"):
                        continue
                with open(f"/proc/{entry}/comm", encoding="ascii") as file:
                    found[int(entry)] = file.read().strip()
            except OSError:
                continue  # it has ended meanwhile
        return found

    def seconds_until_gone(self, since, limit, but=()):
        for process in self.started:
            process.poll()
        while set(self.processes()) - set(but):
            if time.monotonic() - since > limit:
                raise AssertionError(f"still there after {limit} s: {self.processes()}")
            time.sleep(0.05)
            for process in self.started:
                process.poll()  # so that it is no zombie, which has no environment either way
        return time.monotonic() - since

    def expect_no_files(self):
        left = os.listdir(self.tmp)
        assert not left, f"left in the folder for temporary files: {left}"

    def close(self):
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def kill_now(process):
    since = time.monotonic()
    process.send_signal(signal.SIGKILL)
    return since


def freeze(pid):
    """Until all of its threads have stopped: the system minds only those that have."""
    os.kill(pid, signal.SIGSTOP)
    deadline = time.monotonic() + 60
    while not all(state == "T" for state in states(pid)):
        assert time.monotonic() < deadline, f"process {pid} does not stop: {states(pid)}"
        time.sleep(0.001)


def states(pid):
    found = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii") as file:
            found.append(file.read().rpartition(")")[2].split()[0])
    return found


def story_killed_driver_of_local_processes(place):
    driver, _ = place.driver_with_processes()
    seconds = place.seconds_until_gone(kill_now(driver), GONE)
    place.expect_no_files()
    return seconds


def story_killed_driver_of_frozen_processes(place):
    """The system continues them: each is a process group of its own, which nobody minds any more."""
    driver, nodes = place.driver_with_processes()
    for node in nodes:
        freeze(node)
    seconds = place.seconds_until_gone(kill_now(driver), GONE)
    place.expect_no_files()
    return seconds


def story_driver_killed_at_the_start(place):
    """At any moment before all have joined. Where it had started nobody, its folder is left: the next run removes it."""
    worst = 0
    for milliseconds in range(0, 120, 6):
        driver = place.start(place.fit(["--processes=3"]))
        time.sleep(milliseconds / 1000)
        worst = max(worst, place.seconds_until_gone(kill_now(driver), GONE))
    for name in os.listdir(place.tmp):
        os.utime(os.path.join(place.tmp, name), (0, 0))
    driver, _ = place.driver_with_processes()
    assert len(os.listdir(place.tmp)) == 1, os.listdir(place.tmp)
    place.seconds_until_gone(kill_now(driver), GONE)
    place.expect_no_files()
    return worst


def story_killed_driver_of_tcp_nodes(place):
    driver, _ = place.driver_with_tcp_nodes()
    return place.seconds_until_gone(kill_now(driver), GONE)


def story_frozen_driver_of_tcp_nodes(place):
    """Nobody but the lease can tell: it takes that long, and a moment. The driver itself is left, frozen."""
    driver, _ = place.driver_with_tcp_nodes()
    since = time.monotonic()
    driver.send_signal(signal.SIGSTOP)
    return place.seconds_until_gone(since, LEASE + 3, but=[driver.pid])


def story_frozen_driver_of_local_processes(place):
    driver, _ = place.driver_with_processes()
    since = time.monotonic()
    driver.send_signal(signal.SIGSTOP)
    seconds = place.seconds_until_gone(since, LEASE + 3, but=[driver.pid])
    kill_now(driver)
    driver.wait()
    return seconds


def story_node_of_local_processes_frozen_at_the_end(place):
    """It has a scheduler, without which no round ends: the lease decides. The driver then ends it."""
    driver, nodes = place.driver_with_processes()
    freeze(nodes[1])
    since = time.monotonic()
    driver.send_signal(signal.SIGINT)
    seconds = place.seconds_until_gone(since, LEASE + 6)
    place.expect_no_files()
    return seconds


def story_tcp_node_frozen_at_the_end(place):
    """Only who may send it signals can end it; the others do not wait. Continued, it leaves by itself."""
    driver, nodes = place.driver_with_tcp_nodes()
    freeze(nodes[1])
    since = time.monotonic()
    driver.send_signal(signal.SIGINT)
    seconds = place.seconds_until_gone(since, LEASE + 3, but=[nodes[1]])
    os.kill(nodes[1], signal.SIGCONT)
    place.seconds_until_gone(time.monotonic(), GONE)
    return seconds


def story_killed_while_checkpoints_are_written(place):
    """Files that were being written: the next run into the same folder, or --resume, takes them away."""
    for moment in range(10):
        run = place.start(place.fit(["--checkpoint-rounds", "1", "--check-interval", "10"]))
        place.wait_for_rounds(run)
        time.sleep(moment * 0.037)
        kill_now(run)
        run.wait()
    unfinished = [name for name in all_files(place.out) if not is_whole(name)]
    run = place.start([os.path.join(place.bin_dir, "lasso"), "fit", "--resume", place.out, "--max-seconds", "0.2"])
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 3, errors
    left = [name for name in all_files(place.out) if not is_whole(name)]
    assert not left, f"left: {left}; before: {unfinished}"
    return 0


def all_files(folder):
    return [os.path.relpath(os.path.join(at, name), folder) for at, folders, names in os.walk(folder)
            for name in [*names, *folders]]


def is_whole(name):
    parts = name.split(os.sep)
    return not any(part.startswith(".") for part in parts if part != ".checkpoint") and not name.endswith(".tmp")


def main():
    bin_dir, source = sys.argv[1:3]
    stories = {name[len("story_"):]: story for name, story in globals().items() if name.startswith("story_")}
    if len(sys.argv) > 3 and sys.argv[3] not in stories:
        sys.exit(f"no story '{sys.argv[3]}'; there are: {', '.join(stories)}")
    failures = 0
    for name, story in stories.items():
        if len(sys.argv) > 3 and name != sys.argv[3]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            place = Place(bin_dir, source, folder)
            try:
                print(f"{name}: gone after {story(place):.2f} s", flush=True)
            except (AssertionError, subprocess.TimeoutExpired) as wrong:
                failures += 1
                print(f"{name}: WRONG: {wrong}", flush=True)
            finally:
                place.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
