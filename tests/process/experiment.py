#!/usr/bin/env python3
"""scripts/experiment on small grids with real runs: killed at any moment it goes on to the same table, only what has changed is
run again, a point that fails is named and stops no other, a wrong file is refused with its line before anything runs, two at
once are refused, a signal leaves no process and nothing half, and the table has the figures that the runs have.

usage: experiment.py BIN_DIR SOURCE_DIR [unittest arguments]

Tables are read again, and means and spreads computed again, by code of this test.
"""
import collections
import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from launch_here import SSH, script

BIN = SOURCE = FOLDER = None  # set below
LIMIT = 60  # seconds that nothing here takes
MARK = "STRADS_EXPERIMENT_TEST"  # in the environment of every process of a test
ENDLESS = {"policy": "uniform", "tolerance": "0", "lambda-ratio": "0.05", "max-seconds": "300"}


def ini(sections, name="experiment.ini"):
    """The path of an INI file: {section: {name: value}} or a text."""
    path = FOLDER / name
    path.write_text(sections if isinstance(sections, str) else "".join(
        f"[{section}]\n" + "".join(f"{key} = {value}\n" for key, value in lines.items()) for section, lines in sections.items()))
    return path


def small(fixed=None, experiment=None, **grid):
    """An experiment on 442 x 10 numbers."""
    data = SOURCE / "tests/datasets/diabetes"
    return {"experiment": {"command": "lasso fit", **(experiment or {})},
            "fixed": {"x": data / "X.csv.gz", "y": data / "y.csv", "threads": "1", **(fixed or {})},
            "grid": {name.replace("_", "-"): value for name, value in grid.items()}}


def endless(more=None, **grid):
    """One that no policy finishes."""
    data = SOURCE / "tests/datasets/1000g-chr2-eur"
    return {**small(**grid), "fixed": {"bfile": data / "chr2-eur", "pheno": data / "pheno.tsv", "pheno-name": "sim20", "threads": "1",
                                       **ENDLESS, **(more or {})}}


def words_of(path, out, *more, folder=None):
    return [str(word) for word in (sys.executable, SOURCE / "scripts/experiment", path, "--out", FOLDER / out, "--bin", folder or BIN,
                                   *more)]


def experiment(path, out, *more, code=0, folder=None):
    done = subprocess.run(words_of(path, out, *more, folder=folder), capture_output=True, text=True, timeout=LIMIT, check=False)
    assert done.returncode == code, f"exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}"
    return done.stdout if code in (0, 3) else done.stderr


