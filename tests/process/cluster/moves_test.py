#!/usr/bin/env python3
"""Hosts that come and go while a fit goes on, and cables that are pulled and plugged in again: the same bits.

With another input, as for bench/RESULTS.md (a file of 500,000 variables):

    STRADS_MOVES="--bfile big --pheno big.tsv --max-rounds 3000 --check-interval 300" moves_test.py Moves
"""
import os
import signal
import subprocess
import time
import unittest

from cluster import BIN, INPUT, ClusterTest, Hosts, summary, wait_until

# A fit that no policy finishes, with a barrier now and then.
FIT = ["--lambda-ratio", "0.05", "--policy", "uniform", "--tolerance", "0", "--schedulers", "4", "--workers", "6",
       "--depth", "2", *(os.environ["STRADS_MOVES"].split() if "STRADS_MOVES" in os.environ else
                         [*INPUT, "--max-rounds", "12000", "--check-interval", "1500"])]
PATIENCE = 600 if "STRADS_MOVES" in os.environ else 60  # seconds
ENDPOINT = "tcp://10.77.0.100:5570"


class Moves(ClusterTest):
    """Five hosts; the driver runs in the user's network and the test starts the nodes."""

    def setUp(self):
        self.hosts = self.enterContext(Hosts(5))
        self.out = self.hosts.path("out")
        self.key = self.hosts.path("run.key")
        subprocess.run([BIN / "stradsd", "--new-key", self.key], check=True, capture_output=True)

    def said(self, name):
        with open(self.hosts.path(name), encoding="utf-8") as file:
            return file.read()

    def wait_for(self, name, text, process):
        wait_until(lambda: text in self.said(name) or process.poll() is not None, PATIENCE, lambda: self.said(name))
        self.assertIn(text, self.said(name))

    def start(self, nodes, more=()):
        """The driver and the first so many hosts, once rounds are reported."""
        driver = self.in_network([BIN / "lasso", "fit", *FIT, "--listen", ENDPOINT, "--nodes", nodes, "--key", self.key,
                                  "--out", self.out, *more], "driver")
        started = [self.join(host) for host in range(1, nodes + 1)]
        self.wait_for("driver", " round ", driver)
        return driver, started

    def join(self, host):
        return self.in_network(["ssh", "-F", self.hosts.path("ssh_config"), f"node{host}", BIN / "stradsd", "--join",
                                ENDPOINT, "--key", self.key, "--threads", "1"], f"node{host}")

    def result(self, driver):
        self.assertEqual(driver.wait(PATIENCE), 3, self.said("driver"))
        result = summary(self.out)
        self.assertEqual(result["beta_hash"], self.embedded_hash(FIT))
        self.expect_nothing_left()
        return result

    def test_two_hosts_join_in_the_middle_and_the_first_two_leave(self):
        driver, first = self.start(3)
        newcomers = [self.join(host) for host in (4, 5)]
        for host, node in zip((4, 5), newcomers):
            self.wait_for(f"node{host}", "no role", node)
            self.wait_for(f"node{host}", "from now on: ", node)
        for host in ("1", "2"):
            os.kill(self.hosts.pid_of("stradsd", host), signal.SIGTERM)
        result = self.result(driver)
        self.assertEqual([node.wait(30) for node in [*first, *newcomers]], [0] * 5)
        updates = {node["name"]: node["updates"] for node in result["cluster"]["node_list"]}
        self.assertEqual(set(updates), {f"node{host}" for host in range(1, 6)})
        self.assertTrue(all(count > 0 for count in updates.values()), updates)
        print("moved", result["cluster"]["moved"], "times; updates", updates, "hash", result["beta_hash"])

    def test_a_cable_that_is_pulled_for_less_than_the_lease_moves_nothing(self):
        driver, first = self.start(3, ["--lease", "6"])
        for host in ("2", "1"):
            self.hosts.script("cut", host)
            time.sleep(1.5)
            self.hosts.script("heal", host)
            time.sleep(0.5)
        result = self.result(driver)
        self.assertEqual(result["cluster"]["moved"], 0)
        self.assertEqual([node.wait(30) for node in first], [0] * 3)

    def test_a_cable_that_is_pulled_for_longer_costs_no_bit_and_its_host_is_sent_away(self):
        driver, first = self.start(3, ["--lease", "3"])
        self.hosts.script("cut", "1")
        wait_until(lambda: "lost rank" in self.said("driver"), 15, lambda: self.said("driver"))
        self.hosts.script("heal", "1")
        result = self.result(driver)
        self.assertEqual(result["cluster"]["moved"], 1)
        self.assertEqual([node.wait(30) for node in first], [5, 0, 0])


if __name__ == "__main__":
    unittest.main()
