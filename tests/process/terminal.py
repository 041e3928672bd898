#!/usr/bin/env python3
"""The line of progress on real terminals (pty): of 40, 80 and 200 columns, resized while the program runs, without a size,
TERM=dumb, NO_COLOR, and into a pipe. A small terminal of this test's own says what would stand on the screen.

usage: terminal.py BIN_DIR SOURCE_DIR [TEST...]
"""
import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

BIN, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
PATIENCE = 60
NUMBER = r"-?\d+(\.\d+)?(e[+-]\d+)?"
# A field that is a number and its words, whole. One that was cut ends where none of these does.
FIELD = re.compile(rf"{NUMBER} s|sweep \d+ of at most \d{{6}}|sweep 0|round \d+|objective (met )?{NUMBER}|(train|met|validation|test) {NUMBER}|"
                   rf"{NUMBER} ratings/s|(solution|lambda|fit) \d+ of (at most )?\d+|\d+ folds|reading ratings|\d+ %|about \d+ (s|min) left|"
                   rf"checking solutions against the data")


def ratings(folder):
    path = os.path.join(folder, "ratings.csv")
    with open(path, "w", encoding="ascii") as file:
        file.write("user,item,rating\n")
        file.writelines(f"u{k % 400},i{(k * k + k // 400) % 300},{1 + (k * 7 + k // 31) % 5}\n" for k in range(12000))
    return path


class Screen:
    """What a terminal of so many columns shows. It says whether a line was ever folded, and knows no other escape than the one that
    clears to the end of the line."""
    def __init__(self, columns):
        self.columns, self.rows, self.row, self.column, self.folded = columns, [""], 0, 0, []

    def put(self, text):
        for part in re.findall(r"\x1b\[K|.", text, re.S):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.row += 1
                self.rows.append("")
            elif part == "\x1b[K":
                self.rows[self.row] = self.rows[self.row][:self.column]
            elif part == "\x1b":
                raise AssertionError(f"an escape that no line needs: {text!r}")
            else:
                if self.column == self.columns:
                    self.folded.append(self.rows[self.row])
                    self.row, self.column = self.row + 1, 0
                    self.rows.append("")
                line = self.rows[self.row].ljust(self.column)
                self.rows[self.row] = line[:self.column] + part + line[self.column + 1:]
                self.column += 1


def resize(terminal, columns):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))


def on_terminal(command, columns, resized=None, **environment):
    """What the command writes to a terminal as its stderr. `resized`: the columns that it has from its first whole
    line on."""
    master, slave = pty.openpty()
    resize(master, columns)
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST  # bytes as they are written
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    environment = {**{k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")}, "TERM": "xterm", **environment}

    def take_terminal():
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)  # so that a new size is a SIGWINCH

    begin = time.monotonic()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave, env=environment,
                          preexec_fn=take_terminal) as process:
        os.close(slave)
        written = b""
        while time.monotonic() - begin < PATIENCE:
            if resized is not None and b"validation " in written:
                resize(master, resized)
                written, resized = written + b"\0", None
            try:
                more = os.read(master, 65536)
            except OSError:  # nobody has it open any more
                break
            written += more
        code = process.wait(PATIENCE)
    os.close(master)
    return code, written.decode()


