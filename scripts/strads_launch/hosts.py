"""Which hosts: lists with ranges, files of several programs, the nodes of a Slurm job."""
import dataclasses
import itertools
import math
import os
import pathlib
import re
import socket
import subprocess

from strads_launch.ends import USAGE, Failure, why

HOST = re.compile(r"[A-Za-z0-9_.@:%][A-Za-z0-9_.@:%-]*")
HOSTS_MAX = 4096  # a driver takes no more nodes in its life
SLOTS_MAX = 9999
WITH_COUNT = re.compile(r"([^:]+):(\d+)")  # HOST:N; an address of IPv6 has more colons
SSH_PORT = 22
COUNT_MAX = 1023  # a larger N of HOST:N is rather a port
TASKS = re.compile(r"(\d+)(?:\(x(\d+)\))?")


@dataclasses.dataclass
class Host:
    name: str
    slots: int = 1
    address: str = ""
    roles: str = ""
    ports: set = dataclasses.field(default_factory=set)  # of a list of LightGBM, which has a line for each process

    def node_names(self):
        return [self.name] if self.slots == 1 else [f"{self.name}/{k}" for k in range(1, self.slots + 1)]


def wrong(where, text):
    return Failure(USAGE, f"{where}: {text}")


# --- lists ------------------------------------------------------------------------------------------------------------


def expand(where, text):
    """The names of a list as Slurm writes it, in its order: rack[1-2]node[01-03,07],login. Where a name has several
    ranges the last one runs first. `where` begins the message of an error."""
    names = []
    for word in re.split(r",(?![^\[]*\])", text):  # commas outside of brackets
        names += names_of(where, word)
        if len(names) > HOSTS_MAX:
            raise too_many(where, text)
    return names


def too_many(where, text):
    return wrong(where, f"found more than {HOSTS_MAX} hosts in '{text}', expected at most so many: a driver takes no more "
                        "nodes")


def names_of(where, word):
    pieces = re.split(r"\[([^\[\]]*)\]", word)  # text, range, text, ..., text
    if any(mark in text for text in pieces[0::2] for mark in "[]"):
        raise wrong(where, f"found '{word}', expected a ] for each [, as in node[01-03,07]")
    choices = [numbers_of(where, word, piece) if k % 2 else [piece] for k, piece in enumerate(pieces)]
    if math.prod(map(len, choices)) > HOSTS_MAX:
        raise too_many(where, word)
    names = ["".join(parts) for parts in itertools.product(*choices)]
    for name in names:
        if not HOST.fullmatch(name):
            raise wrong(where, f"found '{name}', expected the name of a host")
    return names


def numbers_of(where, word, text):
    """Those between brackets. Zeros in front are kept: 08-10 is 08, 09, 10."""
    found = []
    for part in text.split(","):
        ends = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9}))?", part)
        if not ends:
            raise wrong(where, f"found '[{text}]' in '{word}', expected numbers and ranges, as in [01-03,07]")
        low, high = ends[1], ends[2] or ends[1]
        if int(low) > int(high):
            raise wrong(where, f"found the range {part} in '{word}', which goes down; expected {high}-{low}")
        zeros = any(end.startswith("0") and len(end) > 1 for end in (low, high))
        if zeros and len(low) != len(high):
            raise wrong(where, f"found the range {part} in '{word}', expected as many digits on both sides, as in 001-100")
        if int(high) - int(low) >= HOSTS_MAX:
            raise too_many(where, word)
        width = len(low) if zeros else 0
        found += [str(number).zfill(width) for number in range(int(low), int(high) + 1)]
    return found


def counted(where, word):
    """(names, slots or None) of LIST or LIST:N, as MPICH counts its processes."""
    count = WITH_COUNT.fullmatch(word)
    if not count:
        return expand(where, word), None
    text, number = count[1], int(count[2])
    if number == SSH_PORT or number > COUNT_MAX:
        raise wrong(where, f"found '{word}', which is {number} processes for MPICH and a port of sshd for dmlc; expected "
                           f"'{text} slots={number}' or, with 'Port {number}' in your ssh configuration, '{text}'")
    return expand(where, text), slots_of(where, f":{count[2]}", count[2])


def slots_of(where, shown, text):
    if not re.fullmatch(r"[1-9][0-9]{0,3}", text):
        raise wrong(where, f"{shown}, expected a number from 1 to {SLOTS_MAX}")
    return int(text)


# --- files ------------------------------------------------------------------------------------------------------------


