#!/usr/bin/python3
# That of the system: the one that has NumPy and SciPy where scripts/install_packages puts them.
"""Random small problems of lasso: the model that is read back has the objective that was certified.

usage: written_models.py BIN_DIR [--seeds 1..2000] [--jobs 2] [--fronts command,python,r] [--keep DIR]

A line for each seed that fails, with the command that repeats it; at the end a table of what was tried and of the kinds of
failures. Exit code 1 where a seed fails. --keep DIR keeps the inputs, and what the programs wrote, of failing seeds."""
import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import argparse
import collections
import concurrent.futures
import dataclasses
import shlex
import shutil
import sys
import tempfile
import time
import traceback

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import problems  # noqa: E402
from command_line import CommandLine  # noqa: E402


@dataclasses.dataclass
class Outcome:
    seed: int
    front: str
    about: str  # what the problem is
    misses: list
    command: str
    seconds: float
    late: str = ""  # why it stopped before its tolerance
    compared: int = 0  # solutions beside glmnet's


def try_seed(seed, program, keep):
    started = time.monotonic()
    problem = problems.make(seed)
    folder = tempfile.mkdtemp(prefix=f"seed{seed}-")
    command, misses = "", []
    try:
        with np.errstate(all="ignore"):
            if problem.front == "command":
                run = CommandLine(program, folder, problem)
                try:
                    run.check()
                except Exception:  # of this test or of a file that it cannot read: the seed has failed
                    run.misses.add("error in the test", traceback.format_exc())
                misses, command = run.misses, shlex.join([program, *run.command])
            elif problem.front == "python":
                from python_host import PythonHost

                run = PythonHost(problem)
                try:
                    run.check()
                except Exception:
                    run.misses.add("error in the test", traceback.format_exc())
                misses, command = run.misses, run.command
        if misses and keep:
            kept = os.path.join(keep, f"seed{seed}")
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(folder, kept)
            command = command.replace(folder, kept)
            with open(os.path.join(kept, "command.sh"), "w", encoding="utf-8") as file:
                file.write(command + " --force\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return [Outcome(seed, problem.front, problem.about(), list(misses), command, time.monotonic() - started, misses.late)]


def try_r(seeds, keep):
    """The same for many seeds in one process of R."""
    from r_host import R_SCRIPT, RHost, prepare, run_all

    folder = tempfile.mkdtemp(prefix="r-")
    results = []
    try:
        made = {seed: problems.make(seed) for seed in seeds}
        for seed, problem in made.items():
            prepare(problem, os.path.join(folder, str(seed)))
        started = time.monotonic()
        done = run_all([os.path.join(folder, str(seed)) for seed in seeds], os.path.join(folder, "list"), 60 + 10 * len(seeds))
        seconds = (time.monotonic() - started) / max(1, len(seeds))
        for seed, problem in made.items():
            host = RHost(problem, os.path.join(folder, str(seed)))
            try:
                with np.errstate(all="ignore"):
                    host.check()
            except Exception:
                host.misses.add("error in the test", traceback.format_exc() + done.stderr[-300:])
            command = f"Rscript {R_SCRIPT} LIST  # LIST names {os.path.join(keep or folder, f'seed{seed}')}"
            if host.misses and keep:
                kept = os.path.join(keep, f"seed{seed}")
                shutil.rmtree(kept, ignore_errors=True)
                shutil.copytree(host.folder, kept)
            results.append(Outcome(seed, "r", problem.about(), list(host.misses), command, seconds, host.misses.late,
                                   host.compared))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return results


def seeds_of(text):
    found = []
    for part in text.split(","):
        first, _, last = part.partition("..")
        found += range(int(first), int(last or first) + 1)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin_dir")
    parser.add_argument("--seeds", default="1..2000")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--fronts", default="command,python,r")
    parser.add_argument("--keep")
    parser.add_argument("--kind", default="", help="show only failures whose kind has this word")
    options = parser.parse_args()
    fronts = options.fronts.split(",")
    seeds = [seed for seed in seeds_of(options.seeds) if problems.front_of(seed) in fronts]
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    program = os.path.join(os.path.abspath(options.bin_dir), "lasso")
    build = os.path.dirname(os.path.abspath(options.bin_dir))
    sys.path.insert(0, os.path.join(build, "python"))
    os.environ["R_LIBS"] = os.path.join(build, "r/library")
    kinds, tried, failed, slowest = collections.defaultdict(list), collections.Counter(), 0, (0, 0)
    with_glmnet, solutions, late = 0, 0, []
    started = time.monotonic()
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        in_r = [seed for seed in seeds if problems.front_of(seed) == "r"]
        last = [pool.submit(try_r, in_r[k : k + 20], options.keep) for k in range(0, len(in_r), 20)]  # they take the longest
        runs = [pool.submit(try_seed, seed, program, options.keep) for seed in seeds if problems.front_of(seed) != "r"] + last
        for one in (one for run in runs for one in run.result()):
            with_glmnet += one.compared > 0
            solutions += one.compared
            tried[one.front] += 1
            slowest = max(slowest, (one.seconds, one.seed))
            failed += bool(one.misses)
            if one.late:
                late.append(one.seed)
            for kind in {kind for kind, _ in one.misses}:
                kinds[kind].append(one.seed)
            shown = [f"{kind}: {text}" for kind, text in one.misses if options.kind in kind]
            if shown:
                print(f"seed {one.seed} ({one.about}): {len(one.misses)} misses; {'; '.join(shown[:3])}\n  {one.command}", flush=True)
    print(f"{sum(tried.values())} problems ({', '.join(f'{n} {front}' for front, n in tried.items())}), {failed} failed, "
          f"{time.monotonic() - started:.0f} s; the slowest took {slowest[0]:.1f} s (seed {slowest[1]}); "
          f"{solutions} solutions of {with_glmnet} problems beside glmnet's")
    if late:
        print(f"  {len(late):5}  stopped by --max-seconds, with results: seeds {', '.join(map(str, late[:8]))}")
    for kind, seeds in sorted(kinds.items(), key=lambda one: -len(one[1])):
        print(f"  {len(seeds):5}  {kind}: seeds {', '.join(map(str, seeds[:8]))}{' ...' if len(seeds) > 8 else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
