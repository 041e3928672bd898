#!/usr/bin/env python3
"""scripts/strads-launch with an ssh that runs everything on this machine: what it does when its guard is killed, with
what a host says in escape sequences, and when its stradsd is killed; and that the key of the run is nowhere to be seen.

usage: launch_here.py BIN_DIR SOURCE_DIR
"""
import contextlib
import glob
import os
import signal
import subprocess
import sys
import tempfile
import time

SSH = """#!/bin/sh
case "$*" in *-G*) echo "hostname 127.0.0.1"; exit 0;; esac
for last; do :; done
exec sh -c "$last"
"""
# Writes down what comes on stdin before it passes it on.
TAP = """#!/bin/sh
case "$1" in --version) exec {stradsd} --version;; esac
{{ while read -r line; do printf '%s\\n' "$line" >> {folder}/tapped; printf '%s\\n' "$line"; done; }} | {stradsd} "$@"
"""
LOUD = """#!/bin/sh
case "$1" in --version) exec {stradsd} --version;; esac
printf '\\033[2J\\033]0;owned\\007 no space left\\n' >&2
exit 9
"""
KILLED = """#!/bin/sh
case "$1" in --version) exec {stradsd} --version;; esac
kill -9 $$
"""


def script(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def launched(bin_dir, source, folder, more, fit):
    hosts = os.path.join(folder, "hosts")
    with open(hosts, "w", encoding="ascii") as file:
        file.write("here\n")
    data = os.path.join(source, "tests/datasets/1000g-chr2-eur")
    return subprocess.Popen(
        [sys.executable, os.path.join(source, "scripts/strads-launch"), "--hosts", hosts, "--ssh",
         script(os.path.join(folder, "ssh"), SSH), *more, "--", os.path.join(bin_dir, "lasso"), "fit", "--bfile",
         os.path.join(data, "chr2-eur"), "--pheno", os.path.join(data, "pheno.tsv"), "--pheno-name", "sim20", *fit],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def guard_of(pid):
    """The child of the launcher that stays a copy of it, beside the driver."""
    def command_line(process):
        try:
            with open(f"/proc/{process}/cmdline", "rb") as file:
                return file.read()
        except OSError:
            return b""  # it has ended
    before = []
    for _ in range(1000):
        lines = {child: command_line(child) for child in children(pid)}
        copies = [child for child, line in lines.items() if line == command_line(pid)]
        if any(b"--endpoint-file" in line for line in lines.values()) and copies and copies == before:
            return copies[0]
        before = copies
        time.sleep(0.05)
    raise RuntimeError("the launcher has no guard")


def processes_below(pid):
    found = children(pid)
    return found + [each for child in found for each in processes_below(child)]


def spied_upon(run, folder):
    """Runs to the end. Files of processes and of the run that show a part of the key, and how many were looked at."""
    seen, looked_at = set(), 0
    while run.poll() is None:
        with contextlib.suppress(OSError):  # not begun yet, or a process has ended meanwhile
            with open(os.path.join(folder, "tapped"), "rb") as file:
                key = [line.split()[1] for line in file if line.startswith((b"driver-", b"join-"))]
            for pid in [run.pid, *processes_below(run.pid)]:
                for name in (f"/proc/{pid}/cmdline", f"/proc/{pid}/environ"):
                    with open(name, "rb") as file:
                        content = file.read()
                    looked_at += 1
                    seen |= {name for part in key if part in content}
        time.sleep(0.02)
    for path in glob.glob(os.path.join(folder, "out", "*")):
        with open(path, "rb") as file:
            content = file.read()
        seen |= {path for part in key if part in content}
    return sorted(seen), looked_at


def main():
    bin_dir, source = sys.argv[1:3]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        run = launched(bin_dir, source, folder, [], ["--policy", "uniform", "--lambda-ratio", "0.05", "--tolerance", "0",
                                                     "--max-rounds", "3000"])
        os.kill(guard_of(run.pid), signal.SIGKILL)
        _, said = run.communicate(timeout=120)
        good = run.returncode == 3 and "Traceback" not in said
        failures += not good
        print(f"the guard is killed: {'as it must' if good else 'WRONG'}: exit code {run.returncode}\n{said[-1500:]}")

        tap = script(os.path.join(folder, "stradsd"), TAP.format(stradsd=os.path.join(bin_dir, "stradsd"), folder=folder))
        out = os.path.join(folder, "out")
        run = launched(bin_dir, source, folder, ["--remote-bin", tap, "--logs", out], ["--policy", "uniform", "--lambda-ratio", "0.05",
                                                 "--tolerance", "0", "--max-rounds", "3000", "--out", out])
        seen, words = spied_upon(run, folder)
        _, said = run.communicate(timeout=120)
        with open(os.path.join(folder, "tapped"), encoding="ascii") as file:
            kinds = [line.split()[0] for line in file if not line.startswith("#")]
        good = (run.returncode == 3 and not seen and "--insecure" not in said
                and kinds[:4] == ["strads-key", "driver-public", "join-secret", "end"] and kinds[4:] in ([], ["leave"]))
        failures += not good
        print(f"the key of the run: {'as it must' if good else 'WRONG'}: exit code {run.returncode}, a node was given {kinds}, "
              f"seen in {seen}, {words} command lines and environments\n{said[-1500:]}")

        loud = script(os.path.join(folder, "stradsd"), LOUD.format(stradsd=os.path.join(bin_dir, "stradsd")))
        run = launched(bin_dir, source, folder, ["--remote-bin", loud], [])
        _, said = run.communicate(timeout=120)
        good = run.returncode == 5 and "no space left" in said and "\033" not in said and "\007" not in said
        failures += not good
        print(f"a host writes escape sequences: {'as it must' if good else 'WRONG'}: exit code {run.returncode}\n{said!r}")

        killed = script(os.path.join(folder, "stradsd"), KILLED.format(stradsd=os.path.join(bin_dir, "stradsd")))
        run = launched(bin_dir, source, folder, ["--remote-bin", killed], [])
        _, said = run.communicate(timeout=120)
        good = run.returncode == 5 and "[here] stradsd ended by signal 9 (Killed)" in said and "the kernel" not in said
        failures += not good
        print(f"a node is killed: {'as it must' if good else 'WRONG'}: exit code {run.returncode}\n{said!r}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
