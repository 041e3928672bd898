#!/usr/bin/env python3
"""scripts/install_packages beside another apt: it waits for its locks, says so, and gives up in time.

usage: install_packages.py BIN_DIR SOURCE_DIR

apt-get and dpkg-query are scripts of this test: nothing is installed.
"""
import os
import subprocess
import sys
import tempfile

# Fails as apt does, as often as `busy` has lines.
APT = """#!/bin/sh
echo "$*" >>"$STATE/calls"
if [ -s "$STATE/busy" ]; then
  sed -i 1d "$STATE/busy"
  echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4711 (apt-get)" >&2
  echo "E: Unable to lock directory /var/lib/apt/lists/" >&2
  exit 100
fi
if [ -e "$STATE/broken" ]; then
  echo "E: Unable to locate package cmake" >&2
  exit 100
fi
"""


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def install(source, busy=0, broken=False, seconds="30"):
    with tempfile.TemporaryDirectory() as state:
        programs = os.path.join(state, "bin")
        os.mkdir(programs)
        write(os.path.join(programs, "apt-get"), APT)
        write(os.path.join(programs, "dpkg-query"), "#!/bin/sh\nexit 1\n")
        write(os.path.join(programs, "sudo"), '#!/bin/sh\nexec "$@"\n')
        write(os.path.join(state, "busy"), "held\n" * busy)
        if broken:
            write(os.path.join(state, "broken"), "")
        done = subprocess.run([os.path.join(source, "scripts/install_packages"), "build"], capture_output=True, text=True,
                              check=False, timeout=60,
                              env={**os.environ, "PATH": programs + ":" + os.environ["PATH"], "STATE": state,
                                   "STRADS_APT_LOCK_SECONDS": seconds, "STRADS_APT_LOCK_PAUSE": "0.1"})
        with open(os.path.join(state, "calls"), encoding="utf-8") as file:
            return done, file.read().splitlines()


def expect(condition, what):
    if not condition:
        raise SystemExit(f"install_packages.py: {what}")


def main():
    source = sys.argv[2]
    done, calls = install(source)
    expect(done.returncode == 0 and len(calls) == 2 and done.stderr == "", f"no lock: {done}, {calls}")
    expect(all("-o DPkg::Lock::Timeout=" in call for call in calls), f"dpkg's own lock: {calls}")
    done, calls = install(source, busy=3)
    expect(done.returncode == 0 and len(calls) == 5, f"another apt that ends: {done}, {calls}")
    expect(done.stderr.count("waits, at most 30 s, for another apt to end") == 1, done.stderr)
    expect("held by process 4711" in done.stderr, done.stderr)
    done, calls = install(source, busy=1000, seconds="1")
    expect(done.returncode == 100 and "another apt held its lock for 1 seconds" in done.stderr, f"one that stays: {done}")
    done, calls = install(source, broken=True)
    expect(done.returncode == 100 and "Unable to locate package" in done.stderr and len(calls) == 1, f"other errors: {done}")


if __name__ == "__main__":
    main()
