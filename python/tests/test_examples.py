"""The scripts of python/examples run."""

import os
import pathlib
import subprocess
import sys
import unittest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


class Examples(unittest.TestCase):
    def test_genotypes_to_a_score(self):
        done = subprocess.run([sys.executable, "-B", str(EXAMPLES / "genotypes.py")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("503 people x 10025 variants", done.stdout)
        self.assertIn("within one standard error", done.stdout)


if __name__ == "__main__":
    unittest.main()
