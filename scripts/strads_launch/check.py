"""strads-launch --check: whether a run would find on its hosts what it needs. What each host says comes from probe.py."""
import dataclasses
import json
import os
import pathlib
import re
import secrets
import selectors
import shlex
import subprocess
import time

from strads_launch import probe
from strads_launch.ends import CLUSTER, Failure, printable

ANSWER_SECONDS = 30  # for a host to answer, from when it may log in
CLOCK_SECONDS_MAX = 2.0  # between two clocks, beyond what the way there and back explains
DRY_RUN_SECONDS = 120
SLOT_BYTES = 64 << 20  # a stradsd without data takes 15 to 20 MiB, and each thread some more
OUT_MAX = 1 << 20  # bytes that a host may say before it answers
HERE = "here"  # this machine, where the driver runs
# What a probe says; anything else is dropped.
KINDS = {"memory": int, "file": str, "address": str, "port": int, "deaf": str, "blind": str, "clock": (int, float),
         "reached": dict}
PLANNED = re.compile(r"^  (?! )(?:\d+ x )?(node\b.*?|driver) +mapped +anonymous$|^    at the most .* ([\d.]+) MiB$")


@dataclasses.dataclass
class Facts:
    """What is known of one host. A problem is a text that says what to do."""
    name: str
    slots: int = 1
    unreached: str = ""  # problem: nothing else is known then
    build: str = ""
    other_build: str = ""  # problem
    silent: str = ""  # problem: the host did not answer what it was asked
    blind: str = ""  # why the rest is not known; no problem
    memory: int = None  # bytes
    file: str = ""
    clock: tuple = None  # seconds ahead of the clock here, and by how much that may be wrong
    closed: dict = dataclasses.field(default_factory=dict)  # {whom: what is wrong} of the ports that it does not reach


# --- asking -----------------------------------------------------------------------------------------------------------


