#!/usr/bin/env python3
"""scripts/strads-report on small runs of every kind: the page is whole and needs nothing from elsewhere, charts have the points
that the run's tables have, names are shown as they are, the table has the numbers of summary.json, bad input has its message
and exit code.

usage: report.py BIN_DIR SOURCE_DIR [unittest arguments]

The page is read with a parser of this test. Numbers are read again from the files of the runs.
"""
import csv
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BIN = SOURCE = FOLDER = None  # set below
VOID = {"meta", "link", "br", "hr", "img", "input", "col"}
FETCHES = {"src", "srcset", "data", "poster", "action", "background"}
POINTS = re.compile(r"[ML] ")


def lasso_runs(data):
    diabetes = ["--x", data / "diabetes/X.csv.gz", "--y", data / "diabetes/y.csv"]
    yield "path", ["lasso", "path", *diabetes, "--lambdas", 20, "--policy", "uniform", "--trace-rounds", FOLDER / "rounds.tsv"]
    yield "cv", ["lasso", "cv", *diabetes, "--lambdas", 20, "--folds", 3]
    yield "two", ["lasso", "fit", *diabetes, "--lambda-ratio", 0.1, "--processes", 2]
    yield "fit", ["lasso", "fit", *diabetes, "--lambda-ratio", 0.05, "--policy", "uniform"]
    yield "sums", ["lasso", "path", "--sumstats", data / "made-study/study.tsv.gz", "--bfile", data / "1000g-chr2-eur/chr2-eur",
                   "--ld-blocks", data / "made-study/blocks.bed", "--lambdas", 4, "--shrink", "0.5,0.9"]


def other_runs():
    ratings, classes, corpus = (FOLDER / name for name in ("ratings.tsv", "classes.csv", "corpus.txt"))
    rows = [f"u{u}\ti{i}\t{1 + (3 * u + i) % 5}\n" for u in range(20) for i in range(12) if (u + i) % 3]
    ratings.write_text("user\titem\trating\n" + "".join(rows))
    classes.write_text("a,b,class\n" + "".join(f"{k % 7},{k * k % 5},{'yes' if k % 3 else 'no'}\n" for k in range(30)))
    corpus.write_text("".join(f"apple pear plum fruit{k % 3}\ncar road wheel street{k % 3}\n" for k in range(10)))
    yield "mf", ["mf", "fit", "--ratings", ratings, "--rank", 3, "--sweeps", 6, "--validation", 0.2]
    yield "mfcv", ["mf", "cv", "--ratings", ratings, "--ranks", "2,3", "--lambdas", "0.05,0.1", "--folds", 3, "--sweeps", 3]
    table = FOLDER / "x.csv"
    table.write_text("".join(",".join(line.split(",")[:2]) + "\n" for line in classes.read_text().splitlines()))
    response = FOLDER / "y.csv"
    response.write_text("".join(line.split(",")[2] + "\n" for line in classes.read_text().splitlines()))
    yield "svm", ["svm", "fit", "--x", table, "--y", response]
    yield "svmcv", ["svm", "cv", "--x", table, "--y", response, "--costs", "0.1,1", "--folds", 3]
    yield "lda", ["lda", "fit", "--corpus", corpus, "--topics", 2, "--sweeps", 10, "--measure-every", 2]
    yield "clicks", ["mf", "fit", "--ratings", ratings, "--feedback", "implicit", "--rank", 3, "--sweeps", 4]
    yield "hucv", ["mf", "cv", "--ratings", ratings, "--feedback", "implicit", "--objective", "hu", "--ranks", "2", "--lambdas",
                   "1,2,4", "--alphas", "2,8", "--folds", 2, "--sweeps", 3, "--at", 3]
    data = SOURCE / "tests/datasets"
    yield "point", ["lasso", "fit", "--sumstats", data / "made-study/study.tsv.gz", "--bfile", data / "1000g-chr2-eur/chr2-eur",
                    "--ld-blocks", data / "made-study/blocks.bed", "--lambda-ratio", 0.5]


