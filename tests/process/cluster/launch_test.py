#!/usr/bin/env python3
"""strads-launch on three emulated hosts: the same bits, what it says of unfit hosts, arguments as they were given."""
import os
import pathlib
import re
import shutil
import unittest

from cluster import BIN, DATA, INPUT, ClusterTest, summary

FIT = [*INPUT, "--lambda-ratio", "0.5", "--schedulers", "4", "--workers", "3", "--depth", "2"]


class Launch(ClusterTest):
    def fit_with_hash(self, arguments, codes=(0,), **options):
        out = self.hosts.path("out")
        run = self.launch([*arguments, "--out", out, "--force"], **options)
        self.assertIn(run.wait(), codes, run.stderr())
        self.assertEqual(self.hosts.processes(), {})
        return run, summary(out)

    def test_three_hosts_give_the_embedded_bits(self):
        _, result = self.fit_with_hash(FIT)
        self.assertEqual(result["beta_hash"], self.embedded_hash(FIT))
        self.assertEqual(result["transport"], "tcp")
        self.assertEqual({node["name"] for node in result["cluster"]["node_list"]}, {"node1", "node2", "node3"})

    def test_three_hosts_give_the_embedded_bits_with_a_published_policy(self):
        fit = [*FIT, "--policy", "paper", "--max-rounds", "500", "--tolerance", "0"]
        _, result = self.fit_with_hash(fit, codes=(3,))
        self.assertEqual(result["beta_hash"], self.embedded_hash(fit))
        nodes = result["cluster"]["node_list"]
        self.assertEqual(sum(node["updates"] for node in nodes), result["updates"], nodes)
        self.assertTrue(all(node["updates"] > 0 for node in nodes), nodes)

    def test_slots_roles_and_addresses_are_those_of_the_hosts_file(self):
        hostfile = "node1 roles=scheduler addr=10.77.0.1 # here\n\nnode2 slots=2 roles=worker\n"
        logs = self.hosts.path("logs")
        _, result = self.fit_with_hash(FIT, hostfile=hostfile, launcher_options=["--logs", logs])
        nodes = {node["name"]: node for node in result["cluster"]["node_list"]}
        self.assertEqual(set(nodes), {"node1", "node2/1", "node2/2"})
        self.assertEqual((nodes["node1"]["schedulers"], nodes["node1"]["workers"]), ([0, 1, 2, 3], []))
        self.assertEqual(result["beta_hash"], self.embedded_hash(FIT))
        self.assertEqual(sorted(os.listdir(logs)), ["node1.log", "node2.log"])
        self.assertIn("[node2/2] stradsd: node2/2: joins", pathlib.Path(logs, "node2.log").read_text())

    def test_arguments_with_blanks_and_quotes_arrive_as_they_are(self):
        odd = self.hosts.path("it's a \"folder\" $HOME; `x`")
        shutil.copytree(DATA, odd)
        programs = os.path.join(odd, "bin dir")
        shutil.copytree(BIN, programs, ignore=lambda _, names: set(names) - {"lasso", "stradsd"})
        out = os.path.join(odd, "out")
        run = self.launch([*FIT, "--out", out], launcher_options=[
            "--remote-data", odd, "--remote-bin", os.path.join(programs, "stradsd")])
        self.hosts.hide(1, DATA)  # so that only the folder of --remote-data will do
        self.assertEqual(run.wait(), 0, run.stderr())
        self.assertEqual(summary(out)["beta_hash"], self.embedded_hash(FIT))

    def test_an_address_that_others_cannot_reach_is_named(self):
        self.hosts.script("on", "2", "ip addr add 10.99.0.1/32 dev lo")
        run = self.launch([*FIT, "--lease", "6", "--start-seconds", "15"], hostfile="node1\nnode2 addr=10.99.0.1\nnode3\n")
        self.assertEqual(run.wait(), 5)
        self.assertIn("cannot reach rank", run.stderr())
        self.assertIn("(node2, ", run.stderr())
        self.assertIn("10.99.0.1", run.stderr())
        self.assertEqual(self.hosts.processes(), {})

    def test_output_of_the_driver_is_passed_on_untouched(self):
        run, result = self.fit_with_hash(FIT)
        self.assertTrue(run.stdout().startswith("fitted   sim20 on chr2-eur"), run.stdout())
        self.assertIn(result["beta_hash"], run.stdout())
        # A busy machine takes longer to log in than the driver waits in silence.
        self.assertEqual(re.sub(r"lasso: note: waiting at .*\n", "", run.stderr()), "")

    def test_a_wrong_option_of_the_fit_ends_with_its_exit_code(self):
        run = self.launch([*FIT, "--lambda-ration", "0.1"])
        self.assertEqual(run.wait(), 2)
        self.assertIn("lambda-ratio", run.stderr())

    def test_every_unfit_host_is_named_with_its_reason(self):
        self.hosts.hide(1, BIN)
        self.hosts.replace(2, BIN / "stradsd", b"#!/bin/sh\necho 'stradsd 0.1.0 (build 0123456789abcdef)'\n")
        known = pathlib.Path(self.hosts.path("known_hosts"))
        known.write_text("".join(line for line in known.read_text().splitlines(True) if "node3" not in line))
        run = self.launch(FIT)
        self.assertEqual(run.wait(), 5)
        self.assertRegex(run.stderr(), r"node1: \S+/stradsd cannot be run there.*--remote-bin")
        self.assertRegex(run.stderr(), r"node2: its stradsd is build 0123456789abcdef, the driver's [0-9a-f]{16}")
        self.assertRegex(run.stderr(), r"node3: its host key is not known here")

    def test_hosts_that_cannot_be_reached_or_entered_are_named(self):
        self.hosts.script("cut", "1")
        pathlib.Path(self.hosts.path("authorized_keys")).write_text("")
        run = self.launch(FIT)
        self.assertEqual(run.wait(), 5)
        self.assertRegex(run.stderr(), "node1: cannot be reached over ssh: .*(timed out|No route)")
        self.assertRegex(run.stderr(), "node2: ssh would ask for a password or lacks a key")

    def test_a_host_without_the_data_is_named(self):
        self.hosts.hide(2, DATA)
        run = self.launch(FIT)
        self.assertEqual(run.wait(), 4, run.stderr())
        self.assertRegex(run.stderr(), r"error: rank \d \(node2, process \d+\): \S+/chr2-eur.fam")
        self.expect_nothing_left()

    def test_a_host_with_other_data_is_named(self):
        lines = (DATA / "pheno.tsv").read_text().splitlines(True)
        fields = lines[1].rstrip("\n").split("\t")
        lines[1] = "\t".join([*fields[:2], *("0.25" for _ in fields[2:])]) + "\n"
        self.hosts.replace(3, DATA / "pheno.tsv", "".join(lines).encode(), 0o644)
        run = self.launch(FIT)
        self.assertEqual(run.wait(), 5, run.stderr())
        self.assertRegex(run.stderr(), r"rank \d \(node3, process \d+\) reads other data than the driver")

    def test_check_names_hosts_between_which_no_connection_opens(self):
        self.hosts.script("on", "2", "ip route add unreachable 10.77.0.3/32")
        run = self.launch(FIT, hostfile="node[1-3]\n", launcher_options=["--check"])
        self.assertEqual(run.wait(), 5, run.stderr())
        self.assertRegex(run.stderr(), "error: node2 -> node3: No route to host; let firewalls open")
        self.assertRegex(run.stderr(), "error: node3 -> node2: no answer within 5 s; let firewalls open")
        self.assertNotIn("node1 ->", run.stderr())
        self.assertRegex(run.stdout(), r"(?m)^node1 .* ok$")
        self.assertEqual(self.hosts.processes(), {})

    def test_a_mistake_in_the_hosts_file_is_shown_with_its_line(self):
        for hostfile, expected in [("node1\nnode2 slot=2\n", ":2: found 'slot=2', expected slots=N"),
                                   ("node1 slots=0\n", ":1: slots=0, expected a number from 1 to 9999"),
                                   ("node1 roles=boss\n", ":1: roles=boss: expected scheduler, worker"),
                                   ("node1\n# x\nnode1\n", ":3: host node1 is listed twice; use slots=N"),
                                   ("-oProxyCommand=x\n", ":1: found '-oProxyCommand=x', expected the name of a host"),
                                   ("# nobody\n", "no host in it")]:
            run = self.launch(FIT, hostfile=hostfile)
            self.assertEqual(run.wait(), 2)
            self.assertIn(expected, run.stderr())


if __name__ == "__main__":
    unittest.main()
