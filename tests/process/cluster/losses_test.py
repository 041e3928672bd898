#!/usr/bin/env python3
"""What happens on three emulated hosts when something dies: the same bits without a worker or a connection, also of ssh, and
a named cause and nothing left without a scheduler, the driver or the launcher."""
import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time
import unittest

from cluster import INPUT, ClusterTest, summary, wait_until

# Many small rounds: a fit that no policy finishes within the tests' time ...
ENDLESS = [*INPUT, "--lambda-ratio", "0.05", "--policy", "uniform", "--tolerance", "0", "--schedulers", "4",
           "--workers", "4", "--depth", "2"]
# ... and the same with an end some seconds later.
ROUNDS = [*ENDLESS, "--max-rounds", "20000"]
# ... and the same with a barrier now and then, on hosts that all schedule and work.
PHASES = [*ROUNDS, "--check-interval", "2000"]
EVERYBODY = "node1\nnode2\nnode3\n"
ROLES = "node1 roles=scheduler,worker\nnode2 roles=worker\nnode3 roles=worker\n"
LOST_SCHEDULERS = r"lost rank \d \(node1, process \d+\), schedulers? 0 1 2 3"


class Losses(ClusterTest):
    def start(self, arguments, hostfile=ROLES, launcher_options=()):
        self.out = self.hosts.path("out")
        run = self.launch([*arguments, "--out", self.out], hostfile=hostfile, launcher_options=launcher_options)
        run.wait_for_rounds()
        return run

    def expect_failure(self, run, since, *patterns):
        """Exit 5, host, rank and cause on stderr, nothing left anywhere, all within 15 s of the loss."""
        code = run.wait(15)
        self.assertEqual(code, 5, run.stderr())
        for pattern in patterns:
            self.assertRegex(run.stderr(), pattern)
        self.expect_nothing_left(since)
        self.assertFalse(os.path.exists(os.path.join(self.out, "summary.json")))

    def expect_same_bits(self, run):
        """Others have done the work of a host that went away while the run went on."""
        self.assertEqual(run.wait(), 3, run.stderr())
        result = summary(self.out)
        self.assertEqual(result["beta_hash"], self.embedded_hash(ROUNDS))
        self.assertGreater(result["cluster"]["reassigned"], 0)
        self.expect_nothing_left()

    def kill(self, program, host):
        since = time.monotonic()
        os.kill(self.hosts.pid_of(program, host), signal.SIGKILL)
        return since

    # --- the run goes on ---

    def test_a_worker_host_without_power_costs_no_bit(self):
        run = self.start([*ROUNDS, "--lease", "3"])
        self.hosts.script("crash", "3")
        self.expect_same_bits(run)

    def test_a_killed_worker_costs_no_bit(self):
        run = self.start([*ROUNDS, "--lease", "3"])
        self.kill("stradsd", "2")
        self.expect_same_bits(run)
        self.assertRegex(run.stderr(), r"\[node2\] stradsd ended by signal 9 \(Killed\); its last words:")

    def expect_same_bits_elsewhere(self, run):
        """Others have taken the variables of a host that went away while the run went on."""
        self.assertEqual(run.wait(), 3, run.stderr())
        result = summary(self.out)
        self.assertEqual(result["beta_hash"], self.embedded_hash(PHASES))
        self.assertGreater(result["cluster"]["moved"], 0)
        self.expect_nothing_left()

    def test_a_killed_scheduler_costs_no_bit(self):
        run = self.start(PHASES, hostfile=EVERYBODY)
        self.kill("stradsd", "1")
        self.expect_same_bits_elsewhere(run)

    def test_a_scheduler_host_without_power_costs_no_bit(self):
        run = self.start([*PHASES, "--lease", "3"], hostfile=EVERYBODY)
        self.hosts.script("crash", "1")
        self.expect_same_bits_elsewhere(run)

    def test_a_frozen_scheduler_costs_no_bit_and_is_sent_away_when_it_wakes(self):
        run = self.start([*PHASES, "--lease", "3"], hostfile=EVERYBODY)
        pid = self.hosts.pid_of("stradsd", "2")
        os.kill(pid, signal.SIGSTOP)
        time.sleep(5)
        os.kill(pid, signal.SIGCONT)
        self.expect_same_bits_elsewhere(run)

    def test_connections_cut_in_a_loop_cost_no_bit(self):
        run = self.start(ROUNDS)
        cuts = 0
        while run.process.poll() is None:
            for host in ("1", "2", "user"):
                command = ["ip", "netns", "exec", f"{self.hosts.prefix}-{host}", "ss", "-tnKH",
                           "sport", "!=", ":22", "and", "dport", "!=", ":22"]  # all but ssh's
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                cuts += len(done.stdout.splitlines())
            time.sleep(0.2)
        self.assertEqual(run.wait(), 3, run.stderr())
        self.assertGreater(cuts, 10)
        self.assertEqual(summary(self.out)["beta_hash"], self.embedded_hash(ROUNDS))

    # --- the run ends ---

    def test_a_killed_scheduler_ends_the_run_everywhere(self):
        run = self.start(ENDLESS)
        since = self.kill("stradsd", "1")
        self.expect_failure(run, since, LOST_SCHEDULERS + r".*connection was closed")

    def test_a_scheduler_host_without_power_ends_the_run_within_the_lease(self):
        run = self.start([*ENDLESS, "--lease", "3"])
        since = time.monotonic()
        self.hosts.script("crash", "1")
        self.expect_failure(run, since, LOST_SCHEDULERS + r".*no word for 3(\.\d)? s")

    def test_a_host_whose_cable_is_cut_ends_by_itself(self):
        run = self.start([*ENDLESS, "--lease", "3"])
        since = time.monotonic()
        self.hosts.script("cut", "1")
        self.expect_failure(run, since, LOST_SCHEDULERS + r".*no word for 3(\.\d)? s")

    def test_a_killed_driver_ends_the_run_everywhere(self):
        run = self.start(ENDLESS)
        pid = self.hosts.pid_of("lasso", "user")
        since = self.kill("lasso", "user")
        self.expect_failure(run, since, rf"the driver \(process {pid} on \S+\) was ended by signal 9")

    def test_a_killed_launcher_and_driver_leave_nothing_running(self):
        run = self.start([*ENDLESS, "--lease", "6"])
        since = time.monotonic()
        os.kill(self.hosts.pid_of("lasso", "user"), signal.SIGKILL)
        for pid, name in self.hosts.processes().items():
            if "lasso" not in name and name.endswith(" on user"):
                os.kill(pid, signal.SIGKILL)  # the launcher, its guard, its ssh clients
        run.wait()
        self.expect_nothing_left(since)

    # --- the connections that started the nodes ---

    def cut_ssh(self):
        cut = subprocess.run(["ip", "netns", "exec", f"{self.hosts.prefix}-user", "ss", "-tnKH", "dport", "=", ":22"],
                             capture_output=True, text=True, check=True)
        self.assertGreaterEqual(len(cut.stdout.splitlines()), 3, cut.stdout)

    def test_cut_ssh_connections_cost_no_bit(self):
        run = self.start(ROUNDS)
        self.cut_ssh()
        self.assertEqual(run.wait(), 3, run.stderr())
        self.assertEqual(summary(self.out)["beta_hash"], self.embedded_hash(ROUNDS))
        self.assertEqual(run.stderr().count("stays in the run as long as it reaches the driver"), 3, run.stderr())
        self.expect_nothing_left()

    def test_a_cut_longer_than_ssh_waits_costs_no_bit(self):
        fit = [*ENDLESS, "--check-interval", "2000"]
        configuration = pathlib.Path(self.hosts.path("ssh_config"))
        configuration.write_text(configuration.read_text().replace("ServerAliveInterval 5", "ServerAliveInterval 2")
                                 .replace("ServerAliveCountMax 3", "ServerAliveCountMax 2"))
        run = self.start(fit, hostfile=EVERYBODY)
        self.hosts.script("cut", "2")
        wait_until(lambda: "note: node2: ssh ended with exit code 255" in run.stderr(), 12, run.stderr)
        self.hosts.script("heal", "2")
        sessions = [pid for pid, name in self.hosts.processes("sshd").items() if name.endswith(" on 2")]
        wait_until(lambda: len(sessions) > sum(name.endswith(" on 2") for name in self.hosts.processes("sshd").values()), 20,
                   run.stderr)  # so that the node's stdin is closed as well
        before = run.stderr().count(" round ")
        wait_until(lambda: run.stderr().count(" round ") > before + 1, 30, run.stderr)
        self.hosts.pid_of("stradsd", "2")
        os.killpg(run.process.pid, signal.SIGINT)
        self.assertEqual(run.wait(), 3, run.stderr())
        self.assertEqual(summary(self.out)["cluster"]["moved"], 0)
        self.expect_nothing_left()

    # --- the user ends it ---

    def test_ctrl_c_ends_the_run_in_order(self):
        run = self.start(ENDLESS, launcher_options=["--live"])
        since = time.monotonic()
        os.killpg(run.process.pid, signal.SIGINT)  # as a terminal does
        self.assertEqual(run.wait(15), 3, run.stderr())
        self.expect_nothing_left(since)
        for host in ("node1", "node2", "node3"):  # what each has said came live, behind its roles
            self.assertRegex(run.stderr(), rf"(?m)^\[{host}( scheduler[\d,-]+)? worker[\d,-]+\] stradsd: {host}: rank \d of 3: ")
        self.assertEqual(summary(self.out)["stop_reason"], "signal")

    def test_a_terminated_launcher_ends_the_run_in_order(self):
        run = self.start(ENDLESS)
        since = time.monotonic()
        run.process.terminate()
        self.assertEqual(run.wait(15), 3, run.stderr())
        self.expect_nothing_left(since)
        self.assertEqual(summary(self.out)["stop_reason"], "signal")

    def test_a_killed_launcher_ends_the_run_in_order(self):
        run = self.start(ENDLESS)
        since = time.monotonic()
        os.kill(run.process.pid, signal.SIGKILL)
        self.assertEqual(run.wait(), -signal.SIGKILL)
        self.expect_nothing_left(since)
        self.assertEqual(summary(self.out)["stop_reason"], "signal")

    def signal_to(self, run, targets, number):
        """All: what scancel or the end of pods reach, shells and ssh clients included."""
        nodes, driver = list(self.hosts.processes("stradsd")), self.hosts.pid_of("lasso", "user")
        everybody = [*self.hosts.processes("sh"), *nodes, *self.hosts.processes("ssh"), driver, run.process.pid]
        for pid in {"launcher": [run.process.pid], "driver": [driver], "nodes": nodes, "all": everybody}[targets]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def test_signals_to_launcher_driver_nodes_or_all_end_the_run_in_order(self):
        for number, targets in ((signal.SIGHUP, "launcher"), (signal.SIGHUP, "driver"), (signal.SIGTERM, "nodes"),
                                (signal.SIGINT, "nodes"), (signal.SIGINT, "all"), (signal.SIGHUP, "all")):
            with self.subTest(number=number, targets=targets):
                run = self.start([*ENDLESS, "--force"], hostfile=EVERYBODY)
                since = time.monotonic()
                self.signal_to(run, targets, number)
                self.assertEqual(run.wait(15), 3, run.stderr())
                self.expect_nothing_left(since)
                result = summary(self.out)
                self.assertEqual(result["stop_reason"], "signal")
                self.assertGreater(result["relative_gap"], 0)

    def test_sigterm_to_all_leaves_a_checkpoint_and_the_command_that_goes_on(self):
        run = self.start([*PHASES, "--checkpoint-rounds", "1"], hostfile=EVERYBODY)
        wait_until(lambda: list(pathlib.Path(self.out, ".checkpoint").glob("checkpoint-*.bin")), 30, run.stderr)
        self.signal_to(run, "all", signal.SIGTERM)
        self.assertEqual(run.wait(15), 3, run.stderr())
        self.assertEqual(summary(self.out)["stop_reason"], "signal")
        self.expect_nothing_left()
        words = re.search(r"(--resume \S+) goes on from the last checkpoint", run.stderr())[1].split()
        again = self.launch(words, hostfile="node1\nnode2\n")
        self.assertEqual(again.wait(), 3, again.stderr())
        result = summary(self.out)
        self.assertEqual(result["stop_reason"], "max_rounds")
        self.assertEqual(result["beta_hash"], self.embedded_hash(PHASES))

    def test_a_node_that_cannot_join_ends_the_run_at_once(self):
        launcher = ["--remote-bin", self.hosts.path("stradsd")]
        with open(launcher[1], "w", encoding="utf-8") as script:
            # It is there and of the right build, but on node2 it fails when it is started.
            script.write("#!/bin/sh\ncase \"$1$(hostname)\" in --joinnode2) echo 'no space left' >&2; exit 9;; esac\n"
                         f"exec {os.path.join(os.environ['STRADS_BIN_DIR'], 'stradsd')} \"$@\"\n")
        os.chmod(launcher[1], 0o755)
        since = time.monotonic()
        self.out = self.hosts.path("out")
        run = self.launch([*ENDLESS, "--out", self.out], launcher_options=launcher)
        self.expect_failure(run, since, r"\[node2\] stradsd ended with exit code 9", r"\[node2\]   no space left",
                            "node2: its stradsd ended before the run began")


if __name__ == "__main__":
    unittest.main()
