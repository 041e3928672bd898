#!/usr/bin/env python3
"""Where scripts/strads-launch finds hosts, and what it becomes there: lists and files of hosts, --check, jobs of Slurm with
an srun of the test's own, processes that something else has started; and whether the files of configs/ for Slurm,
Kubernetes and systemd are what these take.

usage: launch_places.py BIN_DIR SOURCE_DIR
"""
import configparser
import copy
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import jsonschema
import yaml

from launch_faults import BIN, FIT, LIMIT, SOURCE, Place

sys.path.insert(0, str(SOURCE / "scripts"))
# pylint: disable=wrong-import-position
from strads_launch import check, ends, hosts, join, probe  # noqa: E402

LAUNCH = SOURCE / "scripts/strads-launch"
CONFIGS = SOURCE / "configs"
# Everything is this machine. What a host is like is in its name; the program that it is sent is changed accordingly.
SSH = """#!/bin/bash
case "$*" in *" -G "*) printf 'hostname 127.0.0.1\\nport 22\\n'; exit;; esac
while [ $# -gt 2 ]; do shift; done
command=$2
case $1 in
gone*) echo "ssh: connect to host $1 port 22: No route to host" >&2; exit 255 ;;
old*) command=${command//STRADSD/OLD} ;;
bare*) PATH=/nowhere; export PATH ;;
fast*) command=${command//time.time()/time.time() + 60} ;;
small*) command=${command// 1024/ 0} ;;
walled*) command=${command//connection.connect_ex(place)/errno.ECONNREFUSED} ;;
esac
exec /bin/sh -c "$command"
"""
SRUN = """#!/bin/sh
echo "$@" >> FOLDER/srun.log
while :; do case "$1" in --*) shift ;; *) break ;; esac; done
exec "$@"
"""
SCONTROL = """#!/bin/sh
echo "$@" >> FOLDER/scontrol.log
echo "NodeName=$5 Arch=x86_64 NodeAddr=127.0.0.1 NodeHostName=here"
"""
# The launcher with another place for the reason of its end.
IN_A_POD = """
import importlib.machinery, importlib.util, sys
sys.dont_write_bytecode = True
log = sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("launch", sys.argv.pop(1))
launch = importlib.util.module_from_spec(importlib.util.spec_from_loader("launch", loader))
loader.exec_module(launch)
sys.modules["strads_launch.ends"].TERMINATION_LOG = log
sys.exit(launch.guarded_main())
"""


class Lists(unittest.TestCase):
    def names(self, text):
        return hosts.expand("list", text)

    def refused(self, text):
        with self.assertRaises(ends.Failure) as caught:
            hosts.expand("list", text)
        self.assertEqual(caught.exception.code, 2)
        return str(caught.exception)

    def test_ranges_are_those_of_slurm(self):
        self.assertEqual(self.names("node[1-3]"), ["node1", "node2", "node3"])
        self.assertEqual(self.names("node[01-03,07]"), ["node01", "node02", "node03", "node07"])
        self.assertEqual(self.names("node[9-11]"), ["node9", "node10", "node11"])
        self.assertEqual(self.names("node[08-10]"), ["node08", "node09", "node10"])
        self.assertEqual(self.names("r[1-2]n[1-2].example,login"), ["r1n1.example", "r1n2.example", "r2n1.example",
                                                                    "r2n2.example", "login"])
        self.assertEqual(self.names("b,a[2,1]"), ["b", "a2", "a1"])
        self.assertEqual(self.names("fe80::1"), ["fe80::1"])

    def test_what_is_wrong_in_a_list_is_shown_with_what_was_expected(self):
        self.assertEqual(self.refused("node[1-3"), "list: found 'node[1-3', expected a ] for each [, as in node[01-03,07]")
        self.assertIn("expected a ] for each [", self.refused("node1-3]"))
        self.assertIn("found '[1-b]' in 'node[1-b]', expected numbers and ranges", self.refused("node[1-b]"))
        self.assertIn("expected numbers and ranges", self.refused("node[]"))
        self.assertIn("goes down; expected 1-3", self.refused("node[3-1]"))
        self.assertIn("as many digits on both sides", self.refused("node[01-100]"))
        self.assertIn("at most so many", self.refused("node[1-5000]"))
        self.assertIn("at most so many", self.refused("a[1-100]b[1-100]"))
        self.assertIn("found '', expected the name of a host", self.refused("a,,b"))
        self.assertIn("expected the name of a host", self.refused("-oProxyCommand=x"))

    def test_a_word_that_is_neither_file_nor_list_is_told_apart(self):
        self.assertEqual([host.name for host in hosts.hosts_given("node[1-2]")], ["node1", "node2"])
        self.assertEqual([(host.name, host.slots) for host in hosts.hosts_given("a:2,b")], [("a", 2), ("b", 1)])
        self.assertEqual([host.name for host in hosts.hosts_given("login,")], ["login"])
        for text, expected in (("hosts", "--hosts hosts: no such file; a list has a comma or a range"),
                               ("a,a", "--hosts: host a is listed twice"),
                               ("no/such/file", "--hosts no/such/file: No such file or directory")):
            with self.assertRaisesRegex(ends.Failure, re.escape(expected)):
                hosts.hosts_given(text)


