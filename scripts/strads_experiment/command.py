"""strads-experiment makes a grid of runs and one table of them, as an INI file says it.

    strads-experiment FILE.ini [--only AXIS=VALUE,...] [--jobs N] [options]
    strads-experiment FILE.ini --dry-run

FILE.ini names a command (lasso fit, mf cv, ...), options of all runs [fixed], and values of others
[grid]: each combination is a run. What is done with the same options, data and build is not done
again, so that after Ctrl-C or a kill the same command goes on. The table has means and spread over
seeds; it is printed, and written to table.csv and means.csv. Exit code: 0; 1 where a point failed
(others go on); 2 for a mistake in the command or the file; 3 after a signal: runs under way are
ended in order, a second one kills them; 4 where files, programs or disk are wrong; 5 where nodes
are; 70 for a mistake of this program. docs/GUIDE-experiments.md shows examples.
"""
import argparse
import pathlib
import signal
import sys

from strads_report.command import guarded, write
from strads_report.runs import USAGE, Failure

from strads_experiment import nodes, pictures, table
from strads_experiment.plan import make_plan, near
from strads_experiment.programs import Program, find_programs, key_of, unlike
from strads_experiment.store import DONE, FAILED, Store
from strads_experiment.work import Worker

POINT_FAILED, ENDED_EARLY = 1, 3  # exit codes
JOBS_MAX = 256
WHY_MAX = 3  # differences that are told of a point
TURNS = "sumstats"  # an option that gives a command other options
MARKS = {DONE: "done", FAILED: "failed"}


class Formatter(argparse.RawDescriptionHelpFormatter):
    """A line for each option."""

    def __init__(self, prog):
        super().__init__(prog, max_help_position=26, width=100)


