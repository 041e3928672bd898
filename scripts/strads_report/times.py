"""The file of --trace-times: tasks and messages of all processes, on the driver's clock (docs/OUTPUT.md).

Clocks of hosts differ, and nothing is assumed of them but that they run equally fast for some seconds. No message is taken
before it is sent: each pair of a sending and its taking is a bound on how far two clocks are apart, and messages go both ways.
Bounds add up along chains of processes. Half way between the tightest ones of both sides stands the offset; it can be wrong by
half of their distance, which is half of the fastest way there and back."""
import bisect
import collections
import dataclasses
import math

from strads_report.runs import FILES, Failure, read_text

HEADER = ("process", "run", "what", "number", "index", "who", "begin", "nanoseconds")
TASKS = ("scan", "plan", "push", "combine", "pull", "apply", "recompute", "refresh")
DRIVER = "driver"
SECOND = 1e9
WINDOW = 10 * 10 ** 9  # nanoseconds with one offset: clocks that differ by 1e-5 go apart by 0.1 ms in it


@dataclasses.dataclass(frozen=True)
class Task:
    """`who`: the worker of a push, the scheduler of other tasks. Seconds since solving began, by the driver's clock."""
    process: str
    run: str
    kind: str
    number: int
    index: int
    who: int
    begin: float
    end: float


@dataclasses.dataclass(frozen=True)
class Message:
    """`name`: Assign, Deltas, Commit, SliceStatus, Phase. `sent` None: noted where it was taken alone."""
    name: str
    run: str
    number: int
    index: int
    sender: str
    taker: str
    sent: float
    taken: float


def tightest(lags, processes):
    """{(a, b): how far clock a can be ahead of clock b at most}, of pairs with a chain of messages from a to b. `lags`: the least
    taken - sent of messages from a to b."""
    bound = dict(lags)
    for middle in processes:
        for first in processes:
            if (first, middle) not in bound:
                continue
            for last in processes:
                if (middle, last) in bound and first != last:
                    way = bound[first, middle] + bound[middle, last]
                    bound[first, last] = min(way, bound.get((first, last), math.inf))
    return bound


