#!/usr/bin/env python3
"""--log-format json: every line that a program writes to stderr is an object that docs/events.schema.json takes, whatever happens:
fits of each program, nodes, wrong options, missing files, Ctrl-C, a file that is shortened while it is in use.

usage: event_log.py BIN_DIR SOURCE_DIR [TEST...]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

BIN, SOURCE = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
DATA = SOURCE / "tests/datasets"
PATIENCE = 60
JSON = ["--log-format", "json"]
X = ["--bfile", DATA / "1000g-chr2-eur/chr2-eur", "--pheno", DATA / "1000g-chr2-eur/pheno.tsv", "--pheno-name", "sim20", "--threads", "1"]


class EventLog(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((SOURCE / "docs/events.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)
        cls.place = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.place.name)
        cls.ratings = cls.folder / "ratings.csv"
        cls.ratings.write_text("user,item,rating\n" + "".join(f"u{k % 400},i{(k * k + k // 400) % 300},{1 + (k * 7 + k // 31) % 5}\n"
                                                              for k in range(12000)))

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def events(self, text, program):
        """All lines, checked; the last one is the end."""
        found = []
        for line in text.splitlines():
            event = json.loads(line)
            errors = [error.message for branch in self.validator.iter_errors(event) for error in branch.context or [branch]]
            self.assertEqual(errors, [] if self.validator.is_valid(event) else errors, line)
            self.assertTrue(self.validator.is_valid(event), f"{line}: {errors}")
            self.assertEqual(event["program"], program)
            found.append(event)
        self.assertEqual([event["event"] for event in found].count("end"), 1, text)
        self.assertEqual(found[-1]["event"], "end")
        return found

    def run_it(self, program, *words, code=0):
        done = subprocess.run([BIN / program, *map(str, words), *JSON], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              timeout=PATIENCE, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stderr)
        events = self.events(done.stderr, program)
        self.assertEqual(events[-1]["exit_code"], code)
        return events, done.stdout

    def named(self, events, name):
        return [event for event in events if event["event"] == name]

    def test_fits_tell_their_start_their_way_and_their_result(self):
        lines = (DATA / "paragraphs/paragraphs.tsv.gz")
        diabetes = ["--x", DATA / "diabetes/X.csv.gz", "--y", self.folder / "classes.csv"]
        values = [line.split(",")[-1] for line in (DATA / "diabetes/y.csv").read_text().split()]
        numbers = [float(value) for value in values if value.replace(".", "", 1).replace("-", "", 1).isdigit()]
        (self.folder / "classes.csv").write_text("y\n" + "".join(f"{'high' if v > sorted(numbers)[len(numbers) // 2] else 'low'}\n"
                                                                  for v in numbers))
        runs = [("lasso", "lasso fit", ["fit", *X, "--lambda-ratio", 0.5], "objective", ""),
                ("lasso", "lasso path", ["path", *X, "--lambdas", 10], "path_hash", "lambda"),
                ("lasso", "lasso cv", ["cv", *X, "--lambdas", 5, "--folds", 3], "lambda_min", "solution"),
                ("mf", "mf fit", ["fit", "--ratings", self.ratings, "--sweeps", 5], "train_rmse", "sweep"),
                ("mf", "mf cv", ["cv", "--ratings", self.ratings, "--sweeps", 5, "--ranks", "2,3", "--folds", 2], "best", "fit"),
                ("lda", "lda fit", ["fit", "--corpus", lines, "--topics", 3, "--sweeps", 20], "log_joint", "sweep"),
                ("svm", "svm fit", ["fit", *diabetes], "dual_objective", ""),
                ("strads_sim", "strads_sim run", ["run", *X[:-2], "--lambda-ratio", 0.5], "objective", "")]
        for program, command, words, figure, unit in runs:
            with self.subTest(command=command):
                events, stdout = self.run_it(program, *words)
                self.assertEqual(events[0]["event"], "start")
                self.assertEqual(events[0]["command"], command)
                result, = self.named(events, "result")
                self.assertEqual(result["command"], command)
                self.assertIn(figure, result["summary"])
                self.assertNotIn("out", result)
                self.assertRegex(stdout, r"(?m)^time     ", "closing lines stay on stdout")
                way = [event for event in self.named(events, "progress") if "kind" in event]
                self.assertTrue(way)
                self.assertEqual(way[0]["kind"], "started")
                if unit and any("unit" in event for event in way):
                    self.assertEqual({event["unit"] for event in way if "unit" in event}, {unit})

    def test_the_result_is_the_summary(self):
        events, _ = self.run_it("lasso", "fit", *X, "--lambda-ratio", 0.5, "--out", "fit")
        result, = self.named(events, "result")
        self.assertEqual(result["out"], "fit")
        written = json.loads((self.folder / "fit/summary.json").read_text())
        for name in ("objective", "duality_gap", "beta_hash", "nonzeros", "lambda"):
            self.assertEqual(result["summary"][name], written[name])
        self.assertNotIn("file_hashes", result["summary"])

    def test_other_commands_end_with_their_code(self):
        self.run_it("mf", "fit", "--ratings", self.ratings, "--sweeps", 3, "--out", "model")
        events, _ = self.run_it("mf", "recommend", "--model", "model", "--top", 3, "--out", "lists.tsv")
        self.assertEqual(self.named(events, "result"), [])
        self.run_it("strads_sim", "batch", "--seeds", "1..3")
        self.run_it("strads_sim", "--seed", 3)
        self.run_it("strads_sim", "plan", "--data-shape", "100,1000")

    def test_failures_are_events(self):
        wrong = [("lasso", ["fit", "--bogus", 3], 2, "unknown option"), ("lasso", ["fit", *X, "--tolerance", "many"], 2, "--tolerance"),
                 ("lasso", ["bogus"], 2, "unknown command"), ("mf", ["fit", "--ratings", "none.csv"], 4, "none.csv"),
                 ("stradsd", [], 2, "no driver"), ("stradsd", ["--join", "udp://here"], 2, "--join"),
                 ("strads_sim", ["--bogus"], 2, "bogus"), ("svm", ["fit"], 2, ""), ("lda", ["fit", "--corpus", "none.tsv"], 4, "none.tsv")]
        for program, words, code, text in wrong:
            with self.subTest(program=program, words=words):
                error, = self.named(self.run_it(program, *words, code=code)[0], "error")
                self.assertEqual(error["exit_code"], code)
                self.assertIn(text, error["message"])

    def test_a_config_file_says_it_too(self):
        (self.folder / "c.ini").write_text("[output]\nlog-format = json\n")
        done = subprocess.run([BIN / "lasso", "fit", *map(str, X), "--config", "c.ini", "--lambda-ratio", "0.5"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, check=True, timeout=PATIENCE, text=True, cwd=self.folder)
        self.assertEqual(self.events(done.stderr, "lasso")[0]["event"], "start")

    def test_quiet_leaves_the_result_and_the_end(self):
        events, _ = self.run_it("lasso", "fit", *X, "--lambda-ratio", 0.5, "--quiet")
        self.assertEqual([event["event"] for event in events], ["result", "end"])

    def test_nodes_and_their_driver(self):
        endpoint = f"ipc://{self.folder}/driver"
        driver = subprocess.Popen([BIN / "lasso", "fit", *map(str, X), "--lambda-ratio", "0.5", "--listen", endpoint, "--nodes", "1", *JSON],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        node = subprocess.Popen([BIN / "stradsd", "--join", endpoint, *JSON], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for process, program in ((driver, "lasso"), (node, "stradsd")):
            said = process.communicate(timeout=PATIENCE)[1]
            self.assertEqual(process.returncode, 0, said)
            events = self.events(said, program)
            self.assertEqual(events[0]["event"], "start")
        self.assertTrue(self.named(events, "log"), "what a node says")

    def interrupted(self):
        """Whether the handler's note is there: it gives way to a line that is on its way just then."""
        command = [BIN / "mf", "fit", "--ratings", self.ratings, "--sweeps", "1000000", "--tolerance", "0", "--early-stopping", "off", *JSON]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            said = ""
            while '"kind":"' not in said:
                said += process.stderr.readline()
            time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            said += process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 3)
        events = self.events(said, "mf")
        self.assertEqual(self.named(events, "result")[0]["summary"]["stop_reason"], "signal")
        return any(event["message"].startswith("stopping after this round") for event in self.named(events, "note"))

    def test_ctrl_c_is_a_note_and_the_result_follows(self):
        self.assertTrue(any(self.interrupted() for _ in range(20)))

    def test_a_file_that_is_shortened_is_an_error(self):
        names = {end: (DATA / f"1000g-chr2-eur/chr2-eur.{end}").read_bytes() for end in ("bed", "bim", "fam")}
        for end, content in names.items():
            (self.folder / f"short.{end}").write_bytes(content)
        command = [BIN / "lasso", "fit", "--bfile", "short", *map(str, X[2:]), "--policy", "uniform", "--tolerance", "0", *JSON]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder) as process:
            said = ""
            while '"kind":"' not in said:
                said += process.stderr.readline()
            os.truncate(self.folder / "short.bed", 4096)
            time.sleep(0.1)
            said += process.communicate(timeout=PATIENCE)[1]
        self.assertEqual(process.returncode, 4, said)
        last = said.splitlines()[-1]
        event = json.loads(last)
        self.assertTrue(self.validator.is_valid(event), last)
        self.assertEqual((event["event"], event["exit_code"]), ("error", 4))
        self.assertIn("it was shortened while it was in use", event["message"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