def table(out, name="table.csv"):
    with open(FOLDER / out / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def without_seconds(out):
    """The bytes of both tables, but for the columns that have seconds."""
    return [[[value for key, value in row.items() if "seconds" not in key] for row in table(out, name)]
            for name in ("table.csv", "means.csv")]


def summary(out, point):
    return json.loads((FOLDER / out / "runs" / point / "summary.json").read_text())


def ran(printed):
    """The points that were run, by the lines that say so."""
    return re.findall(r"^\[\d+/\d+\] (\S+)", printed, re.MULTILINE)


def processes():
    """Those of this test but for itself: {pid: command line}."""
    found = {}
    for place in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if f"{MARK}={FOLDER}".encode() in (place / "environ").read_bytes() and int(place.name) != os.getpid():
                found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            pass
    return found


def wait_until(condition, explain=lambda: ""):
    deadline = time.monotonic() + LIMIT
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {LIMIT} s: {explain()}")
        time.sleep(0.005)


def wait_for_lines(process, runs):
    """Until it has told of so many runs."""
    while runs > 0 and (line := process.stdout.readline()):
        runs -= line.startswith("[")


class Case(unittest.TestCase):
    def setUp(self):
        self.out = self.id().rsplit(".", 1)[-1]

    def tearDown(self):
        try:
            wait_until(lambda: not processes(), processes)
        finally:
            for pid in processes():
                os.kill(pid, signal.SIGKILL)

    def start(self, path, *more):
        return subprocess.Popen(words_of(path, self.out, *more), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def begun(self, point):
        """A run is under way: its log is there."""
        wait_until((FOLDER / self.out / "runs" / point / ".unfinished/log.txt").exists)


class GoesOn(Case):
    def test_killed_at_many_moments_it_has_the_same_table(self):
        path = ini(small(policy="uniform, static", lambda_ratio="0.5, 0.3", seed="1..3"))
        experiment(path, "whole")
        # After so many runs of its own, and so many seconds: before, within and between runs.
        for runs, seconds in ((0, 0.05), (0, 0.15), (1, 0), (1, 0.01), (2, 0.02), (1, 0.04)):
            process = self.start(path)
            wait_for_lines(process, runs)
            time.sleep(seconds)
            process.kill()
            process.communicate()
        self.assertLess(sum(row["state"] == "done" for row in table(self.out)), 12)
        experiment(path, self.out)
        self.assertEqual(without_seconds(self.out), without_seconds("whole"))
        self.assertEqual(collections.Counter(row["state"] for row in table(self.out)), {"done": 12})

    def test_a_run_ends_with_the_experiment_that_is_killed(self):
        path = ini(endless(seed="1..2"))
        process = self.start(path)
        self.begun("seed=1")
        self.assertEqual(len(processes()), 2)
        process.kill()
        process.communicate()
        wait_until(lambda: not processes(), processes)
        self.assertIn("seed=1  again: it was cut off", experiment(path, self.out, "--dry-run"))

    def test_a_checkpoint_is_gone_on_from(self):
        limits = {"max-seconds": "0", "max-rounds": "12000", "check-interval": "8000", "checkpoint-rounds": "1000"}
        path = ini(endless(limits, seed="1"))
        experiment(path, "uncut")
        folder = FOLDER / self.out / "runs/seed=1/.checkpoint"
        for there in (folder.is_dir, lambda: any(folder.glob("checkpoint-*.bin"))):  # begun, and then complete
            process = self.start(path)
            wait_until(there)
            process.kill()
            process.communicate()
            wait_until(lambda: not processes(), processes)
        shutil.copytree(FOLDER / self.out, FOLDER / "changed")
        experiment(path, self.out)
        self.assertGreater(summary(self.out, "seed=1")["resumed"]["after_rounds"], 0)
        self.assertEqual([row["hash"] for row in table(self.out)], [row["hash"] for row in table("uncut")])
        experiment(ini(endless({**limits, "lambda-ratio": "0.06"}, seed="1")), "changed")
        self.assertNotIn("resumed", summary("changed", "seed=1"))

    def test_a_signal_ends_the_run_in_order_and_leaves_nothing(self):
        path = ini(endless(seed="1..2"))
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start(path)
            self.begun("seed=1")
            process.send_signal(number)
            printed, errors = process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 3, errors)
            self.assertIn("2 points remain", errors)
            self.assertIn("0 of 2 points are done", printed)
            self.assertEqual(list((FOLDER / self.out / "runs").iterdir()), [])
            self.assertEqual(processes(), {})
            self.assertEqual([row["state"] for row in table(self.out)], ["remaining", "remaining"])

    def test_what_was_done_before_a_signal_stays(self):
        sections = {**endless(kind="short, endless"), "kind short": {"max-rounds": "20"}, "kind endless": {"max-rounds": "0"}}
        path = ini(sections)
        process = self.start(path)
        self.begun("kind=endless")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
        self.assertEqual([row["state"] for row in table(self.out)], ["done", "remaining"])
        self.assertIn("1 done, 1 again", experiment(path, self.out, "--dry-run"))

    def test_a_second_signal_kills(self):
        path = ini(endless(seed="1"))
        process = self.start(path)
        self.begun("seed=1")
        run = next(pid for pid, words in processes().items() if "lasso fit" in words)
        os.kill(run, signal.SIGSTOP)  # it does not end in order
        process.send_signal(signal.SIGINT)
        time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 3)


