"""What packages hold, without making a .deb (scripts/check_packages.py does, on a clean root): an installation of the
programs has all manual pages, completions and documents and tells nobody where it was built; so do those for Python and R,
with SBOMs of their own; the tarball runs from any folder, with nothing in the environment, with its own libraries and the
same bits.

Usage: packages.py BUILD_FOLDER SOURCE_FOLDER"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tarfile
import tempfile

# Component of cmake --install, its Debian package, the language in packaging/dependencies.txt, two of its files.
LANGUAGES = [("python", "python3-strads", "python", "lib/python3/dist-packages/strads", ("__init__.py", "_strads.*.so")),
             ("r_library", "r-strads", "r", "lib/R/site-library/strads", ("DESCRIPTION", "libs/strads.so"))]
PROGRAMS = ["lasso", "lda", "mf", "strads-experiment", "strads-launch", "strads-report", "strads_sim", "stradsd", "svm"]


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    assert done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def check_installation(stage, build, source):
    assert sorted(path.name for path in (stage / "bin").iterdir()) == PROGRAMS
    assert sorted(path.name for path in (stage / "share/bash-completion/completions").iterdir()) == PROGRAMS
    commands = [table["command"] for table in json.loads(run(build / "bin/strads_option_tables"))["commands"]]
    pages = {f"{name}.1.gz" for name in [*PROGRAMS, *(command.replace(" ", "-") for command in commands)]}
    assert {path.name for path in (stage / "share/man/man1").iterdir()} == pages
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "copyright", "changelog.gz", "sbom.spdx.json", "docs/OPTIONS.md"):
        assert (stage / "share/doc/strads" / name).is_file(), name
    check_no_path(stage, build, source)


def check_no_path(stage, build, source):
    told = [f"{path}: {folder}" for path in stage.rglob("*") if path.is_file() for folder in {build, source}
            if str(folder).encode() in path.read_bytes()]
    assert not told, f"these tell where they were built: {told}"


def check_languages(folder, build, source):
    """The packages for Python and R, where the build has them: their files, and an SBOM that names what they are made with."""
    facts = (build / "build_facts.txt").read_text()
    for component, package, language, place, files in LANGUAGES:
        if f"dependency_of\t{language}\t" not in facts:
            continue
        stage = folder / component
        run("cmake", "--install", build, "--prefix", stage, "--component", component, "--strip")
        for pattern in files:
            assert list((stage / place).glob(pattern)), f"{package}: no {pattern}"
        check_no_path(stage, build, source)
        sbom = stage / "share/doc" / package / "sbom.spdx.json"
        run(sys.executable, "-B", source / "packaging/sbom.py", sbom)
        named = {each["name"] for each in json.loads(sbom.read_text())["packages"]}
        wanted = {row[0] for row in rows_of(source, 6) + [row for row in rows_of(source, 7) if row[6] == language]}
        assert named == {package} | wanted, f"{package}: {named ^ ({package} | wanted)}"


def rows_of(source, columns=6):
    rows = [line.split(" | ") for line in (source / "packaging/dependencies.txt").read_text().splitlines()
            if line and not line.startswith("#")]
    return [row for row in rows if len(row) == columns]


def check_list(source):
    """Every library that is needed to build, but for those of tests, is in packaging/dependencies.txt."""
    build = (source / "scripts/packages.txt").read_text().partition("#: build")[2].partition("#:")[0]
    needed = set(re.findall(r"^\S+-dev$", build, re.MULTILINE)) - {"libgmock-dev", "libgtest-dev"}
    missing = needed - {row[4] for row in rows_of(source)}
    assert len(needed) > 8 and not missing, f"packaging/dependencies.txt has no line for {missing}"


def check_details(program, source):
    """--version --verbose has every library of packaging/dependencies.txt, with a version and its licence."""
    said = run(program, "--version", "--verbose")
    for name, _, licence in (row[:3] for row in rows_of(source)):
        assert re.search(rf"^{re.escape(name)} +\d[\w.]* +(linked|compiled) +{re.escape(licence)}$", said, re.MULTILINE), \
            f"{name} is not in\n{said}"
    for fact in ("commit", "compiler", "C library", "kernels"):
        assert re.search(rf"^{fact} +\S", said, re.MULTILINE), said


def first_task(readme):
    """The indented command of the tarball's README, as printed."""
    lines = re.search(r"^ {4}\S(?:.*\\\n)+.*$", readme, re.MULTILINE)
    return shlex.split(lines[0].replace("\\\n", " "))


def loaded(program):
    """{soname: path} as the loader finds them, with an empty environment."""
    said = run("ldd", program, env={"PATH": "/usr/bin:/bin"})
    return dict(re.findall(r"^\s*(\S+) => (.+) \(0x", said, re.MULTILINE))


def check_tarball(file, folder, build, source):
    with tarfile.open(file) as tar:
        roots = {name.split("/")[0] for name in tar.getnames()}
        tar.extractall(folder)
    assert roots == {file.name.removesuffix(".tar")}, roots
    # Another name, and one that is no pleasure to a script.
    home = folder / "moved here, by hand"
    (folder / roots.pop()).rename(home)
    for program in ("lasso", "lda", "mf", "svm", "stradsd", "strads_sim"):
        for name, path in loaded(home / "bin" / program).items():
            own = path.startswith(str(home))
            assert own or re.match(r"(ld-linux|lib[cm]\.|lib(resolv|pthread|dl|rt)\.)", name), f"{name} is {path}"
    readme = (home / "README").read_text()
    assert "@" not in readme, readme
    assert re.search(r"needs a Linux with glibc 2\.\d+ or later", readme), readme
    command = first_task(readme)
    data = source / "tests/datasets/1000g-chr2-eur"
    here = run(build / "bin/lasso", "fit", "--bfile", data / "chr2-eur", "--pheno", data / "pheno.tsv", "--pheno-name",
               "sim20", "--lambda-ratio", "0.5", "--out", folder / "here")
    hashes = {re.search("beta_hash [0-9a-f]{16}", text)[0] for text in (
        here, run("env", "-i", *command, cwd=home),
        run("env", "-i", *command[:-1], "processes", "--processes", "2", cwd=home))}
    assert len(hashes) == 1, hashes
    sbom = home / "share/doc/strads/sbom.spdx.json"
    run(sys.executable, "-B", source / "packaging/sbom.py", sbom)
    bundled = {name for package in json.loads(sbom.read_text())["packages"] if "comment" in package
               for name in package["comment"].removeprefix("files: ").split(", ")}
    assert bundled == {path.name for path in (home / "lib/strads").iterdir()}, bundled
    return hashes.pop()


def main(build, source):
    build, source = build.resolve(), source.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        stage, file = folder / "stage", folder / "strads.tar"
        run("cmake", "--install", build, "--prefix", stage, "--component", "programs", "--strip")
        check_installation(stage, build, source)
        check_list(source)
        check_languages(folder, build, source)
        run(sys.executable, "-B", source / "packaging/sbom.py", stage / "share/doc/strads/sbom.spdx.json")
        for program in ("lasso", "lda", "mf", "svm", "stradsd", "strads_sim"):
            check_details(stage / "bin" / program, source)
        run(sys.executable, "-B", source / "packaging/tarball.py", "--stage", stage, "--facts", build / "build_facts.txt", file)
        print(f"the tarball fits elsewhere as the build does: {check_tarball(file, folder / 'elsewhere', build, source)}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
