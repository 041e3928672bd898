#!/usr/bin/env python3
"""Sends a message without end - parts of 1 MiB, each with the promise of another - to every port on which the driver and
a node listen, and to a node that joins whoever does this. Their memory must stay bounded, and the run must keep its bits.
All of them run with --insecure: with a key strangers do not come so far.

usage: flood.py BIN_DIR SOURCE_DIR [SECONDS]

SECONDS: of each flood. Prints the most memory that each process ever held.
"""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time

from story import embedded_hash, fit_command, listening_driver, result_of
from strangers import greeting, ready

MOST = 256 * 2**20  # bytes: a bound of 32 MiB a connection, what comes between two looks, and the program itself
PART = b"\x03" + (2**20).to_bytes(8, "big") + bytes(2**20)  # ZMTP: more parts follow, a length of eight bytes


def most_memory(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def listening_ports(pid):
    """TCP ports of this machine on which the process listens."""
    inodes = set()
    for name in os.listdir(f"/proc/{pid}/fd"):
        try:
            inodes.add(os.readlink(f"/proc/{pid}/fd/{name}").removeprefix("socket:[").removesuffix("]"))
        except OSError:
            pass  # closed meanwhile
    with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
        rows = [line.split() for line in file][1:]
    return [int(row[1].rpartition(":")[2], 16) for row in rows if row[3] == "0A" and row[9] in inodes]


def pour(connection, kind, end):
    """Bytes sent until `end` or until the other side has had enough."""
    sent = 0
    connection.settimeout(1)
    try:
        connection.sendall(greeting(b"NULL") + ready(kind))
        connection.recv(64)
        while time.monotonic() < end:
            connection.sendall(PART)
            sent += len(PART)
    except OSError:
        pass
    return sent


def flood(port, seconds):
    """Whoever is sent away comes again."""
    end = time.monotonic() + seconds
    sent = 0
    while time.monotonic() < end:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
                sent += pour(connection, b"DEALER", end)
        except OSError:
            time.sleep(0.05)
    return sent


def false_driver(listener, seconds):
    end = time.monotonic() + seconds
    listener.settimeout(1)
    sent = 0
    while time.monotonic() < end:
        try:
            connection, _ = listener.accept()
        except OSError:
            continue
        with connection:
            sent += pour(connection, b"ROUTER", end)
    return sent


def main():
    bin_dir, source = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 5
    failures = 0

    def check(what, good):
        nonlocal failures
        failures += not good
        print(f"{what}: {'as it must' if good else 'WRONG'}", flush=True)

    stradsd = [os.path.join(bin_dir, "stradsd"), "--threads", "1", "--quiet", "--insecure", "--join"]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        expected = embedded_hash(bin_dir, source, folder)
        driver, endpoint = listening_driver(fit_command(bin_dir, source, out), folder, ["--nodes", "2", "--insecure"])
        node = subprocess.Popen([*stradsd, endpoint])
        while not listening_ports(node.pid):
            time.sleep(0.02)
        for who, pid in (("driver", driver.pid), ("node", node.pid)):
            for port in listening_ports(pid):
                sent = flood(port, seconds)
                memory = most_memory(pid)
                check(f"{who}, port {port}: {sent / 2**20:.0f} MiB sent, {memory / 2**20:.0f} MiB held at most", memory < MOST)
        second = subprocess.Popen([*stradsd, endpoint])
        summary = result_of(driver, out)
        codes = [each.wait(timeout=60) for each in (node, second)]
        check(f"the run after it: {summary['beta_hash']}, exit codes of the nodes {codes}",
              summary["beta_hash"] == expected and not any(codes))

        with socket.create_server(("127.0.0.1", 0)) as listener:
            node = subprocess.Popen([*stradsd, f"tcp://127.0.0.1:{listener.getsockname()[1]}"])
            thread = threading.Thread(target=false_driver, args=(listener, seconds))
            thread.start()
            thread.join()
            memory = most_memory(node.pid)
            node.kill()
            node.wait()
            check(f"a node of a driver that sends without end: {memory / 2**20:.0f} MiB held at most", memory < MOST)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