class WhatHasChanged(Case):
    def test_nothing_runs_again_that_is_done(self):
        path = ini(small(seed="1..2", policy="uniform, static"))
        self.assertEqual(len(ran(experiment(path, self.out))), 4)
        before = (FOLDER / self.out / "table.csv").read_bytes()
        again = experiment(path, self.out)
        self.assertEqual(ran(again), [])
        self.assertIn("4 of 4 points are done already", again)
        self.assertEqual((FOLDER / self.out / "table.csv").read_bytes(), before)

    def test_only_points_with_another_option_run_and_why_is_said(self):
        sections = {**small(kind="a, b"), "kind a": {"lambda-ratio": "0.5"}, "kind b": {"lambda-ratio": "0.2"}}
        experiment(ini(sections), self.out)
        sections["kind b"]["lambda-ratio"] = "0.3"
        path = ini(sections)
        said = experiment(path, self.out, "--dry-run")
        self.assertIn("kind=b  again: lambda-ratio was 0.2, is 0.3", said)
        self.assertIn("1 done, 1 again", said)
        self.assertEqual(ran(experiment(path, self.out)), ["kind=b"])
        self.assertEqual(json.loads((FOLDER / self.out / "points/kind=b.json").read_text())["key"]["options"]["lambda-ratio"], "0.3")

    def test_a_default_that_is_written_out_changes_nothing(self):
        experiment(ini(small(seed="1")), self.out)
        self.assertEqual(ran(experiment(ini(small({"tolerance": "0.000001"}, seed="1")), self.out)), [])
        self.assertEqual(ran(experiment(ini(small({"tolerance": "0.00001"}, seed="1")), self.out)), ["seed=1"])

    def test_a_new_value_of_an_axis_adds_its_points_alone(self):
        experiment(ini(small(seed="1..2")), self.out)
        self.assertEqual(ran(experiment(ini(small(seed="1..4")), self.out)), ["seed=3", "seed=4"])
        fewer = experiment(ini(small(seed="2..3")), self.out)
        self.assertEqual(ran(fewer), [])
        self.assertIn("2 runs in", fewer)
        self.assertEqual([row["point"] for row in table(self.out)], ["seed=2", "seed=3"])

    def test_other_data_run_again_and_the_same_in_a_new_file_do_not(self):
        data = FOLDER / "own.csv"
        data.write_text("a,b,y\n" + "".join(f"{k % 7},{k * k % 5},{k % 3}\n" for k in range(40)))
        sections = {**small(set="own, other"), "set own": {"x": data, "y-name": "y"}}
        sections["set other"] = {name: sections["fixed"].pop(name) for name in ("x", "y")}
        path = ini(sections)
        os.utime(data, (1, 1))  # long ago: its hash is kept
        experiment(path, self.out)
        content = data.read_text()
        data.unlink()
        data.write_text(content)
        self.assertEqual(ran(experiment(path, self.out)), [])
        data.write_text(content.replace("\n1,", "\n2,", 1))
        self.assertIn("own.csv has changed", experiment(path, self.out, "--dry-run"))
        self.assertEqual(ran(experiment(path, self.out)), ["set=own"])

    def test_another_build_runs_all_again(self):
        other = FOLDER / "other"
        other.mkdir()
        (other / "lasso").write_text(f"#!/bin/sh\ncase $* in *--version*) echo 'lasso 9.9.9 (build 0123456789abcdef)';; *) exec "
                                     f"{BIN}/lasso \"$@\";; esac\n")
        (other / "lasso").chmod(0o755)
        path = ini(small(seed="1..2"))
        experiment(path, self.out)
        self.assertIn("is lasso 9.9.9 (build 0123456789abcdef)", experiment(path, self.out, "--dry-run", folder=other))
        self.assertEqual(len(ran(experiment(path, self.out, folder=other))), 2)

    def test_results_that_are_gone_or_replaced_are_made_again(self):
        path = ini(small(seed="1..2"))
        experiment(path, self.out)
        shutil.rmtree(FOLDER / self.out / "runs/seed=1")
        shutil.rmtree(FOLDER / self.out / "runs/seed=2")
        data = SOURCE / "tests/datasets/diabetes"
        subprocess.run([BIN / "lasso", "fit", "--x", data / "X.csv.gz", "--y", data / "y.csv", "--quiet", "--out",
                        FOLDER / self.out / "runs/seed=2"], check=True, stdout=subprocess.DEVNULL)
        said = experiment(path, self.out, "--dry-run")
        self.assertIn("seed=1  again: its results are gone", said)
        self.assertIn("seed=2  again: its results were replaced", said)
        self.assertEqual(len(ran(experiment(path, self.out))), 2)


