"""strads-report draws what runs did: one HTML file with charts and tables, from their directories.

    strads-report RUN... --out DIR|FILE.html [--svg] [--png]
    strads-report --trace FILE.json RUN

RUN is the --out of a finished lasso fit, path or cv (fit and path also with --sumstats), mf fit
or cv, svm fit or cv, or lda fit. Runs of one program share charts. The page says what a run does
not have. It needs no script and nothing from elsewhere.
--trace makes a file for ui.perfetto.dev and chrome://tracing of RUN's phases or sweeps; this needs
no matplotlib. Exit code: 0; 2 for a mistake in the command; 4 where a file is missing, damaged or
cannot be written, or matplotlib is missing; 70 for a mistake of this program.
docs/GUIDE-reports.md shows examples.
"""
import argparse
import dataclasses
import os
import pathlib
import signal
import sys
import tempfile
import traceback

from strads_report import curves, gantt, progress, timeline
from strads_report.page import page
from strads_report.runs import FILES, INTERNAL, USAGE, Failure, read_runs

RUNS_MAX = 28  # so many lines look different (style.py)


def make_parser():
    """Also read for the manual page and completion (packaging/launch_table.py)."""
    parser = argparse.ArgumentParser(prog="strads-report", description=__doc__, usage=argparse.SUPPRESS,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("runs", metavar="RUN", nargs="+", help=argparse.SUPPRESS)
    parser.add_argument("--out", metavar="PATH", help="the page: a name that ends with .html, or a folder for report.html")
    parser.add_argument("--svg", action="store_true", help="also write each chart as NAME.svg beside the page")
    parser.add_argument("--png", action="store_true", help="also write each chart as NAME.png beside the page, 200 dots an inch")
    parser.add_argument("--trace", metavar="FILE", help="write the phases or sweeps of one run as Chrome's trace events")
    parser.add_argument("--phase", metavar="N", type=int, help="phase whose rounds are drawn from --trace-times, from 1; by "
                        "default that with most blocks")
    return parser


def parse(arguments):
    options = make_parser().parse_args(arguments)
    if not options.out and not options.trace:
        raise Failure(USAGE, "nothing to write: give --out DIR or FILE.html, or --trace FILE.json (--help shows how)")
    if (options.svg or options.png) and not options.out:
        raise Failure(USAGE, "--svg and --png lie beside the page: give --out")
    if options.trace and len(options.runs) > 1:
        raise Failure(USAGE, f"--trace: found {len(options.runs)} runs, expected one")
    if len(options.runs) > RUNS_MAX:
        raise Failure(USAGE, f"{len(options.runs)} runs: at most {RUNS_MAX} lines can be told apart; give fewer")
    if options.phase is not None and not options.out:
        raise Failure(USAGE, "--phase says what the page shows: give --out")
    return options


def page_path(out):
    path = pathlib.Path(out)
    path = path if path.suffix == ".html" else path / "report.html"
    if (path.parent / "summary.json").exists():
        raise Failure(USAGE, f"{path.parent}: it is the directory of a run, which nothing is added to; give another --out")
    return path


def write(path, content):
    """The file is replaced when its content is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
        except OSError as error:  # of a disk that is full it names no file
            raise Failure(FILES, f"{path}: cannot be written: {error.strerror}; nothing of it is left, make room or give another "
                                 f"--out") from None
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def load_draw():
    try:
        from strads_report.draw import draw  # pylint: disable=import-outside-toplevel
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise Failure(FILES, f"{sys.executable} has no matplotlib, which draws the charts: install the package "
                             "python3-matplotlib (apt-get install python3-matplotlib), which is for /usr/bin/python3") from None
    return draw


def curves_only(charts, runs):
    """(charts without those of single points, lines on these). The line of one run among several is named in the title."""
    kept, short, names = [], [], {run.name for run in runs} if len(runs) > 1 else set()
    for chart in charts:
        lines = getattr(chart, "series", ())
        if lines and max(len(set(line.xs)) for line in lines) < 2:
            short.append(f"{chart.title}: there is one point only, and so no curve.")
        elif len(lines) == 1 and lines[0].label in names and not chart.title.endswith(f", {lines[0].label}"):
            kept.append(dataclasses.replace(chart, title=f"{chart.title}, {lines[0].label}"))
        else:
            kept.append(chart)
    return kept, short


def report(runs, out, kinds, phase=None, first=()):
    """Writes the page and the files of charts, `first` before those of the runs. Returns lines on what was written."""
    path = page_path(out)
    draw = load_draw()
    charts, short = curves_only([*first, *progress.charts(runs), *curves.charts(runs), *gantt.charts(runs, phase)], runs)
    missing = [*(line for run in runs for line in (*progress.missing_of(run), *curves.missing_of(run), *gantt.missing_of(run))), *short]
    drawn = [draw(chart, ["svg", *(kind for kind in kinds if kind != "svg")]) for chart in charts]
    for chart, files in zip(charts, drawn):
        for kind in kinds:
            write(path.parent / f"{chart.name}.{kind}", files[kind])
    write(path, page(runs, charts, [files["svg"] for files in drawn], missing).encode())
    more = f", each as {' and '.join(f'.{kind}' for kind in kinds)} beside it" if kinds else ""
    return f"{path}: {len(runs)} {'run' if len(runs) == 1 else 'runs'}, {len(charts)} charts{more}"


def run(arguments):
    options = parse(arguments)
    runs = read_runs(options.runs)
    if options.out:
        print(report(runs, options.out, [kind for kind in ("svg", "png") if getattr(options, kind)],
                     options.phase))
    if options.trace:
        text = timeline.timeline(runs[0])
        write(pathlib.Path(options.trace), text.encode())
        print(f"{options.trace}: {text.count(chr(10)) - 2} events; open it in ui.perfetto.dev or chrome://tracing")


def guarded(program, work):
    """The exit code of `work`, which takes the arguments of the command and gives None or an exit code; a failure is told."""
    code, text = 0, ""
    try:
        code = work(sys.argv[1:]) or 0
    except Failure as failure:
        code, text = failure.code, str(failure)
    except OSError as error:
        code, text = FILES, f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error)
    except KeyboardInterrupt:
        code, text = 128 + signal.SIGINT, "interrupted; what is not complete was not written"
    except Exception as error:  # pylint: disable=broad-exception-caught
        place = traceback.extract_tb(error.__traceback__)[-1]
        code = INTERNAL
        text = (f"this is a mistake of {program}, in line {place.lineno} of {pathlib.Path(place.filename).name}: "
                f"{type(error).__name__}: {error}; please report it")
    for line in text.splitlines():
        print(f"{program}: error: {line}", file=sys.stderr)
    return code


def main():
    return guarded("strads-report", run)
