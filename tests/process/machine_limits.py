#!/usr/bin/env python3
"""What a machine does not give is an error that says what it was, not a death: descriptors, sizes of files, cores.

usage: machine_limits.py BIN_DIR SOURCE_DIR
"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

from story import new_key

BIN = sys.argv[1]


def expect(condition, what):
    if not condition:
        raise SystemExit(f"machine_limits.py: {what}")


def program(name):
    return os.path.join(BIN, name)


def run(command, limits=(), **more):
    def set_limits():
        for which, most in limits:
            resource.setrlimit(which, (most, most))
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, preexec_fn=set_limits, **more)


def write_table(folder):
    path = os.path.join(folder, "x.csv")
    rows = ["a,b,c,y"] + [f"{(7 * i) % 11},{(5 * i) % 7},{i % 3},{(3 * i) % 13}" for i in range(40)]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(rows) + "\n")
    return path


def descriptors(folder, table):
    """The first command of a cluster under ulimit -n 22, and one that its nodes are too many for."""
    fit = [program("lasso"), "fit", "--x", table, "--y-name", "y"]
    few = [(resource.RLIMIT_NOFILE, 22)]
    for command in ([*fit, "--processes", "2"], [*fit, "--listen", "tcp://127.0.0.1:0", "--nodes", "2", "--insecure"],
                    [program("stradsd"), "--join", "tcp://127.0.0.1:9", "--insecure", "--start-seconds", "1"]):
        done = run(command, few)
        expect(done.returncode == 4, f"{command}: exit code {done.returncode}, expected 4: {done.stderr}")
        expect("descriptors of files and sockets, but only" in done.stderr and "ulimit -n" in done.stderr, done.stderr)
    done = run([*fit, "--listen", "tcp://127.0.0.1:0", "--nodes", "200", "--insecure"], [(resource.RLIMIT_NOFILE, 1024)])
    expect(done.returncode == 4 and "a driver of 200 nodes takes 1424 descriptors" in done.stderr, done.stderr)
    # Whatever the limit, nobody dies of it: from too few to enough for all.
    codes = {}
    for most in (12, 30, 40, 46, 52, 60):
        done = run([*fit, "--processes", "2"], [(resource.RLIMIT_NOFILE, most)])
        expect(done.returncode in (0, 4, 5), f"ulimit -n {most}: exit code {done.returncode}: {done.stderr}")
        codes[most] = done.returncode
    expect(codes[60] == 0 and codes[30] == 4, codes)


def file_sizes(folder, table):
    """ulimit -f: SIGXFSZ would end the program."""
    out = os.path.join(folder, "limited")
    done = run([program("lasso"), "fit", "--x", table, "--y-name", "y", "--out", out], [(resource.RLIMIT_FSIZE, 512)])
    expect(done.returncode == 4, f"exit code {done.returncode}, expected 4: {done.stderr}")
    expect("File too large" in done.stderr and "ulimit -f" in done.stderr, done.stderr)
    expect(not os.path.exists(os.path.join(out, "summary.json")), done.stderr)


def whole_files(folder, table):
    """1 GB of zeros under 300 MB of memory, where a config, a checkpoint or a model is expected."""
    zeros = os.path.join(folder, "zeros")
    with open(zeros, "wb") as file:
        file.truncate(1 << 30)
    memory = [(resource.RLIMIT_AS, 300 << 20)]
    done = run([program("lasso"), "fit", "--config", zeros], memory)
    expect(done.returncode == 4 and "zeros: has 1073741824 bytes, expected at most" in done.stderr, done.stderr)
    resumed = os.path.join(folder, "resumed")
    os.makedirs(os.path.join(resumed, ".checkpoint"))
    os.symlink(zeros, os.path.join(resumed, ".checkpoint", "checkpoint-0.bin"))
    done = run([program("lasso"), "fit", "--resume", resumed], memory)
    expect(done.returncode == 4 and "not a file of the kind 'STRADSCP'" in done.stderr, done.stderr)
    model = os.path.join(folder, "model")
    os.mkdir(model)
    os.symlink(zeros, os.path.join(model, "model.bin"))
    done = run([program("lasso"), "predict", "--model", model, "--x", table, "--out", os.path.join(folder, "p.tsv")], memory)
    expect(done.returncode == 4 and "model.bin: not a file of the kind" in done.stderr, done.stderr)
    done = run(["sh", "-c", f"head -c 9000000 /dev/zero | {program('lasso')} fit --config /dev/stdin"], memory)
    expect(done.returncode == 4 and "has more than" in done.stderr, done.stderr)


def other_commands(folder, table):
    """--resume with the checkpoint of another command."""
    out = os.path.join(folder, "path")
    base = ["--x", table, "--y-name", "y", "--checkpoint-rounds", "1", "--max-rounds", "2", "--tolerance", "0", "--out", out]
    done = run([program("lasso"), "path", *base])
    expect(os.path.isdir(os.path.join(out, ".checkpoint")), f"no checkpoint: {done.returncode}, {done.stderr}")
    for command in (["lasso", "fit"], ["lasso", "cv"], ["mf", "fit"], ["mf", "cv"]):
        done = run([program(command[0]), command[1], "--resume", out])
        expect(done.returncode == 2, f"{command}: exit code {done.returncode}: {done.stderr}")
        expect(f"its checkpoint is one of lasso path, this is {' '.join(command)}" in done.stderr, done.stderr)
        expect(f"lasso path --resume {out}" in done.stderr, done.stderr)


def secrets(folder, table):
    """What was given to --key may be the key: it is not said again."""
    with open(new_key(BIN, folder)[1], encoding="ascii") as file:
        text = file.read()
    secret = next(line.split()[1] for line in text.splitlines() if line.startswith("driver-secret"))
    for given in (secret, text, "hunter2", "driver-secret " + secret):
        for command in ([program("lasso"), "fit", "--x", table, "--y-name", "y", "--listen", "tcp://127.0.0.1:0", "--nodes",
                         "1", "--key", given], [program("stradsd"), "--join", "tcp://127.0.0.1:9", "--key", given]):
            done = run(command)
            expect(done.returncode in (2, 4), f"exit code {done.returncode}: {done.stderr}")  # 2: it has several lines
            expect(given not in done.stderr and secret not in done.stderr and "--key" in done.stderr, done.stderr)
    done = run([program("stradsd"), "--join", "tcp://127.0.0.1:9", "--key", "missing.key"])
    expect("missing.key: No such file" in done.stderr, done.stderr)


def cores(folder):
    """Bound to one core a program has the threads of --threads 1."""
    one = min(os.sched_getaffinity(0))
    table = os.path.join(folder, "wide.csv")
    columns = 60
    with open(table, "w", encoding="ascii") as file:
        file.write(",".join([f"v{j}" for j in range(columns)] + ["y"]) + "\n")
        for i in range(200):
            file.write(",".join(str((i * i * (j + 3) + 7 * i + j * j) % 101) for j in range(columns + 1)) + "\n")
    endless = [program("lasso"), "fit", "--x", table, "--y-name", "y", "--policy", "uniform", "--tolerance", "0",
               "--lambda-ratio", "0.0001", "--max-seconds", "20"]

    def most(*more):
        process = subprocess.Popen(endless + list(more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: os.sched_setaffinity(0, {one}))
        found = 0
        end = time.monotonic() + 1
        while time.monotonic() < end:
            found = max(found, len(os.listdir(f"/proc/{process.pid}/task")))
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        return found
    expect(most() == most("--threads", "1") > 0, "more threads than the one core that it may use")


def main():
    with tempfile.TemporaryDirectory() as folder:
        table = write_table(folder)
        for story in (descriptors, file_sizes, whole_files, other_commands, secrets):
            story(folder, table)
        cores(folder)


if __name__ == "__main__":
    main()
