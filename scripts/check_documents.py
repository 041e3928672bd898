#!/usr/bin/env python3
"""Fails where a document says what the tree does not keep.

Usage: check_documents.py ROOT [BIN]. In README.md, CONTRIBUTING.md, CHANGELOG.md and docs/*.md:
- a relative link leads to a file, and its #anchor to a heading;
- a `path/like.this` in backticks exists (programs in build/ are not looked for);
- a C++ code block stands, line by line, in a C++ file that the document names (link or backticks);
- with BIN: every `lasso ...` command line of a sh or console block is understood (it is run with --print-config), and
  every `strads_sim ...` and `mf ...` (with --help, which reads all options first); a fit
  of a console block that shows its output is run, and gives it: same objective, R2, nonzeros, and coefficients as shown by
  `head -n N DIR/FILE`. Times, counts and hashes belong to the machine and are not compared.
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(sys.argv[1]).resolve()
BIN = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
FENCE = re.compile(r"^```(\w*)\s*$")
FOLDERS = {"apps", "bench", "cmake", "configs", "docs", "include", "scripts", "src", "tests", ".ci"}


def documents():
    top = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [p for p in [*top, *sorted((ROOT / "docs").glob("*.md"))] if p.exists()]


def split(text):
    """(prose lines, code blocks): lines as (number, text), blocks as (number, language, lines)."""
    prose, blocks, block = [], [], None
    for number, line in enumerate(text.splitlines(), 1):
        if m := FENCE.match(line.strip()):
            if block is None:
                block = (number, m[1], [])
            else:
                blocks.append(block)
                block = None
        elif block is not None:
            block[2].append(line)
        else:
            prose.append((number, line))
    return prose, blocks


def anchor(heading):
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(path):
    prose, _ = split(path.read_text())
    return {anchor(line.lstrip("#")) for _, line in prose if line.startswith("#")}


def check_links(path, prose):
    for number, line in prose:
        where = f"{path.relative_to(ROOT)}:{number}"
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, place = target.partition("#")
            found = (path.parent / file).resolve() if file else path
            if not found.exists():
                yield f"{where}: link to {target}: no such file"
            elif place and place not in anchors(found):
                yield f"{where}: link to {target}: no such heading"
        for name in PATH.findall(line):
            first = name.split("/")[0]
            if first in FOLDERS and "<" not in name and not (ROOT / name).exists():
                yield f"{where}: `{name}` is named, but does not exist"


def code_lines(lines):
    return [line.strip() for line in lines if line.strip()]


def named_sources(path, prose):
    names = {name for _, line in prose for name in PATH.findall(line)}
    links = {str((path.parent / link).resolve()) for _, line in prose for link in LINK.findall(line)}
    files = {ROOT / name for name in names} | {pathlib.Path(link) for link in links}
    return [code_lines(f.read_text().splitlines()) for f in sorted(files) if f.suffix in (".hpp", ".cpp") and f.exists()]


def check_code(path, prose, blocks):
    sources = named_sources(path, prose)
    for number, language, lines in blocks:
        quoted = code_lines(lines)
        if language == "cpp" and not any(f[i:i + len(quoted)] == quoted for f in sources for i in range(len(f))):
            yield f"{path.relative_to(ROOT)}:{number}: the C++ block is in no file that this document names"


def commands(blocks):
    """Command lines of sh and console blocks, joined at backslashes; in console blocks only those after a $."""
    for number, language, lines in blocks:
        if language not in ("sh", "console"):
            continue
        joined = "\n".join(lines).replace("\\\n", " ")
        for line in joined.splitlines():
            if language == "console" and not line.startswith("$ "):
                continue
            yield number, line.removeprefix("$ ")


def check_commands(path, blocks):
    for number, line in commands(blocks):
        where = f"{path.relative_to(ROOT)}:{number}"
        words = shlex.split(line, comments=True)
        if not words:
            continue
        program = pathlib.PurePath(words[0])
        if words[0].startswith(("scripts/", ".ci/")):
            if not (ROOT / words[0]).exists():
                yield f"{where}: {words[0]} does not exist"
        elif program.name == "lasso":
            yield from check_lasso(where, words[1:])
        elif program.name == "strads_sim":
            yield from check_help(where, "strads_sim", words[1:])
        elif program.name == "mf":
            yield from check_help(where, "mf", words[1:])


def check_help(where, program, arguments):
    done = subprocess.run([BIN / program, *arguments, "--help"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield f"{where}: {program} {shlex.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}"


def check_lasso(where, arguments):
    asks = {"--help", "--help-all", "--version", "--print-config"}
    if not asks & set(arguments):
        arguments = [*arguments, "--print-config"]
    done = subprocess.run([BIN / "lasso", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        yield f"{where}: lasso {shlex.join(arguments)}: exit code {done.returncode}: {done.stderr.strip()}"
    for option in ("--bfile", "--pheno", "--x", "--y"):
        for name in (b for a, b in zip(arguments, arguments[1:]) if a == option and b.startswith("tests/")):
            if not (ROOT / name).exists() and not (ROOT / f"{name}.bed").exists():
                yield f"{where}: {option} {name}: no such file"


def examples(blocks):
    """(line number, command, shown output lines) of console blocks."""
    for number, language, lines in blocks:
        if language != "console":
            continue
        text = "\n".join(lines).replace("\\\n", " ")
        for part in re.split(r"(?m)^\$ ", text)[1:]:
            command, _, shown = part.partition("\n")
            yield number, shlex.split(command), shown.splitlines()


def facts(lines):
    """What a fit's closing lines say about the result, without what belongs to the machine."""
    text = "\n".join(lines)
    found = re.search(r"objective (\S+),.*R2 (\S+)", text), re.search(r"(\d+) nonzeros", text)
    first = next((line for line in lines if line.startswith("fitted")), "")
    return [first, *(x for m in found if m for x in m.groups())]


