#!/usr/bin/env python3
"""Makes the relocatable tarball: an installation (component programs) and the shared libraries that it loads.

Usage: tarball.py --stage DIR --facts build_facts.txt FILE.tar.gz   (or FILE.tar, which is not compressed: for tests)

DIR holds bin and share (cmake --install). Every library that a program loads, but for those of glibc, is copied to
DIR/lib/strads, where DT_RPATH of the programs looks first; with it go its copyright file and a line of the SBOM. The
README says which glibc is needed: the newest version of a symbol that any file asks for."""
import argparse
import contextlib
import gzip
import os
import pathlib
import platform
import re
import shutil
import subprocess
import tarfile

from facts import read_facts
import sbom

HERE = pathlib.Path(__file__).resolve().parent
# One glibc a process: these must be the system's.
GLIBC = re.compile(r"(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util|nsl|anl))\.so\.\d+")
NEEDED = re.compile(r"^\s*(\S+) => (\S+|not found)", re.MULTILINE)
GLIBC_VERSION = re.compile(r"Name: GLIBC_(\d+)\.(\d+)")


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def licences_of_packages():
    rows = [line.split(" | ") for line in (HERE / "dependencies.txt").read_text().splitlines() if not line.startswith("#")]
    return {row[0]: row[1] for row in rows if len(row) == 2}


def loaded_libraries(programs):
    """{soname: path here} of all that the programs load, but for glibc."""
    found = {}
    for program in programs:
        for name, path in NEEDED.findall(output_of("ldd", program)):
            if path == "not found":
                raise SystemExit(f"tarball.py: {program} needs {name}, which is not found")
            if not GLIBC.fullmatch(name):
                found[name] = path
    return found


def packages_of(paths):
    """{path: (Debian package, its version)}; /lib may be a link to /usr/lib, and the package may know either name."""
    names = {}
    for path in paths:
        real = os.path.realpath(path)
        names.update({name: path for name in (real, real.removeprefix("/usr"), "/usr" + real)})
    said = subprocess.run(["dpkg-query", "--search", *names], capture_output=True, text=True, check=False).stdout
    owners = {names[file]: owner for owner, file in re.findall(r"^(\S+): (\S+)$", said, re.MULTILINE)}
    missing = [path for path in paths if path not in owners]
    if missing:
        raise SystemExit(f"tarball.py: {missing}: no Debian package has these files, so that their licence is not known")
    shown = output_of("dpkg-query", "--show", "--showformat=${binary:Package} ${Version}\n", *owners.values())
    versions = dict(line.split(" ") for line in shown.splitlines())
    return {path: (owner.partition(":")[0], versions[owner]) for path, owner in owners.items()}


def bundle(stage, libraries):
    """Copies libraries and copyright files. Returns the rows for sbom.bill()."""
    licences, owners, files = licences_of_packages(), packages_of(libraries.values()), {}
    folder = stage / "lib/strads"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, path in sorted(libraries.items()):
        shutil.copyfile(path, folder / name)
        (folder / name).chmod(0o644)
        if re.search(r"\((?:RPATH|RUNPATH)\)", output_of("readelf", "-d", folder / name)):
            raise SystemExit(f"tarball.py: {path} has a search path of its own, so that it may load what does not lie here")
        files.setdefault(owners[path], []).append(name)
    rows = []
    for (package, version), names in sorted(files.items()):
        if package not in licences:
            raise SystemExit(f"tarball.py: packaging/dependencies.txt has no line '{package} | LICENCE'; {names} are from it")
        text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")
        place = stage / "share/doc/strads/licences" / package
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        rows.append((package, version, licences[package], names, text))
    return rows


def needed_glibc(files):
    versions = {(int(a), int(b)) for file in files for a, b in GLIBC_VERSION.findall(output_of("readelf", "-V", file))}
    return ".".join(map(str, max(versions)))


def write_readme(stage, facts, glibc):
    text = (HERE / "README.tarball").read_text()
    system = platform.freedesktop_os_release()
    for name, value in (("VERSION", facts.version), ("MACHINE", platform.machine()), ("GLIBC", glibc),
                        ("DEBIAN", system.get("VERSION_ID", "")), ("COMMIT", facts.commit)):
        text = text.replace(f"@{name}@", value)
    (stage / "README").write_text(text)


def pack(stage, file):
    """The same bytes for the same content: names in order, times and owners left out."""
    def plain(member):
        member.uid = member.gid = 0
        member.uname = member.gname = "root"
        member.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
        return member
    root = file.name.removesuffix(".gz").removesuffix(".tar")
    with contextlib.ExitStack() as stack:
        target = stack.enter_context(open(file, "wb"))
        if file.suffix == ".gz":
            target = stack.enter_context(gzip.GzipFile("", "wb", 6, target, mtime=0))
        tar = stack.enter_context(tarfile.open(fileobj=target, mode="w"))
        for path in [stage, *sorted(stage.rglob("*"))]:
            tar.add(path, os.path.join(root, path.relative_to(stage)), recursive=False, filter=plain)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", type=pathlib.Path, required=True)
    parser.add_argument("--facts", required=True)
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    stage, facts = options.stage, read_facts(options.facts)
    programs = [path for path in sorted((stage / "bin").iterdir()) if is_elf(path)]
    rows = bundle(stage, loaded_libraries(programs))
    glibc = needed_glibc([*programs, *(stage / "lib/strads").iterdir()])
    (stage / "share/doc/strads/sbom.spdx.json").write_text(sbom.text_of(sbom.bill(facts, rows)))
    write_readme(stage, facts, glibc)
    pack(stage, options.file)
    print(f"{options.file}: {len(rows)} packages bundled, needs glibc {glibc} or later")


if __name__ == "__main__":
    main()
