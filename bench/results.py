#!/usr/bin/python3
"""Measures what bench/RESULTS.md shows and writes its tables:

    bench/results.py --build build/release --data DIR [--data DIR ...]     everything, about an hour on two quiet cores
    bench/results.py --build build/release --data DIR --only policies,svm  some subjects
    bench/results.py --data DIR --quick [--only ...]                       tries it: small sets, one run, nothing is kept
    bench/results.py --plan                                                subjects, their minutes, and where their tables stand
    bench/results.py --write                                               RESULTS.md again from the store, nothing is run
    bench/results.py --check [--one-commit]                                fails where RESULTS.md is not what the store says

Figures are kept in bench/results.json: for each subject its rows, and at which commit, on which machine and when they were
measured. RESULTS.md has a table between the markers of each subject, made from the store; all else in it is written by hand.
A whole run begins a new head: one commit, one machine, one date, which RESULTS.md names once. A table of another commit than the
head's says so below itself, and with --one-commit is refused.

--data: folders with real sets, FOLDER/NAME/ for each as the subjects name them; made ones go into the first (made/, 1.5 GB).
A subject whose data or peers are not here is left out, and told at the end. --peer NAME=PATH gives programs that Debian does not
have: libmf (mf-train), warplda and warplda-format.
--continue goes on with a whole run that was interrupted, at the same commit and on the same machine.
Needs python3-numpy; peers: python3-sklearn, r-cran-glmnet, plink2.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
DOCUMENT, STORE = HERE / "RESULTS.md", HERE / "results.json"
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import subjects  # noqa: E402
from subjects.sets import Sets  # noqa: E402
from subjects.subject import NotHere  # noqa: E402

HEAD = "head"
MARKED = re.compile(r"(<!-- (?P<name>[\w-]+) -->\n).*?(<!-- end -->\n)", re.S)


class Bench:
    """What a subject's measure() is given."""

    def __init__(self, options):
        self.quick = options.quick
        self.bin = (ROOT / options.build / "bin").resolve()
        self.build = (ROOT / options.build).resolve()
        self.sets = Sets(options.data, options.quick)
        self.peers = {name: str(pathlib.Path(path).resolve()) for name, path in (one.split("=", 1) for one in options.peer)}
        self.runs = 1

    def program(self, name):
        path = self.bin / name
        if not path.exists():
            raise NotHere(f"{path}: build it first")
        return path

    def few(self, most):
        """Runs of what takes minutes."""
        return min(self.runs, most)


def git(*words):
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True).stdout.strip()


def machine():
    """The processor and its count, without a name of the host."""
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    facts = dict(re.split(r"\s*:\s*", line, maxsplit=1) for line in lines if ":" in line)
    name = re.sub(r"\((R|TM)\)", "", facts.get("model name", "a processor without a name"))
    has = [flag for flag in ("avx512f", "avx512_vnni", "avx512_vpopcntdq", "amx_tile") if flag in facts.get("flags", "").split()]
    memory = int(re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) / 2**20
    count = sum(line.startswith("processor") for line in lines)
    return f"{name}, family {facts.get('cpu family')} model {facts.get('model')}, {count} cores, {memory:.0f} GiB ({', '.join(has) or 'no AVX-512'})"


def load_store():
    return json.loads(STORE.read_text()) if STORE.exists() else {"head": None, "tables": {}}


def save_store(store):
    """A row a line, so that a difference can be read; whole or not at all."""
    parts = []
    for name in sorted(store["tables"]):
        table = store["tables"][name]
        facts = ",\n   ".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if key != "rows")
        rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in table["rows"])
        parts.append(f'  {json.dumps(name)}: {{\n   {facts},\n   "rows": [\n    {rows}]}}')
    text = f'{{\n "head": {json.dumps(store["head"])},\n "tables": {{\n' + ",\n".join(parts) + "\n }\n}\n"
    json.loads(text)
    new = STORE.with_suffix(".new")
    new.write_text(text)
    new.replace(STORE)


def same_place(table, head):
    return head is not None and (table["commit"], table["machine"]) == (head["commit"], head["machine"])


def head_text(store):
    if store["head"] is None:
        return ("**No whole run has been made yet**: each table says below itself at which commit and where it was measured. "
                "`bench/results.py` measures all of them at one.\n")
    head = store["head"]
    others = sum(not same_place(table, head) for table in store["tables"].values())
    exception = f" {others} tables are of other commits, and say so.\n" if others else "\n"
    return f"Commit **{head['commit']}**, {head['date']}, on one machine: {head['machine']}.{exception}"


def table_text(subject, table, head):
    lines = ["| " + " | ".join(table.get("columns", subject.columns)) + " |", "| --- " * len(table.get("columns", subject.columns)) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in table["rows"]]
    notes = [f"Medians of {table['runs']}."] if table.get("runs", 0) > 1 else []
    if not same_place(table, head):
        notes.append(f"*Not of the head's commit: {table['commit']}, {table['machine']}, {table['date']}.*")
    if table.get("note"):
        notes.append(table["note"])
    lines += ["", " ".join(notes)] if notes else []
    lines += ["", *("    " + line for line in subject.command.strip().splitlines())]
    return "\n".join(lines) + "\n"


