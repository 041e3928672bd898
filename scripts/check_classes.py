#!/usr/bin/env python3
"""Fails where a class has more than 20 fields or 25 functions: it is then several classes.

Usage: check_classes.py ROOT [--list]. Prints one line per class that is too large; --list prints all, largest first.
ROOT/scripts/large_classes.tsv lists those that are larger, how large they may be, and why; none of them may grow.
Reads src, apps and include, headers and sources. Constructors, destructors, operators, nested types and friends do not
count; fields that are static constants neither.
"""
import csv
import pathlib
import re
import sys

FIELDS_MAX, FUNCTIONS_MAX = 20, 25
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.S)
CLASS = re.compile(r"\b(?:class|struct)\s+(?:alignas\(\w+\)\s*)?((?:\w+::)*\w+)(?:\s+final)?(?:\s*:(?!:)[^;{()]*)?\s*\{")


def end_of(text, at):
    """Past the bracket that closes the one at `at`."""
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] == "{") - (text[k] == "}")
        if depth == 0:
            return k + 1
    return len(text)


def statements(body):
    """What stands at the top of a class's body, brackets and all that is in them cut out."""
    found, k, start = [], 0, ""
    while k < len(body):
        if body[k] == "{":
            k = end_of(body, k)
            start += "{}"
            if re.search(r"\)[^=,;]*\{\}$", start) and not re.match(r"\s*(?:class|struct|enum|union)\b", start):
                found.append(start)  # a function with its body
                start = ""
            continue
        if body[k] == ";":
            found.append(start)
            start = ""
        else:
            start += body[k]
        k += 1
    return [re.sub(r"\b(public|private|protected)\s*:", " ", one).strip() for one in found]


def without_templates(text):
    previous = None
    while previous != text:
        previous, text = text, re.sub(r"<[^<>]*>", "", text)
    return text


def count(body, name):
    fields = functions = 0
    for statement in statements(body):
        text = without_templates(re.sub(r"\[\[\w+\]\]", "", statement)).strip()
        text = re.sub(r"^template\s*", "", text)
        if not text or re.match(r"(using|friend|typedef|class|struct|enum|union|static_assert|static constexpr|REQUIRES)\b", text):
            continue
        if re.search(r"\boperator\b", text) or re.match(rf"(explicit\s+|virtual\s+|constexpr\s+|inline\s+)*~?{name}\s*\(", text):
            continue
        head = re.split(r"=|\{", text, maxsplit=1)[0]
        if "(" in head:
            functions += 1
        else:
            fields += len([part for part in re.split(r",", re.sub(r"\{\}|=[^,]*", "", text)) if part.strip()])
    return fields, functions


def classes_of(path):
    text = COMMENT_OR_TEXT.sub(" ", path.read_text(encoding="utf-8"))
    for match in CLASS.finditer(text):
        if re.search(r"\benum\s*$", text[: match.start()]):
            continue
        name = match.group(1)
        end = end_of(text, match.end() - 1)
        yield name, count(text[match.end() : end - 1], name.split("::")[-1])


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    sizes = {}
    for folder in ("src", "apps", "include"):
        for path in sorted((root / folder).rglob("*.?pp")):
            for name, size in classes_of(path):
                sizes[f"{path.relative_to(root)}: {name}"] = size
    if "--list" in sys.argv:
        for name, (fields, functions) in sorted(sizes.items(), key=lambda one: -max(one[1][0] / FIELDS_MAX, one[1][1] / FUNCTIONS_MAX)):
            print(f"{fields:4} fields {functions:4} functions  {name}")
        return 0
    listed = root / "scripts/large_classes.tsv"
    allowed, errors = {}, []
    if listed.exists():
        with listed.open(encoding="utf-8", newline="") as file:
            allowed = {row["class"]: row for row in csv.DictReader(file, delimiter="\t")}
    largest = {}
    for place, (fields, functions) in sizes.items():
        name = place.split(": ")[1]
        row = allowed.get(name)
        bounds = (int(row["fields"]), int(row["functions"])) if row else (0, 0)
        bounds = max(FIELDS_MAX, bounds[0]), max(FUNCTIONS_MAX, bounds[1])
        largest[name] = tuple(map(max, largest.get(name, (0, 0)), (fields, functions)))
        if fields > bounds[0] or functions > bounds[1]:
            errors.append(f"{place}: {fields} fields and {functions} functions, expected at most {bounds[0]} and {bounds[1]}: make two "
                          "classes, or say in scripts/large_classes.tsv why not")
    for name, row in allowed.items():
        fields, functions = largest.get(name, (0, 0))
        if fields <= FIELDS_MAX and functions <= FUNCTIONS_MAX:
            errors.append(f"scripts/large_classes.tsv: {name} is listed and is not large: take it out")
        elif (fields, functions) != (int(row["fields"]), int(row["functions"])):
            errors.append(f"scripts/large_classes.tsv: {name} has {fields} fields and {functions} functions now: say so")
    print("\n".join(errors), end="\n" if errors else "")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
