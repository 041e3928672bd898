#!/usr/bin/env python3
"""Floods the driver's endpoint with connections of strangers during a run: the result must stay the same to the last
bit, they must be counted, and the driver's memory must be that of a run without them. Once with a key, once with
--insecure.

usage: strangers.py BIN_DIR SOURCE_DIR [CONNECTIONS [SILENT]]

CONNECTIONS: some send random bytes, some a byte and leave, some speak ZeroMQ as each type of socket, some have a wrong
key, and with a key some repeat what a node of an earlier run said. SILENT: as many connections that say nothing are held
all the while. Two thirds of CONNECTIONS come before the run begins, the rest meets it.
"""
import json
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

from story import embedded_hash, fit_command, listening_driver, new_key, result_of

AT_ONCE = 1000
MORE_MEMORY = 10 * 2**20  # bytes that strangers may cost

SOCKET_TYPES = (b"REQ", b"REP", b"DEALER", b"ROUTER", b"PUB", b"SUB", b"XPUB", b"XSUB", b"PUSH", b"PULL", b"PAIR", b"STREAM")


def greeting(mechanism):
    return b"\xff" + b"\0" * 8 + b"\x7f\x03\0" + mechanism.ljust(20, b"\0") + b"\0" * 32


def ready(kind):
    body = b"\x05READY" + b"\x0bSocket-Type" + len(kind).to_bytes(4, "big") + kind
    return b"\x04" + bytes([len(body)]) + body