def drawn(text):
    """The lines of progress, in order."""
    return [line for line in re.split(r"\r\x1b\[K", text.replace("\0", "")) if line and not line.startswith("mf: ")]


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.ratings = ratings(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def fit(self, *more, seconds=0.8):
        return [BIN / "mf", "fit", "--ratings", self.ratings, "--tolerance", "0", "--sweeps", "100000", "--holdout", "0.1", "--validation", "0.1",
                "--patience", "100000", "--threads", "1", "--max-seconds", str(seconds), *more]

    def fields_are_whole(self, line):
        for field in line.split("  "):
            self.assertRegex(field, rf"\A({FIELD.pattern})\Z", line)

    def test_lines_fit_and_have_whole_fields(self):
        longest = {}
        for columns in (40, 80, 200):
            code, text = on_terminal(self.fit(), columns)
            self.assertEqual(code, 3, text)
            screen = Screen(columns)
            screen.put(text)
            self.assertEqual(screen.folded, [])
            lines = drawn(text)
            for line in lines:
                self.assertLess(len(line), columns)
                self.fields_are_whole(line)
            self.assertRegex(lines[-1], r"^\S+ s  sweep \d+ of at most 100000")
            self.assertEqual([row for row in screen.rows if row.strip()], [], "the line is cleared at the end")
            longest[columns] = max(len(line) for line in lines)
        self.assertGreater(longest[200], 80)
        self.assertGreater(longest[80], 40)
        self.assertLess(longest[200], 199, "all fields are there")

    def test_a_resized_terminal_has_its_new_width(self):
        code, text = on_terminal(self.fit(seconds=2), 120, resized=50)
        self.assertEqual(code, 3, text)
        before, after = text.split("\0")
        self.assertGreater(max(map(len, drawn(before))), 50)
        after = [line for line in drawn(after)[1:] if line]  # the first one may have been on its way
        self.assertTrue(after)
        for line in after:
            self.assertLess(len(line), 50)
            self.fields_are_whole(line)

    def test_a_terminal_without_a_size_counts_as_COLUMNS_or_80(self):
        for environment, columns in (({}, 80), ({"COLUMNS": "60"}, 60), ({"COLUMNS": "no"}, 80)):
            _, text = on_terminal(self.fit(seconds=0.4), 0, **environment)
            longest = max(map(len, drawn(text)))
            self.assertLess(longest, columns)
            self.assertGreater(longest, columns - 30)

    def test_a_tiny_terminal_shows_nothing_rather_than_a_part(self):
        for columns in (1, 12):
            _, text = on_terminal(self.fit(seconds=0.4), columns)
            for line in drawn(text):
                self.assertLess(len(line), columns)
                self.fields_are_whole(line)

    def test_a_dumb_terminal_has_plain_lines_that_fit(self):
        for kind in ("dumb", ""):
            code, text = on_terminal(self.fit(seconds=2.5), 60, TERM=kind)
            self.assertEqual(code, 3)
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\r", text)
            lines = [line for line in text.splitlines() if " s  " in line]
            self.assertIn(len(lines), (1, 2, 3, 4), text)  # after 1 and 2 seconds, others of reading on a busy machine
            for line in lines:
                self.assertLess(len(line), 60)
                self.fields_are_whole(line)

    def test_nothing_is_coloured(self):
        texts = [on_terminal(self.fit(), 80, **more)[1] for more in ({}, {"NO_COLOR": "1"})]
        for text in texts:
            self.assertTrue(drawn(text))
            self.assertNotRegex(text, r"\x1b\[[0-9;]*m")

    def test_a_pipe_has_whole_lines(self):
        done = subprocess.run(self.fit(seconds=2.5), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=PATIENCE, check=False,
                              text=True, env={**os.environ, "COLUMNS": "20"})
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("\x1b", done.stderr)
        self.assertNotIn("\r", done.stderr)
        lines = [line for line in done.stderr.splitlines() if "ratings/s" in line]
        self.assertIn(len(lines), (1, 2, 3), done.stderr)
        for line in lines:
            self.assertGreater(len(line), 60, "as wide as it is")
            self.fields_are_whole(line)

    def test_quiet_is_quiet(self):
        self.assertEqual(on_terminal(self.fit("--quiet"), 80)[1], "")

    def test_what_is_left_is_a_count(self):
        data = SOURCE / "tests/datasets/1000g-chr2-eur"
        x = ["--bfile", data / "chr2-eur", "--pheno", data / "pheno.tsv", "--pheno-name", "sim20", "--threads", "1", "--max-seconds", "2"]
        cv = [BIN / "lasso", "cv", *x, "--folds", "5", "--lambdas", "50", "--lambda-min-ratio", "0.02"]
        _, text = on_terminal(cv, 80)
        self.assertRegex(text, r"s  solution \d+ of at most 300  5 folds  round \d+")
        for line in drawn(text):
            self.fields_are_whole(line)
        given = ["--lambda-file", os.path.join(self.folder.name, "lambdas")]
        pathlib.Path(given[1]).write_text("".join(f"{0.5 / 1.05 ** k}\n" for k in range(60)), encoding="ascii")
        _, text = on_terminal([BIN / "lasso", "path", *x, *given], 80)
        self.assertRegex(text, r"s  lambda \d+ of 60  ")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
