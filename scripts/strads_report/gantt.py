"""Charts of --trace-times: the rounds of a phase as a Gantt chart, and what each worker did all the time."""
import collections

from strads_report.charts import Axis, Bars, Gantt
from strads_report.runs import USAGE, Failure
from strads_report.times import DRIVER, blocks_of, blocks_within, phases_of

ROUNDS_MAX, BARS_MAX, ROWS_MAX = 12, 150, 26
PARTS = ("computing a block", "waiting to begin", "on the way", "plan", "step and commit", "refresh at a barrier")
COMPUTING, WAITING, WAY, PLAN, COMMIT, REFRESH = range(len(PARTS))
OF_TASKS = {"plan": PLAN, "combine": COMMIT, "pull": COMMIT, "refresh": REFRESH, "recompute": REFRESH}


def _place(process):
    return (process != DRIVER, int(process) if process != DRIVER else 0)


def _row(times, process, role, number):
    where = "" if len(times.processes) == 1 else f"{process}: " if process == DRIVER else f"rank {process}: "
    return f"{where}{role} {number}"


def chosen_phase(times, run, blocks, wanted):
    """That of the number, or the one with most blocks, of equal ones the first. None: no block was computed in any."""
    phases = phases_of(times, run)
    if wanted is not None:
        found = [phase for phase in phases if phase.number == wanted]
        if not found:
            said = f"expected one of {phases[0].number} to {phases[-1].number}" if phases else "the file has none"
            raise Failure(USAGE, f"--phase {wanted}: {times.path} has no such phase, {said}")
        return found[0]
    whole = [phase for phase in phases
             if not any(times.not_noted(process, phase.begin, phase.end) for process in times.processes)] or phases
    return max(whole, key=lambda phase: len(blocks_within(blocks, phase)), default=None) if blocks else None


def _shown_rounds(blocks):
    """As many of the first rounds as can be read."""
    counts = collections.Counter(block.round for block in blocks)
    shown, bars = [], 0
    for number in sorted(counts):
        bars += counts[number]
        if shown and (len(shown) == ROUNDS_MAX or bars > BARS_MAX):
            break
        shown.append(number)
    return set(shown), len(counts)


def _block_bars(times, blocks):
    for block in blocks:
        row = (_place(block.process), 1, block.worker, _row(times, block.process, "worker", block.worker))
        yield COMPUTING, row, block.begin, block.end, str(block.round)
        if block.taken is not None and block.taken < block.begin:
            yield WAITING, row, block.taken, block.begin, ""
        if block.assigned is not None:
            yield WAY, row, block.assigned, block.taken, ""
        if block.answered is not None:
            yield WAY, row, block.end, block.answered, ""


def _task_bars(times, run, begin, end, rounds):
    for task in times.tasks:
        part = OF_TASKS.get(task.kind)
        if task.run != run or part is None or task.end < begin or task.begin > end:
            continue
        if part == REFRESH or task.number in rounds:
            role, number = ("replica", "") if task.kind == "recompute" else ("scheduler", task.who)
            yield part, (_place(task.process), 0, task.who, _row(times, task.process, role, number).rstrip()), task.begin, task.end, ""


