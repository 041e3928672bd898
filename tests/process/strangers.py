#!/usr/bin/env python3
"""Floods the driver's endpoint with connections of strangers during a run: the result must stay the same to the last
bit, they must be counted, and the driver's memory must stay flat. Once with a key, once with --insecure.

usage: strangers.py BIN_DIR SOURCE_DIR [CONNECTIONS]

A third of the connections says nothing, a third sends random bytes, a third speaks ZeroMQ and sends random messages.
"""
import json
import os
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time

from kill_workers import fit_command, new_key, result_of, wait_for

AT_ONCE = 1000

GREETING = b"\xff" + b"\0" * 8 + b"\x7f\x03\0" + b"NULL".ljust(20, b"\0") + b"\0" * 32
READY = b"\x05READY" + b"\x0bSocket-Type" + (6).to_bytes(4, "big") + b"DEALER" + b"\x08Identity" + (0).to_bytes(4, "big")


def memory(pid):
    """Bytes resident now; 0 when the process has ended."""
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmRSS"))
    except (OSError, StopIteration):
        return 0


def pester(address, kind, rng):
    connection = socket.create_connection(address, timeout=5)
    connection.settimeout(0.5)
    if kind == 1:
        connection.sendall(rng.randbytes(rng.randint(1, 4000)))
    elif kind == 2:
        body = rng.randbytes(rng.randint(1, 200))
        connection.sendall(GREETING + b"\x04" + bytes([len(READY)]) + READY + b"\0" + bytes([len(body)]) + body)
    return connection


def flooded(bin_dir, source, folder, count, keys, expected):
    """True: the run did not mind. `keys`: options of driver and nodes."""
    rng = random.Random(1)
    out = os.path.join(folder, "out")
    endpoint_file = os.path.join(folder, "endpoint")
    if os.path.exists(endpoint_file):
        os.remove(endpoint_file)
    driver = subprocess.Popen(
        fit_command(bin_dir, source, out) +
        ["--listen", "tcp://127.0.0.1:0", "--nodes", "3", "--endpoint-file", endpoint_file, *keys],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    endpoint = wait_for(endpoint_file, driver)
    host, port = endpoint.removeprefix("tcp://").rsplit(":", 1)
    join = [os.path.join(bin_dir, "stradsd"), "--join", endpoint, "--threads", "1", "--quiet", *keys]
    # The run begins with the third node: two thirds of the strangers come before, the last third meets the run.
    nodes = [subprocess.Popen(join, stderr=subprocess.DEVNULL) for _ in range(2)]
    open_ones, memories = [], []
    for i in range(count):
        if i == 2 * count // 3:
            nodes.append(subprocess.Popen(join, stderr=subprocess.DEVNULL))
        try:
            open_ones.append(pester((host, int(port)), i % 3, rng))
        except OSError:
            pass  # the driver has closed it, or has ended
        if len(open_ones) == AT_ONCE:
            memories.append(memory(driver.pid))
            for connection in open_ones:
                connection.close()
            open_ones.clear()
    summary = result_of(driver, out)
    for connection in open_ones:
        connection.close()
    codes = [node.wait(timeout=30) for node in nodes]
    cluster = summary.get("cluster", {})
    grown = [m for m in memories if m > 0]
    print(f"{keys[0]}: among {count} strangers {summary['beta_hash']}, refused {cluster.get('refused')}, exit codes of the "
          f"nodes {codes}")
    print("driver's memory after each " + str(AT_ONCE) + ": " + ", ".join(f"{m / 2**20:.1f}" for m in grown) + " MiB")
    flat = len(grown) < 3 or max(grown[2:]) < grown[1] + 16 * 2**20
    counted = cluster.get("refused", 0) >= count // 6
    good = summary["beta_hash"] == expected and not any(codes) and counted and flat
    if not good:
        print(f"FAILED: expected {expected}, flat {flat}, counted {counted}, said: {json.dumps(cluster)[:500]}")
    return good


def main():
    bin_dir, source = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10000
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        expected = result_of(subprocess.Popen(fit_command(bin_dir, source, out), stdout=subprocess.PIPE,
                                              stderr=subprocess.PIPE, text=True), out)["beta_hash"]
        ways = [new_key(bin_dir, folder), ["--insecure"]]
        good = [flooded(bin_dir, source, folder, count, keys, expected) for keys in ways]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