class Watch(threading.Thread):
    """The most memory that a process held, bytes, and its CPU time, seconds, until it ends."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.memory, self.cpu = pid, 0, 0.0
        self.start()

    def run(self):
        try:
            while True:
                with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
                    self.memory = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
                with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
                    times = file.read().rpartition(")")[2].split()[11:13]
                self.cpu = sum(map(int, times)) / os.sysconf("SC_CLK_TCK")
                time.sleep(0.02)
        except (OSError, StopIteration):
            pass  # it has ended


class Recorder(threading.Thread):
    """A relay to `address`, whose connections it takes down: `said` has what each client sent."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.address, self.said = address, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = "tcp://127.0.0.1:{}".format(self.listener.getsockname()[1])
        self.start()

    def run(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(self.address)
            self.said.append(bytearray())
            for source, sink, said in ((client, server, self.said[-1]), (server, client, bytearray())):
                threading.Thread(target=self.relay, args=(source, sink, said), daemon=True).start()

    @staticmethod
    def relay(source, sink, said):
        try:
            while data := source.recv(65536):
                said += data
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # one side has gone


class Cluster:
    """A driver and three nodes. The run begins with the third."""

    def __init__(self, bin_dir, source, folder, keys):
        self.out = os.path.join(folder, "out")
        self.driver, self.endpoint = listening_driver(fit_command(bin_dir, source, self.out), folder, ["--nodes", "3", *keys])
        host, port = self.endpoint.removeprefix("tcp://").rsplit(":", 1)
        self.address = (host, int(port))
        self.watch = Watch(self.driver.pid)
        self.node = [os.path.join(bin_dir, "stradsd"), "--threads", "1", "--quiet", *keys, "--join"]
        self.nodes = []
        self.join(self.endpoint)
        self.join(self.endpoint)

    def join(self, endpoint):
        self.nodes.append(subprocess.Popen([*self.node, endpoint], stderr=subprocess.DEVNULL))

    def result(self):
        """Summary, and the exit codes of the nodes."""
        summary = result_of(self.driver, self.out)
        self.watch.join()
        return summary, [node.wait(timeout=30) for node in self.nodes]


class Strangers:
    """`earlier`: what nodes of an earlier run said, by connection."""

    def __init__(self, address, earlier):
        self.address, self.earlier = address, earlier
        self.rng = random.Random(1)
        self.came = 0
        self.silent = []
        self.talking = []
        self.kinds = [self.noise, self.tiny, self.client, self.wrong_key] + ([self.replay] if earlier else [])

    def noise(self, connection):
        connection.sendall(self.rng.randbytes(self.rng.randint(1, 4000)))

    def tiny(self, connection):
        connection.sendall(b"\xff")
        connection.close()

    def client(self, connection):
        body = self.rng.randbytes(self.rng.randint(1, 200))
        connection.sendall(greeting(b"NULL") + ready(self.rng.choice(SOCKET_TYPES)) + b"\0" + bytes([len(body)]) + body)

    def wrong_key(self, connection):
        hello = b"\x05HELLO\x01\0" + b"\0" * 72 + self.rng.randbytes(32 + 8 + 80)
        connection.sendall(greeting(b"CURVE") + b"\x04" + bytes([len(hello)]) + hello)

    def replay(self, connection):
        connection.sendall(self.rng.choice(self.earlier))

    def connect(self):
        # A port of ours can be used again after a minute: there are as many for each address.
        connection = socket.create_connection(self.address, timeout=5, source_address=(f"127.0.1.{self.came % 100 + 1}", 0))
        self.came += 1
        connection.settimeout(0.5)
        return connection

    def hold(self, count):
        """So many are silent, in place of those that were sent away."""
        self.release(self.silent)
        try:
            for _ in range(count):
                self.silent.append(self.connect())
        except OSError:
            pass  # the driver has ended

    def come(self, count):
        for k in range(count):
            try:
                self.talking.append(self.connect())
                self.kinds[k % len(self.kinds)](self.talking[-1])
            except OSError:
                pass  # the driver has closed it, or has ended
            if len(self.talking) == AT_ONCE:
                self.release(self.talking)

    @staticmethod
    def release(connections):
        for connection in connections:
            connection.close()
        connections.clear()


def undisturbed(bin_dir, source, folder, keys):
    """Its most memory and CPU time, and what was said on the connections of a node."""
    cluster = Cluster(bin_dir, source, folder, keys)
    recorder = Recorder(cluster.address)
    cluster.join(recorder.endpoint)
    summary, codes = cluster.result()
    print(f"{keys[0]}: undisturbed {summary['beta_hash']}, exit codes of the nodes {codes}, driver "
          f"{cluster.watch.memory / 2**20:.1f} MiB, {cluster.watch.cpu:.2f} s of CPU", flush=True)
    return cluster.watch, [bytes(said) for said in recorder.said]


def flooded(bin_dir, source, folder, count, silent, keys, expected):
    """True: the run did not mind. `keys`: options of driver and nodes."""
    before, said = undisturbed(bin_dir, source, folder, keys)
    cluster = Cluster(bin_dir, source, folder, keys)
    # Without keys whoever speaks as a node is a node.
    strangers = Strangers(cluster.address, said if keys[0] == "--key" else [])
    begin = time.monotonic()
    strangers.hold(silent)
    strangers.come(2 * count // 3)
    strangers.hold(silent)
    fewest = strangers.came - AT_ONCE  # those of the backlog may have gone
    cluster.join(cluster.endpoint)
    strangers.come(count - 2 * count // 3)
    seconds = time.monotonic() - begin
    summary, codes = cluster.result()
    strangers.release(strangers.silent)
    strangers.release(strangers.talking)
    told = summary.get("cluster", {})
    print(f"{keys[0]}: among {strangers.came} strangers in {seconds:.1f} s {summary['beta_hash']}, refused "
          f"{told.get('refused')}, exit codes of the nodes {codes}, driver {cluster.watch.memory / 2**20:.1f} MiB, "
          f"{cluster.watch.cpu:.2f} s of CPU", flush=True)
    # A node that is held back comes several times; without keys random bytes may be any number of messages.
    most = strangers.came + 100 if keys[0] == "--key" else float("inf")
    good = {"hash": summary["beta_hash"] == expected, "exit codes": not any(codes),
            "count": fewest <= told.get("refused", 0) <= most, "memory": cluster.watch.memory < before.memory + MORE_MEMORY}
    if not all(good.values()):
        wrong = ", ".join(what for what, right in good.items() if not right)
        print(f"WRONG: {wrong}; expected {expected}, {fewest} to {most} refused; said: {json.dumps(told)[:500]}")
    return all(good.values())


def main():
    bin_dir, source = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    silent = int(sys.argv[4]) if len(sys.argv) > 4 else 500
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    with tempfile.TemporaryDirectory() as folder:
        expected = embedded_hash(bin_dir, source, folder)
        ways = [new_key(bin_dir, folder), ["--insecure"]]
        good = [flooded(bin_dir, source, folder, count, silent, keys, expected) for keys in ways]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