def alike(a, b):
    """Equal words, or decimal numbers as equal as two fits of the same tolerance must be."""
    try:
        return a == b or ("." in a and abs(float(a) - float(b)) <= 1e-3 + 1e-3 * abs(float(a)))
    except ValueError:
        return False


def all_alike(found, shown):
    return len(found) == len(shown) and all(map(alike, found, shown))


def check_examples(path, blocks):
    folders = {}
    with tempfile.TemporaryDirectory() as scratch:
        for number, words, shown in examples(blocks):
            where = f"{path.relative_to(ROOT)}:{number}"
            if not shown:
                continue
            if pathlib.PurePath(words[0]).name == "lasso" and "--out" in words:
                place = words.index("--out") + 1
                folders[words[place]] = f"{scratch}/{len(folders)}"
                words = [str(BIN / "lasso"), *words[1:place], folders[words[place]], *words[place + 1:], "--quiet"]
                done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
                found = facts(done.stdout.splitlines())
                if not all_alike(found, facts(shown)):
                    yield f"{where}: shown {facts(shown)}, found {found} {done.stderr.strip()}"
            elif words[:2] == ["head", "-n"]:
                folder, _, name = words[3].rpartition("/")
                file = pathlib.Path(folders.get(folder, ROOT / folder)) / name
                found = file.read_text().splitlines()[:int(words[2])] if file.exists() else ["no such file"]
                if not all_alike("\t".join(found).split("\t"), "\t".join(shown).split("\t")):
                    yield f"{where}: {words[3]} begins otherwise: {found}"


def main():
    errors, commands_seen = [], 0
    for path in documents():
        prose, blocks = split(path.read_text())
        errors += check_links(path, prose)
        errors += check_code(path, prose, blocks)
        if BIN is not None:
            errors += check_commands(path, blocks)
            errors += check_examples(path, blocks)
        commands_seen += len(list(commands(blocks)))
    print("\n".join(errors) or f"{len(documents())} documents, {commands_seen} command lines, all kept")
    return 1 if errors else 0


sys.exit(main())
