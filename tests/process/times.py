#!/usr/bin/env python3
"""--trace-times on real runs, embedded and on processes, and what strads-report makes of it: the same bits, every block once,
tasks between the messages that ask for them and answer, clocks that are aligned by messages alone, charts, a trace without
slices that overlap, messages for bad input.

usage: times.py BIN_DIR SOURCE_DIR [unittest arguments]
"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = SOURCE = FOLDER = None  # set below
FAR = 123_456_789_012_345  # nanoseconds between clocks: a day and a half


def program(*words, code=0):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}"
    return done.stderr if code else done.stdout


def fit(name, *more):
    data = SOURCE / "tests/datasets/1000g-chr2-eur"
    program(BIN / "lasso", "fit", "--bfile", data / "chr2-eur", "--pheno", data / "pheno.tsv", "--pheno-name", "sim20",
            "--lambda-ratio", 0.5, "--policy", "uniform", "--schedulers", 2, "--workers", 4, "--max-rounds", 120, "--check-interval",
            80, "--threads", 2, "--out", FOLDER / name, "--quiet", *more, code=3)


def report(*words, code=0):
    return program(sys.executable, SOURCE / "scripts/strads-report", *words, code=code)


def summary(name):
    return json.loads((FOLDER / name / "summary.json").read_text())


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [{key: value if key in ("process", "run", "what", "who") else int(value) for key, value in row.items()}
                for row in csv.DictReader(file, delimiter="\t")]


def block_of(row):
    return row["number"], row["index"]


class Files(unittest.TestCase):
    def test_the_bits_are_those_without(self):
        for name in ("one", "two"):
            self.assertEqual(summary(name)["beta_hash"], summary("plain")["beta_hash"], name)

    def test_every_block_is_there(self):
        for name in ("one", "two"):
            blocks = [block_of(row) for row in rows(FOLDER / f"{name}.tsv") if row["what"] == "push"]
            self.assertEqual(len(set(blocks)), summary(name)["blocks"], name)
            if name == "one":  # on processes a late node's block is computed twice
                self.assertEqual(len(set(blocks)), len(blocks))
            self.assertGreater(sum(row["nanoseconds"] for row in rows(FOLDER / f"{name}.tsv") if row["what"] == "push"), 0)

    def test_a_block_is_computed_between_what_asks_for_it_and_its_answer(self):
        for name in ("one", "two"):
            table, answers = rows(FOLDER / f"{name}.tsv"), 0
            asked = {(row["process"], *block_of(row)): row["begin"] for row in table if row["what"] == "taken Assign"}
            answered = {(row["process"], *block_of(row)): row["begin"] for row in table if row["what"] == "sent Deltas"}
            for row in table:
                if row["what"] == "push":
                    key = row["process"], *block_of(row)
                    self.assertLessEqual(asked[key], row["begin"], key)
                    self.assertLess(int(row["who"]), 4)
                    if key in answered:
                        answers += 1
                        self.assertGreaterEqual(answered[key], row["begin"] + row["nanoseconds"], key)
            self.assertEqual(answers > 0, name == "two", "one process sends no messages")

    def test_everything_lies_within_the_time_of_solving(self):
        table = rows(FOLDER / "one.tsv")
        whole, = (row for row in table if row["what"] == "solving")
        for row in table:
            self.assertGreaterEqual(row["begin"], whole["begin"])
            self.assertLessEqual(row["begin"] + row["nanoseconds"], whole["begin"] + whole["nanoseconds"])

    def test_where_there_are_no_clocks_or_no_file(self):
        said = program(BIN / "strads_sim", "run", "--x", "x.csv", "--y-name", "y", "--trace-times", "t", code=2)
        self.assertIn("--trace-times reads clocks, and a simulated run has none", said)
        data = SOURCE / "tests/datasets/diabetes"
        said = program(BIN / "lasso", "fit", "--x", data / "X.csv.gz", "--y", data / "y.csv", "--lambda-ratio", 0.5, "--trace-times",
                       FOLDER / "none/t.tsv", code=4)
        self.assertIn("none/t.tsv", said)


class Clocks(unittest.TestCase):
    """What strads_report makes of the file of two processes, on one clock in truth."""

    @classmethod
    def setUpClass(cls):
        sys.path.insert(0, str(SOURCE / "scripts"))
        from strads_report.times import Times  # pylint: disable=import-outside-toplevel
        cls.times = staticmethod(Times)
        cls.lines = (FOLDER / "two.tsv").read_text().splitlines()

    def moved(self, name, by):
        """The file with clocks of processes put forward."""
        path = FOLDER / name
        fields = [line.split("\t") for line in self.lines]
        for row in fields[1:]:
            row[6] = str(int(row[6]) + by.get(row[0], 0))
        path.write_text("".join("\t".join(row) + "\n" for row in fields))
        return self.times(path)

    def test_are_aligned_to_within_what_is_said(self):
        times = self.times(FOLDER / "two.tsv")
        self.assertEqual(times.processes, ["0", "1", "driver"])
        for process in times.processes:
            offset, error = times.clocks.whole[process]
            self.assertLessEqual(abs(offset), error + 1, process)
            self.assertLess(error, 1e9, "messages take no second here")

    def test_may_be_far_apart(self):
        plain, moved = self.times(FOLDER / "two.tsv"), self.moved("far.tsv", {"0": FAR, "1": 77})
        self.assertEqual(len(plain.tasks), len(moved.tasks))
        for here, there in zip(plain.tasks, moved.tasks):
            self.assertEqual((here.process, here.kind, here.number), (there.process, there.kind, there.number))
            self.assertAlmostEqual(here.begin, there.begin, delta=1e-6)

    def test_let_no_message_arrive_before_it_was_sent(self):
        for message in self.moved("far.tsv", {"0": FAR, "driver": 5 * FAR}).messages:
            if message.sent is not None:
                self.assertGreaterEqual(message.taken, message.sent - 1e-6, message)

    def test_of_a_long_run_may_drift(self):
        """Two processes, a ping and a pong each second for 100 s, each 1 ms on the way; one clock gains 1e-4."""
        lines = [self.lines[0]]
        for second in range(100):
            sent, echo = second * 10 ** 9, second * 10 ** 9 + 10 ** 6
            gain = [moment // 10_000 for moment in (echo, echo + 1000)]
            lines += [f"driver\t0\tsent Phase\t{second}\t0\t0\t{sent}\t0", f"0\t0\ttaken Phase\t{second}\t0\tdriver\t{echo + gain[0]}\t0",
                      f"0\t0\tpush\t{second}\t0\t0\t{echo + gain[0]}\t0",
                      f"0\t0\tsent SliceStatus\t{second}\t0\tdriver\t{echo + 1000 + gain[1]}\t0",
                      f"driver\t0\ttaken SliceStatus\t{second}\t0\t0\t{echo + 1000 + 10 ** 6}\t0"]
        lines.append(f"driver\t\tsolving\t0\t0\tdriver\t0\t{10 ** 11}")
        path = FOLDER / "drift.tsv"
        path.write_text("\n".join(lines) + "\n")
        for task in self.times(path).tasks:
            self.assertAlmostEqual(task.begin, task.number + 0.001, delta=0.0011, msg="a millisecond, where it gains ten")


class Report(unittest.TestCase):
    def test_has_the_rounds_of_a_phase_and_the_time_of_each_worker(self):
        for name in ("one", "two"):
            report(FOLDER / name, "--out", FOLDER / "page", "--svg")
            text = (FOLDER / "page/report.html").read_text()
            self.assertIn("Rounds of phase", text)
            self.assertEqual("Clocks are aligned by messages" in text, name == "two")
            drawn = (FOLDER / "page/gantt-1.svg").read_text()
            for word in ("computing a block", "commit", "time since"):
                self.assertIn(word, drawn)
            self.assertEqual("rank 1: worker" in drawn, name == "two")
            self.assertIn("waiting to begin", (FOLDER / "page/workers-1.svg").read_text())
            shutil.rmtree(FOLDER / "page")

    def test_draws_the_phase_that_was_asked_for(self):
        report(FOLDER / "one", "--out", FOLDER / "page.html", "--phase", 2)
        self.assertIn("Rounds of phase 2, one", (FOLDER / "page.html").read_text())
        self.assertIn("has no such phase, expected one of", report(FOLDER / "one", "--out", FOLDER / "none.html", "--phase", 99, code=2))

    def test_makes_a_trace_whose_slices_do_not_overlap(self):
        for name, processes in (("one", {"driver"}), ("two", {"driver", "rank 0", "rank 1"})):
            report(FOLDER / name, "--trace", FOLDER / "trace.json")
            events = json.loads((FOLDER / "trace.json").read_text())["traceEvents"]
            names = {event["args"]["name"] for event in events if event["name"] == "process_name"}
            self.assertTrue(processes <= names, names)
            tracks = {}
            for event in events:
                if event["ph"] == "X" and event["pid"] > 1:
                    tracks.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["dur"]))
            self.assertGreater(len(tracks), 5)
            for track in tracks.values():
                for (begin, length), (following, _) in zip(sorted(track), sorted(track)[1:]):
                    self.assertLessEqual(begin + length, following + 0.01)
            pushes = [event for event in events if event["name"].startswith("round ")]
            self.assertGreaterEqual(len(pushes), summary(name)["blocks"])

    def test_says_where_there_is_none(self):
        report(FOLDER / "plain", "--out", FOLDER / "page.html")
        self.assertIn("plain: no times of blocks by worker: it ran without --trace-times", (FOLDER / "page.html").read_text())

    def test_refuses_what_was_cut_off(self):
        whole = (FOLDER / "one.tsv").read_text()
        for content, said in ((whole[:len(whole) // 2], "the file was cut off"), ("a\tb\n", "expected the columns process"),
                              (whole[:whole.rindex("driver")], "no row 'solving'")):
            (FOLDER / "cut.tsv").write_text(content)
            shutil.copytree(FOLDER / "one", FOLDER / "cut", dirs_exist_ok=True)
            config = FOLDER / "cut/config.ini"
            config.write_text(config.read_text().replace("one.tsv", "cut.tsv"))
            self.assertIn(said, report(FOLDER / "cut", "--out", FOLDER / "none.html", code=4))


if __name__ == "__main__":
    BIN, SOURCE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        fit("plain")
        fit("one", "--trace-times", FOLDER / "one.tsv")
        fit("two", "--trace-times", FOLDER / "two.tsv", "--processes", 2)
        unittest.main()
