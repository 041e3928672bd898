"""Reads run directories: summary.json, config.ini and the tables beside them (docs/OUTPUT.md). Changes nothing there."""
import dataclasses
import functools
import json
import math
import pathlib

USAGE, FILES, INTERNAL = 2, 4, 70  # exit codes, as lasso has them
PROGRAMS = ("lasso fit", "lasso path", "lasso cv", "lasso fit --sumstats", "lasso path --sumstats", "mf fit", "mf cv", "svm fit",
            "svm cv", "lda fit")
NONE = ("", "NA", "nan")  # what tables have where there is no number


class Failure(Exception):
    """Ends the program with a message and an exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


@dataclasses.dataclass(frozen=True)
class Table:
    """A table of a run: texts by column, all columns of one length."""
    columns: dict

    def __contains__(self, name):
        return name in self.columns

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def texts(self, name):
        return self.columns[name]

    def numbers(self, name):
        """None where the run has no number."""
        return [None if text in NONE else float(text) for text in self.columns[name]]

    def where(self, name, values):
        """The rows that have one of `values` in the column `name`."""
        kept = [row for row, text in enumerate(self.columns[name]) if text in values]
        return Table({name: [texts[row] for row in kept] for name, texts in self.columns.items()})


def read_text(path):
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Failure(FILES, f"{path}: byte {error.start} is not UTF-8; this file is damaged or no run wrote it") from None
    except OSError as error:
        raise Failure(FILES, f"{path}: {error.strerror}") from None


def is_number(text):
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def read_table(path, separator, texts=()):
    """A table with a header. Columns but for `texts` hold numbers; an empty field or NA is none."""
    content = read_text(path)
    if not content.endswith("\n"):
        raise Failure(FILES, f"{path}: its last line has no end, so that it was cut off; run again, or copy the file again")
    lines = content.splitlines()
    header = lines[0].split(separator)
    if len(set(header)) < len(header):
        raise Failure(FILES, f"{path}:1: a column comes twice; expected a table that a run wrote")
    columns = {name: [] for name in header}
    for number, line in enumerate(lines[1:], 2):
        fields = line.split(separator)
        if len(fields) != len(header):
            raise Failure(FILES, f"{path}:{number}: {len(fields)} fields, expected {len(header)} as in the header; the file "
                                 "was cut off or changed")
        for name, field in zip(header, fields):
            if name not in texts and field not in NONE and not is_number(field):
                raise Failure(FILES, f"{path}:{number}: {name} is '{field[:40]}', expected a number")
            columns[name].append(field)
    return Table(columns)


def read_summary(folder):
    path = folder / "summary.json"
    if not folder.is_dir():
        raise Failure(FILES, f"{folder}: no such directory; expected the --out of a run")
    if not path.is_file():
        unfinished = (folder / ".unfinished").is_dir()
        more = "the run has not finished (.unfinished is there)" if unfinished else "it is not the --out of a run"
        raise Failure(FILES, f"{folder}: no summary.json: {more}; expected the directory of a finished run")
    try:
        summary = json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise Failure(FILES, f"{path}:{error.lineno}: not JSON ({error.msg}); the file was cut off or changed") from None
    found = summary.get("program") if isinstance(summary, dict) else None
    if found not in PROGRAMS:
        raise Failure(FILES, f"{path}: program is {json.dumps(found)}, expected one of: {', '.join(PROGRAMS)}")
    return summary


def config_lines(path, code=FILES):
    """(number, section, name, value) of each line of an INI file; of a line [section] name and value are None. `code`: exit
    code of a line that is none of these."""
    section = ""
    for number, line in enumerate(read_text(path).splitlines(), 1):
        line = line.strip()
        name, equals, value = line.partition("=")
        if not line or line[0] in "#;":
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
            yield number, section, None, None
        elif equals and name.strip():
            yield number, section, name.strip(), value.strip()
        else:
            raise Failure(code, f"{path}:{number}: '{line[:40]}', expected [section] or name = value")


def read_options(path):
    """{(section, name): value} of config.ini."""
    return {(section, name): value for _, section, name, value in config_lines(path) if name is not None}


# Columns that hold no numbers.
TEXTS = {"trace.csv": ("event",), "path.tsv": ("tolerance_met", "beta_hash", "choice", "measure", "s", "delta"),
         "cv.tsv": ("choice", "measure", "rank", "lambda", "alpha0", "nu", "alpha", "l1", "l2")}


class Run:
    """One run directory. `name` is how charts and tables call it, `number`, from 0, gives its lines their look."""

    def __init__(self, folder, name, number):
        self.folder, self.name, self.number = pathlib.Path(folder), name, number
        self.summary = read_summary(self.folder)
        self.options = read_options(self.folder / "config.ini") if (self.folder / "config.ini").is_file() else {}

    @property
    def program(self):
        return self.summary["program"]

    @functools.lru_cache(maxsize=None)
    def table(self, name):
        """The table in file `name`; None where the run has none."""
        path = self.folder / name
        return read_table(path, "," if name.endswith(".csv") else "\t", TEXTS.get(name, ())) if path.is_file() else None

    def fact(self, key):
        """A figure of summary.json; "lambda_min.error" is one of an object in it. None where it is not there or null."""
        value = self.summary
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        return value

    def nodes(self):
        return self.fact("cluster.node_list") or []

    @functools.lru_cache(maxsize=None)
    def rounds(self):
        """The file of --trace-rounds as (table, None), or (None, why there is none)."""
        said = self.options.get(("output", "trace-rounds")) or next(
            (value for (_, name), value in self.options.items() if name == "trace-rounds"), "")
        if not said:
            return None, "it ran without --trace-rounds, so that nothing says which variables its blocks had"
        for path in (pathlib.Path(said), self.folder.parent / pathlib.Path(said).name):
            if path.is_file():
                table = read_table(path, "\t", ("variables", "deltas"))
                if len(table) == self.fact("blocks"):
                    return table, None
                return None, f"{path} has {len(table)} blocks and summary.json {self.fact('blocks')}: it is of another run"
        return None, f"the file of its --trace-rounds, {said}, is not there"


    @functools.lru_cache(maxsize=None)
    def times(self):
        """The file of --trace-times as (Times, None), or (None, why there is none)."""
        from strads_report.times import Times  # pylint: disable=import-outside-toplevel,cyclic-import
        said = self.options.get(("output", "trace-times"), "")
        if not said:
            return None, "it ran without --trace-times"
        for path in (pathlib.Path(said), self.folder.parent / pathlib.Path(said).name, self.folder / pathlib.Path(said).name):
            if path.is_file():
                return Times(path), None
        return None, f"the file of its --trace-times, {said}, is not there"


def read_runs(folders):
    """Names are the last parts of the paths where those differ, else the paths as they were given."""
    last = [pathlib.Path(folder).name for folder in folders]
    names = last if len(set(last)) == len(last) and all(last) else [str(folder) for folder in folders]
    if len(set(names)) < len(names):
        raise Failure(USAGE, "a run is given twice; give each directory once")
    return [Run(folder, name, number) for number, (folder, name) in enumerate(zip(folders, names))]
