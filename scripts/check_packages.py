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
2. Another copy gets python3-strads, yet another one r-strads, and the user loads it; then strads as well, whose data the
   commands behind <!-- from the Python package --> and <!-- from the R package --> fit: they print what docs/INSTALL.md
   shows, with the hash in README.md. All is removed, and nothing stays.
3. Another copy, which has none of the libraries, gets the tarball, in a folder of any name. The commands behind
   <!-- from the tarball --> run with nothing in the environment and without a network, again after the folder was moved.
4. No file of any package holds the path of this tree, compressed or not; the SBOMs are right."""
import argparse
import contextlib
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
from check_outputs import Comparison, has_documented_arithmetic  # pylint: disable=wrong-import-position
from document_blocks import command_of, examples, split  # pylint: disable=wrong-import-position

SOURCE = pathlib.Path(__file__).resolve().parent.parent
RESULT = re.compile("fitted |quality |size ")  # lines of a fit that are the same everywhere
# Package, what loads it, the comment before its commands in docs/INSTALL.md.
LANGUAGES = (("python3-strads", "python3 -c 'import strads; print(strads.__version__)'", "from the Python package"),
             ("r-strads", "Rscript -e 'library(strads); cat(as.character(packageVersion(\"strads\")), \"\\n\")'",
              "from the R package"))
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

    def as_user(self, command, **more):
        return self.run("sh", "-c", f"cd && {command}", user="nobody", **more)

    def install(self, packages, *names):
        """Debian packages from `packages`, by apt-get without recommended packages. Returns what it did, in a line."""
        files = [next(packages.glob(f"{name}_*.deb")) for name in names]
        for file in files:
            shutil.copy(file, self.folder / "tmp")
        said = self.run("apt-get", "install", "-y", "--no-install-recommends", *(f"/tmp/{file.name}" for file in files))
        return f"{', '.join(file.name for file in files)}: {re.search(r'[0-9]+ newly installed', said)[0]}"

    def purge(self, names, before):
        """Nothing of ours is left that was not there `before`."""
        self.run("apt-get", "purge", "-y", *names)
        left = sorted(str(file) for file in self.files() - before if "strads" in str(file))
        assert not left, f"removed, and these stay: {left}"
        print(f"{', '.join(names)}: purged, nothing stays")

    def listed(self, name):
        return [pathlib.Path(line.lstrip("/")) for line in self.run("dpkg", "-L", name).splitlines()]

    def files(self):
        """Of what packages install."""
        tops = [self.folder / top for top in ("usr", "etc", "opt", "var/lib/strads")]
        return {path.relative_to(self.folder) for top in tops for path in top.rglob("*")}


def block_behind(comment):
    """The console block of docs/INSTALL.md behind <!-- COMMENT ... -->: (command, what it shows) for each."""
    lines = (SOURCE / "docs/INSTALL.md").read_text().splitlines()
    for number, language, block in split("\n".join(lines))[1]:
        if language == "console" and comment in "\n".join(lines[max(0, number - 4):number - 1]):
            return [(command_of(command), shown) for command, shown in examples(block)]
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


def content(path):
    """Bytes of a file; of what R has compressed (.rds, .rdb), also what it holds."""
    whole = path.read_bytes()
    if path.suffix == ".rds" or path.suffix == ".gz":
        return gzip.decompress(whole)
    parts, rest = [whole], whole if path.suffix == ".rdb" else b""
    while rest:  # each: its length as four bytes, then zlib's
        stream = zlib.decompressobj()
        parts.append(stream.decompress(rest[4:]))
        rest = stream.unused_data
    return b"".join(parts)


def check_no_path(root, files, where):
    told = [file for file in files if (root / file).is_file() and not (root / file).is_symlink()
            and str(SOURCE).encode() in content(root / file)]
    if told:
        raise SystemExit(f"{where}: these hold the path {SOURCE}: {told}")
    print(f"{where}: {len(files)} files and folders, none tells where it was built")


def check_sbom(path, schema):
    print(run(sys.executable, "-B", SOURCE / "packaging/sbom.py", path, *([schema] if schema else [])).strip())


def check_manuals(root):
    pages = sorted((root.folder / "usr/share/man/man1").glob("*.1.gz"))
    own = [page for page in pages if re.match(r"lasso|mf[.-]|lda[.-]|svm[.-]|strads", page.name)]
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
    root.make_home()
    print(root.install(packages, "strads"))
    for compiler in ("gcc", "g++", "cc", "python3"):
        assert not (root.folder / "usr/bin" / compiler).exists(), compiler
    for command, _ in block_behind("from the package"):
        compare_if_fit(root.as_user(command), command, ".deb")
    check_manuals(root)
    check_no_path(root.folder, root.listed("strads"), "strads")
    check_sbom(root.folder / "usr/share/doc/strads/sbom.spdx.json", options.schema)
    if options.development:
        check_development(root, packages, options)
    root.purge(["strads", "libstrads-dev"] if options.development else ["strads"], before)


def check_language(base, folder, options, language):
    name, load, comment = language
    root = Root(base, folder / name)
    root.run("apt-get", "update", "-qq")
    before = root.files()
    root.make_home()
    print(root.install(options.packages, name))
    print(f"{name}: loaded by an ordinary user: {root.as_user(load).strip()}")
    print(root.install(options.packages, "strads"))
    readme = re.search("beta_hash [0-9a-f]+", "\n".join(shown_fit()))[0]
    for command, shown in block_behind(comment):
        printed = root.as_user(command)
        wrong = Comparison(has_documented_arithmetic()).match(shown, [line.rstrip() for line in printed.splitlines()], False)
        if wrong or (has_documented_arithmetic() and readme not in printed):
            raise SystemExit(f"{name}: docs/INSTALL.md shows '{wrong}', README.md '{readme}', printed was\n{printed}")
        print(f"{name}: as README.md shows: {printed.strip()}")
    check_no_path(root.folder, root.listed(name), name)
    check_sbom(root.folder / f"usr/share/doc/{name}/sbom.spdx.json", options.schema)
    root.purge(["strads", name], before)


def compare_if_fit(printed, command, where):
    if "lasso fit" in command:
        compare(printed, where)


def check_development(root, packages, options):
    shutil.copytree(SOURCE / "docs/examples/ridge", root.folder / "srv/user/ridge")
    print(root.install(packages, "libstrads-dev"))
    root.run("apt-get", "install", "-y", "--no-install-recommends", "cmake", "make")
    root.run("sh", "-c", "cd && cmake -S ridge -B build && cmake --build build")
    print(f"libstrads-dev: docs/examples/ridge was built: {root.as_user('build/ridge fit --help').splitlines()[0]}")
    check_no_path(root.folder, root.listed("libstrads-dev"), "libstrads-dev")
    check_sbom(root.folder / "usr/share/doc/libstrads-dev/sbom.spdx.json", options.schema)


def check_tarball(base, folder, packages, options):
    root = Root(base, folder / "tarball")
    root.make_home()
    for package in LIBRARIES:
        assert not (root.folder / "var/lib/dpkg/info" / f"{package}:amd64.list").exists(), package
    file = next(packages.glob("strads-*.tar.gz"))
    shutil.copy(file, root.folder / "srv/user")
    for command, _ in block_behind("from the tarball"):
        compare_if_fit(root.as_user(command, network=False), command, "tarball")
    home = root.folder / "srv/user" / file.name.removesuffix(".tar.gz")
    check_no_path(home, [path.relative_to(home) for path in home.rglob("*")], file.name)
    check_sbom(home / "share/doc/strads/sbom.spdx.json", options.schema)
    moved = home.rename(root.folder / "opt/any name")
    command = next(command for command, _ in block_behind("from the tarball") if "lasso fit" in command)
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
        for language in LANGUAGES:
            check_language(base, folder, options, language)
        check_tarball(base, folder, options.packages, options)


if __name__ == "__main__":
    main()