def offsets_of(lags, processes):
    """{process: (nanoseconds to be added to its clock, by how much that can be wrong; None: nobody knows)}."""
    bound, offsets = tightest(lags, processes), {}
    for process in processes:
        high, low = bound.get((process, DRIVER)), bound.get((DRIVER, process))
        if process == DRIVER:
            offsets[process] = (0, 0)
        elif high is not None and low is not None:
            offsets[process] = ((high - low) // 2, abs(high + low) / 2)
        else:  # messages one way only
            offsets[process] = (high if high is not None else -low if low is not None else 0, None)
    return offsets


def _least_lags(pairs):
    lags = {}
    for sender, taker, sent, taken in pairs:
        lags[sender, taker] = min(taken - sent, lags.get((sender, taker), math.inf))
    return lags


class Clocks:
    """What time it was on the driver's clock. First of the whole run, then of each WINDOW of it where messages tell."""

    def __init__(self, pairs, processes):
        self.whole = offsets_of(_least_lags(pairs), processes)
        by_window = collections.defaultdict(list)
        for pair in pairs:
            by_window[(pair[2] + self.whole[pair[0]][0]) // WINDOW].append(pair)
        self.windows = {}
        if len(by_window) > 2:
            for window, part in by_window.items():
                for process, (offset, error) in offsets_of(_least_lags(part), processes).items():
                    if error is not None:
                        self.windows[window, process] = offset

    def time(self, process, nanoseconds):
        rough = nanoseconds + self.whole[process][0]
        window = rough // WINDOW
        for near in (window, window + 1, window - 1):  # the whole run's offset may put it just beside its own
            if (near, process) in self.windows:
                return nanoseconds + self.windows[near, process]
        return rough


class Times:
    """What a file says."""

    def __init__(self, path):
        self.path, self.lost, self.solving = path, {}, None
        self._tasks, self._sent, self._taken, self._gaps = [], {}, {}, []
        self._read()
        processes = sorted({DRIVER, *(row[0] for row in self._tasks), *(key[i] for key in (*self._sent, *self._taken)
                                                                        for i in (4, 5))})
        pairs = [(key[4], key[5], sent, self._taken[key]) for key, sent in self._sent.items() if key in self._taken]
        self.clocks = Clocks(pairs, processes)
        self.processes = processes
        zero = self.solving[0]

        def seconds(process, nanoseconds):
            return (self.clocks.time(process, nanoseconds) - zero) / SECOND

        self.seconds = (0.0, self.solving[1] / SECOND)
        self.tasks = sorted((Task(*row[:6], seconds(row[0], row[6]), seconds(row[0], row[6] + row[7])) for row in self._tasks),
                            key=lambda task: (task.begin, task.end))
        self.messages = []
        for key, taken in self._taken.items():
            sent = self._sent.get(key)
            self.messages.append(Message(*key, None if sent is None else seconds(key[4], sent), seconds(key[5], taken)))
        self.gaps = [(process, seconds(process, begin), seconds(process, begin + length)) for process, begin, length in self._gaps]
        del self._tasks, self._sent, self._taken, self._gaps

    def _read(self):
        lines = read_text(self.path).splitlines()
        if not lines or tuple(lines[0].split("\t")) != HEADER:
            raise Failure(FILES, f"{self.path}:1: expected the columns {', '.join(HEADER)}, as --trace-times writes them")
        for number, line in enumerate(lines[1:], 2):
            fields = line.split("\t")
            try:
                process, run, what = fields[:3]
                numbers = [int(fields[place]) for place in (3, 4, 6, 7)]
                who = fields[5] if fields[5] == DRIVER else int(fields[5])
                self._take(process, run, what, who, numbers, len(fields))
            except (ValueError, IndexError):
                raise Failure(FILES, f"{self.path}:{number}: '{line[:60]}', expected {len(HEADER)} fields as in the header; the file "
                                     "was cut off or changed") from None
        if self.solving is None:
            raise Failure(FILES, f"{self.path}: no row 'solving', which a finished run writes last; the file was cut off")

    def _take(self, process, run, what, who, numbers, fields):
        number, index, begin, length = numbers
        way, _, name = what.partition(" ")
        if fields != len(HEADER):
            raise ValueError
        if what in TASKS:
            self._tasks.append((process, run, what, number, index, who, begin, length))
        elif what == "solving":
            self.solving = (begin, length)
        elif what == "gap":
            self._gaps.append((process, begin, length))
        elif what == "lost":
            self.lost[process] = number
        elif way in ("sent", "taken") and name:
            # One that was repeated counts as first sent and first taken.
            ends = (process, str(who)) if way == "sent" else (str(who), process)
            kept = self._sent if way == "sent" else self._taken
            key = (name, run, number, index, *ends)
            kept[key] = min(begin, kept.get(key, begin))
        else:
            raise ValueError

    def runs(self):
        """Numbers of the runs that computed a block, as texts, the one with most blocks first."""
        counts = collections.Counter(task.run for task in self.tasks if task.kind == "push")
        return [run for run, _ in sorted(counts.items(), key=lambda item: (-item[1], int(item[0])))]

    def not_noted(self, process, begin, end):
        """Seconds of a process between two moments in which nothing was noted."""
        return sum(max(0.0, min(high, end) - max(low, begin)) for whose, low, high in self.gaps if whose == process)

    def error(self):
        """Seconds by which a process's clock can be off: the largest; None where messages went one way only."""
        errors = [self.clocks.whole[process][1] for process in self.processes]
        return None if any(error is None for error in errors) else max(errors) / SECOND


@dataclasses.dataclass(frozen=True)
class Block:
    """A block of a round and how it came to be: seconds. None: not noted."""
    process: str
    worker: int
    round: int
    index: int
    assigned: float
    taken: float
    begin: float
    end: float
    answered: float  # its Deltas were taken by the scheduler


def blocks_of(times, run):
    """In the order of their beginnings."""
    assigns, answers = {}, {}
    for message in times.messages:
        if message.run == run and message.name == "Assign":
            assigns[message.number, message.index, message.taker] = message
        elif message.run == run and message.name == "Deltas":
            answers[message.number, message.index, message.sender] = message
    blocks = []
    for task in times.tasks:
        if task.run == run and task.kind == "push":
            assign = assigns.get((task.number, task.index, task.process))
            answer = answers.get((task.number, task.index, task.process))
            blocks.append(Block(task.process, task.who, task.number, task.index, assign and assign.sent, assign and assign.taken,
                                task.begin, task.end, answer and answer.taken))
    return blocks


@dataclasses.dataclass(frozen=True)
class Phase:
    number: int
    begin: float
    end: float


def phases_of(times, run):
    """From the end of the refresh at one barrier to that at the next, counted from 1 as in trace.csv."""
    ends = {}
    for task in times.tasks:
        if task.run == run and task.kind == "refresh":
            ends[task.number] = max(task.end, ends.get(task.number, task.end))
    numbers = sorted(ends)
    last = max((task.end for task in times.tasks if task.run == run), default=0.0)
    bounds = [*(ends[number] for number in numbers), last]
    return [Phase(number + 1, begin, end) for number, begin, end in zip(numbers, bounds, bounds[1:]) if end > begin]


def blocks_within(blocks, phase):
    """Those that began in it."""
    begins = [block.begin for block in blocks]
    return blocks[bisect.bisect_left(begins, phase.begin):bisect.bisect_left(begins, phase.end)]
