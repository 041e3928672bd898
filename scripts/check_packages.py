#!/usr/bin/env python3
"""Installs the packages of scripts/package on clean roots of Debian 12 and runs there what docs/INSTALL.md says.

Usage: check_packages.py [--base FOLDER] [--schema FILE] [--development] [PACKAGES]

Needs root and the network; takes minutes. PACKAGES: the folder that scripts/package fills (build/release/packages).
--base: a clean root of debootstrap that is there already or is to be kept; it is copied, never changed. --schema: the JSON
schema of SPDX 2.3 (packaging/sbom.py says where it is). --development: also libstrads-dev, with which docs/examples/ridge
is built in the root; this fetches a compiler.

1. A copy of the root gets the .deb by apt-get, without recommended packages: no compiler, no Python. An ordinary user types
   the commands of docs/INSTALL.md that follow <!-- from the package -->; what they print is compared with what README.md
   shows for the same fit (times and files left out). Manual pages pass mandoc's lint; the package is removed, and nothing stays.
2. Another copy, which has none of the libraries, gets the tarball, in a folder of any name. The commands behind
   <!-- from the tarball --> run with nothing in the environment and without a network, again after the folder was moved.
3. No file of any package holds the path of this tree; the SBOMs are right."""
import argparse
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from check_outputs import Comparison, has_documented_arithmetic  # pylint: disable=wrong-import-position
from document_blocks import command_of, examples, split  # pylint: disable=wrong-import-position

SOURCE = pathlib.Path(__file__).resolve().parent.parent
RESULT = re.compile("fitted |quality |size ")  # lines of a fit that are the same everywhere
LIBRARIES = ("libzmq5", "libzip4", "libspdlog1.10", "libboost-serialization1.74.0")


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False, **more)
    if done.returncode != 0:
        raise SystemExit(f"check_packages.py: {' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout}")
    return done.stdout


class Root:
    """A copy of the clean root, with /proc while it is used."""

    def __init__(self, base, folder):
        self.folder = folder
        run("cp", "-a", base, folder)
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        for file in pathlib.Path("/etc/apt").glob("apt.conf.d/*proxy*"):
            shutil.copy(file, folder / "etc/apt/apt.conf.d")

    def run(self, *command, user=None, network=True):
        """As root, or as an ordinary user in a home of his own, whose environment is empty."""
        jail = ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={self.folder}/proc"]
        jail += [] if network else ["--net"]
        who = [f"--userspec={user}:nogroup"] if user else []
        return run(*jail, "chroot", *who, self.folder, "env", "-i", "HOME=/srv/user", "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
                   "DEBIAN_FRONTEND=noninteractive", *command)

    def make_home(self):
        home = self.folder / "srv/user"
        home.mkdir(parents=True)
        shutil.chown(home, "nobody", "nogroup")

    def files(self):
        """Of what packages install."""
        tops = [self.folder / top for top in ("usr", "etc", "opt", "var/lib/strads")]
        return {path.relative_to(self.folder) for top in tops for path in top.rglob("*")}


def block_behind(comment):
    """The console block of docs/INSTALL.md behind <!-- COMMENT ... -->."""
    lines = (SOURCE / "docs/INSTALL.md").read_text().splitlines()
    for number, language, block in split("\n".join(lines))[1]:
        if language == "console" and comment in "\n".join(lines[max(0, number - 4):number - 1]):
            return [command_of(command) for command, _ in examples(block)]
    raise SystemExit(f"docs/INSTALL.md: no console block behind '{comment}'")


def shown_fit():
    """What README.md shows for the first fit, but for times and files."""
    for _, language, block in split((SOURCE / "README.md").read_text())[1]:
        if language == "console":
            return [line for line in next(iter(examples(block)))[1] if RESULT.match(line)]
    raise SystemExit("README.md shows no fit")


def compare(printed, where):
    lines = [line for line in printed.splitlines() if RESULT.match(line)]
    wrong = Comparison(has_documented_arithmetic()).match(shown_fit(), lines, times_count=False)
    if wrong:
        raise SystemExit(f"{where}: README.md shows '{wrong}', printed was\n{printed}")
    print(f"{where}: as README.md shows: {re.search('beta_hash [0-9a-f]+', printed)[0]}")


def check_no_path(root, files, where):
    told = [file for file in files if (root / file).is_file() and not (root / file).is_symlink()
            and str(SOURCE).encode() in (root / file).read_bytes()]
    if told:
        raise SystemExit(f"{where}: these hold the path {SOURCE}: {told}")
    print(f"{where}: {len(files)} files and folders, none tells where it was built")


def check_sbom(path, schema):
    print(run(sys.executable, "-B", SOURCE / "packaging/sbom.py", path, *([schema] if schema else [])).strip())


