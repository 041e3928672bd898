#!/usr/bin/env python3
"""Fails where the tree disagrees with the layer table of docs/ARCHITECTURE.md.

Usage: check_layers.py ROOT. Prints one line per crossing: where, what, which rule. Columns of the table that are
read: layer | may use | third party | pure; and of the table of rooms: folder | rooms, bottom up. Public headers of a
layer lie in include/strads/LAYER. Also checked: programs in apps/ include public headers, their own folder and that
of apps/regression only (stradsd and strads_sim also each model's MODEL/MODEL_node.hpp, strads_sim for its audits the
payloads.hpp and MODEL.hpp in MODEL/problem, those of mf/slim and of sumstats, and the check that is written out,
MODEL/check/dense_problem.hpp or check_svm.hpp; option_tables the header of each program's option tables; lasso/main.cpp what
starts `lasso path --sumstats`;
*_archive.cpp also Boost.Serialization and the header of src/program that goes with it), what of a program a node
computes with is pure, public headers include no third party, a binding in python/ includes public headers and
MODEL/library only, no hand-written file is longer than 500 lines, and no passage of more than 12 lines stands in two
programs of apps/.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
TABLE = ROOT / "docs/ARCHITECTURE.md"
LINES_MAX = 500
LIKE_LINES_MAX = 12
# Folders of a model, in apps/MODEL: a node computes with these. Pushes of several threads share what a mutex guards.
PURE_ROOMS = {"family", "problem", "solver", "solvers", "slim", "policies", "model"}
MAY_SHARE = re.compile(r"mutex|malloc\.h|std::mutex")
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
    r"\b(getenv|sleep_for|sleep_until|f?printf|fopen|puts|rand|srand|exit|_exit|quick_exit|abort)\s*\(")
# What a program writes for later releases goes through Boost's archives: a file of a name of its own says what of its
# classes does.
ARCHIVES = "_archive.cpp"
ARCHIVE_HEADER = "program/output/archive_file.hpp"
# The failed check of a bug is the one thing that a pure layer may print: it ends the program.
MAY_PRINT = {"src/base/status.cpp"}


class Layer:
    def __init__(self, cells):
        self.uses, self.third = (set(re.findall(r"`([^`]+)`", cell)) for cell in cells[1:3])
        self.pure = cells[3] == "yes"


def read_table():
    layers = {}
    for line in TABLE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 4 and re.fullmatch(r"`\w+`", cells[0]) and cells[3] in ("yes", "no"):
            layers[cells[0].strip("`")] = Layer(cells)
    return layers


def read_rooms():
    """{folder: its rooms, bottom up}"""
    rooms = {}
    for line in TABLE.read_text().splitlines():
        if m := re.fullmatch(r"\| `((?:src|apps)/\w+)` \| ((?:`\w+` ?)+)\|", line):
            rooms[m[1]] = re.findall(r"\w+", m[2])
    return rooms


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


def check_table(layers):
    if not layers:
        yield f"{TABLE}: no layer table found"
    for layer in sorted(layers.keys() ^ {p.name for p in (ROOT / "src").iterdir() if p.is_dir()}):
        yield f"docs/ARCHITECTURE.md and src/ disagree about the layer `{layer}`"
    for path in sorted((ROOT / "include/strads").iterdir()):
        if path.name not in layers or not path.is_dir():
            yield f"{path.relative_to(ROOT)}: include/strads holds a folder for each layer, and nothing else"


def impurities(path, what, allowed=re.compile("(?!)")):
    """Where a file does what a pure one may not, but for what is allowed; `what` is pure."""
    for number, angle, include in includes(path):
        if angle and IMPURE_HEADER.fullmatch(include) and not allowed.fullmatch(include):
            yield f"{path.relative_to(ROOT)}:{number}: {what} is pure; <{include}> belongs to transport, data or program"
    if str(path.relative_to(ROOT)) in MAY_PRINT:
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if m := IMPURE.search(re.sub(r'"(\\.|[^"\\])*"', '""', line).split("//")[0]):
            if allowed.fullmatch(m[0]):
                continue
            yield f"{path.relative_to(ROOT)}:{number}: {what} is pure; {m[0].strip('( ')} belongs to transport, data or program"


def check_layer_file(path, name, layer, layers):
    public = path.is_relative_to(ROOT / "include")
    for number, angle, include in includes(path):
        where = f"{path.relative_to(ROOT)}:{number}"
        head, _, tail = include.partition("/")
        target = tail.partition("/")[0] if head == "strads" else head if head in layers and not angle else None
        if target not in (None, name) and target not in layer.uses:
            yield f"{where}: layer `{name}` may not use `{target}` ({include})"
        if public and head in layers:
            yield f"{where}: a public header includes public headers only, not {include}"
        package = package_of(include, angle)
        if package is not None and (public or package not in layer.third):
            yield f"{where}: {'public headers' if public else f'layer `{name}`'} may not include {package}"
    if layer.pure:
        yield from impurities(path, f"layer `{name}`")


def check_layers(layers):
    for path in sources("src", "include"):
        name = path.relative_to(ROOT / ("include/strads" if path.is_relative_to(ROOT / "include") else "src")).parts[0]
        if name in layers:
            yield from check_layer_file(path, name, layers[name], layers)


def check_rooms():
    for folder, rooms in read_rooms().items():
        for room in sorted({p.name for p in (ROOT / folder).glob("*/")} - set(rooms)):
            yield f"docs/ARCHITECTURE.md does not say where in {folder} the room `{room}` is"
        for path in sources(folder):
            own = path.relative_to(ROOT / folder).parts[0]
            if own not in rooms:
                continue  # a file of the folder itself is above all of its rooms
            for number, _, include in includes(path):
                layer, _, rest = include.partition("/")
                used = rest.partition("/")[0]
                if layer == folder.split("/")[1] and used in rooms and rooms.index(used) > rooms.index(own):
                    yield f"{path.relative_to(ROOT)}:{number}: room `{own}` may not use `{used}`, which is above it ({include})"


def check_apps():
    for path in sources("apps"):
        own, *rooms = path.relative_to(ROOT / "apps").parts
        archives = path.name.endswith(ARCHIVES)
        if rooms[0] in PURE_ROOMS:
            yield from impurities(path, f"{own}/{rooms[0]}", MAY_SHARE)
        for number, angle, include in includes(path):
            where = f"{path.relative_to(ROOT)}:{number}"
            # These hold every model: they may see what each offers for that, APP/APP_node.hpp.
            if own in ("stradsd", "strads_sim") and re.fullmatch(r"(\w+)/\1_node\.hpp", include):
                continue
            if own == "strads_sim" and re.fullmatch(r"(\w+)/problem/(payloads|\1)\.hpp|\w+/check/(dense_problem|check_svm)\.hpp|mf/slim/(slim_payloads|slim_judge|slim)\.hpp|sumstats/(problem/(block_record|packed_doubles)|model/summary_judge)\.hpp", include):
                continue
            if own == "option_tables" and re.fullmatch(r"\w+/(options/(fit|path)_options|commands)\.hpp", include):
                continue
            if own == "lasso" and rooms == ["main.cpp"] and include in ("sumstats/options/path_options.hpp", "sumstats/run/path_run.hpp"):
                continue
            if archives and (include == ARCHIVE_HEADER or include.startswith("boost/serialization/")):
                continue
            if not angle and include.partition("/")[0] not in ("strads", "regression", own):
                yield f"{where}: a program includes \"strads/...\", \"regression/...\" and \"{own}/...\" only, not {include}"
            if package_of(include, angle) is not None:
                yield f"{where}: a program includes no third party, found {include}"


def check_bindings():
    """Packages of other languages stand on what each model offers for that."""
    for path in sources("python"):
        for number, angle, include in includes(path):
            own = (path.parent / include).exists()
            if not angle and not own and not re.match(r"strads/|\w+/library/", include):
                yield (f"{path.relative_to(ROOT)}:{number}: a binding includes \"strads/...\", \"MODEL/library/...\" and "
                       f"its own files only, not {include}")


def check_lengths():
    for path in sources("src", "include", "apps", "tests", "python"):
        lines = len(path.read_text().splitlines())
        if lines > LINES_MAX:
            yield f"{path.relative_to(ROOT)}: {lines} lines, expected at most {LINES_MAX}: divide it"


def check_passages():
    """Blank lines, includes and comments aside, lines that are alike but for their indents."""
    passages = {}
    for path in sources("apps"):
        own, length = path.relative_to(ROOT / "apps").parts[0], LIKE_LINES_MAX + 1
        lines = [(number, line.strip()) for number, line in enumerate(path.read_text().splitlines(), 1)]
        lines = [(number, line) for number, line in lines if line and not line.startswith(("#", "//"))]
        for at in range(len(lines) - length + 1):
            passage = tuple(line for _, line in lines[at:at + length])
            here = (own, f"{path.relative_to(ROOT)}:{lines[at][0]}")
            first = passages.setdefault(passage, here)
            if first[0] != own:
                yield f"{here[1]}: {length} lines that stand at {first[1]} too, expected at most {LIKE_LINES_MAX}: share them"


def main():
    layers = read_table()
    errors = [*check_table(layers), *check_layers(layers), *check_rooms(), *check_apps(), *check_bindings(), *check_lengths(),
              *check_passages()]
    print("\n".join(errors) or f"{len(layers)} layers, {len(sources('src', 'include', 'apps'))} files, no crossings")
    return 1 if errors else 0


sys.exit(main())
