#!/usr/bin/env python3
"""Runs the tests of scikit-learn, as they are installed, with our estimators in place of its own.

Usage: [PYTHONPATH=build/release/python] scripts/check_peers.py [--fast] [--show] [--rewrite] [-k WORDS] [SUITE...]

Only the estimators are replaced (python/tests/peers/replaced.py says which); tests, data and tolerances are those of
scikit-learn. SUITE is one of coordinate_descent, sparse_coordinate_descent, logistic, linear_models, pipeline, common,
check_estimator; none: all. Prints, by suite, how many of the tests that touch our estimators passed; tests of the same
files that do not touch them are counted apart. Skipped tests are scikit-learn's own skips.

Every failure must stand in python/tests/peers/expected.txt, below its reason, and every line there must fail:
  # a reason, which docs/PYTHON.md lists, too
  logistic::test_warm_start[ovr-*]
Exit 1 otherwise. --rewrite writes the table of docs/PYTHON.md anew; --show prints what each failure says; --fast runs
the first three suites, as ctest does (python.peers); -k is pytest's, and compares nothing with what is expected.

Needs python3-pytest, and python3-sklearn with its tests (Debian ships both).
"""
import argparse
import collections
import fnmatch
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "python/tests/peers"
EXPECTED = PEERS / "expected.txt"
DOCUMENT = ROOT / "docs/PYTHON.md"
BEGIN, END = "<!-- scripts/check_peers.py --rewrite -->\n", "<!-- end -->\n"
# name -> file below the package sklearn, or one of ours
SUITES = {
    "coordinate_descent": "linear_model/tests/test_coordinate_descent.py",
    "sparse_coordinate_descent": "linear_model/tests/test_sparse_coordinate_descent.py",
    "logistic": "linear_model/tests/test_logistic.py",
    "linear_models": "linear_model/tests/test_common.py",
    "pipeline": "tests/test_pipeline.py",
    "common": "tests/test_common.py",
    "check_estimator": None,
}
FAST = ("coordinate_descent", "sparse_coordinate_descent", "logistic")
SECONDS_MAX = 1500


def files_of(suites):
    import sklearn

    base = pathlib.Path(sklearn.__file__).parent
    files = {}
    for suite in suites:
        file = base / SUITES[suite] if SUITES[suite] else PEERS / "check_estimators.py"
        if not file.exists():
            sys.exit(f"check_peers: {file} is not there; install a scikit-learn with its tests (Debian's python3-sklearn)")
        files[file] = suite
    return files