def program(*words, code=0, python=()):
    done = subprocess.run([str(word) for word in (sys.executable, *python, SOURCE / "scripts/strads-report", *words)],
                          capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == code, f"{words}: exit code {done.returncode}, expected {code}\n{done.stdout}{done.stderr}"
    return done.stderr if code else done.stdout


class Page(html.parser.HTMLParser):
    """Elements as (tag, attributes); fails on tags that are not closed in order."""

    def __init__(self, path):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.cells, self.texts = [], [], {}, {}
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"{tag}: an attribute comes twice: {names}"
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("id")))

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1][0] == tag, f"</{tag}> within {self.open}"
        self.open.pop()

    def handle_data(self, data):
        for tag, name in self.open:
            if tag in ("figure", "table", "title") and data.strip():
                self.texts.setdefault(name or tag, []).append(data.strip())

    def figures(self):
        return [attributes["id"] for tag, attributes, _ in self.elements if tag == "figure"]

    def points(self, figure):
        """Of each line of a chart: the corners of its path, which follows the group of its name."""
        counts, wanted = {}, re.compile(re.escape(figure) + r"-points-(\d+)")
        for tag, attributes, parents in self.elements:
            names = [wanted.fullmatch(name) for _, name in parents if name]
            group = next((name for name in names if name), None)
            if tag == "path" and group and not any(parent == "defs" for parent, _ in parents):
                counts.setdefault(int(group[1]), len(POINTS.findall(attributes["d"])))
        return [counts[line] for line in sorted(counts)]

    def values(self, table):
        """{name of the row: JSON values in order} of a table whose cells are <data>."""
        class Rows(html.parser.HTMLParser):
            """Of one table."""
            rows, name, code = {}, None, False

            def handle_starttag(self, tag, attrs):
                if tag == "tr":
                    self.name = None
                self.code = tag == "code"
                if tag == "data":
                    self.rows.setdefault(self.name, []).append(json.loads(dict(attrs)["value"]))

            def handle_data(self, data):
                if self.code:
                    self.name, self.code = data, False

        rows = Rows()
        rows.feed(re.search(f'<table id="{table}">.*?</table>', self.text, re.DOTALL)[0])
        return rows.rows


def table(run, name):
    with open(FOLDER / run / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="," if name.endswith("csv") else "\t"))


def summary(run):
    return json.loads((FOLDER / run / "summary.json").read_text())


def fact(value, name):
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


