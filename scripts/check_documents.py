#!/usr/bin/env python3
"""Fails where a document says what the tree does not keep.

Usage: check_documents.py ROOT [BIN]. In README.md, CONTRIBUTING.md, CHANGELOG.md, bench/*.md and docs/*.md:
- a relative link leads to a file, and its #anchor to a heading;
- a `path/like.this` in backticks exists (programs in build/ are not looked for);
- a C++ code block stands, line by line, in a C++ file that the document names (link or backticks);
- the tables of bench/RESULTS.md are those of its store (`bench/results.py --check`);
- a document that code or another document cites as NAME.md, "Heading" has that heading;
- no sentence of docs/DESIGN.md has more than 40 words, outside of tables and code;
- with BIN: every `lasso ...` command line of a sh or console block is understood (it is run with --print-config), and
 every `strads_sim ...`, `mf ...`, `lda ...` and `svm ...` (with --help, which reads all options first).
What console blocks show is compared by check_outputs.py.
"""
import itertools
import pathlib
import re
import shlex
import subprocess
import sys

from document_blocks import command_of, documents, examples, split

ROOT = pathlib.Path(sys.argv[1]).resolve()
BIN = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:[\w.-]+/)+[\w.-]*)`")
FOLDERS = {"apps", "bench", "cmake", "configs", "docs", "include", "packaging", "scripts", "src", "tests", ".ci"}
CITATION = re.compile(r'\b((?:docs/|bench/)?[A-Z]{3,}(?:\.md)?)(?:[#\w-]*\))?, "([A-Z][^"]{2,60})"')
SHELL = re.compile(r"[|>&]|2>")  # what follows is not the program's
COMMENT_GOES_ON = re.compile(r"\n[ \t]*(?://+|#)?[ \t]*")
SENTENCES_OF, WORDS_MAX = "docs/DESIGN.md", 40
ITEM = re.compile(r"(?:[-*+]|\d+\.) +")
HEADING_OR_ROW = re.compile(r"#+ |\|.*\|$")
PARAGRAPH = re.compile(f"{HEADING_OR_ROW.pattern}|{ITEM.pattern}")  # a line that begins one
# One idea a sentence. "e.g. this" ends none: a capital letter, code or a link has to follow, after marks and quotes.
SENTENCE_ENDS = re.compile(r'[.!?][)"*]*\s+(?=[("*]*[A-Z`\[])')
CITING = {".hpp", ".cpp", ".py", ".txt", ".cmake", ".ini", ".md", ".sh"}


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


def cited_document(name):
    """The document that a citation means, or None: another word in capitals."""
    path = pathlib.PurePath(name).with_suffix(".md")
    places = [ROOT / path] if len(path.parts) > 1 else [ROOT / "docs" / path, ROOT / path]
    return next((place for place in places if place.exists()), None)


def check_citations():
    """Of headings, in sources and documents; a citation may run over the end of a line."""
    known = {}
    for path in sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*") if p.suffix in CITING):
        for name, heading in CITATION.findall(COMMENT_GOES_ON.sub(" ", path.read_text(errors="replace"))):
            document = cited_document(name)
            if document is None:
                continue
            if document not in known:
                known[document] = anchors(document)
            if anchor(heading) not in known[document]:
                yield f'{path.relative_to(ROOT)}: cites {name}, "{heading}": no such heading'


def paragraphs(prose):
    """Of prose lines: (number, text) lists, one for each paragraph or item of a list; tables, headings and indented code
    are left out."""
    paragraph, after = [], 0
    for number, line in [*prose, (0, "")]:
        text = line.strip()
        code = line.startswith("    ") and not paragraph
        if paragraph and (not text or PARAGRAPH.match(text) or number != after + 1):
            yield paragraph
            paragraph = []
        if text and not code and not HEADING_OR_ROW.match(text):
            paragraph.append((number, ITEM.sub("", text, count=1) if ITEM.match(text) else text))
        after = number


def check_sentences(path, prose):
    for paragraph in paragraphs(prose):
        text = "\n".join(line for _, line in paragraph)
        begins = [0, *(end.end() for end in SENTENCE_ENDS.finditer(text)), len(text)]
        for begin, end in itertools.pairwise(begins):
            words = text[begin:end].split()
            if len(words) > WORDS_MAX:
                number = paragraph[0][0] + text.count("\n", 0, begin)
                yield (f"{path.relative_to(ROOT)}:{number}: a sentence of {len(words)} words, at most {WORDS_MAX}: "
                       f"{' '.join(words[:8])} ...")


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
        if language == "console":
            yield from ((number, command_of(command)) for command, _ in examples(lines))
        else:
            yield from ((number, line) for line in whole_lines("\n".join(lines).replace("\\\n", " ").splitlines()))


def whole_lines(lines):
    """Those that an open quote goes on over are one; the last may be open."""
    line = ""
    for part in lines:
        line += part
        try:
            shlex.split(line, comments=True)
        except ValueError:
            line += "\n"
            continue
        yield line
        line = ""
    if line:
        yield line


def check_commands(path, blocks):
    for number, line in commands(blocks):
        where = f"{path.relative_to(ROOT)}:{number}"
        words = list(itertools.takewhile(lambda word: not SHELL.match(word), shlex.split(line, comments=True)))
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
        elif program.name in ("mf", "lda", "svm"):
            yield from check_help(where, program.name, words[1:])


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


def check_results():
    """RESULTS.md beside the figures that it is made from."""
    driver = ROOT / "bench/results.py"
    if driver.exists():
        done = subprocess.run([sys.executable, driver, "--check"], capture_output=True, text=True)
        if done.returncode != 0:
            yield done.stderr.strip()


def main():
    errors, commands_seen = [*check_citations(), *check_results()], 0
    for path in documents(ROOT):
        prose, blocks = split(path.read_text())
        errors += check_links(path, prose)
        errors += check_code(path, prose, blocks)
        if path == ROOT / SENTENCES_OF:
            errors += check_sentences(path, prose)
        if BIN is not None:
            errors += check_commands(path, blocks)
        commands_seen += len(list(commands(blocks)))
    print("\n".join(errors) or f"{len(documents(ROOT))} documents, {commands_seen} command lines, all kept")
    return 1 if errors else 0


sys.exit(main())
