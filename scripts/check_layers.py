#!/usr/bin/env python3
"""Fails where the tree disagrees with the layer table of docs/ARCHITECTURE.md.

Usage: check_layers.py ROOT. Prints one line per crossing: where, what, which rule. Columns of the table that are read:
layer | may use | third party | public headers | pure. Also checked: programs in apps/ include public headers and their own
folder only (stradsd and strads_sim also each model's MODEL/MODEL_node.hpp, strads_sim its MODEL/payloads.hpp, which its audits read), public headers include no third party, and no hand-written file is longer than 600 lines.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
TABLE = ROOT / "docs/ARCHITECTURE.md"
LINES_MAX = 600
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)')
# In the order in which they are tried; the first that the include begins with names the package.
PACKAGES = {"boost/": "boost", "spdlog/": "spdlog", "Eigen/": "eigen", "hwy/": "highway", "immintrin.h": "intrinsics", "nlohmann/": "json", "zip.h": "libzip",
            "zlib.h": "zlib", "zstd.h": "zstd", "xxhash.h": "xxhash", "zmq": "cppzmq", "sodium.h": "sodium"}
POSIX = re.compile(r"(sys|net|netinet|arpa|linux)/\w+\.h|(unistd|fcntl|signal|poll|dlfcn|sched|pthread|errno|spawn|netdb|ifaddrs|malloc)\.h")
IMPURE_HEADER = re.compile(
    r"chrono|ctime|thread|mutex|shared_mutex|condition_variable|future|semaphore|barrier|latch|stop_token|i?o?f?stream|"
    r"random|filesystem|csignal|" + POSIX.pattern)
IMPURE = re.compile(
    r"_clock\b|\bstd::(thread|jthread|mutex|random_device|mt19937\w*|cout|cerr|clog|cin|filesystem)\b|\bthread_local\b|"
    r"\b(getenv|sleep_for|sleep_until|f?printf|fopen|puts|rand|srand)\s*\(")
# The failed check of a bug is the one thing that a pure layer may print: it ends the program.
MAY_PRINT = {"src/base/status.cpp"}


class Layer:
    def __init__(self, cells):
        self.uses, self.third, self.headers = (set(re.findall(r"`([^`]+)`", cell)) for cell in cells[1:4])
        self.pure = cells[4] == "yes"


def read_table():
    layers = {}
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and re.fullmatch(r"`\w+`", cells[0]) and cells[4] in ("yes", "no"):
            layers[cells[0].strip("`")] = Layer(cells)
    return layers


def sources(*folders):
    return sorted(p for folder in folders for p in (ROOT / folder).rglob("*.?pp") if p.is_file())


def includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if m := INCLUDE.match(line):
            yield number, m[1] == "<", m[2]


def package_of(name, angle):
    """The third party that an include belongs to; None for ours, the standard library and POSIX."""
    for prefix, package in PACKAGES.items():
        if name.startswith(prefix):
            return package
    if angle and ("/" in name or name.endswith((".h", ".hpp"))) and not POSIX.fullmatch(name):
        return f"<{name}>"
    return None


def check_table(layers, home):
    if not layers:
        yield f"{TABLE}: no layer table found"
    for layer in sorted(layers.keys() ^ {p.name for p in (ROOT / "src").iterdir() if p.is_dir()}):
        yield f"docs/ARCHITECTURE.md and src/ disagree about the layer `{layer}`"
    for header in sorted(home.keys() ^ {p.name for p in (ROOT / "include/strads").glob("*.hpp")}):
        yield f"docs/ARCHITECTURE.md and include/strads/ disagree about {header}"


def check_layer_file(path, name, layer, layers, home):
    public = path.is_relative_to(ROOT / "include")
    for number, angle, include in includes(path):
        where = f"{path.relative_to(ROOT)}:{number}"
        head, _, tail = include.partition("/")
        target = home.get(tail) if head == "strads" else head if head in layers and not angle else None
        if target not in (None, name) and target not in layer.uses:
            yield f"{where}: layer `{name}` may not use `{target}` ({include})"
        if public and head in layers:
            yield f"{where}: a public header includes public headers only, not {include}"
        package = package_of(include, angle)
        if package is not None and (public or package not in layer.third):
            yield f"{where}: {'public headers' if public else f'layer `{name}`'} may not include {package}"
        if layer.pure and angle and IMPURE_HEADER.fullmatch(include):
            yield f"{where}: layer `{name}` is pure; <{include}> belongs to transport, data or daemon"
    if layer.pure and str(path.relative_to(ROOT)) not in MAY_PRINT:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if m := IMPURE.search(re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]):
                yield f"{path.relative_to(ROOT)}:{number}: layer `{name}` is pure; {m[0].strip('( ')} belongs to transport, data or daemon"


def check_layers(layers, home):
    for path in sources("src", "include"):
        name = home.get(path.name) if path.is_relative_to(ROOT / "include") else path.relative_to(ROOT / "src").parts[0]
        if name in layers:
            yield from check_layer_file(path, name, layers[name], layers, home)


def check_apps():
    for path in sources("apps"):
        own = path.relative_to(ROOT / "apps").parts[0]
        for number, angle, include in includes(path):
            where = f"{path.relative_to(ROOT)}:{number}"
            # These hold every model: they may see what each offers for that, APP/APP_node.hpp.
            if own in ("stradsd", "strads_sim") and re.fullmatch(r"(\w+)/\1_node\.hpp", include):
                continue
            if own == "strads_sim" and re.fullmatch(r"\w+/payloads\.hpp", include):
                continue
            if not angle and include.partition("/")[0] not in ("strads", own):
                yield f"{where}: a program includes \"strads/...\" and \"{own}/...\" only, not {include}"
            if package_of(include, angle) is not None:
                yield f"{where}: a program includes no third party, found {include}"


def check_lengths():
    for path in sources("src", "include", "apps", "tests"):
        lines = len(path.read_text().splitlines())
        if lines > LINES_MAX:
            yield f"{path.relative_to(ROOT)}: {lines} lines, expected at most {LINES_MAX}: divide it"


def main():
    layers = read_table()
    home = {header: name for name, layer in layers.items() for header in layer.headers}
    errors = [*check_table(layers, home), *check_layers(layers, home), *check_apps(), *check_lengths()]
    print("\n".join(errors) or f"{len(layers)} layers, {len(sources('src', 'include', 'apps'))} files, no crossings")
    return 1 if errors else 0


sys.exit(main())