class Whole(unittest.TestCase):
    """One page of all runs."""

    @classmethod
    def setUpClass(cls):
        cls.names = [name for name, _ in (*lasso_runs(SOURCE / "tests/datasets"), *other_runs())]
        cls.said = program(*(FOLDER / name for name in cls.names), "--out", FOLDER / "all", "--svg")
        cls.page = Page(FOLDER / "all/report.html")

    def test_names_are_unique_and_references_lead_to_them(self):
        names = [attributes["id"] for _, attributes, _ in self.page.elements if "id" in attributes]
        self.assertEqual(len(set(names)), len(names))
        text = " ".join(value or "" for _, attributes, _ in self.page.elements for value in attributes.values())
        told = set(re.findall(r"url\(#([^)]+)\)", text))
        told |= {a["href"][1:] for _, a, _ in self.page.elements if a.get("href", "").startswith("#")}
        self.assertGreater(len(told), 10)
        self.assertEqual(told - set(names), set())

    def test_nothing_comes_from_elsewhere(self):
        for tag, attributes, _ in self.page.elements:
            self.assertNotIn(tag, ("script", "link", "iframe", "object", "image", "img"))
            self.assertEqual(FETCHES & attributes.keys(), set(), tag)
            self.assertTrue(attributes.get("href", "#").startswith("#"), attributes)
            self.assertFalse([name for name in attributes if name.startswith("on")])
        named = {found.rstrip("\"'") for found in re.findall(r"https?:[^\s>]+", self.page.text)}
        self.assertEqual(named, {"http://www.w3.org/2000/svg"})

    def test_every_chart_is_a_file_as_well(self):
        self.assertEqual({path.stem for path in (FOLDER / "all").glob("*.svg")}, set(self.page.figures()))
        self.assertIn(f"{len(self.names)} runs, {len(self.page.figures())} charts", self.said)
        titles = [a.get("aria-label") for tag, a, _ in self.page.elements if tag == "svg"]
        self.assertEqual(len(set(titles)), len(titles))
        for name in ("path-gap", "cv-2", "cluster-time-3", "sumstats-choice-5", "mf-fit-imbalance-sweep", "mf-cv-7", "cv-9",
                     "svm-fit-gap-time", "lda-fit-log-joint-sweep", "lasso-fit-gap-time", "lasso-fit-objective-updates",
                     "block-sizes-1"):
            self.assertIn(name, self.page.figures())

    def test_a_path_has_a_point_for_each_lambda(self):
        rows = [table(run, "path.tsv") for run in ("path", "cv")]
        self.assertEqual(self.page.points("path-nonzeros"), [len(part) for part in rows])
        self.assertEqual(self.page.points("path-gap"), [sum(float(row["relative_gap"]) > 0 for row in part) for part in rows])
        self.assertEqual(self.page.points("cv-2")[0], len(table("cv", "cv.tsv")))
        text = " ".join(self.page.texts["cv-2"])
        for name in ("lambda_min", "lambda_1se"):
            self.assertIn(f"{fact(summary('cv'), name)['lambda_ratio']:.4g}", text)
        self.assertEqual(self.page.points("sumstats-nonzeros-5"), [4, 4])

    def test_the_gap_is_that_of_barriers(self):
        for run, line in (("two", 0), ("fit", 1)):
            rows = [row for row in table(run, "trace.csv") if row["event"] != "commit" and float(row["relative_gap"] or 0) > 0]
            self.assertEqual(self.page.points("lasso-fit-gap-time")[line], len(rows))
            rows = [row for row in table(run, "trace.csv") if row["event"] != "commit"]
            self.assertEqual(self.page.points("lasso-fit-nonzeros-time")[line], len(rows))

    def test_sweeps_processes_and_blocks(self):
        self.assertEqual(self.page.points("mf-fit-imbalance-sweep"), [len(table("mf", "trace.csv"))])
        blocks = len((FOLDER / "rounds.tsv").read_text().splitlines()) - 1
        self.assertEqual(blocks, summary("path")["blocks"])
        bars = {a["id"] for _, a, _ in self.page.elements if a.get("id", "").startswith("cluster-time-3-bar-")}
        self.assertEqual(len(bars), 3 * len(summary("two")["cluster"]["node_list"]))

    def test_each_point_of_a_grid_has_a_line_of_its_own(self):
        self.assertEqual(self.page.points("mf-cv-12"), [3, 3])
        text = " ".join(self.page.texts["mf-cv-12"])
        for line in ("rank 2, alpha 2", "rank 2, alpha 8", "popularity"):
            self.assertIn(line, text)
        self.assertIn("best.alpha", self.page.values("results"))

    def test_kinds_of_one_program_have_charts_of_their_own(self):
        for name, unit in (("mf-fit-objective-met-time", "unit of the ratings, squared"),
                           ("mf-fit-clicks-objective-time", "no unit")):
            self.assertIn(f"objective ({unit})", self.page.texts[name])
        self.assertTrue("clicks: trace.csv has no figure of validation_lists.<" in self.page.text)

    def test_the_table_has_the_numbers_of_each_summary(self):
        rows = self.page.values("results")
        wanted = {"objective", "relative_gap", "lambda_min.lambda", "best.rank", "seconds_solve", "updates"}
        self.assertTrue(wanted <= rows.keys())
        for name, values in rows.items():
            facts = [fact(summary(run), name) for run in self.names]
            self.assertEqual(values, [value for value in facts if value is not None], name)

    def test_what_is_missing_is_said(self):
        for line in ("mfcv: mf cv writes no trace.csv", "fit: no sizes of blocks: it ran without --trace-rounds",
                     'path: transport is "embedded"'):
            self.assertIn(line, self.page.text.replace("&quot;", '"'))
        self.assertNotIn("two: transport is", self.page.text)

    def test_names_are_shown_as_they_are(self):
        name = '_a<b>&"$x^2$ --> \u00e9'
        shutil.copytree(FOLDER / "lda", FOLDER / name)
        program(FOLDER / name, "--out", FOLDER / "odd.html")
        page = Page(FOLDER / "odd.html")
        self.assertIn(f"STRADS: {name}", "".join(page.texts["title"]))
        self.assertIn(f"Log joint probability over sweep, {name}", page.texts["lda-fit-log-joint-sweep"])

    def test_the_same_input_gives_the_same_bytes(self):
        for name in ("once", "again"):
            program(FOLDER / "mf", "--out", FOLDER / f"{name}.html")
        self.assertEqual((FOLDER / "once.html").read_bytes(), (FOLDER / "again.html").read_bytes())


class Trace(unittest.TestCase):
    def events(self, run):
        program("--trace", FOLDER / "trace.json", FOLDER / run, python=["-S"])  # without what Debian's packages bring
        return json.loads((FOLDER / "trace.json").read_text())["traceEvents"]

    def test_phases_lie_between_barriers(self):
        times = [float(row["seconds"]) for row in table("fit", "trace.csv") if row["event"] != "commit"]
        slices = [event for event in self.events("fit") if event["ph"] == "X"]
        self.assertEqual(len(slices), len(times))
        for event, begin, end in zip(slices, [0, *times], times):
            self.assertAlmostEqual(event["ts"], 1e6 * begin)
            self.assertAlmostEqual(event["ts"] + event["dur"], 1e6 * end)

    def test_sweeps_and_counters(self):
        events, rows = self.events("mf"), table("mf", "trace.csv")
        self.assertEqual([event["name"] for event in events if event["ph"] == "X"], [f"sweep {row['sweep']}" for row in rows])
        counted = [event["args"]["imbalance"] for event in events if event["ph"] == "C" and event["name"] == "imbalance"]
        self.assertEqual(counted, [float(row["imbalance"]) for row in rows])


