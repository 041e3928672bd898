"""Tasks and messages of --trace-times as Chrome's trace events: a process for each process of the run, a track for each
scheduler, each worker and the replica, and tracks for what is on the way to it."""
import heapq

from strads_report.times import DRIVER

MICROSECONDS = 1e6
REPLICA, SCHEDULERS, WORKERS, MESSAGES = 1, 100_000, 200_000, 300_000  # first threads of the kinds
NAMED_BY_PHASE = ("SliceStatus", "Phase")


def _track(task):
    """(first thread, name) of its track."""
    if task.kind == "push":
        return WORKERS + 64 * task.who, f"worker {task.who}"
    if task.kind in ("apply", "recompute"):
        return REPLICA, "replica"
    return SCHEDULERS + 64 * task.who, f"scheduler {task.who}"


def _name(task, several):
    block = f"round {task.number} block {task.index}" if task.kind == "push" else f"{task.kind} {task.number}"
    return f"{block} (run {task.run})" if several else block


class Lanes:
    """Slices of one track do not overlap: one that would goes to the next free lane."""

    def __init__(self):
        self._free, self._busy, self.count = [], [], 0

    def place(self, begin, end):
        while self._busy and self._busy[0][0] <= begin:
            heapq.heappush(self._free, heapq.heappop(self._busy)[1])
        if not self._free:
            heapq.heappush(self._free, self.count)
            self.count += 1
        lane = heapq.heappop(self._free)
        heapq.heappush(self._busy, (max(end, begin), lane))
        return lane


def _event(process, thread, name, begin, end, args):
    return {"ph": "X", "pid": process, "tid": thread, "name": name, "ts": round(begin * MICROSECONDS, 3),
            "dur": round(max(0.0, end - begin) * MICROSECONDS, 3), "args": args}


def events(times):
    """All of them, with the names of processes and tracks."""
    processes = {process: 2 + place for place, process in enumerate(
        sorted(times.processes, key=lambda process: (process != DRIVER, int(process) if process != DRIVER else 0)))}
    several = len(times.runs()) > 1
    lanes, tracks = {}, {}

    def put(process, first, track, begin, end):
        lane = lanes.setdefault((process, first), Lanes()).place(begin, end)
        tracks[processes[process], first + lane] = track if lane == 0 else f"{track} ({lane + 1})"
        return first + lane

    slices = []
    for task in times.tasks:
        first, track = _track(task)
        thread = put(task.process, first, track, task.begin, task.end)
        slices.append(_event(processes[task.process], thread, _name(task, several), task.begin, task.end,
                             {"run": task.run, "number": task.number}))
    for message in sorted((each for each in times.messages if each.sent is not None and each.name != "Beat"),
                          key=lambda each: each.sent):
        end = max(message.sent, message.taken)
        thread = put(message.taker, MESSAGES, "on the way to it", message.sent, end)
        name = f"{message.name} {'phase' if message.name in NAMED_BY_PHASE else 'round'} {message.number}"
        slices.append(_event(processes[message.taker], thread, name, message.sent, end,
                             {"run": message.run, "from": message.sender, "block": message.index}))
    for process, number in processes.items():
        name = "driver" if process == DRIVER else f"rank {process}"
        yield {"ph": "M", "pid": number, "tid": 0, "name": "process_name", "args": {"name": name}}
    for (process, thread), name in sorted(tracks.items()):
        yield {"ph": "M", "pid": process, "tid": thread, "name": "thread_name", "args": {"name": name}}
    yield from slices
