#!/usr/bin/env python3
"""Plants bugs and shows that each one dies: that a test notices it.

Usage: check_mutations.py [--build DIR] [--root DIR] [--apply | --list] [NAME...]

A plant is a file tests/mutations/NAME.diff:

    what: free_place() forgets whose gradients belong to the place
    builds: test_lasso
    dies: test_lasso --gtest_filter=SliceGradients.SayWhatAPassSaysAfterEveryPlaceIsTaken

    diff --git a/apps/lasso/policies/slice_gradients.cpp b/apps/lasso/policies/slice_gradients.cpp
    ...

`what` says what is wrong, `builds` names targets, and each `dies` is a command, relative to build/release/bin, or
`python MODULE.CLASS...`: unittests of python/tests, for which strads_python is built. At least one of them must fail
with the plant; all of them pass without it. Without NAME all plants are taken.

They are planted in a copy of the tree in DIR (build/mutations), which keeps its own build; the tree stays as it is.
--apply only checks that every plant is well formed, still applies and names tests that exist: under a second.
--list prints the plants as the rows of a table, which tests/sim/MUTATIONS.md holds.
Exit 1: a plant is alive, does not apply, does not build, or is not as described here.
"""
import argparse
import contextlib
import filecmp
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys

KEYS = ("what", "builds", "dies")
PYTHON = "python"  # the program of a `dies:` that runs unittests
SECONDS_MAX = 300  # as in ctest: a test that does not end has failed
FILTER = re.compile(r"--gtest_filter=(\S+)")


class Wrong(Exception):
    """What makes a plant fail this check, in words."""


class Plant:
    def __init__(self, path):
        self.name, self.path = path.stem, path
        self.header = {key: [] for key in KEYS}
        for line in path.read_text().split("\n\n", 1)[0].splitlines():
            key, colon, value = line.partition(": ")
            if key not in KEYS or not colon or not value.strip():
                raise Wrong(f"its header has '{line}', expected one of: " + ", ".join(f"{k}: ..." for k in KEYS))
            self.header[key].append(value.strip())
        if len(self.what) != 1 or not self.builds or not self.dies:
            raise Wrong("its header needs one `what:`, a `builds:` and a `dies:`")

    what = property(lambda self: self.header["what"])
    dies = property(lambda self: self.header["dies"])
    builds = property(lambda self: [target for line in self.header["builds"] for target in line.split()])

    def apply(self, tree, only_check=False):
        """Leading lines that are no diff are skipped by git. A repository above `tree` must not be found."""
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=str(tree.parent))
        mode = ["--check"] if only_check else []
        result = subprocess.run(["git", "apply", "--whitespace=nowarn", *mode, str(self.path)], cwd=tree,
                                env=environment, capture_output=True, text=True)
        if result.returncode != 0:
            raise Wrong("it does not apply any more: " + result.stderr.strip().replace("\n", "; "))

    def check_tests_exist(self, root, sources):
        """Of names like Suite.Test; those with / or * are taken as they are."""
        for line in self.dies:
            program, *tests = shlex.split(line)
            for test in tests if program == PYTHON else []:
                module, _, suite = test.partition(".")
                path = root / f"python/tests/{module}.py"
                if not path.is_file() or not re.search(rf"^class {re.escape(suite)}\(", path.read_text(), re.MULTILINE):
                    raise Wrong(f"no test of python/tests is called {test}")
            for listed in FILTER.findall(line):
                for name in listed.split(":"):
                    if not re.fullmatch(r"\w+\.\w+", name):
                        continue
                    suite, test = name.split(".")
                    if not re.search(rf"\bTEST(_F)?\({suite},\s*{test}\)", sources):
                        raise Wrong(f"no test is called {name}")