def hosts_given(text):
    """Of --hosts: a file if there is one of that name, else a list."""
    if os.path.exists(text) or "/" in text:
        return read_hosts(text)
    if not re.search(r"[,\[\]]", text):
        raise wrong(f"--hosts {text}", "no such file; a list has a comma or a range: node1,node2 or node[1-3], and one "
                                       f"host alone is '{text},'")
    hosts = {}
    for word in re.split(r",(?![^\[]*\])", text[:-1] if text.endswith(",") else text):
        names, slots = counted("--hosts", word)
        for name in names:
            add("--hosts", hosts, Host(name, slots or 1))
    return list(hosts.values())


def read_hosts(path, option="--hosts"):
    """One host or list a line, in any of the forms that docs/CLUSTER.md shows."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise wrong(f"{option} {path}", why(error)) from None
    hosts = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            for host in read_line(f"{path}:{number}", words):
                add(f"{path}:{number}", hosts, host)
    if not hosts:
        raise Failure(USAGE, f"{path}: no host in it; expected lines HOST [slots=N] [addr=ADDRESS] [roles=...]")
    return list(hosts.values())


def add(where, hosts, host):
    before = hosts.get(host.name)
    if before is None:
        hosts[host.name] = host
    elif before.ports and host.ports and not before.ports & host.ports:
        before.slots += 1  # LightGBM has a line for each process of a host
        before.ports |= host.ports
    else:
        raise wrong(where, f"host {host.name} is listed twice; use slots=N for several stradsd on it")
    if len(hosts) > HOSTS_MAX:
        raise wrong(where, f"found host number {len(hosts)}, expected at most {HOSTS_MAX}: a driver takes no more nodes")


def read_line(where, words):
    if len(words) == 2 and words[1].isdigit():
        return [machine(where, *words)]
    names, slots = counted(where, words[0])
    options = {"slots": slots or 1}
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key == "slots" and slots is not None:
            raise wrong(where, f"found '{words[0]}' and '{word}', expected the number of slots once")
        if key == "slots":
            options["slots"] = slots_of(where, word, value)
        elif key in ("max_slots", "max-slots"):
            slots_of(where, word, value)  # Open MPI's bound for those that it starts besides; here are none
        elif key == "addr" and value:
            if len(names) > 1:
                raise wrong(where, f"found '{word}' for {len(names)} hosts, expected one host a line where addr= is given")
            options["address"] = value
        elif key == "roles":
            options["roles"] = check_roles(f"{where}: roles=", value)
        else:
            raise wrong(where, f"found '{word}', expected slots=N, addr=ADDRESS or roles=scheduler,worker")
    return [Host(name, **options) for name in names]


def machine(where, name, port):
    """A line of LightGBM's list of machines. Of ports none is used: nodes listen at any that is free."""
    if not HOST.fullmatch(name):
        raise wrong(where, f"found '{name}', expected the name of a host")
    if not 1 <= int(port) <= 65535:
        raise wrong(where, f"found the port {port}, expected 1 to 65535, as in LightGBM's list of machines")
    return Host(name, ports={int(port)})


def check_roles(where, value):
    if not value or set(value.split(",")) - {"scheduler", "worker"}:
        raise Failure(USAGE, f"{where}{value}: expected scheduler, worker or scheduler,worker")
    return value


# --- Slurm ------------------------------------------------------------------------------------------------------------


def hosts_of_job(environment):
    """The nodes of the Slurm job that this program runs in, with as many slots as the job has tasks there."""
    listed = environment.get("SLURM_JOB_NODELIST", "")
    if not listed:
        raise Failure(USAGE, "--slurm: SLURM_JOB_NODELIST is not set, expected to run in a job of Slurm: submit a script "
                             "like configs/slurm.sbatch, or begin a job with salloc")
    names = expand("SLURM_JOB_NODELIST", listed)
    counts = [1] * len(names)
    if "SLURM_NTASKS" in environment:  # else Slurm counts processors there
        tasks = tasks_of(environment.get("SLURM_TASKS_PER_NODE", ""))
        counts = tasks if len(tasks) == len(names) else counts
    return [Host(name, max(count, 1)) for name, count in zip(names, counts)]


def tasks_of(text):
    """[2, 2, 1] of "2(x2),1"."""
    counts = []
    for part in text.split(",") if text else []:
        found = TASKS.fullmatch(part)
        if not found:
            raise wrong("SLURM_TASKS_PER_NODE", f"found '{text}', expected numbers of tasks, as in 2(x3),1")
        counts += [int(found[1])] * int(found[2] or 1)
    return counts


def node_address(name):
    """Slurm's own address of a node, where DNS does not know its name."""
    try:
        socket.getaddrinfo(name, None)
        return name
    except (OSError, UnicodeError):  # the latter: of a name that none can be
        pass
    try:
        done = subprocess.run(["scontrol", "-o", "show", "node", name], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", check=False, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return name
    found = re.search(r"\bNodeAddr=(\S+)", done.stdout)
    return found[1] if found else name