def check_manuals(root):
    pages = sorted((root.folder / "usr/share/man/man1").glob("*.1.gz"))
    own = [page for page in pages if re.match(r"lasso|mf[.-]|strads", page.name)]
    for page in own:
        with tempfile.NamedTemporaryFile("wb", suffix=".1") as file:
            file.write(subprocess.run(["zcat", page], check=True, stdout=subprocess.PIPE).stdout)
            file.flush()
            # STYLE is a matter of taste: lines that are long, the form of dates.
            run("mandoc", "-T", "lint", "-W", "warning,stop", file.name)
    print(f"{len(own)} manual pages without a warning of mandoc")


def check_deb(base, folder, packages, options):
    root = Root(base, folder / "deb")
    root.run("apt-get", "update", "-qq")
    before = root.files()
    deb = next(packages.glob("strads_*.deb"))
    shutil.copy(deb, root.folder / "tmp")
    root.make_home()
    said = root.run("apt-get", "install", "-y", "--no-install-recommends", f"/tmp/{deb.name}")
    print(re.search(r"\d+ upgraded, \d+ newly installed.*", said)[0])
    for compiler in ("gcc", "g++", "cc", "python3"):
        assert not (root.folder / "usr/bin" / compiler).exists(), compiler
    for command in block_behind("from the package"):
        compare_if_fit(root.run("sh", "-c", f"cd && {command}", user="nobody"), command, ".deb")
    check_manuals(root)
    listed = [pathlib.Path(line.lstrip("/")) for line in root.run("dpkg", "-L", "strads").splitlines()]
    check_no_path(root.folder, listed, deb.name)
    check_sbom(root.folder / "usr/share/doc/strads/sbom.spdx.json", options.schema)
    if options.development:
        check_development(root, packages)
    root.run("apt-get", "purge", "-y", *(["strads", "libstrads-dev"] if options.development else ["strads"]))
    left = sorted(str(file) for file in root.files() - before if "strads" in str(file))
    assert not left, f"removed, and these stay: {left}"


def compare_if_fit(printed, command, where):
    if "lasso fit" in command:
        compare(printed, where)


def check_development(root, packages):
    deb = next(packages.glob("libstrads-dev_*.deb"))
    shutil.copy(deb, root.folder / "tmp")
    shutil.copytree(SOURCE / "docs/examples/ridge", root.folder / "srv/user/ridge")
    root.run("apt-get", "install", "-y", "--no-install-recommends", f"/tmp/{deb.name}", "cmake", "make")
    root.run("sh", "-c", "cd && cmake -S ridge -B build && cmake --build build")
    print(f"{deb.name}: docs/examples/ridge was built: " +
          root.run("sh", "-c", "cd && build/ridge fit --help", user="nobody").splitlines()[0])
    listed = [pathlib.Path(line.lstrip("/")) for line in root.run("dpkg", "-L", "libstrads-dev").splitlines()]
    check_no_path(root.folder, listed, deb.name)


def check_tarball(base, folder, packages, options):
    root = Root(base, folder / "tarball")
    root.make_home()
    for package in LIBRARIES:
        assert not (root.folder / "var/lib/dpkg/info" / f"{package}:amd64.list").exists(), package
    file = next(packages.glob("strads-*.tar.gz"))
    shutil.copy(file, root.folder / "srv/user")
    for command in block_behind("from the tarball"):
        compare_if_fit(root.run("sh", "-c", f"cd && {command}", user="nobody", network=False), command, "tarball")
    home = root.folder / "srv/user" / file.name.removesuffix(".tar.gz")
    check_no_path(home, [path.relative_to(home) for path in home.rglob("*")], file.name)
    check_sbom(home / "share/doc/strads/sbom.spdx.json", options.schema)
    moved = home.rename(root.folder / "opt/any name")
    command = next(command for command in block_behind("from the tarball") if "lasso fit" in command)
    elsewhere = re.sub(r"^cd \S+ && (.*)--out \S+", r"\1--processes 2 --out /srv/user/again", command, flags=re.DOTALL)
    place = "/" + str(moved.relative_to(root.folder))
    compare(root.run("sh", "-c", f"cd '{place}' && {elsewhere}", user="nobody", network=False), "moved, two processes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", type=pathlib.Path)
    parser.add_argument("--schema")
    parser.add_argument("--development", action="store_true")
    parser.add_argument("packages", nargs="?", type=pathlib.Path, default=SOURCE / "build/release/packages")
    options = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("check_packages.py: a clean root needs root; run it with sudo")
    run(SOURCE / "scripts/install_packages", "check-packages")
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        base = options.base or folder / "base"
        if not (base / "etc/debian_version").exists():
            run("debootstrap", "--variant=minbase", "bookworm", base)
        check_deb(base, folder, options.packages, options)
        check_tarball(base, folder, options.packages, options)


if __name__ == "__main__":
    main()
