#!/usr/bin/env python3
"""Fails where a console block of a document shows something else than its commands print.

Usage: check_outputs.py [--rewrite] [--bin DIR] [ROOT [DOCUMENT ...]]. Takes every ```console block of README.md,
bench/README.md and docs/*.md, or of the documents named, and runs its commands ("$ " lines; "\\" at the end continues
them) from ROOT, in the order of the document, with the programs of --bin instead of build/release/bin (the Python package
beside that folder, and this Python as python3). What a command prints on stdout and stderr must be what is shown;
--rewrite writes it into the documents instead. docs/PYTHON.md, whose package may not be built, is checked where it is
named (python/tests/test_examples.py), and rewritten with the others.

Compared: words, counts, hashes, results, exactly. By pattern: what the clock or the machine decides - seconds, bytes of
memory, rates. (strads_sim computes its seconds, so they are compared.) Lines of progress are left out. A line "..."
stands for any lines. With --rewrite times are those of this machine now: let it be quiet. On a processor without AVX-512
the arithmetic gives other last digits: hashes are then compared by pattern, fractions to a thousandth.

A block that cannot be run here has a comment before it, and is listed:
    <!-- not run: REASON -->
    <!-- not run: REASON; as above: fitted, quality, size -->
The second form also checks (and rewrites) the lines that begin with these words: they must be those of the block that
was run last. A ```text block may have it too.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from document_blocks import command_of, documents, examples, split

NUMBER = r"[0-9][0-9.]*(?:e[+-]?[0-9]+)?"
# What the clock or the machine decides.
MEASURED = re.compile(rf"{NUMBER} ?(?:s\b|ms\b|ns\b|[KMG]iB\b|\w+/s\b)")
# What a program says only where it takes long, or of its speed.
PROGRESS = re.compile(rf"^{NUMBER} s  |^lasso: note: waiting at |^(strads_sim: )?{NUMBER} seeds\b.* a second")
COMPUTES_ITS_TIMES = re.compile(r"\bstrads_sim\b(?! calibrate)")
HASH = re.compile(r"(?<![\w.])[0-9a-f]{16}(?!\.?\w)")
NOT_RUN = re.compile(r"<!-- not run: (.*?)(?:; as above: ([\w, ]+))? -->")
DOCUMENTED_BIN = "build/release/bin"
DOCUMENTED_PACKAGE = "build/release/python"
OF_THE_PACKAGE = "PYTHON.md"
SKIP = "..."
SECONDS_MAX = 300


def has_documented_arithmetic():
    try:
        return "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


class Comparison:
    def __init__(self, exact_arithmetic):
        self.exact_arithmetic = exact_arithmetic

    def alike(self, shown, printed, times_count):
        if not times_count:
            shown, printed = MEASURED.sub("#", shown), MEASURED.sub("#", printed)
        if shown == printed or self.exact_arithmetic:
            return shown == printed
        a, b = (re.split(rf"({NUMBER})", HASH.sub("#", line)) for line in (shown, printed))
        return len(a) == len(b) and all(map(self.alike_parts, a, b))

    @staticmethod
    def alike_parts(a, b):
        try:
            return a == b or "e-" in a + b or ("." in a and abs(float(a) - float(b)) <= 1e-3 + 1e-3 * abs(float(a)))
        except ValueError:
            return False

    def match(self, shown, printed, times_count):
        """The first shown line that was not printed where it stands, or None; "..." takes any lines."""
        at, may_skip = 0, False
        for line in shown:
            if line == SKIP:
                may_skip = True
                continue
            found = next((k for k in range(at, len(printed)) if self.alike(line, printed[k], times_count)), None)
            if found is None or (found != at and not may_skip):
                return line
            at, may_skip = found + 1, False
        return None if at == len(printed) or may_skip else f"(nothing) where this was printed: {printed[at]}"


def label(line):
    """What a line keeps when its figures change."""
    return re.split(r"[\s:]", line, maxsplit=1)[0]


def rewritten(shown, printed):
    """What the block should show: all of it, or with "..." the lines that have the labels of those shown."""
    if SKIP not in shown:
        return printed
    out, at = [], 0
    for line in shown:
        if line == SKIP:
            out.append(line)
            continue
        same = [k for k in range(at, len(printed)) if printed[k] == line]
        found = same or [k for k in range(at, len(printed)) if label(printed[k]) == label(line)]
        if not found:
            raise ValueError(f"nothing printed begins like '{line}': write this block by hand")
        at = found[0] + 1
        out.append(printed[found[0]])
    return out


class Document:
    """One document while its blocks are run."""

    def __init__(self, path, options):
        self.path, self.options = path, options
        self.lines = path.read_text().splitlines()
        self.errors, self.notes, self.last, self.commands = [], [], [], 0
        self.edits = []  # (first line, last line, new lines), from 0, end excluded

    def where(self, number):
        return f"{self.path.relative_to(self.options.root)}:{number}"

    def check(self):
        for number, language, lines in split("\n".join(self.lines))[1]:
            reason = self.reason_before(number)
            if reason:
                self.check_beside(number, lines, reason)
            elif language == "console":
                self.check_block(number, lines)
        if self.options.rewrite and self.edits:
            for first, last, new in reversed(self.edits):
                self.lines[first:last] = new
            self.path.write_text("\n".join(self.lines) + "\n")

    def reason_before(self, number):
        before = [line for line in self.lines[max(0, number - 4):number - 1] if line.strip()]
        return NOT_RUN.fullmatch(before[-1]) if before else None

    def check_beside(self, number, lines, reason):
        self.notes.append(f"{self.where(number)}: not run: {reason[1]}")
        labels = [word.strip() for word in (reason[2] or "").split(",") if word.strip()]
        for at, line in enumerate(lines):
            if label(line) not in labels:
                continue
            above = next((other for other in self.last if label(other) == label(line)), "")
            self.judge(number + 1 + at, number + at, [line], [above], False)

    def check_block(self, number, lines):
        at = number  # of the line behind the fence, from 0
        self.last = []
        for command, shown in examples(lines):
            first = at + len(command)
            text = command_of(command)
            printed = self.run(number, text)
            self.last += printed
            self.judge(first + 1, first, shown, printed, bool(COMPUTES_ITS_TIMES.search(text)))
            at = first + len(shown)

    def run(self, number, command):
        self.commands += 1
        shell = command
        if self.options.bin:
            package = str(self.options.bin.parent / "python")
            shell = command.replace(DOCUMENTED_BIN, str(self.options.bin)).replace(DOCUMENTED_PACKAGE, package)
        environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
        try:
            done = subprocess.run(["bash", "-c", shell], cwd=self.options.root, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, check=False,
                                  timeout=SECONDS_MAX, env=environment)
        except subprocess.TimeoutExpired:
            self.errors.append(f"{self.where(number)}: {command}: not done after {SECONDS_MAX} s")
            return []
        if done.returncode != 0:
            self.errors.append(f"{self.where(number)}: {command}: exit code {done.returncode}: {done.stdout.strip()}")
        return [line for line in done.stdout.splitlines() if not PROGRESS.match(line)]

    def judge(self, number, first, shown, printed, times_count):
        if self.options.rewrite:
            try:
                self.edits.append((first, first + len(shown), rewritten(shown, printed)))
            except ValueError as error:
                self.errors.append(f"{self.where(number)}: {error}")
            return
        wrong = self.options.comparison.match(shown, printed, times_count)
        if wrong is not None:
            self.errors.append(f"{self.where(number)}: shown, but not printed there: {wrong}\n  printed:\n    " +
                               "\n    ".join(printed))


def main():
    parser = argparse.ArgumentParser(description="Compares what console blocks show with what their commands print.")
    parser.add_argument("--rewrite", action="store_true", help="write what is printed into the documents")
    parser.add_argument("--bin", type=pathlib.Path, help=f"programs instead of those in {DOCUMENTED_BIN}")
    parser.add_argument("root", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    options.root = options.root.resolve()
    options.bin = options.bin.resolve() if options.bin else None
    options.comparison = Comparison(has_documented_arithmetic())
    every = documents(options.root)
    paths = [p.resolve() for p in options.documents] or [p for p in every if options.rewrite or p.name != OF_THE_PACKAGE]
    checked = [Document(path, options) for path in paths]
    for document in checked:
        document.check()
    for line in (line for document in checked for line in [*document.notes, *document.errors]):
        print(line)
    errors = sum(len(document.errors) for document in checked)
    print(f"{len(checked)} documents, {sum(document.commands for document in checked)} commands run, {errors} differences")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