class Files(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "hosts"
            path.write_text(text)
            try:
                return [(host.name, host.slots, host.address, host.roles) for host in hosts.read_hosts(str(path))]
            except ends.Failure as failure:
                return str(failure).replace(str(path), "FILE")

    def test_forms_of_other_programs_are_read(self):
        own = self.read("node[1-2] slots=2 roles=worker  # two\n\nlogin addr=10.0.0.1\n")
        self.assertEqual(own, [("node1", 2, "", "worker"), ("node2", 2, "", "worker"), ("login", 1, "10.0.0.1", "")])
        open_mpi = self.read("# of a cluster\nnode1 slots=4 max_slots=8\nnode2 slots=2 max-slots=2\n")
        self.assertEqual([host[:2] for host in open_mpi], [("node1", 4), ("node2", 2)])
        self.assertEqual([host[:2] for host in self.read("node1:4\nnode[2-3]:2\n")], [("node1", 4), ("node2", 2), ("node3", 2)])
        self.assertEqual([host[:2] for host in self.read("10.0.0.1 12400\n10.0.0.2 12400\n10.0.0.1 12401\n")],
                         [("10.0.0.1", 2), ("10.0.0.2", 1)])

    def test_mistakes_have_file_line_what_was_found_and_what_was_expected(self):
        for text, expected in (
                ("a\nb slot=2\n", "FILE:2: found 'slot=2', expected slots=N, addr=ADDRESS or roles=scheduler,worker"),
                ("a slots=0\n", "FILE:1: slots=0, expected a number from 1 to 9999"),
                ("a:2 slots=2\n", "FILE:1: found 'a:2' and 'slots=2', expected the number of slots once"),
                ("a:22\n", "FILE:1: found 'a:22', which is 22 processes for MPICH and a port of sshd for dmlc; expected"),
                ("a:2222\n", "FILE:1: found 'a:2222', which is 2222 processes for MPICH"),
                ("10.0.0.1 70000\n", "FILE:1: found the port 70000, expected 1 to 65535"),
                ("10.0.0.1 1\n10.0.0.1 1\n", "FILE:2: host 10.0.0.1 is listed twice"),
                ("node[1-2] addr=10.0.0.1\n", "FILE:1: found 'addr=10.0.0.1' for 2 hosts, expected one host a line"),
                ("node[1-2\n", "FILE:1: found 'node[1-2', expected a ]"),
                ("a\nnode[1-2]\nnode2\n", "FILE:3: host node2 is listed twice"),
                ("# nobody\n", "FILE: no host in it")):
            self.assertIn(expected, str(self.read(text)))


class Help(unittest.TestCase):
    def test_it_fits_on_a_screen_and_names_options_that_there_are(self):
        said = subprocess.run([sys.executable, LAUNCH, "--help"], capture_output=True, text=True, check=True).stdout
        self.assertLessEqual(said.count("\n"), 24, said)
        self.assertLessEqual(max(map(len, said.splitlines())), 100)
        everything = subprocess.run([sys.executable, LAUNCH, "--help-all"], capture_output=True, text=True, check=True).stdout
        for option in set(re.findall(r"--[a-z]+(?:-[a-z]+)*", said)) - {"--out"}:
            self.assertRegex(everything, rf"(?m)^  (-h, )?{option}\b", option)

    def test_options_that_do_not_go_together_are_refused(self):
        for words, expected in ((["--slurm", "--hosts", "a,b"], "--hosts and --slurm: expected one of them"),
                                (["--join"], "--join: give --key FILE"),
                                (["--join=boss", "--insecure"], "--join=boss: expected auto, driver or node"),
                                (["--join", "--insecure", "--check"], "--check: it does not go with --join"),
                                (["--hosts", "a,", "--nodes", "2"], "--nodes: it goes with --join"),
                                (["--hosts", "a,", "--key", "x"], "--key: it goes with --stay and --join"),
                                ([], "no hosts: give --hosts")):
            done = subprocess.run([sys.executable, LAUNCH, *words, "--", "lasso", "fit"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, expected in done.stderr), (2, True), done.stderr)


class Outside(Place):
    """Runs of the launcher with an environment of their own."""

    def setUp(self):
        super().setUp()
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith("SLURM") and name != "JOB_COMPLETION_INDEX"}
        old = self.script("old", "#!/bin/sh\necho 'stradsd 0.0.1 (build 0123456789abcdef)'\n")
        self.script("ssh", SSH.replace("STRADSD", str(BIN / "stradsd").replace("/", "\\/")).replace("OLD", str(old)))

    def run_launcher(self, words, environment=None, program=()):
        done = subprocess.run([sys.executable, *map(str, program), LAUNCH, *map(str, words)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=LIMIT,
                              env={**self.environment, **(environment or {})})
        return done.returncode, done.stdout, done.stderr

    def check_hosts(self, listed, *command):
        return self.run_launcher(["--hosts", listed, "--ssh", self.folder / "ssh", "--check", "--", *command])


class Checking(Outside):
    def test_hosts_that_are_well_are_a_table_and_exit_code_0(self):
        code, table, said = self.check_hosts("node[1-2]", *FIT)
        self.assertEqual(code, 0, table + said)
        build = re.search(r"build (\w+)", subprocess.run([BIN / "stradsd", "--version"], capture_output=True, text=True,
                                                         check=True).stdout)[1]
        self.assertRegex(table, rf"(?m)^node1  1 +ok +{build} +[0-9a-f]{{16}} +[\d.]+ [GM]iB +[+-]\d+\.\d+ s +ok$")
        self.assertTrue(table.endswith("2 hosts can be used\n"), table)
        self.assertRegex(said, r"note: a node of this command takes up to \d+ MiB, as --dry-run says")

    def test_each_fault_is_a_cell_and_a_line_that_says_what_to_do(self):
        code, table, said = self.check_hosts("node1,gone2,old3,bare4,fast5,small6,walled7", BIN / "lasso")
        self.assertEqual(code, 5, table + said)
        rows = {line.split()[0]: line for line in table.splitlines()}
        self.assertEqual([name for name, row in rows.items() if "FAILED" in row], ["gone2", "old3", "fast5", "small6", "walled7"])
        self.assertRegex(rows["gone2"], r"^gone2 +1 +FAILED +- +- +- +- +-$")
        self.assertRegex(rows["bare4"], r"^bare4 +1 +ok +\w+ +- +- +- +-$")
        for line in ("gone2: cannot be reached over ssh: .*No route to host",
                     "old3: its stradsd is build 0123456789abcdef, .*install the same build on all hosts",
                     r"fast5: its clock is \d+\.\d s ahead, .*set it, e.g. with chrony",
                     "small6: 0 MiB of memory are left there, and its 1 stradsd take 64 MiB; end what else runs",
                     "walled7 -> here: Connection refused; let the firewall of this machine open the driver's port",
                     "walled7 -> node1: Connection refused; let firewalls open the ephemeral ports",
                     "5 of 7 hosts cannot be used as they are"):
            self.assertRegex(said, f"(?m)^strads-launch: error: {line}")
        self.assertIn("note: bare4: memory, clock and ports are not known: no python3 there", said)

    def test_a_port_that_nobody_opened_is_not_reached(self):
        listener = probe.listen("127.0.0.1")
        port = listener.getsockname()[1]
        self.assertEqual(probe.reach([("open", "127.0.0.1", port)]), {"open": ""})
        listener.close()
        self.assertEqual(probe.reach([("closed", "127.0.0.1", port)]), {"closed": "Connection refused"})

    def test_a_clock_is_judged_by_more_than_what_asking_took(self):
        self.assertEqual(check.clock_difference(100.0, 104.0, 102.5), (0.5, 2.0))
        for clock, wrong in (((1.5, 0.0), False), ((2.5, 0.0), True), ((-2.5, 0.0), True), ((3.5, 2.0), False)):
            found = check.problems(check.Facts("a", clock=clock), None)
            self.assertEqual(bool(found), wrong, found)

    def test_memory_is_that_of_all_slots(self):
        facts = check.Facts("a", slots=4, memory=300 << 20)
        self.assertEqual(check.problems(facts, 70 << 20), [])
        self.assertIn("its 4 stradsd take 320 MiB", check.problems(facts, 80 << 20)[0])

    def test_what_dry_run_says_of_nodes_is_found(self):
        printed = ("memory   503 samples\n  2 x node with schedulers            mapped    anonymous\n"
                   "    columns            1.2 MiB      0.0 MiB\n    at the most        1.2 MiB     11.5 MiB\n"
                   "  node without            mapped    anonymous\n    at the most        1.2 MiB      3.0 MiB\n"
                   "  driver            mapped    anonymous\n    at the most        1.2 MiB     99.5 MiB\n")
        self.assertEqual(check.largest_node(printed), int(11.5 * (1 << 20)))
        self.assertIsNone(check.largest_node("lasso: error: no data\n"))


class Slurm(Outside):
    def setUp(self):
        super().setUp()
        for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
            self.script(name, text.replace("FOLDER", str(self.folder)))
        self.environment["PATH"] = f"{self.folder}:{os.environ['PATH']}"

    def test_hosts_of_a_job_have_a_slot_for_each_task(self):
        def of(**names):
            return [(host.name, host.slots) for host in hosts.hosts_of_job(names)]
        listed = {"SLURM_JOB_NODELIST": "n[1-2],m3"}
        self.assertEqual(of(**listed), [("n1", 1), ("n2", 1), ("m3", 1)])
        self.assertEqual(of(**listed, SLURM_TASKS_PER_NODE="2(x2),1", SLURM_NTASKS="5"), [("n1", 2), ("n2", 2), ("m3", 1)])
        self.assertEqual(of(**listed, SLURM_TASKS_PER_NODE="8(x3)"), [("n1", 1), ("n2", 1), ("m3", 1)], "processors")
        with self.assertRaisesRegex(ends.Failure, "SLURM_JOB_NODELIST is not set"):
            of()

    def test_a_run_on_the_nodes_of_a_job_has_the_bits_of_one_process(self):
        job = {"SLURM_JOB_NODELIST": "127.0.0.[1-2]", "SLURM_NTASKS": "3", "SLURM_TASKS_PER_NODE": "2,1"}
        code, _, said = self.run_launcher(["--slurm", "--", *FIT, "--out", self.out], job)
        self.assertEqual(code, 0, said)
        result = json.loads((self.out / "summary.json").read_text())
        self.assertEqual({node["name"] for node in result["cluster"]["node_list"]}, {"127.0.0.1/1", "127.0.0.1/2", "127.0.0.2"})
        subprocess.run([*FIT, "--out", self.folder / "alone", "--quiet"], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(result["beta_hash"], json.loads((self.folder / "alone/summary.json").read_text())["beta_hash"])
        steps = (self.folder / "srun.log").read_text().splitlines()
        self.assertEqual(sum("--nodelist=127.0.0.1 " in step and "--join" in step for step in steps), 2)
        self.assertTrue(all("--overlap" in step and "--ntasks=1" in step for step in steps), steps)

    def test_the_address_of_a_node_that_dns_does_not_know_is_asked_of_slurm(self):
        unknown = "n" * 70  # longer than a name in DNS may be, which nobody is asked for
        self.assertEqual(hosts.node_address("127.0.0.1"), "127.0.0.1")
        self.assertEqual(hosts.node_address(unknown), unknown)
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = self.environment["PATH"]
        self.assertEqual(hosts.node_address(unknown), "127.0.0.1")

    def test_the_batch_script_puts_the_job_into_the_queue_again(self):
        root = self.folder / "root"
        (root / "scripts").mkdir(parents=True)
        (root / "out/.checkpoint").mkdir(parents=True)
        launcher = root / "scripts/strads-launch"
        # As the launcher: asked to end it does, with exit code 3.
        launcher.write_text("#!/bin/sh\necho \"$@\"\ntrap 'exit 3' TERM\n[ -n \"$LONG\" ] || exit 3\nkill -TERM $PPID\n"
                            "while :; do sleep 0.05; done\n")
        launcher.chmod(0o755)
        for long, queued in (("yes", True), ("", False)):
            (self.folder / "scontrol.log").unlink(missing_ok=True)
            done = subprocess.run(["bash", CONFIGS / "slurm.sbatch"], cwd=root, capture_output=True, text=True, check=False,
                                  timeout=LIMIT, env={**self.environment, "SLURM_JOB_ID": "7", "STRADS_OUT": "out", "LONG": long})
            self.assertEqual((done.returncode, done.stderr), (3, ""), done.stdout)
            self.assertIn("--slurm -- lasso fit --resume out", done.stdout)
            self.assertEqual((self.folder / "scontrol.log").exists(), queued, done.stdout)
        directives = re.findall(r"^#SBATCH --(\S+)", (CONFIGS / "slurm.sbatch").read_text(), re.MULTILINE)
        self.assertTrue({"requeue", "signal=B:TERM@60"} <= set(directives), directives)


class Joining(Outside):
    def part(self, words, **environment):
        options = self.launch.parse([*words, "--insecure", "--", "lasso"])
        return join.part_of(options, environment)

    @classmethod
    def setUpClass(cls):
        loader = importlib.machinery.SourceFileLoader("launch", str(LAUNCH))
        cls.launch = importlib.util.module_from_spec(importlib.util.spec_from_loader("launch", loader))
        loader.exec_module(cls.launch)

    def test_number_0_is_the_driver_of_all_others(self):
        task = {"SLURM_STEP_NODELIST": "n[3-5]", "SLURM_STEP_NUM_TASKS": "4", "SLURMD_NODENAME": "n4", "SLURM_LOCALID": "1"}
        driver = self.part(["--join"], SLURM_PROCID="0", **task)
        self.assertEqual((driver.is_driver, driver.nodes), (True, 3))
        node = self.part(["--join"], SLURM_PROCID="2", **task)
        self.assertEqual((node.is_driver, node.driver, node.name), (False, "n3", "n4/2"))
        pod = self.part(["--join=node", "--address", "strads-driver-0-0.strads"], JOB_COMPLETION_INDEX="0")
        self.assertEqual((pod.is_driver, pod.driver, pod.name), (False, "strads-driver-0-0.strads", socket.gethostname()))
        for words, environment, expected in ((["--join"], {}, "neither SLURM_PROCID nor JOB_COMPLETION_INDEX"),
                                             (["--join"], {"JOB_COMPLETION_INDEX": "x"}, "found 'x', expected a number"),
                                             (["--join"], {"JOB_COMPLETION_INDEX": "0"}, "give --nodes N"),
                                             (["--join"], {"JOB_COMPLETION_INDEX": "1"}, "where the driver is")):
            with self.assertRaisesRegex(ends.Failure, re.escape(expected)):
                self.part(words, **environment)

    def free_port(self):
        while True:
            port = random.randrange(10000, 30000)
            with socket.socket() as listener:
                if listener.connect_ex(("127.0.0.1", port)) != 0:
                    return port

    def test_processes_that_something_else_started_are_one_run(self):
        logs = [self.folder / f"termination-{k}" for k in range(3)]
        running = []
        port, key = self.free_port(), self.folder / "run.key"
        for number, log in enumerate(logs):
            log.write_text("")
            words = [sys.executable, "-c", IN_A_POD, log, LAUNCH, "--join", "--port", port, "--key", key, "--address",
                     "127.0.0.1", "--nodes", 2, "--", *FIT, "--out", self.out]
            running.append(subprocess.Popen([*map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, text=True,
                                            env={**self.environment, "JOB_COMPLETION_INDEX": str(number)}))
        for process in running:
            self.addCleanup(process.kill)
        ended = [(process.communicate(timeout=LIMIT)[1], process.returncode) for process in running]
        self.assertEqual([code for _, code in ended], [0, 0, 0], ended)
        self.assertEqual(json.loads((self.out / "summary.json").read_text())["stop_reason"], "converged")
        self.assertEqual([log.read_text() for log in logs], ["exit code 0\n"] * 3)
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)

    def test_the_reason_of_the_end_is_left_for_kubernetes(self):
        log = self.folder / "termination"
        log.write_text("")
        pod = ["--join=driver", "--nodes", "1", "--insecure", "--"]
        code, _, _ = self.run_launcher([*pod, *FIT, "--lambda-ration", "0.1"], program=["-c", IN_A_POD, log])
        self.assertEqual(code, 2)
        self.assertRegex(log.read_text(), r"^exit code 2: lasso.*: error: .*lambda-ratio")
        code, _, _ = self.run_launcher(["--join", "--insecure", "--", *FIT], program=["-c", IN_A_POD, log])
        self.assertEqual(code, 2)
        self.assertRegex(log.read_text(), r"^exit code 2: --join: neither SLURM_PROCID")
        log.unlink()
        self.run_launcher(["--join", "--insecure", "--", *FIT], program=["-c", IN_A_POD, log])
        self.assertFalse(log.exists(), "only Kubernetes makes it")


class Configurations(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.claim, cls.set = yaml.safe_load_all((CONFIGS / "kubernetes/jobset.yaml").read_text())
        cls.schema = json.loads((SOURCE / "tests/process/jobset_schema.json").read_text())

    def validate(self, change=lambda spec: None):
        changed = copy.deepcopy(self.set)
        change(changed["spec"])
        jsonschema.validate(changed, self.schema)

    def test_the_jobset_is_one(self):
        self.validate()
        for change in (lambda spec: spec.pop("replicatedJobs"),
                       lambda spec: spec["successPolicy"].update(operator="all"),
                       lambda spec: spec["failurePolicy"].update(maxRestarts="10"),
                       lambda spec: spec["replicatedJobs"][0]["template"]["spec"].update(backofLimit=0),
                       lambda spec: spec["replicatedJobs"][1]["template"]["spec"]["template"]["spec"].pop("restartPolicy")):
            with self.assertRaises(jsonschema.ValidationError):
                self.validate(change)

    def test_the_jobset_is_a_run(self):
        spec, name = self.set["spec"], self.set["metadata"]["name"]
        jobs = {job["name"]: job["template"]["spec"] for job in spec["replicatedJobs"]}
        self.assertEqual(spec["successPolicy"]["targetReplicatedJobs"], ["driver"])
        pods = {role: job["template"]["spec"] for role, job in jobs.items()}
        driver, node = ([*pod["containers"][0]["command"], *pod["containers"][0].get("args", [])] for pod in pods.values())
        self.assertIn(f"--join=driver --nodes {jobs['node']['completions']} --key", driver[-1])
        self.assertEqual(node[node.index("--address") + 1], f"{name}-driver-0-0.{name}")
        subprocess.run(["/bin/sh", "-n", "-c", driver[-1]], check=True)
        for pod in pods.values():
            mounts = {mount["name"]: mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
            volumes = {volume["name"]: volume for volume in pod["volumes"]}
            self.assertEqual(set(mounts), set(volumes))
            self.assertEqual(mounts["key"], "/etc/strads")
            self.assertEqual(volumes["data"]["persistentVolumeClaim"]["claimName"], self.claim["metadata"]["name"])
        self.assertEqual(driver[-1].count("/etc/strads/run.key"), 1)
        self.assertIn("/etc/strads/run.key", node)
        policy = jobs["driver"]["podFailurePolicy"]["rules"][0]
        self.assertEqual((policy["action"], policy["onExitCodes"]["values"]), ("FailJob", [2, 4, 70]))

    def test_the_image_is_made_by_files_that_there_are(self):
        text = (CONFIGS / "kubernetes/Containerfile").read_text()
        self.assertEqual(re.findall(r"^FROM (\S+)", text, re.MULTILINE), ["debian:12", "debian:12"])
        for name in re.findall(r"scripts/\w+", text):
            self.assertTrue((SOURCE / name).exists(), name)
        groups = re.search(r"install_packages (.*) \\", text)[1].split()
        listed = re.findall(r"^#: (\S+)", (SOURCE / "scripts/packages.txt").read_text(), re.MULTILINE)
        self.assertLessEqual(set(groups), set(listed))

    def test_the_unit_is_one_that_systemd_takes(self):
        path = CONFIGS / "systemd/stradsd.service"
        unit = configparser.ConfigParser(interpolation=None, comment_prefixes="#", strict=True)
        unit.optionxform = str
        unit.read_string(path.read_text())
        self.assertEqual(unit.sections(), ["Unit", "Service", "Install"])
        program, *words = shlex.split(unit["Service"]["ExecStart"].replace("${STRADS_ENDPOINT}", "tcp://127.0.0.1:5570"))
        self.assertEqual(program, "/usr/bin/stradsd")
        subprocess.run([BIN / "stradsd", *words, "--help"], check=True, stdout=subprocess.DEVNULL)
        if shutil.which("systemd-analyze"):
            with tempfile.TemporaryDirectory() as folder:
                copied = pathlib.Path(folder) / "stradsd.service"
                copied.write_text(path.read_text().replace(program, str(BIN / "stradsd")))
                done = subprocess.run(["systemd-analyze", "verify", "--man=no", copied], capture_output=True, text=True,
                                      check=False, timeout=LIMIT)
                self.assertNotIn("stradsd.service:", done.stderr, "what it says of this unit")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
