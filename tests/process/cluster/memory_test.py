#!/usr/bin/env python3
"""Runs in a control group that limits their memory: with a little more than --dry-run plans they live, with less than it
says they need they are refused before they read anything, also on a node of a cluster.

Needs root and control groups of memory, version 1 or 2, that it may make."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from cluster import BIN, HERE

sys.path.insert(0, str(HERE.parent))
from planned_memory import FEW, FIT, MIB, ONE, Folder, planned  # noqa: E402
from story import listening_driver  # noqa: E402

ROOM = 8 * MIB  # libraries, tables of pages and what else counts as the group's


class Group:
    """A control group with a limit."""

    def __init__(self, limit):
        version2 = os.path.exists("/sys/fs/cgroup/cgroup.controllers")
        top = pathlib.Path("/sys/fs/cgroup" if version2 else "/sys/fs/cgroup/memory")
        self.path = top / f"strads-test-{os.getpid()}"
        try:
            self.path.mkdir()
            (self.path / ("memory.max" if version2 else "memory.limit_in_bytes")).write_text(str(int(limit)))
        except OSError as error:
            raise AssertionError(f"no control group with a limit of memory can be made here ({error}): it takes root; leave "
                                 "these tests out with: ctest -LE cluster") from None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.path.rmdir()

    def enter(self):
        (self.path / "cgroup.procs").write_text(str(os.getpid()))

    def run(self, command):
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, preexec_fn=self.enter)


def needs(shown):
    """MiB that a run is refused for."""
    return float(re.search(r"^needs +([\d.]+) MiB", shown, re.M)[1])


class MemoryLimits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        folder = Folder(cls.place.name)
        cls.commands = [[str(BIN / "lasso"), "fit", *folder.sparse(), *FEW, *ONE],
                        [str(BIN / "mf"), "fit", *folder.ratings(count=400_000), *FIT, "--rank", "16", *ONE]]

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_a_run_lives_with_a_little_more_than_is_planned(self):
        for command in self.commands:
            plan, _ = planned(command)
            with Group(1.15 * plan["this process"] * MIB + ROOM) as group:
                done = group.run([*command, "--quiet"])
            self.assertIn(done.returncode, (0, 3), f"{command}: {plan}: {done.stderr}")

    def test_a_run_is_refused_with_less_than_it_needs(self):
        for command in self.commands:
            _, shown = planned(command)
            with Group((needs(shown) - 4) * MIB) as group:
                done = group.run([*command, "--out", os.path.join(self.place.name, "out")])
                asked = group.run([*command, "--dry-run"])
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(done.stderr, r"error: not enough memory: at least [\d.]+ MiB would be taken on this host besides "
                             r"mapped files, and [\d.]+ MiB can be had \(machine and control groups\); ")
            said = float(re.search(r"at least ([\d.]+) MiB", done.stderr)[1])
            self.assertAlmostEqual(said, needs(shown), delta=0.02 * said, msg="what --dry-run says; pieces of a text count")
            self.assertEqual(asked.returncode, 4, "a script can ask")
            self.assertFalse(os.path.exists(os.path.join(self.place.name, "out", "summary.json")))

    def test_a_node_that_cannot_hold_the_data_ends_the_run(self):
        command = self.commands[0]
        _, shown = planned(command)
        with Group(needs(shown) / 2 * MIB) as group:
            driver, endpoint = listening_driver(command, self.place.name, ["--nodes", "1", "--insecure"])
            node = subprocess.Popen([str(BIN / "stradsd"), "--join", endpoint, "--insecure"], preexec_fn=group.enter,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _, errors = driver.communicate(timeout=60)
            node.wait(60)
        self.assertEqual(driver.returncode, 4, errors)
        self.assertRegex(errors, r"rank 0 .*: not enough memory: at least [\d.]+ MiB would be taken")


if __name__ == "__main__":
    unittest.main()
