"""A run as Chrome's trace events, for https://ui.perfetto.dev and chrome://tracing: phases or sweeps as slices, commits and
barriers as moments, objective, gap and nonzeros as counters, from trace.csv; tasks and messages of each process from --trace-times.
Nothing is guessed.

Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU (object form)."""
import json

from strads_report import timeline_times
from strads_report.runs import FILES, Failure

MICROSECONDS = 1e6
SLICES, MOMENTS = 1, 2  # threads of the picture
# Never counters: times, names of rows, and what only grows with the rows.
NOT_COUNTED = {"seconds", "event", "round", "phase", "sweep"}


def _named(name, kind, thread=0):
    return {"ph": "M", "pid": 1, "tid": thread, "name": kind, "args": {"name": name}}


def _slice(name, begin, end, args):
    return {"ph": "X", "pid": 1, "tid": SLICES, "name": name, "ts": begin * MICROSECONDS,
            "dur": max(0.0, end - begin) * MICROSECONDS, "args": args}


def _rows(table):
    def numbers_of(name):
        return [int(value) if value is not None and value.is_integer() else value for value in table.numbers(name)]
    numbers = {name: table.texts(name) if name == "event" else numbers_of(name) for name in table.columns}
    return [{name: values[row] for name, values in numbers.items() if values[row] is not None} for row in range(len(table))]


def _facts(row):
    return {name: value for name, value in row.items() if name not in ("seconds", "event")}


def _slices(rows):
    """A phase is from a barrier, whose row bears its number, to the next one; a sweep is from the row before to its own."""
    begin = 0.0
    if "sweep" in (rows[0] if rows else {}):
        for row in rows:
            yield _slice(f"sweep {row['sweep']:g}", begin, row["seconds"], _facts(row))
            begin = row["seconds"]
    elif "phase" in (rows[0] if rows else {}) and "objective" in rows[0]:  # of cv the phases of several paths overlap
        name = "before the first phase"
        for row in rows:
            if row["event"] in ("barrier", "verified"):
                yield _slice(name, begin, row["seconds"], _facts(row))
                begin, name = row["seconds"], f"phase {row['phase']:g}"


def _moments(rows):
    for row in rows:
        if "sweep" not in row:
            name = row.get("event", "barrier")
            yield {"ph": "i", "s": "t", "pid": 1, "tid": MOMENTS, "name": f"{name} {row['round']:g}" if "round" in row else name,
                   "ts": row["seconds"] * MICROSECONDS, "args": _facts(row)}


def _counters(rows):
    for row in rows:
        for name, value in row.items():
            if name not in NOT_COUNTED:
                yield {"ph": "C", "pid": 1, "name": name, "ts": row["seconds"] * MICROSECONDS, "args": {name: value}}


def timeline(run):
    """The text of the file. Fails where the run has no trace."""
    table = run.table("trace.csv")
    if table is None:
        raise Failure(FILES, f"{run.folder}: {run.program} wrote no trace.csv, so that there is nothing with a time")
    if "seconds" not in table:
        raise Failure(FILES, f"{run.folder / 'trace.csv'}:1: no column seconds; expected a table that a run wrote")
    rows = _rows(table)
    events = [_named(f"{run.program}: {run.name}", "process_name"), _named("phases", "thread_name", SLICES),
              _named("commits and barriers", "thread_name", MOMENTS), *_slices(rows), *_moments(rows), *_counters(rows)]
    times, why = run.times()
    if times is not None:
        events += timeline_times.events(times)
    lines = ",\n".join(json.dumps(event) for event in events)
    about = {"program": run.program, "version": run.fact("version"), "blocks": "from --trace-times" if times is not None else f"none: {why}"}
    return f'{{"displayTimeUnit": "ms", "otherData": {json.dumps(about)}, "traceEvents": [\n{lines}\n]}}\n'
