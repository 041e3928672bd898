"""One cluster for all runs: nodes that stay (stradsd --stay), on this machine or, by strads-launch, on hosts. They keep the data
from one run to the next, and end with this program however it ends: their stdin is closed then."""
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
import time

from strads_report.runs import USAGE, Failure

from strads_experiment.plan import near

CLUSTER = 5  # exit code, as lasso has it
SETTINGS = ("nodes", "threads", "hosts")  # what [cluster] may say; with hosts options of strads-launch as well
OF_THE_LAUNCHER = ("ssh", "address", "port", "remote-bin", "remote-data", "roles", "logs")
SOCKET_LETTERS = 90  # of a path: the system takes 107
LAUNCH_SECONDS = 120  # for all hosts to answer
END_SECONDS = 15
OPTIONS = re.compile(r"with these options: (.*)\n")


def number(given, name, least):
    if not re.fullmatch(r"[0-9]{1,6}", given.value) or int(given.value) < least:
        raise Failure(USAGE, f"{given.where}: [cluster] {name} = {given.value}, expected a number of at least {least}")
    return int(given.value)


def check(cluster):
    """Whether [cluster] makes sense, before anything is started."""
    if not cluster:
        return
    allowed = (*SETTINGS, *OF_THE_LAUNCHER) if "hosts" in cluster else SETTINGS
    for name, given in cluster.items():
        if name not in allowed:
            raise Failure(USAGE, f"{given.where}: [cluster] has no {name}{near(name, allowed)}")
    if ("hosts" in cluster) == ("nodes" in cluster):
        raise Failure(USAGE, f"{next(iter(cluster.values())).where}: [cluster]: expected either nodes = N, on this machine, or hosts "
                             "= LIST or FILE")
    for name in ("nodes", "threads"):
        if name in cluster:
            number(cluster[name], name, 1)


def ask_to_end(process):
    """A node leaves, a launcher lets its nodes leave."""
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdin.close()


class NoNodes:
    """Each run is a process of its own, or what its options say."""

    def prepare(self, stopped):
        pass

    def options(self):
        return []

    def end(self):
        pass


class LocalNodes:
    """So many stradsd of this machine. One that was lost is started again before the next run."""

    def __init__(self, folder, stradsd, cluster):
        self.stradsd, self.count = stradsd, number(cluster["nodes"], "nodes", 1)
        self.threads = number(cluster["threads"], "threads", 1) if "threads" in cluster else 0
        place = os.path.relpath(folder / "nodes")
        self.folder = pathlib.Path(place if len(place) < SOCKET_LETTERS else tempfile.mkdtemp(prefix="strads-nodes-"))
        shutil.rmtree(self.folder, ignore_errors=True)  # of one that was killed
        self.folder.mkdir(mode=0o700)
        self.endpoint = f"ipc://{self.folder / 'socket'}"
        self.nodes = {}

    def prepare(self, _):
        for name in (f"node{place + 1}" for place in range(self.count)):
            if name in self.nodes and self.nodes[name].poll() is None:
                continue
            words = [str(self.stradsd), "--join", self.endpoint, "--stay", "--name", name, "--watch-stdin"]
            words += ["--threads", str(self.threads)] if self.threads else []
            with open(self.folder / f"{name}.log", "ab") as log:
                self.nodes[name] = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=log, stderr=log, start_new_session=True)

    def options(self):
        return ["--listen", self.endpoint, "--nodes", str(self.count)]

    def end(self):
        for process in self.nodes.values():
            if process.poll() is None:
                process.terminate()
        for process in self.nodes.values():
            ask_to_end(process)
        shutil.rmtree(self.folder, ignore_errors=True)


def free_port():
    for _ in range(100):
        port = random.SystemRandom().randrange(10000, 30000)  # below those that the system gives to connections
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise Failure(CLUSTER, "no free port from 10000 to 30000 for the drivers; give one with port = N in [cluster]")


class HostNodes:
    """strads-launch --stay, and the options that it tells drivers."""

    def __init__(self, launch, stradsd, cluster):
        self.folder = tempfile.mkdtemp(prefix="strads-hosts-")
        self.said = pathlib.Path(self.folder) / "launcher"
        given = {"port": str(free_port()), "key": str(pathlib.Path(self.folder) / "key"),
                 **{name: each.value for name, each in cluster.items() if name != "nodes"}}
        words = [sys.executable, str(launch), "--stay", "--watch-stdin"]
        words += [word for name, value in given.items() for word in (f"--{name}", value)]
        with open(self.said, "wb") as said:
            self.launcher = subprocess.Popen([*words, "--", str(stradsd)], stdin=subprocess.PIPE, stdout=said, stderr=said,
                                             start_new_session=True)

    def prepare(self, stopped):
        """Until the nodes wait, or stopped()."""
        deadline = time.monotonic() + LAUNCH_SECONDS
        while not OPTIONS.search(self.text()):
            if stopped():
                return
            if self.launcher.poll() is not None or time.monotonic() > deadline:
                break
            time.sleep(0.02)
        if self.launcher.poll() is not None or not OPTIONS.search(self.text()):
            raise Failure(CLUSTER, f"the nodes of the hosts do not wait for runs: {self.text().strip() or 'no word from strads-launch'}")

    def text(self):
        return self.said.read_text(encoding="utf-8", errors="replace")

    def options(self):
        return shlex.split(OPTIONS.search(self.text())[1])

    def end(self):
        ask_to_end(self.launcher)
        shutil.rmtree(self.folder, ignore_errors=True)


def nodes_of(cluster, folder, programs, launch):
    if not cluster:
        return NoNodes()
    return HostNodes(launch, programs / "stradsd", cluster) if "hosts" in cluster else LocalNodes(folder, programs / "stradsd", cluster)
