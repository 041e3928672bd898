#!/usr/bin/env python3
"""A second, bad link between two network namespaces, as long as this program runs.

    link_relay.py NAMESPACE_A ADDRESS_A NAMESPACE_B ADDRESS_B DELAY_MS [JITTER_MS [LOSS_PERCENT]]

Packets of either direction are taken from one tunnel device, kept for DELAY_MS plus up to JITTER_MS, and put into the
other; LOSS_PERCENT of them vanish. Prints "ready" when the link is there. Needs root and /dev/net/tun; used where the
kernel has no netem.
"""
import ctypes
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
PACKET_MAX = 65536
PACKETS_AT_ONCE = 64
LIBC = ctypes.CDLL(None, use_errno=True)


def enter(namespace):
    if LIBC.setns(namespace, CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def tunnel(namespace, address, peer):
    """A descriptor that packets of `namespace` for `peer` are read from; what is written arrives there."""
    home = os.open("/proc/self/ns/net", os.O_RDONLY)
    there = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
    enter(there)
    try:
        device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"slow0", IFF_TUN | IFF_NO_PI))
        subprocess.check_call(["ip", "addr", "add", address, "peer", peer, "dev", "slow0"])
        subprocess.check_call(["ip", "link", "set", "slow0", "up", "txqueuelen", "5000", "mtu", "65000"])
    finally:
        enter(home)
    return device


def relay(a, b, delay, jitter, loss):
    other = {a: b, b: a}
    waiting, count = [], 0  # heap of (time, number, device, packet)
    while True:
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, _, device, packet = heapq.heappop(waiting)
            try:
                os.write(device, packet)
            except BlockingIOError:
                pass  # a full queue loses packets, as a router does
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        readable, _, _ = select.select([a, b], [], [], pause)
        for device in readable:
            for _ in range(PACKETS_AT_ONCE):
                try:
                    packet = os.read(device, PACKET_MAX)
                except BlockingIOError:
                    break
                if random.random() < loss:
                    continue
                count += 1
                due = time.monotonic() + delay + random.random() * jitter
                heapq.heappush(waiting, (due, count, other[device], packet))


def main():
    if not 6 <= len(sys.argv) <= 8:
        sys.exit(__doc__)
    namespace_a, address_a, namespace_b, address_b, *numbers = sys.argv[1:]
    delay, jitter, loss = [float(number) for number in numbers] + [0.0] * (3 - len(numbers))
    a, b = tunnel(namespace_a, address_a, address_b), tunnel(namespace_b, address_b, address_a)
    print("ready", flush=True)
    relay(a, b, delay / 1e3, jitter / 1e3, loss / 100)


if __name__ == "__main__":
    main()