def run(suites, words):
    """{"suite::test": outcome} of one process of pytest: warnings, threads and seeds are those of an ordinary run."""
    files = files_of(suites)
    if importlib.util.find_spec("pytest") is None:
        sys.exit("check_peers: pytest is not there; scripts/install_packages python installs it (python3-pytest)")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "report.json")
        there = os.environ.get("PYTHONPATH", str(ROOT / "build/release/python"))
        environment = {**os.environ, "STRADS_PEERS_REPORT": str(report), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
                       "PYTHONPATH": os.pathsep.join(str(pathlib.Path(one).resolve()) for one in there.split(os.pathsep))}
        command = [sys.executable, "-B", str(PEERS / "replaced.py"), *map(str, files), *(["-k", words] if words else [])]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=SECONDS_MAX)
        if not report.exists():
            sys.exit(f"check_peers: the tests did not run:\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
        found = json.loads(report.read_text())
    return {f"{files[pathlib.Path(outcome['file'])]}::{test.partition('::')[2]}": outcome for test, outcome in found.items()}


def expected_failures():
    """{reason: [patterns]}, in order."""
    reasons, reason = {}, None
    for number, line in enumerate(EXPECTED.read_text().splitlines(), 1):
        if line.startswith("# "):
            reason = line[2:].strip()
            reasons.setdefault(reason, [])
        elif line.strip():
            if reason is None:
                sys.exit(f"{EXPECTED}:{number}: a test before any reason; expected a line that begins with '# '")
            reasons[reason].append(line.strip())
    return reasons


def matches(test, pattern):
    """As fnmatch, in which only * is special: parameters have brackets."""
    return fnmatch.fnmatchcase(test, re.sub(r"[\[?]", lambda found: f"[{found.group()}]", pattern))


def compare(outcomes, reasons, suites):
    """What is wrong, and {reason: the tests that fail for it}."""
    wrong, tests = [], {}
    failed = {test for test, outcome in outcomes.items() if outcome["outcome"] == "failed"}
    left = set(failed)
    for reason, patterns in reasons.items():
        for pattern in patterns:
            if pattern.split("::")[0] not in suites:
                continue
            here = {test for test in left if matches(test, pattern)}
            passed = [test for test in outcomes if matches(test, pattern) and outcomes[test]["outcome"] == "passed"]
            if not here:
                wrong.append(f"{pattern}: expected to fail ({reason}), but no test by this name fails; take the line out")
            wrong += [f"{test}: passes, though {EXPECTED.name} has it as '{pattern}'" for test in passed]
            tests.setdefault(reason, set()).update(here)
            left -= here
    wrong += [f"{test}: fails, and stands in no line of {EXPECTED.name}: {outcomes[test]['why'][:300]}"
              for test in sorted(left)]
    return wrong, tests


def is_there(reason):
    """Whether tests that fail for `reason` are about something that the package has."""
    return not reason.startswith("not there: ")


def summary(outcomes, tests):
    passed = sum(one["ours"] and one["outcome"] == "passed" for one in outcomes.values())
    failed = sum(one["ours"] and one["outcome"] == "failed" for one in outcomes.values())
    apart = sum(len(failing) for reason, failing in tests.items() if not is_there(reason))
    return f"Of what is there {passed} of {passed + failed - apart} tests pass"


def rows(outcomes, suites):
    for suite in suites:
        mine = [o for test, o in outcomes.items() if test.startswith(suite + "::")]
        ours = collections.Counter(o["outcome"] for o in mine if o["ours"])
        others = collections.Counter(o["outcome"] for o in mine if not o["ours"])
        yield suite, ours, others, sum(o["seconds"] for o in mine)


def named(tests):
    """By suite, their names without parameters."""
    by_suite = {}
    for test in sorted(tests):
        suite, _, name = test.partition("::")
        by_suite.setdefault(suite, {})[name.partition("[")[0]] = None
    return "; ".join(f"{suite}: " + ", ".join(f"`{name}`" for name in names) for suite, names in by_suite.items())


def table(outcomes, suites, tests):
    lines = ["| tests | with our estimators: passed | failed | not about them |", "| --- | ---: | ---: | ---: |"]
    total = collections.Counter()
    for suite, ours, others, _ in rows(outcomes, suites):
        name = SUITES[suite] or "check_estimator, a test a check"
        lines.append(f"| {name} | {ours['passed']} | {ours['failed']} | {sum(others.values())} |")
        total += ours
    lines += [f"| all | {total['passed']} | {total['failed']} | |", "", summary(outcomes, tests) + ".", "",
              "| fail | because | tests |", "| ---: | --- | --- |"]
    lines += [f"| {len(failing)} | {reason} | {named(failing)} |" for reason, failing in tests.items() if failing]
    return "\n".join(lines) + "\n"


def rewrite(text):
    document = DOCUMENT.read_text()
    before, _, rest = document.partition(BEGIN)
    _, _, after = rest.partition(END)
    DOCUMENT.write_text(before + BEGIN + text + END + after)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--rewrite", action="store_true")
    parser.add_argument("-k", dest="words")
    parser.add_argument("suites", nargs="*", choices=[*SUITES, []], metavar="SUITE")
    given = parser.parse_args()
    suites = given.suites or list(FAST if given.fast else SUITES)
    outcomes = run(suites, given.words)
    wrong, tests = compare(outcomes, expected_failures(), suites)
    for suite, ours, others, seconds in rows(outcomes, suites):
        print(f"{suite:26} ours: {ours['passed']:5} passed {ours['failed']:4} failed {ours['skipped']:3} skipped;  "
              f"others: {others['passed']:4} passed {others['failed']:2} failed;  {seconds:6.1f} s")
    if not given.words:
        print(summary(outcomes, tests))
    if given.show:
        for test, outcome in sorted(outcomes.items()):
            if outcome["outcome"] == "failed":
                print(f"{test}\n    {outcome['why'][:600]}")
    if given.words:
        return 0
    text = table(outcomes, suites, tests)
    if given.rewrite:
        if len(suites) != len(SUITES):
            sys.exit("check_peers: --rewrite needs all suites")
        rewrite(text)
    elif len(suites) == len(SUITES) and text not in DOCUMENT.read_text():
        wrong.append(f"{DOCUMENT.name} does not show these numbers; scripts/check_peers.py --rewrite")
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
