"""Nodes that stay between fits: processes of this machine, or of hosts over ssh."""

import atexit
import hashlib
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
import threading
import time
import weakref

import numpy as np

from . import _strads
from ._data import announce_copy, option_list
from ._errors import InputError, StradsError, UsageError

_LAUNCH_SECONDS = 120  # for all hosts to answer, and their nodes to wait for a driver
_END_SECONDS = 15
_PORTS = (10000, 30000)  # below those that the system gives to connections
_open = weakref.WeakSet()


@atexit.register
def _close_all():
    for cluster in list(_open):
        cluster.close()


def _program(name, given, beside):
    """The path of one of our programs: as given, of the build folder that holds this package, or on PATH."""
    here = pathlib.Path(__file__).resolve().parents[2]
    candidates = [given] if given else [here / beside, shutil.which(name)]
    for path in candidates:
        if path and os.access(path, os.X_OK):
            return str(path)
    raise StradsError(f"{name}: not found {'at ' + str(given) if given else 'beside this package or on PATH'}; build or "
                      f"install the programs, or say where it is: Cluster(..., {name.replace('-', '_')}=PATH)")


def _check_build(stradsd):
    said = subprocess.run([stradsd, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"\(build (\w+)\)", said)
    if not found or found[1] != _strads.build_id():
        raise StradsError(f"{stradsd}: found {said.strip() or 'no version'}, expected the build of this package, "
                          f"{_strads.build_id()}, since another one could give other bits; install both of one build")


class Cluster:
    """Nodes that compute fits, and stay with the data that they have read until the cluster is closed:

    >>> import strads  # doctest: +SKIP
    >>> with strads.Cluster(processes=4) as cluster:
    ...     strads.Lasso(0.1, cluster=cluster).fit(strads.Bed("chr22"), y)

    Coefficients have the bits of the same fit without a cluster. One fit at a time; others wait.

    Parameters
    ----------
    processes
        So many processes of this machine.
    hosts
        Instead: hosts that ssh reaches, a list of names or the path of a file as strads-launch --hosts takes it. The
        build is installed on each, the data are there under the same paths.
    threads
        Of each node; None: its share of the cores.
    options
        A dict of options of the section cluster: {"lease": 5, "start_seconds": 30}.
    launch_options
        With hosts: a dict of options of strads-launch, for example {"ssh": "ssh -F FILE", "remote_bin": "/opt/stradsd"}.
    stradsd, strads_launch
        Paths of the programs; None: beside this package, else on PATH.
    """

    def __init__(self, processes=None, *, hosts=None, threads=None, options=None, launch_options=None, stradsd=None,
                 strads_launch=None):
        if (processes is None) == (hosts is None):
            raise UsageError("Cluster: expected either processes=N or hosts=[...]")
        if processes is not None and (isinstance(processes, bool) or int(processes) != processes or processes < 1):
            raise UsageError(f"Cluster: found processes={processes!r}, expected a whole number of at least 1")
        if processes is not None and launch_options:
            raise UsageError("Cluster: launch_options go with hosts")
        self._fitting = threading.Lock()
        self._owner = os.getpid()
        self._more = option_list(options or {})
        stradsd = _program("stradsd", stradsd, "bin/stradsd")
        _check_build(stradsd)
        if hosts is None:
            self._nodes = _Local(int(processes), stradsd, int(threads or 0))
        else:
            launch = _program("strads-launch", strads_launch, "../../scripts/strads-launch")
            self._nodes = _Remote(hosts, launch, stradsd, {"threads": threads, **(launch_options or {})})
        _open.add(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends all nodes. A fit that is under way on them in another thread fails."""
        if self._nodes is not None and self._owner == os.getpid():
            self._nodes.end()
        self._nodes = None
        _open.discard(self)

    @property
    def log(self):
        """What the nodes have said so far: a list of lines."""
        return self._here().log()

    @property
    def node_processes(self):
        """Process ids of the nodes of this machine; of hosts an empty list."""
        return self._here().processes()

    def _here(self):
        if self._nodes is None or self._owner != os.getpid():
            raise UsageError("the cluster is closed, or belongs to the process that this one was forked from; make a new "
                             "one: with strads.Cluster(...) as cluster")
        return self._nodes

    def _run(self, call, given):
        """call(options that name files in place of `given`, what sends the run to the nodes): one at a time."""
        nodes = self._here()
        with self._fitting:
            nodes.prepare()
            files = given(nodes.store)
            return call(files, (nodes.options() + self._more, nodes.local))

    # A cluster belongs to its process: a copy of an estimator has the same one, one that was read again has none.
    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return (type(None), ())


class _Store:
    """Arrays as files of a folder that all nodes see, under names that say what is in them: nodes keep the data of a file
    that they know. Of each kind the newest one is kept."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder)

    def write(self, what, suffix, arrays, save):
        """The path of a file that save(path) writes unless the same `arrays` were written before."""
        content = hashlib.blake2b(digest_size=16)
        for array in arrays:
            content.update(f"{array.dtype.str} {array.shape} {array.flags.f_contiguous}".encode())
            content.update(np.ascontiguousarray(array.T if array.flags.f_contiguous else array).data)
        path = self._folder / f"{what}-{content.hexdigest()}{suffix}"
        if not path.exists():
            size = sum(array.nbytes for array in arrays)
            if what == "X":
                announce_copy(f"X is written to {self._folder} for the nodes of the cluster", size,
                              "write it once yourself and give strads.File(path)")
            unfinished = path.with_name("unfinished" + suffix)
            save(unfinished)
            for other in self._folder.glob(f"{what}-*"):
                other.unlink()
            unfinished.rename(path)
        return str(path)


class _NoStore:
    def write(self, what, *_):
        raise InputError(f"{what} lies in the memory of this process, which nodes on other hosts do not see; write it to a "
                         "file that all hosts have under one path, and give its path: strads.File(path, y=...) or the "
                         "options of the command, for example options={'weights': path}")


class _Local:
    def __init__(self, processes, stradsd, threads):
        self.local = _strads.Processes(processes, stradsd, threads)
        self.store = _Store(self.local.folder())

    def prepare(self):
        self.local.replace_lost()

    def options(self):
        return self.local.options()

    def log(self):
        return self.local.output()

    def processes(self):
        return self.local.running()

    def end(self):
        self.local.end()


class _Remote:
    """strads-launch --stay, and what it says."""

    local = None
    store = _NoStore()

    def __init__(self, hosts, launch, stradsd, options):
        self._folder = tempfile.mkdtemp(prefix="strads-hosts-")
        self._launcher = None
        try:
            self._launch(hosts, launch, stradsd, options)
        except BaseException:
            self.end()
            raise

    def _launch(self, hosts, launch, stradsd, options):
        folder = pathlib.Path(self._folder)
        if isinstance(hosts, (str, os.PathLike)):
            file = os.fspath(hosts)
        else:
            file = folder / "hosts"
            file.write_text("".join(f"{host}\n" for host in hosts))
        options = {"port": _free_port(), "key": folder / "key", "logs": folder / "logs", **options}
        if options.get("insecure"):
            options.pop("key")
        words = [sys.executable, launch, "--hosts", str(file), "--stay", "--watch-stdin"]
        for name, text in option_list(options):
            words += [f"--{name}"] if text == "on" else [f"--{name}", text]
        self._said = folder / "launcher"
        with open(self._said, "wb") as said:
            self._launcher = subprocess.Popen([*words, "--", stradsd], stdin=subprocess.PIPE, stdout=said, stderr=said,
                                              start_new_session=True)
        deadline = time.monotonic() + _LAUNCH_SECONDS
        while not self._options():
            if self._launcher.poll() is not None or time.monotonic() > deadline:
                raise StradsError("the nodes of the hosts could not be started: " + self._said.read_text().strip())
            time.sleep(0.02)

    def _options(self):
        found = re.search("with these options: (.*)\n", self._said.read_text())
        words = shlex.split(found[1]) if found else []
        options, k = [], 0
        while k < len(words):
            has_value = k + 1 < len(words) and not words[k + 1].startswith("--")
            options.append((words[k][2:], words[k + 1] if has_value else ""))
            k += 2 if has_value else 1
        return options

    def prepare(self):
        if self._launcher.poll() is not None:
            raise StradsError("strads-launch has ended, and the nodes with it: " + self._said.read_text().strip())

    def options(self):
        return self._options()

    def log(self):
        files = sorted(pathlib.Path(self._folder, "logs").glob("*.log"))
        return [line for file in [self._said, *files] for line in file.read_text(errors="replace").splitlines()]

    def processes(self):
        return []

    def end(self):
        if self._launcher is not None:
            if self._launcher.poll() is None:
                self._launcher.terminate()
            try:
                self._launcher.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self._launcher.kill()
                self._launcher.wait()
            self._launcher.stdin.close()
        shutil.rmtree(self._folder, ignore_errors=True)


def _free_port():
    for _ in range(100):
        port = random.SystemRandom().randrange(*_PORTS)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise StradsError("no free port from 10000 to 30000 for the driver")
