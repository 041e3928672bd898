#!/usr/bin/env python3
"""Writes paragraphs.tsv.gz: paragraphs of prose of this repository's documents, one a line, with the document's name.

Usage: make_paragraphs.py [ROOT] > FILE. The file beside this script is not made anew when documents change: what tests
and docs/PYTHON.md show rests on it.
"""
import gzip
import pathlib
import re
import sys

DOCUMENTS = ("CLUSTER", "PROTOCOL", "RELIABILITY", "SECURITY", "SIMULATION", "DESIGN", "FORMATS", "GUIDE-genetics",
             "GUIDE-ratings", "MODELS", "OUTPUT")
WORDS_MIN = 8


def paragraphs(text):
    text = re.sub(r"^```.*?^```$|<!--.*?-->", "", text, flags=re.MULTILINE | re.DOTALL)
    for block in re.split(r"\n\s*\n|\n(?=- |\d+\. )", text):
        if block.startswith("    ") or block.strip()[:1] in ("", "#", "|"):
            continue
        words = re.sub(r"[`*]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", block)).split()
        if len(words) >= WORDS_MIN:
            yield " ".join(words)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    lines = ["document\ttext"]
    for name in DOCUMENTS:
        lines += [f"{name}\t{text}" for text in paragraphs((root / "docs" / f"{name}.md").read_text())]
    with gzip.GzipFile("", "wb", 9, sys.stdout.buffer, mtime=0) as out:
        out.write(("\n".join(lines) + "\n").encode())


if __name__ == "__main__":
    main()
