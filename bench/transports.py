#!/usr/bin/env python3
"""What processes and sockets cost: the same run embedded, with local processes over ipc, and with daemons over tcp, with
a key (encrypted) and without (--insecure).

usage: transports.py BIN_DIR RUNS -- LASSO FIT OPTIONS (without --out)

The four take turns, so that a change of the machine's speed meets all of them. Prints the median solve time, the time
per round above the embedded run, messages and bytes per round, and the processor time of all processes from start to end,
which other work on the machine disturbs less. Each process computes with one thread, the embedded
run with as many as there are processes.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

PROCESSES = 2


def fit(bin_dir, options, folder):
    out = os.path.join(folder, "out")
    command = [os.path.join(bin_dir, "lasso"), *options, "--quiet", "--out", out, "--force"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True), out


def result(process, out):
    _, errors = process.communicate()
    if process.returncode not in (0, 3):
        sys.exit(f"exit code {process.returncode}: {errors}")
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def embedded(bin_dir, options, folder):
    return result(*fit(bin_dir, options + ["--threads", str(PROCESSES)], folder))


def ipc(bin_dir, options, folder):
    return result(*fit(bin_dir, options + [f"--processes={PROCESSES}", "--threads", "1"], folder))


def encrypted(bin_dir, options, folder):
    key = os.path.join(folder, "run.key")
    if not os.path.exists(key):
        subprocess.run([os.path.join(bin_dir, "stradsd"), "--new-key", key], check=True)
    return tcp(bin_dir, options, folder, ["--key", key])


def insecure(bin_dir, options, folder):
    return tcp(bin_dir, options, folder, ["--insecure"])


def tcp(bin_dir, options, folder, keys):
    endpoint_file = os.path.join(folder, "endpoint")
    if os.path.exists(endpoint_file):
        os.remove(endpoint_file)
    driver, out = fit(bin_dir, options + ["--listen", "tcp://127.0.0.1:0", "--nodes", str(PROCESSES),
                                          "--endpoint-file", endpoint_file, *keys], folder)
    while not os.path.exists(endpoint_file):
        if driver.poll() is not None:
            sys.exit(driver.stderr.read())
    with open(endpoint_file, encoding="utf-8") as file:
        endpoint = file.read().strip()
    join = [os.path.join(bin_dir, "stradsd"), "--join", endpoint, "--threads", "1", "--quiet", *keys]
    nodes = [subprocess.Popen(join, stderr=subprocess.DEVNULL) for _ in range(PROCESSES)]
    summary = result(driver, out)
    for node in nodes:
        node.wait()
    return summary


def processor_seconds():
    """Of all processes that have ended so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    split = sys.argv.index("--")
    bin_dir, runs, options = sys.argv[1], int(sys.argv[2]), sys.argv[split + 1:]
    ways = {"embedded": embedded, "ipc": ipc, "tcp": encrypted, "tcp, --insecure": insecure}
    summaries = {name: [] for name in ways}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(runs):
            for name, way in ways.items():
                before = processor_seconds()
                summaries[name].append(way(bin_dir, options, folder))
                summaries[name][-1]["processor"] = processor_seconds() - before
    hashes = {s["beta_hash"] for each in summaries.values() for s in each}
    assert len(hashes) == 1, f"the bits differ: {hashes}"
    base = statistics.median(s["seconds_solve"] for s in summaries["embedded"])
    print(f"beta_hash {hashes.pop()}, {summaries['embedded'][0]['rounds']} rounds, medians of {runs}")
    print("| run | solve s | ratio | above embedded, us a round | messages a round | bytes a round | processor s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, each in summaries.items():
        seconds = statistics.median(s["seconds_solve"] for s in each)
        rounds = each[0]["rounds"]
        above = (seconds - base) / rounds * 1e6
        print(f"| {name} | {seconds:.4g} | {seconds / base:.2f} | {above:.0f} | {each[0]['messages'] / rounds:.1f} | "
              f"{each[0]['bytes'] / rounds:.0f} | {statistics.median(s['processor'] for s in each):.3f} |")


if __name__ == "__main__":
    main()
