"""Completion in a real bash: what Tab offers for command lines of every program.

Usage: completion.py BUILD_FOLDER"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPLETIONS = TABLES = None  # set below
# Words as readline has them: = and : break words, as they do by default.
ASK = """
source "$1"; shift
function_name=$(complete -p "$1"); function_name=${function_name#*-F }; function_name=${function_name%% *}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
"$function_name" "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(*words, folder=None):
    done = subprocess.run(["bash", "--norc", "-uc", ASK, "bash", str(COMPLETIONS / words[0]), *words], cwd=folder, text=True,
                          capture_output=True, check=False)
    assert done.returncode == 0 and not done.stderr, f"{words}: {done.stderr}"
    return [line for line in done.stdout.splitlines() if line]


class Completion(unittest.TestCase):
    def test_commands_of_a_program(self):
        self.assertEqual(offered("lasso", ""), ["cv", "export", "fit", "path", "predict", "score"])
        self.assertEqual(offered("mf", "f"), ["fit", "fold-in"])
        self.assertEqual(offered("strads_sim", ""), ["batch", "calibrate", "plan", "run"])
        self.assertEqual(offered("strads_sim", "run", ""), ["lda", "mf", "sumstats", "svm"])
        self.assertEqual(offered("lasso", "--ver"), ["--version", "--verbose"])

    def test_pages_of_help_fit_a_screen(self):
        pages = [(program,) for program in ("lasso", "mf", "svm", "lda", "stradsd", "strads_sim")]
        pages += [(program, command) for program, in pages for command in offered(program, "") if not command.startswith("-")]
        for page in [*pages, ("lasso", "path", "--sumstats"), ("lasso", "fit", "--sumstats")]:
            done = subprocess.run([TABLES.parent / page[0], *page[1:], "--help"], text=True, capture_output=True, check=True)
            lines = done.stdout.splitlines()
            self.assertLessEqual(len(lines), 24, page)
            self.assertLessEqual(max(map(len, lines)), 100, page)

    def test_options_of_a_command_and_of_no_other(self):
        self.assertEqual(offered("lasso", "fit", "--lambda-r"), ["--lambda-ratio"])
        self.assertEqual(offered("lasso", "export", "--lambda-r"), [])
        self.assertIn("--bfile", offered("lasso", "fit", ""))
        self.assertEqual(offered("stradsd", "--joi"), ["--join"])
        self.assertEqual(offered("strads_sim", "run", "mf", "--solv"), ["--solver"])

    def test_values_of_choices_in_both_forms(self):
        self.assertEqual(offered("lasso", "fit", "--family", ""), ["gaussian", "binomial", "poisson"])
        self.assertEqual(offered("lasso", "fit", "--x", "a", "--family", "b"), ["binomial"])
        self.assertEqual(offered("lasso", "fit", "--family", "=", "b"), ["binomial"])
        self.assertEqual(offered("lasso", "fit", "--family", "="), ["gaussian", "binomial", "poisson"])
        self.assertEqual(offered("lasso", "fit", "--family=b"), ["--family=binomial"])
        self.assertEqual(offered("lasso", "fit", "--center", ""), ["on", "off"])

    def test_options_behind_the_folders_of_a_report(self):
        self.assertEqual(offered("strads-report", "runs/a", "--t"), ["--trace"])
        self.assertEqual(offered("strads-report", "runs/a", "b", "--out", "c", "--pn"), ["--png"])

    def test_options_behind_the_file_of_an_experiment(self):
        self.assertEqual(offered("strads-experiment", "sweep.ini", "--dr"), ["--dry-run"])

    def test_nothing_for_numbers(self):
        self.assertEqual(offered("lasso", "fit", "--lambda", ""), [])

    def test_options_behind_a_flag(self):
        self.assertEqual(offered("lasso", "fit", "--force", "--lambda-r"), ["--lambda-ratio"])

    def test_files_folders_and_prefixes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file in ("a.bed", "a.bim", "b c.bed", "x.csv"):
                (folder / file).touch()
            (folder / "runs").mkdir()
            self.assertEqual(sorted(offered("lasso", "fit", "--x", "", folder=folder)),
                             ["a.bed", "a.bim", "b c.bed", "runs", "x.csv"])
            self.assertEqual(offered("lasso", "predict", "--model", "", folder=folder), ["runs"])
            self.assertEqual(sorted(offered("lasso", "fit", "--bfile", "", folder=folder)), ["a", "b c", "runs"])
            self.assertEqual(offered("lasso", "fit", "--config=x", folder=folder), ["--config=x.csv"])

    def test_every_option_of_every_table(self):
        tables = json.loads(subprocess.run([TABLES], check=True, capture_output=True, text=True).stdout)["commands"]
        for table in tables:
            names = [f"--{option['name']}" for option in table["options"]]
            words = table["command"].split()
            value = ["x"] if words[-1].startswith("--") else []  # an option that turns a command, and its value
            self.assertEqual(offered(*words, *value, "--"), names)

    def test_an_option_turns_a_command_wherever_it_stands(self):
        self.assertEqual(offered("lasso", "path", "--bfile", "x", "--sumstats", "y", "--sh"), ["--shrink"])
        self.assertEqual(offered("lasso", "path", "--bfile", "x", "--sh"), [])


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(1)).resolve()
    COMPLETIONS, TABLES = build / "share/programs/bash-completion/completions", build / "bin/strads_option_tables"
    unittest.main()
