"""The pictures of docs/figures are those that scripts/reproduce-figures draws from the CSV beside them."""

import csv
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
FIGURES = ROOT / "docs/figures"
FILES = {"curves": "figure1 figure4-ad-published figure4-ad-tenth figure4-wide-published figure4-wide-tenth",
         "scaling": "scaling-ad scaling-biobank", "economics": "economics", "balance": "balance",
         "logistic": "logistic-tenth logistic-hundredth"}
OF_GUIDES = {"examples": "python-genotypes python-recommendations python-text", "reports": "report-cv report-gantt"}


def texts(path):
    """What is written in a picture, in whatever order."""
    return sorted(re.findall(r"<text[^>]*>([^<]*)</text>|<tspan[^>]*>([^<]*)</tspan>", path.read_text(encoding="utf-8")))


class Figures(unittest.TestCase):
    def test_each_says_of_which_commit_its_runs_are(self):
        with open(FIGURES / "runs.csv", newline="", encoding="utf-8") as file:
            commits = {row["figure"]: row["commit"] for row in csv.DictReader(file)}
        self.assertEqual(set(commits), set(FILES) | set(OF_GUIDES))
        for name in " ".join(OF_GUIDES.values()).split():
            self.assertTrue((FIGURES / f"{name}.png").exists(), name)
        for figure, names in FILES.items():
            for name in names.split():
                self.assertIn(f"runs of commit {commits[figure]}", (FIGURES / f"{name}.svg").read_text(encoding="utf-8"), name)
                self.assertTrue((FIGURES / f"{name}.png").exists(), name)

    def test_they_are_drawn_from_what_is_stored(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("runs", "scaling-ad", "scaling-biobank"):
                shutil.copy(FIGURES / f"{name}.csv", folder)
            done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/reproduce-figures"), "--draw", "--out", folder,
                                   "--only", "scaling"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name in FILES["scaling"].split():
                drawn = texts(pathlib.Path(folder, name + ".svg"))
                self.assertGreater(len(drawn), 20)
                self.assertEqual(drawn, texts(FIGURES / f"{name}.svg"), name)

    def test_a_figure_that_does_not_exist_is_refused(self):
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/reproduce-figures"), "--draw", "--only", "figure9"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("--only: found figure9, expected some of curves,scaling,economics,balance,logistic", done.stderr)


if __name__ == "__main__":
    unittest.main()
