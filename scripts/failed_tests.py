#!/usr/bin/env python3
"""What failed tests of ctest printed, the last lines of each: for .ci/run, of whose output only the end is kept.

Usage: failed_tests.py LOG   (build/PRESET/Testing/Temporary/LastTest.log)
"""
import re
import sys

LINES = 60  # of a test
BYTES = 6000  # of all of them: what is kept ends with some 8,000, and the summary of stages comes after
LEAST = 1000  # of a test, where many failed


def tests(log):
    """Yields (name, what it printed, whether it passed) of each test that the log has, in the order in which they ended."""
    begin = re.compile(r"^\d+/\d+ Test: (.*)$", re.MULTILINE)
    starts = list(begin.finditer(log))
    for start, following in zip(starts, starts[1:] + [None]):
        block = log[start.end() : following.start() if following else len(log)]
        output, ended, verdict = block.partition("\nOutput:\n")[2].rpartition("<end of output>")
        if not ended:
            output, verdict = verdict, ""
        # A test whose program is missing is not begun, and ctest's log calls it passed all the same.
        if '\nCommand: ""' in block:
            output, verdict = "\nits program is missing", ""
        yield start.group(1), output, "\nTest Passed." in verdict


def last_lines(output, most):
    """The last lines of an output, none longer than 300 characters, all together of at most `most` characters."""
    lines = [line if len(line) <= 300 else line[:297] + "..." for line in output.rstrip().splitlines()[1:]]
    kept = []
    for line in reversed(lines[-LINES:]):
        most -= len(line) + 1
        if most < 0:
            break
        kept.append(line)
    return lines[len(lines) - len(kept) :]


def main(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        failed = [(name, output) for name, output, passed in tests(file.read()) if not passed]
    if not failed:
        return
    share = max(BYTES // len(failed), LEAST)
    for name, output in failed:
        print(f"---- {name} printed at its end:", *last_lines(output, share), sep="\n")
    print(f"==== {len(failed)} failed:", *(name for name, _ in failed))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
