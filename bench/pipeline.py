#!/usr/bin/env python3
"""What planning ahead is worth on a slow link: wall time of the same rounds at depth 1 and 2.

    pipeline.py [--delay MS] [--rounds N] [--runs K]          STRADS_BIN_DIR: programs (default: build/release/bin)

Two emulated hosts (tests/process/cluster/hosts.sh; needs root), schedulers on node1, workers on node2, all messages
between them over a link that takes MS longer each way (link_relay.py). The driver is near to both. Depths alternate;
the medians of seconds_solve are printed, the hashes compared with the embedded run's.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/process/cluster"))
from cluster import BIN, HERE, INPUT, Hosts, Launched, summary  # noqa: E402

ADDRESSES = "10.78.0.1", "10.78.0.2"
HOSTFILE = f"node1 roles=scheduler addr={ADDRESSES[0]}\nnode2 roles=worker addr={ADDRESSES[1]}\n"


def fit_arguments(depth, rounds):
    return ["fit", *INPUT, "--lambda-ratio", "0.05", "--policy", "uniform", "--tolerance", "0", "--max-rounds", str(rounds),
            "--schedulers", "2", "--workers", "4", "--depth", str(depth), "--threads", "1", "--quiet"]


def embedded(hosts, depth, rounds):
    out = hosts.path("embedded")
    subprocess.run([BIN / "lasso", *fit_arguments(depth, rounds), "--out", out, "--force"], check=False, stdout=subprocess.DEVNULL)
    return summary(out)["beta_hash"]


def measure(hosts, depth, rounds):
    out = hosts.path("out")
    run = Launched(hosts, HOSTFILE, [*fit_arguments(depth, rounds), "--out", out, "--force"],
                   ["--address", "10.77.0.100", "--threads", "1"])
    try:
        if run.wait(600) != 3:
            sys.exit(run.stderr())
    finally:
        run.close()
    return summary(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--delay", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    seconds = {1: [], 2: []}
    with Hosts(2) as hosts:
        names = [f"{hosts.prefix}-{host}" for host in (1, 2)]
        relay = subprocess.Popen([sys.executable, HERE / "link_relay.py", names[0], ADDRESSES[0], names[1], ADDRESSES[1],
                                  str(options.delay)], stdout=subprocess.PIPE)
        try:
            relay.stdout.readline()
            for host, address in enumerate(ADDRESSES, 1):  # the driver reaches these addresses at the hosts' usual door
                subprocess.check_call(["ip", "-n", f"{hosts.prefix}-user", "route", "add", address, "via", f"10.77.0.{host}"])
            for _ in range(options.runs):
                for depth in seconds:
                    result = measure(hosts, depth, options.rounds)
                    seconds[depth].append(result["seconds_solve"])
                    if result["beta_hash"] != embedded(hosts, depth, options.rounds):
                        sys.exit(f"depth {depth}: the hash is not that of the embedded run")
        finally:
            relay.kill()
    print(f"| depth | seconds for {options.rounds} rounds (median of {options.runs}) | ms a round |\n| --- | --- | --- |")
    for depth, all_seconds in seconds.items():
        median = statistics.median(all_seconds)
        print(f"| {depth} | {median:.3f} ({min(all_seconds):.3f} to {max(all_seconds):.3f}) | {median / options.rounds * 1e3:.2f} |")


if __name__ == "__main__":
    main()