def document_of(store, text):
    """RESULTS.md with what the store says between its markers."""
    known = {subject.name: subject for subject in subjects.ALL}
    seen = []

    def filled(found):
        name = found["name"]
        seen.append(name)
        if name == HEAD:
            return found[1] + head_text(store) + found[3]
        if name not in known:
            raise SystemExit(f"RESULTS.md: a marker {name}, which is no subject of bench/subjects")
        if name not in store["tables"]:
            return found[1] + "Not measured yet.\n" + found[3]
        return found[1] + table_text(known[name], store["tables"][name], store["head"]) + found[3]

    text = MARKED.sub(filled, text)
    lacking = [name for name in known if name not in seen]
    if lacking:
        raise SystemExit(f"RESULTS.md has no markers for: {', '.join(lacking)}")
    return text


def write_document(store):
    text = document_of(store, DOCUMENT.read_text())
    new = DOCUMENT.with_suffix(".new")
    new.write_text(text)
    new.replace(DOCUMENT)


def check(one_commit):
    store = load_store()
    text = DOCUMENT.read_text()
    if document_of(store, text) != text:
        raise SystemExit("bench/RESULTS.md differs from bench/results.json: bench/results.py --write")
    others = [name for name, table in sorted(store["tables"].items()) if not same_place(table, store["head"])]
    if one_commit and others:
        raise SystemExit(f"not of the head's commit and machine: {', '.join(others)}")


def show_plan(chosen):
    store = load_store()
    total = 0
    for subject in chosen:
        table = store["tables"].get(subject.name)
        where = "not measured yet" if table is None else table["commit"] + ("" if same_place(table, store["head"]) else ", not the head's")
        took = f"{table['seconds'] / 60:.1f} then" if table and table.get("seconds") else ""
        print(f"{subject.name:18s} {subject.minutes:5.1f} min  {took:10s} {where}")
        total += subject.minutes
    print(f"{'all of these':18s} {total:5.1f} min")


def chosen_of(names):
    known = {subject.name: subject for subject in subjects.ALL}
    wrong = [name for name in names if name not in known]
    if wrong:
        raise SystemExit(f"--only {', '.join(wrong)}: no such subject, expected some of {', '.join(known)}")
    return [known[name] for name in names] if names else subjects.ALL


def measure(options, chosen):
    """Measures subjects one after the other; each is in the store as soon as it is known."""
    bench, store, left_out = Bench(options), load_store(), []
    failed = []
    if not options.quick and git("status", "--porcelain", "--", "src", "apps", "include", "CMakeLists.txt", "cmake"):
        raise SystemExit("src, apps, include or cmake differ from the commit: figures would have no commit. Commit first, or --quick")
    place = {"commit": git("rev-parse", "--short=8", "HEAD"), "machine": options.machine or machine(), "date": str(datetime.date.today())}
    if not options.quick and not options.only:
        if options.go_on and (store["head"] is None or not same_place(place, store["head"])):
            raise SystemExit("--continue: the run that was interrupted was of another commit or machine")
        if not options.go_on:
            store["head"] = place
    for subject in chosen:
        if options.go_on and subject.name in store["tables"] and same_place(store["tables"][subject.name], store["head"]):
            continue
        bench.runs = 1 if options.quick else options.runs or subject.runs
        print(f"{subject.name}: about {subject.minutes:g} min" if not options.quick else subject.name, file=sys.stderr, flush=True)
        start = time.monotonic()
        try:
            rows = [[str(cell) for cell in row] for row in subject.measure(bench)]
        except NotHere as lacking:
            left_out.append(f"{subject.name}: {lacking}")
            continue
        except SystemExit as failure:  # the others are measured all the same
            failed.append(f"{subject.name}: {failure}")
            continue
        wrong = next((row for row in rows if len(row) != len(subject.columns)), None)
        if wrong is not None:
            raise SystemExit(f"{subject.name}: a row of {len(wrong)} cells, expected {len(subject.columns)}: {wrong}")
        table = {**place, "runs": bench.runs, "seconds": round(time.monotonic() - start), "columns": subject.columns, "rows": rows}
        if options.quick:
            print(f"\n{subject.name} ({table['seconds']} s)\n\n{table_text(subject, table, place)}", flush=True)
            continue
        store["tables"][subject.name] = table
        save_store(store)
        write_document(store)
    if left_out:
        print("left out:\n  " + "\n  ".join(left_out), file=sys.stderr)
    if failed:
        raise SystemExit("failed:\n  " + "\n  ".join(failed))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--data", action="append", default=[])
    parser.add_argument("--only", default="", help="names of subjects, with commas")
    parser.add_argument("--runs", type=int, help="instead of each subject's own number")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--machine", help="how the machine is called, instead of what /proc/cpuinfo says")
    parser.add_argument("--continue", dest="go_on", action="store_true")
    for name in ("quick", "plan", "write", "check", "one-commit"):
        parser.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args()
    chosen = chosen_of([name for name in options.only.split(",") if name])
    if options.check:
        check(options.one_commit)
    elif options.plan:
        show_plan(chosen)
    elif options.write:
        write_document(load_store())
    elif not options.data:
        parser.error("--data DIR is needed to measure")
    else:
        measure(options, chosen)


if __name__ == "__main__":
    main()
