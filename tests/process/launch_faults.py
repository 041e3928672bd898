#!/usr/bin/env python3
"""scripts/strads-launch where something goes wrong on the way: hosts that are dead, loud or drop connections, streams and
disks that take nothing, signals to one or to all, ssh clients and launchers that die. An ssh of its own runs everything on
this machine.

usage: launch_faults.py BIN_DIR SOURCE_DIR
"""
import contextlib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

sys.dont_write_bytecode = True
BIN, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
LIMIT = 60  # seconds for anything here
# What it does is in its name: dead hosts never answer, loud ones greet, bare ones have no programs but a shell, and
# shy ones drop the first connection of each kind.
SSH = f"#!{sys.executable}\n" + """
import os, signal, subprocess, sys, threading, time
words = sys.argv[1:]
if "-G" in words:
    print("hostname 127.0.0.1\\nport 22")
    sys.exit()
while words[0].startswith("-"):
    del words[:2 if words[0] == "-o" else 1]
host, command = words[0], words[-1]
folder = os.path.dirname(os.path.abspath(__file__))
if host.startswith("dead"):
    time.sleep(100)
if host.startswith("shy"):
    try:
        os.mkdir(os.path.join(folder, host + ("-node" if "--join" in command else "")))
        print("kex_exchange_identification: read: Connection reset by peer", file=sys.stderr)
        sys.exit(255)
    except FileExistsError:
        pass
if host.startswith("loud"):
    print("ClusterOS 9 (build 42)\\nstradsd: loud: rank 7 of 9\\nstradsd 0.1.0 (build 42)", flush=True)
    print("bash: warning: setlocale: cannot change locale", file=sys.stderr, flush=True)
environment = dict(os.environ, PATH="/nowhere") if host.startswith("bare") else None
over_there = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment, start_new_session=True)
def pass_on(source, target, then):
    while data := os.read(source, 65536):
        os.write(target, data)
    if then: then()
ends = [over_there.stdout.fileno(), over_there.stderr.fileno()]
threads = [threading.Thread(target=pass_on, args=(end, number, None)) for end, number in zip(ends, (1, 2))]
for thread in threads: thread.start()
threading.Thread(target=pass_on, args=(0, over_there.stdin.fileno(), over_there.stdin.close), daemon=True).start()
code = over_there.wait()
for thread in threads: thread.join()
os._exit(code if code >= 0 else 128 - code)
"""
# The launcher with less patience.
IMPATIENT = """
import importlib.machinery, importlib.util, sys
loader = importlib.machinery.SourceFileLoader("launch", sys.argv.pop(1))
launch = importlib.util.module_from_spec(importlib.util.spec_from_loader("launch", loader))
sys.dont_write_bytecode = True
loader.exec_module(launch)
launch.PREFLIGHT_SECONDS = 4
sys.exit(launch.guarded_main())
"""
DATA = SOURCE / "tests/datasets/1000g-chr2-eur"
FIT = [str(BIN / "lasso"), "fit", "--bfile", str(DATA / "chr2-eur"), "--pheno", str(DATA / "pheno.tsv"), "--pheno-name",
       "sim20", "--schedulers", "2", "--workers", "2"]
ENDLESS = [*FIT, "--policy", "uniform", "--lambda-ratio", "0.05", "--tolerance", "0", "--lease", "6"]


