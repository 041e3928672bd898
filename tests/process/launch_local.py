#!/usr/bin/env python3
"""strads-launch --local: nodes on this machine, without ssh; and --live, which shows what nodes say behind their host and roles.

usage: launch_local.py BIN_DIR SOURCE_DIR [CASE...]
"""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import termios
import unittest

from launch_faults import BIN, ENDLESS, FIT, LIMIT, SOURCE, Place

sys.path.insert(0, str(SOURCE / "scripts"))
# pylint: disable=wrong-import-position
from strads_launch import label  # noqa: E402


class Local(Place):
    def start_here(self, nodes, command, *options, **streams):
        words = [sys.executable, SOURCE / "scripts/strads-launch", "--local", nodes, *options, "--", *command, "--out", self.out]
        with open(self.folder / "stderr", "wb") as said, open(self.folder / "stdout", "wb") as out:
            streams = {"stderr": said, "stdout": out, "stdin": subprocess.DEVNULL, "start_new_session": True, **streams}
            run = subprocess.Popen([*map(str, words)], **streams)
        self.addCleanup(self.end, run)
        return run

    def result(self):
        return json.loads((self.out / "summary.json").read_text())

    def wait_for_rounds(self):
        """Its nodes name no file of the folder: their driver's endpoint tells whose they are."""
        self.wait_until(lambda: " round " in self.said(), "no round")
        (line,) = self.processes("--endpoint-file").values()
        endpoint = pathlib.Path(re.search(r"--endpoint-file (\S+)", line)[1]).read_text().strip()
        self.marks[1:] = [f"--join {endpoint} "]

    def begin(self, *options, **streams):
        run = self.start_here(2, ENDLESS, *options, **streams)
        self.wait_for_rounds()
        return run

    def node(self, name):
        """(process of its shell, its own): one group."""
        found = [pid for pid, line in self.processes("--join", f"--name {name} ").items()]
        self.assertEqual(len(found), 2, self.processes())
        own = [pid for pid in found if os.getpgid(pid) != pid]
        self.assertEqual(len(own), 1, self.processes())
        return (set(found) - set(own)).pop(), own[0]

    def test_nodes_on_this_machine_have_the_bits_of_one_process_and_are_told_apart(self):
        logs = self.folder / "logs"
        run = self.start_here(3, FIT, "--live", "--logs", logs)
        self.assertEqual(run.wait(LIMIT), 0, self.said())
        result = self.result()
        self.assertEqual({node["name"] for node in result["cluster"]["node_list"]}, {"local/1", "local/2", "local/3"})
        subprocess.run([*FIT, "--out", self.folder / "alone", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(result["beta_hash"], json.loads((self.folder / "alone/summary.json").read_text())["beta_hash"])
        self.assertTrue((self.folder / "stdout").read_text().startswith("fitted   sim20 on chr2-eur"))
        expected = {}
        for node in result["cluster"]["node_list"]:
            roles = [f"scheduler{','.join(map(str, node['schedulers']))}"] if node["schedulers"] else []
            roles += [f"worker{','.join(map(str, node['workers']))}"] if node["workers"] else []
            expected[node["name"]] = " ".join([node["name"], *roles])
        log = (logs / "local.log").read_text()
        for name, shown in expected.items():
            self.assertIn(f"[{name}] stradsd: {name}: joins tcp://127.0.0.1:", self.said())
            self.assertIn(f"[{shown}] stradsd: {name}: rank ", self.said())
            self.assertRegex(log, rf"(?m)^[-\d]+ [:.\d]+ \[{re.escape(shown)}\] stradsd: {name}: rank ")
        self.assertEqual(self.processes(), {})

    def test_without_live_and_with_one_node_nothing_is_shown(self):
        run = self.start_here(1, FIT)
        self.assertEqual((run.wait(LIMIT), self.said()), (0, ""))
        self.assertEqual([node["name"] for node in self.result()["cluster"]["node_list"]], ["local"])

    def test_ctrl_c_at_a_terminal_ends_in_order_and_leaves_nothing(self):
        ours, theirs = os.openpty()
        self.addCleanup(os.close, ours)

        def at_the_terminal():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        run = self.begin("--live", stdin=theirs, stdout=theirs, preexec_fn=at_the_terminal)
        os.close(theirs)
        os.write(ours, b"\x03")
        self.assertEqual(run.wait(LIMIT), 3, self.said())
        self.assertIn("Ctrl-C again stops at once, without results", self.said())
        self.expect_results()
        self.assertEqual(self.processes(), {})

    def test_a_killed_node_is_named_and_the_run_goes_on(self):
        run = self.begin()
        os.kill(self.node("local/2")[1], signal.SIGKILL)
        self.wait_until(lambda: "lost rank" in self.said(), "not lost")
        before = self.said().count(" round ")
        self.wait_until(lambda: self.said().count(" round ") > before + 1, "no more rounds")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(LIMIT), 3, self.said())
        self.assertIn("[local/2] stradsd ended by signal 9 (Killed)", self.said())
        self.assertNotIn("ssh", self.said())
        self.assertEqual(self.processes(), {})

    def test_a_frozen_node_is_ended_with_its_shell(self):
        run = self.begin()
        for pid in self.node("local/1"):
            os.kill(pid, signal.SIGSTOP)
        os.kill(run.pid, signal.SIGINT)
        run.wait(LIMIT)
        self.assertEqual(self.processes(), {}, self.said())

    def test_nodes_end_where_the_launcher_or_the_driver_with_it_is_killed(self):
        for with_driver in (False, True):
            with self.subTest(with_driver=with_driver):
                run = self.begin()
                for pid in [*self.processes("--endpoint-file"), *self.processes("--local")] if with_driver else [run.pid]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                run.wait()
                self.expect_nothing_left()
                if not with_driver:
                    self.expect_results()
                self.out = self.folder / "again"

    def test_what_is_wrong_is_said_with_what_was_expected(self):
        for nodes in ("0", "x", "-1", "4097", ""):
            run = self.start_here(nodes, FIT)
            self.assertEqual((run.wait(LIMIT), self.said()), (2, f"strads-launch: error: --local {nodes}: expected how many nodes "
                                                              "to start here, 1 to 4096\n"))
        run = self.start_here(2, FIT, "--hosts", "a,b")
        self.assertEqual((run.wait(LIMIT), self.said()), (2, "strads-launch: error: --hosts and --local: expected one of them\n"))

    def test_this_machine_is_checked_as_any_host(self):
        run = self.start_here(2, FIT, "--check")
        self.assertEqual(run.wait(LIMIT), 0, self.said())
        self.assertRegex((self.folder / "stdout").read_text(), r"(?m)^local +2 +ok ")


class Labels(unittest.TestCase):
    def test_roles_are_those_that_a_node_has_said_last(self):
        for said, expected in (("stradsd: a/1: rank 1 of 3: workers 2", ["worker2"]),
                               ("stradsd: a/1: rank 0 of 1: schedulers 0 1 2 3, workers 0 1 2 3",
                                ["scheduler0-3", "worker0-3"]),
                               ("stradsd: a: from now on: schedulers 2, workers 2 5 6", ["scheduler2", "worker2,5-6"]),
                               ("stradsd: a: rank 3 of 4: no role", []),
                               ("stradsd: a: from now on: workers 0 2 4 6 8 10", ["worker0,2,4,6,.."]),
                               ("stradsd: a: rank 3 joins", None), ("stradsd: a: waits for the other nodes", None),
                               ("lasso: rank 3 of 4: workers 2", None)):
            self.assertEqual(label.roles_said(said), expected, said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
