"""strads-launch --join: one process of many that something else has started, a task of srun or a pod of Kubernetes. Its
number decides what it becomes: 0 the driver, any other a node."""
import collections
import contextlib
import ctypes
import dataclasses
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

from strads_launch.ends import CLUSTER, LOCAL, USAGE, Failure, leave_reason, printable, say, why
from strads_launch.hosts import expand, node_address

PORT = 5570
WAIT_SECONDS = 600  # for the key, for the driver's name, for the driver: others may still be waiting for their machines
LOOK_SECONDS = 0.5  # between two looks at what is waited for
RESULT_LINES = 20  # of what was said last, among which the reason of the end is looked for
KEY_ENDS = re.compile(r"^end$", re.MULTILINE)
SAID = re.compile(r"^[\w-]+: error: ")
ROLES = ("auto", "driver", "node")


@dataclasses.dataclass
class Part:
    """What this process is in the run."""
    is_driver: bool
    driver: str  # name or address of the driver's machine
    nodes: int  # that the driver waits for
    name: str  # of a node


def part_of(options, environment):
    """From the options and, where they leave it open, from what Slurm or Kubernetes has set."""
    number = number_of(environment)
    if options.join == "auto" and number is None:
        raise Failure(USAGE, "--join: neither SLURM_PROCID nor JOB_COMPLETION_INDEX is set, expected one of them: start it "
                             "with srun or in a Job of completionMode Indexed, or say --join=driver or --join=node")
    is_driver = options.join == "driver" or (options.join == "auto" and number == 0)
    nodes = options.nodes or tasks_of(environment) - 1
    if is_driver and nodes < 1:
        raise Failure(USAGE, "--join: how many nodes the driver waits for is not known; give --nodes N, or start two or more "
                             "tasks with srun")
    return Part(is_driver, options.address or first_host(environment, is_driver), nodes, name_of(environment))


def number_of(environment):
    for name in ("SLURM_PROCID", "JOB_COMPLETION_INDEX"):
        text = environment.get(name, "")
        if re.fullmatch(r"[0-9]{1,9}", text):
            return int(text)
        if text:
            raise Failure(USAGE, f"{name}: found '{text}', expected a number from 0")
    return None


def tasks_of(environment):
    text = environment.get("SLURM_STEP_NUM_TASKS", "") or environment.get("SLURM_NTASKS", "")
    return int(text) if text.isdigit() else 1


def first_host(environment, is_driver):
    """Where the task with number 0 runs: on the first node of the step."""
    listed = environment.get("SLURM_STEP_NODELIST", "") or environment.get("SLURM_JOB_NODELIST", "")
    if listed:
        return expand("SLURM_STEP_NODELIST", listed)[0]
    if is_driver:
        return ""
    raise Failure(USAGE, "--join: where the driver is is not known; give its name or address with --address, e.g. that of its "
                         "pod: strads-driver-0-0.strads")


def name_of(environment):
    """Of a node: its host, and which of several tasks there it is."""
    name = environment.get("SLURMD_NODENAME", "") or socket.gethostname()
    local = environment.get("SLURM_LOCALID", "")
    return f"{name}/{int(local) + 1}" if local.isdigit() else name


def wait_for(what, look):
    """What look() gives, as soon as it gives something."""
    deadline = time.monotonic() + WAIT_SECONDS
    told = time.monotonic() + 10
    while (found := look()) is None:
        if time.monotonic() > deadline:
            raise Failure(CLUSTER, f"{what}: not there after {WAIT_SECONDS} s")
        if time.monotonic() > told:
            say(f"note: waits for {what}")
            told = deadline + 1
        time.sleep(LOOK_SECONDS)
    return found


def address_of(name):
    """Of the driver's machine, as a number. A name may come into being with the driver's pod."""
    def look():
        with contextlib.suppress(OSError, UnicodeError):
            return socket.getaddrinfo(node_address(name), None, type=socket.SOCK_STREAM)[0][4][0]
        return None
    return wait_for(f"the address of {name}", look)


def whole_key(path):
    """The driver makes it where it is missing, on a file system that all see."""
    def look():
        with contextlib.suppress(FileNotFoundError):
            text = pathlib.Path(path).read_text(encoding="ascii")
            return text if KEY_ENDS.search(text) else None
        return None
    try:
        return wait_for(f"the key {path}", look)
    except (OSError, ValueError) as error:
        raise Failure(USAGE, f"--key {path}: {why(error)}") from None


def words_of(part, options, stradsd):
    """The command of this process. Its key comes on stdin."""
    key = ["--insecure"] if options.insecure else ["--key", "-"]
    port = options.port or PORT
    if part.is_driver:
        return [*options.command, "--listen", f"tcp://0.0.0.0:{port}", "--nodes", str(part.nodes), *key]
    address = address_of(part.driver)
    shown = f"[{address}]" if ":" in address else address
    words = [options.remote_bin or stradsd, "--join", f"tcp://{shown}:{port}", "--name", part.name, *key,
             "--start-seconds", str(WAIT_SECONDS), "--die-with-parent"]
    words += ["--roles", options.roles] if options.roles else []
    words += ["--threads", str(options.threads)] if options.threads else []
    return words + (["--data-dir", options.remote_data] if options.remote_data else [])


class Child:
    """The driver or node. What it says is passed on; the reason of its end is kept."""

    def __init__(self):
        self.process, self.signals = None, []
        self.tail = collections.deque(maxlen=RESULT_LINES)

    def on_signal(self, number, _):
        """Who ends a job often signals all of its processes: of this launcher's signal the child must not take its own for
        a second one. SIGHUP only asks, however often it comes; a second Ctrl-C is one."""
        if self.process is None:
            raise Failure(128 + number, signal.strsignal(number))
        self.signals.append(number)
        if self.process.poll() is None:
            again = number == signal.SIGINT and len(self.signals) > 1
            ignored = signal.getsignal(signal.SIGHUP) == signal.SIG_IGN  # by the child, too
            self.process.send_signal(signal.SIGINT if again else signal.SIGTERM if ignored else signal.SIGHUP)

    def run(self, words, key):
        try:
            self.process = subprocess.Popen(words, stdin=subprocess.PIPE if key else subprocess.DEVNULL,
                                            stderr=subprocess.PIPE, preexec_fn=end_with_parent)
        except OSError as error:
            raise Failure(LOCAL, f"{words[0]}: cannot be started: {why(error)}") from None
        if key:
            with contextlib.suppress(OSError):  # it has ended, and says why
                self.process.stdin.write(key)
                self.process.stdin.close()
        for line in self.process.stderr:
            self.tail.append(line.decode(errors="replace").rstrip("\n"))
            with contextlib.suppress(OSError):
                os.write(2, line)
        code = self.process.wait()
        return code if code >= 0 else 128 - code

    def reason(self):
        """The last error; where there is none, the last line."""
        errors = [line for line in self.tail if SAID.match(line)]
        return printable((errors or list(self.tail) or [""])[-1])


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG; a driver ends in order


def join(options, environment, stradsd, key_of, handle_signals):
    """Runs this process's part to its end; the exit code is its own. key_of(is_driver): bytes, or None."""
    child = Child()
    handle_signals(child.on_signal)
    part = part_of(options, environment)
    code = child.run(words_of(part, options, stradsd), key_of(part.is_driver))
    leave_reason(code, child.reason() if code != 0 else "")
    return code