class Place(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strads-launch-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.marks = [str(self.folder)]
        self.out = self.folder / "out"
        self.script("ssh", SSH)

    def script(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def start(self, hosts, command, *options, program=(), **streams):
        (self.folder / "hosts").write_text("".join(f"{host}\n" for host in hosts))
        words = [sys.executable, *program, str(SOURCE / "scripts/strads-launch"), "--hosts", str(self.folder / "hosts"),
                 "--ssh", str(self.folder / "ssh"), *map(str, options), "--", *command]
        if command[1:2] == ["fit"]:
            words += ["--out", str(self.out)]
        with open(self.folder / "stderr", "wb") as said:
            streams = {"stderr": said, "stdout": subprocess.DEVNULL, "stdin": subprocess.DEVNULL, **streams}
            run = subprocess.Popen(words, start_new_session=True, **streams)
        self.addCleanup(self.end, run)
        return run

    def end(self, run):
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run.kill()
        run.wait()

    def said(self):
        return (self.folder / "stderr").read_text(errors="replace")

    def launch(self, *arguments, **streams):
        run = self.start(*arguments, **streams)
        try:
            return run.wait(LIMIT), self.said()
        except subprocess.TimeoutExpired:
            self.fail(f"still runs: {self.said()}")

    def processes(self, *words):
        """Those of this run, which name a file of its folder or, nodes, its driver's endpoint; {pid: command line}. What
        is found may be killed, so nothing else of the machine may be."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace") \
                    if entry.name.isdigit() else ""
                if any(mark in line for mark in self.marks) and all(word in line for word in words):
                    found[int(entry.name)] = line
        return found

    def wait_until(self, condition, why=""):
        deadline = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), deadline, f"{why}\n{self.said()}")
            time.sleep(0.02)

    def wait_for_rounds(self):
        self.wait_until(lambda: " round " in self.said(), "no round")
        (line, *_) = [line for line in self.processes().values() if "--join" in line]
        self.marks[1:] = [re.search(r"--join (\S+ )", line)[1]]  # not those before: other tests get their ports

    def expect_results(self):
        result = json.loads((self.out / "summary.json").read_text())
        self.assertEqual(result["stop_reason"], "signal")
        self.assertIn("gap", json.dumps(result))

    def expect_nothing_left(self, seconds=LIMIT):
        deadline = time.monotonic() + seconds
        while self.processes():
            self.assertLess(time.monotonic(), deadline, self.processes())
            time.sleep(0.1)


class Bystanders(Place):
    def test_processes_of_others_are_not_taken_for_those_of_a_run(self):
        other = subprocess.Popen(["/bin/sh", "-c", "while :; do\n sleep 0.05\ndone # --join tcp://127.0.0.1:1"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        self.launch(["node1"], [str(BIN / "lasso"), "--version"])
        self.assertNotIn(other.pid, self.processes())
        run = self.start(["node1"], ENDLESS)
        self.wait_for_rounds()
        found = self.processes()
        self.assertIn(run.pid, found)
        self.assertNotIn(other.pid, found)


class Hosts(Place):
    def test_only_the_dead_host_is_named(self):
        code, said = self.launch(["dead1", "node2", "bare3", "dead4"], FIT, program=["-c", IMPATIENT])
        self.assertEqual(code, 5, said)
        self.assertEqual(re.findall(r"error: (\w+): no answer over ssh", said), ["dead1", "dead4"])
        self.assertEqual(said.count("error:"), 2, said)

    def test_a_connection_that_was_dropped_before_the_log_in_is_tried_again(self):
        code, said = self.launch(["shy1", "shy2"], FIT)
        self.assertEqual(code, 0, said)
        self.assertEqual(len(list(self.folder.glob("shy*"))), 4, "each was dropped twice")

    def test_a_greeting_is_no_answer_and_a_host_without_programs_no_fault(self):
        logs = self.folder / "logs"
        code, said = self.launch(["loud1", "bare2 slots=2"], FIT, "--logs", logs)
        self.assertEqual(code, 0, said)
        self.assertNotIn("ClusterOS", (logs / "loud1.log").read_text())


class Parts(unittest.TestCase):
    """Of the launcher, without processes."""

    @classmethod
    def setUpClass(cls):
        loader = importlib.machinery.SourceFileLoader("launch", str(SOURCE / "scripts/strads-launch"))
        cls.launch = importlib.util.module_from_spec(importlib.util.spec_from_loader("launch", loader))
        loader.exec_module(cls.launch)

    def connection(self, name):
        return self.launch.Connection(self.launch.Host(name))

    def test_few_connections_log_in_at_a_time_through_one_sshd(self):
        ssh = self.launch.Ssh("true")
        jump = {"hostname": "10.0.0.1", "port": "22", "proxyjump": "ann@gate:2222,far"}
        for k in range(100):
            ssh.configurations[f"behind{k}"] = {**jump, "hostname": f"10.0.0.{k}"}
            ssh.configurations[f"open{k}"] = {"hostname": f"10.0.1.{k}", "port": "22"}
        ssh.configurations["ann@gate"] = {"hostname": "gate.example", "port": "22"}
        entrance = self.launch.Entrance(ssh, 200)
        for name in ("behind", "open"):
            for k in range(100):
                entrance.add(self.connection(f"{name}{k}"))
        first = entrance.next()
        self.assertEqual(sum(each.host.name.startswith("behind") for each in first), 8)
        self.assertEqual(len(first), 64)
        self.assertEqual(entrance.next(), [])
        entrance.left(first[0])  # one that came through the gateway
        self.assertEqual([each.host.name for each in entrance.next()], ["behind8"])

    def test_slots_of_one_host_share_its_sshd(self):
        ssh = self.launch.Ssh("true")
        ssh.configurations["big"] = {"hostname": "10.0.0.1", "port": "22"}
        entrance = self.launch.Entrance(ssh, 20)
        for _ in range(20):
            entrance.add(self.connection("big"))
        self.assertEqual(len(entrance.next()), 8)

    def test_what_was_dropped_before_the_log_in_is_tried_five_times_and_nothing_else(self):
        entrance = self.launch.Entrance(self.launch.Ssh("true"), 1)
        dropped = self.connection("a")
        tries = [entrance.again(dropped, 255, "Connection closed by 10.0.0.1 port 22") for _ in range(6)]
        self.assertEqual(tries, [True] * 5 + [False])
        for code, said in ((255, "a: Permission denied (publickey)."), (255, "Host key verification failed."),
                           (255, "ssh: connect to host a port 22: Connection timed out"), (1, "Connection closed"),
                           (255, "channel 0: open failed: connect failed: No route to host\nConnection closed by UNKNOWN")):
            self.assertFalse(entrance.again(self.connection("a"), code, said), said)

    def test_what_the_slots_of_a_host_share_is_left_to_its_stradsd(self):
        run = self.launch.Run.__new__(self.launch.Run)
        run.endpoint, run.key, run.mark = "tcp://10.0.0.1:1", None, "mark"
        for given, expected in (([], ["--slots", "3"]), (["--threads", "5"], ["--threads", "5"])):
            run.options = self.launch.parse(["--hosts", "x", "--remote-bin", "stradsd", *given, "--", "lasso"])
            words = run.node_command(self.launch.Node("a/1", self.launch.Host("a", slots=3), None, "mark"))
            shares = [word for pair in zip(words, words[1:]) for word in pair if pair[0] in ("--slots", "--threads")]
            self.assertEqual(shares, expected)

    def test_the_host_that_failed_first_is_named(self):
        run = self.launch.Run.__new__(self.launch.Run)
        late, early, told = (self.launch.Node(name, self.launch.Host(name), None, "mark") for name in
                             ("late", "early", "told"))
        told.split_lines(b"stradsd: error: the driver ended the run: x\n")
        run.nodes, run.ended, run.stopped_why = [late, early, told], [told, early, late], None
        run.driver = types.SimpleNamespace(poll=lambda: None, terminate=lambda: None)
        run.stop_if_one_cannot_join()
        self.assertEqual(run.stopped_why, "early: its stradsd ended before the run began")


class Streams(Place):
    def test_closed_streams_and_a_full_disk_below_stderr_end_no_run(self):
        def close_all():
            os.closerange(0, 3)
        with open("/dev/full", "wb") as full:
            for streams in ({"preexec_fn": close_all}, {"stderr": full}):
                code, said = self.launch(["node1", "node2"], [*FIT, "--force"], **streams)
                self.assertEqual(code, 0, (streams, said))
                self.assertTrue((self.out / "summary.json").exists())

    def test_a_full_disk_below_the_logs_is_said_once_and_ends_no_run(self):
        logs = self.folder / "logs"
        logs.mkdir()
        for name in ("node1", "node2"):
            (logs / f"{name}.log").symlink_to("/dev/full")
        code, said = self.launch(["node1", "node2"], FIT, "--logs", logs)
        self.assertEqual(code, 0, said)
        self.assertEqual(said.count("No space left on device"), 1, said)
        self.assertNotIn("Traceback", said)

    def test_mistakes_are_lines_with_exit_codes(self):
        hosts = ["node1"]
        no_program = self.script("program", "no program")
        for code, options, command in [(4, ["--logs", no_program], FIT), (4, ["--logs", "/proc/x"], FIT),
                                       (2, ["--port", "70000"], FIT), (2, ["--threads", "-1"], FIT),
                                       (2, ["--ssh", "ssh '"], FIT), (2, [], [str(no_program)])]:
            found, said = self.launch(hosts, command, *options)
            self.assertEqual((found, said.count("strads-launch: error:"), said.count("\n")), (code, 1, 1), said)


class Ends(Place):
    def begin(self, **streams):
        run = self.start(["node1", "node2"], ENDLESS, **streams)
        self.wait_for_rounds()
        return run

    def driver(self):
        (pid,) = [pid for pid, line in self.processes("--endpoint-file").items() if line.startswith(str(BIN))]
        return pid

    def test_a_signal_to_the_launcher_alone_or_with_its_driver_ends_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for with_driver in (False, True):
                with self.subTest(number=number, with_driver=with_driver):
                    run = self.begin()
                    if with_driver:
                        os.kill(self.driver(), number)
                    os.kill(run.pid, number)
                    self.assertEqual(run.wait(LIMIT), 3, self.said())
                    self.expect_results()
                    self.expect_nothing_left()
                    (self.out / "summary.json").unlink()
                    self.out = self.folder / f"out-{number}-{with_driver}"

    def test_a_signal_to_all_ssh_clients_or_to_the_nodes_as_well_ends_in_order(self):
        """As scancel and a pod's end do, whose shells and ssh clients get it as well; and to the nodes alone."""
        for number, targets in ((signal.SIGTERM, "clients"), (signal.SIGTERM, "all"), (signal.SIGINT, "all"),
                                (signal.SIGHUP, "all"), (signal.SIGTERM, "nodes"), (signal.SIGHUP, "nodes")):
            with self.subTest(number=number, targets=targets):
                run = self.begin()
                clients = self.processes("--join", "/ssh ")
                nodes = [pid for pid in self.processes("--join") if pid not in clients]  # shells around them included
                if targets == "nodes":
                    nodes = [pid for pid in nodes if self.processes("--join").get(pid, "").startswith(str(BIN))]
                    self.assertEqual(len(nodes), 2)
                for pid in {"clients": [run.pid, self.driver(), *clients], "nodes": nodes,
                            "all": [*nodes, *clients, self.driver(), run.pid]}[targets]:
                    with contextlib.suppress(ProcessLookupError):  # its shell has ended it
                        os.kill(pid, number)
                self.assertEqual(run.wait(LIMIT), 3, self.said())
                self.expect_results()
                self.expect_nothing_left()
                self.out = self.folder / f"out-{number}-{targets}"

    def test_an_ignored_hangup_stays_ignored(self):
        run = self.begin(preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        for pid in (run.pid, self.driver()):
            os.kill(pid, signal.SIGHUP)
        before = self.said().count(" round ")
        self.wait_until(lambda: self.said().count(" round ") > before + 1, "no more rounds")
        run.terminate()
        self.assertEqual(run.wait(LIMIT), 3, self.said())
        self.expect_results()

    def test_a_run_goes_on_without_the_connection_that_started_its_nodes(self):
        run = self.begin()
        for pid in self.processes("--join", "/ssh "):
            os.kill(pid, signal.SIGKILL)
        self.wait_until(lambda: self.said().count("stays in the run as long as it reaches the driver") == 2)
        before = self.said().count(" round ")
        self.wait_until(lambda: self.said().count(" round ") > before + 1, "no more rounds")
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(LIMIT), 3, self.said())
        self.expect_results()
        self.expect_nothing_left()

    def test_a_killed_launcher_ends_in_order(self):
        run = self.begin()
        run.kill()
        run.wait()
        self.expect_nothing_left()
        self.expect_results()

    def test_nodes_end_where_launcher_and_driver_are_killed(self):
        run = self.begin()
        for pid in [self.driver(), *self.processes("strads-launch", "--hosts"), *self.processes("--join", "/ssh ")]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        run.wait()
        self.expect_nothing_left(10)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