def gantt_chart(number, name, times, run, wanted):
    """The rounds of one phase; None where no block was computed."""
    blocks = blocks_of(times, run)
    phase = chosen_phase(times, run, blocks, wanted)
    within = blocks_within(blocks, phase) if phase else []
    if not within:
        return None
    rounds, count = _shown_rounds(within)
    shown = [block for block in within if block.round in rounds]
    # With the barrier before, and up to the commit after the last block that is shown.
    commits = [task.end for task in times.tasks if task.run == run and task.kind == "pull" and task.number in rounds]
    begin = min([phase.begin, *(block.assigned for block in shown if block.assigned is not None)])
    end = max([block.end for block in shown] + [block.answered for block in shown if block.answered is not None] + commits)
    refreshes = [task.begin for task in times.tasks if task.run == run and task.kind == "refresh" and task.number == phase.number - 1]
    begin = min([begin, *refreshes]) if count == len(rounds) else begin
    bars = [*_block_bars(times, shown), *_task_bars(times, run, begin, end, rounds)]
    rows = sorted({bar[1] for bar in bars})
    left_out = len(rows) - ROWS_MAX
    rows = rows[:ROWS_MAX]
    places = {row: place for place, row in enumerate(rows)}
    unit, by = ("ms", 1e3) if end - begin < 1 else ("s", 1.0)
    parts = []
    for part, label in enumerate(PARTS):
        drawn = [(places[row], (max(low, begin) - begin) * by, (min(high, end) - begin) * by, text)
                 for kind, row, low, high, text in bars if kind == part and row in places and high > begin and low < end]
        parts.append((label, tuple(bar for bar in drawn if bar[2] > bar[1])))
    said = [f"Numbers in bars are rounds. Phase {phase.number} of run {run} had {count} {'round' if count == 1 else 'rounds'}"
            + (f"; the first {len(rounds)} are shown." if len(rounds) < count else ".")]
    if any(times.not_noted(process, begin, end) for process in times.processes):
        said.append("Not all of it was noted.")
    if left_out > 0:
        said.append(f"{left_out} further rows are left out.")
    if len(times.processes) > 1:
        error = times.error()
        said.append("Clocks are aligned by messages, " + (
            "one way only where a process sent nothing." if error is None else f"to within {error * 1e3:.2g} ms."))
    return Gantt(f"gantt-{number}", f"Rounds of phase {phase.number}, {name}", " ".join(said),
                 Axis(f"time since {begin * by:,.4g} {unit} of solving ({unit})"), tuple(row[3] for row in rows),
                 tuple(part for part in parts if part[1]), tuple(look for look, part in enumerate(parts) if part[1]),
                 tuple(sorted((end_ - begin) * by for end_ in commits)))


def _covered(levels, end):
    """Seconds in which each of `levels`, lists of (begin, end), covers the line and none before it does."""
    edges = sorted({edge for level in levels for bar in level for edge in bar if edge < end} | {end})
    changes = [collections.Counter() for _ in levels]
    for change, level in zip(changes, levels):
        for low, high in level:
            change[min(low, end)] += 1
            change[min(high, end)] -= 1
    totals, open_bars = [0.0] * len(levels), [0] * len(levels)
    for edge, following in zip(edges, edges[1:]):
        for place, change in enumerate(changes):
            open_bars[place] += change[edge]
        first = next((place for place, count in enumerate(open_bars) if count > 0), None)
        if first is not None:
            totals[first] += following - edge
    return totals


def worker_chart(number, name, times):
    """Of the whole time of solving, for each worker of each process."""
    bars = collections.defaultdict(lambda: ([], [], []))
    for run in times.runs():
        for block in blocks_of(times, run):
            computing, waiting, way = bars[_place(block.process), block.worker, _row(times, block.process, "worker", block.worker)]
            computing.append((block.begin, block.end))
            if block.taken is not None:
                waiting.append((block.taken, block.begin))
            if block.assigned is not None:
                way.append((block.assigned, block.taken))
            if block.answered is not None:
                way.append((block.end, block.answered))
    if not bars:
        return None
    rows = sorted(bars)[:ROWS_MAX]
    total = times.seconds[1]
    gaps = [times.not_noted(DRIVER if row[0] == _place(DRIVER) else str(row[0][1]), 0.0, total) for row in rows]
    columns = [_covered(bars[row], total) for row in rows]
    text = ("Computing a block; a block that has come waits for a thread or for a commit; blocks and their deltas on the way "
            "between processes; nothing: the worker had no block.")
    if len(bars) > len(rows):
        text += f" {len(bars) - len(rows)} further workers are left out."
    if times.lost:
        text += f" {sum(times.lost.values())} records had no room in a node and are missing."
    parts = [(label, tuple(column[place] for column in columns))
             for place, label in enumerate(("computing", "waiting to begin", "on the way"))]
    parts.append(("nothing", tuple(max(0.0, total - gap - sum(column)) for column, gap in zip(columns, gaps))))
    parts.append(("not noted", tuple(gaps)))
    if any(gaps):
        text += " Not noted: of very short rounds some are left out, so that the run does not feel it."
    return Bars(f"workers-{number}", f"Time of the workers, {name}", text, Axis("time (s)"), tuple(row[2] for row in rows),
                tuple(part for part in parts if any(part[1])))


def charts(runs, phase=None):
    for number, run in enumerate(runs, 1):
        times, _ = run.times()
        if times is not None and times.runs():
            yield from (each for each in (gantt_chart(number, run.name, times, times.runs()[0], phase),
                                          worker_chart(number, run.name, times)) if each is not None)


def missing_of(run):
    times, why = run.times()
    if times is None:
        return [f"{run.name}: no times of blocks by worker: {why}."]
    return [] if times.runs() else [f"{run.name}: its --trace-times has no block."]