def make_parser():
    """Also read for the manual page and completion (packaging/launch_table.py)."""
    parser = argparse.ArgumentParser(prog="strads-experiment", description=__doc__, usage=argparse.SUPPRESS,
                                     formatter_class=Formatter, allow_abbrev=False)
    parser.add_argument("file", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--dry-run", action="store_true", help="print the grid, what is done, what remains and why; run nothing")
    parser.add_argument("--only", metavar="AXIS=VALUE,...", action="append", help="run these points alone; again: these as well")
    parser.add_argument("--jobs", metavar="N", type=int, default=1, help="runs at a time (default 1)")
    parser.add_argument("--out", metavar="DIR", help="folder of the runs and the table, instead of the file's")
    parser.add_argument("--report", action="store_true", help="draw the runs by strads-report into report/ of --out")
    parser.add_argument("--bin", metavar="DIR", help="folder of the programs")
    parser.add_argument("--quiet", action="store_true", help="no line for each run; the table remains")
    return parser


def parse(arguments):
    options = make_parser().parse_args(arguments)
    if not 1 <= options.jobs <= JOBS_MAX:
        raise Failure(USAGE, f"--jobs {options.jobs}: expected 1 to {JOBS_MAX}")
    return options


def chosen(plan, wanted):
    """The points that --only names; all without it."""
    if not wanted:
        return list(plan.points)
    found = []
    for text in wanted:
        pairs = [part.partition("=")[::2] for part in text.split(",")]
        for axis, value in pairs:
            if axis not in plan.axes:
                raise Failure(USAGE, f"--only {text}: {plan.path} has no axis {axis}{near(axis, list(plan.axes))}")
            if value not in plan.axes[axis]:
                raise Failure(USAGE, f"--only {text}: {axis} has no value {value or '(empty)'}, expected one of: "
                                     f"{', '.join(plan.axes[axis])}")
        these = [point for point in plan.points if all(point.axes[axis] == value for axis, value in pairs)]
        if not these:
            raise Failure(USAGE, f"--only {text}: an axis has one value at a time; give --only again for other points")
        found += these
    return [point for point in plan.points if point in found]


class Experiment:
    """The plan, the folder, and where each point stands."""

    def __init__(self, options, here):
        self.options, self.here = options, here
        self.done, self.others = {}, {}  # rows by point
        self.plan = make_plan(options.file, self.known)
        nodes.check(self.plan.cluster)
        if self.plan.cluster and options.jobs > 1:
            raise Failure(USAGE, f"--jobs {options.jobs}: the nodes of [cluster] serve one run at a time; take one of them out")
        self.wanted = chosen(self.plan, options.only)
        out = options.out or self.plan.setting("out")
        if not out:
            raise Failure(USAGE, f"{options.file}: no folder for the runs: say out = DIR in [experiment], or give --out DIR")
        self.store, self.columns = Store(out), table.columns_of(self.plan)
        build = self.program.build()
        self.keys = {point.name: key_of(self.program, build, point, self.store.run_folder(point), self.store.digests)
                     for point in self.plan.points}
        unlike(self.plan.points, self.keys)

    def known(self, command, ini):
        """{option: what its value is} of the command."""
        self.programs = find_programs(self.options.bin, self.here, command[0])
        self.program = Program(self.programs, command)
        said = any(TURNS in options for options in ini.sections.values())
        self.program.learn_options([f"--{TURNS}", "x"] if said else [])
        return self.program.known

    def standing(self, point):
        return self.store.standing(point, self.keys[point.name])

    def rows(self):
        """Of all points. What is done stays as it is while this process holds the lock, and is read once."""
        for point in self.plan.points:
            if point.name not in self.done:
                row = table.Row(point, self.standing(point), self.columns, self.store.run_folder(point))
                (self.done if row.is_done() else self.others)[point.name] = row
        return [self.done.get(point.name) or self.others[point.name] for point in self.plan.points]


def why_of(standing):
    why = [*standing.why[:WHY_MAX], *(["..."] if len(standing.why) > WHY_MAX else [])]
    return f": {'; '.join(why)}" if why else ""


def dry_run(experiment):
    plan, points, counts = experiment.plan, experiment.wanted, {}
    width = max(len(point.name) for point in points)
    print(f"{len(plan.points)} points: {' x '.join(f'{len(values)} {axis}' for axis, values in plan.axes.items())}; "
          f"{' '.join(plan.command)}, runs in {experiment.store.folder}")
    for point in points:
        standing = experiment.standing(point)
        state = MARKS.get(standing.state, "to do" if not standing.record else "again")
        counts[state] = counts.get(state, 0) + 1
        print(f"  {point.name.ljust(width)}  {state}{why_of(standing)}")
    left_out = len(plan.points) - len(points)
    print(", ".join([*(f"{count} {state}" for state, count in counts.items()), *([f"{left_out} left out by --only"] if left_out else [])]))
    tell_strays(experiment)


def tell_strays(experiment):
    strays = experiment.store.strays(experiment.plan.points)
    if strays:
        print(f"note: {len(strays)} run{'s' if len(strays) > 1 else ''} in {experiment.store.folder / 'runs'} of points that the grid "
              f"does not have, such as {strays[0]}; they stay, and are in no table")


def run_points(experiment, todo):
    """Runs what is to do; returns the number of points that a signal kept from coming to their end."""
    options, plan, store = experiment.options, experiment.plan, experiment.store
    cluster, count, width = None, len(todo), max(len(point.name) for point, _ in todo)
    told = []

    def command_of(point, goes_on):
        own = ["--resume", str(store.run_folder(point))] if goes_on else [
            *experiment.program.words(point.options), "--out", str(store.run_folder(point)), "--force"]
        return [str(experiment.program.path), *plan.command[1:], *own, "--quiet", *cluster.options()]

    def tell(point, state, text, seconds):
        told.append(point)
        if not options.quiet:
            print(f"[{len(told)}/{count}] {point.name.ljust(width)}  {state}: {text}, {seconds:.3f} s", flush=True)
        write_tables(experiment)

    try:
        cluster = nodes.nodes_of(plan.cluster, store.folder, experiment.programs, experiment.here / "strads-launch")
        return Worker(store, options.jobs, command_of, cluster.prepare, tell).run(todo)
    finally:
        if cluster is not None:
            cluster.end()


def write_tables(experiment):
    rows = experiment.rows()
    write(experiment.store.folder / "table.csv", table.table_csv(experiment.plan, rows, experiment.columns).encode())
    write(experiment.store.folder / "means.csv", table.means_csv(experiment.plan, rows, experiment.columns).encode())
    return rows


def draw(experiment, rows):
    """strads-report on the runs; of many those of the first seed."""
    from strads_report import command, runs  # pylint: disable=import-outside-toplevel
    done = [row.point for row in rows if row.is_done()]
    if len(done) > command.RUNS_MAX:
        first = {axis: experiment.plan.axes[axis][0] for axis in experiment.plan.over}
        done = [point for point in done if all(point.axes[axis] == value for axis, value in first.items())][:command.RUNS_MAX]
        which = f" with {', '.join(f'{axis}={value}' for axis, value in first.items())}" if first else ""
        print(f"note: a report has at most {command.RUNS_MAX} runs: it is of {len(done)}{which}")
    if done:
        print(command.report(runs.read_runs([experiment.store.run_folder(point) for point in done]),
                             experiment.store.folder / "report", ["svg", "png"],
                             first=list(pictures.charts(experiment.plan, rows, experiment.columns))))


def show(experiment, rows):
    plan, store = experiment.plan, experiment.store
    print("\n".join(table.printed(plan, rows, experiment.columns)))
    over = f"; +- is the standard deviation over {' and '.join(plan.over)}" if plan.over else ""
    timed = any(table.is_seconds(name) for name in experiment.columns)
    print(f"{sum(row.is_done() for row in rows)} of {len(rows)} points are done{over}"
          f"{'; seconds are of this machine' if timed else ''}\n{store.folder}: table.csv, means.csv, runs/")
    for name in table.missing(rows, experiment.columns):
        print(f"note: no run has a figure {name}; summary.json of a run shows which there are (docs/OUTPUT.md)")
    early = [row.point.name for row in rows if row.is_done() and row.standing.record.get("exit_code") != 0]
    if early:
        print(f"note: {len(early)} ended before the tolerance was met (stop_reason in table.csv says why), such as {early[0]}")
    tell_strays(experiment)


def tell_failed(rows):
    """Points that failed alike are told together, with all of their names."""
    alike = {}
    for row in rows:
        alike.setdefault(row.standing.why[0], []).append(row.point.name)
    for message, names in alike.items():
        print(f"strads-experiment: error: {' '.join(names)}: {message}", file=sys.stderr)


def run(arguments, here):
    experiment = Experiment(parse(arguments), here)
    if experiment.options.dry_run:
        return dry_run(experiment)
    experiment.store.lock()
    experiment.store.digests.keep()
    todo = [(point, experiment.keys[point.name]) for point in experiment.wanted if experiment.standing(point).state != DONE]
    skipped = len(experiment.wanted) - len(todo)
    if skipped and not experiment.options.quiet:
        print(f"{skipped} of {len(experiment.wanted)} points are done already: same options, data and build")
    cut_off = run_points(experiment, todo) if todo else 0
    rows = write_tables(experiment)
    show(experiment, rows)
    if experiment.options.report or experiment.plan.setting("report") == "on":
        draw(experiment, rows)
    tried = {point.name for point, _ in todo}
    failed = [row for row in rows if row.standing.state == FAILED and row.point.name in tried]
    tell_failed(failed)
    if cut_off:
        print(f"strads-experiment: note: ended by a signal, {cut_off} points remain; the same command goes on", file=sys.stderr)
        return ENDED_EARLY
    return POINT_FAILED if failed else 0


def main(here):
    try:
        return guarded("strads-experiment", lambda arguments: run(arguments, pathlib.Path(here)))
    except KeyboardInterrupt:  # nothing was under way
        print("strads-experiment: error: Ctrl-C", file=sys.stderr)
        return 128 + signal.SIGINT
