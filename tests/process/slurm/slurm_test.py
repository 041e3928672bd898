#!/usr/bin/env python3
"""strads-launch in jobs of a real Slurm with three nodes on this machine: the batch script of configs/, a job that is asked to
end and goes on after it was queued again, one process for each task, a node that is killed. Always the bits of one process.

It needs root and the packages of the group cluster (scripts/install_packages cluster), takes a minute, and is run by
scripts/test_cluster. Everything it starts is a child of its own, with keys, sockets and ports of its own.

usage: slurm_test.py BIN_DIR SOURCE_DIR [CASE...]
"""
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BIN, SOURCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
LIMIT = 120  # seconds for anything here
NODES = 3
CONF = """ClusterName=strads
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
DATA = SOURCE / "tests/datasets/1000g-chr2-eur"
INPUT = ["--bfile", str(DATA / "chr2-eur"), "--pheno", str(DATA / "pheno.tsv"), "--pheno-name", "sim20", "--schedulers", "2",
         "--workers", "2", "--lambda-ratio", "0.3"]
LONG = [*INPUT, "--policy", "uniform", "--tolerance", "0", "--max-rounds", "6000"]
LONGER = [*LONG[:-1], "30000"]  # a line of progress comes after a second, and the run is to go on then


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Slurm:
    """slurmctld, slurmd for each node, munged; down when its process ends."""

    def __init__(self, folder):
        self.folder, self.children = pathlib.Path(folder), []
        conf = CONF.format(host=socket.gethostname().split(".")[0], port=free_port(), folder=folder)
        for k in range(1, NODES + 1):
            conf += (f"NodeName=n{k} NodeHostname={socket.gethostname().split('.')[0]} NodeAddr=127.0.0.1 Port={free_port()} "
                     "CPUs=2 RealMemory=500\n")
        (self.folder / "slurm.conf").write_text(conf)
        (self.folder / "state").mkdir()
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": f"{BIN}:{SOURCE}/scripts:/usr/bin:/usr/sbin:/bin:/sbin"}

    def up(self):
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.begin("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge.socket",
                   f"--pid-file={self.folder}/munged.pid", f"--seed-file={self.folder}/munged.seed",
                   f"--log-file={self.folder}/munged.log")
        self.wait_until((self.folder / "munge.socket").exists, "no munged")
        self.begin("slurmctld", "-D")
        for k in range(1, NODES + 1):
            self.begin("slurmd", "-D", "-N", f"n{k}")
        self.wait_until(lambda: self.said("sinfo", "-h", "-t", "idle", "-o", "%D") == str(NODES), "no idle nodes")

    def begin(self, program, *words):
        with open(self.folder / "daemons.log", "ab") as log:
            self.children.append(subprocess.Popen([program, *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                                  stderr=log))

    def down(self):
        for child in reversed(self.children):
            child.terminate()
        for child in reversed(self.children):
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def said(self, *words):
        return subprocess.run(words, env=self.environment, cwd=SOURCE, capture_output=True, text=True, check=False,
                              timeout=LIMIT).stdout.strip()

    def wait_until(self, condition, why):
        deadline = time.monotonic() + LIMIT
        while not condition():
            ended = [child.args[0] for child in self.children if child.poll() is not None]
            if ended or time.monotonic() > deadline:
                why = f"{ended[0]} has ended" if ended else why
                raise AssertionError(f"{why}: {(self.folder / 'daemons.log').read_text()[-2000:]}")
            time.sleep(0.2)


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="strads-slurm-")
        cls.addClassCleanup(folder.cleanup)
        cls.slurm = Slurm(folder.name)
        cls.addClassCleanup(cls.slurm.down)
        cls.slurm.up()
        cls.hashes = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="strads-job-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out, self.log = self.folder / "out", self.folder / "log"

    def hash_of_one_process(self, fit):
        out = self.folder / "alone"
        subprocess.run([BIN / "lasso", "fit", *fit, "--out", out, "--quiet"], check=False, stdout=subprocess.DEVNULL,
                       timeout=LIMIT)
        return self.hash(out)

    def hash(self, out):
        return json.loads((out / "summary.json").read_text())["beta_hash"]

    def submit(self, *command):
        environment = {**self.slurm.environment, "STRADS_OUT": str(self.out), "STRADS_CHECKPOINT_SECONDS": "1"}
        done = subprocess.run(["sbatch", "--parsable", f"--output={self.log}", SOURCE / "configs/slurm.sbatch", *command],
                              env=environment, cwd=SOURCE, capture_output=True, text=True, check=True, timeout=LIMIT)
        return done.stdout.strip()

    def state(self, job):
        return re.search(r"JobState=(\S+)", self.slurm.said("scontrol", "show", "job", job))[1]

    def queued(self, job):
        """PD: pending, R: running, "": ended."""
        return self.slurm.said("squeue", "-h", "-j", job, "-o", "%t")

    def said(self):
        return self.log.read_text() if self.log.exists() else ""

    def wait_for(self, condition, why):
        self.slurm.wait_until(condition, f"{why}: {self.said()}")

    def start(self, *words):
        with open(self.log, "wb") as log:
            run = subprocess.Popen(words, env=self.slurm.environment, cwd=SOURCE, stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log)
        self.addCleanup(run.kill)
        return run

    def test_the_batch_script_fits_on_all_nodes(self):
        job = self.submit()
        self.wait_for(lambda: self.state(job) in ("COMPLETED", "FAILED"), "not completed")
        self.assertEqual(self.state(job), "COMPLETED", self.said())
        result = json.loads((self.out / "summary.json").read_text())
        self.assertEqual({node["name"] for node in result["cluster"]["node_list"]}, {"n1", "n2", "n3"})
        example = ["--config", str(SOURCE / "configs/lasso-embedded.ini")]
        self.assertEqual(result["beta_hash"], self.hash_of_one_process(example))

    def test_a_job_that_is_asked_to_end_goes_on_when_it_is_queued_again(self):
        """The signal of a time limit, without waiting for one: to the batch script alone."""
        job = self.submit("lasso", "fit", *LONG)
        self.wait_for(lambda: (self.out / ".checkpoint").exists() or self.state(job) == "FAILED", "no checkpoint")
        self.slurm.said("scancel", "--batch", "--signal=TERM", job)
        self.wait_for(lambda: "into the queue again" in self.said() and self.queued(job) == "PD", "not queued again")
        self.slurm.said("scontrol", "update", f"JobId={job}", "StartTime=now")  # instead of two minutes later
        # Exit code 3: all rounds were made.
        self.wait_for(lambda: self.queued(job) == "", "not ended")
        self.assertIn("the job is put into the queue again", self.said())
        self.assertRegex(self.said(), r"resumed after \d+ rounds")
        self.assertEqual(json.loads((self.out / "summary.json").read_text())["stop_reason"], "max_rounds")
        self.assertEqual(self.hash(self.out), self.hash_of_one_process(LONG))

    def test_one_process_for_each_task_is_one_run(self):
        port = str(random.randrange(10000, 30000))
        run = self.start("srun", "-N3", "-n4", "strads-launch", "--join", "--port", port, "--key", self.folder / "key", "--",
                         "lasso", "fit", *INPUT, "--out", self.out)
        self.assertEqual(run.wait(LIMIT), 0, self.said())
        self.assertEqual(self.hash(self.out), self.hash_of_one_process(INPUT))

    def test_a_run_goes_on_without_a_node_that_is_killed_and_leaves_nothing(self):
        run = self.start("salloc", "-N3", "--ntasks-per-node=1", "--quiet", "strads-launch", "--slurm", "--", "lasso", "fit",
                         *LONGER, "--lease", "6", "--out", self.out)
        self.wait_for(lambda: " round " in self.said() or run.poll() is not None, "no round")
        self.assertIsNone(run.poll(), self.said())
        os.kill(self.nodes("n2")[0], signal.SIGKILL)
        self.assertEqual(run.wait(LIMIT), 3, self.said())
        self.assertIn("lost rank 1 (n2", self.said())
        self.assertEqual(self.hash(self.out), self.hash_of_one_process(LONGER))
        self.assertEqual(self.nodes("n1") + self.nodes("n2") + self.nodes("n3"), [])

    def nodes(self, name):
        """Of this build, as a node of that name."""
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[0] == str(BIN / "stradsd").encode() and name.encode() in words:
                found.append(int(entry.name))
        return found


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
