"""What the cluster tests share: emulated hosts (hosts.sh), running the launcher on them, looking at what is left.

Needs root and network namespaces. Where they are refused the tests fail and say how to leave them out.
"""
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BIN = pathlib.Path(os.environ.get("STRADS_BIN_DIR", ROOT / "build/release/bin")).resolve()
LAUNCH = ROOT / "scripts/strads-launch"
DATA = ROOT / "tests/datasets/1000g-chr2-eur"
INPUT = ["--bfile", str(DATA / "chr2-eur"), "--pheno", str(DATA / "pheno.tsv"), "--pheno-name", "sim20"]
GONE_SECONDS = 15  # the promise: after a loss that ends the run, nothing runs anywhere any more


class Hosts:
    """A set of emulated hosts, up as long as the object is used in a with statement."""

    def __init__(self, count=3):
        self.count = count
        self.folder = tempfile.TemporaryDirectory(prefix="strads-hosts-")
        self.prefix = f"strads-test-{os.getpid()}"

    def __enter__(self):
        # A test that is stopped by its time limit gets no chance; the next set of hosts then removes this one.
        signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
        done = self.script("up", check=False)
        if done.returncode != 0:
            self.__exit__()
            raise AssertionError(
                "emulated hosts cannot be made here; they need root, network namespaces, openssh-server and iproute2:\n"
                f"{done.stderr.strip()}\nleave these tests out with: ctest -LE cluster")
        return self

    def __exit__(self, *_):
        self.script("down", check=False)
        self.folder.cleanup()

    def script(self, *words, check=True):
        environment = dict(os.environ, D=self.folder.name, N=str(self.count), OWNER=str(os.getpid()))
        return subprocess.run([HERE / "hosts.sh", *words], env=environment, capture_output=True, text=True, check=check)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def hide(self, host, path):
        """An empty folder in the place of `path`, on this host alone."""
        self.script("inside", str(host), "mount", "-t", "tmpfs", "none", str(path))

    def replace(self, host, path, content, mode=0o755):
        """Another file in the place of `path`, on this host alone."""
        other = self.path(f"other-{host}-{os.path.basename(path)}")
        pathlib.Path(other).write_bytes(content)
        os.chmod(other, mode)
        self.script("inside", str(host), "mount", "--bind", other, str(path))

    def processes(self, *programs):
        """{pid: program} of everything in the user's network, and of ours on the hosts; `programs`: only these."""
        networks = {os.stat(f"/run/netns/{self.prefix}-{name}").st_ino: name
                    for name in ["user", *map(str, range(1, self.count + 1))]}
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                network = networks.get(os.stat(entry / "ns/net").st_ino) if entry.name.isdigit() else None
                if network is None:
                    continue
                program = (entry / "comm").read_text().strip()
                if (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z":
                    continue
            except OSError:
                continue  # it has ended meanwhile
            if program in programs or (not programs and (network == "user" or program in ("stradsd", "lasso"))):
                found[int(entry.name)] = f"{program} on {network}"
        return found

    def pid_of(self, program, host):
        pids = [pid for pid, name in self.processes(program).items() if name == f"{program} on {host}"]
        assert pids, f"no {program} runs on {host}: {self.processes()}"
        return pids[0]


def end_with_parent():
    """In the child: SIGTERM when a test is killed for its time limit."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class Launched:
    """A launcher that runs in the user's network."""

    def __init__(self, hosts, hostfile, arguments, launcher_options=()):
        path = hosts.path("hostfile")
        pathlib.Path(path).write_text(hostfile)
        command = ["nsenter", f"--net=/run/netns/{hosts.prefix}-user", sys.executable, str(LAUNCH), "--hosts", path,
                   "--ssh", f"ssh -F {hosts.path('ssh_config')}", *launcher_options, "--", str(BIN / "lasso"), *arguments]
        self.hosts = hosts
        self.out, self.err = open(hosts.path("stdout"), "w+"), open(hosts.path("stderr"), "w+")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err,
                                        start_new_session=True, preexec_fn=end_with_parent)

    def stderr(self):
        return pathlib.Path(self.err.name).read_text()

    def stdout(self):
        return pathlib.Path(self.out.name).read_text()

    def wait(self, seconds=60):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still runs after {seconds} s: {self.hosts.processes()}\n{self.stderr()}") from None

    def wait_for_rounds(self, seconds=30):
        """Until the driver has reported rounds: everybody has joined and works."""
        wait_until(lambda: " round " in self.stderr() or self.process.poll() is not None, seconds, self.stderr)
        assert self.process.poll() is None, self.stderr()

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
        self.out.close()
        self.err.close()


def wait_until(condition, seconds, explain, every=0.02):
    """`every`: seconds between two looks, more where one look goes through all processes of the machine."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {explain()}")
        time.sleep(every)


def summary(folder):
    return json.loads((pathlib.Path(folder) / "summary.json").read_text())


class ClusterTest(unittest.TestCase):
    """Three hosts, node1 to node3; launch() runs a fit on them."""

    def setUp(self):
        self.hosts = self.enterContext(Hosts())

    def launch(self, arguments, hostfile="node1\nnode2\nnode3\n", **options):
        run = Launched(self.hosts, hostfile, ["fit", *arguments], **options)
        self.addCleanup(run.close)
        return run

    def in_network(self, command, name):
        """Starts a command in the user's network; what it says goes to the file `name`."""
        with open(self.hosts.path(name), "w", encoding="utf-8") as file:
            process = subprocess.Popen(["nsenter", f"--net=/run/netns/{self.hosts.prefix}-user", *map(str, command)],
                                       stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True,
                                       preexec_fn=end_with_parent)

        def close():
            if process.poll() is None:
                process.terminate()
                process.wait(30)
        self.addCleanup(close)
        return process

    def embedded_hash(self, arguments):
        out = self.hosts.path("embedded")
        done = subprocess.run([BIN / "lasso", "fit", *arguments, "--out", out, "--force", "--quiet"], capture_output=True,
                              text=True, check=False)
        self.assertIn(done.returncode, (0, 3), done.stderr)
        return summary(out)["beta_hash"]

    def expect_nothing_left(self, since=None):
        """Within the promised time since the loss (default: now) no process of the run is left, on no host."""
        since = time.monotonic() if since is None else since
        left = max(0.0, GONE_SECONDS - (time.monotonic() - since))
        wait_until(lambda: not self.hosts.processes(), left, self.hosts.processes, every=0.1)