class Failing(Case):
    def test_a_point_that_fails_is_named_and_stops_no_other(self):
        missing = FOLDER / "soon.csv"
        sections = {**small(set="gone, there"), "set gone": {"x": missing}}
        sections["set there"] = {"x": sections["fixed"].pop("x")}
        path = ini(sections)
        said = experiment(path, self.out, code=1)
        self.assertRegex(said, r"^strads-experiment: error: set=gone: exit code 4: lasso: error: .*soon\.csv")
        self.assertEqual([row["state"] for row in table(self.out)], ["failed", "done"])
        self.assertIn("set=gone   failed: exit code 4", experiment(path, self.out, "--dry-run"))
        shutil.copy(SOURCE / "tests/datasets/diabetes/X.csv.gz", missing)
        self.assertEqual(ran(experiment(path, self.out)), ["set=gone"])

    def test_a_file_that_no_run_wrote_stays(self):
        path = ini(small(seed="1..2"))
        own = FOLDER / self.out / "runs/seed=1/summary.json"
        own.parent.mkdir(parents=True)
        own.write_text("mine\n")
        self.assertIn("seed=1: exit code 2", experiment(path, self.out, code=1))
        self.assertEqual(own.read_text(), "mine\n")

    def test_a_run_that_ends_early_is_a_result(self):
        said = experiment(ini(endless({"max-rounds": "50"}, seed="1")), self.out)
        self.assertIn("1 ended before the tolerance was met", said)
        self.assertEqual([(row["state"], row["exit_code"], row["stop_reason"]) for row in table(self.out)], [("done", "3", "max_rounds")])

    def test_a_run_that_somebody_else_ended_has_failed(self):
        process = self.start(ini(endless(seed="1")))
        self.begun("seed=1")
        os.kill(next(pid for pid, words in processes().items() if "lasso fit" in words), signal.SIGTERM)
        _, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 1)
        self.assertIn("seed=1: its run was ended by a signal that did not come from here", errors)

    def test_two_at_once_are_refused(self):
        path = ini(endless(seed="1"))
        first = self.start(path)
        self.begun("seed=1")
        self.assertIn(f"another experiment is under way there (process {first.pid})", experiment(path, self.out, code=2))
        first.send_signal(signal.SIGINT)
        first.communicate(timeout=LIMIT)

    def test_a_folder_with_other_files_is_refused(self):
        (FOLDER / self.out).mkdir()
        (FOLDER / self.out / "thesis.txt").write_text("mine\n")
        self.assertIn("it holds files, and no experiment", experiment(ini(small(seed="1")), self.out, code=2))
        self.assertEqual([path.name for path in (FOLDER / self.out).iterdir()], ["thesis.txt"])


class WrongFiles(Case):
    def refused(self, text, sections, *more, code=2):
        said = experiment(ini(sections), self.out, *more, code=code)
        self.assertIn(text, said)
        self.assertEqual(said.count("strads-experiment: error: "), 1)
        self.assertFalse((FOLDER / self.out).exists())

    def test_options(self):
        self.refused(".ini:7: lasso fit has no option --polcy; did you mean policy?", small({"polcy": "auto"}, seed="1"))
        self.refused("has no option --sed; did you mean seed?", small(sed="1"))
        self.refused(".ini:8: policy=unifrom: lasso: error: ", small(policy="uniform, unifrom"))
        self.refused("--depth 4 exceeds --schedulers", small(depth="1, 4"))
        self.refused(".ini:7: --out is not for experiments", small({"out": "x"}, seed="1"))
        self.refused("nonnegative = yes, expected on or off", small({"nonnegative": "yes"}, seed="1"))
        self.refused("every run would write the same file", small({"trace-rounds": FOLDER / "rounds.tsv"}, seed="1"))

    def test_grids(self):
        self.refused("the grid is empty", small())
        self.refused("[grid] seed has no value, so that the grid is empty", small(seed=""))
        self.refused("the value 2 comes twice", small(seed="1..3, 2"))
        self.refused("are the same run", small(lambda_ratio="0.5, 0.50"))
        self.refused("tolerance is said at", small({"tolerance": "0.1"}, tolerance="0.1, 0.2"))
        self.refused("the range 3..1 has no value", small(seed="3..1"))
        self.refused("a value is empty", small(seed="1,,2"))
        self.refused("at most 10,000", small(seed="1..200", workers="1..200"))
        self.refused("two points are called", small(y_name="a b, a_b"))

    def test_sections_and_names(self):
        good = small(seed="1")
        self.refused("[grit] is no section of an experiment; did you mean grid?", {**good, "grit": {"a": "1"}})
        self.refused("[experiment] has no comand; did you mean command?", {**good, "experiment": {"comand": "x"}})
        self.refused("[experiment] has no command", {**good, "experiment": {}})
        self.refused("it has no [experiment], expected a file like configs/sweep.ini", {"input": {"x": "a"}})
        self.refused("over = sead: [grid] has no such axis; did you mean seed?", small(experiment={"over": "sead"}, seed="1"))
        self.refused("no option --set", small(set="a, b"))
        self.refused("[grid] set: the value b has no section [set b]", {**small(set="a, b"), "set a": {"lambda": "0.1"}})
        self.refused("[grid] set has no value c", {**small(set="a"), "set a": {}, "set c": {}})
        text = "".join(f"[{name}]\n" for name in ("experiment", "grid", "fixed", "grid"))
        self.refused(".ini:4: a second [grid], the first one is at ", text)
        self.refused(".ini:3: seed comes twice in [grid], first at ", "[grid]\nseed = 1\nseed = 2\n")
        self.refused(".ini:1: 'seed' stands before any [section]", "seed = 1\n")
        self.refused(".ini:2: 'seed', expected [section] or name = value", "[grid]\nseed\n")

    def test_clusters(self):
        self.refused("expected either nodes = N, on this machine, or hosts", {**small(seed="1"), "cluster": {"threads": "1"}})
        self.refused("[cluster] nodes = 0, expected a number of at least 1", {**small(seed="1"), "cluster": {"nodes": "0"}})
        self.refused("[cluster] has no node; did you mean nodes?", {**small(seed="1"), "cluster": {"node": "1"}})
        self.refused("serve one run at a time", {**small(seed="1"), "cluster": {"nodes": "1"}}, "--jobs", "2")
        self.refused("--processes is set by [cluster]", {**small({"processes": "2"}, seed="1"), "cluster": {"nodes": "1"}})

    def test_commands(self):
        good = small(seed="1..2")
        self.refused("--only polic=auto: ", good, "--only", "polic=auto")
        self.refused("seed has no value 3, expected one of: 1, 2", good, "--only", "seed=3")
        self.refused("an axis has one value at a time", good, "--only", "seed=1,seed=2")
        self.refused("--jobs 0: expected 1 to", good, "--jobs", "0")
        self.refused("lassoo: no such program", {**good, "experiment": {"command": "lassoo fit"}}, code=4)
        self.refused("command = lasso fitt: ", {**good, "experiment": {"command": "lasso fitt"}})
        self.refused("expected a command that makes a run", {**good, "experiment": {"command": "lasso"}})
        said = experiment(FOLDER / "none.ini", self.out, code=4)
        self.assertIn("none.ini: No such file or directory", said)


