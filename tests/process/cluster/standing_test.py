#!/usr/bin/env python3
"""strads-launch --stay on three emulated hosts: its nodes serve several drivers, and none of them is left when it ends,
however it ends."""
import os
import pathlib
import re
import signal
import sys
import time
import unittest

from cluster import BIN, GONE_SECONDS, INPUT, LAUNCH, ClusterTest, summary, wait_until

FIT = [*INPUT, "--lambda-ratio", "0.5", "--schedulers", "4", "--workers", "3", "--depth", "2"]
PORT = "5570"


class Standing(ClusterTest):
    def setUp(self):
        super().setUp()
        pathlib.Path(self.hosts.path("hostfile")).write_text("node1\nnode2\nnode3\n")
        self.launcher = self.in_network([sys.executable, str(LAUNCH), "--hosts", self.hosts.path("hostfile"), "--ssh",
                                         f"ssh -F {self.hosts.path('ssh_config')}", "--logs", self.hosts.path("logs"),
                                         "--stay", "--port", PORT, "--key", self.hosts.path("run.key"), "--",
                                         str(BIN / "stradsd")], "launcher")
        self.wait_for("waits for a driver", "node1", "node2", "node3")
        wait_until(lambda: "nodes wait for drivers" in self.said(), 30, self.said)

    def said(self):
        return pathlib.Path(self.hosts.path("launcher")).read_text()

    def log(self, host):
        path = pathlib.Path(self.hosts.path("logs"), f"{host}.log")
        return path.read_text() if path.exists() else ""

    def wait_for(self, text, *hosts, times=1):
        wait_until(lambda: all(self.log(host).count(text) >= times for host in hosts), 30,
                   lambda: f"{self.said()}\n" + "".join(map(self.log, hosts)))

    def driver(self, arguments):
        """With the options that the launcher has printed."""
        options = re.search("with these options: (.*)", self.said())[1].split()
        return self.in_network([str(BIN / "lasso"), "fit", *arguments, *options, "--out", self.hosts.path("out"), "--force"],
                               "driver")

    def fit_hash(self):
        run = self.driver(FIT)
        self.assertEqual(run.wait(60), 0, pathlib.Path(self.hosts.path("driver")).read_text())
        return summary(self.hosts.path("out"))["beta_hash"]

    def test_nodes_serve_several_drivers_and_end_with_the_launcher(self):
        expected = self.embedded_hash(FIT)
        self.assertEqual([self.fit_hash() for _ in range(3)], [expected] * 3)
        self.assertEqual(self.log("node2").count("goes on with the data kept"), 2)
        since = time.monotonic()
        self.launcher.send_signal(signal.SIGINT)
        self.assertEqual(self.launcher.wait(GONE_SECONDS), 0, self.said())
        self.expect_nothing_left(since)

    def test_a_killed_launcher_leaves_no_node(self):
        since = time.monotonic()
        os.kill(self.launcher.pid, signal.SIGKILL)
        self.launcher.wait()
        self.expect_nothing_left(since)

    def test_a_frozen_launcher_leaves_no_node(self):
        pids = self.hosts.processes("stradsd")
        since = time.monotonic()
        os.kill(self.launcher.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, self.launcher.pid, signal.SIGCONT)
        wait_until(lambda: not self.hosts.processes("stradsd"), GONE_SECONDS, lambda: pids)
        self.assertLess(time.monotonic() - since, GONE_SECONDS)

    def test_a_host_whose_cable_is_cut_ends_its_node(self):
        since = time.monotonic()
        self.hosts.script("cut", "2")
        wait_until(lambda: "stradsd on 2" not in self.hosts.processes("stradsd").values(), GONE_SECONDS,
                   lambda: self.hosts.processes("stradsd"))
        self.assertEqual(len(self.hosts.processes("stradsd")), 2, "the others stay")
        self.assertLess(time.monotonic() - since, GONE_SECONDS)

    def test_a_killed_node_is_named_and_the_others_stay(self):
        os.kill(self.hosts.pid_of("stradsd", "3"), signal.SIGKILL)
        wait_until(lambda: "[node3] stradsd ended" in self.said(), 15, self.said)
        self.assertIsNone(self.launcher.poll())
        self.assertEqual(len(self.hosts.processes("stradsd")), 2)


if __name__ == "__main__":
    unittest.main()
