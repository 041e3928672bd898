"""The scripts of python/examples print what docs/PYTHON.md shows, and draw."""

import pathlib
import subprocess
import sys
import unittest

from support import PROGRAMS

ROOT = pathlib.Path(__file__).parents[2]
PICTURES = [ROOT / "build/examples" / f"{script.stem}.png" for script in (ROOT / "python/examples").glob("*.py")]


class Examples(unittest.TestCase):
    def test_they_print_what_the_document_shows_and_draw(self):
        for picture in PICTURES:
            picture.unlink(missing_ok=True)
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/check_outputs.py"), "--bin", str(PROGRAMS),
                               str(ROOT), str(ROOT / "docs/PYTHON.md")], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for picture in PICTURES:
            self.assertEqual(picture.read_bytes()[:4], b"\x89PNG", picture)


if __name__ == "__main__":
    unittest.main()