class Tables(Case):
    """What is collected is what the runs have."""

    def test_figures_means_and_spread(self):
        columns = ["objective", "updates", "conflicts", "seconds_solve"]
        said = experiment(ini(small({"tolerance": "1e-4"}, {"columns": ", ".join(columns)}, policy="uniform, static", seed="1..3")),
                          self.out)
        rows, means = table(self.out), table(self.out, "means.csv")
        self.assertEqual(list(rows[0]), ["point", "policy", "seed", "state", "exit_code", "stop_reason", "hash", *columns])
        self.assertEqual([row["point"] for row in rows], [f"policy={p},seed={s}" for p in ("uniform", "static") for s in (1, 2, 3)])
        for row in rows:
            facts = summary(self.out, row["point"])
            self.assertEqual((row["hash"], float(row["objective"]), int(row["updates"])),
                             (facts["beta_hash"], facts["objective"], facts["updates"]))
            with open(FOLDER / self.out / "runs" / row["point"] / "trace.csv", encoding="utf-8") as file:
                steps = [float(line["step"]) for line in csv.DictReader(file) if line["event"] == "commit"]
            moved = [step for step in steps if step != 0]
            self.assertAlmostEqual(float(row["conflicts"]), sum(step < 0.999 for step in moved) / len(moved))
        self.assertEqual([(row["policy"], row["runs"]) for row in means], [("uniform", "3"), ("static", "3")])
        for mean in means:
            for column in columns:
                values = [float(row[column]) for row in rows if row["policy"] == mean["policy"]]
                middle = sum(values) / 3
                deviation = math.sqrt(sum((value - middle) ** 2 for value in values) / 2)
                self.assertAlmostEqual(float(mean[f"{column}_mean"]), middle)
                self.assertAlmostEqual(float(mean[f"{column}_sd"]), deviation)
        updates = [int(row["updates"]) for row in rows[:3]]
        self.assertIn(f"{sum(updates) / 3:,.4g}" if sum(updates) < 3000 else f"{sum(updates) / 3:,.0f}", said)
        self.assertIn("6 of 6 points are done; +- is the standard deviation over seed", said)

    def test_other_programs_and_jobs(self):
        ratings = FOLDER / "ratings.tsv"
        ratings.write_text("user\titem\trating\n" + "".join(f"u{u}\ti{i}\t{1 + (3 * u + i) % 5}\n" for u in range(20)
                                                          for i in range(12) if (u + i) % 3))
        path = ini({"experiment": {"command": "mf fit"}, "fixed": {"ratings": ratings, "validation": "0.2", "sweeps": "4"},
                    "grid": {"rank": "2, 3", "solver": "sgd, cd", "seed": "1..2"}})
        experiment(path, self.out, "--jobs", "2")
        experiment(path, "one", "--jobs", "1")
        self.assertEqual(without_seconds(self.out), without_seconds("one"))
        self.assertEqual(len({row["hash"] for row in table(self.out)}), 8)

    def test_repeats_are_runs_of_their_own(self):
        said = experiment(ini(small(repeat="1..2", policy="uniform")), self.out)
        self.assertEqual(len(ran(said)), 2)
        self.assertIn("standard deviation over repeat", said)
        self.assertEqual(len({row["hash"] for row in table(self.out)}), 1)

    def test_a_point_may_name_a_file_and_a_column_that_is_not_there_is_said(self):
        rounds = FOLDER / "rounds-{point}.tsv"
        said = experiment(ini(small({"trace-rounds": rounds}, {"columns": "rounds, best.cost"}, seed="1..2")), self.out)
        self.assertTrue((FOLDER / "rounds-seed=2.tsv").is_file())
        self.assertIn("no run has a figure best.cost", said)

    def test_only_some_points(self):
        path = ini(small(policy="uniform, static", seed="1..2"))
        self.assertEqual(ran(experiment(path, self.out, "--only", "policy=static,seed=2", "--only", "seed=1,policy=uniform")),
                         ["policy=uniform,seed=1", "policy=static,seed=2"])
        self.assertEqual([row["state"] for row in table(self.out)], ["done", "remaining", "remaining", "done"])

    def test_the_nodes_of_a_cluster_give_the_same_bits_and_leave(self):
        sections = small({"schedulers": "2"}, policy="uniform, paper")
        experiment(ini(sections), "alone")
        experiment(ini({**sections, "cluster": {"nodes": "2", "threads": "1"}}), self.out)
        self.assertEqual([row["hash"] for row in table(self.out)], [row["hash"] for row in table("alone")])
        facts = summary(self.out, "policy=paper")
        self.assertEqual((facts["transport"], facts["cluster"]["nodes"]), ("ipc", 2))
        self.assertFalse((FOLDER / self.out / "nodes").exists())

    def test_hosts_by_the_launcher_give_the_same_bits_and_are_left(self):
        ssh = script(FOLDER / "ssh", SSH)  # all hosts are this machine
        sections = small({"schedulers": "2"}, policy="uniform", seed="1..2")
        experiment(ini(sections), "here")
        experiment(ini({**sections, "cluster": {"hosts": "a,b", "ssh": ssh, "threads": "1"}}), self.out)
        self.assertEqual([row["hash"] for row in table(self.out)], [row["hash"] for row in table("here")])
        facts = summary(self.out, "policy=uniform,seed=2")
        self.assertEqual((facts["transport"], [node["name"] for node in facts["cluster"]["node_list"]]), ("tcp", ["a", "b"]))
        said = experiment(ini({**sections, "cluster": {"hosts": "a,b", "ssh": FOLDER / "none"}}), "unreached", code=5)
        self.assertIn("the nodes of the hosts do not wait for runs: ", said)

    def test_the_shipped_sweep_and_a_report(self):
        said = subprocess.run(words_of(SOURCE / "configs/sweep.ini", self.out, "--dry-run"), cwd=SOURCE, capture_output=True, text=True,
                              check=False).stdout
        self.assertIn("36 points: 4 policy x 3 workers x 3 seed; lasso fit", said)
        said = experiment(ini(small(policy="uniform, static", workers="2, 8", seed="1..2")), self.out, "--report")
        self.assertRegex(said, r"report/report\.html: 8 runs, \d+ charts")
        picture = (FOLDER / self.out / "report/grid-updates.svg").read_text()
        self.assertEqual([len(re.findall("[ML] ", line)) for line in re.findall(r'id="points-\d+">\s*<path d="([^"]*)"', picture)], [2, 2])

    def test_help_fits_a_terminal(self):
        lines = subprocess.run(words_of("--help", self.out), capture_output=True, text=True, check=True).stdout.splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 100)


if __name__ == "__main__":
    BIN, SOURCE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        os.environ[MARK] = made
        unittest.main()
