"""Runs on each host, sent there by strads-launch --check: says what memory the host has, which ports of others it reaches,
and what its clock shows. It is asked by lines on stdin and answers by lines of JSON behind a mark. Python 3.6 suffices.

usage: python3 -c SOURCE MARK STRADSD ADDRESS-OF-THE-DRIVER OWN-ADDRESS
"""
import errno
import hashlib
import json
import os
import selectors
import socket
import sys
import time

REACH_SECONDS = 5  # for a connection to open: two tries, where the first packet is lost


def memory_left():
    """Bytes that new processes can have; None where the kernel does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


def digest(path):
    """16 hexadecimal digits of SHA-256; "" where the file cannot be read."""
    content = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            for block in iter(lambda: file.read(1 << 20), b""):
                content.update(block)
    except OSError:
        return ""
    return content.hexdigest()[:16]


def address_of_route(target):
    """The local address from which `target` is reached. Nothing is sent: connecting a datagram socket is a look-up."""
    for family, kind, protocol, _, place in socket.getaddrinfo(target, 9, type=socket.SOCK_DGRAM):
        with socket.socket(family, kind, protocol) as probe:
            try:
                probe.connect(place)
            except OSError:
                continue
            return probe.getsockname()[0]
    raise OSError("no route")


def listen(address, port=0):
    """A socket whose connections the kernel takes: nobody need accept them."""
    family, kind, protocol, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(place)
        listener.listen(4096)
    except OSError:
        listener.close()
        raise
    return listener


def reach(targets, seconds=REACH_SECONDS):
    """{name: "" or what is wrong} of targets (name, address, port), all tried at the same time."""
    said, waiting = {}, selectors.DefaultSelector()
    for name, address, port in targets:
        try:
            family, kind, protocol, _, place = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
            connection = socket.socket(family, kind, protocol)
            connection.setblocking(False)
            code = connection.connect_ex(place)
        except OSError as error:
            said[name] = error.strerror or str(error)
            continue
        if code in (0, errno.EINPROGRESS):
            waiting.register(connection, selectors.EVENT_WRITE, name)
        else:
            said[name] = os.strerror(code)
            connection.close()
    deadline = time.monotonic() + seconds
    while waiting.get_map() and time.monotonic() < deadline:
        for key, _ in waiting.select(max(0, deadline - time.monotonic())):
            code = key.fileobj.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            said[key.data] = os.strerror(code) if code else ""
            waiting.unregister(key.fileobj)
            key.fileobj.close()
    for key in list(waiting.get_map().values()):
        said[key.data] = f"no answer within {seconds} s"
        key.fileobj.close()
    waiting.close()
    return said


def main(mark, program, driver, own):
    def say(facts):
        print(mark + json.dumps(facts), flush=True)
    facts = {"memory": memory_left(), "file": digest(program)}
    listener = None
    try:
        facts["address"] = own or address_of_route(driver)
        listener = listen(facts["address"])
        facts["port"] = listener.getsockname()[1]
    except OSError as error:
        facts["deaf"] = error.strerror or str(error)
    say(facts)
    for line in sys.stdin:
        if line.startswith("clock"):
            say({"clock": time.time()})
        elif line.startswith("["):
            say({"reached": reach(json.loads(line))})
    if listener is not None:
        listener.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
