#!/usr/bin/env python3
"""What --dry-run says of memory and time beside what the run takes:  plan.py BIN NAME COMMAND ...

COMMAND is that of the run without --out, for instance `path --bfile mice --pheno mice.pheno.tsv --threads 2`. It is asked
twice what it would take, without an idea of the nonzeros and with those that came, and then done. Printed is a row of the
table of bench/RESULTS.md: anonymous memory (RssAnon of /proc/PID/status every 3 ms, MiB) and processor seconds (user and
system), planned and measured. Elapsed seconds are shown for the record: on a machine with other work they say little.
Of a path that stops on others the nonzeros are those of its last lambda.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

UNITS = {"s": 1, "min": 60}


def planned(command):
    text = subprocess.run(command + ["--dry-run"], check=True, capture_output=True, text=True).stdout
    memory = float(re.search(r"^host +([\d.]+) MiB", text, re.M)[1])
    number, unit = re.search(r"^time +about ([\d.e+]+) (s|min)", text, re.M).groups()
    assumed = re.search(r"^assumed +(\d+)", text, re.M)  # ridge assumes nothing: all are nonzeros
    return memory, float(number) * UNITS[unit], int(assumed[1]) if assumed else None


def anonymous(process):
    try:
        found = re.search(r"^RssAnon:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text(), re.M)
    except OSError:
        return None
    return int(found[1]) / 1024 if found else None


def measured(command, out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    most = 0
    with subprocess.Popen(command + ["--out", out, "--quiet"], stdout=subprocess.DEVNULL) as process:
        while (now := anonymous(process)) is not None:
            most = max(most, now)
            time.sleep(0.003)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode not in (0, 3):
        sys.exit(f"{command}: exit code {process.returncode}")
    return most, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.monotonic() - start


def nonzeros_of(out):
    summary = json.loads(pathlib.Path(out, "summary.json").read_text())
    if pathlib.Path(out, "path.tsv").exists():
        lines = pathlib.Path(out, "path.tsv").read_text().splitlines()
        return int(lines[-1].split("\t")[lines[0].split("\t").index("nonzeros")])
    return summary["nonzeros"]


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    command = [os.path.join(sys.argv[1], "lasso")] + sys.argv[3:]
    guess = planned(command)
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        memory, seconds, elapsed = measured(command, out)
        nonzeros = nonzeros_of(out)
    known = planned(command + ["--expected-nonzeros", str(max(1, nonzeros))]) if guess[2] is not None else guess
    cells = [sys.argv[2], f"{guess[2] if guess[2] is not None else 'all'} / {nonzeros}"]
    for at, value in ((0, memory), (1, seconds)):
        cells += [f"{guess[at]:.3g}", f"{known[at]:.3g}", f"{value:.3g}", f"{known[at] / value:.2f}"]
    print("| " + " | ".join(cells) + f" | {elapsed:.0f} |")


if __name__ == "__main__":
    main()