class Asked:
    """A probe on one host, seen from here: an ssh client that the Entrance lets in, as any other (Connection)."""

    def __init__(self, host, mark):
        self.host, self.mark, self.tries, self.process = host, mark, 0, None
        self.rest, self.said = b"", ""
        self.facts, self.problem = {}, ""
        self.expects, self.ended = True, False  # an answer; that its client has ended
        self.asked_at = self.answered_at = 0.0

    def start(self, ssh, words):
        self.rest, self.said = b"", ""
        self.process = ssh.start(self.host.name, words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
        os.set_blocking(self.process.stdout.fileno(), False)

    def runs(self):
        return self.process is not None and not self.problem and not self.ended

    def ask(self, line):
        self.expects, self.asked_at = True, time.time()
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it has ended: what is read next tells

    def read(self):
        """False: it has ended."""
        try:
            data = os.read(self.process.stdout.fileno(), 65536)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        *lines, self.rest = (self.rest + data).split(b"\n")
        self.rest = self.rest[-OUT_MAX:]
        for line in lines:
            self.take(line.decode(errors="replace"))
        return data != b""

    def take(self, line):
        if not line.startswith(self.mark):
            self.said = line.strip() or self.said  # a greeting, or what went wrong
            return
        try:
            facts = json.loads(line[len(self.mark):])
        except ValueError:
            return
        if isinstance(facts, dict):
            self.facts.update({key: value for key, value in facts.items() if isinstance(value, KINDS.get(key, ()))})
            self.expects, self.answered_at = False, time.time()

    def stop(self):
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass  # what was not written any more


class Probes:
    """Asks all hosts at the same time. `entrance`: who may log in, as in a run."""

    def __init__(self, ssh, entrance, hosts, program, driver):
        self.ssh, self.entrance, self.program, self.driver = ssh, entrance, program, driver
        self.mark = f"strads-check-{secrets.token_hex(8)} "
        self.asked = [Asked(host, self.mark) for host in hosts]
        self.selector = selectors.DefaultSelector()

    def words(self, host):
        source = pathlib.Path(probe.__file__).read_text(encoding="utf-8")
        arguments = shlex.join([self.mark, self.program, self.driver, host.address])
        return ["/bin/sh", "-c", f"{{ command -v python3 >/dev/null 2>&1 && exec python3 -c {shlex.quote(source)} "
                                 f"{arguments}; }} || echo {shlex.quote(self.mark)}'{{\"blind\": \"no python3 there\"}}'"]

    def begin(self):
        for asked in self.asked:
            self.entrance.add(asked)
        self.listen()

    def ask(self, line_of):
        """line_of(asked): what is asked; None: nothing."""
        for asked in self.asked:
            line = line_of(asked) if asked.runs() and "port" in asked.facts else None
            if line is not None:
                asked.ask(line)
        self.listen()

    def listen(self):
        """Until all who were asked have answered."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while any(asked.expects for asked in self.asked):
            for asked in self.entrance.next():
                asked.start(self.ssh, self.words(asked.host))
                self.selector.register(asked.process.stdout, selectors.EVENT_READ, asked)
                deadline = time.monotonic() + ANSWER_SECONDS
            for key, _ in self.selector.select(0.05):
                self.on_read(key.data)
            if time.monotonic() > deadline:
                for asked in self.asked:
                    self.fail(asked, f"no answer within {ANSWER_SECONDS} s")

    def on_read(self, asked):
        goes_on = asked.read()
        if not asked.expects:
            self.entrance.left(asked)
        if goes_on:
            return
        self.selector.unregister(asked.process.stdout)
        code = asked.process.wait()
        if not asked.facts and self.entrance.again(asked, code, asked.said):
            return
        self.entrance.left(asked)
        asked.ended = True
        self.fail(asked, printable(asked.said) or f"exit code {code}")

    def fail(self, asked, reason):
        if asked.expects:
            asked.expects, asked.problem = False, reason

    def end(self):
        for asked in self.asked:
            asked.stop()
        self.selector.close()


def look(probes, driver):
    """Facts of each host that answered. `driver`: (address, port) of a socket that listens here."""
    known = {asked.host.name: Facts(asked.host.name, asked.host.slots) for asked in probes.asked}
    try:
        probes.begin()
        probes.ask(lambda asked: "clock")
        for asked in probes.asked:
            if "clock" in asked.facts:
                known[asked.host.name].clock = clock_difference(asked.asked_at, asked.answered_at, asked.facts["clock"])
        places = {asked.host.name: (asked.host.name, asked.facts["address"], asked.facts["port"])
                  for asked in probes.asked if 0 < asked.facts.get("port", 0) < 1 << 16}
        probes.ask(lambda asked: json.dumps([(HERE, *driver), *(place for name, place in places.items()
                                                               if name != asked.host.name)]))
        from_here = probe.reach(places.values())
    finally:
        probes.end()
    for asked in probes.asked:
        facts = known[asked.host.name]
        facts.memory, facts.file = asked.facts.get("memory"), printable(asked.facts.get("file", ""))
        facts.blind, facts.silent = printable(asked.facts.get("blind", "")), asked.problem
        reached = asked.facts.get("reached", {})
        facts.closed = {printable(whom): printable(str(said)) for whom, said in reached.items() if said}
        if from_here.get(facts.name):
            facts.closed[f"{HERE} -> {facts.name}"] = from_here[facts.name]
        if "deaf" in asked.facts:
            place = asked.facts.get("address", asked.host.address)
            facts.closed[""] = printable(f"{place}: {asked.facts['deaf']}")
    return known


def clock_difference(asked_at, answered_at, shown):
    """(seconds that a clock is ahead of ours, half of the time that asking took: it may be wrong by so much)."""
    return shown - (asked_at + answered_at) / 2, (answered_at - asked_at) / 2


def planned_memory(command, nodes):
    """Bytes that the node of the most memory takes, as the command's own --dry-run says; None where it says nothing."""
    own = ["--dry-run", "--listen", "tcp://127.0.0.1:0", "--nodes", str(nodes), "--insecure"]
    try:
        done = subprocess.run([*command, *own], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                              check=False, timeout=DRY_RUN_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return largest_node(done.stdout)


def largest_node(printed):
    who, most = "", None
    for line in printed.splitlines():
        found = PLANNED.match(line)
        if found and found[1]:
            who = found[1]
        elif found and who.startswith("node"):
            most = max(most or 0, int(float(found[2]) * (1 << 20)))
    return most


# --- telling ----------------------------------------------------------------------------------------------------------


def problems(facts, needed):
    """What is wrong with a host, each with what to do. `needed`: bytes of each node, None where nobody has said."""
    if facts.unreached:
        return [f"{facts.name}: {facts.unreached}"]
    found = [f"{facts.name}: {facts.other_build}"] if facts.other_build else []
    if facts.silent:
        found.append(f"{facts.name}: its python3 does not say what memory, clock and ports are like: {facts.silent}; run "
                     "'python3 -V' there")
    wanted = facts.slots * (needed or SLOT_BYTES)
    if facts.memory is not None and facts.memory < wanted:
        found.append(f"{facts.name}: {size(facts.memory)} of memory are left there, and its {facts.slots} stradsd take "
                     f"{size(wanted)}; end what else runs there, give it fewer slots, or take more hosts")
    if facts.clock is not None and abs(facts.clock[0]) > CLOCK_SECONDS_MAX + facts.clock[1]:
        found.append(f"{facts.name}: its clock is {abs(facts.clock[0]):.1f} s {'ahead' if facts.clock[0] > 0 else 'behind'}, "
                     "expected that of this machine: its logs do not line up with others; set it, e.g. with chrony or "
                     "systemd-timesyncd")
    return found + [port_problem(facts, whom, said) for whom, said in facts.closed.items()]


def port_problem(facts, whom, said):
    if not whom:
        return f"{facts.name}: cannot listen at {said}; give an address of this host, as the others reach it, with addr="
    if whom == HERE:
        return (f"{facts.name} -> {HERE}: {said}; let the firewall of this machine open the driver's port to the hosts "
                "(--port N names it), or give an address that they reach with --address")
    way = whom if whom.startswith(HERE) else f"{facts.name} -> {whom}"
    return (f"{way}: {said}; let firewalls open the ephemeral ports (net.ipv4.ip_local_port_range) among the hosts, or give "
            "an address that is reached with addr=")


def size(count):
    return f"{count / (1 << 30):.1f} GiB" if count >= 1 << 30 else f"{count / (1 << 20):.0f} MiB"


def row_of(facts, needed):
    if facts.unreached:
        return [facts.name, str(facts.slots), "FAILED", "-", "-", "-", "-", "-"]
    told = problems(facts, needed)
    memory = "-" if facts.memory is None else size(facts.memory)
    clock = "-" if facts.clock is None else f"{facts.clock[0]:+.3f} s"
    ports = "FAILED" if facts.closed or facts.silent else "-" if facts.blind else "ok"
    return [facts.name, str(facts.slots), "ok", f"{facts.build} FAILED" if facts.other_build else facts.build,
            facts.file or "-", memory + (" FAILED" if any("of memory are left" in each for each in told) else ""),
            clock + (" FAILED" if any(": its clock is" in each for each in told) else ""), ports]


def table(known, needed):
    rows = [["host", "slots", "reached", "build", "file", "memory", "clock", "ports"],
            *(row_of(facts, needed) for facts in known)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def notes(known, needed):
    found = [f"{facts.name}: memory, clock and ports are not known: {facts.blind}" for facts in known
             if facts.blind and not facts.unreached]
    files = {facts.file for facts in known if facts.file and not facts.other_build}
    if len(files) > 1:
        found.append("the files of stradsd differ, though their builds are the same: one may be stripped")
    if needed is not None:
        found.append(f"a node of this command takes up to {size(needed)}, as --dry-run says")
    return found


def verdict(known, needed):
    """Raises with all problems; else the last line of the table."""
    found = [problem for facts in known for problem in problems(facts, needed)]
    if found:
        failed = sum(bool(problems(facts, needed)) for facts in known)
        raise Failure(CLUSTER, "\n".join([*found, f"{failed} of {len(known)} hosts cannot be used as they are"]))
    return f"{len(known)} host{'s' if len(known) > 1 else ''} can be used"
