#!/usr/bin/env python3
"""Writes what packages hold besides programs: manual pages, completion for bash, copyright, changelogs, the SBOM.

Called by the build (cmake/Package.cmake): write_share.py --source ROOT --facts build_facts.txt --tables PROGRAM
--maintainer WHO DIR. DIR is made anew: DIR/programs, DIR/development, DIR/python and DIR/r_library go to share/ of an
installation, each as the component of its name."""
import argparse
import email.utils
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import time

from completion import completions
from facts import read_facts
from launch_table import launch_table, package_table
from manuals import manual_pages
import sbom

# By component: its Debian package, and the language whose lines of dependencies.txt it has besides.
PACKAGES = {"programs": ("strads", None), "development": ("libstrads-dev", None), "python": ("python3-strads", "python"),
            "r_library": ("r-strads", "r")}
DEBIAN_REVISION = 1  # as in cmake/Package.cmake


def write(path, text, packed=False):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if packed else text.encode())


def indented(text):
    return "".join(f" {line}\n" if line.strip() else " .\n" for line in text.strip().splitlines())


DATA_LICENCE = """Files: usr/share/strads/datasets/*
Copyright: see README.md there
License: data
 usr/share/strads/datasets/README.md has source, terms and citation of each data set: 1000g-chr2-eur is from the 1000
 Genomes Project (open data) with a simulated trait, diabetes from scikit-learn (BSD-3-Clause).

"""


def copyright_text(facts, source, data):
    """Debian's machine-readable form; what is linked or compiled in is named with its licence."""
    licence = (source / "LICENSE").read_text()
    libraries = "".join(f"{each.name} {each.version or '(any version)'} ({each.how}): {each.licence}, {each.home}\n"
                        for each in facts.dependencies)
    return f"""Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: STRADS
Comment: It is made with these (linked: a shared library; compiled: its headers; loaded: needed at run time):
{indented(libraries)}
Files: *
Copyright: 2026 The STRADS authors
License: BSD-3-Clause

{DATA_LICENCE if data else ""}License: BSD-3-Clause
{indented(licence)}"""


def debian_changelog(package, facts, maintainer):
    when = email.utils.formatdate(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    return (f"{package} ({facts.version}-{DEBIAN_REVISION}) unstable; urgency=medium\n\n"
            f"  * Version {facts.version}; changelog.gz says what changed.\n\n -- {maintainer}  {when}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--facts", required=True)
    parser.add_argument("--tables", required=True)
    parser.add_argument("--maintainer", required=True)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    facts = read_facts(options.facts)
    printed = subprocess.run([options.tables], check=True, capture_output=True, text=True).stdout
    tables = [*json.loads(printed)["commands"], launch_table(options.source / "scripts/strads-launch"),
              *(package_table(f"strads-{name}", options.source / f"scripts/strads_{name}/command.py")
                for name in ("report", "experiment"))]
    shutil.rmtree(options.folder, ignore_errors=True)
    share = options.folder / "programs"
    readme = (options.source / "README.md").read_text()
    for name, text in manual_pages(tables, facts.version, readme).items():
        write(share / "man/man1" / f"{name}.gz", text, packed=True)
    for name, text in completions(tables).items():
        write(share / "bash-completion/completions" / name, text)
    for component, (package, language) in PACKAGES.items():
        doc, own = options.folder / component / "doc" / package, facts.of_language(language)
        write(doc / "sbom.spdx.json", sbom.text_of(sbom.bill(own, name=package)))
        write(doc / "copyright", copyright_text(own, options.source, data=component == "programs"))
        write(doc / "changelog.gz", (options.source / "CHANGELOG.md").read_text(), packed=True)
        write(doc / "changelog.Debian.gz", debian_changelog(package, facts, options.maintainer), packed=True)


if __name__ == "__main__":
    main()