class BadInput(unittest.TestCase):
    def refused(self, code, text, *words, **more):
        said = program(*words, code=code, **more)
        self.assertIn(text, said)
        self.assertEqual(said.count("strads-report: error: "), 1)
        self.assertFalse((FOLDER / "none.html").exists())

    def damaged(self, run, name, content):
        folder = FOLDER / "damaged"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(FOLDER / run, folder)
        (folder / name).write_bytes(content((folder / name).read_bytes()))
        return folder

    def test_what_is_no_run(self):
        out = ("--out", FOLDER / "none.html")
        self.refused(4, "gone: no such directory", FOLDER / "gone", *out)
        self.refused(4, "no summary.json: it is not the --out of a run", FOLDER, *out)
        (FOLDER / "killed/.unfinished").mkdir(parents=True)
        self.refused(4, "the run has not finished", FOLDER / "killed", *out)
        self.refused(4, 'program is "lasso score", expected one of', self.damaged(
            "fit", "summary.json", lambda b: b.replace(b'"lasso fit"', b'"lasso score"')), *out)

    def test_half_written_files(self):
        out = ("--out", FOLDER / "none.html")
        self.refused(4, "trace.csv: its last line has no end", self.damaged("fit", "trace.csv", lambda b: b[:-9]), *out)
        self.refused(4, "fields, expected 14", self.damaged("fit", "trace.csv", lambda b: b[:-40] + b"\n"), *out)
        self.refused(4, "expected a number", self.damaged("path", "path.tsv", lambda b: b.replace(b"\t0.", b"\to.", 1)), *out)
        self.refused(4, "not JSON", self.damaged("fit", "summary.json", lambda b: b[:len(b) // 2]), *out)
        self.refused(4, "is not UTF-8", self.damaged("cv", "cv.tsv", lambda b: b[:30] + b"\xff" + b[31:]), *out)

    def test_a_full_disk(self):
        folder = FOLDER / "full"
        folder.mkdir()
        with tempfile.NamedTemporaryFile("w", suffix=".sh") as script:  # a limit of the file's size is met like the disk's end
            script.write(f"ulimit -f 8; trap '' XFSZ; exec {sys.executable} {SOURCE / 'scripts/strads-report'} \"$@\"\n")
            script.flush()
            words = ["sh", script.name, FOLDER / "fit", "--out", folder / "none.html"]
            done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(f"error: {folder / 'none.html'}: cannot be written: File too large", done.stderr)
        self.assertEqual(list(folder.iterdir()), [])

    def test_mistakes_in_the_command(self):
        self.refused(2, "nothing to write", FOLDER / "fit")
        self.refused(2, "a run is given twice", FOLDER / "fit", FOLDER / "fit", "--out", FOLDER / "none.html")
        self.refused(2, "it is the directory of a run", FOLDER / "fit", "--out", FOLDER / "cv")
        self.refused(2, "expected one", FOLDER / "fit", FOLDER / "cv", "--trace", FOLDER / "none.html")
        self.refused(2, "give --out", FOLDER / "fit", "--png", "--trace", FOLDER / "none.html")

    def test_what_cannot_be_drawn(self):
        self.refused(4, "python3-matplotlib", FOLDER / "fit", "--out", FOLDER / "none.html", python=["-S"])
        self.refused(4, "mf cv wrote no trace.csv", FOLDER / "mfcv", "--trace", FOLDER / "none.html")

    def test_help_fits_a_terminal(self):
        lines = program("--help").splitlines()
        self.assertLessEqual(len(lines), 24)
        self.assertLessEqual(max(map(len, lines)), 100)


if __name__ == "__main__":
    BIN, SOURCE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
    with tempfile.TemporaryDirectory() as made:
        FOLDER = pathlib.Path(made)
        for run_name, command in (*lasso_runs(SOURCE / "tests/datasets"), *other_runs()):
            done = subprocess.run([str(word) for word in (BIN / command[0], *command[1:], "--out", FOLDER / run_name)],
                                  capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode in (0, 3), f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        unittest.main()
