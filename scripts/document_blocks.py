"""Documents taken apart: prose, fenced blocks, commands with what they show. For check_documents.py and check_outputs.py."""
import re

FENCE = re.compile(r"^```(\w*)\s*$")


def documents(root):
    top = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
    return [p for p in [*top, *sorted((root / "bench").glob("*.md")), *sorted((root / "docs").glob("*.md"))] if p.exists()]


def split(text):
    """(prose lines, fenced blocks): lines as (number, text), blocks as (number of the opening fence, language, lines)."""
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


def examples(lines):
    """Of a console block's lines: (lines of the command, lines that it shows) for each command, in order."""
    found, continues = [], False
    for line in lines:
        if line.startswith("$ ") or continues:
            if not continues:
                found.append(([], []))
            found[-1][0].append(line)
            continues = line.endswith("\\")
        elif found:
            found[-1][1].append(line)
    return found


def command_of(lines):
    """One line for a shell from the lines of a command."""
    return "\n".join(lines).removeprefix("$ ").replace("\\\n", " ")