class Copy:
    """A copy of the tree's sources with a build of its own."""

    def __init__(self, root, folder):
        self.root, self.tree = root, folder / "tree"
        self.bin = self.tree / "build/release/bin"

    def restore(self):
        """Makes the copy equal to the tree; what is equal already keeps its time, so that little is built again."""
        listed = subprocess.run(["git", "ls-files", "-coz", "--exclude-standard"], cwd=self.root, check=True,
                                capture_output=True, text=True).stdout
        wanted = {name for name in listed.split("\0") if name and (self.root / name).is_file()}
        for name in wanted:
            source, target = self.root / name, self.tree / name
            if target.is_file() and filecmp.cmp(source, target, shallow=False):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        for folder, folders, files in os.walk(self.tree):
            if pathlib.Path(folder) == self.tree and "build" in folders:
                folders.remove("build")
            for file in files:
                path = pathlib.Path(folder) / file
                if str(path.relative_to(self.tree)) not in wanted:
                    path.unlink()

    def build(self, targets):
        if not (self.tree / "build/release/build.ninja").exists():
            cache = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
            self.run(["cmake", "--preset", "release", *cache])
        self.run(["cmake", "--build", "build/release", "--target", *targets])

    def run(self, command):
        result = subprocess.run(command, cwd=self.tree, capture_output=True, text=True)
        if result.returncode != 0:
            raise Wrong(f"`{shlex.join(command)}` failed:\n" + (result.stdout + result.stderr)[-4000:])

    def fails(self, line):
        """Whether the command of a `dies:` fails; a crash and a hang are failures. Nothing that it started stays."""
        program, *arguments = shlex.split(line)
        command, folder, environment = [str(self.bin / program), *arguments], self.bin, dict(os.environ)
        if program == PYTHON:  # Debian's, whose NumPy and scikit-learn the package is built for
            command = ["/usr/bin/python3", "-B", "-m", "unittest", "-q", *arguments]
            folder = self.tree / "python/tests"
            environment |= {"PYTHONPATH": str(self.tree / "build/release/python"), "STRADS_PROGRAMS": str(self.bin)}
        elif not (self.bin / program).exists():
            raise Wrong(f"there is no program {program}; expected one that `builds:` names")
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(SECONDS_MAX) != 0
        except subprocess.TimeoutExpired:
            return True
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def read_plants(root, names):
    """All plants, or those named, and what is wrong with files that are none."""
    folder = root / "tests/mutations"
    paths = [folder / f"{name}.diff" for name in names] or sorted(folder.glob("*.diff"))
    plants, failures = [], []
    for path in paths:
        try:
            if not path.exists():
                raise Wrong(f"there is no {path.relative_to(root)}")
            plants.append(Plant(path))
        except Wrong as wrong:
            failures.append(f"{path.stem}: {wrong}")
    return plants, failures


def check_applies(root, plants):
    sources = "\n".join(path.read_text() for path in (root / "tests").rglob("*_test.cpp"))
    failures = []
    for plant in plants:
        try:
            plant.apply(root, only_check=True)
            plant.check_tests_exist(root, sources)
        except Wrong as wrong:
            failures.append(f"{plant.name}: {wrong}")
    return failures


def check_dies(copy, plants):
    copy.restore()
    copy.build(sorted({target for plant in plants for target in plant.builds}))
    failures = []
    for line in sorted({line for plant in plants for line in plant.dies}):
        if copy.fails(line):
            failures.append(f"without a plant: `{line}` fails")
    for plant in plants:
        try:
            plant.apply(copy.tree)
            copy.build(plant.builds)
            killer = next((line for line in plant.dies if copy.fails(line)), None)
            if killer is None:
                raise Wrong("ALIVE, nothing that it names has failed")
            print(f"{plant.name}: dies of `{killer}`", flush=True)
        except Wrong as wrong:
            failures.append(f"{plant.name}: {wrong}")
            print(failures[-1], flush=True)
        finally:
            copy.restore()
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--apply", action="store_true", help="only check that they apply")
    parser.add_argument("--list", action="store_true", help="only print them")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    root = options.root.resolve()
    plants, failures = read_plants(root, options.names)
    if options.list:
        for plant in plants:
            print(f"| [{plant.name}](../mutations/{plant.name}.diff) | {plant.what[0]} | "
                  + "; ".join(f"`{line}`" for line in plant.dies) + " |")
    elif options.apply:
        failures += check_applies(root, plants)
    elif plants:
        folder = (options.build or root / "build/mutations").resolve()
        try:
            failures += check_dies(Copy(root, folder), plants)
        except Wrong as wrong:
            failures.append(f"without a plant: {wrong}")
    print("".join(f"FAILED {failure}\n" for failure in failures), end="", file=sys.stderr)
    if not options.list:
        print(f"{len(plants)} plants, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
